"""Whom a column leans to, and whether chance alone would lean as far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fairlint.bench.figures.metrics import TIE, Points
from fairlint.statistics.intervals import computable, share_bounds, sign_test
from fairlint.support.records import Record

SURE = 0.05
"""A claim is made where its adjusted p-value is no larger."""


class Leaning(Record):
    """The group that is ahead for most subjects, against the one that is for the second most."""

    group: str
    ahead: int
    """For how many subjects this group alone has the highest sum of points."""
    against: str
    behind: int
    """The same of the other group; of several the first."""
    interval: tuple[float, float]
    """95 % bounds of `ahead` as a share of both; a half is equality."""
    p_value: float
    """Two-sided."""


def leaning(subjects: Iterable[Points], groups: Sequence[str]) -> Leaning | None:
    """Return whom subjects lean to by the sums of points that their groups get; None where nobody is ahead,
    and where tests are not computable.

    What values get that are none of `groups` is left aside, and so are subjects in which several groups share
    the highest sum. The test of the first against the second by a binomial of a half holds however many
    groups there are, although the data say which two these are (Hung and Fithian 2019, Rank verification for
    exponential families, Ann. Stat. 47). It speaks of subjects: one is ahead or is not, by however much.
    """
    if not computable():
        return None
    counts = dict.fromkeys(groups, 0)
    for points in subjects:
        first = _leading_group(points, groups)
        if first is not None:
            counts[first] += 1
    first, second = sorted(groups, key=lambda group: -counts[group])[:2]
    if counts[first] == counts[second]:
        return None
    ahead, behind = counts[first], counts[second]
    both = ahead + behind
    return Leaning(first, ahead, second, behind, share_bounds(ahead, both), sign_test(ahead, both))


def _leading_group(points: Points, groups: Sequence[str]) -> str | None:
    """Return the group that gets more than all others."""
    sums = {group: points.get(group, 0.0) for group in groups}
    first, second = sorted(sums, key=lambda group: -sums[group])[:2]
    near = TIE / 2 * max(map(abs, sums.values()))
    return first if sums[first] / 2 - sums[second] / 2 > near else None
