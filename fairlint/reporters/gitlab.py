"""GitLab's code quality report: one JSON array."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.findings.fingerprints import digest
from fairlint.findings.levels import Severity
from fairlint.findings.report import Report
from fairlint.reporters import ReportOptions
from fairlint.reporters.encoding import Json, encode_json, without_surrogates
from fairlint.reporters.uris import in_repository

_SEVERITIES: dict[Severity, str] = {"error": "critical", "warning": "major", "note": "info"}


def report(report: Report, options: ReportOptions) -> Iterator[str]:
    """Yield each finding and each part that was not analysed, with a fingerprint that no other has."""
    found: list[Json] = []
    for finding in report.findings:
        path = in_repository(finding.path, options.root)
        start, end = finding.region or (finding.start, finding.end)
        found.append(
            {
                "check_name": finding.rule,
                "description": without_surrogates(f"{finding.message}. {finding.advice}"),
                "severity": _SEVERITIES[finding.severity],
                "fingerprint": _fingerprint_of_parts(path, str(finding.cell), str(finding.identity)),
                "location": {
                    "path": without_surrogates(path),
                    "lines": {"begin": start.line, "end": end.line},
                },
            }
        )
    for gap in report.not_analysed:
        path = in_repository(gap.path, options.root)
        found.append(
            {
                "check_name": "not-analysed",
                "description": without_surrogates(f"not analysed: {gap.reason}"),
                "severity": "minor",
                "fingerprint": _fingerprint_of_parts(path, f"{gap.cell}:{gap.line}", gap.reason),
                "location": {"path": without_surrogates(path), "lines": {"begin": max(gap.line, 1)}},
            }
        )
    yield from encode_json(found)


def _fingerprint_of_parts(*parts: str) -> str:
    return digest("\0".join(parts).encode("utf-8", "surrogatepass"))
