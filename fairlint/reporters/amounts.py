"""The table of points as rows of text."""

from __future__ import annotations

from fairlint.findings.uses import GroupPoints
from fairlint.rules.messages import NO_VALUE, amounts_of, format_gap, joined_groups

EVERYONE_ELSE = "everyone else"


def rows(points: GroupPoints) -> list[tuple[str, str]]:
    """Return groups and the amount that they get, then those that nobody names, then the gap."""
    amount = amounts_of(points)
    table = joined_groups((group, amount(value)) for group, value in points.by_group.items())
    if points.other is not None:
        table.append((EVERYONE_ELSE, amount(points.other)))
    elif points.missing:
        table.append((EVERYONE_ELSE, NO_VALUE))
    if gap := format_gap(points):
        table.append(("gap", gap))
    return table
