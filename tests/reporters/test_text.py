"""What a person reads: frames, tables, summary, and nothing that a terminal would obey."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

import made

from fairlint.findings.report import Report
from fairlint.findings.uses import GroupPoints
from fairlint.reporters import ReportOptions, concise, text
from fairlint.reporters.frame import Frame, Mark
from fairlint.reporters.printable import printable, row, width
from fairlint.reporters.style import Style
from fairlint.syntax.source import Position, Source


def told(report: Report, **options: object) -> str:
    return "".join(text.report(report, ReportOptions(**{"width": 100, **options})))  # type: ignore[arg-type]


def test_a_finding_shows_the_path_of_the_value_the_points_and_the_advice() -> None:
    assert (
        told(made.score_report(suppressed=(made.suppressed(),), hidden_notes=2))
        == """\
error[FL201]: gender: male +5, female +0, gap 5
 --> hiring/score.py:6:9
  |
2 |     gender = candidate["gender"]
  |              ------------------- read here
...
5 |     if gender == "male":
  |        ---------------- compared
6 |         points += 5
  |         ^^^^^^^^^^^
  |
  | group          points
  | male               +5
  | female             +0
  | everyone else      +0
  | gap                 5
  |
  = evidence: compared with the group 'male'; receiver `candidate` is a person
  = help: Score what the job needs.
  = rule: fairlint rule FL201 (points-by-group, high confidence)

Found 1 finding (1 error) in 10 files; 1 suppressed; 2 notes hidden (--min-severity note).
"""
    )


def test_a_span_of_several_lines_is_bracketed_and_nested_spans_hang_below() -> None:
    assert (
        told(made.table_report())
        == """\
error[FL202]: gender: male +5, female +2, gap 3
 --> src/rate.c:8:23
  |
2 |   static const int bonus[] = {
  |  ____________________________-
3 | |     [FEMALE] = 2,
4 | |     [MALE] = 5,
5 | | };
  | |_- amounts by group
...
8 |       return a->years + bonus[a->gender];
  |       ------------------^^^^^^---------^
  |       |                       |
  |       |                       read here
  |       returned
  |
  | group   rate
  | male      +5
  | female    +2
  | gap        3
  |
  = evidence: compared with the group 'male'; receiver `candidate` is a person
  = help: Score what the job needs.
  = rule: fairlint rule FL202 (points-table, high confidence)

Found 1 finding (1 error) in 10 files.
"""
    )


def test_a_decision_shows_what_happens_to_each_group() -> None:
    source = Source("a.py", made.SCORE.encode(), "python")
    judged = made.use(kind="decision", outcomes={"male": "return True", "女": "return False"})
    report = made.report((source, made.finding(source, 'gender == "male"', judged=judged)))
    assert """\
  | group  outcome
  | male   return True
  | 女     return False
""" in told(report)


@pytest.mark.parametrize(
    ("points", "rows"),
    [
        (GroupPoints("multiply", {"male": 1.1}, 1.0), ["male             ×1.1", "everyone else      ×1"]),
        (GroupPoints("set", {"male": 3.0, "female": -2.5}, None), ["male       = 3", "female  = -2.5"]),
        (GroupPoints("add", {"male": -0.1}, None), ["male     -0.1"]),
        (GroupPoints("add", {"male": float("inf")}, None), ["male     +inf"]),
    ],
)
def test_points_are_written_by_what_is_done_with_them(points: GroupPoints, rows: list[str]) -> None:
    source = Source("a.py", made.SCORE.encode(), "python")
    report = made.report((source, made.finding(source, "points += 5", judged=made.use(points=points))))
    lines = [line.removeprefix("  | ") for line in told(report).splitlines()]
    assert set(rows) <= set(lines)


def test_tabs_wide_and_combining_characters_stay_aligned() -> None:
    code = '\tif 申請者.性別 == "男性":\tスコア += 5  # e\u0301t\n'
    source = Source("a.py", code.encode(), "python")
    report = made.report(
        (source, made.finding(source, "スコア += 5", steps=(("申請者.性別", "read"), ("t\n", "x"))))
    )
    lines = told(report).splitlines()
    shown = next(line for line in lines if line.startswith("1 | "))
    marks = lines[lines.index(shown) + 1]
    assert marks.index("^") == width(shown[: shown.index("スコア")])
    assert marks.count("^") == width("スコア += 5")
    assert marks.index("-") == width(shown[: shown.index("申請者")])


def test_long_lines_are_cut_to_the_part_that_matters() -> None:
    code = "x = 1;" * 100_000 + " score += 5 if male else 2;" + "y = 2;" * 100_000
    source = Source("min.py", code.encode(), "python")
    report = made.report((source, made.finding(source, "score += 5", steps=(("x = 1", "read"),))))
    output = told(report, width=80)
    lines = output.splitlines()
    shown = next(line for line in lines if line.startswith("1 | "))
    marks = lines[lines.index(shown) + 1]
    assert shown.startswith("1 | ...")
    assert shown.endswith("...")
    assert len(shown) <= 80
    assert marks.index("^") == shown.index("score += 5")


HOSTILE = "\x1b[31m\x07\x00\x9b2J\u202e\u2066\u200b\u2028\udcff\x7f"


def test_nothing_that_a_terminal_obeys_is_echoed() -> None:
    source = Source(f"{HOSTILE}.py", f"points += 5 # \x1b[2J\x07\u202e\r{'x' * 9}".encode(), "python")
    found = made.finding(
        source,
        "points += 5",
        message=f"message{HOSTILE}\nsecond",
        advice=f"advice{HOSTILE}",
        judged=made.use(
            target=HOSTILE,
            points=GroupPoints("add", {HOSTILE: 1.0}, None),
            evidence=(made.Evidence(1, HOSTILE),),
        ),
    )
    report = made.report((source, found), not_analysed=(made.NotAnalysed(HOSTILE, 1, HOSTILE, "error"),))
    for output in (told(report), "".join(concise.report(report, ReportOptions()))):
        assert not set(HOSTILE) & set(output) - set("[31m2J")
        assert "\\x1b[31m\\x07\\x00\\x9b2J\\u202e\\u2066\\u200b\\u2028\\xff\\x7f" in output
        output.encode()


def test_colour_only_adds_escape_sequences() -> None:
    report = made.score_report(not_analysed=(made.GAP,))
    painted = told(report, color=True)
    assert "\x1b[" in painted
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == told(report)


def test_what_was_not_analysed_is_named_and_a_clean_report_says_so() -> None:
    assert told(Report(files=10)) == "No findings in 10 files.\n"
    assert told(Report(files=10), quiet=True) == ""
    assert told(Report(files=1, not_analysed=(made.GAP,))) == (
        "not analysed: broken.py:40: half a function\n\nNo findings in 1 file; 1 place not analysed.\n"
    )


def test_the_summary_counts_by_severity() -> None:
    source = Source("a.py", made.SCORE.encode(), "python")
    pairs = [
        (source, made.finding(source, "points += 5", severity=severity))
        for severity in ("error", "warning", "error")
    ]
    assert "Found 3 findings (2 errors, 1 warning) in 10 files.\n" in told(made.report(*pairs))


def test_concise_is_one_line_a_finding() -> None:
    report = made.score_report(not_analysed=(made.GAP,))
    assert "".join(concise.report(report, ReportOptions())) == (
        "hiring/score.py:6:9: FL201 error gender: male +5, female +0, gap 5\n"
        "broken.py:40:1: not analysed half a function\n"
        "Found 1 finding (1 error) in 10 files; 1 place not analysed.\n"
    )


def test_a_source_that_is_not_at_hand_leaves_the_place() -> None:
    report = made.score_report(sources={})
    assert " --> hiring/score.py:6:9\n  |\n  | group " in told(report)


@given(st.text())
def test_printable_text_is_one_safe_line(value: str) -> None:
    safe = printable(value)
    assert len(safe.splitlines()) <= 1
    assert safe == printable(safe)
    assert "\x1b" not in safe
    safe.encode()


@given(st.text(max_size=60))
def test_a_row_knows_the_cell_of_every_character(value: str) -> None:
    shown = row(value)
    assert len(shown.cells) == len(value) + 1
    assert list(shown.cells) == sorted(shown.cells)
    assert shown.cells[-1] == width(shown.text)


positions = st.builds(Position, st.integers(1, 12), st.integers(1, 40))


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=60),
        min_size=12,
        max_size=12,
    ),
    st.lists(
        st.tuples(positions, positions, st.sampled_from(["", "read", "long label"]), st.booleans()),
        min_size=1,
    ),
    st.integers(20, 100),
)
def test_any_spans_can_be_framed(
    lines: list[str], spans: list[tuple[Position, Position, str, bool]], columns: int
) -> None:
    marks = [Mark(min(a, b), max(a, b), label, "error", primary=primary) for a, b, label, primary in spans]
    frame = Frame(lambda number: lines[number - 1], marks, style=Style(color=False), width=columns, gutter=2)
    drawn = list(frame.lines())
    assert all("\x1b" not in line and len(line.splitlines()) == 1 for line in drawn)
    numbers = [int(found[1]) for line in drawn if (found := re.match(r" ?(\d+) \|", line))]
    assert numbers == sorted(set(numbers))
    assert {mark.start.line for mark in marks} <= set(numbers)
    for label in {mark.label for mark in marks}:
        assert any(label in line for line in drawn)
