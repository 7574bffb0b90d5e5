"""The register of laws: one place for titles and links, current, and shown where it belongs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date, timedelta
from html import unescape
from pathlib import Path

import jsonschema
import pytest

from fairlint import check_source
from fairlint.cli import main
from fairlint.config import JURISDICTIONS, Settings
from fairlint.findings.finding import Finding
from fairlint.laws import belonging, law, reading, register
from fairlint.laws.law import BINDING, STATUSES
from fairlint.reporters import ReportOptions, page, sarif
from fairlint.reporters import json as json_report
from fairlint.reporters.page.law import Scope, law_lines
from fairlint.rules.loading import load_rules
from fairlint.support.records import replace
from fairlint.vocabulary import default_vocabulary

ROOT = Path(__file__).parent.parent
LAWS = register()
RULES = load_rules()
YEAR = timedelta(days=365)
HOSTS = (
    "eur-lex.europa.eu", "ecfr.gov", "law.cornell.edu", "eeoc.gov", "legislation.gov.uk", "nyc.gov",
    "gesetze-im-internet.de", "artificialintelligenceact.eu", "gdpr-info.eu", "supremecourt.gov",
    "consumerfinance.gov", "justia.com/cases", "federalregister.gov", "reginfo.gov", "legiscan.com",
)  # fmt: skip
"""Where the texts of laws are."""


def findings_in(code: str, **settings: str) -> list[Finding]:
    return list(check_source(code, settings=Settings(min_severity="note", **settings)).findings)  # type: ignore[arg-type]


def laws_of(code: str, **settings: str) -> set[str]:
    (found,) = findings_in(code, **settings)
    return set(found.laws)


HIRE = "def hire(candidate):\n    if candidate.{}:\n        return 'rejected'\n    return 'accepted'\n"
LOAN = "def limit(loan):\n    loan.score = 600\n    if {}:\n        loan.score += 20\n    return loan.score\n"
WOMAN, MUSLIM = HIRE.format("gender == 'female'"), HIRE.format("religion == 'muslim'")
LOAN_BY_SEX, LOAN_BY_AGE = (
    LOAN.format("loan.applicant_gender == 'male'"),
    LOAN.format("loan.applicant_age > 60"),
)


# ---------------------------------------------------------------------------------------------- the register


def test_each_law_was_checked_within_a_year() -> None:
    """Laws move. Who sees this fail looks each of them up again, mends it, and sets `checked_on`."""
    oldest = date.today() - YEAR  # noqa: DTZ011 (a day is enough)
    stale = sorted(one.id for one in LAWS.values() if date.fromisoformat(one.checked_on) < oldest)
    assert stale == [], f"checked more than a year ago; look them up and set checked_on: {', '.join(stale)}"
    assert all(date.fromisoformat(one.checked_on) <= date.today() for one in LAWS.values())  # noqa: DTZ011


@pytest.mark.parametrize("one", LAWS.values(), ids=lambda one: one.id)
def test_each_law_is_complete(one: law.Law) -> None:
    assert re.fullmatch(r"[a-z]{2}(-[a-z0-9]+)+", one.id)
    assert one.url.startswith("https://")
    assert not one.source or re.match("https?://", one.source)
    assert one.setting in {"", *JURISDICTIONS} - {"all"}
    assert set(one.attributes) <= default_vocabulary().attributes.keys()
    assert one.status in STATUSES
    assert (one.status == "repealed") == bool(one.repealed)
    assert not one.verified or one.source
    assert not one.title.endswith(".")
    assert not one.note or one.note.endswith(".")


def test_titles_are_each_laws_own() -> None:
    assert len({one.title for one in LAWS.values()}) == len(LAWS)


def texts() -> Iterator[tuple[str, str]]:
    """The data, code, pages and documentation that may name laws, but for the register itself."""
    for pattern in (
        "rules/*.md",
        "fairlint/**/*.toml",
        "fairlint/**/*.py",
        "fairlint/**/*.html",
        "docs/*.md",
    ):
        for path in ROOT.glob(pattern):
            if path.parent.name != "laws":
                yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")


def test_nothing_else_holds_a_title_or_a_link() -> None:
    wrong = [
        f"{path}: {text}"
        for path, contents in texts()
        for text in (*HOSTS, *(one.title for one in LAWS.values()), *(one.url for one in LAWS.values()))
        if text in contents
    ]
    assert wrong == []


def test_all_that_refers_to_a_law_refers_to_a_binding_one() -> None:
    of_rules = {id_ for rule in RULES for id_ in rule.laws}
    of_advice = {str(i) for rule in RULES for when, _ in rule.advice_when for i in when.get("law", ())}
    attributes = default_vocabulary().attributes.values()
    named = {id_ for one in attributes for ids in one.laws.values() for id_ in ids}
    for id_ in of_rules | of_advice | named:
        assert LAWS[id_].status in BINDING, id_
    referred = of_rules | of_advice | named
    for one in LAWS.values():
        parts = {id_ for id_ in referred if f"{id_}-".startswith(f"{one.id}-")}
        assert parts or one.note.startswith("No rule refers to it: "), one.id


def test_attributes_name_the_laws_of_the_jurisdiction_that_protects_them() -> None:
    for attribute in default_vocabulary().attributes.values():
        for place, ids in attribute.laws.items():
            assert {LAWS[id_].setting for id_ in ids} == {place}, attribute.name


def test_what_changed_in_2026_is_in_the_register() -> None:
    assert LAWS["eu-ai-act-annex-iii"].applies_from == LAWS["eu-ai-act-10"].applies_from == "2027-12-02"
    assert LAWS["eu-ai-act-4a"].applies_from == "2026-07-27"
    assert LAWS["us-29-cfr-1607"].status == "under rescission"
    assert LAWS["us-co-sb24-205"].repealed == "2026-05-14"
    assert LAWS["us-il-hb3773"].applies_from == "2026-01-01"
    assert "21 July 2026" in LAWS["us-reg-b"].note
    assert "no threshold" in LAWS["us-nyc-ll144"].note


BROKEN = {
    "[x-a]\nurl = 'https://a'": "has a `title`",
    "[x-a]\ntitle = 'A'": "x-a.url: is missing",
    "[x-a]\ntitle = 'A'\nurl = 'https://a'\ncolor = 'red'": "unknown key 'color'",
    "[x-a]\ntitle = 'A'\nurl = 'https://a'\nstatus = 'old'": "x-a.status: must be one of",
    "[x-a]\ntitle = 'A'\nurl = 'https://a'\nstatus = 'repealed'": "x-a.repealed: goes with",
    "[x-a]\ntitle = 'A'\nurl = 'https://a'\nfields = 'shoes'": "x-a.fields: 'shoes' is no field",
    "[x-a]\ntitle = 'A'\nurl = 'https://a'\nverified = true": "x-a.source: what is verified needs one",
    "[x-a]\ntitle = 'A'\nurl = 'https://a'\napplies_from = '2026-01-01'": "x-a.applies_from: must be a date",
    "[x-a]\npart = 'article 1'\nof = 'x-b'": "the register has no 'x-b'",
}


@pytest.mark.parametrize("entry", BROKEN)
def test_a_broken_entry_is_named(entry: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "x.toml"
    file.write_text("setting = 'eu'\nplace = 'X'\nchecked_on = 2026-11-28\nverified = false\n\n" + entry)
    monkeypatch.setattr(reading, "files", lambda: [*law.files(), str(file)])
    with pytest.raises(reading.LawError, match=re.escape(BROKEN[entry])):
        reading.read()


# ------------------------------------------------------------------------------------ the laws of a finding


def test_a_finding_has_the_laws_of_its_rule_and_attribute_in_its_field() -> None:
    assert {"us-title-vii", "eu-dir-2006-54", "uk-equality-11", "us-nyc-ll144"} <= laws_of(WOMAN)
    assert not laws_of(WOMAN) & {
        "us-ecoa",
        "us-fha",
        "us-fha-3604",
        "eu-test-achats",
        "eu-dir-2000-78",
        "us-adea",
    }
    assert {"us-reg-b-1002-6", "us-ecoa", "eu-ai-act-annex-iii"} <= laws_of(LOAN_BY_SEX)
    assert "us-29-cfr-1607" not in laws_of(LOAN_BY_SEX)
    pay = (
        "def salary(employee):\n    salary = 100\n    if employee.gender == 'male':\n        salary *= 1.1\n"
    )
    assert "us-epa" in laws_of(f"{pay}    return salary\n")
    assert "us-epa" not in laws_of(WOMAN)


def test_the_law_on_age_in_credit_is_for_age_alone() -> None:
    assert "us-reg-b-age" in laws_of(LOAN_BY_AGE)
    assert "us-reg-b-age" not in laws_of(LOAN_BY_SEX)


@pytest.mark.parametrize("code", [WOMAN, MUSLIM, LOAN_BY_SEX, LOAN_BY_AGE])
@pytest.mark.parametrize("place", ["us", "eu", "uk"])
def test_a_jurisdiction_shows_its_own_laws_alone(place: str, code: str) -> None:
    found = laws_of(code, jurisdiction=place)
    assert found
    assert {LAWS[id_].setting for id_ in found} == {place}
    assert found == {id_ for id_ in laws_of(code) if LAWS[id_].setting == place}


def test_the_law_of_a_country_is_not_that_of_its_neighbours() -> None:
    assert "de-agg-1" in laws_of(MUSLIM, home_country="DE")
    assert "de-agg-1" not in laws_of(MUSLIM, home_country="FR")
    assert "eu-dir-2000-78" in laws_of(MUSLIM, home_country="FR")


def test_a_law_is_about_the_field_that_is_set_and_that_of_the_code() -> None:
    unclear = WOMAN.replace("hire", "pick").replace("candidate", "person")
    assert "us-ecoa" in laws_of(unclear, domain="credit")
    assert "us-title-vii" not in laws_of(unclear, domain="credit")
    found = laws_of(WOMAN, domain="credit")
    assert not found & {"us-title-vii", "us-ecoa"}, "the code is about hiring, the setting about credit"


def test_where_the_field_is_unknown_laws_of_some_fields_need_the_rule() -> None:
    pick = HIRE.format("gender == 'female'").replace("hire", "pick").replace("candidate", "person")
    found = laws_of(pick)
    assert {"us-title-vii", "us-fha-3604", "eu-charter-21"} <= found
    assert not found & {"us-epa", "us-title-ix", "eu-test-achats"}


def test_what_is_repealed_belongs_to_no_finding() -> None:
    assert not belonging(["us-co-sb24-205"], {"gender": []}, effect="decide", fields=["hiring"])


def test_an_attribute_of_ones_own_may_name_laws_of_the_register() -> None:
    mine = {
        "accent": {
            "strong": "accent kind",
            "groups": {"local": "local"},
            "laws": {"us": "us-title-vii; my law"},
        }
    }
    code = HIRE.format("accent_kind == 'local'")
    (found,) = check_source(code, settings=Settings(min_severity="note", attributes=mine)).findings
    assert "us-title-vii" in found.laws
    assert "my law" not in found.laws


# ------------------------------------------------------------------------------------------------ in reports


def test_json_has_ids_at_findings_and_a_table_of_laws() -> None:
    report = check_source(WOMAN + LOAN_BY_AGE)
    document = json.loads("".join(json_report.report(report, ReportOptions())))
    jsonschema.validate(document, json.loads(json_report.schema()))
    ids = {id_ for finding in document["findings"] for id_ in finding["laws"]}
    assert ids == document["laws"].keys() != set()
    assert document["laws"]["us-reg-b-age"]["title"] == LAWS["us-reg-b-age"].title
    assert document["laws"]["us-reg-b-age"]["verified"] is LAWS["us-reg-b-age"].verified


def test_sarif_has_a_taxonomy_that_results_and_rules_refer_to() -> None:
    report = check_source(WOMAN, settings=Settings(jurisdiction="us"))
    options = ReportOptions(load_rules=load_rules, jurisdiction="us")
    (run,) = json.loads("".join(sarif.report(report, options)))["runs"]
    (taxonomy,) = run["taxonomies"]
    taxa = taxonomy["taxa"]
    assert {LAWS[taxon["id"]].setting for taxon in taxa} == {"us"}
    assert run["tool"]["driver"]["supportedTaxonomies"] == [{"name": taxonomy["name"], "index": 0}]
    (result,) = run["results"]
    assert [taxon["id"] for taxon in result["taxa"]] == list(report.findings[0].laws)
    rules = run["tool"]["driver"]["rules"]
    related = [one["target"] for rule in rules for one in rule.get("relationships", ())]
    assert related
    for reference in (*result["taxa"], *related):
        assert taxa[reference["index"]]["id"] == reference["id"]
        assert reference["toolComponent"] == {"name": taxonomy["name"], "index": 0}


def test_what_is_not_verified_or_not_yet_applied_is_told_with_the_title() -> None:
    one = LAWS["eu-ai-act-10"]
    assert one.told == f"{one.title} (applies from 2027-12-02)"
    assert replace(one, verified=False).told == f"{one.title} (applies from 2027-12-02; not verified)"
    assert LAWS["us-29-cfr-1607"].told.endswith(" (under rescission)")
    assert LAWS["us-ecoa"].told == LAWS["us-ecoa"].title


def test_html_shows_the_laws_of_the_findings() -> None:
    report = check_source(LOAN_BY_SEX, settings=Settings(jurisdiction="eu"))
    text = "".join(page.report(report, ReportOptions(load_rules=load_rules, jurisdiction="eu")))
    assert "AI Act, annex III: high-risk uses (applies from 2027-12-02)" in text
    assert "Regulation B" not in text
    assert "29 CFR" not in text


def card(code: str, **settings: str) -> str:
    """What the page of one finding says about law."""
    report = check_source(code, settings=Settings(**settings))  # type: ignore[arg-type]
    facts = {"Jurisdiction": settings.get("jurisdiction", "all"), "Domain": settings.get("domain", "all")}
    text = "".join(page.report(report, ReportOptions(load_rules=load_rules, facts=facts)))
    (told,) = re.findall(r"<dt>Law that may apply</dt>(.*?)</div>", text)
    return unescape(re.sub("<[^>]+>", "", told.replace("</dd><dd", " | <dd")))


COVER = LOAN_BY_AGE.replace("loan", "insurance")


def test_a_card_says_which_field_its_laws_are_about() -> None:
    told = card(LOAN_BY_AGE, jurisdiction="us", domain="credit")
    assert "Equal Credit Opportunity Act" in told
    assert told.endswith("Field: credit, from the settings and the code.")
    assert card(LOAN_BY_AGE, jurisdiction="us").endswith("Field: credit, from the code.")
    unclear = WOMAN.replace("hire", "pick").replace("candidate", "person")
    told = card(unclear, jurisdiction="us", domain="credit")
    assert told.endswith("Field: credit, from the settings alone.")


def test_where_the_fields_differ_a_card_names_the_laws_of_either() -> None:
    told = card(COVER, jurisdiction="us", domain="credit")
    assert "None for both fields: the code is about insurance, and the settings say credit." in told
    assert "If it is about credit: " in told
    assert "Equal Credit Opportunity Act" in told
    assert told.endswith("No law in fairlint’s register names age in insurance in the United States.")


def test_a_card_without_law_says_why() -> None:
    assert card(COVER, jurisdiction="us") == (
        "No law in fairlint’s register names age in insurance in the United States."
    )


def test_a_card_names_the_fields_of_laws_where_the_field_is_not_known() -> None:
    (found,) = check_source(LOAN_BY_SEX).findings
    bare = replace(found, laws=(), use=replace(found.use, domain="", attribute="marital_status"))
    (line,) = law_lines(bare, (), Scope("us"))
    assert line.text == (
        "Depends on the field, which fairlint does not know: its register has laws for credit."
    )
    (line,) = law_lines(bare, (), Scope("us", is_known=False))
    assert line.text == "fairlint’s register names no law for this finding."
    assert law_lines(replace(bare, use=replace(bare.use, attribute="", effect="none")), (), Scope("us")) == ()


# -------------------------------------------------------------------------------------------- fairlint laws


def test_the_command_lists_laws_and_describes_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["laws", "--jurisdiction", "us", "--domain", "credit"]) == 0
    told = capsys.readouterr().out
    assert "us-ecoa" in told
    assert "repealed 2026-05-14" in told
    assert "eu-" not in told
    assert "us-title-vii " not in told
    assert main(["laws", "us-29-cfr-1607"]) == 0
    told = capsys.readouterr().out
    assert "under rescission" in told
    assert "FL201" in told
    assert main(["laws", "--format", "json"]) == 0
    assert {one["id"] for one in json.loads(capsys.readouterr().out)} == LAWS.keys()
    assert main(["laws", "us-title-7"]) == 2
    assert "unknown law 'us-title-7'; did you mean 'us-title-vi" in capsys.readouterr().err
