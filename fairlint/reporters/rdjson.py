"""reviewdog's diagnostics, for comments on the lines of a pull request on any host that it knows."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.findings.levels import Severity
from fairlint.findings.report import Report
from fairlint.reporters import ReportOptions
from fairlint.reporters.encoding import Json, encode_json, without_surrogates
from fairlint.reporters.uris import in_repository

_SEVERITIES: dict[Severity, str] = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}


def report(report: Report, options: ReportOptions) -> Iterator[str]:
    """Yield each finding and each part that was not analysed, by its lines: columns there count bytes."""
    found: list[Json] = []
    for finding in report.findings:
        start, end = finding.region or (finding.start, finding.end)
        found.append(
            {
                "message": without_surrogates(f"{finding.message}. {finding.advice}"),
                "location": _location_object(in_repository(finding.path, options.root), start.line, end.line),
                "severity": _SEVERITIES[finding.severity],
                "code": {"value": finding.rule},
            }
        )
    for gap in report.not_analysed:
        line = max(gap.line, 1)
        found.append(
            {
                "message": without_surrogates(f"not analysed: {gap.reason}"),
                "location": _location_object(in_repository(gap.path, options.root), line, line),
                "severity": "INFO",
                "code": {"value": "not-analysed"},
            }
        )
    yield from encode_json({"source": {"name": "fairlint"}, "diagnostics": found})


def _location_object(path: str, first: int, last: int) -> Json:
    return {"path": without_surrogates(path), "range": {"start": {"line": first}, "end": {"line": last}}}
