"""Differences within a case: between a group and the others, less the same difference among placebos.

For each case, `change` is the mean answer for the group minus the mean over the other groups of theirs.
`placebo` is the same of texts that show one and the same group to the model, and are as long as those of the
groups. Their difference is 0 in expectation where the model heeds length, order or chance alone, and it is
symmetric around 0: exchanging the two sets of answers changes its sign. That is what the test relies on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from fairlint.counterfactual.prompts.observations import (
    OUTCOMES,
    Arm,
    Observation,
    Outcome,
    attributes_of,
    groups_of,
    mean,
    value_of,
)
from fairlint.support.records import Record


class Contrast(Record):
    """A question to the answers: does one group get something else than the others?"""

    channel: str
    attribute: str
    group: str
    outcome: Outcome
    others: tuple[str, ...]
    mitigation: str = ""
    """By which the prompt was changed; empty where it was as it is."""


class Difference(Record):
    """One case in one contrast."""

    case: str
    change: Fraction
    placebo: Fraction

    @property
    def effect(self) -> Fraction:
        """The change beyond that in the placebo."""
        return self.change - self.placebo


def contrasts(observations: Sequence[Observation]) -> list[Contrast]:
    """Return all contrasts of the observations; two groups are one contrast, the second against the first."""
    found = []
    for (mitigation, channel), here in sorted(by_asking(observations).items()):
        for attribute in attributes_of(here):
            groups = groups_of(here, attribute)
            compared = groups[1:] if len(groups) == 2 else groups
            if len(groups) < 2:
                continue
            for outcome in OUTCOMES:
                found += [
                    Contrast(
                        channel,
                        attribute,
                        group,
                        outcome,
                        tuple(one for one in groups if one != group),
                        mitigation,
                    )
                    for group in compared
                ]
    return found


class Asking(NamedTuple):
    """A way of asking: nothing is compared across them but effects."""

    mitigation: str
    channel: str


def by_asking(observations: Iterable[Observation]) -> dict[Asking, list[Observation]]:
    """Return the observations of each mitigation and channel."""
    found: dict[Asking, list[Observation]] = {}
    for one in observations:
        found.setdefault(Asking(one.mitigation, one.channel), []).append(one)
    return found


def differences(
    observations: Iterable[Observation], contrast: Contrast, *, without_name: str | None = None
) -> tuple[list[Difference], int]:
    """Return the difference of each case that has all groups in both arms, and how many cases lack one.

    `without_name` leaves out all draws of a case in which somebody with that first name takes part.
    """
    by_case: dict[str, list[Observation]] = {}
    for one in observations:
        if (
            one.channel == contrast.channel
            and one.mitigation == contrast.mitigation
            and one.group_of(contrast.attribute) is not None
        ):
            by_case.setdefault(one.case, []).append(one)
    found, lacking = [], 0
    for case, all_of_case in by_case.items():
        held = all_of_case
        if without_name is not None:
            dropped = {_pair_key(one) for one in held if one.arm == "group" and one.name == without_name}
            held = [one for one in held if _pair_key(one) not in dropped]
        change = _change(held, contrast, "group")
        placebo = _change(held, contrast, "rewrite")
        if change is None or placebo is None:
            lacking += 1
        else:
            found.append(Difference(case, change, placebo))
    return found, lacking


def _pair_key(one: Observation) -> tuple[object, ...]:
    """Return what an answer and its placebo have in common."""
    return (one.groups, one.draw)


def _change(held: Sequence[Observation], contrast: Contrast, arm: Arm) -> Fraction | None:
    """Return the mean of the group minus the mean of the others' means; None where a group has no answer."""
    means = group_means(held, contrast.attribute, contrast.outcome, arm)
    try:
        return means[contrast.group] - mean([means[one] for one in contrast.others])
    except KeyError:
        return None


def group_means(
    held: Iterable[Observation], attribute: str, outcome: Outcome, arm: Arm
) -> Mapping[str, Fraction]:
    """Return the mean of each group of an attribute, over cells of other attributes and over draws alike."""
    values: dict[str, list[Fraction]] = {}
    for one in held:
        group = one.group_of(attribute)
        if one.arm == arm and group is not None and (value := value_of(one, outcome)) is not None:
            values.setdefault(group, []).append(value)
    return {group: mean(some) for group, some in values.items()}
