"""A line of JSON a finding, for programs that read while it is written."""

from __future__ import annotations

import json
from collections.abc import Iterator

from fairlint.findings.report import Report
from fairlint.reporters import ReportOptions
from fairlint.reporters.json import finding_object


def report(report: Report, options: ReportOptions) -> Iterator[str]:
    """Yield each finding as in the JSON report, on a line of its own."""
    del options
    for finding in report.findings:
        line = json.dumps(finding_object(finding), ensure_ascii=True, allow_nan=False)
        yield line.replace("\x7f", "\\u007f") + "\n"
