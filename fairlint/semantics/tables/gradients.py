"""Models that are taught by hand: `w -= rate * X.T @ (p - y)`, and the normal equations."""

from __future__ import annotations

from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.tables.libraries import has_tables
from fairlint.semantics.values.symbolic import Columns
from fairlint.syntax import tree


def product(node: tree.Binary, frame: Frame) -> None:
    """`X.T @ errors` teaches a model that has the columns of `X`."""
    left = node.left.right if isinstance(node.left, tree.Binary) else node.left
    if not (isinstance(left, tree.Field) and left.name == "T" and has_tables(frame)):
        return
    if frame.text(node.right) == frame.text(left.value):
        return  # how the columns vary with each other
    table = frame.evaluate(left)
    if isinstance(table, Columns) and table.complete:
        frame.emit("learn", node, table, "features")
