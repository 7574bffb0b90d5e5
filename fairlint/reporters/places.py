"""How a place is named to people: a file, in a notebook the cell, and the line."""

from __future__ import annotations

from fairlint.reporters.printable import printable


def where(path: str, cell: int | None, line: int) -> str:
    """`score.py:7`, `scoring.ipynb:cell 4:line 7`."""
    return f"{printable(path)}:{line}" if cell is None else f"{printable(path)}:cell {cell}:line {line}"


def concise(path: str, cell: int | None, line: int) -> str:
    """`score.py:7`, `scoring.ipynb:cell 4:7`."""
    return f"{printable(path)}:{line}" if cell is None else f"{printable(path)}:cell {cell}:{line}"
