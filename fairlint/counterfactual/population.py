"""Populations: the people a decision is tried on, as distinct rows that are weighted by their number."""

from __future__ import annotations

from collections.abc import Mapping

from fairlint.support.records import Record

Cell = str | int | float | bool | None
"""What stands in one column of one person."""


class Column(Record):
    """A column, with all values that counterfactual people can have in it."""

    name: str
    values: tuple[Cell, ...]
    """Each value once: in their order where the column is ordered, else as description or data have them."""
    ordered: bool = False
    """Whether neighbours in `values` are one step apart (ages, grades); else each value is one step away."""
    attribute: str | None = None
    """fairlint's name of the protected attribute that it holds (`gender`); None where none."""


class Origin(Record):
    """Where a population comes from, and what became of its rows."""

    source: str
    """A package with its version, a path, or an address."""
    read: int
    """Rows in the source."""
    dropped: Mapping[str, int]
    """Reason → rows left out for it, in the order in which they were left out."""
    notes: tuple[str, ...] = ()
    """What a reader has to know, a sentence each: counts that papers report otherwise, say."""


class Population(Record):
    """People, each distinct row once."""

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    """Distinct rows: a cell for each of `columns`."""
    weights: tuple[int, ...]
    """How many people each row stands for."""
    favourable: tuple[int, ...] | None
    """How many of them have the favourable label; None where the data have no label."""
    label: str | None
    """The label's column; it is in no row."""
    origin: Origin

    @property
    def people(self) -> int:
        """How many people there are."""
        return sum(self.weights)
