"""Bounds of figures that are no plain means, by a percentile bootstrap over what was drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairlint.statistics.intervals import LEVEL, RESAMPLES, Interval, share_bounds
from fairlint.support.records import Record, field_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHUNK = 1_000
"""Draws at a time."""


def bounds(statistic: Callable[[NDArray[Any]], NDArray[Any]], size: int, seed: int = 0) -> Interval | None:
    """Return a figure of `size` subjects with bounds (Efron and Tibshirani 1993, chapter 13).

    `statistic` gets which subjects are drawn, [draws, size], and gives the figure of each draw, [draws].
    Draws without a figure (NaN) are left out; None where the subjects themselves have none.
    """
    import numpy  # noqa: PLC0415 (part of an extra)

    if not size:
        return None
    random = numpy.random.default_rng(seed)
    with numpy.errstate(invalid="ignore", divide="ignore"):
        value = float(statistic(numpy.arange(size)[None])[0])
        if not numpy.isfinite(value):
            return None
        drawn = numpy.concatenate([
            statistic(random.integers(size, size=(min(CHUNK, RESAMPLES - begin), size)))
            for begin in range(0, RESAMPLES, CHUNK)
        ])  # fmt: skip
    drawn = drawn[numpy.isfinite(drawn)]
    if not len(drawn):
        return Interval(value, value, value)
    low, high = numpy.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], method="weibull")
    return Interval(value, float(low), float(high))


def mean(values: Sequence[float], seed: int = 0) -> Interval | None:
    """Return a mean over subjects."""
    import numpy  # noqa: PLC0415 (part of an extra)

    known = numpy.asarray(values, dtype=float)
    return bounds(lambda drawn: known[drawn].mean(-1), len(known), seed)


def share(hits: Sequence[bool], seed: int = 0) -> Interval | None:
    """Return how many of all, in %. Where all are alike no draw differs, so the bounds are Clopper and
    Pearson's.
    """
    found = mean([100.0 * hit for hit in hits], seed)
    if found is None or found.low < found.high:
        return found
    low, high = share_bounds(sum(hits), len(hits))
    return Interval(found.mean, 100 * low, 100 * high)


def correlation(first: Sequence[float], second: Sequence[float], seed: int = 0) -> Interval | None:
    """Pearson's r over subjects; None where either does not vary, or there are fewer than three."""
    import numpy  # noqa: PLC0415 (part of an extra)

    x, y = numpy.asarray(first, dtype=float), numpy.asarray(second, dtype=float)
    if len(x) < 3:
        return None

    def pearson(drawn: NDArray[Any]) -> NDArray[Any]:
        a = x[drawn] - x[drawn].mean(-1, keepdims=True)
        b = y[drawn] - y[drawn].mean(-1, keepdims=True)
        spread = (a**2).sum(-1) * (b**2).sum(-1)
        result: NDArray[Any] = (a * b).sum(-1) / numpy.sqrt(numpy.where(spread > 1e-24, spread, numpy.nan))
        return result

    return bounds(pearson, len(x), seed)


def plain(told: Any) -> Any:
    """Record as JSON: an Interval is `{"value": …, "low": …, "high": …}`."""
    if isinstance(told, Interval):
        return {"value": told.mean, "low": told.low, "high": told.high}
    if isinstance(told, Record):
        return {name: plain(getattr(told, name)) for name in field_names(told)}
    if isinstance(told, Mapping):
        return {key: plain(value) for key, value in told.items()}
    if isinstance(told, tuple | list):
        return [plain(one) for one in told]
    return told
