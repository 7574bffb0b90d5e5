"""How a place is named to people: a file, in a notebook the cell, and the line."""

from __future__ import annotations

from collections.abc import Sequence

from fairlint.reporters.printable import printable

MOST_PLACES = 6
"""Other places of one problem that are named; the rest are counted."""


def where(path: str, cell: int | None, line: int) -> str:
    """`score.py:7`, `scoring.ipynb:cell 4:line 7`."""
    return f"{printable(path)}:{line}" if cell is None else f"{printable(path)}:cell {cell}:line {line}"


def concise(path: str, cell: int | None, line: int) -> str:
    """`score.py:7`, `scoring.ipynb:cell 4:7`."""
    return f"{printable(path)}:{line}" if cell is None else f"{printable(path)}:cell {cell}:{line}"


def some_of(places: Sequence[str]) -> str:
    """Return the first of some places, and how many more there are."""
    more = len(places) - MOST_PLACES
    rest = f" and {more} more place{'s' if more > 1 else ''}" if more > 0 else ""
    return ", ".join(places[:MOST_PLACES]) + rest
