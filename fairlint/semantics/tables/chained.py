"""Changes of what an expression gives of a table: where that is a copy, they are lost.

`people["score"][mask] += 5` and `people["score"].fillna(0, inplace=True)` change a column that nobody holds
(`requirement_files.py` says under which versions).
"""

from __future__ import annotations

from fairlint.semantics.interpreter.arguments import keyword
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.tables.libraries import has_tables
from fairlint.semantics.values.symbolic import Choice, Columns, Const, Operation, Protected, Value
from fairlint.semantics.values.traversal import walk
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

LOST = "a copy"
"""The target of what is assigned, and reaches no table."""


def lost_change_test(node: tree.Assign, frame: Frame) -> Choice | None:
    """Return the test under which an assignment changes what nobody holds; None where it changes
    something.
    """
    if not frame.program.loses_changes:
        return None
    for target in node.targets:
        if isinstance(target, tree.Index) and (mask := _copy_mask(target, frame)) is not None:
            return Choice(mask, Const(True), Const(False), getattr(mask, "node", target.index))
    return None


def _copy_mask(target: tree.Index, frame: Frame) -> Value | None:
    held = target.value
    if isinstance(held, tree.Field) and held.name in {"loc", "iloc"}:
        held = held.value
    table = _table_of(held)
    if table is None or not has_tables(frame):
        return None
    mask = frame.evaluate(target.index)
    is_of_it = isinstance(mask, Operation | Protected) and _is_of(table, mask, frame)
    return mask if is_of_it else None


def is_lost_call(node: tree.Call, frame: Frame) -> bool:
    """Return whether a method changes, in place, a column that nobody holds."""
    if not (frame.program.loses_changes and isinstance(node.function, tree.Field)):
        return False
    in_place = keyword(node, "inplace")
    return (
        isinstance(in_place, tree.Literal)
        and in_place.value is True
        and _table_of(node.function.value, named=True) is not None
        and has_tables(frame)
    )


def _table_of(column: Node, *, named: bool = False) -> Node | None:
    """Return what a column is taken from: of `people["score"]` or `people.score`. A text is sure to
    name one.
    """
    match column:
        case tree.Index(value=table, index=tree.Literal(value=str())):
            return table
        case tree.Field(value=tree.Name() as table) if not named:
            return table
        case _:
            return None


def _is_of(table: Node, mask: Value, frame: Frame) -> bool:
    """Return whether a test asks for columns of the same table, which is therefore one."""
    text = frame.text(table)
    if frame.program.conventions.is_receiver(text):
        return False
    if isinstance(frame.evaluate(table), Columns):
        return True
    return any(isinstance(part, Protected) and part.receiver == text for part in walk(mask))
