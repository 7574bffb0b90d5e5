"""The sign-flip test within cases, and the interval that it implies.

Under the null hypothesis the effect of each case is as likely to have the other sign. Flipping the signs of a
subset of cases gives a mean at least as far up as the observed one exactly where the mean of that subset is
not above 0; and with a shift, not above that shift. So p-values and bounds are read off the means of random
subsets (Hartigan 1969, J. Am. Stat. Assoc. 64): no normal distribution is assumed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from fairlint.support.records import Record

if TYPE_CHECKING:
    import numpy

    Numbers = numpy.ndarray[Any, numpy.dtype[numpy.float64]]

ENUMERATED = 12
"""Up to so many cases, all subsets are gone through."""
DRAWS = 9_999
DRAWS_PER_TEST = 500
"""Draws for each test of a family, so that the smallest p-value can pass the adjustment."""
TOGETHER, ROWS = 16, 1 << 13
"""Tests that share their draws, and draws at a time: so many means are held, and no more."""
ROUNDING = 1e-12
EXACT = 2**40
"""Up to this size, sums of whole numbers are exact as floating-point numbers."""


class Subsets(Record, eq=False):
    """The means of subsets of the cases, in rising order. `ways` counts the empty subsets, too."""

    means: Numbers
    ways: int
    empty: int
    """The number of draws without a case: they equal what was observed."""


class Placed(NamedTuple):
    """The subsets of one of several samples."""

    place: int
    subsets: Subsets


def subset_means(effects: Sequence[Fraction], *, seed: int = 0, tests: int = 1) -> Subsets:
    """Return the means of all subsets of the effects, or of random ones where there are many cases.

    `tests` is the size of the family that the result is adjusted for. What was observed counts as one draw
    (Phipson and Smyth 2010), so that no p-value is 0. Raises ValueError where there is no effect.
    """
    (found,) = subsets_of_all([effects], seed=seed, tests=tests)
    return found.subsets


def subsets_of_all(
    samples: Sequence[Sequence[Fraction]], *, seed: int = 0, tests: int = 1
) -> Iterator[Placed]:
    """Yield the same for each sample, in any order. Samples of as many cases share their draws."""
    by_count: dict[int, list[int]] = {}
    for place, effects in enumerate(samples):
        if not effects:
            raise ValueError("no cases to flip signs of")
        by_count.setdefault(len(effects), []).append(place)
    for count, places in by_count.items():
        for start in range(0, len(places), TOGETHER):
            some = places[start : start + TOGETHER]
            yield from map(Placed, some, _subsets([samples[one] for one in some], count, seed, tests))


def _subsets(samples: Sequence[Sequence[Fraction]], count: int, seed: int, tests: int) -> Iterator[Subsets]:
    import numpy  # noqa: PLC0415 (part of an extra)

    draws = 2**count - 1 if count <= ENUMERATED else max(DRAWS, DRAWS_PER_TEST * tests)
    scales = [_scale(effects) for effects in samples]
    values = numpy.array(
        [[float(one * scale) for one in some] for some, scale in zip(samples, scales, strict=True)]
    )
    means = numpy.empty((len(samples), draws))
    held = 0
    for chosen in _chosen_cases(count, draws, seed):
        sums = chosen.sum(axis=1)
        means[:, held : held + len(chosen)] = (values @ chosen.T) / (sums * numpy.array(scales)[:, None])
        held += len(chosen)
    for row in means[:, :held]:
        row.sort()
        yield Subsets(row, draws + 1, draws + 1 - held)


def _scale(effects: Sequence[Fraction]) -> int:
    """Return by what effects are whole numbers, which add up exactly; 1 where they would be too large."""
    scale = math.lcm(*(one.denominator for one in effects))
    most = max(1, *(abs(one.numerator) * (scale // one.denominator) for one in effects))
    return scale if max(most, scale) * len(effects) < EXACT else 1


def _chosen_cases(count: int, draws: int, seed: int) -> Iterator[Numbers]:
    """Yield which cases are in each subset, 1 or 0, some subsets at a time, and no empty ones."""
    import numpy  # noqa: PLC0415 (part of an extra)

    if count <= ENUMERATED:
        yield ((numpy.arange(1, draws + 1)[:, None] >> numpy.arange(count)) & 1).astype(float)
        return
    random = numpy.random.default_rng(seed)
    for start in range(0, draws, ROWS):
        drawn = random.integers(0, 256, (min(ROWS, draws - start), -(-count // 8)), dtype=numpy.uint8)
        chosen = numpy.unpackbits(drawn, axis=1, count=count)
        yield chosen[chosen.any(axis=1)].astype(float)


def outermost(subsets: Subsets, level: float) -> Subsets:
    """Return what `bounds` reads at this size or a smaller one, and nothing else."""
    import numpy  # noqa: PLC0415 (part of an extra)

    kept = math.floor(level / 2 * subsets.ways + ROUNDING) + 1
    if 2 * kept >= len(subsets.means):
        return subsets
    means = numpy.concatenate((subsets.means[:kept], subsets.means[-kept:]))
    return Subsets(means, subsets.ways, subsets.empty)


def p_value(subsets: Subsets, threshold: float = 0.0) -> float:
    """Return the two-sided p-value of an effect no larger than `threshold` in either direction."""
    import numpy  # noqa: PLC0415 (part of an extra)

    below = int(numpy.searchsorted(subsets.means, threshold + ROUNDING, side="right"))
    above = len(subsets.means) - int(numpy.searchsorted(subsets.means, -threshold - ROUNDING, side="left"))
    hits = min(below, above) + subsets.empty
    return min(1.0, 2 * hits / subsets.ways)


def has_bounds(subsets: Subsets, level: float) -> bool:
    """Return whether the test of size `1 - level` could reject anything with so few cases."""
    return 0 <= _rejected(subsets, level) < len(subsets.means)


def bounds(subsets: Subsets, level: float) -> tuple[float, float]:
    """Return the bounds that the two-sided test of size `1 - level` does not reject.

    Where so few cases could never be significant at that size, there are none: -1 and 1.
    """
    if not has_bounds(subsets, level):
        return -1.0, 1.0
    rejected = _rejected(subsets, level)
    return float(subsets.means[rejected]), float(subsets.means[len(subsets.means) - 1 - rejected])


def _rejected(subsets: Subsets, level: float) -> int:
    """Return how many means the test rejects on either side."""
    return math.floor((1 - level) / 2 * subsets.ways + ROUNDING) - subsets.empty
