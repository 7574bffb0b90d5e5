"""In which order the page shows findings: by severity, then by what is new, then by gap, then by place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isnan

from fairlint.findings.finding import Finding
from fairlint.findings.levels import SEVERITIES
from fairlint.findings.uses import PointsOp

MOST_WORST = 5
"""Findings that are named at the top."""


CHANGES = ("new", "grown")
"""What comes first among findings of the same severity."""
_KINDS: tuple[PointsOp, ...] = ("multiply", "add", "set")
"""Gaps of factors, of points and of values that are set are not compared with each other."""


def by_weight(findings: Iterable[Finding], change_of: Callable[[Finding], str]) -> list[Finding]:
    """Return findings in the order of the page.

    Gaps are ranked within their kind: the largest of each kind, then the second largest of each. Findings
    whose amounts are not known follow those with a gap.
    """
    found = [(_class_of(one, change_of(one)), one) for one in findings]
    gaps: dict[tuple[object, ...], set[float]] = {}
    for key, one in found:
        gaps.setdefault((*key, _kind(one)), set()).add(_gap(one))
    ranks = {
        (*key, gap): rank for key, several in gaps.items() for rank, gap in enumerate(sorted(several)[::-1])
    }
    most = len(found)

    def weight(pair: tuple[tuple[int, bool], Finding]) -> tuple[object, ...]:
        key, one = pair
        kind, gap = _kind(one), _gap(one)
        rank = ranks[*key, kind, gap] if kind < len(_KINDS) else most
        return (*key, rank, kind, *one.sort_key)

    return [one for _, one in sorted(found, key=weight)]


def _class_of(finding: Finding, change: str) -> tuple[int, bool]:
    return -SEVERITIES.index(finding.severity), change not in CHANGES


def _kind(finding: Finding) -> int:
    points = finding.use.points
    return _KINDS.index(points.op) if points is not None and _gap(finding) else len(_KINDS)


def _gap(finding: Finding) -> float:
    """Return how far apart the groups are; 0 where that is not known."""
    points = finding.use.points
    gap = points.gap if points is not None else None
    return 0.0 if gap is None or isnan(gap) else abs(gap)
