"""Whom a change of one column gives another outcome where other columns follow it: counts of people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy

from fairlint.counterfactual.changes import SHOWN_VALUES
from fairlint.counterfactual.coded import Coded, CodedColumn, Numbers
from fairlint.counterfactual.counterfactuals import Handed
from fairlint.counterfactual.measured import Followed, Impossible, Share
from fairlint.counterfactual.population import Column
from fairlint.support.records import Record


def follower_places(people: Coded, column: Column) -> tuple[int, ...]:
    """Return the places of the columns that follow one."""
    names = [one.name for one in people.population.columns]
    return tuple(names.index(follower.column) for follower in column.followers)


def cell_moves(people: Coded, column: CodedColumn) -> Iterator[tuple[Numbers, ...]]:
    """Yield for each value of a column, for each of its followers: the cell that each cell becomes."""
    followers = column.column.followers
    columns = [people.columns[place] for place in follower_places(people, column.column)]
    places = [{(cell.__class__, cell): place for place, cell in enumerate(one.cells)} for one in columns]
    for value in column.column.values:
        moved = tuple(numpy.arange(len(one.cells), dtype=numpy.int64) for one in columns)
        for follower, known, cells in zip(followers, places, moved, strict=True):
            for pair in follower.pairs:
                if value in (pair.group, pair.other_group):
                    before, after = pair.value, pair.other
                    if value == pair.group:
                        before, after = after, before
                    cells[known[before.__class__, before]] = known[after.__class__, after]
        yield moved


class Moves(Record, eq=False):
    """What changes for the program with a column."""

    places: tuple[int, ...]
    """Of the population's columns."""
    classes: tuple[tuple[Numbers, ...], ...]
    """For each value of the column, for each of the places: the class that each cell becomes."""


def class_moves(people: Coded, column: CodedColumn, place: int, varied: Mapping[int, Handed]) -> Moves:
    """Return what changes for the program with a column and its followers.

    `varied` are the columns of which the program can tell values apart.
    """
    followers = follower_places(people, column.column)
    told = tuple(one for one in (place, *followers) if one in varied)
    moves = []
    for value, cells in enumerate(cell_moves(people, column)):
        became = dict(zip(followers, cells, strict=True))
        became[place] = numpy.full(len(column.cells), value, dtype=numpy.int64)
        moves.append(tuple(varied[one].classes[became[one]] for one in told))
    return Moves(told, tuple(moves))


def followed_of(
    people: Coded, column: CodedColumn, own: Numbers, outcomes: Iterable[Numbers] | None
) -> Followed:
    """Return what becomes of people when a column has another value and others follow it.

    `outcomes` has everybody's outcome for each value of the column; None where they are what they were.
    """
    size, weights = column.size, people.weights
    told = outcomes if outcomes is not None else (own for _ in range(size))
    compared, changed, impossible = own >= 0, numpy.zeros(len(own), bool), numpy.zeros(len(own), bool)
    counts = numpy.zeros((2, len(column.cells), size), dtype=numpy.int64)
    found: list[Impossible] = []
    followers = follower_places(people, column.column)
    for value, (came, moved) in enumerate(zip(told, cell_moves(people, column), strict=True)):
        others = column.codes != value
        differs = others & (own >= 0) & (came >= 0) & (own != came)
        asked = others & (own >= 0) & (came >= 0)
        compared &= ~others | (came >= 0)
        changed |= differs
        for count, mask in zip(counts, (differs, asked), strict=True):
            numpy.add.at(count[:, value], column.codes, weights * mask)
        for place, cells in zip(followers, moved, strict=True):
            codes = people.columns[place].codes
            follows = others & (cells[codes] != codes)
            impossible |= follows
            found += _impossible_people(people.columns[place], column.column, value, codes, weights * follows)
    pairs: Sequence[tuple[Share, ...]] = ()
    if size <= SHOWN_VALUES:
        pairs = [
            tuple(Share(*pair) for pair in zip(one, other, strict=True))
            for one, other in zip(counts[0, :size].tolist(), counts[1, :size].tolist(), strict=True)
        ]
    return Followed(
        columns=tuple(one.column for one in column.column.followers),
        compared=int((weights * compared).sum()),
        changed=int((weights * (compared & changed)).sum()),
        pairs=tuple(pairs),
        impossible=int((weights * impossible).sum()),
        impossible_as=tuple(sorted(found, key=lambda one: -one.people)),
    )


def _impossible_people(
    follower: CodedColumn, column: Column, value: int, codes: Numbers, counted: Numbers
) -> list[Impossible]:
    """Return the cells of a follower that do not go with a value, with the people who would have them."""
    sums = numpy.zeros(len(follower.cells), dtype=numpy.int64)
    numpy.add.at(sums, codes, counted)
    return [
        Impossible(column.values[value], follower.column.name, follower.cells[place], int(sums[place]))
        for place in numpy.flatnonzero(sums)
    ]
