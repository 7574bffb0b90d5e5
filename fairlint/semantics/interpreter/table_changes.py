"""Tables that are written out and then changed: `d.setdefault("female", 3)`, `d["male"] += 2`."""

from __future__ import annotations

from fairlint.semantics.interpreter import operations
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.tables import column_names
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import Const, Opaque, Table, Value
from fairlint.semantics.values.whole_numbers import is_number
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node


def by_method(
    function: tree.Field, node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame
) -> Value | None:
    """Return what a method of a dict gives that changes it, which is then done; None for all others."""
    if not isinstance(base, Table) or path_of(function.value) is None:
        return None
    key = arguments[0] if arguments else None
    match function.name:
        case "setdefault" if isinstance(key, Const) and _is_of_constants(base):
            given = arguments[1] if len(arguments) > 1 else Const(None)
            held = _entry_value(base, key)
            if held is None:
                put(function.value, base, replace(base, entries=(*base.entries, (key, given))), frame)
            return given if held is None else held
        case "pop" if isinstance(key, Const) and _is_of_constants(base):
            held = _entry_value(base, key)
            put(function.value, base, without(base, key), frame)
            return held or (arguments[1] if len(arguments) > 1 else None)
        case "popitem" | "clear" if not arguments and _is_of_numbers(base):
            kept = base.entries[:-1] if function.name == "popitem" else ()
            put(function.value, base, replace(base, entries=kept), frame)
            return Opaque(frame.text(node))
        case "copy" if not arguments:
            return Table(base.entries, node, "", base.fallback)
        case "setdefault" | "pop" | "popitem" | "clear" if _is_of_numbers(base):
            put(function.value, base, Opaque(frame.text(function.value)), frame)
            return Opaque(frame.text(node))
        case _:
            return None


def update_table(
    function: tree.Field, node: tree.Call, base: Value, given: Value | None, frame: Frame
) -> None:
    """`row.update(codes)`, `row.update(pairs, sex=sex)`: the entries of another table are put over a table's.

    Of a table of numbers nothing is known once it got entries that nobody sees.
    """
    if not isinstance(base, Table) or path_of(function.value) is None:
        return
    named = tuple((Const(key), frame.evaluate(value)) for key, value in node.keywords if key is not None)
    others = operations.table_of(given, node) if given is not None else Table((), node)
    is_known = others is not None and all(key is not None for key, _ in node.keywords)
    if others is not None and is_known and len(base.entries) + len(others.entries) <= column_names.MOST_ITEMS:
        whole = operations.over(base, operations.over(others, Table(named, node), node), node)
        put(function.value, base, whole, frame)
    elif _is_of_numbers(base):
        put(function.value, base, Opaque(frame.text(function.value)), frame)


def change_entry(target: tree.Index, path: str, frame: Frame) -> None:
    """`d["male"] += 2`: the entry's new value, which `path` holds, becomes the table's."""
    base = path_of(target.value)
    table = frame.variables.get(base) if base is not None else None
    key = frame.evaluate(target.index)
    if not (isinstance(table, Table) and isinstance(key, Const) and _is_of_constants(table)):
        return
    if _entry_value(table, key) is None:
        return
    entries = tuple(
        (one, frame.variables[path] if _is_same_key(one, key) else held) for one, held in table.entries
    )
    put(target.value, table, replace(table, entries=entries), frame)
    if path in frame.variables:
        del frame.variables[path]


def delete_entry(part: tree.Index, frame: Frame) -> None:
    """`del d["male"]`."""
    base = path_of(part.value)
    table = frame.variables.get(base) if base is not None else None
    if isinstance(table, Table):
        key = frame.evaluate(part.index)
        known = isinstance(key, Const) and _is_of_constants(table)
        if known and isinstance(key, Const):
            put(part.value, table, without(table, key), frame)
        elif _is_of_numbers(table):
            put(part.value, table, Opaque(frame.text(part.value)), frame)


def put(place: Node, before: Table, after: Value, frame: Frame) -> None:
    """Give a changed table to all names that hold the one before."""
    path = path_of(place)
    for name in [name for name, held in frame.variables.items() if held is before or name == path]:
        frame.variables[name] = after


def without(table: Table, key: Const) -> Table:
    """Return a table that lacks an entry."""
    return replace(table, entries=tuple(one for one in table.entries if not _is_same_key(one[0], key)))


def _entry_value(table: Table, key: Const) -> Value | None:
    return next((held for one, held in table.entries if _is_same_key(one, key)), None)


def _is_same_key(one: Value, key: Const) -> bool:
    return isinstance(one, Const) and one.value == key.value


def _is_of_constants(table: Table) -> bool:
    """Return whether all keys of a table are known."""
    return all(isinstance(key, Const) for key, _ in table.entries)


def _is_of_numbers(table: Table) -> bool:
    """Return whether a table has nothing but numbers in it, and is no record."""
    return bool(table.entries) and all(
        isinstance(held, Const) and is_number(held.value) for _, held in table.entries
    )
