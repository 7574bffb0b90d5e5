"""Rows that are made step by step: entries appended to a row or put into its places, rows that a generator
yields.
"""

from __future__ import annotations

from fairlint.semantics.interpreter import operations
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.tables import columns, feature_columns
from fairlint.semantics.tables.libraries import has_tables
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    UNKNOWN,
    Choice,
    Column,
    Columns,
    Const,
    Elementwise,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Table,
    Value,
)
from fairlint.semantics.values.traversal import either, walk
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

MOST_FIELDS = 60
"""Entries of one row that are remembered; where more tell an attribute, the report says so."""


def append_to_row(function: tree.Field, base: Value, arguments: tuple[Value, ...], frame: Frame) -> None:
    """`row.append(person["age"])` makes a row that was begun longer."""
    if function.name not in {"append", "extend"} or len(arguments) != 1 or not isinstance(base, Sequence):
        return
    path = path_of(function.value)
    if path is None or not _is_begun_here(base, frame):
        return
    if any(isinstance(item, Const) and isinstance(item.value, str) for item in base.items):
        return  # a list of names
    given = arguments[0]
    more = given.items if function.name == "extend" and isinstance(given, Sequence) else (given,)
    if any(frame.program.dependence.on_any(item) for item in more):
        if len(base.items) >= MOST_FIELDS:
            reason = f"a row of more than {MOST_FIELDS} entries that grows: what is added was not read"
            frame.program.facts.cut(function, reason)
            return
        frame.variables[path] = replace(base, items=(*base.items, *more))


def place_in_row(target: tree.Index, value: Value, frame: Frame) -> bool:
    """Return whether `row[3] = 1` fills a place of a row that was begun with zeros.

    It becomes a column where what it gets, or the test it gets it under, tells an attribute.
    """
    path = path_of(target.value)
    base = None if path is None else frame.variables.get(path)
    if path is None or base is None or not has_tables(frame) or not _has_places(base, frame):
        return False
    if isinstance(value, Columns) and value.held:  # `rows[i] = table[i]`: a row of another table
        frame.variables[path] = columns.gone_on(value, target)
        return True
    at = frame.evaluate(target.index)
    if not _is_place(at):
        return False
    tests = [guard.test for guard in frame.guards]
    for part in (value, at, *tests[-1:]):
        read = next((one for one in walk(part) if isinstance(one, Protected)), None)
        if read is not None:
            table = feature_columns.as_features(base, target) if isinstance(base, Columns | Choice) else None
            held = () if table is None else table.held
            if all(column.name != read.mention.identifier for column in held):
                held = (*held, Column(read.mention.identifier, target, value=read))
            frame.variables[path] = Columns(f"{columns.BY_PLACE}{path}", target, held, complete=True)
            break
    return True


def _has_places(base: Value, frame: Frame) -> bool:
    """Return whether a value is a row of numbers whose places are filled one by one."""
    if isinstance(base, Choice):
        return all(_has_places(one, frame) for one in either(base))
    if isinstance(base, Columns):
        return base.origin.startswith(columns.BY_PLACE)
    if isinstance(base, Operation) and base.op == "*":  # `[0] * 9`
        return isinstance(base.arguments[0], Sequence) and _has_places(base.arguments[0], frame)
    if isinstance(base, Sequence):
        return bool(base.items) and all(map(_is_number, base.items))
    made = frame.program.facts.call_of(base) if isinstance(base, Opaque) else None
    found = None if made is None else frame.program.found.get(id(made.node))
    return found is not None and "begins row" in found[1].entry.does


def _is_place(at: Value) -> bool:
    """Return whether an index is one place of a row: `row[3]`, `rows[i, 3]`, `row[codes[sex]]`."""
    if isinstance(at, Sequence):
        *rows, place = at.items or (UNKNOWN,)
        return _is_number(place) and all(_is_number(row) or isinstance(row, Opaque) for row in rows)
    return _is_number(at) or any(isinstance(part, Protected) for part in walk(at))


def _is_number(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, int | float)


def _is_begun_here(row: Sequence, frame: Frame) -> bool:
    """Return whether a row is begun in the same round and branch in which it is made longer."""
    start, loop = row.node.span.start, frame.loop
    if loop is not None and not row.items and start < loop.span.start and not _is_unrolled_loop(loop, frame):
        return False
    last = frame.guards.last
    return not frame.conditional or (last is not None and start > last.site.span.start)


def _is_unrolled_loop(loop: Node, frame: Frame) -> bool:
    """Return whether each round of a loop is executed by itself, as it goes through a list that is written
    out.
    """
    if not isinstance(loop, tree.Loop) or loop.iterable is None or frame.conditional:
        return False
    entries = operations.entries_of(frame.evaluate(loop.iterable))
    return entries is not None and frame.program.rounds >= len(entries)


def generator_rows(value: Value, node: Node, frame: Frame) -> Elementwise | None:
    """Return what a call of a generator gives that yields rows which tell an attribute."""
    if not has_tables(frame) or not isinstance(value, Sequence | Table):
        return None
    return Elementwise(value, node) if frame.program.dependence.on_any(value) else None


def transpose_rows(node: tree.Call, arguments: tuple[Value, ...]) -> Value | None:
    """`zip(*pairs)`: the first of all pairs, the second of all pairs."""
    if len(node.arguments) != 1 or not isinstance(node.arguments[0], tree.Star) or len(arguments) != 1:
        return None
    rows = arguments[0]
    if not isinstance(rows, Elementwise) or not isinstance(rows.element, Sequence):
        return None
    return Sequence(tuple(_each_item(item, node) for item in rows.element.items), node)


def _each_item(item: Value, node: Node) -> Value:
    return item if isinstance(item, Opaque | Columns) or item is UNKNOWN else Elementwise(item, node)
