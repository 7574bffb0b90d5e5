"""The arguments of a call."""

from __future__ import annotations

from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.values.symbolic import Sequence, Value
from fairlint.syntax import tree
from fairlint.syntax.tree import Node


def values(node: tree.Call, frame: Frame) -> tuple[Value, ...]:
    """Return the values of the positional arguments."""
    found: list[Value] = []
    for argument in node.arguments:
        value = frame.evaluate(argument)
        if isinstance(argument, tree.Star) and isinstance(value, Sequence):
            found.extend(value.items)
        else:
            found.append(value)
    return tuple(found)


def keyword(node: tree.Call, name: str) -> Node | None:
    """Return the value of a keyword argument, where it is given."""
    return next((value for key, value in node.keywords if key == name), None)
