"""Rows of structs: those of a table that are written by place get the names of their fields."""

from __future__ import annotations

from fairlint.semantics.frame import Frame
from fairlint.semantics.scopes import Definitions, type_name
from fairlint.semantics.values import Const, Sequence, Table, Value
from fairlint.syntax import tree


def shaped(node: tree.Assign, value: Value, frame: Frame) -> Value:
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


def fields_given(function: tree.Function, definitions: Definitions) -> dict[str, str]:
    """The fields of a struct that a function puts its parameters into, by the parameters' names."""
    if type_name(function.returns) not in definitions.types:
        return {}
    names = {parameter.name for parameter in function.parameters}
    found: dict[str, str] = {}
    for statement in function.body:
        for part in tree.walk(statement):
            match part:
                case tree.Assign(targets=(tree.Field(name=field),), value=tree.Name(id=name), op=None):
                    found.setdefault(name, field)
                case (
                    tree.Assign(value=tree.Collection(kind="struct") as written, type=type_)
                    | tree.Cast(value=tree.Collection(kind="struct") as written, type=type_)
                ):
                    fields = list(definitions.fields.get(type_name(type_), ()))
                    for place, item in enumerate(written.items):
                        own = item.key.value if isinstance(item.key, tree.Literal) else None
                        field = own if isinstance(own, str) else fields[place] if place < len(fields) else ""
                        if isinstance(item.value, tree.Name) and field:
                            found.setdefault(item.value.id, field)
                case _:
                    pass
    return {name: field for name, field in found.items() if name in names}


def makes_struct(function: tree.Function | None, definitions: Definitions) -> bool:
    """Whether a function of the file gives back a struct of the file by its value."""
    made = None if function is None or "*" in function.returns else type_name(function.returns)
    type_ = definitions.types.get(made or "")
    return type_ is not None and type_.kind == "struct"
