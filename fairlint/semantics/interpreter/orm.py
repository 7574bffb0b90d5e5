"""What query builders spell as calls: which column an order is by."""

from __future__ import annotations

from fairlint.syntax import tree
from fairlint.syntax.tree import Node

DIRECTIONS = frozenset("asc desc nullsfirst nullslast nulls_first nulls_last collate".split())
"""What says which end of a column comes first."""


def ordering(node: Node) -> Node:
    """Return the column in `Applicant.age.desc()`, `desc(Applicant.age)`, `F("age").asc()` and
    `-Applicant.age`.
    """
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
