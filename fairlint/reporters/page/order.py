"""In which order the page shows findings: by severity, then by what is new, then by gap, then by place."""

from __future__ import annotations

from math import isnan

from fairlint.findings.finding import Finding
from fairlint.findings.levels import SEVERITIES

MOST_WORST = 5
"""Findings that are named at the top."""


CHANGES = ("new", "grown")
"""What comes first among findings of the same severity."""
_KINDS = ("add", "multiply", "set")
"""Gaps of points, of factors and of values that are set are not compared with each other."""


def by_weight(finding: Finding, change: str = "") -> tuple[object, ...]:
    """The key that sorts findings; those whose amounts nobody knows follow those with a gap."""
    points = finding.use.points
    kind, gap = len(_KINDS), 0.0
    if points is not None and points.gap and not isnan(points.gap):
        kind, gap = _KINDS.index(points.op), -abs(points.gap)
    return (-SEVERITIES.index(finding.severity), change not in CHANGES, kind, gap, *finding.sort_key)
