"""Data frames: columns that an assignment gives them, or `del` takes away."""

from __future__ import annotations

from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names.qualified_names import qualified_name
from fairlint.semantics.tables import column_names, columns, feature_columns
from fairlint.semantics.tables.libraries import field_gives, has_tables, lexicon, may_do
from fairlint.semantics.tables.table_access import table_of
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    OLD,
    Columns,
    Const,
    Form,
    Opaque,
    Operation,
    Sequence,
    Table,
    TextSpan,
    Value,
)
from fairlint.syntax import tree
from fairlint.syntax.tree import Node


def assign_column(  # noqa: PLR0917 (one column has as many sides)
    base: Value,
    path: str,
    name: str,
    value: Value,
    node: tree.Assign,
    frame: Frame,
    named_at: Node | None = None,
) -> None:
    """`table["label"] = ...`: the table in the variable `path` now has that column."""
    is_mention = bool(frame.program.vocabulary.mentions(name))
    if isinstance(base, Opaque) and not (is_mention or frame.program.dependence.on_any(value)):
        return
    table = table_of(base, node, frame)
    if table is None:
        return
    kept = (
        value
        if value is not OLD and not isinstance(value, Columns) and not frame.program.dependence.on_old(value)
        else None
    )
    place = named_at or node.targets[0]
    form = form_of(name, node.value, frame)
    if is_mention and isinstance(value, Operation) and not frame.program.dependence.on_any(value):
        frame.program.renamed.setdefault(name, ("", node))
    frame.variables[path] = columns.having(table, name, kept, place, form=form)


def form_of(name: str, node: Node | None, frame: Frame) -> Form:
    """Return what a column becomes that is set: `.apply(pd.to_numeric)` makes no codes of a number."""
    if not is_encoding(node, frame):
        return "given"
    found = frame.program.vocabulary.mentions(name)
    if not found or any(mention.form != "number" for mention in found) or not isinstance(node, tree.Call):
        return "encoded"
    does = may_do(node, qualified_name(node.function, frame), frame.program) & _ENCODES
    is_written = any(isinstance(one, tree.Collection | tree.Lambda) for one in node.arguments)
    return "given" if does == {"applies"} and not is_written else "encoded"


def note_columns(node: tree.Assign, target: tree.Index, value: Value, frame: Frame) -> None:
    """`table["label"] = ...`, `table[["a", "b"]] = ...` and `table[name] = ...` give the table columns."""
    if not has_tables(frame):
        return
    if (cell := _cell_column(target)) is not None:
        if _has_column(cell, frame):
            return  # some of its values change
        target = cell
    base = path_of(target.value)
    if base is None:
        return
    key = frame.evaluate(target.index)
    if (coded := column_names.one_hot_name(key)) is not None:
        _set_code(coded, base, target, frame)
    for name in column_names.names_of(key) or ():
        named_at = _entry_of(name, target, frame)
        assign_column(_table_at(base, target, frame), base, str(name.value), value, node, frame, named_at)


def _entry_of(name: Const, target: tree.Index, frame: Frame) -> Node | None:
    """Return where a loop's list names the column of this round: `for name in ["age"]: table[f"{name}_z"] =
    ...`.
    """
    if isinstance(target.index, tree.Literal | tree.Collection) or name.label:
        return None
    own = (
        piece.node
        for piece in name.pieces
        if isinstance(piece, TextSpan) and frame.program.vocabulary.mentions(piece.text.strip("_"))
    )
    return next(own, None if name.pieces else name.node)


def named_anew(node: tree.Assign, target: tree.Field, value: Value, frame: Frame) -> None:
    """`table.columns = ["age", "income"]`: the columns have these names, in this order."""
    names = column_names.names_of(value) if isinstance(value, Sequence) else None
    path = path_of(target.value)
    if not names or path is None or not has_tables(frame):
        return
    if "names columns" not in field_gives(target.name, frame.program):
        return
    table = table_of(_table_at(path, target, frame), node, frame)
    if table is not None:
        frame.variables[path] = columns.relabel_columns(table, names, node)


def _cell_column(target: tree.Index) -> tree.Index | None:
    """Return the column of a table's row: of `row.at[0, "age"]`, `row["age"]`."""
    match target:
        case tree.Index(
            value=tree.Field(name="loc" | "at", value=table),
            index=tree.Collection(kind="tuple", items=(_, tree.Item(value=column))),
        ):
            return tree.Index(target.span, table, column)
        case _:
            return None


def _has_column(cell: tree.Index, frame: Frame) -> bool:
    table, name = frame.variables.get(path_of(cell.value) or ""), frame.evaluate(cell.index)
    return isinstance(table, Columns) and isinstance(name, Const) and columns.holds(table, name) is True


def _table_at(path: str, target: tree.Index | tree.Field, frame: Frame) -> Value:
    return frame.variables.get(path) or frame.program.globals.get(path) or frame.evaluate(target.value)


def _set_code(name: Const, path: str, target: tree.Index, frame: Frame) -> None:
    """`row[f"gender_{applicant.gender}"] = 1`: one of the columns that a column has become."""
    if not frame.program.vocabulary.mentions(str(name.value).rstrip(column_names.ONE_HOT)):
        return
    base = _table_at(path, target, frame)
    table = (
        feature_columns.as_features(base, target)
        if isinstance(base, Table)
        else table_of(base, target, frame)
    )
    if table is None and isinstance(base, Table):
        table = Columns("", target, complete=True)
    if table is not None:
        frame.variables[path] = columns.having(table, str(name.value), None, target.index, form="encoded")


def delete_columns(node: tree.Other, frame: Frame) -> None:
    """`del table["race"]`."""
    for part in tree.walk(node):
        path = path_of(part.value) if isinstance(part, tree.Index) else None
        table = frame.variables.get(path) if path is not None else None
        if isinstance(part, tree.Index) and path is not None and isinstance(table, Columns):
            names = column_names.names_of(frame.evaluate(part.index))
            if names:
                frame.variables[path] = columns.without(table, names, node)


def is_encoding(node: Node | None, frame: Frame) -> bool:
    """Return whether an expression makes codes of a column: `encoder.fit_transform(...)`, `.map({...})`."""
    match node:
        case tree.Call(function=tree.Field(name=name) | tree.Name(id=name) as function):
            deeds = may_do(node, qualified_name(function, frame), frame.program)
            return not deeds.isdisjoint(_ENCODES) or name in lexicon()["encode"]
        case tree.Field(name=name):
            return "encodes" in field_gives(name, frame.program)
        case tree.Index(value=inner):
            return is_encoding(inner, frame)
        case _:
            return False


_ENCODES = frozenset({"encodes", "numbers", "prepares", "applies", "chooses"})
