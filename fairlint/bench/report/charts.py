"""Charts as inline SVG. Colours are CSS variables and classes of the page, so that light and dark work.

All functions give markup in which every text that comes from outside is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape as as_markup
from typing import NamedTuple

from fairlint.rendering.safe_text import plain
from fairlint.support.records import Record

LARGEST = 17.0
"""The radius of a dot at strength 1, in units of the drawing; a dot's area grows with its strength."""
SMALLEST = 2.5
SIZE = 48
"""The width and height of a dot's picture."""
SERIES = 6
"""How many colours there are; then they begin anew."""
SHAPES = 7
"""The same of shapes: the two numbers share no factor, so that 42 series differ in one or the other."""
OTHER = -1
"""The place of all groups that are none of an attribute's own."""
LETTER = 7.4
"""The width of a letter at the size of the charts' labels, rather too wide than too narrow."""
FEW_CONTOURS = (0.2, 0.4, 0.6, 0.8, 0.9)
WIDE = 0.65
"""From this range of an axis on there are fewer numbers and contour lines."""
STEPS = 96
"""How many stretches a contour line is drawn of."""
CONTOURS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


class Mark(Record):
    """One point of the scatter."""

    label: str
    told: str
    """What pointing at it tells."""
    series: int
    x: float
    y: float


class Bar(Record):
    """One bar of a group; `bounds` are drawn as a whisker."""

    label: str
    kind: str
    """The class of its colour."""
    value: float
    bounds: Sequence[float] | None
    told: str


def escape(text: str) -> str:
    """Return a text as markup, without control characters."""
    return as_markup(plain(text))


def shape(place: int, x: float, y: float, radius: float) -> str:
    """Return a filled shape about a middle, in its colour: by its place a circle, square, diamond and so on.

    All have about the area of the circle.
    """
    kind = "other" if place == OTHER else f"g{place % SERIES}"
    if place != OTHER and place % SHAPES == 0:
        return f'<circle class="{kind}" cx="{num(x)}" cy="{num(y)}" r="{num(radius)}"/>'
    outline = _OUTLINES[place if place == OTHER else place % SHAPES]
    told = " ".join(f"{num(x + dx * radius)},{num(y + dy * radius)}" for dx, dy in outline)
    return f'<polygon class="{kind}" points="{told}"/>'


def _regular_polygon(corners: int, turn: float) -> list[tuple[float, float]]:
    """Return a regular polygon with the area of the unit circle."""
    reach = math.sqrt(2 * math.pi / (corners * math.sin(2 * math.pi / corners)))
    angles = [turn + 2 * math.pi * corner / corners for corner in range(corners)]
    return [(reach * math.cos(angle), reach * math.sin(angle)) for angle in angles]


def _cross_polygon(turn: float = 0.0) -> list[tuple[float, float]]:
    arm, half = 1.12, 0.4
    upright = [
        (-half, -arm), (half, -arm), (half, -half), (arm, -half), (arm, half), (half, half),
        (half, arm), (-half, arm), (-half, half), (-arm, half), (-arm, -half), (-half, -half),
    ]  # fmt: skip
    sine, cosine = math.sin(turn), math.cos(turn)
    return [(x * cosine - y * sine, x * sine + y * cosine) for x, y in upright]


_OUTLINES = {
    1: _regular_polygon(4, math.pi / 4),
    2: _regular_polygon(4, 0),
    3: _regular_polygon(3, -math.pi / 2),
    4: _regular_polygon(6, 0),
    5: _regular_polygon(3, math.pi / 2),
    6: _cross_polygon(),
    OTHER: _cross_polygon(math.pi / 4),
}


def dot(
    place: int | None,
    strength: float,
    told: str,
    *,
    doubtful: bool = False,
    sure: bool = True,
    size: int = SIZE,
) -> str:
    """Return a dot of the matrix: which group by colour and shape (None: nobody), how strongly by its area.

    It is pale where it is doubtful, and hollow where it is not sure.
    """
    radius = max(SMALLEST, LARGEST * math.sqrt(min(1.0, max(0.0, strength))))
    if place is None:
        drawn = '<circle class="nobody" cx="24" cy="24" r="4"/>'
    else:
        drawn = shape(place, 24, 24, radius)
    kind = f"dot{' doubtful' if doubtful else ''}{'' if sure else ' unsure'}"
    return (
        f'<svg class="{kind}" viewBox="0 0 48 48" width="{size}" height="{size}" aria-hidden="true">'
        f"<title>{escape(told)}</title>{drawn}</svg>"
    )


def whisker(value: float | None, bounds: Sequence[float] | None, *, low: float = 0.0) -> str:
    """Return a value and its bounds on a line from `low` to 1, to be read beside its numbers."""
    if value is None:
        return ""
    width = 96.0

    def at(one: float) -> float:
        return 4 + (width - 8) * (min(1.0, max(low, one)) - low) / (1 - low)

    line = (
        f'<line class="reach" x1="{num(at(bounds[0]))}" x2="{num(at(bounds[1]))}" y1="8" y2="8"/>'
        if bounds
        else ""
    )
    return (
        f'<svg class="whisker" viewBox="0 0 {num(width)} 16" width="{num(width)}" height="16" '
        'aria-hidden="true">'
        f'<line class="track" x1="4" x2="{num(width - 4)}" y1="8" y2="8"/>{line}'
        f'<circle class="value" cx="{num(at(value))}" cy="8" r="3.5"/></svg>'
    )


# ------------------------------------------------------------------------------------ entropy against refusal


class Plane(Record):
    """What the axes of a scatter are, and whether lines of equal R + E - R E or the best marks are drawn."""

    across: str
    upward: str
    what: str
    contours: bool = False


REFUSALS = Plane(
    "refusal rate R →", "preference entropy E →", "Preference entropy against refusal rate", contours=True
)


def scatter(
    marks: Sequence[Mark],
    *,
    width: float,
    height: float,
    kind: str,
    named: bool,
    margin: float = 0.0,
    plane: Plane = REFUSALS,
) -> str:
    """Draw marks in a plane: by default entropy (up) against refusal rate (to the right), with lines along
    which R + E - R E is the same; in others a line joins the marks that none surpasses in both.

    The axes show the part where the points are, and say so by their numbers. `named` writes the labels of
    points beside them where there is room; with a `margin` at the right all labels stand there, each with its
    mark and a line to its point.
    """
    plot = left, top, right, bottom = 50.0, 12.0, width - 14.0 - margin, height - 42.0
    across, upward = _axis_range([mark.x for mark in marks]), _axis_range([mark.y for mark in marks])

    def x_of(value: float) -> float:
        return left + (right - left) * (value - across[0]) / (across[1] - across[0])

    def y_of(value: float) -> float:
        return bottom - (bottom - top) * (value - upward[0]) / (upward[1] - upward[0])

    def at(rate: float, entropy: float) -> tuple[float, float]:
        return x_of(rate), y_of(entropy)

    parts = [
        f'<rect class="plot" x="{left}" y="{top}" width="{num(right - left)}" height="{num(bottom - top)}"/>'
    ]
    taken: list[Box] = []
    for mark in marks:
        x, y = x_of(mark.x), y_of(mark.y)
        taken.append((x - 7, y - 7, x + 7, y + 7))
    for value in _axis_ticks(*across):
        x = x_of(value)
        parts.append(
            f'<line class="grid" x1="{num(x)}" x2="{num(x)}" y1="{num(bottom)}" y2="{num(bottom + 5)}"/>'
        )
        parts.append(text_at(x, bottom + 18, f"{value:.1f}", "tick", "middle"))
    for value in _axis_ticks(*upward):
        y = y_of(value)
        parts.append(
            f'<line class="grid" x1="{num(left - 5)}" x2="{num(left)}" y1="{num(y)}" y2="{num(y)}"/>'
        )
        parts.append(text_at(left - 8, y + 4, f"{value:.1f}", "tick", "end"))
    parts.append(text_at((left + right) / 2, height - 6, plane.across, "axis", "middle"))
    parts.append(
        '<text class="axis" text-anchor="middle" '
        f'transform="translate(12 {num((top + bottom) / 2)}) rotate(-90)">'
        f"{plane.upward}</text>"
    )
    levels = CONTOURS if upward[1] - upward[0] < WIDE else FEW_CONTOURS
    if not plane.contours:
        best = " ".join(f"{num(x_of(x))},{num(y_of(y))}" for x, y in pareto_front(marks))
        parts.append(f'<polyline class="contour" points="{best}"><title>surpassed by none</title></polyline>')
    for level in levels if plane.contours else ():
        parts += _draw_contour(level, across=across, upward=upward, at=at, plot=plot, taken=taken)
    labels: list[str] = []
    if margin:
        parts += _margin_labels(marks, [(x_of(mark.x), y_of(mark.y)) for mark in marks], plot, margin)
    for mark in marks:
        x, y = x_of(mark.x), y_of(mark.y)
        parts.append(f'<g class="mark"><title>{escape(mark.told)}</title>{shape(mark.series, x, y, 6)}</g>')
        if named:
            labels += _place_label(mark.label, x, y, plot, taken)
    return drawing(kind, width, height, plane.what, (*parts, *labels))


class Place(NamedTuple):
    """Where a mark is."""

    x: float
    y: float


def pareto_front(marks: Iterable[Mark]) -> list[Place]:
    """Return the places that no mark surpasses in one way without falling behind in the other, from left to
    right.
    """
    places = {Place(mark.x, mark.y) for mark in marks}
    return sorted(
        one
        for one in places
        if not any(other != one and other.x >= one.x and other.y >= one.y for other in places)
    )


def _margin_labels(
    marks: Sequence[Mark], points: Sequence[tuple[float, float]], plot: Box, margin: float
) -> Iterable[str]:
    """Yield the labels of all marks at the right of the plot, in the order of their heights."""
    _, top, right, bottom = plot
    room = bottom - top
    order = sorted(range(len(marks)), key=lambda place: points[place][1])
    heights = spread([(bottom - points[place][1]) / room for place in order], 15 / room)
    fits = max(1, int((margin - 30) / LETTER))
    for place, height in zip(order, heights, strict=True):
        (x, y), to = points[place], bottom - height * room
        label = marks[place].label
        short = label if len(label) <= fits else label[: fits - 1] + "…"
        yield f'<line class="leader" x1="{num(x)}" y1="{num(y)}" x2="{num(right + 8)}" y2="{num(to)}"/>'
        yield shape(marks[place].series, right + 16, to, 5)
        yield text_at(right + 26, to + 4, short, "label", "start")


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Return places for labels that want to stand at these heights, the highest first: at least `gap` apart.

    All lie within 0 and 1; where there is no room for that, they are closer.

    >>> [round(one, 2) for one in spread([0.5, 0.5, 0.2], 0.1)]
    [0.5, 0.4, 0.2]
    """
    gap = min(gap, 1 / max(1, len(heights) - 1))
    found: list[float] = []
    for height in heights:
        found.append(min(height, found[-1] - gap) if found else min(1.0, height))
    floor = 0.0
    for place in range(len(found) - 1, -1, -1):
        found[place] = max(found[place], floor)
        floor = found[place] + gap
    return found


def _axis_range(values: Sequence[float]) -> tuple[float, float]:
    """Bound at tenths about all values, at least 0.4 apart, within 0 and 1."""
    low = max(0.0, math.floor(min(values) * 10 - 0.3) / 10)
    high = min(1.0, math.ceil(max(values) * 10 + 0.3) / 10)
    while high - low < 0.39:
        low, high = max(0.0, low - 0.1), min(1.0, high + 0.1)
    return round(low, 1), round(high, 1)


def _axis_ticks(low: float, high: float) -> list[float]:
    """Even places for numbers on an axis."""
    step = 0.1 if high - low < WIDE else 0.2
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(step * place, 1) for place in range(first, last + 1)]


def _draw_contour(
    level: float,
    *,
    across: tuple[float, float],
    upward: tuple[float, float],
    at: Callable[[float, float], tuple[float, float]],
    plot: Box,
    taken: list[Box],
) -> Iterable[str]:
    """Yield the line on which R + E - R E is `level`: E = 1 - (1 - level) / (1 - R)."""
    lowest, highest = (
        1 - (1 - level) / (1 - entropy) if entropy < 1 else -math.inf for entropy in reversed(upward)
    )
    start, end = max(across[0], lowest), min(across[1], highest)
    if end - start < 0.01:
        return
    rates = [start + (end - start) * step / STEPS for step in range(STEPS + 1)]
    line = [at(rate, 1 - (1 - level) / (1 - rate)) for rate in rates]
    told = " ".join(f"{num(x)},{num(y)}" for x, y in line)
    yield f'<polyline class="contour" points="{told}"><title>R + E − R·E = {level:g}</title></polyline>'
    label = f"{level:g}"
    width = LETTER * len(label)
    for x, y in line[:: STEPS // 12]:
        box = (x + 2, y - 14, x + 4 + width, y - 1)
        if _is_free_box(box, plot, taken):
            taken.append(box)
            yield text_at(x + 3, y - 3, label, "level", "start")
            return


def _place_label(label: str, x: float, y: float, plot: Box, taken: list[Box]) -> Iterable[str]:
    width = LETTER * len(label)
    for dx, dy, anchor in (
        (10, 4, "start"), (-10, 4, "end"), (0, -11, "middle"), (0, 19, "middle"), (8, -8, "start"),
        (8, 16, "start"), (-8, -8, "end"), (-8, 16, "end"),
    ):  # fmt: skip
        start = x + dx - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
        box = (start, y + dy - 11, start + width, y + dy + 3)
        if _is_free_box(box, plot, taken):
            taken.append(box)
            yield text_at(x + dx, y + dy, label, "label", anchor)
            return


def _is_free_box(box: Box, plot: Box, taken: Iterable[Box]) -> bool:
    inside = box[0] >= plot[0] and box[1] >= plot[1] and box[2] <= plot[2] and box[3] <= plot[3]
    return inside and not any(
        box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3] for other in taken
    )


# ---------------------------------------------------------------------------------------------- bars of rates


def bars(
    groups: Mapping[str, Sequence[Bar]], *, width: float, kind: str, what: str, left: float = 84.0
) -> str:
    """Share between 0 and 1 as bars, in groups with a name above each; `left` is the room for labels."""
    right, thick, gap = width - 46.0, 12.0, 5.0
    parts: list[str] = []
    y = 18.0

    def x_of(value: float) -> float:
        return left + (right - left) * value

    for head, members in groups.items():
        fits = int(width / (LETTER + 0.6))
        short = head if len(head) <= fits else head[: fits - 1] + "…"
        parts.append(text_at(0, y, short, "head", "start"))
        y += 8
        for bar in members:
            middle = y + thick / 2
            parts.append(f'<g class="{escape(bar.kind)}"><title>{escape(bar.told)}</title>')
            parts.append(
                f'<rect class="lane" x="{left}" y="{num(y)}" width="{num(right - left)}" height="{thick}"/>'
            )
            if bar.value > 0:
                parts.append(
                    f'<rect class="bar" x="{left}" y="{num(y)}" width="{num(x_of(bar.value) - left)}" '
                    f'height="{thick}"/>'
                )
            if bar.bounds:
                low, high = (num(x_of(one)) for one in bar.bounds)
                parts.append(
                    f'<line class="reach" x1="{low}" x2="{high}" y1="{num(middle)}" y2="{num(middle)}"/>'
                )
            parts.append("</g>")
            parts.append(text_at(left - 8, middle + 4, bar.label, "tick", "end"))
            parts.append(text_at(right + 6, middle + 4, f"{bar.value * 100:.0f} %", "tick", "start"))
            y += thick + gap
        y += 20
    return drawing(kind, width, max(20.0, y - 16), what, parts)


def drawing(kind: str, width: float, height: float, what: str, parts: Iterable[str]) -> str:
    """Return a whole picture, with what it shows in words."""
    return (
        f'<svg class="chart {escape(kind)}" viewBox="0 0 {num(width)} {num(height)}" role="img" '
        f'aria-label="{escape(what)}">{"".join(parts)}</svg>'
    )


def text_at(x: float, y: float, text: str, kind: str, anchor: str) -> str:
    """Return a label."""
    return f'<text class="{kind}" x="{num(x)}" y="{num(y)}" text-anchor="{anchor}">{escape(text)}</text>'


def num(value: float) -> str:
    """Return a coordinate, short."""
    return f"{value:.1f}".removesuffix(".0")
