"""Rates of groups, impact ratios, and how often answers change, beside the effects that are tested."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from statistics import median

from fairlint.counterfactual.prompts.observations import Observation
from fairlint.statistics.impact_ratios import Counted
from fairlint.statistics.impact_ratios import impact_ratios as ratios_of_groups
from fairlint.support.records import Record


class Rate(Record):
    """How often a group is selected, and how that compares with the group selected most often."""

    groups: tuple[tuple[str, str], ...]
    selected: Fraction
    answers: int
    ratio: Fraction | None
    """None where no group is ever selected, or the group is too small to be compared."""
    is_small: bool


class Flips(Record):
    """Pairs of answers of a case that differ, among all pairs where both were read. Of probabilities, the
    likeliest answers are compared.
    """

    changed: int
    pairs: int

    @property
    def share(self) -> float | None:
        """The share of pairs that differ; None without pairs."""
        return self.changed / self.pairs if self.pairs else None


def impact_ratios(
    observations: Iterable[Observation], channel: str, attributes: Sequence[str], *, is_decision: bool
) -> list[Rate]:
    """Return the rate of each group, or of each combination of groups of several attributes.

    Selected is who gets the decision; of scores, whoever is above the median of all, as New York City's rules
    have it. Groups below 2 % of the answers are marked and compared with nobody.
    """
    by_group: dict[tuple[tuple[str, str], ...], list[Fraction]] = {}
    for one in observations:
        groups = tuple((name, one.group_of(name)) for name in attributes)
        if one.channel != channel or one.arm != "group" or one.value is None:
            continue
        known = tuple((name, group) for name, group in groups if group is not None)
        if len(known) == len(attributes):
            by_group.setdefault(known, []).append(one.value)
    everybody = [value for values in by_group.values() for value in values]
    if not everybody:
        return []
    limit = None if is_decision else median(everybody)
    counted = {
        groups: Counted(
            sum((value if limit is None else Fraction(value > limit) for value in values), Fraction(0)),
            len(values),
        )
        for groups, values in by_group.items()
    }
    return [
        Rate(groups, one.rate, one.people, one.ratio, one.is_small)
        for groups, one in ratios_of_groups(counted).items()
    ]


def flips_between_groups(observations: Iterable[Observation], channel: str, attribute: str) -> Flips:
    """Return how often the answer differs between two groups of an attribute, all else equal."""

    def kind(one: Observation) -> object:
        rest = tuple(pair for pair in one.groups if pair[0] != attribute)
        return (one.case, rest, one.draw) if one.arm == "group" else None

    return _count_flips(observations, channel, attribute, kind)


def flips_in_placebos(
    observations: Iterable[Observation], channel: str, attribute: str
) -> Mapping[str, Flips]:
    """Return the same for each placebo: the same prompt `again`, another `name` of the same group, a
    `rewrite` as long as the texts of the groups.
    """
    held = list(observations)

    def again(one: Observation) -> object:
        return (one.case, one.groups, one.draw) if one.arm != "rewrite" else None

    def named(one: Observation) -> object:
        return (one.case, one.groups) if one.arm == "group" and one.name else None

    def written(one: Observation) -> object:
        rest = tuple(pair for pair in one.groups if pair[0] != attribute)
        return (one.case, rest, one.draw) if one.arm == "rewrite" else None

    kinds = {"again": again, "name": named, "rewrite": written}
    return {name: _count_flips(held, channel, attribute, kind) for name, kind in kinds.items()}


def _count_flips(
    observations: Iterable[Observation],
    channel: str,
    attribute: str,
    kind: Callable[[Observation], object],
) -> Flips:
    """Pairs of answers of the same kind, and how many of them differ."""
    by_kind: dict[object, list[Fraction]] = {}
    for one in observations:
        if one.channel == channel and one.said is not None and one.group_of(attribute) is not None:
            key = kind(one)
            if key is not None:
                by_kind.setdefault(key, []).append(one.said)
    pairs = [pair for values in by_kind.values() for pair in combinations(values, 2)]
    return Flips(sum(one != other for one, other in pairs), len(pairs))
