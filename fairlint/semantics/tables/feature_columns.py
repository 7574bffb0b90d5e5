"""What a model is given, as a table: rows, records and lists of columns."""

from __future__ import annotations

from fairlint.semantics.tables.column_names import one_hot_name
from fairlint.semantics.tables.columns import MOST_COLUMNS, as_table, beside, merge_alternatives
from fairlint.semantics.values.symbolic import (
    Choice,
    Column,
    Columns,
    Const,
    Elementwise,
    Filtered,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Table,
    Value,
)
from fairlint.semantics.values.traversal import either, walk
from fairlint.support.records import replace
from fairlint.syntax.tree import Collection, Field, Index, Literal, Name, Node

MOST_NESTED = 20
"""Lists within lists that a model is given; what stands deeper is told to be nothing."""


Known = dict[int, Columns | None]


def as_features(value: Value, node: Node, known: Known | None = None, depth: int = 0) -> Columns | None:
    """`value` as what a model is given: a table, a list of people's values, a row written out."""
    while isinstance(value, Elementwise):
        value = value.element
    known = {} if known is None else known
    if id(value) not in known and depth <= MOST_NESTED:
        known[id(value)] = _as_features(value, node, known, depth + 1)
    return known.get(id(value))


def _as_features(value: Value, node: Node, known: Known, depth: int) -> Columns | None:
    match value:
        case Protected():
            place = value.named or value.node
            return Columns("", node, (Column(value.mention.identifier, place),), complete=True)
        case Sequence():
            entries = (_entry_columns(*item, known, depth) for item in _entries_with_places(value))
            found = [part for part in entries if part is not None]
            return beside(found, node) if found else None
        case Table():
            return _of_entries(value, node, known, depth)
        case Choice():
            parts = [as_features(one, node, known, depth) for one in either(value)]
            return merge_alternatives([part for part in parts if part is not None])
        case Filtered(people=Sequence() | Table() as row, test=test):  # `[[p.age] for p in people if p.pay]`
            table = as_features(row, node, known, depth)
            return None if table is None else replace(table, rows=(*table.rows, test))
        case Operation(op="+", arguments=sides):  # `[age, pay] + codes_of_gender`
            added = [_entry_columns(side, getattr(side, "node", node), known, depth) for side in sides]
            held = [part for part in added if part is not None and part.held]
            return beside(held, node) if held else None
        case Lookup(subject=Protected() as subject):
            column = Column(subject.mention.identifier, subject.node, "encoded")
            return Columns("", node, (column,), complete=True)
        case _:
            return as_table(value, node)


def _of_entries(row: Table, node: Node, known: Known, depth: int) -> Columns | None:
    """Return a row by the names of its columns, or the inputs of a model by theirs."""
    if inputs := [held for _, held in row.entries if _is_input(held)]:
        parts = [as_features(one, node, known, depth) for one in inputs]
        inner = [part for part in parts if part is not None]
        return beside(inner, node) if inner else None
    held = tuple([column for key, made in row.entries if (column := _named_so(key, made, node)) is not None])
    return Columns("", node, held, complete=True) if held else None


def _named_so(key: Value, made: Value, node: Node) -> Column | None:
    """Return the column that a key of a row names, be it put together."""
    if isinstance(key, Const) and isinstance(key.value, str):
        is_made = isinstance(made, Protected | Choice | Lookup | Operation)
        return Column(key.value, key.node or node, value=made if is_made else None)
    coded = one_hot_name(key)
    return None if coded is None else Column(str(coded.value), coded.node or node, "encoded")


def _is_input(value: Value) -> bool:
    """Return whether a model is given a table, or rows, by one of its inputs' names."""
    if isinstance(value, Elementwise):
        value = value.element
    return isinstance(value, Columns) or (
        isinstance(value, Sequence) and any(isinstance(item, Sequence) for item in value.items)
    )


def _entries_with_places(value: Sequence) -> list[tuple[Value, Node]]:
    """Return the entries of a list that are known, each with the place it is written at."""
    written = value.node.items if isinstance(value.node, Collection) else ()
    places = [item.value for item in written] if len(written) == len(value.items) else []
    return [
        (item, places[number] if places else getattr(item, "node", None) or value.node)
        for number, item in enumerate(value.items[:MOST_COLUMNS])
        if not isinstance(item, Opaque)
    ]


def _entry_columns(value: Value, node: Node, known: Known, depth: int) -> Columns | None:
    """Return one entry of a row, at its place there: an attribute's code counts as the attribute."""
    if isinstance(value, Protected):
        place = value.named or node
        return Columns("", node, (Column(value.mention.identifier, place),), complete=True)
    is_table = isinstance(value, Choice) and any(isinstance(end, Columns) for end in either(value))
    if isinstance(value, Choice | Lookup | Operation) and not is_table:
        reads = {part.mention.identifier: part for part in walk(value) if isinstance(part, Protected)}
        made = value.node
        held = tuple(Column(name, node, "encoded", read, made) for name, read in reads.items())
        if held:
            return Columns("", node, held, complete=True)
        if (name := _named_by_place(node)) is not None:
            return Columns("", node, (Column(name, node, "encoded"),), complete=True)
    return as_features(value, node, known, depth)


def _named_by_place(node: Node) -> str | None:
    """Return what a value is called where nothing else says it: `sex = 1 if v.get() == "M" else 0`,
    `row["sex"]`.
    """
    match node:
        case Name(id=name) | Field(name=name) | Index(index=Literal(value=str(name))):
            return name
        case _:
            return None
