"""A lowered tree as compact text: one s-expression a node, without spans."""

from __future__ import annotations

from fairlint.support.records import field_names
from fairlint.syntax.tree import Collection, Expression, Field, Item, Literal, Name, Node, Tree


def dump(value: object) -> str:
    """`score += 5` → `(Assign [score] 5 op=+)`; empty and default fields are left out."""
    if isinstance(value, Tree):
        return " ".join(dump(node) for node in value.body)
    if isinstance(value, tuple):
        return "[" + " ".join(dump(item) for item in value) + "]"
    if isinstance(value, Name):
        return value.id
    if isinstance(value, Literal):
        return repr(value.value)
    if isinstance(value, Field):
        return f"{dump(value.value)}.{value.name}"
    if isinstance(value, Expression):
        return dump(value.value)
    if isinstance(value, Item):
        return dump(value.value) if value.key is None else f"{dump(value.key)}: {dump(value.value)}"
    if isinstance(value, Collection):
        return f"({value.kind}{''.join(' ' + dump(item) for item in value.items)})"
    if isinstance(value, Node):
        return f"({type(value).__name__}{''.join(_fields(value))})"
    return str(value)


def _fields(node: Node) -> list[str]:
    shown: list[str] = []
    for name in field_names(node):
        value = getattr(node, name)
        if name in {"span", "name_span"} or (value in (None, (), "", False) and value != 0):
            continue
        if value is False:
            continue
        if name in {"op", "type", "docstring", "returns", "star", "kind"}:
            shown.append(f" {name}={value!r}" if " " in str(value) else f" {name}={value}")
        elif value is True:
            shown.append(f" {name}")
        elif name in {
            "body",
            "otherwise",
            "then",
            "final",
            "decorators",
            "keywords",
            "guard",
            "default",
        }:
            shown.append(f" {name}={dump(value)}")
        else:
            shown.append(f" {dump(value)}")
    return shown
