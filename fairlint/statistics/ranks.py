"""Spearman's rank correlation."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import StatisticsError, correlation


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Spearman's correlation, equal values with the mean of their ranks; None where one of the two
    does not vary, or there are fewer than two.

    >>> rank_correlation([1, 2, 2, 9], [10, 20, 30, 40])
    0.9486832980505138
    """
    try:
        return correlation(_ranks(first), _ranks(second))
    except StatisticsError:
        return None


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(values)
    first = {value: order.index(value) for value in set(order)}
    return [first[value] + (order.count(value) - 1) / 2 for value in values]
