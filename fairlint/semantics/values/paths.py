"""Access paths: the plain ways to reach a value, as text."""

from __future__ import annotations

from fairlint.syntax.tree import Call, Field, Index, Literal, Name, Node, Slice


def path_of(node: Node) -> str | None:
    """Return the access path that `node` spells (`a.b`, `a["b"]`), or None where it is no plain path."""
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


def dotted_name(node: Node) -> str:
    """Return the names by which `node` is reached, calls and indices left out (`llm.chain().run`); else
    empty.
    """
    match node:
        case Name(id=name):
            return name
        case Field(value=value, name=name):
            base = dotted_name(value)
            return f"{base}.{name}" if base else name
        case Call(function=function):
            return dotted_name(function)
        case Index(value=value):
            return dotted_name(value)
        case _:
            return ""


def last_name(node: Node) -> str:
    """Return the name of a variable or field, the last part of a path; empty for anything else."""
    match node:
        case Name(id=name) | Field(name=name):
            return name
        case _:
            return ""


def read_name(node: Node) -> str:
    """Return what something is called that is read: the last part of a path, a key, a column; else empty."""
    match node:
        case Index(index=Literal(value=str() as key)):
            return key
        case Call(function=Field(name="get"), arguments=(Literal(value=str() as key), *_)):
            return key
        case Call(function=Field(value=value), arguments=()):
            return read_name(value)  # `category.strip().upper()`
        case _:
            return last_name(node)
