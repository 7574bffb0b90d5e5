"""Selection rates of groups, and how each compares with the group that is selected most often."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import TypeVar

from fairlint.support.records import Record

LEAST_SHARE = Fraction(2, 100)
"""Groups that are a smaller share may be left out of impact ratios: New York City (6 RCNY 5-301), and US
guidelines (29 CFR 1607.15 A (2) (a)). One person alone would make such a ratio 0 or 1."""
G = TypeVar("G", bound=Hashable)


class Counted(Record):
    """Members of a group, and how many of them are selected; a score selects in part."""

    selected: Fraction
    people: int


class Compared(Record):
    """How often a group is selected, and how that compares with the group selected most often."""

    rate: Fraction
    people: int
    ratio: Fraction | None
    """The impact ratio; None where no group is ever selected, or the group is too small to be compared."""
    is_small: bool


def is_too_small(people: int, everybody: int, least: Fraction = LEAST_SHARE) -> bool:
    """Return whether a group is left out of impact ratios."""
    return people < least * everybody


def impact_ratios(groups: Mapping[G, Counted], *, everybody: int | None = None) -> dict[G, Compared]:
    """Return the rate and the impact ratio of each group that has members.

    Groups below 2 % of all are marked and compared with nobody. `everybody` is how many people there are,
    where `groups` are not all of them.
    """
    counted = {group: one for group, one in groups.items() if one.people}
    if everybody is None:
        everybody = sum(one.people for one in counted.values())
    rates = {group: one.selected / one.people for group, one in counted.items()}
    small = {group for group, one in counted.items() if is_too_small(one.people, everybody)}
    most = max((rate for group, rate in rates.items() if group not in small), default=Fraction(0))
    return {
        group: Compared(
            rate,
            counted[group].people,
            rate / most if most and group not in small else None,
            group in small,
        )
        for group, rate in rates.items()
    }
