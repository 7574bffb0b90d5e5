"""Effects with their bounds, against placebo and what could have been seen, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairlint.backends.extras import need
from fairlint.rendering.plots import COLOURS, FAINT, SOFT, as_svg
from fairlint.support.records import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROOM = 1.12
"""How far the axis goes beyond what is drawn."""
LEAST_REACH = 5.0
"""Points that the axis shows on each side, however small all effects are."""


class Row(Record):
    """One effect, in points of the scale; None where unknown."""

    label: str
    value: float | None
    low: float | None
    high: float | None
    placebo: float | None
    """The same difference among rewrites."""
    least: float | None
    """The least effect that would have been found with 80 %."""
    is_seen: bool
    others: tuple[float, ...] = ()
    """The effect without each first name."""


def forest(rows: Sequence[Row], threshold: float) -> str:
    """Return the picture as an SVG document. Raises ModelError where matplotlib is missing."""
    need("matplotlib.figure", "bench")
    return as_svg(lambda make: _draw_figure(make, rows, threshold))


def _draw_figure(make: type[Figure], rows: Sequence[Row], threshold: float) -> Figure:
    figure = make(figsize=(5.2, 1.15 + 0.36 * len(rows)))
    axes = figure.subplots()
    reach = max([LEAST_REACH, *(ROOM * abs(one) for row in rows for one in _numbers(row))])
    axes.axvline(0, color=SOFT, linewidth=0.8, zorder=1)
    for side in (-threshold, threshold) if threshold else ():
        axes.axvline(side, color=SOFT, linewidth=0.8, linestyle="--", zorder=1)
    for place, row in enumerate(rows):
        _draw_row(axes, place, row, reach)
    axes.set_yticks(range(len(rows)), [row.label for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(-reach, reach)
    axes.set_xlabel("points beyond placebo")
    axes.tick_params(axis="y", length=0)
    _draw_legend(axes, rows)
    return figure


def _numbers(row: Row) -> list[float]:
    """Return all that has to be on the picture."""
    return [one for one in (row.value, row.low, row.high, row.placebo, *row.others) if one is not None]


def _draw_row(axes: Axes, place: int, row: Row, reach: float) -> None:
    if row.least is not None:
        least = min(row.least, reach)
        axes.barh(place, 2 * least, left=-least, height=0.62, color=FAINT, zorder=0)
    shade = COLOURS[4] if row.is_seen else COLOURS[0]
    if row.low is not None and row.high is not None:
        axes.plot(
            [row.low, row.high], [place, place], color=shade, linewidth=2, solid_capstyle="butt", zorder=3
        )
    if row.others:
        axes.plot(
            row.others,
            [place] * len(row.others),
            linestyle="",
            marker="|",
            color=SOFT,
            markersize=9,
            zorder=2,
        )
    if row.placebo is not None:
        axes.plot(
            [row.placebo], [place], marker="D", color=SOFT, markerfacecolor="white", markersize=4.5, zorder=4
        )
    if row.value is not None:
        axes.plot([row.value], [place], marker="o", color=shade, markersize=6, zorder=5)


def _draw_legend(axes: Axes, rows: Sequence[Row]) -> None:
    lines = need("matplotlib.lines", "bench").Line2D
    patch = need("matplotlib.patches", "bench").Patch
    held = [
        lines([], [], color=COLOURS[0], marker="o", markersize=5, label="effect, adjusted bounds"),
        lines(
            [],
            [],
            color=SOFT,
            marker="D",
            markerfacecolor="white",
            markersize=4,
            linestyle="",
            label="placebo",
        ),
    ]
    if any(row.is_seen for row in rows):
        held.insert(1, lines([], [], color=COLOURS[4], marker="o", markersize=5, label="seen"))
    if any(row.others for row in rows):
        held.append(lines([], [], color=SOFT, marker="|", linestyle="", label="without one name"))
    if any(row.least is not None for row in rows):
        held.append(patch(color=FAINT, label="found in less than 80 %"))
    axes.legend(handles=held, loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=3, fontsize=7.5)
