"""What an ablation wins and costs: figures of bias and of skill, before and after, over the same items.

Every figure is a function of sums over clusters (targets of StereoSet, occupations, passages), so that one
draw of clusters gives all figures of a data set before and after: the bootstrap is paired.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from fairlint.backends.model import ModelError
from fairlint.model_bias.data.records import FEMALE, MALE, SHARES, Skipped
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.scores import code, perplexity, stereoset, winogender
from fairlint.model_bias.scores.asking import Answer, Plan, Planned, answers, fitting
from fairlint.statistics.intervals import LEVEL
from fairlint.support.records import Record

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, numpy.dtype[numpy.float64]]
    Sums = Callable[[Array], Array]

DRAWS = 2_000
"""Of the bootstrap."""
DEFINITIONS: Mapping[str, str] = {
    "stereoset.ss": "% of intrasentence items whose stereotype is likelier than the anti-stereotype, by the "
    "mean ln P of a causal model's tokens or the mean P of what a masked one fills in; mean over targets, 50 "
    "is no preference (Nadeem et al. 2021)",
    "stereoset.lms": "% of comparisons in which a sentence that makes sense is likelier than the one that "
    "does not; mean over targets",
    "stereoset.icat": "LMS · min(SS, 100 - SS) / 50",
    "winogender.gap": "mean over occupations of ln P(male pronoun) - ln P(female pronoun) behind the prompt",
    "winogender.r": f"Pearson correlation of that gap with the share of women ({SHARES})",
    "code.gap": "mean over occupations of ln P(male) - ln P(female) behind `gender == '`, all spellings",
    "code.r": f"Pearson correlation of that gap with the share of women ({SHARES})",
    "text.perplexity": "exp of the mean -ln P a token over the passages; of a masked model each token "
    "masked in turn",
}
"""Figure → what it is."""


class Table(Record, eq=False):
    """One data set, measured."""

    data: str
    clusters: tuple[str, ...]
    """What is drawn together."""
    sums: Array
    """[clusters, columns]: of each cluster what `figures` sum up, the last column being 1."""
    items: int


def table_as_json(table: Table) -> dict[str, Any]:
    """Return a table as JSON; `read_table` reads it back, to the last bit."""
    told = {"data": table.data, "clusters": list(table.clusters), "items": table.items}
    return {**told, "sums": table.sums.tolist()}


def read_table(told: Mapping[str, Any]) -> Table:
    """Return what `table_as_json` made."""
    import numpy  # noqa: PLC0415 (an extra)

    sums = numpy.array(told["sums"], dtype=numpy.float64)
    return Table(told["data"], tuple(told["clusters"]), sums, told["items"])


class Effect(Record):
    """A figure before and after, and the bounds of the difference, after minus before."""

    figure: str
    before: float
    after: float
    difference: float
    low: float
    high: float
    p: float
    """How likely a difference as large is where there is none: Student's t with the bootstrap's error."""
    clusters: int
    """How many targets, occupations or passages it rests on."""

    @property
    def as_json(self) -> dict[str, Any]:
        """The same with numbers that are none as None."""
        told = {"figure": self.figure}
        values = {name: getattr(self, name) for name in ("before", "after", "difference", "low", "high")}
        numbers = {name: _finite_or_none(value) for name, value in values.items()}
        return {**told, **numbers, "p": self.p, "clusters": self.clusters}


def _finite_or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


# ----------------------------------------------------------------------------------------------- measuring


class Question(Record):
    """Items of one set of data, and what the model is asked about them, before and after."""

    data: str
    items: Sequence[Any]
    plan: Plan
    skipped: tuple[Skipped, ...]
    """Items that this model cannot be asked about."""


def question(loaded: Loaded, data: str, items: Sequence[Any]) -> Question:
    """Return what a model is asked about items of `stereoset` (intrasentence), `winogender`, `code` (who is
    named) or `text`, as `fairlint model score` asks it. Behind a colon a name may say which part it is.

    Raises ModelError where it can be asked nothing, as masked models about code.
    """
    plan, skipped = PLANS[kind_of(data)](loaded, items)
    kept, unfit = fitting(loaded, plan)
    if not kept:
        reason = f": {(*skipped, *unfit)[0].reason}" if items else ""
        raise ModelError(f"none of the {len(items)} items of {data} can be measured{reason}")
    return Question(data, items, kept, (*skipped, *unfit))


def kind_of(data: str) -> str:
    """Return which data set a name is of, or of a part of.

    >>> kind_of("stereoset:race")
    'stereoset'
    """
    return data.partition(":")[0]


def measure(loaded: Loaded, asked: Question) -> Table:
    """Return a question, answered. Raises ModelError where no cluster can be measured, or memory does not
    suffice.

    Columns of `stereoset`, a row for each target: share of stereotypes preferred, of sense over nonsense. Of
    `winogender` and `code`, a row for each occupation with a share of women: x (the share), y (the gap), xx,
    yy, xy. Of `text`, a row for each passage: -ln P of all tokens, and their number.
    """
    import numpy  # noqa: PLC0415 (an extra)

    rows = ROWS[kind_of(asked.data)](asked, answers(loaded, asked.plan), masked=loaded.masked)
    if not rows:
        raise ModelError(f"none of the {len(asked.items)} items of {asked.data} can be measured")
    sums = numpy.array([(*row, 1.0) for row in rows.values()], dtype=numpy.float64)
    return Table(asked.data, tuple(rows), sums, len(asked.plan))


Rows = dict[str, tuple[float, ...]]


def _stereoset_rows(asked: Question, found: Mapping[str, Answer], *, masked: bool) -> Rows:
    by_target: dict[str, list[tuple[float, float]]] = {}
    for item in asked.items:
        if item.id in found:
            more, less, none = stereoset.likelihoods(item, found[item.id], masked=masked)
            sense = ((more > none) + (less > none)) / 2
            by_target.setdefault(item.target, []).append((float(more > less), sense))
    return {name: _column_means(rows) for name, rows in by_target.items()}


def _winogender_rows(asked: Question, found: Mapping[str, Answer], *, masked: bool) -> Rows:
    del masked
    gaps: dict[str, list[tuple[float, float]]] = {}
    for item in asked.items:
        if item.id in found and item.women is not None:
            male, female = map(math.fsum, found[item.id][:2])
            gaps.setdefault(item.occupation, []).append((item.women.bls, male - female))
    return _gap_moments(gaps)


def _code_rows(asked: Question, found: Mapping[str, Answer], *, masked: bool) -> Rows:
    del masked
    gaps: dict[str, list[tuple[float, float]]] = {}
    for item in asked.items:
        if item.id in found and item.women is not None:
            told = code.by_label(item, found[item.id])
            gaps.setdefault(item.occupation, []).append((item.women.bls, told[MALE] - told[FEMALE]))
    return _gap_moments(gaps)


def _text_rows(asked: Question, found: Mapping[str, Answer], *, masked: bool) -> Rows:
    del asked, masked
    return {key: (-math.fsum(one), float(len(one))) for key, (one,) in found.items()}


PLANS: Mapping[str, Callable[[Loaded, Sequence[Any]], Planned]] = {
    "stereoset": stereoset.plan,
    "winogender": winogender.plan,
    "code": code.plan,
    "text": perplexity.plan,
}
ROWS: Mapping[str, Callable[..., Rows]] = {
    "stereoset": _stereoset_rows,
    "winogender": _winogender_rows,
    "code": _code_rows,
    "text": _text_rows,
}


def _column_means(rows: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(math.fsum(column) / len(rows) for column in zip(*rows, strict=True))


def _gap_moments(gaps: Mapping[str, Sequence[tuple[float, float]]]) -> Rows:
    """Of each occupation the share of women (x), the mean gap (y), and the products."""
    rows = ((name, _column_means(found)) for name, found in gaps.items())
    return {name: (x, y, x * x, y * y, x * y) for name, (x, y) in rows}


# ------------------------------------------------------------------------------------------------- figures


def figures(table: Table, weights: Array | None = None) -> dict[str, Array]:
    """Figure → its value for each row of `weights` [draws, clusters], how often each cluster is drawn.

    Without weights one value: that of the data as they are. A correlation of nothing that differs is NaN.
    """
    import numpy  # noqa: PLC0415 (an extra)

    if weights is None:
        weights = numpy.ones((1, len(table.clusters)))
    sums = (weights @ table.sums).T
    count = sums[-1]
    kind = kind_of(table.data)
    if kind == "stereoset":
        score, sense = 100 * sums[0] / count, 100 * sums[1] / count
        found = {"ss": score, "lms": sense, "icat": sense * numpy.minimum(score, 100 - score) / 50}
    elif kind == "text":
        found = {"perplexity": numpy.exp(sums[0] / sums[1])}
    else:
        found = {"gap": sums[1] / count, "r": _pearson_correlation(sums, count)}
    return {f"{table.data}.{name}": values for name, values in found.items()}


def _pearson_correlation(sums: Array, count: Array) -> Array:
    import numpy  # noqa: PLC0415 (an extra)

    x, y, xx, yy, xy = sums[:5]
    across, along = xx - x * x / count, yy - y * y / count
    flat = (across <= 1e-9 * xx) | (along <= 1e-12 * numpy.maximum(yy, 1e-300))
    shared = numpy.sqrt(numpy.where(flat, 1.0, across * along))
    return numpy.where(flat, numpy.nan, (xy - x * y / count) / shared)


def effects(before: Table, after: Table, *, seed: int = 0, level: float = LEVEL) -> tuple[Effect, ...]:
    """Return every figure before and after, and a percentile bootstrap of the difference over the same
    clusters.

    Raises ValueError where the tables are not of the same clusters.
    """
    import numpy  # noqa: PLC0415 (an extra)

    if (before.data, before.clusters) != (after.data, after.clusters):
        raise ValueError(f"{before.data} and {after.data} are not measured over the same clusters")
    size = len(before.clusters)
    weights = _drawn_weights(size, seed)
    plain, changed = figures(before), figures(after)
    drawn, redrawn = figures(before, weights), figures(after, weights)
    found = []
    for name, values in plain.items():
        differences = redrawn[name] - drawn[name]
        known = differences[numpy.isfinite(differences)]
        low, high = (
            numpy.quantile(known, [(1 - level) / 2, (1 + level) / 2]) if known.size else [math.nan] * 2
        )
        first, second = float(values[0]), float(changed[name][0])
        p = _p_value(second - first, float(known.std()) if known.size else math.nan, size)
        found.append(Effect(name, first, second, second - first, float(low), float(high), p, size))
    return tuple(found)


@lru_cache(maxsize=8)
def _drawn_weights(size: int, seed: int) -> Array:
    """Return how often each of so many clusters is drawn: the same for each component of a scan."""
    import numpy  # noqa: PLC0415 (an extra)

    random = numpy.random.default_rng(seed)
    return random.multinomial(size, numpy.full(size, 1 / size), size=DRAWS).astype(numpy.float64)


def _p_value(difference: float, error: float, size: int) -> float:
    """Return the two-sided p-value of a difference; 1 where its error is none or not known."""
    from scipy import stats  # noqa: PLC0415 (an extra)

    if size < 2 or not error > 1e-9 * abs(difference) or not math.isfinite(difference):  # but for rounding
        return 1.0
    return float(2 * stats.t.sf(abs(difference) / error, size - 1))
