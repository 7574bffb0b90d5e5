"""What comments put aside: each finding with its reason, and who wrote that and when, as an auditor asks."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.findings.report import Report
from fairlint.reporters import ReportOptions
from fairlint.reporters.authors import Written, written
from fairlint.reporters.places import where
from fairlint.reporters.printable import printable
from fairlint.reporters.style import Style
from fairlint.reporters.summary import counted


def report(report: Report, options: ReportOptions) -> Iterator[str]:
    """Three lines for each, what ends first before the rest; then how many there are."""
    style = Style(options.color)
    places = [(one.path, one.line) for one in report.suppressed if one.cell is None]
    who = written(places, options.allowance, options.tell)
    for one in sorted(report.suppressed, key=lambda one: (not one.until, one.until)):
        finding = one.finding
        place = f"{where(finding.path, finding.cell, finding.start.line)}:{finding.start.column}"
        head = style(finding.severity, f"{finding.severity}[{finding.rule}]")
        yield f"{place}: {head} {printable(finding.message)}\n"
        yield f"  reason: {printable(one.reason) or style('warning', 'none')}\n"
        if one.until:
            yield f"  until: {one.until}\n"
        by = "comment" if one.is_comment else "baseline"
        yield f"  {by}: {where(one.path, one.cell, one.line)}{_told(who.get((one.path, one.line)))}\n\n"
    if not options.quiet:
        without = sum(not one.reason for one in report.suppressed)
        told = f", {without} without a reason" if without else ""
        files = counted(report.files, "file")
        yield f"{counted(len(report.suppressed), 'suppressed finding')} in {files}{told}.\n"


def _told(who: Written | None) -> str:
    """Who wrote the comment and when, as far as it is known."""
    return "" if who is None else who.told(printable)
