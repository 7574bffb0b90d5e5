"""Lines with shades as inline SVG: what changes from round to round, and how values are spread."""

from __future__ import annotations

from collections.abc import Sequence

from fairlint.bench.report.charts import LETTER, SERIES, drawing, escape, num, text_at
from fairlint.support.records import Record

Point = tuple[float, float]
HEIGHT = 258.0
LEFT, TOP, RIGHT = 46.0, 12.0, 14.0
FOOT = 62.0
ROW = 18.0
"""The height of a line of the legend."""
MOST = 12
"""Lines that are drawn; of more, the first."""


class Line(Record):
    """A line."""

    label: str
    points: tuple[Point, ...]
    shade: tuple[Point, ...] = ()
    """The lower and the upper bound at each point."""


def lines(
    known: Sequence[Line], *, width: float, kind: str, what: str, across: str, is_share: bool = True
) -> str:
    """Return lines from 0 upwards, with a legend below; `is_share` writes heights as shares and ends them at
    1.
    """
    drawn = known[:MOST]
    rows = _legend_places(drawn, width)
    height = HEIGHT + ROW * (1 + max(row for row, _ in rows)) if rows else HEIGHT
    right, bottom = width - RIGHT, HEIGHT - FOOT
    xs = [x for line in drawn for x, _ in line.points]
    ys = [y for line in drawn for _, y in line.points] + [high for line in drawn for _, high in line.shade]
    low, high = min(xs), max(xs)
    top = max(ys) or 1.0
    top = min(1.0, top * 1.1) if is_share else top * 1.05

    def at(x: float, y: float) -> Point:
        place = (x - low) / (high - low) if high > low else 0.5
        return LEFT + (right - LEFT) * place, bottom - (bottom - TOP) * min(y, top) / top

    parts = [
        f'<rect class="plot" x="{LEFT}" y="{TOP}" width="{num(right - LEFT)}" height="{num(bottom - TOP)}"/>'
    ]
    for step in range(5):
        y = bottom - (bottom - TOP) * step / 4
        parts.append(f'<line class="grid" x1="{LEFT - 5}" x2="{LEFT}" y1="{num(y)}" y2="{num(y)}"/>')
        parts.append(text_at(LEFT - 8, y + 4, f"{top * step / 4:.2f}", "tick", "end"))
    for x in _axis_ticks(low, high):
        tick = at(x, 0)[0]
        parts.append(
            f'<line class="grid" x1="{num(tick)}" x2="{num(tick)}" y1="{num(bottom)}" '
            f'y2="{num(bottom + 5)}"/>'
        )
        parts.append(text_at(tick, bottom + 18, f"{x:g}", "tick", "middle"))
    parts.append(text_at((LEFT + right) / 2, bottom + 36, across, "axis", "middle"))
    for place, line in enumerate(drawn):
        series = f"s{place % SERIES}"
        if line.shade:
            edge = [at(x, one) for (x, _), (one, _) in zip(line.points, line.shade, strict=True)]
            edge += reversed(
                [at(x, other) for (x, _), (_, other) in zip(line.points, line.shade, strict=True)]
            )
            parts.append(f'<polygon class="shade {series}" points="{_svg_points(edge)}"/>')
        points = _svg_points([at(*point) for point in line.points])
        parts.append(
            f'<polyline class="line {series}" '
            f'points="{points}"><title>{escape(line.label)}</title></polyline>'
        )
    for place, (line, (row, x)) in enumerate(zip(drawn, rows, strict=True)):
        y = HEIGHT + ROW * row
        series = f"s{place % SERIES}"
        parts.append(
            f'<line class="line {series}" x1="{num(x)}" x2="{num(x + 18)}" y1="{num(y)}" y2="{num(y)}"/>'
        )
        parts.append(text_at(x + 24, y + 4, line.label, "tick", "start"))
    return drawing(kind, width, height, what, parts)


def _svg_points(points: Sequence[Point]) -> str:
    return " ".join(f"{num(x)},{num(y)}" for x, y in points)


def _axis_ticks(low: float, high: float) -> list[float]:
    if high - low >= 2:
        step = max(1, round((high - low) / 6))
        return [float(place) for place in range(int(low), int(high) + 1, step)]
    return [low + (high - low) * part / 4 for part in range(5)]


def _legend_places(known: Sequence[Line], width: float) -> list[tuple[int, float]]:
    """Return the row and the beginning of each label."""
    found: list[tuple[int, float]] = []
    row, x = 0, 8.0
    for line in known:
        needed = 36 + LETTER * len(line.label)
        if x > 8 and x + needed > width:
            row, x = row + 1, 8.0
        found.append((row, x))
        x += needed
    return found
