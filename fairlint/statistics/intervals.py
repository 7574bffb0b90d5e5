"""How sure a mean over subjects is, and whether models differ on the same subjects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from fairlint.support.records import Record

if TYPE_CHECKING:
    import numpy

    Numbers = numpy.ndarray[Any, numpy.dtype[numpy.float64]]

LEVEL = 0.95
RESAMPLES = 9_999
ENUMERATED = 13
"""Up to so many pairs that differ, all ways of swapping them are gone through."""
CHUNK = 1_000
"""Ways of swapping that are looked at together."""
ROUNDING = 1e-9
"""The part of a difference by which another counts as equal: sums in another order differ as much."""


Subject = tuple[str, str]
"""List and subject."""


def computable() -> bool:
    """Return whether the packages of an extra that bounds and tests are computed with are installed."""
    return all(find_spec(name) is not None for name in ("numpy", "scipy"))


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
    """Return the mean of `values` between 0 and 1, one a subject, with the bounds of `interval_of_columns`.

    Raises ValueError where there are none.
    """
    column = Figures("", {("", str(place)): value for place, value in enumerate(values)})
    return interval_of_columns([column], seed=seed, level=level)


def interval_of_columns(columns: Sequence[Figures], *, seed: int = 0, level: float = LEVEL) -> Interval:
    """Return the mean over columns of the mean over their lists of the mean over the list's subjects, with
    bounds.

    A Bayesian bootstrap (Rubin 1981, Ann. Stat. 9): each draw weighs every subject anew, in all columns
    alike, for its figures belong to one subject and often to the same answers. Each list of a scenario is
    weighed for itself; lists of one subject each are one list for this. As in Gaffke's bounds of a mean
    between 0 and 1 (2005, Math. Methods Stat. 14; Learned-Miller and Thomas 2019, arXiv 1905.06208) one more
    subject is drawn with the others, which nobody has seen: for the lower bound it has 0, for the upper 1. Of
    values that are 0 or 1 this makes the bounds of Clopper and Pearson (1934); where all values are alike it
    is the rule of three, so that no interval has a width of zero. Over several lists the number of subjects
    is the effective one (Kish 1965), 1 / sum of the squares of their weights in the mean.

    The same values and seed give the same bounds. Means and bounds are cut at 0 and 1, which values may
    exceed. Raises ValueError where there is nothing, or a column is empty.
    """
    import numpy  # noqa: PLC0415 (part of an extra)

    if not columns or not all(one.values for one in columns):
        raise ValueError("no values to take the mean of")
    random = numpy.random.default_rng(seed)
    unseen = random.random(RESAMPLES)
    totals = numpy.zeros(
        (len(columns), RESAMPLES + 1)
    )  # of the means of lists, first as they are, then drawn
    lists = numpy.zeros(len(columns))
    shares: list[dict[tuple[str, Subject], float]] = [
        {} for _ in columns
    ]  # of each subject in a column's mean
    for scenario, subjects in _subjects_by_scenario(columns):
        weights = numpy.vstack(
            [numpy.ones(len(subjects)), random.standard_exponential((RESAMPLES, len(subjects)))]
        )
        for place, column in enumerate(columns):
            known = [key for key in subjects if key in column.values]
            if column.scenario != scenario or not known:
                continue
            first = column.values[known[0]]
            # distances from one of the values: where all are alike, every mean is that very value
            values = numpy.array([column.values.get(key, first) - first for key in subjects])
            there = numpy.array([float(key in column.values) for key in subjects])
            totals[place] += first + (weights @ values) / (weights @ there)
            lists[place] += 1
            shares[place] |= {(scenario, key): 1 / len(known) for key in known}
    means = totals / lists[:, None]
    size = _effective_sample_size([(one, float(count)) for one, count in zip(shares, lists, strict=True)])
    return _interval_of_draws(means.mean(axis=0), 1 - unseen ** (1 / size), level)


def _effective_sample_size(columns: Sequence[tuple[Mapping[tuple[str, Subject], float], float]]) -> float:
    """Return the number of equally weighed subjects that a mean over columns is worth."""
    weights: dict[tuple[str, Subject], float] = {}
    for shares, lists in columns:
        for key, share in shares.items():
            weights[key] = weights.get(key, 0.0) + share / lists / len(columns)
    return 1 / sum(weight * weight for weight in weights.values())


def _interval_of_draws(means: Numbers, unseen: Numbers, level: float) -> Interval:
    """Return the bounds of a mean from its draws and from the weights of the subject that nobody has seen."""
    import numpy  # noqa: PLC0415 (part of an extra)

    mean, drawn = min(1.0, max(0.0, float(means[0]))), numpy.clip(means[1:], 0, 1)
    seen = drawn * (1 - unseen)
    low = float(numpy.quantile(seen, (1 - level) / 2, method="weibull"))
    high = float(numpy.quantile(seen + unseen, (1 + level) / 2, method="weibull"))
    return Interval(mean, max(0.0, min(low, mean)), min(1.0, max(high, mean)))


def _subjects_by_scenario(columns: Sequence[Figures]) -> Iterator[tuple[str, list[Subject]]]:
    """Yield the subjects that are weighed against each other, with their scenario."""
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


# ------------------------------------------------------------------------------------------------ differences


def compare(first: Sequence[float], second: Sequence[float], *, seed: int = 0) -> Comparison:
    """Return whether two models differ: a two-sided paired permutation test of the mean difference.

    `first[i]` and `second[i]` belong to the same subject. Raises ValueError where the lengths differ or are
    0.
    """
    if len(first) != len(second) or not first:
        raise ValueError(f"{len(first)} and {len(second)} values cannot be paired")
    differences = [one - other for one, other in zip(first, second, strict=True)]
    (p_value,) = p_values([differences], seed=seed)
    return Comparison(sum(differences) / len(first), p_value, len(first))


def p_values(differences: Sequence[Sequence[float]], *, seed: int = 0) -> list[float]:
    """Return the p-value of each row: how likely its sum is as far from 0 as it is, if every sign were
    chance.

    A row holds the differences of two models by subject, 0 where one of them lacks the subject; under the
    null hypothesis each may have the other sign (Davison and Hinkley 1997, section 4.3). All rows share their
    draws, so that many cost little more than one. Of a row with up to ENUMERATED differences all signs are
    gone through, else some that `seed` chooses; what was seen is counted with these, so that no p-value is 0
    (Phipson and Smyth 2010, Stat. Appl. Genet. Mol. Biol. 9). Raises ValueError for rows of unequal lengths.
    """
    import numpy  # noqa: PLC0415 (part of an extra)

    if len({len(row) for row in differences}) > 1:
        raise ValueError("rows of unequal lengths cannot be compared")
    found = [1.0] * len(differences)
    drawn: list[int] = []
    for place, row in enumerate(differences):
        some = [one for one in row if one]
        if len(some) > ENUMERATED:
            drawn.append(place)
        elif some:
            signs = 1.0 - 2.0 * ((numpy.arange(2 ** len(some))[:, None] >> numpy.arange(len(some))) & 1)
            least = abs(sum(some)) * (1 - ROUNDING)
            found[place] = float((numpy.abs(signs @ numpy.array(some)) >= least).mean())
    if drawn:
        rows = numpy.array([differences[place] for place in drawn], dtype=float)
        least_of_all = numpy.abs(rows.sum(axis=1)) * (1 - ROUNDING)
        beyond = numpy.zeros(len(drawn))
        random = numpy.random.default_rng(seed)
        for start in range(0, RESAMPLES, CHUNK):
            count = min(CHUNK, RESAMPLES - start)
            signs = 1.0 - 2.0 * random.integers(0, 2, (rows.shape[1], count))
            beyond += (numpy.abs(rows @ signs) >= least_of_all[:, None]).sum(axis=1)
        for place, hits in zip(drawn, beyond, strict=True):
            found[place] = float((hits + 1) / (RESAMPLES + 1))
    return found


def benjamini_hochberg(known: Sequence[float]) -> list[float]:
    """Return p-values adjusted for being judged together: of what has at most α, a share of α at most is
    expected to be found by chance.

    The k-th smallest of m is multiplied by m / k, and none is above a larger one's (Benjamini and Hochberg
    1995, J. R. Stat. Soc. B 57). Where nothing is there at all, anything has at most α with a probability of
    α.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    order = sorted(range(len(known)), key=known.__getitem__, reverse=True)
    found = [1.0] * len(known)
    least = 1.0
    for place, one in enumerate(order):
        least = min(least, known[one] * len(known) / (len(known) - place))
        found[one] = least
    return found


def holm(known: Sequence[float]) -> list[float]:
    """Return the p-values of a family of tests, adjusted so that all of them together err as often as one
    alone.

    The k-th smallest of m is multiplied by m - k + 1, and none is below a smaller one's (Holm 1979, Scand. J.
    Stat. 6). Whatever hangs on whatever, the chance of any false claim at `p <= a` is at most a.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [1.0] * len(known)
    least = 0.0
    for rank, place in enumerate(sorted(range(len(known)), key=lambda place: known[place])):
        least = max(least, min(1.0, (len(known) - rank) * known[place]))
        adjusted[place] = least
    return adjusted


# ----------------------------------------------------------------------------------------------------- shares


def share_bounds(hits: int, count: int, *, level: float = LEVEL) -> tuple[float, float]:
    """Return the bounds of a share by Clopper and Pearson (1934): they hold at least as often as they say.

    Raises ValueError where there is nothing to share.
    """
    from scipy import special  # noqa: PLC0415 (part of an extra)

    if not 0 <= hits <= count or not count:
        raise ValueError(f"{hits} of {count} is no share")
    beyond = (1 - level) / 2
    low = float(special.betaincinv(hits, count - hits + 1, beyond)) if hits else 0.0
    high = float(special.betaincinv(hits + 1, count - hits, 1 - beyond)) if hits < count else 1.0
    return low, high


def sign_test(hits: int, count: int) -> float:
    """Return how likely a share is as far from a half as `hits` of `count`, if each were as likely as not."""
    from scipy import special  # noqa: PLC0415 (part of an extra)

    return min(1.0, 2 * float(special.bdtr(min(hits, count - hits), count, 0.5))) if count else 1.0
