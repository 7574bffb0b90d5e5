"""What a suite brings for reports, in which the part `bias` of its figures is shown: see `SuiteReport`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from fairlint.support.records import Record

Row = Mapping[str, Any]
Figures = Mapping[str, Any]
"""The part `bias` of `metrics.json`."""


class Head(Record):
    """A column of a table."""

    title: str
    cell: Callable[[Row], str]
    is_text: bool = False
    wide: bool = False
    """Whether it is left out where there is little room."""


class ShownTable(NamedTuple):
    """Titles, cells, and on which side (`l`, `r`) each column stands."""

    titles: list[str]
    cells: list[list[str]]
    sides: str


class Table(Record):
    """One table, as data: cells are written already."""

    title: str
    note: str
    heads: tuple[Head, ...]
    rows: tuple[Row, ...]

    def shown(self, *, narrow: bool = False) -> ShownTable:
        """Return the table as texts."""
        heads = [head for head in self.heads if not (narrow and head.wide)]
        cells = [[head.cell(row) for head in heads] for row in self.rows]
        sides = "".join("l" if head.is_text else "r" for head in heads)
        return ShownTable([head.title for head in heads], cells, sides)


class Picture(Record):
    """A chart, for wide screens and for narrow ones."""

    title: str
    note: str
    wide: str
    narrow: str


class Headline(NamedTuple):
    """The first figure of a run: what it is called, its value, a share, and its bounds."""

    what: str
    value: float | None
    interval: Sequence[float] | None


Tile = tuple[str, str, str]
"""A figure that stands first: what, how much, and what has to be known of it."""


def _nothing(_: Figures) -> tuple[()]:
    return ()


class SuiteReport(Record):
    """What reports show of a suite's figures; each function is given these."""

    headline: Callable[[Figures], Headline]
    sentence: Callable[[Figures, str, str], str]
    """What came out, in one sentence: of the figures, of who was asked, and of the headline's share as it is
    written.
    """
    tables: Callable[[Figures], Iterable[Table]]
    tiles: Callable[[Figures], Iterable[Tile]] = _nothing
    """Those behind the headline."""
    pictures: Callable[[Figures], Iterable[Picture]] = _nothing
    remarks: Callable[[Figures], Iterable[str]] = _nothing
    """What has to be said beside the tables, a sentence each."""
    valid_title: str = "Answers that run"
    """What a share of valid answers is called."""
    counted: str = "all answers"
    """Over what the headline's share is taken."""
    invalid_note: str = ""
    """What answers that are not valid do to the figures."""
    measure: str = "CBS"
    """What it is that two runs are compared by."""
