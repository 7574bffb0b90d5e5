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
    Observation,
    Outcome,
    attributes_of,
    groups_of,
    mean,
    outcomes_of,
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
            for outcome in outcomes_of(here):
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


def differences(observations: Iterable[Observation], contrast: Contrast) -> tuple[list[Difference], int]:
    """Return the difference of each case that has all groups in both arms, and how many cases lack one."""
    cases = _by_case(observations, contrast)
    found = [_difference(case, _sums_of(held, contrast), contrast) for case, held in cases.items()]
    known = [one for one in found if one is not None]
    return known, len(found) - len(known)


def differences_without_names(
    observations: Iterable[Observation], contrast: Contrast
) -> Mapping[str, list[Difference]]:
    """Return the differences without the people of each first name, by that name.

    All draws of a case in which somebody with the name takes part are left out, their rewrites included.
    """
    held = list(observations)
    names = dict.fromkeys(one.name for one in held if one.arm == "group" and one.name)
    sums: dict[str, _Sums] = {}
    dropped: dict[tuple[str, str], list[Observation]] = {}
    for case, here in _by_case(held, contrast).items():
        sums[case] = _sums_of(here, contrast)
        named = {_pair_key(one): one.name for one in here if one.arm == "group" and one.name}
        for one in here:
            if name := named.get(_pair_key(one)):
                dropped.setdefault((name, case), []).append(one)
    whole = {case: _difference(case, some, contrast) for case, some in sums.items()}
    found = {}
    for name in names:
        all_cases = [
            _difference(case, _sums_without(sums[case], dropped[name, case], contrast), contrast)
            if (name, case) in dropped
            else whole[case]
            for case in sums
        ]
        found[name] = [one for one in all_cases if one is not None]
    return found


def _by_case(observations: Iterable[Observation], contrast: Contrast) -> dict[str, list[Observation]]:
    found: dict[str, list[Observation]] = {}
    for one in observations:
        if (
            one.channel == contrast.channel
            and one.mitigation == contrast.mitigation
            and one.group_of(contrast.attribute) is not None
        ):
            found.setdefault(one.case, []).append(one)
    return found


def _pair_key(one: Observation) -> tuple[object, ...]:
    """Return what an answer and its placebo have in common."""
    return (one.groups, one.draw)


class _Sum(NamedTuple):
    """What some answers add up to, and how many they are."""

    total: Fraction = Fraction(0)
    answers: int = 0


_Sums = Mapping[tuple[str, str], _Sum]
"""The answers of a case by arm and group, over cells of other attributes and over draws alike."""


def _sums_of(held: Iterable[Observation], contrast: Contrast) -> _Sums:
    found: dict[tuple[str, str], _Sum] = {}
    for one in held:
        group = one.group_of(contrast.attribute)
        if group is not None and (value := value_of(one, contrast.outcome)) is not None:
            before = found.get((one.arm, group), _Sum())
            found[one.arm, group] = _Sum(before.total + value, before.answers + 1)
    return found


def _sums_without(sums: _Sums, dropped: Iterable[Observation], contrast: Contrast) -> _Sums:
    left = dict(sums)
    for key, one in _sums_of(dropped, contrast).items():
        left[key] = _Sum(left[key].total - one.total, left[key].answers - one.answers)
    return left


def _difference(case: str, sums: _Sums, contrast: Contrast) -> Difference | None:
    """Return the difference of a case; None where a group has no answer in an arm."""
    change, placebo = (_change(sums, contrast, arm) for arm in ("group", "rewrite"))
    return None if change is None or placebo is None else Difference(case, change, placebo)


def _change(sums: _Sums, contrast: Contrast, arm: str) -> Fraction | None:
    """Return the mean of the group minus the mean of the others' means; None where a group has no answer."""
    own, *others = (sums.get((arm, group), _Sum()) for group in (contrast.group, *contrast.others))
    if not own.answers or not all(one.answers for one in others):
        return None
    return own.total / own.answers - mean([one.total / one.answers for one in others])
