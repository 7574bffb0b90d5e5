"""How sure a share is of answers to some prompts: answers to one prompt are like each other.

What a prompt draws from a model, it draws again: twenty answers to it say less than one answer to each of
twenty prompts. A share therefore counts as that of fewer answers that would be independent (Korn and Graubard
1998, Surv. Methodol. 24): the answers, divided by how much more the share varies from prompt to prompt than
independent answers would (the design effect, by the cluster-robust variance), and by what it costs to know
that variance from few prompts.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from fairlint.statistics.intervals import LEVEL, computable
from fairlint.support.records import Record

POWER = 0.8
"""How often a difference is to be seen that is there."""
ROUNDING = 1e-12
"""A variance below this comes from rounding."""


class ClusteredShare(Record):
    """A share of answers, with what it rests on."""

    share: float
    low: float
    high: float
    prompts: int
    units: float
    """So many independent answers would vary as much."""


def clustered_share(prompts: Sequence[tuple[int, int]], *, level: float = LEVEL) -> ClusteredShare:
    """Return a share with its bounds; of each prompt how many answers are hits, and how many there are.

    The bounds are Wilson's (1927) of so many answers as the share is worth. Of a single prompt nobody knows
    how prompts vary: its bounds are for this prompt alone. Where no prompt has answers ValueError is raised.
    """
    from scipy import stats  # noqa: PLC0415 (part of an extra)

    known = [(hits, count) for hits, count in prompts if count]
    answers, groups = sum(count for _, count in known), len(known)
    if not answers:
        raise ValueError("no answers to take the share of")
    share = sum(hits for hits, _ in known) / answers
    units = worth = answers / design_effect(known)
    if 1 < groups < answers:
        beyond = (1 + level) / 2
        worth *= float(stats.t.ppf(beyond, answers - 1) / stats.t.ppf(beyond, groups - 1)) ** 2
    low, high = wilson_bounds(share, worth, level)
    return ClusteredShare(share, low, high, groups, units)


def design_effect(prompts: Sequence[tuple[int, int]]) -> float:
    """Return how many times more a share varies than that of as many independent answers; at least 1."""
    answers, groups = sum(count for _, count in prompts), len(prompts)
    share = sum(hits for hits, _ in prompts) / answers
    alone = share * (1 - share) / (answers - 1) if answers > 1 else 0.0
    if groups < 2 or alone < ROUNDING:
        return 1.0
    between = math.fsum((hits - share * count) ** 2 for hits, count in prompts) / answers**2
    return max(1.0, between * groups / (groups - 1) / alone)


class Bounds(NamedTuple):
    """Between what a share lies."""

    low: float
    high: float


def wilson_bounds(share: float, count: float, level: float = LEVEL) -> Bounds:
    """Return the score interval of a share (Wilson 1927, J. Am. Stat. Assoc. 22); `count` may be no whole
    number.
    """
    from scipy import stats  # noqa: PLC0415 (part of an extra)

    square = float(stats.norm.ppf((1 + level) / 2)) ** 2
    middle = (share + square / (2 * count)) / (1 + square / count)
    half = math.sqrt(square * (share * (1 - share) / count + square / (4 * count**2))) / (1 + square / count)
    return Bounds(
        0.0 if share <= 0 else max(0.0, middle - half), 1.0 if share >= 1 else min(1.0, middle + half)
    )


def share_by_prompt(
    answers: Iterable[tuple[Hashable, bool]], *, level: float = LEVEL
) -> ClusteredShare | None:
    """Return the share of answers that are hits, each given with its prompt; None without any, and where
    bounds are not computable.
    """
    known: dict[Hashable, list[bool]] = {}
    for prompt, is_hit in answers:
        known.setdefault(prompt, []).append(is_hit)
    if not known or not computable():
        return None
    return clustered_share([(sum(ones), len(ones)) for ones in known.values()], level=level)


def mean_of_shares(first: ClusteredShare, second: ClusteredShare) -> Bounds:
    """Return the bounds of the mean of two shares of answers to different prompts, such as sensitivity and
    specificity: from those of both, as for a difference (Newcombe 1998, method 10, without correlation).
    """
    mean = (first.share + second.share) / 2
    below = math.hypot(first.share - first.low, second.share - second.low) / 2
    above = math.hypot(first.high - first.share, second.high - second.share) / 2
    return Bounds(max(0.0, mean - below), min(1.0, mean + above))


# ------------------------------------------------------------------------------------------------------ power


def least_difference(units: float, *, level: float = LEVEL, power: float = POWER) -> float:
    """Return the least difference between the shares of two runs that would be seen, of so many independent
    answers in each: in `power` of all cases, by a two-sided test, where shares vary most, at a half.

    It is at most 1: a run may be too small to see any.
    """
    from scipy import stats  # noqa: PLC0415 (part of an extra)

    if units <= 0:
        return 1.0
    distance = float(stats.norm.ppf((1 + level) / 2) + stats.norm.ppf(power))
    return min(1.0, distance * math.sqrt(2 * 0.25 / units))


def difference_of_bounds(low: float, high: float, *, level: float = LEVEL, power: float = POWER) -> float:
    """Return the same of two runs whose figures have bounds as wide as these."""
    from scipy import stats  # noqa: PLC0415 (part of an extra)

    width = 2 * float(stats.norm.ppf((1 + level) / 2))
    distance = float(stats.norm.ppf((1 + level) / 2) + stats.norm.ppf(power))
    return min(1.0, distance * math.sqrt(2) * (high - low) / width)


def planned_units(prompts: int, answers: int, alike: float) -> float:
    """Return how many independent answers a plan is worth: so many prompts, all answers to them, and how much
    the answers to one prompt are alike (their correlation, from 0 to 1).
    """
    if not prompts or not answers:
        return 0.0
    return answers / (1 + (answers / prompts - 1) * alike)


# ----------------------------------------------------------------------------------------- paired differences


class PairedShares(Record):
    """Two shares of the same answers, or of answers that belong together two by two."""

    first: float
    second: float
    low: float
    """Between what the second less the first lies."""
    high: float
    prompts: int


def paired_shares(
    pairs: Iterable[tuple[Hashable, bool, bool]], *, level: float = LEVEL
) -> PairedShares | None:
    """Return two shares and the bounds of the second less the first, of pairs that are given with their
    prompt; None without any, and where bounds are not computable.

    The bounds are made of those of both shares, which take answers to one prompt as alike, and of how the two
    of a pair go together (Newcombe 1998, Stat. Med. 17, method 10). They are never of no width.
    """
    known = list(pairs)
    first = share_by_prompt(((prompt, one) for prompt, one, _ in known), level=level)
    second = share_by_prompt(((prompt, other) for prompt, _, other in known), level=level)
    if first is None or second is None:
        return None
    together = _correlation([(one, other) for _, one, other in known])
    difference = second.share - first.share
    below = _joint_distance(second.share - second.low, first.high - first.share, together)
    above = _joint_distance(second.high - second.share, first.share - first.low, together)
    return PairedShares(
        first.share,
        second.share,
        max(-1.0, difference - below),
        min(1.0, difference + above),
        first.prompts,
    )


def _joint_distance(one: float, other: float, together: float) -> float:
    return math.sqrt(max(0.0, one**2 - 2 * together * one * other + other**2))


def _correlation(pairs: Sequence[tuple[bool, bool]]) -> float:
    """Return how two hits of a pair go together (phi), corrected for few pairs as method 10 has it."""
    both = sum(one and other for one, other in pairs)
    neither = sum(not (one or other) for one, other in pairs)
    first, second = sum(one for one, _ in pairs), sum(other for _, other in pairs)
    count = len(pairs)
    spread = first * (count - first) * second * (count - second)
    if not spread:
        return 0.0
    product = both * neither - (first - both) * (second - both)
    return (max(0.0, product - count / 2) if product > 0 else product) / math.sqrt(spread)
