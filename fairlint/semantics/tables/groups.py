"""Rows in groups by a column: `for g, part in people.groupby("gender")`, and what is done with each group."""

from __future__ import annotations

from fairlint.semantics.interpreter import norms, reads
from fairlint.semantics.interpreter.arguments import keyword
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.interpreter.selections import model
from fairlint.semantics.names.qualified_names import qualified_name
from fairlint.semantics.tables.libraries import has_tables, may_do
from fairlint.semantics.values.symbolic import UNKNOWN, Closure, Sequence, Sorted, Value, Within
from fairlint.support.records import Record, replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node


class Grouped(Record, eq=False):
    """A table in groups, and what tells one group from the next: a value, or several."""

    table: Value
    key: Value
    node: Node

    def named(self, function: Closure) -> Closure:
        """Return a function of one group, which asks the group for its `name`."""
        known = dict(function.closure)
        for parameter in function.function.parameters[:1]:
            known[f"{parameter.name}.name"] = self.key
        return replace(function, closure=known)


GROUPS = "groups in "
"""What the name begins with under which the groups are kept that a variable holds."""


def keep(path: str, node: Node | None, frame: Frame) -> None:
    """`by_gender = people.groupby("gender")["score"]`: a variable is given the groups of a table."""
    found = None if isinstance(node, tree.Name) else groups_of_rows(node, frame)
    if found is not None:
        frame.variables[GROUPS + path] = Sequence((found.table, found.key), found.node)
    elif GROUPS + path in frame.variables:
        del frame.variables[GROUPS + path]


def groups_of_rows(node: Node | None, frame: Frame) -> Grouped | None:
    """Return the groups that a call makes of a table, by columns that are named."""
    while isinstance(node, tree.Index | tree.Field):  # `people.groupby("gender")["score"]`
        node = node.value
    if isinstance(node, tree.Name):
        return _in_variable(node, frame)
    if not (isinstance(node, tree.Call) and isinstance(node.function, tree.Field) and has_tables(frame)):
        return None
    if "groups rows" not in may_do(node, qualified_name(node.function, frame), frame.program):
        return None
    by = keyword(node, "by") or (node.arguments[0] if node.arguments else None)
    if by is None:
        return None
    written = [item.value for item in by.items] if isinstance(by, tree.Collection) else [by]
    if not all(isinstance(one, tree.Literal) and isinstance(one.value, str) for one in written):
        return None
    table = node.function.value
    keys = tuple([_told_by(table, one, frame) for one in written])
    key = Sequence(keys, by) if isinstance(by, tree.Collection) else keys[0]
    return Grouped(frame.evaluate(table), key, node)


def _in_variable(node: tree.Name, frame: Frame) -> Grouped | None:
    """Return the groups that a variable holds, or those of which its people are one."""
    held = frame.variables.get(node.id)
    if held is not None and (key := norms.key_of(held, frame)) is not None:
        return Grouped(held, key, node)
    kept = frame.variables.get(GROUPS + node.id)
    return Grouped(kept.items[0], kept.items[1], kept.node) if isinstance(kept, Sequence) else None


def _told_by(table: Node, column: Node, frame: Frame) -> Value:
    """Return the column that tells the groups, be the table in an order."""
    found = frame.evaluate(tree.Index(column.span, table, column))
    if isinstance(found, Sorted) and isinstance(column, tree.Literal):
        return reads.read_by_identifier(str(column.value), column, frame, model(table, frame)) or UNKNOWN
    return found


def group_selection(node: tree.Call, frame: Frame) -> Value | None:
    """`people.groupby("gender").head(10)`: so many of each group are kept, whoever is in the others."""
    assert isinstance(node.function, tree.Field)
    groups = groups_of_rows(node.function.value, frame)
    if groups is None or not frame.program.dependence.on_any(groups.key):
        return None
    count = frame.evaluate(node.arguments[0]) if node.arguments else UNKNOWN
    return norms.first_of(groups.table, groups.key, count, node)


def rank_in_group(node: tree.Call, frame: Frame) -> Value | None:
    """`people.groupby("race")["score"].rank()`: each row is given a figure of its group."""
    assert isinstance(node.function, tree.Field)
    groups = groups_of_rows(node.function.value, frame)
    if groups is None or not frame.program.dependence.on_any(groups.key):
        return None
    return Within(groups.key, node)
