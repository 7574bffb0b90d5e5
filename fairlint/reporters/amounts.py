"""The table of points as rows of text."""

from __future__ import annotations

from fairlint.rules import format_number, format_points
from fairlint.uses import GroupPoints


def rows(points: GroupPoints) -> list[tuple[str, str]]:
    """Group and amount, then the groups nobody names, then the gap."""
    table = [(group, format_points(points.op, value)) for group, value in points.by_group.items()]
    if points.other is not None:
        table.append(("everyone else", format_points(points.op, points.other)))
    if points.by_group:
        table.append(("gap", format_number(points.gap)))
    return table
