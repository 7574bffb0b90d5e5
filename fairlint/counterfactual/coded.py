"""A population as arrays of small numbers: for each column, the place of each row's cell among its cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from fairlint.counterfactual.column_names import columns_by_name
from fairlint.counterfactual.population import Cell, Column, Population
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

Numbers = Any
"""An array of whole numbers; numpy's own types say little more, and take long to check."""


class CodedColumn(Record, eq=False):
    """A column. `cells` begins with the column's `values`; cells follow that only rows have."""

    column: Column
    cells: tuple[Cell, ...]
    codes: Numbers
    """For each row the place of its cell."""

    @property
    def size(self) -> int:
        """How many values the description gives the column."""
        return len(self.column.values)


class Coded(Record, eq=False):
    """A population's rows, by column."""

    population: Population
    columns: tuple[CodedColumn, ...]
    weights: Numbers
    favourable: Numbers | None

    def places(self, names: Sequence[str]) -> tuple[int, ...]:
        """Of each name the column that it means, as `columns_by_name` says. Raises UsageError."""
        columns = [column.name for column in self.population.columns]
        column_of = columns_by_name(self.population.columns)
        found = []
        for name in names:
            column = column_of(name)
            if column is None:
                known = ", ".join(columns)
                raise UsageError(f"'{name}' is no column of {self.population.name} (columns: {known})")
            found.append(columns.index(column))
        return tuple(found)


_LATEST: list[Coded] = []


def encode_population(population: Population) -> Coded:
    """Return the population's arrays; those of the latest few populations are kept."""
    for known in tuple(_LATEST):
        if known.population is population:
            return known
    made = _encode_columns(population)
    _LATEST.insert(0, made)
    del _LATEST[4:]
    return made


def _encode_columns(population: Population) -> Coded:
    columns = tuple(
        _encode_column(column, [row[place] for row in population.rows])
        for place, column in enumerate(population.columns)
    )
    weights = numpy.asarray(population.weights, dtype=numpy.int64)
    labelled = population.favourable
    return Coded(
        population, columns, weights, None if labelled is None else numpy.asarray(labelled, dtype=numpy.int64)
    )


def _encode_column(column: Column, cells: Sequence[Cell]) -> CodedColumn:
    places: dict[tuple[type, Cell], int] = {}
    for value in column.values:
        places.setdefault((value.__class__, value), len(places))
    if len(places) < len(column.values):
        raise UsageError(f"column '{column.name}' names a value twice")
    codes = [places.setdefault((cell.__class__, cell), len(places)) for cell in cells]
    return CodedColumn(column, tuple(cell for _, cell in places), numpy.asarray(codes, dtype=numpy.int32))
