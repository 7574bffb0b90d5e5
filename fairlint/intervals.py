"""How sure a mean over subjects is, and whether two models differ on the same subjects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fairlint.records import Record

LEVEL = 0.95
RESAMPLES = 9_999


Subject = tuple[str, str]
"""List and subject."""


class Figures(Record):
    """One column: the figures of subjects in a scenario. Equal keys of a scenario are the same subject."""

    scenario: str
    values: Mapping[Subject, float]


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
    column = Figures("", {("", str(place)): value for place, value in enumerate(values)})
    return interval_of_columns([column], seed=seed, level=level)


def interval_of_columns(columns: Sequence[Figures], *, seed: int = 0, level: float = LEVEL) -> Interval:
    """The mean over columns of the mean over their lists of the mean over the list's subjects, with bounds.

    A percentile bootstrap over clusters: all figures of one subject are drawn together, for they belong to
    the same subject and often to the same answers (Davison and Hinkley 1997, section 3.8; Field and Welsh
    2007, Bootstrapping clustered data). Each list of a scenario is a stratum that keeps its number of
    subjects (Davison and Hinkley 1997, section 3.2); lists of one subject each are one list for this. A
    column that has only some of a stratum's subjects is averaged over those of them that were drawn, and a
    list or column of which none was drawn is not part of that draw's mean.

    Raises ValueError where there is nothing, or a column is empty.
    """
    import numpy  # noqa: PLC0415 (part of an extra)

    if not columns or not all(column.values for column in columns):
        raise ValueError("no values to take the mean of")
    random = numpy.random.default_rng(seed)
    totals = numpy.zeros(
        (len(columns), RESAMPLES + 1)
    )  # of the means of lists, first as they are, then as drawn
    lists = numpy.zeros_like(totals)
    for scenario, subjects in _strata(columns):
        size = len(subjects)
        drawn = random.multinomial(size, numpy.full(size, 1 / size), size=RESAMPLES)
        counts = numpy.vstack([numpy.ones(size), drawn])
        for place, column in enumerate(columns):
            known = [key for key in subjects if key in column.values]
            if column.scenario != scenario or not known:
                continue
            first = column.values[known[0]]
            # distances from one of the values: where all are alike, every mean is that very value
            sums = counts @ numpy.array([column.values.get(key, first) - first for key in subjects])
            sizes = counts @ numpy.array([float(key in column.values) for key in subjects])
            totals[place] += numpy.where(sizes > 0, first + sums / numpy.maximum(sizes, 1), 0)
            lists[place] += sizes > 0
    shares = (lists > 0).sum(axis=0)
    means = (totals / numpy.maximum(lists, 1)).sum(axis=0)[shares > 0] / shares[shares > 0]
    low, high = numpy.quantile(means[1:], [(1 - level) / 2, (1 + level) / 2], method="weibull")
    return Interval(float(means[0]), float(low), float(high))


def _strata(columns: Sequence[Figures]) -> Iterator[tuple[str, list[Subject]]]:
    """The subjects that are drawn from each other's places, with their scenario."""
    for scenario in dict.fromkeys(column.scenario for column in columns):
        lists: dict[str, dict[Subject, None]] = {}
        together: list[dict[str, None]] = []  # lists that share a column
        for column in columns:
            if column.scenario != scenario:
                continue
            for key in column.values:
                lists.setdefault(key[0], {})[key] = None
            names = dict.fromkeys(listed for listed, _ in column.values)
            for other in [one for one in together if one.keys() & names.keys()]:
                together.remove(other)
                names = other | names
            together.append(names)
        for names in together:
            if all(len(lists[name]) == 1 for name in names):
                yield scenario, [key for name in names for key in lists[name]]
            else:
                yield from ((scenario, list(lists[name])) for name in names)


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
