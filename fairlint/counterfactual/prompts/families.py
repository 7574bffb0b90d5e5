"""Tests that are judged together: p-values after Holm's adjustment, and bounds at the level it leaves."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from fairlint.counterfactual.prompts.power import LEVEL, fewest_cases
from fairlint.counterfactual.prompts.sign_flips import (
    Subsets,
    bounds,
    has_bounds,
    outermost,
    p_value,
    subsets_of_all,
)
from fairlint.statistics.intervals import holm
from fairlint.support.records import Record


class Sample(Record):
    """What one test is about: a number for each case. With `also`, both have to differ from 0."""

    values: Sequence[Fraction]
    threshold: float = 0.0
    also: Sequence[Fraction] | None = None


class Judged(Record):
    """What the test of one sample says. Bounds are None where too few cases differ for any."""

    low: float | None = None
    high: float | None = None
    """Bounds at 95 % for this sample alone."""
    adjusted_low: float | None = None
    adjusted_high: float | None = None
    """Bounds at the level that the adjustment leaves for this one."""
    p: float = 1.0
    p_adjusted: float = 1.0
    size: float = 0.0
    """The chance of error that the adjustment leaves; 0 where nothing was tested."""


class Family(Record):
    """All samples that are judged together, in their order."""

    judged: tuple[Judged, ...]
    tests: int
    """How many of them could be significant at all."""


def judged_family(samples: Sequence[Sample], *, level: float = LEVEL, seed: int = 0) -> Family:
    """Return what the tests of all samples say, adjusted over those that could be significant at all.

    How many cases have no difference is the same for all signs, so leaving out samples by it costs nothing.
    """
    tested = [place for place, one in enumerate(samples) if _is_testable(one, level)]
    family = max(1, len(tested))
    second = [place for place in tested if samples[place].also is not None]
    values = [samples[place].values for place in tested] + [samples[place].also or () for place in second]
    p_values: dict[int, float] = {}
    tails: dict[int, Subsets] = {}
    for at, subsets in subsets_of_all(values, seed=seed, tests=family):
        if at < len(tested):
            place = tested[at]
            tails[place] = outermost(subsets, level)
        else:
            place = second[at - len(tested)]
        found = p_value(subsets, samples[place].threshold)
        p_values[place] = max(found, p_values.get(place, 0.0))  # both have to hold, so the larger one counts
    adjusted = dict(zip(tested, holm([p_values[place] for place in tested]), strict=True))
    ranks = {place: rank for rank, place in enumerate(sorted(tested, key=lambda place: p_values[place]))}
    judged = []
    for place, one in enumerate(samples):
        if place not in tails:
            is_zero = bool(one.values) and not any(one.values)
            judged.append(Judged(0.0, 0.0, 0.0, 0.0) if is_zero else Judged())
            continue
        size = level / (family - ranks[place])
        told = {"p": p_values[place], "p_adjusted": adjusted[place], "size": size}
        for prefix, each in (("", 1 - level), ("adjusted_", 1 - size)):
            if has_bounds(tails[place], each):
                told[f"{prefix}low"], told[f"{prefix}high"] = bounds(tails[place], each)
        judged.append(Judged(**told))
    return Family(tuple(judged), family)


def _is_testable(sample: Sample, level: float) -> bool:
    """Return whether the signs of a sample can be significant at all, alone in a family."""
    several = (sample.values,) if sample.also is None else (sample.values, sample.also)
    return all(
        any(some)
        and (len(some) if sample.threshold else sum(map(bool, some))) >= fewest_cases(1, level=level)
        for some in several
    )
