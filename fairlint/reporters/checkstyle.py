"""Checkstyle's XML, which many build servers and editors read."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as Xml

from fairlint.findings.levels import Severity
from fairlint.findings.report import Report
from fairlint.reporters import ReportOptions
from fairlint.reporters.printable import printable

_SEVERITIES: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "info"}


def report(report: Report, options: ReportOptions) -> Iterator[str]:
    """Yield an element a file; in notebooks, lines are those of the file itself."""
    del options
    root = Xml.Element("checkstyle", version="4.3")
    files: dict[str, Xml.Element] = {}

    def file(path: str) -> Xml.Element:
        if path not in files:
            files[path] = Xml.SubElement(root, "file", name=printable(path))
        return files[path]

    for finding in report.findings:
        start, _ = finding.region or (finding.start, finding.end)
        Xml.SubElement(
            file(finding.path),
            "error",
            line=str(start.line),
            column=str(start.column),
            severity=_SEVERITIES[finding.severity],
            message=printable(f"{finding.message}. {finding.advice}"),
            source=f"fairlint.{finding.rule}",
        )
    for gap in report.not_analysed:
        Xml.SubElement(
            file(gap.path),
            "error",
            line=str(max(gap.line, 1)),
            severity="warning",
            message=printable(f"not analysed: {gap.reason}"),
            source="fairlint.not-analysed",
        )
    Xml.indent(root)
    yield '<?xml version="1.0" encoding="utf-8"?>\n'
    yield Xml.tostring(root, encoding="unicode") + "\n"
