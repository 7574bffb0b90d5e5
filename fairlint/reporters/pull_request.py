"""Markdown for the summary of a pull request: what was found, and what each group gets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from fairlint.findings.finding import Finding
from fairlint.findings.report import Report
from fairlint.reporters import ReportOptions
from fairlint.reporters.amounts import rows
from fairlint.reporters.places import concise
from fairlint.reporters.printable import printable
from fairlint.reporters.style import Style
from fairlint.reporters.summary import summary

MOST = 100
"""Findings that are written out: a comment holds 65,536 characters."""
_ACTIVE = re.compile(r"([\\`*_{}\[\]<>()#+!|~@])")


def report(report: Report, options: ReportOptions) -> Iterator[str]:
    """Yield the summary, then a heading a file with its findings; of very many the first."""
    yield "## fairlint\n\n"
    yield f"{_escape_markup(summary(report, options, Style(color=False)))}\n"
    shown = report.findings[:MOST]
    for path, findings in groupby(shown, key=lambda finding: finding.path):
        yield f"\n### {_escape_markup(printable(path))}\n\n"
        for finding in findings:
            yield from _finding_lines(finding)
    if len(report.findings) > len(shown):
        yield f"\n{len(report.findings) - len(shown)} more are left out here.\n"
    if report.not_analysed:
        yield "\n### Not analysed\n\n"
    for gap in report.not_analysed[:MOST]:
        place = _escape_markup(printable(concise(gap.path, gap.cell, gap.line)))
        yield f"- {place}: {_escape_markup(printable(gap.reason))}\n"
    if len(report.not_analysed) > MOST:
        yield f"\n{len(report.not_analysed) - MOST} more are left out here.\n"


def _finding_lines(finding: Finding) -> Iterator[str]:
    place = concise(finding.path, finding.cell, finding.start.line).removeprefix(f"{finding.path}:")
    head = f"**{finding.severity} {finding.rule}** line {_escape_markup(place)}"
    yield f"- {head}: {_escape_markup(printable(finding.message))}\n"
    if finding.points is not None:
        amounts = "; ".join(
            f"{_escape_markup(printable(group))} {_escape_markup(amount)}"
            for group, amount in rows(finding.points)
        )
        yield f"  {amounts}\n"
    yield f"  *{_escape_markup(finding.advice)}*\n"


def _escape_markup(text: str) -> str:
    """Return text in which nothing is markup, a link, or the name of somebody who would be told."""
    return _ACTIVE.sub(r"\\\1", text)
