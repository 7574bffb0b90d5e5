"""Where bias sits: attribution of all parts, exact patching of the foremost or of all, how far both agree."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from fairlint.model_bias.anatomy import Component
from fairlint.model_bias.attribution import Attribution, Effects, attribute, nothing
from fairlint.model_bias.contrasts import Contrast
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.patching import patch_each
from fairlint.statistics.intervals import LEVEL
from fairlint.support.records import Record

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Array = NDArray[numpy.float64]

FOREMOST = 20
"""Heads that are always checked by exact patching, and whose overlap is told."""
EARLY = 10
"""Heads of the first of so many parts of all layers are always checked, too. What they give goes through all
that follows, and there the estimate by gradients errs most."""
RESAMPLES = 1_999
CHUNK = 8
"""Pairs that are patched at a time: what is kept of a run that is broken off."""
Exact = Literal["top", "all"]
Keep = Callable[[Contrast, Mapping[str, Any]], None]


class Located(Record, eq=False):
    """What was measured on some pairs."""

    contrasts: tuple[Contrast, ...]
    attribution: Attribution
    exact: Effects
    """NaN where a head was not patched."""
    seconds: Mapping[str, float]
    """What `attribution` and `exact` took; of `exact` without what was kept of an earlier run."""
    passes: int
    """How many parts were patched exactly, the embedding included."""


class Means(Record, eq=False):
    """Means over pairs with the bounds of their intervals, all of one shape."""

    value: Array
    low: Array
    high: Array


class Estimate(NamedTuple):
    """A value with its bounds."""

    value: float
    low: float
    high: float


class Agreement(Record):
    """How far attribution agrees with exact patching, over means of pairs."""

    parts: int
    """Heads, or MLPs, that were patched exactly."""
    spearman: Estimate | None
    spearman_within: Estimate | None
    """The mean over contrasts of each one's own correlation: how well it ranks the parts for one of them."""
    pearson: Estimate | None
    overlap: Estimate | None
    """How many of the foremost by attribution are among the foremost by exact patching; None where not all
    heads were patched."""
    top: int


def locate(
    loaded: Loaded,
    contrasts: Sequence[Contrast],
    exact: Exact = "top",
    *,
    known: Mapping[str, Mapping[str, Any]] | None = None,
    keep: Keep | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Located:
    """Return the effects of all parts on the pairs.

    All MLPs, the embedding, the heads of the first layers (see `EARLY`) and the FOREMOST others by
    attribution are patched exactly, or all heads. `keep` is given the exact effects of each pair as JSON when
    they are known, and `known` has those that an earlier run kept, by the pair's id. `progress` is told how
    many of how many pairs are done. Raises ModelError.
    """
    anatomy = loaded.anatomy
    begun = time.perf_counter()
    guess = attribute(loaded, contrasts)
    taken = {"attribution": time.perf_counter() - begun, "exact": 0.0}
    asked = [one for one in anatomy.components() if one.head is None]
    asked += checked_heads(guess.patching) if exact == "top" else heads_of(guess.patching)
    result = nothing(len(contrasts), anatomy, float("nan"))
    names = [str(one) for one in asked]
    missing = []
    for place, one in enumerate(contrasts):
        told = (known or {}).get(one.id, {})
        if set(names) <= told.keys() and "embedding" in told:
            for component, name in zip(asked, names, strict=True):
                result.of(component)[place] = told[name]
            result.embedding[place] = told["embedding"]
        else:
            missing.append(place)
    for start in range(0, len(missing), CHUNK):
        places = missing[start : start + CHUNK]
        begun = time.perf_counter()
        found = patch_each(loaded, [contrasts[place] for place in places], asked)
        taken["exact"] += time.perf_counter() - begun
        result.heads[places], result.mlps[places] = found.heads, found.mlps
        result.embedding[places] = found.embedding
        for row, place in enumerate(places):
            values = {name: float(found.of(one)[row]) for name, one in zip(names, asked, strict=True)}
            if keep:
                keep(contrasts[place], {**values, "embedding": float(found.embedding[row])})
        if progress:
            progress(len(contrasts) - len(missing) + start + len(places), len(contrasts))
    return Located(tuple(contrasts), guess, result, taken, len(asked) + 1)


def heads_of(effects: Effects) -> list[Component]:
    """Return all heads, layer by layer."""
    _, layers, heads = effects.heads.shape
    return [Component(layer, head) for layer in range(layers) for head in range(heads)]


def foremost(effects: Effects, count: int = FOREMOST) -> list[Component]:
    """Return the heads whose mean effect is largest, whatever its sign, the largest first."""
    means = abs(effects.heads.mean(axis=0)).ravel()
    order = sorted(range(means.size), key=lambda place: (not means[place] >= 0, -means[place], place))
    every = heads_of(effects)
    return [every[place] for place in order[:count] if means[place] >= 0]


def checked_heads(guess: Effects) -> list[Component]:
    """Return the heads that are patched exactly where not all are: early ones, and the foremost others."""
    every = heads_of(guess)
    ranked = [one for one in foremost(guess, len(every)) if not is_early(one, guess)]
    return [*(one for one in every if is_early(one, guess)), *ranked[:FOREMOST]]


def is_early(one: Component, effects: Effects) -> bool:
    """Return whether a head is in one of the first layers."""
    return one.layer < int(effects.heads.shape[1]) // EARLY


def with_early(guess: Array, exact: Array) -> Array:
    """Return estimates of heads [pairs, layers, heads] with the exact effects in the first layers."""
    found: Array = guess.copy()
    early = guess.shape[1] // EARLY
    found[:, :early] = exact[:, :early]
    return found


def draws(subjects: Sequence[str], seed: int = 0, resamples: int = RESAMPLES) -> Array:
    """Return how often each pair is drawn: [1 + resamples, pairs], whose first row is the pairs as they are.

    A bootstrap over clusters: pairs of one subject are drawn together (Davison and Hinkley 1997, 3.8).
    """
    import numpy  # noqa: PLC0415 (an extra)

    names = {name: place for place, name in enumerate(dict.fromkeys(subjects))}
    size = len(names)
    drawn = numpy.random.default_rng(seed).multinomial(size, numpy.full(size, 1 / size), size=resamples)
    counts = numpy.vstack([numpy.ones(size), drawn])
    found: Array = counts[:, [names[name] for name in subjects]].astype(float)
    return found


def drawn_means(values: Array, counts: Array) -> Array:
    """Return the means of each draw: [draws, ...] of values [pairs, ...]."""
    flat = values.reshape(len(values), -1)
    found: Array = (counts @ flat / counts.sum(axis=1, keepdims=True)).reshape(len(counts), *values.shape[1:])
    return found


def means(values: Array, counts: Array) -> Means:
    """Return the means over pairs [pairs, ...] with percentile bounds of the draws."""
    import numpy  # noqa: PLC0415 (an extra)

    drawn = drawn_means(values, counts)
    edges = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    low, high = numpy.quantile(drawn[1:], edges, axis=0, method="weibull")
    return Means(values.mean(axis=0), low, high)


def p_values(values: Array, subjects: Sequence[str]) -> Array:
    """Return how likely means over pairs as far from 0 are where the true ones are 0: [...] of [pairs, ...].

    Two-sided, by Student's t and the variance between subjects, whose pairs belong together. Parts that were
    not measured, or do not vary, have 1.
    """
    import numpy  # noqa: PLC0415 (an extra)
    from scipy import stats  # noqa: PLC0415 (an extra)

    names = {name: place for place, name in enumerate(dict.fromkeys(subjects))}
    flat = values.reshape(len(values), -1)
    found = numpy.ones(flat.shape[1])
    there = ~numpy.isnan(flat).any(axis=0)
    if len(names) > 1 and there.any():
        mean = flat[:, there].mean(axis=0)
        sums = numpy.zeros((len(names), int(there.sum())))
        numpy.add.at(sums, [names[name] for name in subjects], flat[:, there] - mean)
        error = numpy.sqrt((sums**2).sum(axis=0) * len(names) / (len(names) - 1)) / len(flat)
        size = numpy.divide(abs(mean), error, out=numpy.zeros_like(mean), where=error > 1e-9 * abs(mean))
        found[there] = 2 * stats.t.sf(size, len(names) - 1)
    result: Array = found.reshape(values.shape[1:])
    return result


def agreement(guess: Array, exact: Array, counts: Array, top: int = 0) -> Agreement:
    """Return how far two estimates agree: both [pairs, parts]; parts that are NaN in `exact` are left out.

    Correlations are None where fewer than three parts are there, or all are alike. Bounds are those of the
    draws of pairs.
    """
    import numpy  # noqa: PLC0415 (an extra)
    from scipy import stats  # noqa: PLC0415 (an extra)

    there = ~numpy.isnan(exact).any(axis=0)
    ours, true = (drawn_means(values[:, there], counts) for values in (guess, exact))
    parts = int(there.sum())
    singly = [stats.rankdata(values[:, there], axis=1) for values in (guess, exact)]
    within = drawn_means(numpy.nan_to_num(_row_correlations(*singly)), counts)
    ranks = [stats.rankdata(values, axis=1) for values in (ours, true)]
    overlap = None
    if top and there.all() and parts >= top:
        both = [_foremost_flags(values, top) for values in (ours, true)]
        overlap = _bounds_of_draws((both[0] & both[1]).sum(axis=1).astype(float))
    return Agreement(
        parts,
        spearman=_bounds_of_draws(_row_correlations(*ranks)),
        spearman_within=_bounds_of_draws(within) if parts >= 3 else None,
        pearson=_bounds_of_draws(_row_correlations(ours, true)),
        overlap=overlap,
        top=top,
    )


def _foremost_flags(values: Array, top: int) -> Any:
    """Return which parts are the foremost of each draw: [draws, parts]."""
    import numpy  # noqa: PLC0415 (an extra)

    order = numpy.argsort(-abs(values), axis=1, kind="stable")[:, :top]
    flags = numpy.zeros(values.shape, dtype=bool)
    numpy.put_along_axis(flags, order, values=True, axis=1)
    return flags


def overlap_of_foremost(
    one: Array, other: Array, counts: tuple[Array, Array], top: int = FOREMOST
) -> Estimate:
    """Return how many of the foremost heads two kinds of pairs share. Both are [pairs, heads]."""
    flags = [
        _foremost_flags(drawn_means(values, weights), top)
        for values, weights in zip((one, other), counts, strict=True)
    ]
    found = _bounds_of_draws((flags[0] & flags[1]).sum(axis=1).astype(float))
    return found or Estimate(0.0, 0.0, 0.0)


def _row_correlations(one: Array, other: Array) -> Array:
    """Pearson's correlation of each row; NaN where a row does not vary or has fewer than three values."""
    import numpy  # noqa: PLC0415 (an extra)

    if one.shape[1] < 3:
        return numpy.full(len(one), numpy.nan)
    a, b = (values - values.mean(axis=1, keepdims=True) for values in (one, other))
    size = numpy.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    found: Array = numpy.where(size > 0, (a * b).sum(axis=1) / numpy.where(size > 0, size, 1), numpy.nan)
    return found


def _bounds_of_draws(values: Array) -> Estimate | None:
    """Return the value as it is, and the bounds of the draws; None where there is no value."""
    import numpy  # noqa: PLC0415 (an extra)

    drawn = values[1:][~numpy.isnan(values[1:])]
    if numpy.isnan(values[0]) or not len(drawn):
        return None
    low, high = numpy.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], method="weibull")
    return Estimate(float(values[0]), float(low), float(high))
