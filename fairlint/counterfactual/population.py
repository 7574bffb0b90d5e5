"""Populations: the people a decision is tried on, as distinct rows that are weighted by their number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairlint.support.records import Record

Cell = str | int | float | bool | None
"""What stands in one column of one person."""


class Counterparts(Record):
    """Two values of a column that follows another, each with the group that it belongs to."""

    value: Cell
    group: Cell
    other: Cell
    other_group: Cell


class Follower(Record):
    """A column that follows another: what its values become when that one changes."""

    column: str
    pairs: tuple[Counterparts, ...]

    def counterpart(self, value: Cell, group: Cell) -> Cell:
        """Return what a value becomes when the column that is followed becomes `group`; most stay."""
        for pair in self.pairs:
            if (value, group) == (pair.value, pair.other_group):
                return pair.other
            if (value, group) == (pair.other, pair.group):
                return pair.value
        return value


class Column(Record):
    """A column, with all values that counterfactual people can have in it."""

    name: str
    values: tuple[Cell, ...]
    """Each value once: in their order where the column is ordered, else as description or data have them."""
    ordered: bool = False
    """Whether neighbours in `values` are one step apart (ages, grades); else each value is one step away."""
    attribute: str | None = None
    """fairlint's name of the protected attribute that it holds (`gender`); None where none."""
    followers: tuple[Follower, ...] = ()
    """Other columns that change with it."""


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


def other_person(
    row: tuple[Cell, ...], columns: Sequence[Column], place: int, value: Cell, *, follow: bool = False
) -> tuple[Cell, ...]:
    """Return somebody with another value in one column, alone or with the columns that follow it."""
    names = [column.name for column in columns]
    found = [*row[:place], value, *row[place + 1 :]]
    for follower in columns[place].followers if follow else ():
        at = names.index(follower.column)
        found[at] = follower.counterpart(row[at], value)
    return tuple(found)


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
