"""The figures of a comparison, drawn by matplotlib for a paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fairlint.backends.extras import need
from fairlint.bench.report.charts import spread
from fairlint.bench.report.figures import (
    SIZES,
    Dot,
    Head,
    Preferences,
    Ranks,
    Spots,
    has_untested_dots,
    rank_of,
)
from fairlint.rendering.plots import COLOURS, FAINT, SOFT, Drawn, as_files, colour, mark

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW, COLUMN = 0.27, 0.52
"""Inches of a row and a column of dots."""
LARGEST = 110.0
"""The area of a dot at strength 1, in square points; it grows with strength."""
SMALLEST = 5.0
LEGEND = 45.0
BESIDE = 8.0
"""How far right of a dot's centre its refusal rate stands, in points."""
UNNAMED_MARKS: Mapping[str, tuple[str, float]] = {
    "nobody": ("o", 10.0),
    "several": ("$+$", 30.0),
    "unclear": ("$?$", 30.0),
}
"""Why no group is named → its mark, and the area of that in square points."""
CONTOURS = (0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95)


def files(one: Ranks | Preferences | Spots) -> Drawn:
    """Return a figure as SVG and PDF. Raises ModelError where matplotlib is missing."""
    need("matplotlib.figure", "bench")
    return as_files(lambda make: _draw_figure(make, one))


def _draw_figure(make: type[Figure], one: Ranks | Preferences | Spots) -> Figure:
    match one:
        case Ranks():
            return _draw_ranks(make, one)
        case Preferences():
            return _draw_preferences(make, one)
        case _:
            return _draw_spots(make, one)


def _draw_ranks(make: type[Figure], one: Ranks) -> Figure:
    figure = make(figsize=(6.4, 0.7 + ROW * len(one.rows)))
    axes = figure.subplots()
    for place, row in enumerate(one.rows):
        faint = row.rank is None
        if row.low is not None and row.high is not None:
            axes.plot([row.low, row.high], [place, place], color=COLOURS[0], linewidth=2, alpha=0.45)
        if row.mean is not None:
            axes.plot(
                [row.mean], [place], marker="o", color=COLOURS[0], markersize=5,
                fillstyle="none" if faint else "full",
            )  # fmt: skip
        axes.text(1.02, place, rank_of(row), transform=axes.get_yaxis_transform(), va="center")
    axes.text(1.02, -0.9, "ranks left open", transform=axes.get_yaxis_transform(), color=SOFT, fontsize=8)
    axes.set_yticks(list(range(len(one.rows))), [row.label for row in one.rows])
    axes.set_ylim(len(one.rows) - 0.4, -0.6)
    axes.grid(visible=True, axis="x", color=FAINT, linewidth=0.8)
    axes.set_axisbelow(True)
    beside = [(row.beside, place) for place, row in enumerate(one.rows) if row.beside is not None]
    if beside:
        xs, ys = zip(*beside, strict=True)
        axes.plot(xs, ys, linestyle="none", marker="|", color=SOFT, markersize=9)
    axes.set_xlabel(f"{one.scores[0]}, with 95 % interval; stroke: {one.scores[1]}")
    return figure


# ----------------------------------------------------------------------------------------- whom is preferred


def _draw_preferences(make: type[Figure], one: Preferences) -> Figure:
    rows, columns = len(one.rows), len(one.heads)
    height = ROW * (rows + len(one.legend) + 4.5)
    figure = make(figsize=(1.6 + max(COLUMN * columns, 4.6), height))
    axes, below = figure.subplots(
        2, 1, height_ratios=(rows + 0.6, len(one.legend) + 3.6), gridspec_kw={"hspace": 0.02}
    )
    for line, row in enumerate(one.dots):
        for place, dot in enumerate(row):
            _draw_dot(axes, place, line, dot)
    axes.set_xlim(-0.6, columns - 0.3)
    axes.set_ylim(rows - 0.4, -0.6)
    axes.set_yticks(list(range(rows)), _tick_labels(one.rows))
    axes.xaxis.tick_top()
    axes.set_xticks(
        list(range(columns)), _tick_labels(one.heads), rotation=60, ha="left", rotation_mode="anchor"
    )
    axes.tick_params(length=0)
    axes.grid(visible=True, color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    for place in _head_boundaries(one.heads):
        axes.axvline(place - 0.5, color=SOFT, linewidth=0.8)
    for line in _head_boundaries(one.rows):
        axes.axhline(line - 0.5, color=SOFT, linewidth=0.8)
    axes.spines[:].set_visible(False)
    _draw_legend(below, one)
    return figure


def _tick_labels(heads: Sequence[Head]) -> list[str]:
    """Return what stands at ticks."""
    return [f"{head.over}: {head.name}" if head.over else head.name for head in heads]


def _head_boundaries(heads: Sequence[Head]) -> list[int]:
    """Return where what heads belong to changes."""
    return [place for place in range(1, len(heads)) if heads[place].over != heads[place - 1].over]


def _draw_dot(axes: Axes, x: float, y: float, dot: Dot | str) -> None:
    if isinstance(dot, str):
        axes.text(x, y, "–", color=SOFT, ha="center", va="center")
        return
    if dot.refusal_rate is not None:
        axes.annotate(
            f"{dot.refusal_rate:.2f}", (x, y), xytext=(BESIDE, 0), textcoords="offset points", color=SOFT,
            fontsize=6, va="center",
        )  # fmt: skip
    if dot.place is None:
        _draw_unnamed_mark(axes, x, y, dot.whom)
        return
    _draw_group_mark(
        axes, x, y, dot.place, max(SMALLEST, LARGEST * min(1.0, dot.strength)), sure=dot.sure is not False
    )


def _draw_unnamed_mark(axes: Axes, x: float, y: float, whom: str) -> None:
    """Note in grey that no group is preferred, and why."""
    sign, area = UNNAMED_MARKS.get(whom, UNNAMED_MARKS["nobody"])
    hollow = "none" if sign == "o" else SOFT
    axes.scatter([x], [y], s=area, marker=sign, facecolors=hollow, edgecolors=SOFT, linewidths=0.7)


def _draw_group_mark(axes: Axes, x: float, y: float, place: int, area: float, *, sure: bool = True) -> None:
    """Note a group's mark; hollow where chance could lean as far."""
    shade, sign = (SOFT, "X") if place < 0 else (colour(place), mark(place))
    axes.scatter(
        [x], [y], s=area, marker=sign, facecolors=shade if sure else "none", edgecolors=shade, linewidths=0.9
    )


def _draw_legend(axes: Axes, one: Preferences) -> None:
    """Note the groups of each attribute, and what sizes mean, in lines."""
    axes.set_axis_off()
    axes.set_xlim(0, 7)
    axes.set_ylim(len(one.legend) + 3.1, -0.5)
    for line, (attribute, groups) in enumerate(one.legend):
        axes.text(0, line, attribute, color=SOFT, va="center", fontsize=8)
        for place, group in enumerate(groups):
            _draw_group_mark(axes, 1.6 + 1.4 * place, line, place, LEGEND)
            axes.text(1.75 + 1.4 * place, line, group, va="center", fontsize=8)
    line = len(one.legend)
    axes.text(0, line, "strength", color=SOFT, va="center", fontsize=8)
    for place, size in enumerate(SIZES):
        _draw_group_mark(axes, 1.6 + 1.4 * place, line, -1, max(SMALLEST, LARGEST * size))
        axes.text(1.75 + 1.4 * place, line, f"{size:g}", va="center", fontsize=8)
    told = any(isinstance(dot, Dot) and dot.sure is not None for row in one.dots for dot in row)
    sign = "solid: not tested" if has_untested_dots(one.dots) else "hollow: not sure" if told else ""
    axes.text(1.75 + 1.4 * len(SIZES), line, sign, color=SOFT, va="center", fontsize=8)
    axes.text(0, line + 1, "no group", color=SOFT, va="center", fontsize=8)
    for place, whom in enumerate(UNNAMED_MARKS):
        _draw_unnamed_mark(axes, 1.6 + 1.4 * place, line + 1, whom)
        axes.text(1.75 + 1.4 * place, line + 1, whom, va="center", fontsize=8)
    _draw_group_mark(axes, 1.6 + 1.4 * len(UNNAMED_MARKS), line + 1, -1, LEGEND)
    axes.text(1.75 + 1.4 * len(UNNAMED_MARKS), line + 1, "a group not listed", va="center", fontsize=8)
    axes.text(0, line + 2, "number", color=SOFT, va="center", fontsize=8)
    axes.text(1.6, line + 2, "refusal rate R", va="center", fontsize=8)


# --------------------------------------------------------------------------------------- entropy and refusal


def _draw_spots(make: type[Figure], one: Spots) -> Figure:
    figure = make(figsize=(6.4, max(3.6, 0.8 + 0.19 * len(one.spots))))
    axes = figure.subplots()
    across = _padded_range([spot.refusal_rate for spot in one.spots])
    up = _padded_range([spot.entropy for spot in one.spots])
    for level in CONTOURS:
        rates = [across.low + (across.high - across.low) * step / 80 for step in range(81)]
        line = [(rate, 1 - (1 - level) / (1 - rate)) for rate in rates if rate < 1]
        inside = [(rate, entropy) for rate, entropy in line if up.low <= entropy <= up.high]
        if len(inside) > 1:
            axes.plot(*zip(*inside, strict=True), color=SOFT, linewidth=0.6, linestyle=(0, (3, 4)), zorder=0)
            axes.annotate(
                f"{level:g}", inside[0], fontsize=7, color=SOFT, xytext=(2, 2), textcoords="offset points"
            )
    for spot in one.spots:
        axes.scatter(
            [spot.refusal_rate], [spot.entropy], s=38, marker=mark(spot.place), color=colour(spot.place),
            edgecolors="white", linewidths=0.6, zorder=3,
        )  # fmt: skip
    axes.set_xlim(*across)
    axes.set_ylim(*up)
    order = sorted(one.spots, key=lambda spot: -spot.entropy)
    heights = spread([(spot.entropy - up.low) / (up.high - up.low) for spot in order], 0.19 / 2.8)
    for spot, height in zip(order, heights, strict=True):
        axes.annotate(
            "", (spot.refusal_rate, spot.entropy), xytext=(1.01, height), textcoords="axes fraction",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": SOFT, "linewidth": 0.4, "shrinkA": 0, "shrinkB": 3},
        )  # fmt: skip
        axes.plot(
            [1.025], [height], transform=axes.transAxes, marker=mark(spot.place), color=colour(spot.place),
            markersize=4.5, clip_on=False,
        )  # fmt: skip
        axes.text(1.045, height, spot.label, transform=axes.transAxes, va="center", fontsize=8)
    axes.set_xlabel("refusal rate R")
    axes.set_ylabel("preference entropy E")
    return figure


class _Range(NamedTuple):
    low: float
    high: float


def _padded_range(values: Sequence[float]) -> _Range:
    """Bound about all values, within 0 and 1 but for a little room."""
    low, high = min(values), max(values)
    room = max(0.05, (high - low) * 0.08)
    return _Range(max(-0.02, low - room), min(1.02, high + room))
