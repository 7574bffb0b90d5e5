"""Access paths: the plain ways to reach a value, as text."""

from __future__ import annotations

from fairlint.syntax.tree import Field, Index, Literal, Name, Node, Slice


def path_of(node: Node) -> str | None:
    """The access path that `node` spells (`a.b`, `a["b"]`), or None where it is no plain path."""
    match node:
        case Name():
            return node.id
        case Field():
            base = path_of(node.value)
            return None if base is None else f"{base}.{node.name}"
        case Index(index=Literal(value=key)):
            base = path_of(node.value)
            if base is None:
                return None
            return base if key == 0 and not isinstance(key, bool) else f"{base}[{key!r}]"
        case Index(index=Slice()):
            return None
        case _:
            return None


def last_name(node: Node) -> str:
    """The name of a variable or field, the last part of a path; empty for anything else."""
    match node:
        case Name(id=name) | Field(name=name):
            return name
        case _:
            return ""
