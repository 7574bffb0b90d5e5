"""Rows that are made step by step: entries appended to a row, rows that a generator yields."""

from __future__ import annotations

from fairlint.records import replace
from fairlint.semantics.frame import Frame
from fairlint.semantics.paths import path_of
from fairlint.semantics.tables.libraries import has_tables
from fairlint.semantics.values import UNKNOWN, Columns, Const, Each, Opaque, Sequence, Table, Value
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

MOST_FIELDS = 60
"""Entries of one row that are remembered; where more tell an attribute, the report says so."""


def appended(function: tree.Field, base: Value, arguments: tuple[Value, ...], frame: Frame) -> None:
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


def _is_begun_here(row: Sequence, frame: Frame) -> bool:
    """Whether a row is begun in the same round and branch in which it is made longer."""
    start = row.node.span.start
    if frame.loop is not None and not row.items and start < frame.loop.span.start:
        return False
    return not frame.conditional or bool(frame.guards and start > frame.guards[-1].site.span.start)


def yielded(value: Value, node: Node, frame: Frame) -> Each | None:
    """What a call of a generator gives that yields rows which tell an attribute."""
    if not has_tables(frame) or not isinstance(value, Sequence | Table):
        return None
    return Each(value, node) if frame.program.dependence.on_any(value) else None


def turned(node: tree.Call, arguments: tuple[Value, ...]) -> Value | None:
    """`zip(*pairs)`: the first of all pairs, the second of all pairs."""
    if len(node.arguments) != 1 or not isinstance(node.arguments[0], tree.Star) or len(arguments) != 1:
        return None
    rows = arguments[0]
    if not isinstance(rows, Each) or not isinstance(rows.element, Sequence):
        return None
    return Sequence(tuple(_all(item, node) for item in rows.element.items), node)


def _all(item: Value, node: Node) -> Value:
    return item if isinstance(item, Opaque | Columns) or item is UNKNOWN else Each(item, node)
