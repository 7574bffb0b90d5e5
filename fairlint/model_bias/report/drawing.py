"""Figures as SVG, by matplotlib. The same numbers give the same file, byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairlint.backends.extras import need
from fairlint.model_bias.shown import Bars, Curves, Dots, Dumbbells, Heat
from fairlint.rendering.plots import COLOURS, FAINT, SOFT, as_svg, colour, mark

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAMED = 8
"""Points of a scatter that bear their names: those that are furthest from the middle."""


def svg(one: Heat | Dots | Curves | Bars | Dumbbells) -> str:
    """Return the figure as an SVG document. Raises ModelError where matplotlib is missing."""
    need("matplotlib.figure", "model")
    return as_svg(lambda make: _draw_figure(make, one))


def _draw_figure(make: type[Figure], one: Heat | Dots | Curves | Bars | Dumbbells) -> Figure:
    if isinstance(one, Heat):
        layers, heads = len(one.values), max(map(len, one.values))
        figure = make(figsize=(min(7.2, 2.2 + 0.24 * layers), min(6.0, 1.3 + 0.2 * heads)))
        _draw_heat(figure, figure.subplots(), one)
        return figure
    if isinstance(one, Bars):
        figure = make(figsize=(6.4, 0.8 + 0.28 * max(1, len(one.rows))))
        _draw_bars(figure.subplots(), one)
        return figure
    if isinstance(one, Dumbbells):
        figure = make(figsize=(6.4, 1.1 + 0.17 * max(1, len(one.rows))))
        _draw_dumbbells(figure.subplots(), one)
        return figure
    figure = make(figsize=(5.2, 3.6))
    axes = figure.subplots()
    if isinstance(one, Dots):
        _draw_dots(axes, one)
    else:
        _draw_curves(axes, one)
    axes.set_xlabel(one.across)
    axes.set_ylabel(one.up)
    return figure


def _draw_heat(figure: Figure, axes: Axes, one: Heat) -> None:
    by_head = [list(column) for column in zip(*one.values, strict=True)]
    most = max((abs(value) for column in by_head for value in column), default=0.0) or 1.0
    picture = axes.imshow(
        by_head, cmap="RdBu_r", vmin=-most, vmax=most, aspect="auto", interpolation="nearest"
    )
    axes.set_xlabel("layer")
    axes.set_ylabel("head")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(need("matplotlib.ticker", "model").MaxNLocator(integer=True))
    figure.colorbar(picture, ax=axes, label=one.unit)


def _draw_dots(axes: Axes, one: Dots) -> None:
    axes.axhline(0, color=FAINT, zorder=0)
    axes.axvline(0, color=FAINT, zorder=0)
    xs, ys = [x for _, x, _ in one.points], [y for _, _, y in one.points]
    if one.diagonal and xs:
        ends = [min(*xs, *ys), max(*xs, *ys)]
        axes.plot(ends, ends, color=SOFT, linewidth=0.8, linestyle="--", zorder=1)
    kinds = [[point for point in one.points if not _has_mark(one, point[0])]]
    kinds.append([point for point in one.points if _has_mark(one, point[0])])
    for place, points in enumerate(kinds):
        label = one.marked if place else one.unmarked
        axes.scatter(
            [x for _, x, _ in points], [y for _, _, y in points], s=14, color=colour(place),
            marker=mark(place), alpha=0.75, linewidths=0, zorder=2 + place, label=label,
        )  # fmt: skip
    if all(kinds):
        axes.legend()
    furthest = sorted(one.points, key=lambda point: -(point[1] ** 2 + point[2] ** 2))[:NAMED]
    for label, x, y in furthest:
        axes.annotate(label, (x, y), xytext=(3, 3), textcoords="offset points", fontsize=7)


def _has_mark(one: Dots, name: str) -> bool:
    return bool(one.marked) and name.startswith(one.marked)


def _draw_curves(axes: Axes, one: Curves) -> None:
    if one.level is not None:
        axes.axhline(one.level, color=SOFT, linewidth=0.8, linestyle="--", zorder=0)
    for place, line in enumerate(one.lines):
        shade, sign = colour(place), mark(place)
        if line.low:
            axes.fill_between(line.across, line.low, line.high, color=shade, alpha=0.15, linewidth=0)
        axes.plot(line.across, line.up, color=shade, marker=sign, markersize=3.5, label=line.label)
    if all(float(x).is_integer() for line in one.lines for x in line.across):
        axes.xaxis.set_major_locator(need("matplotlib.ticker", "model").MaxNLocator(integer=True))
    if len(one.lines) > 1:
        axes.legend()


def _draw_bars(axes: Axes, one: Bars) -> None:
    places = list(range(len(one.rows)))
    if one.level is not None:
        axes.axvline(one.level, color=SOFT, linewidth=0.8, linestyle="--", zorder=0)
    for place, (_, value, low, high) in zip(places, one.rows, strict=True):
        if low is not None and high is not None:
            axes.plot(
                [low, high], [place, place], color=COLOURS[0], linewidth=2, alpha=0.5, solid_capstyle="round"
            )
        axes.plot([value], [place], marker="o", color=COLOURS[0], markersize=5)
    axes.set_yticks(places, [label for label, *_ in one.rows])
    axes.set_ylim(len(one.rows) - 0.4, -0.6)
    axes.set_xlabel(one.unit)


def _draw_dumbbells(axes: Axes, one: Dumbbells) -> None:
    places = list(range(len(one.rows)))
    if one.level is not None:
        axes.axvline(one.level, color=SOFT, linewidth=0.8, linestyle="--", zorder=0)
    for place, (_, values) in zip(places, one.rows, strict=True):
        axes.plot([min(values), max(values)], [place, place], color="#c9c5ba", linewidth=1.5, zorder=1)
    for number, label in enumerate(one.ends):
        axes.scatter(
            [values[number] for _, values in one.rows],
            places,
            s=16,
            color=colour(number),
            marker=mark(number),
            label=label,
            zorder=2,
        )
    axes.set_yticks(places, [label for label, _ in one.rows], fontsize=7)
    axes.set_ylim(len(one.rows) - 0.4, -0.6)
    axes.set_xlabel(one.unit)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(one.ends))
