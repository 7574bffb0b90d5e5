"""What who signs a report needs from the page: order, owners, decisions, changes, and what was not read."""

from __future__ import annotations

import json
import re
import sys
from html import unescape
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import made
from test_page import Outline, page_of, visible

from fairlint import check_source
from fairlint.cli import main
from fairlint.findings.finding import Finding
from fairlint.findings.report import LeftOut, Report, Suppressed
from fairlint.findings.uses import GroupPoints
from fairlint.laws import laws_in_force
from fairlint.reporters.decisions import Decision, Decisions, about, entry_of
from fairlint.reporters.json_reading import Earlier
from fairlint.reporters.page import bars, deciding, view
from fairlint.reporters.statistics import of_report
from fairlint.rules.messages import render_message, title_of
from fairlint.support import days
from fairlint.support.records import replace
from fairlint.syntax.source import Source

CODE = """\
def bonus(person):
    points = 0
    if person.gender == "male":
        points += 5
    return points


def answer(person):
    if person.religion == "jewish":
        return "rejected"
    return "accepted"
"""


def shown(text: str, kind: str = "finding") -> list[dict[str, str | None]]:
    return [
        one
        for tag, one in Outline(text).elements
        if kind in (one.get("class") or "").split() and tag != "rect"
    ]


def of(path: str, gap: float | None, severity: str = "error") -> Finding:
    source = Source(path, made.SCORE.encode(), "python")
    points = None if gap is None else GroupPoints("add", {"male": gap, "female": 0.0}, None)
    one = made.finding(source, "points += 5", judged=made.use(points=points), severity=severity)  # type: ignore[arg-type]
    return replace(one, message=f"{path} {severity} {gap}")


def code_report(code: str = CODE, path: str = "a.py") -> Report:
    return check_source(code, path=path)


def decided(finding: Finding, kind: str = "accepted", **values: Any) -> Decision:
    return about(finding, finding.path, Decision(finding.path, finding.identity, kind, **values))


# ------------------------------------------------------------------------------------------ order and numbers


def test_the_most_severe_come_first_then_the_largest_gap_then_by_path() -> None:
    findings = (
        of("a.py", 900.0, "note"), of("b.py", 1.0), of("c.py", None), of("d.py", 50.0),
        of("e.py", 70.0, "warning"), of("f.py", 50.0),
    )  # fmt: skip
    text = page_of(Report(findings=findings, files=6))
    assert [one["data-path"] for one in shown(text)] == ["d.py", "f.py", "b.py", "c.py", "e.py", "a.py"]
    worst = re.findall(r'<a href="#(f\d)">(\w\.py)', text[text.index('id="worst"') :])
    assert worst == [("f1", "d.py"), ("f2", "f.py"), ("f3", "b.py"), ("f4", "c.py"), ("f5", "e.py")]


def test_a_handful_of_findings_needs_no_list_of_the_worst() -> None:
    assert 'id="worst"' not in page_of(Report(findings=(of("a.py", 1.0),), files=1))


def test_hidden_notes_are_counted_where_notes_are() -> None:
    told = visible(page_of(made.score_report(hidden_notes=6)))
    assert "Notes 6 hidden" in told
    told = visible(page_of(made.score_report(hidden_notes=6), min_severity="error"))
    assert "Warnings and notes 6 hidden" in told


def test_no_table_says_0_of_what_is_hidden() -> None:
    told = visible(page_of(made.score_report(hidden_notes=6)))
    assert "gender 1 0 hidden 0" in told
    assert "FL201 points by group 1 0 hidden 0" in told
    told = visible(page_of(made.score_report(hidden_notes=6), min_severity="error"))
    assert "gender 1 hidden hidden 0" in told
    assert "gender 1 0 0 0" in visible(page_of(made.score_report()))


def test_the_head_says_what_is_hidden_or_lowered_and_how_to_show_it() -> None:
    def head(**changes: Any) -> str:
        text = page_of(made.score_report(**changes), min_severity="warning")
        return visible(text[: text.index('class="tiles"')])

    assert "6 notes are hidden. To show them at full severity: fairlint --min-severity note ." in head(
        hidden_notes=6
    )
    assert (
        "6 notes are hidden; 2 findings are lowered to notes for the context (persona developer), among the "
        "hidden ones. To show them at full severity: fairlint --min-severity note --persona auditor ."
    ) in head(hidden_notes=6, by_context={"clinical": 2})
    assert "1 finding is lowered to a note for the context (persona developer). To show" in head(
        by_context={"test": 1}
    )
    assert "hidden" not in head()
    told = visible(page_of(made.score_report(hidden_notes=3), min_severity="error"))
    assert "3 warnings and notes are hidden." in told


def test_the_attributes_of_errors_are_named_first_and_all() -> None:
    names = ("gender", "race", "religion", "disability", "language", "age")
    findings = [
        replace(of(f"{name}{at}.py", None, severity), use=made.use(attribute=name, points=None))
        for name, severity, number in (*((one, "error", 1) for one in names[:5]), ("age", "warning", 3))
        for at in range(number)
    ]
    told = visible(page_of(Report(findings=tuple(findings), files=9)))
    assert (
        "They concern disability (1), gender (1), language (1), race (1), religion (1) and age (3)." in told
    )


def test_what_is_new_comes_first_and_the_largest_gap_of_each_kind() -> None:
    factor = replace(
        of("a.py", 1.0), use=made.use(points=GroupPoints("multiply", {"male": 5 / 3, "female": 1.0}, None))
    )
    findings = (factor, of("b.py", 0.5), of("c.py", 9.0))
    before = earlier(Report(findings=findings[:1] + findings[2:], files=2))
    assert [one["data-path"] for one in shown(page_of(Report(findings=findings, files=3)))] == [
        "a.py", "c.py", "b.py"
    ]  # fmt: skip
    text = page_of(Report(findings=findings, files=3), since=before)
    assert [one["data-path"] for one in shown(text)] == ["b.py", "a.py", "c.py"]
    assert "The earlier run checked 2 files, and this one 3." in visible(text)


def test_groups_that_get_the_same_and_everyone_else_share_a_row() -> None:
    use = made.use(points=GroupPoints("add", {"married": -3.0, "single": 0.0, "widowed": 0.0}, 0.0))
    told = visible(page_of(Report(findings=(replace(of("a.py", 1.0), use=use),), files=1)))
    assert "married −3 single, widowed and others +0 gap 3" in told
    assert "Bars start at +0, on a scale from −3 to +3: less. fairlint does not know" in told


def test_a_bar_of_a_factor_is_as_long_as_what_a_group_loses() -> None:
    table = bars.table(GroupPoints("multiply", {"american": 1.0, "others": 0.6}, None))
    room = bars.WIDTH - 2 * bars.EDGE
    assert [float(row.width or 0) for row in table.rows] == pytest.approx([0, 0.4 * room], abs=0.1)
    assert (table.low, table.high, table.kinds) == ("×0", "×1", ("less",))
    table = bars.table(GroupPoints("multiply", {"a": 1.5, "b": 0.5}, None))
    assert (table.low, table.high, table.kinds) == ("×0", "×1.5", ("more", "less"))
    table = bars.table(GroupPoints("set", {"a": 10.0, "b": 20.0}, None))
    assert (table.low, table.high, table.kinds) == ("0", "20", ("more",))


def test_a_title_leaves_out_outcomes_that_are_not_known_or_would_be_cut() -> None:
    unknown = made.use(kind="decision", outcomes={"male": "return […, ?]", "female": "return 1"}, points=None)
    assert (
        title_of("the outcome: male → x", "the outcome[: {outcomes}]", unknown, 90) == "the outcome: male → x"
    )
    template = "the outcome[: {outcomes}]"
    whole = render_message(template, unknown)
    assert title_of(whole, template, unknown, 90) == "the outcome"
    said = {one: f"print('You are eligible for the vaccination in Phase {one}')" for one in ("1b", "2a")}
    long = made.use(kind="decision", outcomes=said, points=None)
    assert title_of(render_message(template, long), template, long, 60) == "the outcome"


def test_what_was_not_read_stands_at_the_top_and_in_a_list() -> None:
    unread = {"TypeScript": tuple(f"web/{at}.ts" for at in range(60)), "SQL": ("a.sql",)}
    report = Report(files=1, unread=unread, left_out=(LeftOut("build/", "by name"),))
    text = page_of(report)
    told = visible(text)
    assert text.index("Not everything was read.") < text.index('class="tiles"')
    assert "60 TypeScript files, 1 SQL file" in told
    assert "Files not read 61 TypeScript, SQL" in told
    assert "web/49.ts and 10 more" in told
    assert "Not everything was checked. 1 " in told
    assert "left out" in told[: told.index("Errors")]
    assert "left out build/ by name" in told


def test_few_files_that_are_not_read_are_named_at_the_top() -> None:
    text = page_of(Report(files=1, unread={"Java": ("loans/Score.java",)}))
    alarm = visible(text[: text.index('class="tiles"')])
    assert "1 Java file: loans/Score.java. fairlint does not read it: no finding is about it." in alarm
    text = page_of(Report(files=1, unread={"Java": tuple(f"{at}.java" for at in range(4))}))
    alarm = visible(text[: text.index('class="tiles"')])
    assert "4 Java files. fairlint does not read them: no finding is about them." in alarm


def test_the_sign_off_says_what_a_signature_means() -> None:
    def said(report: Report) -> str:
        text = page_of(report, min_severity="warning")
        return visible("</style>" + text[text.index('id="signing-head"') :])

    whole = made.score_report(
        hidden_notes=5,
        unread={"Java": ("a.java",)},
        not_analysed=(made.GAP,),
        suppressed=(made.suppressed(), made.suppressed()),
    )
    told = said(whole)
    assert "I have read this report with 1 finding and the decisions in it." in told
    assert "I accept the reasons for the 2 suppressed findings." in told
    assert "the report leaves out: 1 file not read, 1 place not analysed and 5 notes hidden." in told
    assert "It does not mean that the code is lawful or fair." in told
    assert 'see <a href="#signing">' in page_of(whole)
    bare = said(made.score_report())
    assert "I accept" not in bare
    assert "leaves out" not in bare
    assert "I have read this report, which has no findings." in said(Report(files=1))


def test_amounts_have_a_true_minus_and_are_apart() -> None:
    points = GroupPoints("add", {"under 30": -2.0, "30–40": -1.0, "41 and over": 0.0}, None)
    message = "points depends on age: under 30 -2, 30–40 -1, 41 and over +0, gap 2"
    one = replace(of("a.py", 1.0), use=made.use(attribute="age", points=points), message=message)
    told = visible(page_of(Report(findings=(one,), files=1)))
    assert "under 30 −2; 30–40 −1; 41 and over +0; gap 2" in told
    assert "30–40 −1 " in told
    code = replace(one, message="points depends on age: under 30 -2, 41 and over +0, where `x > -1, y`")
    told = visible(page_of(Report(findings=(code,), files=1)))
    assert "under 30 −2; 41 and over +0, where x > -1, y" in told
    outcome = made.use(kind="decision", outcomes={"male": "return -1"}, points=None)
    one = replace(of("a.py", None), use=outcome, message="the outcome: male → return -1")
    assert "male → return -1" in visible(page_of(Report(findings=(one,), files=1)))


# ------------------------------------------------------------------------------------------------ one line


def test_a_title_is_short_and_all_is_said_below_it() -> None:
    code = (
        "def screen(rows):\n"
        "    for person in rows:\n"
        '        if person.religion in ("muslim", "jewish", "hindu", "sikh", "buddhist"):\n'
        '            reply.to(person.address, person.years, person.other).send(status="rejected")\n'
        "        else:\n"
        '            reply.to(person.address, person.years, person.other).send(status="accepted")\n'
    )
    report = code_report(code)
    (found,) = report.findings
    text = page_of(report)
    (title,) = re.findall(r'class="what">(.*?)</span>', text)
    title = unescape(re.sub(r"<[^>]+>", "", title))
    assert len(title) <= 120
    assert title == "the outcome depends on religion"  # half a call would say less
    assert found.message in visible(text)  # all of it is there, too


def test_groups_with_the_same_outcome_share_a_row_and_none_is_dropped() -> None:
    outcomes = {f"g{at}": "refused" for at in range(30)} | {"other": "admitted"}
    use = made.use(kind="decision", outcomes=outcomes, target=None)
    told = visible(page_of(Report(findings=(replace(of("a.py", None), use=use),), files=1)))
    assert re.search(r"g0, g1, .*g22 and 7 more\s+refused other admitted", told.replace(", ", ", "))
    use = made.use(kind="decision", outcomes={f"g{at}": f"gets {at}" for at in range(30)}, target=None)
    assert "and 6 more outcomes" in visible(
        page_of(Report(findings=(replace(of("a.py", None), use=use),), files=1))
    )


def test_no_word_of_a_group_is_broken() -> None:
    use = made.use(points=GroupPoints("add", {"christian": 1.0, "x" * 40: 0.0}, None))
    text = page_of(Report(findings=(replace(of("a.py", None), use=use),), files=1))
    assert '<th scope="row">christian</th>' in text
    assert "x" * 16 + "<wbr>" + "x" * 16 + "<wbr>" in text


def test_words_from_the_right_leave_the_order_of_the_rest() -> None:
    found = replace(of("a.py", 3.0), message="gender: امرأة +3, رجل <b> +0")
    text = unescape(page_of(Report(findings=(found,), files=1)))
    assert "gender: <bdi>امرأة</bdi> +3, <bdi>رجل</bdi> <b> +0" in text


# --------------------------------------------------------------------------------------------------- owners


def test_each_finding_names_its_owners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "CODEOWNERS").write_text("* @acme/all\n/hiring/ @acme/people ada@example.org\n")
    monkeypatch.chdir(tmp_path)
    text = page_of(Report(findings=(of("hiring/a.py", 1.0), of("b.py", 1.0)), files=2))
    assert "hiring/a.py:6 · FL201 · owners @acme/people, ada@example.org" in visible(text)
    assert "b.py:6 · FL201 · owner @acme/all" in visible(text)
    assert '<option value="@acme/people">' in text


# ------------------------------------------------------------------------------------------------- decisions


def test_every_finding_has_empty_fields_where_nothing_is_decided() -> None:
    text = page_of(code_report())
    assert len(shown(text, "decision")) == 2
    told = visible(text)
    assert "open accepted to be fixed false positive By Until Remark" in told
    assert "Decided 0 2 open" in told


def test_a_decision_is_shown_with_who_decided_and_until_when() -> None:
    report = code_report()
    one = decided(report.findings[0], by="Ada L", until="2999-12-31", remark="minutes\nof May")
    text = page_of(report, decisions=Decisions("d.json", (one,)))
    told = visible(text)
    assert "accepted · Ada L · until 2999-12-31" in told
    assert "Decided 1 1 open" in told
    assert re.search(r'value="accepted" checked', text)
    assert 'value="Ada L"' in text
    assert "minutes\nof May</textarea>" in text
    assert {one["data-decision"] for one in shown(text)} == {"accepted", "open"}


@pytest.mark.parametrize(
    ("after", "until", "told"),
    [
        (CODE, "2020-01-01", "“accepted” by Ada no longer holds: it ended on 2020-01-01. Decide again."),
        (CODE.replace("+= 5", "+= 400"), "", "the finding is more than it was (gap 5 before, 400 now)"),
    ],
)
def test_a_decision_that_no_longer_holds_counts_as_open_and_says_why(
    after: str, until: str, told: str
) -> None:
    before = next(one for one in code_report().findings if one.use.points is not None)
    said: list[str] = []
    given = Decisions("d.json", (decided(before, by="Ada", until=until),))
    text = page_of(code_report(after), decisions=given, tell=said.append)
    assert told in visible(text)
    assert "Decided 0 2 open, of which 1 to decide again" in visible(text)
    assert 'value="accepted" checked' not in text
    assert 'value="Ada"' not in text
    assert [one for one in said if one.startswith("d.json: 1 decision no longer holds: a.py (")]


def test_its_last_day_is_a_day_on_which_it_holds() -> None:
    report = code_report()
    one = decided(report.findings[0], until=days.today())
    assert "Decided 1" in visible(page_of(report, decisions=Decisions("d.json", (one,))))


def test_a_decision_without_its_finding_is_listed_and_kept() -> None:
    report = code_report()
    gone = Decision(
        "old.py", replace(report.findings[0].identity, own="other"), "accepted", "Eve", remark="why"
    )
    said: list[str] = []
    text = page_of(report, decisions=Decisions("d.json", (gone,)), tell=said.append)
    assert "old.py accepted · Eve · why" in visible(text)
    assert said == ["d.json: 1 decision is about a finding that is not in this report: old.py"]
    (kept,) = [one["data-lost"] for tag, one in Outline(text).elements if "data-lost" in one]
    assert json.loads(kept or "") == entry_of(gone)


def test_decisions_about_what_has_no_fields_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "MOST_WHOLE", 1)
    monkeypatch.setattr(deciding, "MOST_LEFT", 0)
    report = code_report()
    ones = [decided(one) for one in report.findings]
    gone = Decision("old.py", replace(report.findings[0].identity, own="other"), "accepted")
    text = page_of(report, decisions=Decisions("d.json", (*ones, gone)))
    (bar,) = (one for one in Outline(text).named("div") if one.get("id") == "decisions")
    fields = [json.loads(one["data-was"] or "") for one in shown(text, "decision")]
    kept = [*json.loads(bar["data-kept"] or ""), *fields]
    assert len(kept) == 3
    assert all(entry_of(one) in kept for one in (*ones, gone))


def test_what_is_suppressed_can_be_decided_too() -> None:
    one = made.suppressed()
    given = Decisions("d.json", (decided(one.finding, "false positive", by="Bo"),))
    report = Report(files=1, suppressed=(Suppressed(one.finding, "x", one.path, 1, until="2030-01-01"),))
    told = visible(page_of(report, decisions=given))
    assert "false positive · Bo" in told
    assert "until 2030-01-01" in told


def test_no_text_of_a_decision_becomes_markup() -> None:
    attack = '"></textarea><script>alert(1)</script>\x1b\u202e'
    report = code_report()
    finding = report.findings[0]
    here = decided(finding, by=attack, remark=attack)
    gone = Decision(
        attack, replace(finding.identity, own="x"), "accepted", attack, "", attack, attack, attack
    )
    text = page_of(report, decisions=Decisions(f"{attack}.json", (here, gone)))
    assert len(Outline(text).named("script")) == 1
    assert text.count("</textarea>") == len(report.findings)
    assert "\x1b" not in text
    assert "\u202e" not in text


# ------------------------------------------------------------------------------------------------------ law


def test_laws_are_grouped_by_jurisdiction_and_listed_once() -> None:
    report = code_report()
    ids = {id_ for one in report.findings for id_ in one.laws}
    places = {law.place for law in laws_in_force(ids)}
    assert len(places) > 1
    text = page_of(report)
    section = text[text.index('id="law"') : text.index('id="rules"')]
    assert set(re.findall(r"<h3>([^<]+)</h3>", section)) == places
    assert sorted(re.findall(r'id="law-([^"]+)"', section)) == sorted(law.id for law in laws_in_force(ids))
    links = re.findall(r'href="#law-([^"]+)"', text)
    assert set(links) == {law.id for law in laws_in_force(ids)}
    assert re.search(r"\d findings? of FL101(, FL201)? · checked on 20\d\d", visible(text))


# ---------------------------------------------------------------------------------------------- what changed


def earlier(report: Report, made_on: str = "") -> Earlier:
    findings, aside = of_report(report)
    return Earlier("reports/last.json", tuple(findings), tuple(aside), report.files, made_on)


def test_what_has_changed_since_an_earlier_report() -> None:
    before = earlier(code_report(CODE.replace("+= 5", "+= 1")), "3 October 2026")
    now = code_report(
        CODE.replace('"jewish"', '"jewish" or person.age > 50')
        + '\n\ndef f(person):\n    fee = 1\n    if person.race == "black":\n        fee = 2\n    return fee\n'
    )
    text = page_of(now, since=before)
    told = visible(text)
    assert "What has changed since last.json of 3 October 2026" in told
    assert "Grown (1)" in told
    assert "gap 1 before, 5 now" in told
    assert "gap 5 gap" not in told
    assert "gap 5: gap" not in told
    assert "New (" in told
    assert {"new", "grown"} <= {one["data-since"] for one in shown(text)}
    links = set(re.findall(r'href="#(f\d+)"', text[text.index('id="since"') : text.index('id="glance"')]))
    assert links <= {one["id"] for one in shown(text)}
    assert links


def test_an_earlier_report_that_is_the_same_says_so() -> None:
    report = code_report()
    told = visible(page_of(report, since=earlier(report)))
    assert "2 findings before, 2 now: 2 unchanged." in told
    assert "What has changed since last.json" in told


# ------------------------------------------------------------------------------------------ the command line


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(CODE)
    (tmp_path / "out").mkdir()
    return tmp_path


RUN = ("--isolated", "--no-cache", "-q")
PAGE = (*RUN, "--format", "html", "-o", "out/r.html")


def test_decisions_next_to_the_report_are_read_back(project: Path) -> None:
    one = decided(code_report().findings[0], by="Ada")
    file = project / "out" / "fairlint-decisions.json"
    file.write_text(json.dumps({"version": 1, "decisions": [entry_of(one)]}))
    assert main([*PAGE, "a.py"]) == 1
    page = project / "out" / "r.html"
    assert "accepted · Ada" in visible(page.read_text("utf-8"))
    assert main([*PAGE, "--untrusted", "a.py"]) == 1
    assert "accepted · Ada" not in visible(page.read_text("utf-8"))
    assert main([*RUN, "--untrusted", "--also", "html=x.html", "--decisions", str(file), "a.py"]) == 1
    assert "accepted · Ada" in visible((project / "x.html").read_text("utf-8"))


def test_the_page_of_a_bundle_has_them_too(project: Path) -> None:
    one = decided(code_report().findings[0], by="Ada")
    (project / "d.json").write_text(json.dumps({"version": 1, "decisions": [entry_of(one)]}))
    assert main([*RUN, "--bundle", "out/b.zip", "--decisions", "d.json", "a.py"]) == 1
    with ZipFile(project / "out" / "b.zip") as bundle:
        (name,) = (name for name in bundle.namelist() if name.endswith(".html"))
        assert "accepted · Ada" in visible(bundle.read(name).decode("utf-8"))


def test_a_link_next_to_the_report_is_not_followed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "elsewhere.json").write_text('{"version": 1, "decisions": []}')
    (project / "out" / "fairlint-decisions.json").symlink_to(project / "elsewhere.json")
    assert main([*PAGE, "a.py"]) == 2
    assert "is a link" in capsys.readouterr().err
    assert main([*PAGE, "--decisions", "out/fairlint-decisions.json", "a.py"]) == 1


def test_an_earlier_json_report_is_compared(project: Path) -> None:
    assert main([*RUN, "--format", "json", "-o", "last.json", "a.py"]) == 1
    (project / "a.py").write_text(CODE.replace("+= 5", "+= 50"))
    assert main([*PAGE, "--since", "last.json", "a.py"]) == 1
    told = visible((project / "out" / "r.html").read_text("utf-8"))
    assert "2 findings before, 2 now: 1 grown, 1 unchanged." in told


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ([*RUN, "--since", "last.json"], "--since goes with --format html"),
        ([*RUN, "--decisions", "d.json"], "--decisions goes with --format html"),
        ([*PAGE, "--since", "none.json"], "none.json: cannot be read"),
        ([*PAGE, "--since", "a.py"], "a.py: is no JSON"),
        ([*PAGE, "--decisions", "none.json"], "none.json: cannot be read"),
        ([*PAGE, "--decisions", "a.py"], "a.py: is not JSON"),
        ([*PAGE, "--decisions", ""], "--decisions needs the name of a file"),
    ],
)
def test_what_cannot_be_read_is_one_clear_line(
    project: Path, capsys: pytest.CaptureFixture[str], asked: list[str], told: str
) -> None:
    assert main([*asked, "a.py"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line
    assert not (project / "out" / "r.html").exists()
