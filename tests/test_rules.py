"""What rule authors and users rely on: pages load, their examples hold, messages read well."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from expectations import Block, Expected, read_comment, read_page
from hypothesis import given
from hypothesis import strategies as st

from fairlint import check_source, fixes
from fairlint.config import Settings
from fairlint.findings.levels import CONFIDENCES, SEVERITIES
from fairlint.findings.uses import NO_CONTEXT, ContextName, GroupPoints, Use, UseContext
from fairlint.laws import register
from fairlint.rules import loading
from fairlint.rules.judging import judge
from fairlint.rules.loading import find_rule, load_rules, rules_dir, rules_in
from fairlint.rules.messages import format_points, render_message
from fairlint.rules.pages import RuleError, parse_page
from fairlint.rules.rule import Rule
from fairlint.support.numbers import format_number
from fairlint.syntax.tree import Span
from fairlint.vocabulary import default_vocabulary
from fairlint.vocabulary.model import Evidence

RULES = load_rules()
CODES = sorted(rule.code for rule in RULES)
DOMAINS = {"hiring", "credit", "housing", "education", "health", "justice", "insurance", "public", "dating"}
HEADINGS = ["What it flags", "Why it matters", "Example", "Use instead", "Known limits"]
BLOCKS = [
    block
    for path in sorted(rules_dir().glob("*.md"))
    for block in read_page(path.read_text(encoding="utf-8"), path.stem)
]


def make_use(weight: int = 9, **changes: Any) -> Use:
    fields: dict[str, Any] = {
        "attribute": "gender",
        "attribute_kind": "protected",
        "kind": "score-update",
        "effect": "score",
        "shape": "branch",
        "span": Span(0, 1),
        "groups": ("male",),
        "points": GroupPoints("add", {"male": 5.0, "female": 0.0}, 0.0),
        "outcomes": {},
        "target": "score",
        "condition": "c.gender == 'male'",
        "evidence": (Evidence(weight, "given"),),
        "flow": (),
    }
    return Use(**{**fields, **changes})


DECISION: dict[str, Any] = {"kind": "decision", "effect": "decide", "points": None, "target": None}
TIMES = GroupPoints("multiply", {"male": 1.1, "female": 1.0}, 1.0)

JUDGED: list[tuple[dict[str, Any], str]] = [
    (DECISION, "FL101"),
    ({**DECISION, "shape": "table"}, "FL101"),
    ({**DECISION, "attribute": "age", "shape": "cutoff"}, "FL102"),
    ({**DECISION, "attribute": "age", "shape": "branch"}, "FL101"),
    ({**DECISION, "joined": ("race",)}, "FL103"),
    ({"joined": ("race",)}, "FL103"),
    ({"kind": "read", "effect": "none", "points": None}, "FL104"),
    ({**DECISION, "kind": "ranking", "shape": "sort"}, "FL105"),
    ({**DECISION, "kind": "filter", "shape": "filter"}, "FL106"),
    ({}, "FL201"),
    ({"shape": "cutoff", "attribute": "age"}, "FL201"),
    ({"points": None}, "FL201"),
    ({"shape": "table"}, "FL202"),
    ({"shape": "arithmetic"}, "FL203"),
    ({"points": TIMES}, "FL204"),
    ({"points": TIMES, "shape": "table"}, "FL204"),
    ({"points": TIMES, "shape": "arithmetic"}, "FL204"),
    ({"points": None, "shape": "scale"}, "FL205"),
    ({"points": TIMES, "shape": "scale"}, "FL205"),
    ({"leaves_out": True}, "FL206"),
    ({**DECISION, "leaves_out": True}, "FL206"),
    ({**DECISION, "kind": "threshold", "shape": "table"}, "FL501"),
    ({**DECISION, "kind": "quota", "shape": "table"}, "FL502"),
    ({"attribute": "zip_code", "attribute_kind": "proxy"}, "FL601"),
    ({**DECISION, "attribute": "region", "attribute_kind": "proxy"}, "FL601"),
    ({"attribute": "name", "attribute_kind": "proxy"}, "FL602"),
    ({"attribute": "title", "attribute_kind": "proxy", "leaves_out": True}, "FL602"),
    ({"attribute": "language", "attribute_kind": "proxy"}, "FL603"),
    ({"attribute": "national_origin"}, "FL201"),
    ({"attribute": "body", "attribute_kind": "proxy"}, "FL604"),
    ({"attribute": "family_status", "domain": "hiring"}, "FL604"),
    ({"attribute": "family_status", "domain": "housing"}, "FL201"),
    ({"attribute": "parents_degree", "attribute_kind": "socioeconomic"}, "FL605"),
    ({**DECISION, "attribute": "income_level", "attribute_kind": "socioeconomic"}, "FL605"),
    ({"attribute": "school", "attribute_kind": "proxy"}, "FL605"),
]


@pytest.mark.parametrize(("changes", "code"), JUDGED)
def test_each_use_has_its_rule(changes: dict[str, Any], code: str) -> None:
    verdict = judge(make_use(**changes), RULES)
    assert verdict is not None
    assert verdict.rule.code == code


@pytest.mark.parametrize("effect", ["show", "check", "store"])
def test_showing_checking_and_storing_are_silent(effect: str) -> None:
    assert judge(make_use(effect=effect), RULES) is None


def test_evidence_decides_how_loud_a_rule_is() -> None:
    said = [judge(make_use(weight), RULES) for weight in range(1, 10)]
    severities = [verdict and verdict.severity for verdict in said]
    assert severities == [None, None, "note", "note", "error", "error", "error", "error", "error"]
    confidences = [verdict.confidence for verdict in said if verdict]
    assert confidences == ["low", "low", "low", "medium", "medium", "high", "high"]


def test_a_context_makes_a_note_that_says_what_would_justify_it() -> None:
    said = UseContext("clinical", (Evidence(3, "is a published score"),), "medicine would have to justify it")
    verdict = judge(make_use(context=said), RULES)
    assert verdict is not None
    assert (verdict.severity, verdict.lowered_by) == ("note", "clinical")
    assert verdict.message.endswith(" (clinical: medicine would have to justify it)")
    weak = judge(make_use(4, context=said), RULES)
    assert weak is not None
    assert weak.lowered_by == ""


@given(st.integers(-5, 30), st.integers(-5, 30))
def test_more_evidence_never_makes_a_finding_milder(first: int, second: int) -> None:
    weaker, stronger = (judge(make_use(weight), RULES) for weight in sorted((first, second)))
    if weaker is not None:
        assert stronger is not None
        assert SEVERITIES.index(stronger.severity) >= SEVERITIES.index(weaker.severity)
        assert CONFIDENCES.index(stronger.confidence) >= CONFIDENCES.index(weaker.confidence)


# ------------------------------------------------------------------------------------------------ messages


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "`score` depends on gender: male +5, female +0, gap 5"),
        ({"target": None}, "gender: male +5, female +0, gap 5"),
        ({"points": None}, "`score` depends on gender"),
        (
            {"points": TIMES, "target": "premium"},
            "`premium` is multiplied by gender: male ×1.1, female ×1, gap 0.1",
        ),
        (
            {"points": GroupPoints("set", {"male": 2.5, "female": -1.0}, None)},
            "`score` depends on gender: male = 2.5, female = -1, gap 3.5",
        ),
        (
            {
                "leaves_out": True,
                "groups": ("male", "female"),
                "points": GroupPoints("add", {"male": 5.0, "female": 5.0}, 0.0),
            },
            "only male, female are named, all others fare differently: male and female +5, others +0",
        ),
        (
            {**DECISION, "outcomes": {"male": "return True", "female": "return False"}},
            "the outcome depends on gender: male → return True, female → return False",
        ),
        (DECISION, "the outcome depends on gender"),
        (
            {**DECISION, "joined": ("age", "marital_status"), "condition": "a and\n   b"},
            "gender, age and marital status are tested together: `a and b`",
        ),
        ({"shape": "table", "target": None}, "a table by gender feeds the score: male +5, female +0, gap 5"),
    ],
)  # fmt: skip
def test_messages_say_who_gets_what(changes: dict[str, Any], message: str) -> None:
    verdict = judge(make_use(**changes), RULES)
    assert verdict is not None
    assert verdict.message == message


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
@pytest.mark.parametrize("full", [True, False])
def test_every_message_reads_well_with_and_without_facts(rule: Rule, full: bool) -> None:
    use = make_use(joined=("race",), outcomes={"male": "return 1"}) if full else make_use(
        points=None, target=None, condition="", groups=("male",)
    )  # fmt: skip
    if not full and rule.code == "FL103":
        pytest.skip("joined attributes are what the rule is about")
    message = render_message(rule.message, use)
    assert not re.search(r"[{}\[\]]|  |``|: *$|, *$|\bNone\b", message)
    assert "gender" in message or rule.code in {"FL102", "FL206"} or "hygiene" in rule.tags


def test_long_texts_are_cut() -> None:
    many = {f"group{index}": float(index) for index in range(40)}
    use = make_use(condition="x" * 500, points=GroupPoints("add", many, None))
    assert len(render_message("{condition} {table}", use)) < 250
    assert render_message("{table}", use).endswith(", 33 more")


@pytest.mark.parametrize(
    ("amounts", "other", "told"),
    [
        ({"under 25": -10, "25–59": 0, "60 to 70": -10}, None, "under 25 and 60 to 70 -10, 25–59 +0"),
        ({"under 25": -10, "25–59": 0, "60 and over": -10}, None, "under 25, 60 and over -10; 25–59 +0"),
        (
            dict.fromkeys(("muslim", "jewish", "hindu", "sikh", "jain", "buddhist", "none"), -3),
            0,
            "muslim, jewish, hindu, sikh, jain, buddhist and none -3; others +0",
        ),
        ({"white": 2, "black": 0, "asian": 0, "hispanic": 1}, 0, "white +2, black and asian +0, hispanic +1"),
        ({"male": 5, "female": 0}, None, "male +5, female +0"),
    ],
)
def test_groups_that_get_the_same_are_told_together(
    amounts: dict[str, float], other: float | None, told: str
) -> None:
    assert render_message("{table}", make_use(points=GroupPoints("add", amounts, other))) == told


def test_groups_of_the_same_outcome_are_told_together() -> None:
    outcomes = {"white": 'return "hired"', "black": 'return "no"', "asian": 'return "no"'}
    told = render_message("{outcomes}", make_use(points=None, outcomes=outcomes))
    assert told == 'white → return "hired", black and asian → return "no"'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5.0, "5"),
        (0.1, "0.1"),
        (1.1 - 1.0, "0.1"),
        (-4.0, "-4"),
        (-0.0, "0"),
        (1_250_000.0, "1250000"),
        (1e300, "1e+300"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
    ],
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert format_number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5 / 3, "1.667"),
        (2 / 3, "0.667"),
        (1.0004, "1.0004"),
        (0.9999, "0.9999"),
        (-1.00002, "-1.00002"),
        (0.000123456, "0.000123"),
        (1234.56789, "1234.568"),
        (1.5, "1.5"),
        (3e15 + 0.5, "3e+15"),
    ],
)
def test_numbers_are_rounded_but_never_to_a_whole_one(value: float, text: str) -> None:
    assert format_number(value) == text


def test_amounts_that_differ_look_different() -> None:
    points = GroupPoints("multiply", {"male": 1.00041, "female": 1.00043, "diverse": 1.00041}, 1.0)
    told = "male and diverse ×1.00041, female ×1.00043, others ×1"
    assert render_message("{table}", make_use(points=points)) == told
    points = GroupPoints("add", {"male": 1 / 3, "female": 2 / 3}, None)
    assert render_message("{table}", make_use(points=points)) == "male +0.333, female +0.667"


@given(st.floats(-1e300, 1e300))
def test_numbers_keep_their_value(value: float) -> None:
    assert float(format_number(value)) == pytest.approx(value, rel=6e-3, abs=1e-300)
    assert format_points("add", value)[0] in "+-"


# --------------------------------------------------------------------------------------------------- pages


def test_all_rules_are_there() -> None:
    expected = {"FL1": 6, "FL2": 6, "FL3": 6, "FL4": 5, "FL5": 2, "FL6": 5, "FL7": 3, "FL8": 2}
    codes = [f"{start}{n:02}" for start, count in expected.items() for n in range(1, count + 1)]
    assert [*codes, *(f"FL90{n}" for n in range(1, 8))] == CODES


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_pages_have_one_form(rule: Rule) -> None:
    assert Path(rule.path).stem == f"{rule.code}-{rule.name}"
    assert re.findall(r"^## (.+)$", rule.page, re.MULTILINE) == HEADINGS
    assert all(rule.section(heading) for heading in HEADINGS)
    assert rule.page.startswith(f"# {rule.code} {rule.name}\n")
    assert rule.summary.endswith((".", ")"))
    assert "```" not in rule.summary
    assert rule.sources()
    assert rule.advice.endswith(".")
    assert set(rule.languages) <= {"python", "c"}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_pages_name_ways_that_can_be_gone(rule: Rule) -> None:
    """Two or three under *Use instead*, and definite advice only for what a Use can be."""
    ways = re.findall(r"^- ", rule.section("Use instead").partition("```")[0], re.MULTILINE)
    assert 2 <= len(ways) <= 3
    for condition, text in rule.advice_when:
        assert text.endswith(".")
        assert len(text) <= 190
        names = condition.get("attribute", frozenset())
        assert names <= default_vocabulary().attributes.keys()
        assert condition.get("domain", frozenset()) <= DOMAINS
        kinds = {default_vocabulary().attribute(str(name)).kind for name in names}
        wanted = [one.get("attribute_kind", kinds) for one in rule.match]
        assert kinds <= frozenset().union(*wanted)


def test_advice_goes_by_what_the_code_does() -> None:
    """The first that fits is told, in the order of the page; else what the rule says in general."""

    def advice(code: str) -> str:
        (found,) = check_source(code).findings
        return found.advice

    hire = "def hire(candidate):\n    if candidate.{}:\n        return False\n    return True\n"
    family = advice(hire.format("marital_status == 'married'"))
    assert "family plays no part" in family
    assert "experience and tests" in advice(hire.format("gender == 'female'"))
    general = find_rule(RULES, "FL101")
    assert general is not None
    plain = hire.format("gender == 'female'").replace("hire", "pick").replace("candidate", "person")
    assert advice(plain) == general.advice
    premium = (
        "def premium(driver):\n    premium = driver.base\n    if driver.sex == 'M':\n        premium *= 1.2\n"
    )
    assert "since 2012" in advice(premium + "    return premium\n")


OF_PLACES = {
    "us": re.compile(r"\bUS\b|Regulation B|Title VII|ECOA|Fair Housing|29 CFR|42 USC|Civil Rights Act|ADEA"),
    "eu": re.compile(r"\bEU\b|Directive|Test-Achats|GDPR|AGG"),
    "uk": re.compile(r"\bUK\b|Equality Act"),
}
"""How texts name the law of a jurisdiction."""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_advice_that_quotes_a_law_is_about_its_attributes_and_fields(rule: Rule) -> None:
    """What names a place or a law in advice has an id of the register."""
    assert not any(names.search(rule.advice) for names in OF_PLACES.values())
    for condition, text in rule.advice_when:
        ids = [str(id_) for id_ in condition.get("law", ())]
        assert bool(ids) == any(names.search(text) for names in OF_PLACES.values()) or "{law}" in text, text
        for law in (register()[id_] for id_ in ids):
            assert not law.attributes or condition["attribute"] <= frozenset(law.attributes), (law.id, text)
            assert not law.fields or condition["domain"] <= frozenset(law.fields), (law.id, text)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_what_reports_show_of_a_page_names_no_law(rule: Rule) -> None:
    """They show it under each jurisdiction; the laws of a finding are listed next to it."""
    for text in (rule.summary, rule.section("Why it matters")):
        for names in (*OF_PLACES.values(), re.compile(r"Europe|United|India|Illinois|New York|German")):
            assert not names.search(text.replace("German credit", "")), text


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_advice_is_of_the_jurisdiction_the_attribute_and_the_field(rule: Rule) -> None:
    contexts = ("", "lawful", "clinical", "actuarial", "simulation", "test", "demonstration", "audit")
    for name, attribute in default_vocabulary().attributes.items():
        for domain in ("", *DOMAINS - {"all"}):
            for context in contexts:
                use = make_use(
                    attribute=name,
                    attribute_kind=attribute.kind,
                    domain=domain,
                    context=UseContext(context, (), "") if context else NO_CONTEXT,  # type: ignore[arg-type]
                )
                for law in ("all", "us", "eu", "uk"):
                    told = rule.advice_for(use, law)
                    assert "{" not in told
                    for place, names in OF_PLACES.items():
                        assert law in ("all", place) or not names.search(told), (law, told)
                    if "elderly" in told or "juveniles" in told:
                        assert name == "age"
                    if "citizenship" in told:
                        assert name == "national_origin"


def test_a_law_of_another_field_than_the_settings_is_not_quoted() -> None:
    use = make_use(attribute="age", domain="credit", effect="score", kind="score-update")
    rule = find_rule(RULES, "FL201")
    assert rule is not None
    assert "Regulation B" in rule.advice_for(use, "us")
    assert "Regulation B" in rule.advice_for(use, "us", "credit")
    assert "Regulation B" not in rule.advice_for(use, "us", "hiring")


def test_advice_names_the_law_that_is_asked_for() -> None:
    code = (
        "def limit(loan):\n    loan.score = 600\n    if loan.applicant_age > 60:\n        loan.score -= 20\n"
    )

    def advice(law: str) -> str:
        (found,) = check_source(
            f"{code}    return loan.score\n", settings=Settings(jurisdiction=law)
        ).findings
        return found.advice

    assert "Regulation B" in advice("us")
    assert "Regulation B" in advice("all")
    assert "Regulation B" not in advice("eu")


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("lawful", "law"),
        ("clinical", "guideline"),
        ("actuarial", "tariff"),
        ("simulation", "learns"),
        ("test", "asks"),
        ("demonstration", "apart"),
        ("audit", "measures"),
    ],
)
def test_advice_where_something_may_justify_the_difference(name: ContextName, word: str) -> None:
    """To name it comes first, whatever the rule says elsewhere."""
    use = make_use(context=UseContext(name), domain="hiring")
    for code in ("FL101", "FL201"):
        rule = find_rule(RULES, code)
        assert rule is not None
        assert word in rule.advice_for(use)
        assert rule.advice_for(use) != rule.advice_for(make_use(domain="hiring"))
        assert rule.advice_for(make_use(context=UseContext(""))) == rule.advice_for(make_use())


def test_a_page_of_ones_own_has_advice_by_case(tmp_path: Path) -> None:
    cases = '\n[[advice_when]]\nattribute = "age"\nsay = "Ask for experience."\n+++\n'
    page = tmp_path / "XY901-my-rule.md"
    front, _, rest = PAGE.partition("\n+++\n")
    page.write_text(front + cases + rest)
    rule = rules_in([tmp_path])
    mine = find_rule(rule, "XY901")
    assert mine is not None
    assert [text for _, text in mine.advice_when] == ["Ask for experience."]
    for broken in (
        'attribute = "age"',
        'say = "x."',
        'attribute = "age"\nsay = 3',
        'color = "red"\nsay = "x."',
        'law = "us-reg-b-age"\nsay = "x."',
        'attribute = "age"\nsay = "as {law} says."',
        'attribute = "age"\nlaw = "us-reg-z"\nsay = "x."',
    ):
        page.write_text(front + f"\n[[advice_when]]\n{broken}\n+++\n" + rest)
        with pytest.raises(RuleError, match="advice_when"):
            rules_in([tmp_path])


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_pages_show_findings_and_look_alikes_in_their_languages(rule: Rule) -> None:
    blocks = [block for block in BLOCKS if block.page == Path(rule.path).stem]
    for language in rule.languages:
        mine = [block for block in blocks if block.language == language]
        assert any(rule.code not in {one.rule for one in block.expected} for block in mine), (
            f"no silent {language} example"
        )
        codes = {one.rule for block in mine for one in block.expected}
        assert rule.code in codes, f"no {language} example with a finding"


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.id)
def test_the_examples_hold(block: Block) -> None:
    from fairlint import check_source
    from fairlint.config import Settings

    report = check_source(
        block.code, path=block.path, language=block.language, settings=Settings(min_severity="note")
    )
    assert not report.not_analysed
    found = [(finding.start.line, finding.rule) for finding in report.findings]
    wanted = [(one.line, one.rule) for one in block.expected]
    assert sorted(found) == sorted(wanted)
    for one in block.expected:
        finding = next(f for f in report.findings if (f.start.line, f.rule) == (one.line, one.rule))
        assert one.attribute in (None, finding.use.attribute)
        if one.table:
            assert finding.points is not None
            assert finding.points.op == one.op
            told: dict[str, float | None] = {**finding.points.by_group, "others": finding.points.other}
            mentioned = {group: told.get(group, finding.points.other) for group in one.table}
            assert mentioned == pytest.approx(dict(one.table))


def test_rules_are_found_by_code_and_by_name() -> None:
    assert find_rule(RULES, "fl201") is find_rule(RULES, "points-by-group") is not None
    assert find_rule(RULES, "FL999") is None


# ------------------------------------------------------------------------------------------- broken pages

PAGE = """+++
code = "XY901"
name = "my-rule"
severity = "error"
confidence = "high"
languages = ["python"]
tags = []
message = "{attribute} is used"
advice = "Do not."
references = [{ title = "A law" }]

[match]
attribute = "gender"
+++

# XY901 my-rule
"""


def test_a_folder_of_ones_own_pages_joins_in(tmp_path: Path) -> None:
    (tmp_path / "XY901.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "README.md").write_text("about these rules", encoding="utf-8")
    rules = rules_in([tmp_path])
    assert len(rules) == len(RULES) + 1
    assert find_rule(rules, "my-rule") is not None


def test_crlf_and_a_byte_order_mark_do_not_matter() -> None:
    assert parse_page("\ufeff" + PAGE.replace("\n", "\r\n"), "p").code == "XY901"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("+++\ncode", "code", "p.md: a rule page starts with TOML between two `+++` lines"),
        ('"XY901"', '"XY901', "p.md: front matter: is not valid TOML: "),
        ('"XY901"', "[" * 5_000, "p.md: front matter: nested too deeply: "),
        ('code = "XY901"\n', "", "p.md: `code` is missing"),
        ("XY901", "xy901", "p.md: `code` is 'xy901', not of the form"),
        ('"my-rule"', '"My Rule"', "p.md: `name` is 'My Rule', not of the form"),
        ('severity = "error"', 'severity = "fatal"', "p.md: `severity` is 'fatal'; allowed are note,"),
        ('"high"', "3", "p.md: `confidence` must be one line of text"),
        ('["python"]', '"python"', "p.md: `languages` must be a list of texts"),
        ('["python"]', "[]", "p.md: `languages` names no language"),
        ("{attribute}", "{atribute}", "p.md: `message` has an unknown placeholder {atribute}"),
        ("{attribute}", "[{attribute}", "p.md: `message` has an unmatched or nested bracket"),
        ("{ title =", "{ titel =", "p.md: `references` must be a list of tables with a title"),
        ('"A law"', "1", "p.md: `references` has a title or url that is no text"),
        ("advice =", "laws = ['us-titel-vii']\nadvice =", "p.md: `laws` names 'us-titel-vii', which is no"),
        ("advice =", "laws = 'us-title-vii'\nadvice =", "p.md: `laws` must be a list of texts"),
        ("advice =", "order = 1.5\nadvice =", "p.md: `order` must be a whole number"),
        ("advice =", "advise = 'x'\nadvice =", "p.md: `advise` is not a key of a rule page"),
        ('[match]\nattribute = "gender"', "", "p.md: `match` is missing"),
        ('attribute = "gender"\n', "", "p.md: `match` must be a table"),
        ('attribute = "gender"', 'atribute = "gender"', "p.md: `match.atribute` is no field to select on"),
        ('attribute = "gender"', "attribute = 3", "p.md: `match.attribute` must be a text or a list"),
        ('attribute = "gender"', 'kind = "descision"', "p.md: `match.kind` is 'descision'; allowed are "),
        ('attribute = "gender"', 'joined = "yes"', "p.md: `match.joined` must be true or false"),
    ],
)  # fmt: skip
def test_a_page_that_cannot_be_used_says_why(old: str, new: str, problem: str) -> None:
    assert old in PAGE
    with pytest.raises(RuleError) as error:
        parse_page(PAGE.replace(old, new, 1), "p.md")
    assert str(error.value).startswith(problem)
    assert "\n" not in str(error.value)


def test_two_pages_cannot_claim_one_code(tmp_path: Path) -> None:
    (tmp_path / "XY901.md").write_text(PAGE.replace("XY901", "FL201"), encoding="utf-8")
    with pytest.raises(RuleError, match="FL201 is already the rule of"):
        rules_in([tmp_path])


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="no such folder"):
        rules_in([tmp_path / "nowhere"])


# -------------------------------------------------------------------------------------------- the notation


def test_expectations_are_read_and_blanked() -> None:
    code = "int x;\nx *= 2;  /* FL204: gender male x1.5, others x1; FL104 */\n"
    page = f"text\n```c\n{code}```\n```python\n# a remark\n```\n"
    first, second = read_page(page, "p")
    assert first.code == "int x;\nx *= 2;\n"
    assert first.expected == (
        Expected(
            2, "FL204", "gender", "multiply", {"male": 1.5, "others": 1.0}, ("FL204",), None, ("gender",)
        ),
        Expected(2, "FL104", rules=("FL104",)),
    )
    assert second.expected == ()
    assert second.line == 7


@pytest.mark.parametrize("text", ["FL201: gender male", "FL201: gender male +1, female x2", "FL201 gender"])
def test_a_wrong_expectation_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"expectation|amount|one way"):
        list(read_comment(text, 1))


def test_shipped_pages_are_read_once_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    known = load_rules()
    monkeypatch.setattr(loading, "load_page", lambda path: pytest.fail(f"{path} is read again"))
    assert load_rules() == known


FIX = '[[fix]]\nkind = "{}"\napplicability = "{}"\nlanguages = ["python"]\nsay = "do it"\n{}\n'


def test_a_page_names_its_fixes() -> None:
    page = PAGE.replace("[match]", FIX.format("some-kind", "unsafe", 'contexts = ["audit"]') + "\n[match]")
    (remedy,) = parse_page(page, "XY901.md").remedies
    assert (remedy.kind, remedy.applicability, remedy.say) == ("some-kind", "unsafe", "do it")
    assert (remedy.languages, remedy.contexts) == (("python",), ("audit",))
    assert parse_page(PAGE, "XY901.md").remedies == ()


@pytest.mark.parametrize(
    ("fix", "wrong"),
    [
        (FIX.format("some-kind", "sure", ""), "`applicability` is 'sure'"),
        (FIX.format("Some Kind", "safe", ""), "`kind` is 'Some Kind'"),
        (FIX.format("some-kind", "safe", "more = 1"), "`fix` must be tables of"),
        ("fix = 3\n", "`fix` must be tables of"),
    ],
)
def test_a_wrong_fix_is_named(fix: str, wrong: str) -> None:
    with pytest.raises(RuleError, match=wrong):
        parse_page(PAGE.replace("[match]", f"{fix}\n[match]"), "XY901.md")


def test_the_kinds_that_pages_name_exist() -> None:
    named = {remedy.kind for rule in RULES for remedy in rule.remedies}
    assert named == set(fixes.KINDS)
    assert all(find_spec(module) for module in fixes.KINDS.values())
    safe = {remedy.kind for rule in RULES for remedy in rule.remedies if remedy.applicability == "safe"}
    assert safe == {"delete-comment"}
