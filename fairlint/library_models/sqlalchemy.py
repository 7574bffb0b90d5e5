"""SQLAlchemy: what no entry of `sqlalchemy.toml` can say."""

from __future__ import annotations

from fairlint.semantics.interpreter.arguments import keyword
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.interpreter.selections import narrow_selection
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.values.symbolic import (
    Choice,
    Const,
    Lookup,
    Sequence,
    Table,
    Value,
)
from fairlint.syntax.tree import Node

__all__ = ["case", "labelled", "literal", "narrow_selection"]


def case(call: Invocation) -> Value | None:
    """SQLAlchemy's `case((test, 5), else_=0)`, `case([(test, 5)])`, and `case({"m": 5}, value=x)`."""
    node, arguments, frame = call.node, call.arguments, call.frame
    default_node = keyword(node, "else_")
    default = Const(None) if default_node is None else frame.evaluate(default_node)
    subject_node = keyword(node, "value")
    if arguments and isinstance(arguments[0], Table) and subject_node is not None:
        subject = frame.evaluate(subject_node)
        return Lookup(subject, arguments[0], default, node)
    branches = arguments
    if len(arguments) == 1 and isinstance(arguments[0], Sequence) and arguments[0].items:
        first = arguments[0].items[0]
        branches = arguments[0].items if isinstance(first, Sequence) else arguments
    return chain(branches, default, node, frame)


def chain(branches: tuple[Value, ...], default: Value, node: Node, frame: Frame) -> Value | None:
    """Return the branches of a CASE expression, one within the other."""
    pairs = [branch.items for branch in branches if isinstance(branch, Sequence) and len(branch.items) == 2]
    if len(pairs) != len(branches) or not any(frame.program.dependence.on_any(test) for test, _ in pairs):
        return None
    value = default
    for test, amount in reversed(pairs):
        value = Choice(test, amount, value, node)
    return value


def literal(call: Invocation) -> Value | None:
    """`literal(5)` puts a plain value into a query."""
    one = call.arguments[0] if len(call.arguments) == 1 else None
    return one if isinstance(one, Const) else None


def labelled(call: Invocation) -> Value | None:
    """`(exam + bonus).label("score")`: a column of what a query gives."""
    name = call.arguments[0].value if call.arguments and isinstance(call.arguments[0], Const) else None
    if call.base is None or not isinstance(name, str) or not call.frame.program.dependence.on_any(call.base):
        return None
    call.frame.emit("assign", call.node, call.base, name)
    return call.base
