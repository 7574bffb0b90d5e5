"""What each group gets, as rows with a bar each: drawn from where nobody gets anything, on one scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite

from fairlint.findings.uses import GroupPoints
from fairlint.reporters.page.words import amounts as with_minus
from fairlint.rules.messages import NO_VALUE, amounts_of, format_gap, format_points, joined_groups
from fairlint.support.records import Record

OTHERS = "others"
"""Those whom no group names, as titles call them."""
MOST = 24
"""Rows of one table."""
WIDTH = 120.0
EDGE = 2.0
THINNEST = 2.0
_NOTHING = {"multiply": 1.0}
"""What changes nothing, where it is not 0."""


class Row(Record):
    """A group, its amount, and a bar from `start` on; `kind` is `more`, `less` or nothing."""

    group: str
    amount: str
    start: str = ""
    width: str = ""
    kind: str = ""


class Table(Record):
    """All groups, those with the same amount in one row. `zero` is where nobody gets anything; empty where no
    bar can be drawn.
    """

    rows: tuple[Row, ...]
    zero: str
    gap: str
    more: int = 0
    """Rows that are left out."""
    low: str = ""
    high: str = ""
    """The amounts at both ends of the scale."""
    kinds: tuple[str, ...] = ()
    """The kinds of bars that there are."""


def base_of(points: GroupPoints) -> float:
    """Return the amount at which bars begin."""
    return _NOTHING.get(points.op, 0.0)


def table(points: GroupPoints) -> Table:
    """Return the rows of a table of points."""
    base = base_of(points)
    told = amounts_of(points)
    amounts = _join_equal_groups(points, told)
    shown = amounts[:MOST]
    moves = [value - base for _, value in shown]
    low, high = _scale(points, moves)
    drawn = isfinite(low) and isfinite(high) and isfinite(high - low) and high > low

    def at(move: float) -> float:
        return EDGE + (WIDTH - 2 * EDGE) * (move - low) / (high - low)

    rows = []
    for (group, value), move in zip(shown, moves, strict=True):
        amount = with_minus(told(value))
        if not drawn or move == 0:
            rows.append(Row(group, amount))
            continue
        start, end = sorted((at(0.0), at(move)))
        width = max(end - start, THINNEST)
        start = end - width if move < 0 else start
        rows.append(
            Row(group, amount, _short_number(start), _short_number(width), "more" if move > 0 else "less")
        )
    if points.missing and points.other is None:
        rows.append(Row(OTHERS, NO_VALUE))
    return Table(
        tuple(rows),
        _short_number(at(0.0)) if drawn else "",
        format_gap(points),
        len(amounts) - len(shown),
        low=_end(points, base + low) if drawn else "",
        high=_end(points, base + high) if drawn else "",
        kinds=tuple(kind for kind in ("more", "less") if any(row.kind == kind for row in rows)),
    )


def end_of(points: GroupPoints) -> str:
    """Return the amount at which bars begin, as people read it."""
    return _end(points, base_of(points))


def _end(points: GroupPoints, value: float) -> str:
    return with_minus(format_points(points.op, value).removeprefix("= "))


def _scale(points: GroupPoints, moves: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the scale, from where nobody gets anything on.

    A factor begins at ×0, so that a bar is as long as what a group gains or loses. Points below 0 have the
    same room as points above.
    """
    low, high = min((0.0, *moves)), max((0.0, *moves))
    if points.op == "multiply" and low >= -1.0:
        return (-1.0, high) if low or high else (low, high)
    if points.op == "add" and low < 0:
        high = max(high, -low)
        return -high, high
    return low, high


def _join_equal_groups(points: GroupPoints, told: Callable[[float], str]) -> list[tuple[str, float]]:
    """Return groups and what they get, those that get the same together, in the place of the first.

    Those that nobody names are with the groups that get the same.
    """
    values = {told(value): value for value in points.by_group.values()}
    others = None
    if points.other is not None:
        others = (OTHERS, told(points.other))
        values.setdefault(others[1], points.other)
    named = ((group, told(value)) for group, value in points.by_group.items())
    return [(groups, values[amount]) for groups, amount in joined_groups(named, MOST, others)]


def place(part: int, whole: int) -> str:
    """Return where a part of a whole ends on a bar."""
    return _short_number(WIDTH * part / whole if whole else 0.0)


def _short_number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
