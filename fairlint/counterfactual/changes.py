"""Whom a change of one column, or of two together, gives another outcome: counts of people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy

from fairlint.counterfactual.coded import CodedColumn, Numbers
from fairlint.counterfactual.counterfactuals import Table
from fairlint.counterfactual.measured import Changes, DeadTest, Followed, Group, Joint, Read, Share
from fairlint.support.records import Record

SHOWN_VALUES = 24
"""Columns with more values than these have no table of pairs."""
AT_ONCE = 4_000_000
"""Cells of a table that are looked at together."""


class Selected(Record, eq=False):
    """Numbers of people as they are, by cell of a column."""

    answered: Numbers
    selected: Numbers
    labelled: Numbers
    """Answered, with the favourable label."""
    selected_labelled: Numbers


def changes_of(
    column: CodedColumn,
    table: Table,
    *,
    read: Read,
    proved: bool,
    people: int,
    dead: Sequence[DeadTest],
    selected: Selected,
    followed: Followed | None,
) -> Changes:
    """Return what becomes of people when a column that the program reads has another value."""
    handed, size = table.columns[0], column.size
    cells = len(column.cells)
    usual = numpy.unique(handed.classes[:size])
    dead_ones = numpy.unique(handed.classes[cells:])
    distances = _class_distances(handed.classes[:size], handed.count, size, ordered=column.column.ordered)
    sums = _Sums(cells, handed.count, _most_steps(size, ordered=column.column.ordered))
    step = max(1, AT_ONCE // max(handed.count, 1))
    for start in range(0, len(table.weights), step):
        sums.add(table, slice(start, start + step), usual, dead_ones, distances)
    by_value = handed.classes[:size]
    differ, alike = sums.differ[:, by_value], sums.asked[:, by_value]
    own = numpy.arange(cells)[:, None] == numpy.arange(size)[None, :]
    differ, alike = numpy.where(own, 0, differ), numpy.where(own, 0, alike)
    return Changes(
        column=column.column.name,
        attribute=column.column.attribute,
        values=column.column.values,
        ordered=column.column.ordered,
        read=read,
        classes=len(usual),
        proved=proved,
        people=people,
        compared=int(sums.compared.sum()),
        changed=int(sums.changed.sum()),
        steps=tuple(sums.steps.tolist()),
        moved=tuple(Share(*pair) for pair in zip(differ.sum(0).tolist(), alike.sum(0).tolist(), strict=True)),
        pairs=_pair_shares(differ, alike, size),
        groups=groups_of(column, sums.people, sums.changed, sums.compared, selected),
        dead=tuple(dead),
        changed_with_dead=int(sums.with_dead),
        followed=followed,
    )


def unread(
    column: CodedColumn,
    weights: Numbers,
    own: Numbers,
    *,
    read: Read,
    proved: bool,
    people: int,
    dead: Sequence[DeadTest],
    selected: Selected,
    followed: Followed | None,
) -> Changes:
    """Return the same for a column of which the program makes nothing: everybody's outcome stays
    what it is.
    """
    cells, size = len(column.cells), column.size
    by_cell, compared = _zero_counts(cells), _zero_counts(cells)
    numpy.add.at(by_cell, column.codes, weights)
    numpy.add.at(compared, column.codes, weights * (own >= 0))
    alike = numpy.where(numpy.eye(cells, size, dtype=bool), 0, compared[:, None])
    nobody = numpy.zeros_like(alike)
    return Changes(
        column=column.column.name,
        attribute=column.column.attribute,
        values=column.column.values,
        ordered=column.column.ordered,
        read=read,
        classes=min(size, 1),
        proved=proved,
        people=people,
        compared=int(compared.sum()),
        changed=0,
        steps=(0,) * _most_steps(size, ordered=column.column.ordered),
        moved=tuple(Share(0, whole) for whole in alike.sum(0).tolist()),
        pairs=_pair_shares(nobody, alike, size),
        groups=groups_of(column, by_cell, _zero_counts(cells), compared, selected),
        dead=tuple(dead),
        followed=followed,
    )


class _Sums:
    """Numbers of people, summed over a table's rows."""

    def __init__(self, cells: int, classes: int, steps: int) -> None:
        self.people, self.compared, self.changed = (
            _zero_counts(cells),
            _zero_counts(cells),
            _zero_counts(cells),
        )
        self.differ = numpy.zeros((cells, classes), dtype=numpy.int64)
        self.asked = numpy.zeros((cells, classes), dtype=numpy.int64)
        self.with_dead = 0
        self.steps = _zero_counts(steps)

    def add(self, table: Table, rows: slice, usual: Numbers, dead: Numbers, distances: Numbers) -> None:
        """Note some rows; `usual` are the classes of the column's values, `dead` those of dead tests."""
        handed = table.columns[0]
        cells, weights = table.cells[0][rows], table.weights[rows]
        came = table.outcomes[table.context[rows]]
        own = numpy.take_along_axis(came, handed.classes[cells][:, None], 1)
        told = (came >= 0) & (own >= 0)
        other = told & (came != own)
        compared = (own[:, 0] >= 0) & (came[:, usual] >= 0).all(1)
        changed = compared & other[:, usual].any(1)
        numpy.add.at(self.people, cells, weights)
        numpy.add.at(self.compared, cells, weights * compared)
        numpy.add.at(self.changed, cells, weights * changed)
        numpy.add.at(self.differ, cells, weights[:, None] * other)
        numpy.add.at(self.asked, cells, weights[:, None] * told)
        with_dead = changed | (compared & other[:, dead].any(1)) if len(dead) else changed
        self.with_dead += int((weights * with_dead).sum())
        nearest = numpy.where(other[:, usual], distances[cells][:, usual], _FAR).min(1, initial=_FAR)
        numpy.add.at(self.steps, nearest[changed] - 1, weights[changed])


_FAR = 2**31


def _most_steps(size: int, *, ordered: bool) -> int:
    return max(size - 1, 1) if ordered else 1


def _class_distances(classes: Numbers, count: int, size: int, *, ordered: bool) -> Numbers:
    """Step from each value to the nearest one of each class: 1 to any other where unordered."""
    apart = numpy.abs(numpy.arange(size)[:, None] - numpy.arange(size)[None, :]) if ordered else None
    found = numpy.full((size, count), _FAR, dtype=numpy.int64)
    for one in range(size):
        number = int(classes[one])
        steps = numpy.ones(size, dtype=numpy.int64) if apart is None else apart[:, one]
        found[:, number] = numpy.minimum(found[:, number], steps)
    return found


def _pair_shares(differ: Numbers, alike: Numbers, size: int) -> tuple[tuple[Share, ...], ...]:
    if size > SHOWN_VALUES:
        return ()
    return tuple(
        tuple(Share(*pair) for pair in zip(one, other, strict=True))
        for one, other in zip(differ[:size].tolist(), alike[:size].tolist(), strict=True)
    )


def groups_of(
    column: CodedColumn, people: Numbers, changed: Numbers, compared: Numbers, selected: Selected
) -> tuple[Group, ...]:
    """People by their value of a column; values that nobody has are left out."""
    counts = (
        people,
        selected.answered,
        changed,
        compared,
        selected.selected,
        selected.labelled,
        selected.selected_labelled,
    )
    told = zip(column.cells, zip(*(one.tolist() for one in counts), strict=True), strict=True)
    return tuple(Group(value, *numbers) for value, numbers in told if numbers[0])


def selected_of(
    column: CodedColumn, weights: Numbers, labelled: Numbers | None, own: Numbers, is_selected: Numbers
) -> Selected:
    """Return who is answered, selected and labelled."""
    is_answered = own >= 0
    good = labelled if labelled is not None else numpy.zeros(len(own), dtype=numpy.int64)
    counted = []
    for one in (weights * is_answered, weights * is_selected, good * is_answered, good * is_selected):
        sums = _zero_counts(len(column.cells))
        numpy.add.at(sums, column.codes, one)
        counted.append(sums)
    return Selected(*counted)


def joint_of(columns: tuple[CodedColumn, CodedColumn], table: Table) -> Joint:
    """Return what becomes of people when two columns have other values together."""
    one, other = table.columns
    came = table.outcomes[table.context].reshape(-1, one.count, other.count)
    rows = numpy.arange(len(came))
    classes = (one.classes[table.cells[0]], other.classes[table.cells[1]])
    own = came[rows, classes[0], classes[1]][:, None, None]
    usual = tuple(
        numpy.unique(each.classes[: column.size]) for each, column in zip((one, other), columns, strict=True)
    )
    compared = (own[:, 0, 0] >= 0) & (came[:, usual[0]][:, :, usual[1]] >= 0).all((1, 2))
    differs = came != own
    # a class is another value's where somebody else's value is in it
    others = tuple(
        _has_another(each.classes[: column.size], each.count, cells)
        for each, column, cells in zip((one, other), columns, table.cells, strict=True)
    )
    together = (differs & others[0][:, :, None] & others[1][:, None, :]).any((1, 2)) & compared
    first_alone = (differs[rows, :, classes[1]] & others[0]).any(1)
    second_alone = (differs[rows, classes[0], :] & others[1]).any(1)
    weights = table.weights
    return Joint(
        (columns[0].column.name, columns[1].column.name),
        int((weights * compared).sum()),
        int((weights * together).sum()),
        int((weights * (together & ~first_alone & ~second_alone)).sum()),
    )


def _has_another(classes: Numbers, count: int, cells: Numbers) -> Numbers:
    """For each row, which classes hold a value other than its own."""
    sizes = numpy.bincount(classes, minlength=count)
    found = numpy.repeat((sizes > 0)[None, :], len(cells), axis=0)
    alone = cells < len(classes)
    own = numpy.where(alone, classes[numpy.where(alone, cells, 0)], 0)
    only = alone & (sizes[own] == 1)
    found[numpy.arange(len(cells))[only], own[only]] = False
    return found


def _zero_counts(size: int) -> Numbers:
    return numpy.zeros(size, dtype=numpy.int64)
