"""Instances of the classes of this file: what their fields and properties hold, and their methods."""

from __future__ import annotations

from fairlint.analysis.frame import Frame
from fairlint.analysis.inlining import inline
from fairlint.analysis.scopes import type_name
from fairlint.analysis.values import Closure, Columns, Const, Opaque, Sequence, Table, Value
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

DUMPS = frozenset({"dict", "model_dump", "_asdict", "to_dict", "asdict", "model_dump_json"})
"""Methods that give all fields of an instance."""
PROPERTIES = frozenset({"property", "cached_property", "functools.cached_property"})


def type_of(node: Node, frame: Frame) -> str:
    """The type of an expression as written, as far as annotations and constructors say it; else empty."""
    match node:
        case tree.Name(id="self"):
            return frame.owner
        case tree.Name(id=name):
            return frame.types.get(name, "")
        case tree.Index(value=inner):
            return type_of(inner, frame)
        case tree.Field(value=inner, name=name):
            owner = type_name(type_of(inner, frame))
            return frame.program.definitions.fields.get(owner, {}).get(name, "")
        case _:
            return ""


def class_of(node: Node, frame: Frame) -> str:
    """The class of this file that an expression is an instance of, else empty."""
    if isinstance(node, tree.Call) and isinstance(node.function, tree.Name):
        name = node.function.id
    else:
        name = type_name(type_of(node, frame))
    known = frame.program.definitions.types.get(name)
    return name if known is not None and known.kind == "class" else ""


def field(node: tree.Field, frame: Frame) -> Value | None:
    """`config.features.names`: what the class or its constructor gives, or what a property returns."""
    program = frame.program
    owner = frame.owner if _is_self(node.value) else class_of(node.value, frame)
    if not owner:
        return None
    known = program.class_values.get(owner, {}).get(f"self.{node.name}")
    if isinstance(known, Sequence | Table | Columns) or (isinstance(known, Const) and known.label):
        return known
    found = program.definitions.method(owner, node.name)
    if found is None or not _is_property(found[1], frame):
        return None
    value = inline(Closure(found[1], owner=found[0]), node, (Opaque("self"),), frame)
    return value if isinstance(value, Sequence | Table | Columns) else None


def dumped(function: tree.Field, frame: Frame) -> Table | None:
    """`request.model_dump()`: all fields of an instance, as a dict."""
    owner = class_of(function.value, frame) if function.name in DUMPS else ""
    type_ = frame.program.definitions.types.get(owner)
    if type_ is None:
        return None
    entries = tuple(
        (Const(part.targets[0].id, "", part.targets[0]), Opaque(part.targets[0].id))
        for part in type_.body
        if isinstance(part, tree.Assign) and part.type and isinstance(part.targets[0], tree.Name)
    )
    return Table(entries, function) if entries else None


def _is_self(node: Node) -> bool:
    return isinstance(node, tree.Name) and node.id in {"self", "cls"}


def _is_property(function: tree.Function, frame: Frame) -> bool:
    return any(frame.text(decorator) in PROPERTIES for decorator in function.decorators)


def method(function: tree.Field, frame: Frame) -> Closure | None:
    """The method of this file that is called on an instance: `trainer.fit(people)`."""
    owner = class_of(function.value, frame)
    found = frame.program.definitions.method(owner, function.name) if owner else None
    if found is None or any(
        frame.text(one) in {"staticmethod", "classmethod"} for one in found[1].decorators
    ):
        return None
    return Closure(found[1], owner=found[0])
