"""Spearman's rank correlation."""

from __future__ import annotations

from collections.abc import Sequence


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Spearman's correlation, equal values with the mean of their ranks; None where one of the two
    does not vary, or there are fewer than two.
    """
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    from scipy import stats  # noqa: PLC0415 (part of an extra)

    return float(stats.spearmanr(first, second).statistic)
