"""What query builders spell as calls: CASE expressions, joined conditions, statements that change rows."""

from __future__ import annotations

from fairlint.semantics.frame import Frame
from fairlint.semantics.values import Const, Filtered, Value
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

DIRECTIONS = frozenset("asc desc nullsfirst nullslast nulls_first nulls_last collate".split())
"""What says which end of a column comes first."""


def annotated(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`.annotate(points=Case(...))`: each keyword is a column that every row gets."""
    del arguments
    for name, value in node.keywords:
        if name is None:
            continue
        found = frame.evaluate(value)
        if frame.program.dependence.on_any(found):
            frame.emit("assign", node, found, name)
    return base if isinstance(base, Filtered) else None


def labelled(node: tree.Call, base: Value, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`(exam + bonus).label("score")`: a column of what a query gives."""
    name = arguments[0].value if arguments and isinstance(arguments[0], Const) else None
    if not isinstance(name, str) or not frame.program.dependence.on_any(base):
        return None
    frame.emit("assign", node, base, name)
    return base


def ordering(node: Node) -> Node:
    """The column in `Applicant.age.desc()`, `desc(Applicant.age)`, `F("age").asc()` and `-Applicant.age`."""
    while True:
        match node:
            case tree.Call(function=tree.Field(value=inner, name=name)) if name in DIRECTIONS and not (
                node.arguments and name in {"asc", "desc"}
            ):
                node = inner
            case tree.Call(function=tree.Name(id=name) | tree.Field(name=name), arguments=(inner, *_)) if (
                name in {*DIRECTIONS, "F", "col", "column"}
            ):
                node = inner
            case tree.Unary(op="-", operand=inner):
                node = inner
            case _:
                return node
