"""Rows of structs: those of a table that are written by place get the names of their fields."""

from __future__ import annotations

from fairlint.semantics.frame import Frame
from fairlint.semantics.scopes import type_name
from fairlint.semantics.values import Const, Sequence, Table, Value
from fairlint.syntax import tree


def shaped(node: tree.Assign | tree.Cast, value: Value, frame: Frame) -> Value:
    """What `struct row t[] = {{"a", 1}, {"b", 2}};` gives `t`: its rows as tables by the fields' names."""
    written = isinstance(node.value, tree.Collection) and node.value.kind == "struct"
    if not (written and isinstance(value, Sequence | Table)):
        return value
    nameless = type_name(node.type) == ""
    fields = frame.program.definitions.nameless_before(node.span.start) if nameless else None
    return _shaped(value, node.type, fields, frame)


def _shaped(value: Value, written: str, fields: dict[str, str] | None, frame: Frame) -> Value:
    if fields is None:
        fields = frame.program.definitions.fields.get(type_name(written))
    if not fields or "*" in written:
        return value
    if written.endswith("[]"):
        inner = written.removesuffix("[]")
        match value:
            case Sequence(items=items, node=node, name=name):
                return Sequence(tuple(_shaped(item, inner, fields, frame) for item in items), node, name)
            case Table(entries=entries, node=node, name=name, fallback=fallback):
                rows = tuple((key, _shaped(held, inner, fields, frame)) for key, held in entries)
                return Table(rows, node, name, fallback)
            case _:
                return value
    if not isinstance(value, Sequence) or len(value.items) > len(fields):
        return value
    named = zip(fields.items(), value.items, strict=False)
    entries = tuple((Const(name), _shaped(item, type_, None, frame)) for (name, type_), item in named)
    return Table(entries, value.node, value.name, Const(0))
