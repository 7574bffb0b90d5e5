"""Rows of structs: those of a table that are written by place get the names of their fields."""

from __future__ import annotations

from fairlint.semantics.interpreter import typed_numbers
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names.scopes import type_name
from fairlint.semantics.values.symbolic import Const, Sequence, Table, Value
from fairlint.support.records import replace
from fairlint.syntax import tree


def shape_rows(node: tree.Assign | tree.Cast, value: Value, frame: Frame) -> Value:
    """Return what `struct row t[] = {{"a", 1}, {"b", 2}};` gives `t`: its rows as tables by the fields'
    names, with what each field's type keeps of its number.
    """
    written = isinstance(node.value, tree.Collection) and node.value.kind == "struct"
    if not (written and isinstance(value, Sequence | Table)):
        return value
    nameless = type_name(node.type) == ""
    fields = frame.program.definitions.nameless_before(node.span.start) if nameless else None
    return _shape_value(value, node.type, fields, frame)


def _shape_value(value: Value, written: str, fields: dict[str, str] | None, frame: Frame) -> Value:
    if fields is None:
        fields = frame.program.definitions.fields.get(type_name(written))
    if not fields or "*" in written:
        return typed_numbers.convert_to_type(value, written, frame)
    if written.endswith("[]"):
        inner = written.removesuffix("[]")
        match value:
            case Sequence(items=items):
                return replace(value, items=tuple(_shape_value(item, inner, fields, frame) for item in items))
            case Table(entries=entries):
                rows = tuple((key, _shape_value(held, inner, fields, frame)) for key, held in entries)
                return replace(value, entries=rows)
            case _:
                return value
    match value:
        case Sequence(items=items) if len(items) <= len(fields):
            named = zip(fields.items(), items, strict=False)
            entries = tuple(
                (Const(name), _shape_value(item, type_, None, frame)) for (name, type_), item in named
            )
            return Table(entries, value.node, value.name, Const(0))
        case Table(entries=entries):
            rows = tuple((key, _shape_value(one, _type_of(key, fields), None, frame)) for key, one in entries)
            return replace(value, entries=rows)
        case _:
            return value


def _type_of(field: Value, fields: dict[str, str]) -> str:
    return fields.get(str(field.value), "") if isinstance(field, Const) else ""
