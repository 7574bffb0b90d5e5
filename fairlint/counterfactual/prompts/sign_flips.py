"""The sign-flip test within cases, and the interval that it implies.

Under the null hypothesis the effect of each case is as likely to have the other sign. Flipping the signs of a
subset of cases gives a mean at least as far up as the observed one exactly where the mean of that subset is
not above 0; and with a shift, not above that shift. So p-values and bounds are read off the means of random
subsets (Hartigan 1969, J. Am. Stat. Assoc. 64): no normal distribution is assumed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from fairlint.support.records import Record

if TYPE_CHECKING:
    import numpy

    Numbers = numpy.ndarray[Any, numpy.dtype[numpy.float64]]

ENUMERATED = 12
"""Up to so many cases, all subsets are gone through."""
DRAWS = 9_999
DRAWS_PER_TEST = 500
"""Draws for each test of a family, so that the smallest p-value can pass the adjustment."""
ROUNDING = 1e-12
EXACT = 2**40
"""Up to this size, sums of whole numbers are exact as floating-point numbers."""


class Subsets(Record, eq=False):
    """The means of subsets of the cases, in rising order. `ways` counts the empty subsets, too."""

    means: Numbers
    ways: int

    @property
    def empty(self) -> int:
        """The number of draws without a case: they equal what was observed."""
        return self.ways - len(self.means)


def subset_means(effects: Sequence[Fraction], *, seed: int = 0, tests: int = 1) -> Subsets:
    """Return the means of all subsets of the effects, or of random ones where there are many cases.

    `tests` is the size of the family that the result is adjusted for. What was observed counts as one draw
    (Phipson and Smyth 2010), so that no p-value is 0. Raises ValueError where there is no effect.
    """
    import numpy  # noqa: PLC0415 (part of an extra)

    if not effects:
        raise ValueError("no cases to flip signs of")
    count = len(effects)
    if count <= ENUMERATED:
        ways = 2**count
        chosen = ((numpy.arange(1, ways)[:, None] >> numpy.arange(count)) & 1).astype(float)
    else:
        draws = max(DRAWS, DRAWS_PER_TEST * tests)
        ways = draws + 1
        random = numpy.random.default_rng(seed)
        chosen = random.integers(0, 2, (draws, count)).astype(float)
        chosen = chosen[chosen.any(axis=1)]
    scale = math.lcm(*(one.denominator for one in effects))
    if (
        scale * max(abs(one) for one in [*effects, Fraction(1)]) * count < EXACT
    ):  # whole numbers add up exactly
        values = numpy.array([float(one * scale) for one in effects])
    else:
        scale, values = 1, numpy.array([float(one) for one in effects])
    means = (chosen @ values) / (chosen.sum(axis=1) * scale)
    means.sort()
    return Subsets(means, ways)


def p_value(subsets: Subsets, threshold: float = 0.0) -> float:
    """Return the two-sided p-value of an effect no larger than `threshold` in either direction."""
    import numpy  # noqa: PLC0415 (part of an extra)

    below = int(numpy.searchsorted(subsets.means, threshold + ROUNDING, side="right"))
    above = len(subsets.means) - int(numpy.searchsorted(subsets.means, -threshold - ROUNDING, side="left"))
    hits = min(below, above) + subsets.empty
    return min(1.0, 2 * hits / subsets.ways)


def bounds(subsets: Subsets, level: float) -> tuple[float, float]:
    """Return the bounds that the two-sided test of size `1 - level` does not reject.

    Where so few cases could never be significant at that size, there are none: -1 and 1.
    """
    rejected = math.floor((1 - level) / 2 * subsets.ways + ROUNDING) - subsets.empty
    if rejected < 0 or rejected >= len(subsets.means):
        return -1.0, 1.0
    return float(subsets.means[rejected]), float(subsets.means[len(subsets.means) - 1 - rejected])
