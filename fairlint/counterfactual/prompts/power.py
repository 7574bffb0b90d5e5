"""The least effect that an audit can see, before anybody is asked and after.

Bounds are at a power of 80 %. They use Student's distribution for the test's critical value, which sign flips
match closely from about ten cases on, and a count where answers are yes or no: that many cases have to change
in the same direction before any test of signs can be significant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

LEVEL = 0.05
POWER = 0.8
FLIPS = 0.14
"""Share of decisions that a mere paraphrase flips, as published for language models (arXiv 2605.01048)."""
ROUNDS = 60
"""Steps in which the size of an effect and its own variance are brought together."""


def fewest_cases(tests: int, *, level: float = LEVEL) -> int:
    """Return the least number of cases of which a test of signs can be significant in a family of tests.

    >>> fewest_cases(1)
    6
    """
    return math.ceil(math.log2(2 * tests / level) - 1e-9)


def least_effect_before(
    cases: int,
    draws: int,
    tests: int,
    *,
    flips: float = FLIPS,
    threshold: float = 0.0,
    level: float = LEVEL,
    is_decision: bool = True,
) -> float | None:
    """Return the least effect that is found with 80 %; None where so few cases could never show any.

    `draws` are the answers to each group in a case, `flips` the share of pairs of placebo answers that
    differ. Each answer has half of that as variance; the group, the others and both placebos have their own.
    An effect is taken to be all or nothing in a case, which is the hardest to see.
    """
    if cases < fewest_cases(tests, level=level):
        return None
    chance = 2 * flips / draws
    needed = _needed_sum(cases, tests, level)
    found = threshold
    for _ in range(ROUNDS):
        spread = max(found, 0.0) * (1 - min(found, 1.0))
        found = threshold + needed * math.sqrt((chance + spread) / cases)
    if is_decision:
        found = max(found, threshold + _least_share(cases, tests, level))
    return min(found, 1.0)


def least_effect_after(
    effects: Sequence[Fraction],
    tests: int,
    *,
    step: float = 1.0,
    threshold: float = 0.0,
    level: float = LEVEL,
) -> float | None:
    """Return the least effect that these cases could have shown with 80 %, by how they vary.

    `step` is the least by which an answer can change: 1 of yes or no, 0 of what is continuous.
    """
    cases = len(effects)
    if cases < fewest_cases(tests, level=level):
        return None
    mean = sum(effects, Fraction(0)) / cases
    variance = float(sum(((one - mean) ** 2 for one in effects), Fraction(0)) / (cases - 1))
    by_spread = _needed_sum(cases, tests, level) * math.sqrt(variance / cases)
    return min(1.0, threshold + max(by_spread, step * _least_share(cases, tests, level)))


def _needed_sum(cases: int, tests: int, level: float) -> float:
    """Return how many standard errors an effect has to be away."""
    from scipy import special  # noqa: PLC0415 (part of an extra)

    free = cases - 1
    return float(special.stdtrit(free, 1 - level / (2 * tests)) + special.stdtrit(free, POWER))


def _least_share(cases: int, tests: int, level: float) -> float:
    """Return the share of cases that has to change for enough of them to do so, with the power."""
    from scipy import special  # noqa: PLC0415 (part of an extra)

    fewest = fewest_cases(tests, level=level)
    return float(special.betaincinv(fewest, cases - fewest + 1, POWER))
