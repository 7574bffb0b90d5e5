"""Whatever a file looks like, a fix changes its stretch alone, and a second run finds nothing to do."""

from __future__ import annotations

import ast
import json
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("libcst")

from fairlint import check_source
from fairlint.config import Settings
from fairlint.findings.finding import Finding
from fairlint.findings.report import Report
from fairlint.fixes.files import changed_source, fixes_that_hold
from fairlint.fixes.text import apply_edits
from fairlint.sources.notebooks import JsonPlaces

SETTINGS = Settings(min_severity="note", persona="auditor")
NEWLINES = st.sampled_from(["\n", "\r\n", "\r"])
COMMENTS = st.sampled_from(
    ["", "# so it was", "# fairlint: ignore[FL102] -- no more", "# noqa: X1", "# é 😀"]
)
INDENTS = st.sampled_from(["    ", "\t", "  "])
BLANKS = st.sampled_from(["", " ", "  ", "\f"])
SUBJECTS = st.sampled_from(["applicant.gender", 'applicant["gender"]'])
AMOUNTS = st.integers(min_value=1, max_value=9)


def behind(comment: str) -> str:
    return f"  {comment}" if comment else ""


@st.composite
def scores(draw: st.DrawFn) -> str:
    """A function that gives points, some of them by group."""
    indent, lines = draw(INDENTS), ["def points(applicant):", "{}score = applicant.years"]
    for _ in range(draw(st.integers(1, 3))):
        subject, amount, comment = draw(SUBJECTS), draw(AMOUNTS), draw(COMMENTS)
        kind = draw(st.sampled_from(["branch", "else", "term", "sum", "other", "nested", "comment"]))
        match kind:
            case "branch" | "else":
                lines += [f'{{}}if {subject} == "male":{behind(comment)}', f"{{}}{{}}score += {amount}"]
                if kind == "else":
                    lines += ["{}else:", f"{{}}{{}}score -= {amount}{behind(draw(COMMENTS))}"]
            case "term":
                lines.append(f'{{}}score += {amount} * ({subject} == "male"){behind(comment)}')
            case "sum":
                lines.append(f'{{}}score = score + {amount} * ({subject} == "male"){behind(comment)}')
            case "nested":
                lines += ["{}if applicant.tests:", f'{{}}{{}}if {subject} == "male":{behind(comment)}']
                lines.append(f"{{}}{{}}{{}}score += {amount}")
            case "comment":
                lines.append(f"{{}}{comment}")
            case _:
                lines.append(f"{{}}score += applicant.tests * {amount}{behind(comment)}")
        lines += [""] * draw(st.integers(0, 1))
    lines.append("{}return score")
    return ended(draw, [line.replace("{}", indent) for line in lines])


@st.composite
def features(draw: st.DrawFn) -> str:
    """A list of features that a model learns from."""
    names = draw(
        st.lists(st.sampled_from(["income", "debt", "sex", "race", "tenure"]), min_size=1, unique=True)
    )
    quote = draw(st.sampled_from(["'", '"']))
    lines, open_line = (
        ["import pandas as pd", "from sklearn.linear_model import LogisticRegression"],
        "NAMES = [",
    )
    lines.append('loans = pd.read_csv("loans.csv")')
    for at, name in enumerate(names):
        last = at + 1 == len(names)
        comma = "," if not last or draw(st.booleans()) else ""
        open_line += f"{quote}{name}{quote}{draw(BLANKS) if comma else ''}{comma}"
        if draw(st.booleans()):
            lines.append(open_line + behind(draw(COMMENTS)))
            open_line = draw(BLANKS) + "   "
        elif not last:
            open_line += draw(BLANKS)
    lines += [
        f"{open_line}]{behind(draw(COMMENTS))}",
        'LogisticRegression().fit(loans[NAMES], loans["paid"])',
    ]
    return ended(draw, lines)


@st.composite
def defaults(draw: st.DrawFn) -> str:
    """A function with parameters of which some have defaults, and a call of it."""
    given = draw(
        st.lists(
            st.sampled_from(["years=1", "gender='male'", 'gender: str = "male"', "town"]),
            unique_by=lambda one: one[:4],
        )
    )
    plain = [one for one in given if "=" not in one]
    gap = draw(BLANKS)
    parameters = f"{gap},{gap}".join(["income", *plain, *(one for one in given if "=" in one)])
    called = draw(st.sampled_from(["", "print(quote(1, 2))", "print(quote(1, gender=g))"]))
    lines = [f"def quote({parameters}):{behind(draw(COMMENTS))}", "    return rate(income, gender)", called]
    return ended(draw, lines)


def ended(draw: st.DrawFn, lines: list[str]) -> str:
    newline = draw(NEWLINES)
    return newline.join(lines) + (newline if draw(st.booleans()) else "")


def own(report: Report, finding: Finding) -> int:
    """How often a finding's rule tells of its attribute."""
    known = (finding.rule, finding.use.attribute)
    return sum((one.rule, one.use.attribute) == known for one in report.findings)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(code=st.one_of(scores(), features(), defaults()), mark=st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_a_fix_does_just_what_it_should(code: str, mark: bytes) -> None:
    raw = mark + code.encode()
    report = check_source(raw, path="a.py", settings=SETTINGS)
    for finding, fix in fixes_that_hold("a.py", raw, report.findings, SETTINGS):
        changed = apply_edits(code.encode(), fix.edits)
        start, end = fix.edits[0].start, len(code.encode()) - fix.edits[-1].end
        assert changed[:start] == code.encode()[:start]
        assert changed[len(changed) - end :] == code.encode()[fix.edits[-1].end :]
        ast.parse(changed)
        after = check_source(mark + changed, path="a.py", settings=SETTINGS)
        told = Counter((one.rule, one.severity) for one in report.findings)
        told[finding.rule, finding.severity] -= 1
        assert Counter((one.rule, one.severity) for one in after.findings) <= told
        assert own(after, finding) < own(report, finding)
    done = changed_source("a.py", raw, report.findings, SETTINGS, unsafe=True)
    left = check_source(done.after.encoded(), path="a.py", settings=SETTINGS).findings
    assert len(left) <= len(report.findings) - len(done.fixes)
    again = changed_source("a.py", done.after.encoded(), left, SETTINGS, unsafe=True)
    assert again.fixes == ()
    assert again.after == done.after
    assert (done.after == done.before) == (done.fixes == ())


LINES = st.text(st.sampled_from('ab"\\\t\u00e9\u4e2d\U0001f600\u2028/\n'), max_size=6)


@settings(max_examples=200)
@given(
    lines=st.lists(LINES.filter(bool), min_size=1, max_size=4),
    as_text=st.booleans(),
    ascii_=st.booleans(),
    indent=st.sampled_from([None, 1]),
    bounds=st.tuples(st.integers(0, 30), st.integers(0, 30)),
    text=st.sampled_from(["", "pass", 'x["\\n"]\n', "\u00e9"]),
)
def test_an_edit_of_a_cell_changes_its_source_alone(
    *, lines: list[str], as_text: bool, ascii_: bool, indent: int | None, bounds: tuple[int, int], text: str
) -> None:
    source = "".join(lines)
    cells = [{"source": ["a\n"]}, {"source": source if as_text else lines, "more": "\u00e9"}, {"source": "b"}]
    data = json.dumps({"cells": cells}, indent=indent, ensure_ascii=ascii_).encode()
    first, last = sorted(min(bound, len(source)) for bound in bounds)
    start, end = len(source[:first].encode()), len(source[:last].encode())
    places = JsonPlaces(data)
    found = places.edit(2, start, end, text)
    assert found is not None
    changed = data[: found.start] + found.text.encode() + data[found.end :]
    after = json.loads(changed)["cells"]
    assert "".join(after[1].pop("source")) == source[:first] + text + source[last:]
    assert [after[0], after[1], after[2]] == [cells[0], {"more": "\u00e9"}, cells[2]]
    assert places.offset(places.place(found.start)) == found.start
