"""What the page shows where `fairlint model ablate` switches each part off alone: maps of heads, and MLPs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairlint.model_bias.anatomy import component
from fairlint.model_bias.scanning import SHOWN as FOREMOST
from fairlint.model_bias.scanning import Effect, effects_by_figure
from fairlint.model_bias.shown import Bars, Heat, Shown, Table, Value, interval


def pictures(steps: Sequence[Mapping[str, Any]]) -> list[Shown]:
    """Return for each figure a map of all heads, the MLPs with intervals, and the largest changes."""
    found: list[Shown] = []
    for figure, effects in effects_by_figure(steps).items():
        name = figure.replace(".", "-").replace(":", "-")
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (each, one["before"], one["after"], one["difference"], interval(one["low"], one["high"]),
             one["adjusted"])
            for each, one in list(effects.items())[:FOREMOST]
        )  # fmt: skip
        columns = ("component", "before", "after", "difference", "95 %", "adjusted p")
        note = "p-values are adjusted for all components and figures."
        found.append(Table(f"{name}-each", f"{figure}: the largest changes", note, columns, rows))
        found += [*_map_of_heads(name, figure, effects), *_bars_of_mlps(name, figure, effects)]
    return found


def _map_of_heads(name: str, figure: str, effects: Mapping[str, Effect]) -> list[Shown]:
    """Return a map, where all heads of some layers from the first on were tried."""
    values = {component(each): one["difference"] for each, one in effects.items()}
    heads = {one: value for one, value in values.items() if one.head is not None and value is not None}
    layers, width = (1 + max((at(one) for one in heads), default=-1) for at in (_layer, _head))
    if not heads or len(heads) < layers * width:
        return []
    by_place = {(one.layer, one.head): value for one, value in heads.items()}
    rows = tuple(tuple(by_place[layer, head] for head in range(width)) for layer in range(layers))
    note = "Change of the figure where this head alone is switched off."
    return [Heat(f"{name}-heads", f"{figure}: each head alone", note, rows, "difference")]


def _layer(one: Any) -> int:
    return int(one.layer)


def _head(one: Any) -> int:
    return int(one.head)


def _bars_of_mlps(name: str, figure: str, effects: Mapping[str, Effect]) -> list[Shown]:
    mlps = sorted(
        (each for each in effects if component(each).head is None), key=lambda each: component(each).layer
    )
    rows = tuple(
        (each, effects[each]["difference"], effects[each]["low"], effects[each]["high"])
        for each in mlps
        if effects[each]["difference"] is not None
    )
    note = "Change of the figure where the MLP of this layer alone is switched off, with 95 % intervals."
    return [Bars(f"{name}-mlps", f"{figure}: each MLP alone", note, "difference", rows, 0.0)] if rows else []
