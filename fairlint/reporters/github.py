"""Annotations of GitHub Actions: each finding stands beside its line in a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.findings.levels import Severity
from fairlint.findings.report import Report
from fairlint.reporters import ReportOptions
from fairlint.reporters.printable import printable
from fairlint.reporters.style import Style
from fairlint.reporters.summary import left_out_files, summary
from fairlint.reporters.uris import in_repository
from fairlint.sources.unread import counted_kinds
from fairlint.syntax.source import Position

_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "notice"}


def report(report: Report, options: ReportOptions) -> Iterator[str]:
    """Yield one workflow command a finding and a part that was not analysed, then the summary.

    GitHub shows ten annotations of a kind for a step; all are in the log.
    """
    for finding in report.findings:
        start, end = finding.region or (finding.start, finding.end)
        fields = {
            "title": f"{finding.rule} {finding.name}",
            "file": in_repository(finding.path, options.root),
            **_line_properties(start, end),
        }
        yield _workflow_command(_LEVELS[finding.severity], fields, f"{finding.message}. {finding.advice}")
    for gap in report.not_analysed:
        fields = {"title": "not analysed", "file": in_repository(gap.path, options.root)}
        if gap.cell is None:
            fields["line"] = str(max(gap.line, 1))
        yield _workflow_command("warning", fields, f"not analysed: {gap.reason}")
    if report.unread:
        yield _workflow_command("warning", {"title": "not read"}, f"not read: {counted_kinds(report.unread)}")
    if report.left_out:
        yield _workflow_command("warning", {"title": "left out"}, left_out_files(report))
    if not options.quiet:
        yield f"{summary(report, options, Style(color=False))}\n"


def _line_properties(start: Position, end: Position) -> dict[str, str]:
    """Lines, and columns where they are of one line: GitHub refuses others."""
    lines = {"line": str(start.line), "endLine": str(end.line)}
    if start.line == end.line:
        lines |= {"col": str(start.column), "endColumn": str(end.column)}
    return lines


def _workflow_command(level: str, fields: dict[str, str], message: str) -> str:
    told = ",".join(f"{name}={_escape_property(printable(value))}" for name, value in fields.items())
    return f"::{level} {told}::{_escape_data(printable(message))}\n"


def _escape_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")
