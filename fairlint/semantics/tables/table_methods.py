"""Data frames: what their methods do to the columns they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from fairlint.semantics.interpreter.arguments import keyword
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.tables import column_names, columns, feature_columns
from fairlint.semantics.tables.libraries import field_gives, is_imported, lexicon
from fairlint.semantics.tables.table_access import note_listed_columns, note_read, table_of
from fairlint.semantics.tables.table_assignments import form_of, is_encoding
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    MISSING,
    Choice,
    Closure,
    Columns,
    Const,
    Filtered,
    Lookup,
    Opaque,
    Operation,
    Sequence,
    Sorted,
    Table,
    Value,
)
from fairlint.semantics.values.traversal import either
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

CASES = "cases"
"""The operator that holds the tests and values of `when(...).then(...)` until `otherwise` closes it."""
ONE_COLUMN = lazy_expression(r"(?:\w+\.)?col\(['\"]\w+['\"]\)")
"""An expression that begins with a column by its name: `pl.col("tenure").log()`."""


Method = Callable[[tree.Call, Columns, tuple[Value, ...], Frame], Value | None]


def method(call: Invocation) -> Value | None:
    """Return what a method of a table gives; None for a method of anything else."""
    base, node, function = call.base, call.node, call.node.function
    if not isinstance(base, Columns | Opaque | Filtered | Sorted | Choice | Lookup):
        return None
    if call.found.by_name and call.name in lexicon()["only_of_tables"]:
        return None
    assert isinstance(function, tree.Field)
    does = call.entry.does
    handler = next((METHODS[one] for one in does if one in METHODS), None)
    if handler is not None:
        return on_table(call, partial(drop, by_name=True) if _drops_by_name(call) else handler)
    if "adds columns" in does:
        is_known = isinstance(base, Filtered | Columns) or is_imported(call.found.library, call.frame.program)
        table = table_of(base, node, call.frame) if is_known else None
        return None if table is None else _with_columns(node, table, call.frame)
    if "keeps columns" not in does and not _codes_each_column(call):
        return None
    if isinstance(base, Filtered) and not _in_place(node):
        return base if isinstance(base.people, Columns | Filtered) else None
    if isinstance(base, Choice) and is_table(base):
        base = table_of(base, node, call.frame)
    return _table_after_call(call, base) if isinstance(base, Columns) else None


def _codes_each_column(call: Invocation) -> bool:
    """Return whether each column is given to an encoder: `people.apply(LabelEncoder().fit_transform)`."""
    given = call.node.arguments
    if "applies" not in call.entry.does or len(given) != 1 or call.node.keywords:
        return False
    return isinstance(given[0], tree.Field) and given[0].name == "fit_transform"


def is_table(value: Value) -> bool:
    """Return whether a value is a table, or one of several."""
    return all(isinstance(one, Columns) for one in either(value))


def on_table(call: Invocation, handler: Method) -> Value | None:
    """Return what a handler makes of the table that a method is called on, be it in place."""
    node, frame = call.node, call.frame
    assert isinstance(node.function, tree.Field)
    table = None if call.base is None else table_of(call.base, node, frame)
    found = None if table is None else handler(node, table, call.arguments, frame)
    if found is not None and _in_place(node):
        if (path := path_of(node.function.value)) is not None:
            frame.variables[path] = found
        return Const(None)
    return found


def _table_after_call(call: Invocation, base: Columns) -> Value | None:
    node, frame = call.node, call.frame
    if call.entry.given.get("form") == "whole" and call.arguments and isinstance(call.arguments[0], Closure):
        return frame.inline(call.arguments[0], node, (base, *call.arguments[1:]))
    if _in_place(node):
        return Const(None)
    if (listed := call.keyword(*map(str, call.entry.places("keywords")))) is not None:
        names = column_names.names_of(listed)
        return base if names is None else columns.choose_columns(base, names, node)
    return base


def named_in(node: tree.Call, base: Columns, arguments: tuple[Value, ...], frame: Frame) -> None:
    """Columns that a method is told by name are in the table: `df.groupby("race")`."""
    values = [*arguments, *(frame.evaluate(value) for _, value in node.keywords)]
    for value in values:
        note_listed_columns(base, column_names.some_names(value), node, frame)


def _in_place(node: tree.Call) -> bool:
    given = keyword(node, "inplace")
    return isinstance(given, tree.Literal) and given.value is True


def listed_values(
    node: tree.Call, keywords: Iterable[str], arguments: tuple[Value, ...], frame: Frame
) -> list[Value]:
    """Return the values of the arguments, and of some keywords."""
    given = [keyword(node, name) for name in keywords]
    return [*arguments, *(frame.evaluate(value) for value in given if value is not None)]


def drop(
    node: tree.Call, table: Columns, arguments: tuple[Value, ...], frame: Frame, *, by_name: bool = False
) -> Value | None:
    """`drop(columns=[...])`, `drop([...], axis=1)`, and `by_name` `drop("a", "b")`."""
    axis = keyword(node, "axis")
    across = isinstance(axis, tree.Literal) and axis.value in {1, "columns"}
    across = across or (len(node.arguments) > 1 and _is_one(node.arguments[1]))
    if keyword(node, "columns") is not None:
        values = listed_values(node, ("columns",), (), frame)
    elif across:
        values = [*arguments[:1], *listed_values(node, ("labels",), (), frame)]
    elif by_name and keyword(node, "index") is None and axis is None and _are_names(arguments):
        values = list(arguments)
    else:
        return None
    names = [name for value in values for name in column_names.some_names(value)]
    return columns.without(table, names, node)


def _is_one(node: Node) -> bool:
    return isinstance(node, tree.Literal) and node.value == 1


def _drops_by_name(call: Invocation) -> bool:
    """Return whether texts without an axis are columns: so the entry says, or the names of columns are what
    is dropped from, or nothing says whose table it is.
    """
    program = call.frame.program
    written = call.base.node if isinstance(call.base, Columns) else None
    gives = field_gives(written.name, program) if isinstance(written, tree.Field) else ()
    return "drops columns" in call.entry.does and (
        bool(call.entry.places("argument"))
        or "names columns" in gives
        or (call.found.by_name and not is_imported(call.found.library, program))
    )


def _are_names(arguments: tuple[Value, ...]) -> bool:
    return bool(arguments) and all(column_names.names_of(value) for value in arguments)


def _select_columns(
    node: tree.Call, table: Columns, arguments: tuple[Value, ...], frame: Frame
) -> Value | None:
    """polars' and Spark's `select("a", pl.col("b"))`, `select(score=expression)`."""
    _note_named_columns(node, frame)
    if not arguments:
        return None
    given = [
        item for value in arguments for item in (value.items if isinstance(value, Sequence) else (value,))
    ]
    parts = [feature_columns.as_features(_as_column(value, node), node) for value in given]
    if any(part is None for part in parts):
        return columns.gone_on(table, node)
    listed = [
        Const(column.name, "", column.node) for part in parts if part is not None for column in part.held
    ]
    named = all(isinstance(value, Opaque) and ONE_COLUMN.match(value.key) for value in given)
    return columns.choose_columns(table, listed, node) if listed or named else None


def _as_column(value: Value, node: Node) -> Value:
    """Return a text as the column it names."""
    names = column_names.names_of(value)
    return columns.of_names(names, "", node) if names else value


def _rename_call(node: tree.Call, table: Columns, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`rename(columns={...})`, `rename({...})`, `withColumnRenamed("a", "b")`."""
    if len(arguments) == 2 and all(isinstance(value, Const) for value in arguments):
        pair = [str(value.value) for value in arguments if isinstance(value, Const)]
        return _rename_in_table(table, {pair[0]: pair[1]}, node, frame)
    for value in listed_values(node, ("columns", "mapping"), arguments, frame):
        if isinstance(value, Table):
            names = {
                str(key.value): str(new.value)
                for key, new in value.entries
                if isinstance(key, Const) and isinstance(new, Const)
            }
            return _rename_in_table(table, names, node, frame)
    return table


def _rename_in_table(table: Columns, names: dict[str, str], node: Node, frame: Frame) -> Columns:
    """Return a protected column that gets another name is still one: it is known to be there under
    that name.
    """
    held = {column.name for column in table.held}
    for old, new in names.items():
        if old not in held and not table.complete and frame.program.vocabulary.mentions(old):
            note_read(table, old, node, frame)
            table = columns.having(table, old, None, node)
        frame.program.renamed.setdefault(new, (old, node))
    return columns.rename_columns(table, names, node)


def when(call: Invocation) -> Value | None:
    """polars' and Spark's `when(test).then(a).when(test).then(b).otherwise(c)`, step by step."""
    node, base, arguments, form = call.node, call.base, call.arguments, call.entry.given.get("form")
    steps = base.arguments if isinstance(base, Operation) and base.op == CASES else ()
    if form == "test" and arguments:  # Spark gives the value at once
        return Operation(CASES, (*steps, *arguments[:2]), node)
    if form == "value" and steps and arguments:
        return Operation(CASES, (*steps, arguments[0]), node)
    if form == "last" and steps and arguments:
        value = arguments[0]
        pairs = list(zip(steps[::2], steps[1::2], strict=False))
        for test, then in reversed(pairs):
            value = Choice(test, then, value, node)
        return value
    return None


class _Alias(Record):
    """The name that an expression is given, and where."""

    name: str
    place: Node


def _alias_of(given: Node) -> _Alias | None:
    """Return the name that `.alias("name")` gives to an expression."""
    match given:
        case tree.Call(
            function=tree.Field(name="alias"), arguments=(tree.Literal(value=str() as name) as place,)
        ):
            return _Alias(name, place)
        case _:
            return None


def close_cases(value: Value) -> Value:
    """Return the value of `when(...).then(...)` that no `otherwise` closes: for all others it is missing."""
    if not (isinstance(value, Operation) and value.op == CASES):
        return value
    found: Value = MISSING
    for test, then in reversed(list(zip(value.arguments[::2], value.arguments[1::2], strict=False))):
        found = Choice(test, then, found, value.node)
    return found


def _note_named_columns(node: tree.Call, frame: Frame) -> None:
    """Columns that a selection makes: `select("id", score=pl.when(...))`."""
    for given in node.arguments:
        if (called := _alias_of(given)) is not None:
            note_new_column(node, called.name, close_cases(frame.evaluate(given)), frame)
    for name, given in node.keywords:
        if name is not None:
            note_new_column(node, name, close_cases(frame.evaluate(given)), frame)


def _with_columns(node: tree.Call, table: Columns, frame: Frame) -> Columns:
    """polars' `with_columns(name=expression)` and `with_columns(expression.alias("name"))`."""
    listed = [
        item.value if isinstance(item, tree.Item) else item
        for given in node.arguments
        for item in (given.items if isinstance(given, tree.Collection) else (given,))
    ]
    for given in listed:
        if (called := _alias_of(given)) is not None:
            value = close_cases(frame.evaluate(given))
            kept = value if frame.program.dependence.on_any(value) else None
            note_new_column(node, called.name, value, frame)
            coded = is_encoding(given, frame) or isinstance(kept, Choice)
            table = columns.having(
                table, called.name, kept, called.place, form="encoded" if coded else "given"
            )
    for name, given in node.keywords:
        if name is not None:
            value = close_cases(frame.evaluate(given))
            kept = value if frame.program.dependence.on_any(value) else None
            note_new_column(node, name, value, frame)
            table = columns.having(table, name, kept, given, form=form_of(name, given, frame))
    return columns.gone_on(table, node)


def note_new_column(node: tree.Call, name: str, value: Value, frame: Frame) -> None:
    """Note that a method gives a table a column that tells groups apart, as an assignment does."""
    if frame.program.dependence.on_any(value) and isinstance(node.function, tree.Field):
        receiver = path_of(node.function.value) or "table"
        frame.emit("assign", node, value, f"{receiver}[{name!r}]")


def _merge_tables(
    node: tree.Call, table: Columns, arguments: tuple[Value, ...], frame: Frame
) -> Value | None:
    """`merge`, `join`: the columns of both."""
    others = [columns.as_table(value, node) for value in arguments if isinstance(value, Columns)]
    del frame
    return columns.beside([table, *(other for other in others if other is not None)], node)


METHODS: Mapping[str, Method] = {
    "drops columns": drop,
    "selects columns": _select_columns,
    "renames columns": _rename_call,
    "puts beside": _merge_tables,
}
