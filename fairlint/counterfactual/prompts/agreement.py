"""What a changed prompt costs: how well its answers agree with labels, or with those given before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Literal

from fairlint.counterfactual.prompts.observations import Observation, mean
from fairlint.counterfactual.prompts.sign_flips import bounds, has_bounds, subset_means
from fairlint.statistics.intervals import interval
from fairlint.support.records import Record

Against = Literal["labels", "the prompt as it is"]
CONFIDENCE = 0.95


class Agreement(Record):
    """How near the answers come to what they are compared with: 1 is the same, 0 the other end of the scale.

    An answer that is refused or cannot be read agrees with nothing. Bounds are at 95 %, over cases.
    """

    against: Against
    cases: int
    answers: int
    share: float
    low: float
    high: float
    difference: float | None = None
    """To the agreement of the prompt as it is with the same labels; None where there are none."""
    difference_low: float | None = None
    difference_high: float | None = None
    """None where too few cases differ for any bounds."""


def agreement_with_labels(
    observations: Iterable[Observation], labels: Mapping[str, Fraction], mitigation: str, *, seed: int = 0
) -> Agreement | None:
    """Return how well the answers about people of all groups agree with the labels; None without answers."""
    held = [one for one in observations if one.arm == "group"]
    own = _shares_by_case(held, labels, mitigation)
    if not own:
        return None
    found = _agreement("labels", own, seed)
    if not mitigation:
        return found
    before = _shares_by_case(held, labels, "")
    changes = [mean(some) - mean(before[case]) for case, some in own.items() if case in before]
    if not changes:
        return found
    low: float | None = None
    high: float | None = None
    if not any(changes):
        low = high = 0.0
    else:
        subsets = subset_means(changes, seed=seed)
        if has_bounds(subsets, CONFIDENCE):
            low, high = bounds(subsets, CONFIDENCE)
    return Agreement(
        found.against, found.cases, found.answers, found.share, found.low, found.high,
        float(mean(changes)), low, high,
    )  # fmt: skip


def agreement_with_plain(
    observations: Iterable[Observation], mitigation: str, *, seed: int = 0
) -> Agreement | None:
    """Return how well the answers agree with those to the prompt as it is about the same people.

    People whom that prompt got no answer about take no part; None where there are no others.
    """
    held = [one for one in observations if one.arm == "group"]
    plain = {_person(one): one.value for one in held if not one.mitigation and one.value is not None}
    shares: dict[str, list[Fraction]] = {}
    for one in held:
        if one.mitigation == mitigation and (before := plain.get(_person(one))) is not None:
            shares.setdefault(one.case, []).append(_nearness(one.value, before))
    return _agreement("the prompt as it is", shares, seed) if shares else None


def _person(one: Observation) -> tuple[object, ...]:
    return (one.case, one.channel, one.groups, one.draw)


def _nearness(value: Fraction | None, wanted: Fraction) -> Fraction:
    return Fraction(0) if value is None else 1 - abs(value - wanted)


def _shares_by_case(
    held: Sequence[Observation], labels: Mapping[str, Fraction], mitigation: str
) -> dict[str, list[Fraction]]:
    found: dict[str, list[Fraction]] = {}
    for one in held:
        if one.mitigation == mitigation and one.case in labels:
            found.setdefault(one.case, []).append(_nearness(one.value, labels[one.case]))
    return found


def _agreement(against: Against, shares: Mapping[str, Sequence[Fraction]], seed: int) -> Agreement:
    found = interval([float(mean(some)) for some in shares.values()], seed=seed)
    return Agreement(against, len(shares), sum(map(len, shares.values())), found.mean, found.low, found.high)
