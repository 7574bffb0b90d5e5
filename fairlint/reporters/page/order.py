"""In which order the page shows findings: the most severe first, then the largest gap, then by place."""

from __future__ import annotations

from math import isnan

from fairlint.findings import SEVERITIES, Finding

MOST_WORST = 5
"""Findings that are named at the top."""


def by_weight(finding: Finding) -> tuple[object, ...]:
    """The key that sorts findings; those whose amounts nobody knows follow those with a gap."""
    gap = finding.use.points.gap if finding.use.points is not None else 0.0
    return (-SEVERITIES.index(finding.severity), 0.0 if isnan(gap) else -abs(gap), *finding.sort_key)
