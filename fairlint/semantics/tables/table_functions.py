"""Data frames: what functions that read or reshape tables make of them."""

from __future__ import annotations

from fairlint.semantics.interpreter.arguments import keyword
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.tables import column_names, columns, feature_columns
from fairlint.semantics.tables.libraries import call_entries, has_tables
from fairlint.semantics.tables.table_access import table_of
from fairlint.semantics.tables.table_methods import METHODS, Method, is_table
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    Columns,
    Const,
    Elementwise,
    Filtered,
    Opaque,
    Protected,
    Sequence,
    Value,
)
from fairlint.syntax import tree
from fairlint.syntax.tree import Node


def _load_table(node: tree.Call, name: str, frame: Frame) -> Value:
    origin = f"{name}@{node.span.start}"
    for key in ("names", "usecols", "columns", "header", "new_columns"):
        given = keyword(node, key)
        if given is None:
            continue
        names = column_names.names_of(frame.evaluate(given))
        if names and len(names) > 1:
            return columns.as_listed_columns(columns.of_names(names, origin, node))
    return Columns(origin, node)


def _beside_labels(call: Invocation, table: Value) -> Value:
    """`fetch_openml("adult", return_X_y=True)`: the features of a data set, and what is to be learnt."""
    asked = keyword(call.node, "return_X_y")
    is_pair = isinstance(asked, tree.Literal) and asked.value is True
    if not is_pair and call.entry.given.get("form") != "pair":
        return table
    return Sequence((table, Opaque(call.frame.text(call.node))), call.node)


def _concatenate_tables(node: tree.Call, arguments: tuple[Value, ...]) -> Value | None:
    """Tables given as one list, or one by one."""
    items = arguments[0].items if isinstance(arguments[0], Sequence) else arguments
    parts = [part for item in items if (part := _part_columns(item, node)) is not None]
    if not any(isinstance(item, Columns | Protected | Filtered) for item in items) or not parts:
        return _columns_with_codes(arguments, node)
    return columns.beside(parts, node)


def _columns_with_codes(arguments: tuple[Value, ...], node: tree.Call) -> Columns | None:
    """`np.column_stack([priors, (df["race"] == "Black").astype(float)])`: columns and codes of others."""
    if not isinstance(arguments[0], Sequence) or len(arguments[0].items) < 2:
        return None
    table = feature_columns.as_features(arguments[0], node)
    return table if table is not None and table.complete and table.held else None


def _part_columns(value: Value, node: Node) -> Columns | None:
    if isinstance(value, Const):
        return None
    return feature_columns.as_features(value, node)


def _starts_at(node: Node, path: str | None) -> bool:
    """Return whether a chain of calls starts at a variable, or at a call that is given it."""
    while isinstance(node, tree.Call) and isinstance(node.function, tree.Field):
        if path is not None and path in _argument_paths(node):
            return True
        node = node.function.value
    return path is not None and path_of(node) == path


def _argument_paths(node: tree.Call) -> set[str | None]:
    """Return what a call is given, be it in a list: `concat([table, codes], axis=1)`."""
    first = node.arguments[0] if node.arguments else None
    if isinstance(first, tree.Collection):
        return {path_of(item.value) for item in first.items}
    return set() if first is None else {path_of(first)}


def function(call: Invocation) -> Value | None:
    """Return what a function that reads or reshapes tables gives; None for any other."""
    node, arguments = call.node, call.arguments
    for does in call.entry.does:
        if does == "reads table":
            return _beside_labels(call, _load_table(node, call.name, call.frame))
        if does == "puts beside" and arguments:
            return _concatenate_tables(node, arguments)
        if does == "table" and arguments and isinstance(arguments[0], Columns | Elementwise):
            return feature_columns.as_features(arguments[0], node)
        if does in METHODS and call.entry.places("argument"):
            return _of_argument(call, METHODS[does])
    return None


def _of_argument(call: Invocation, handler: Method) -> Value | None:
    """`select(people, "age", "gender")`: what is a method elsewhere, with the table among the arguments."""
    given = call.given("argument")
    table = None if given is None else table_of(given, call.node, call.frame)
    rest = tuple(argument for argument in call.arguments if argument is not given)
    return None if table is None else handler(call.node, table, rest, call.frame)


def stays_table(value: Node, target: Node, before: Value, frame: Frame) -> bool:
    """Return whether `df = df.dropna()` and its like hands on the table, so that it is no update of
    a number.
    """
    if is_table(before):
        return True
    if not isinstance(before, Opaque | Filtered) or not has_tables(frame):
        return False
    path = path_of(target)
    does: set[str] = set()
    if isinstance(value, tree.Call):
        does.update(one for found in call_entries(value, None, frame) for one in found.entry.does)
    match value:
        case tree.Call(function=tree.Field(name=name, value=inner)) if _starts_at(inner, path):
            return not _OF_TABLES.isdisjoint(does) and name not in _OF_TEXTS
        case tree.Call():
            return not does.isdisjoint({"encodes", "puts beside"}) and path in _argument_paths(value)
        case tree.Index(value=inner, index=tree.Collection(kind="list")):
            return path_of(inner) == path
        case tree.Index(
            value=tree.Field(name="loc" | "iloc", value=inner), index=tree.Collection(items=(_, _))
        ):
            return path_of(inner) == path
        case _:
            return False


_OF_TABLES = frozenset(
    {
        "keeps columns", "selects columns", "drops columns", "renames columns", "adds columns", "puts beside",
        "encodes",
    }
)  # fmt: skip
_OF_TEXTS = frozenset({"replace", "filter", "round", "join", "select"})
"""Methods of tables whose names are those of texts and numbers, too."""
