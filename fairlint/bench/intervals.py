"""How sure a mean over subjects is, and whether two models differ on the same subjects."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from fairlint.records import Record

LEVEL = 0.95
RESAMPLES = 9_999


class Interval(Record):
    """A mean with the bounds between which it lies at a level of confidence."""

    mean: float
    low: float
    high: float


class Comparison(Record):
    """The mean difference of two models over the same subjects, first minus second, and its p-value."""

    difference: float
    p_value: float
    subjects: int


def interval(values: Sequence[float], *, seed: int = 0, level: float = LEVEL) -> Interval:
    """The mean of `values`, one a subject, with bounds from a percentile bootstrap over subjects.

    The same values and seed give the same bounds (Efron and Tibshirani 1993, chapter 13). Where there is one
    value, or all are alike, the bounds are the mean. Raises ValueError where there are none.
    """
    return interval_of_lists([[values]], seed=seed, level=level)


def interval_of_lists(
    columns: Sequence[Sequence[Sequence[float]]], *, seed: int = 0, level: float = LEVEL
) -> Interval:
    """The mean over columns of the mean over their lists of the mean over the list's subjects, with bounds.

    Subjects are drawn anew within each list, so that every list keeps its size (Efron and Tibshirani 1993,
    chapter 8, several samples); lists of one subject each are one list for this. Raises
    ValueError where there is nothing, or a column or list is empty.
    """
    import numpy  # noqa: PLC0415 (part of an extra)
    from scipy import stats  # noqa: PLC0415 (as above)

    if not columns or not all(columns) or not all(len(values) for lists in columns for values in lists):
        raise ValueError("no values to take the mean of")
    columns = [[[*chain(*lists)]] if all(len(one) == 1 for one in lists) else lists for lists in columns]
    samples = [numpy.asarray(values, dtype=float) for lists in columns for values in lists]
    weights = [1 / (len(columns) * len(lists)) for lists in columns for _ in lists]

    def mean(*drawn: Any, axis: int = -1) -> Any:
        return sum(weight * one.mean(axis=axis) for weight, one in zip(weights, drawn, strict=True))

    middle = float(mean(*samples))
    if all(float(one.min()) == float(one.max()) for one in samples):
        return Interval(middle, middle, middle)
    found = stats.bootstrap(
        [
            numpy.repeat(one, 2) if len(one) == 1 else one for one in samples
        ],  # one value is drawn again always
        mean,
        n_resamples=RESAMPLES,
        confidence_level=level,
        method="percentile",
        batch=1_000,
        rng=numpy.random.default_rng(seed),
    ).confidence_interval
    return Interval(middle, float(found.low), float(found.high))


def compare(first: Sequence[float], second: Sequence[float], *, seed: int = 0) -> Comparison:
    """Whether two models differ: a two-sided paired permutation test of the mean difference.

    `first[i]` and `second[i]` belong to the same subject; under the null hypothesis each pair may be swapped.
    Up to 13 pairs all permutations are gone through, else some that `seed` chooses. Raises ValueError where
    the lengths differ or are 0.
    """
    import numpy  # noqa: PLC0415 (part of an extra)
    from scipy import stats  # noqa: PLC0415 (as above)

    if len(first) != len(second) or not first:
        raise ValueError(f"{len(first)} and {len(second)} values cannot be paired")
    differences = numpy.asarray(first, dtype=float) - numpy.asarray(second, dtype=float)
    mean = float(differences.mean())
    if not differences.any() or len(first) == 1:  # one pair, swapped or not, is as far apart
        return Comparison(mean, 1.0, len(first))
    found = stats.permutation_test(
        (differences,),
        numpy.mean,
        permutation_type="samples",
        n_resamples=RESAMPLES,
        rng=numpy.random.default_rng(seed),
        axis=0,
    )
    return Comparison(mean, float(found.pvalue), len(first))
