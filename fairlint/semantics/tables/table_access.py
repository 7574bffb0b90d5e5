"""Data frames: what an index, a field or a comprehension takes from the columns they hold."""

from __future__ import annotations

from collections.abc import Iterable

from fairlint.semantics.interpreter import operations
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.tables import column_names, columns, feature_columns
from fairlint.semantics.tables.libraries import field_gives, has_tables, lexicon
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    Choice,
    Closure,
    Column,
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
from fairlint.semantics.values.traversal import walk
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.words import split_words

LONGEST_CALL = 200
"""Bytes of a call in which the name of the file that it reads is looked for."""
_TEST = lazy_expression(r"[<>&|~]|[=!]=")
"""Stands in an expression that is a test."""


def table_of(value: Value, node: Node, frame: Frame) -> Columns | None:
    """`value` as a table, where the file has tables at all."""
    if isinstance(value, Columns):
        return value
    if not isinstance(value, Filtered | Sorted | Choice | Lookup | Opaque) or not has_tables(frame):
        return None
    return columns.as_table(value, node)


def note_read(base: Value, name: str, node: Node, frame: Frame) -> None:
    """Remember that the code reads a protected column of a table, which is therefore in it."""
    table = table_of(base, node, frame) if isinstance(base, Columns | Opaque | Filtered | Choice) else None
    if table is not None and table.origin:
        frame.program.columns_read.setdefault(table.origin, {}).setdefault(name, node)


def index(node: tree.Index, base: Value, chosen: Value, frame: Frame) -> Value | None:
    """`table[["a", "b"]]`, `table[names]`, `table.loc[rows, names]`, `table.iloc[:, 1:4]`."""
    if not (isinstance(base, Columns) or has_tables(frame)):
        return None
    way = node.value.name if isinstance(node.value, tree.Field) else ""
    if isinstance(node.value, tree.Field) and way in {"loc", "iloc"}:
        held = base if isinstance(base, Columns) else frame.evaluate(node.value.value)
        return _by_place(node, held, chosen, frame)
    if isinstance(node.index, tree.Collection) and node.index.kind == "tuple":
        joins = "puts beside" in field_gives(way, frame.program)
        return feature_columns.as_features(chosen, node) if joins else _part_of_array(node, base, frame)
    if isinstance(chosen, Const):
        return None
    if isinstance(chosen, Columns):
        table = table_of(base, node, frame)
        return None if table is None else columns.by_index(table, chosen, node)
    names = column_names.names_of(chosen)
    if names is None or not (
        names or (isinstance(node.index, tree.Comprehension) and isinstance(base, Columns))
    ):
        table = table_of(base, node, frame) if isinstance(base, Columns | Choice) else None
        return table if table is not None and _are_rows(table, chosen, node, frame) else None
    if (table := table_of(base, node, frame)) is None:
        return None
    if table.origin and not table.complete and len(names) > 1:
        note_listed_columns(table, names, node, frame)
    return columns.choose_columns(table, names, node)


def asked_of(function: Closure, base: Value, node: Node, frame: Frame) -> Value:
    """`table[lambda t: t["age"] < 30]`: what the function gives for the table itself."""
    return frame.inline(function, node, (base,))


def _are_rows(table: Columns, chosen: Value, node: tree.Index, frame: Frame) -> bool:
    """Return whether an index nobody can follow chooses rows, and not a column: `df[df["pay"].notna()]`.

    What a model that was loaded says it wants are all columns that the row has.
    """
    if not isinstance(chosen, Opaque):
        return False
    behind = table.complete or bool(table.way)
    match node.index:
        case tree.Name():
            return behind or "(" in chosen.key or _TEST.search(chosen.key) is not None  # or places of rows
        case tree.Field(name=name):
            return behind and (bool(chosen.name or chosen.type) or _are_features(name))
        case tree.Index(value=inner, index=key):
            held = frame.evaluate(inner)
            if not (behind and isinstance(held, Opaque)):
                return False
            return bool(held.type) or (
                isinstance(key, tree.Literal) and isinstance(key.value, str) and _are_features(key.value)
            )
        case _:
            return isinstance(node.index, tree.Call | tree.Unary | tree.Binary)


def _are_features(name: str) -> bool:
    """Return whether a field or key is called after what a model wants: `artifact.features`,
    `bundle["columns"]`.
    """
    return not lexicon()["wanted_columns"].isdisjoint(split_words(name))


def _part_of_array(node: tree.Index, base: Value, frame: Frame) -> Value | None:
    """`array[:, :-1]` and `array[:, [0, 2]]`: some columns of a table by their places."""
    assert isinstance(node.index, tree.Collection)
    last = node.index.items[-1].value if node.index.items else None
    if not isinstance(base, Columns) or (isinstance(last, tree.Literal) and isinstance(last.value, str)):
        return None
    return _by_number(base, node.index.items[-1].value, node, frame) if len(node.index.items) == 2 else base


def _by_place(node: tree.Index, base: Value, chosen: Value, frame: Frame) -> Value | None:
    """`table.loc[rows, names]`, and some rows of it."""
    if not (isinstance(node.index, tree.Collection) and len(node.index.items) == 2):
        is_plain = isinstance(base, Columns) and not isinstance(chosen, Const)
        return base if is_plain and not operations.is_mask(chosen) else None
    assert isinstance(node.value, tree.Field)
    table = table_of(base, node, frame)
    if table is None or not isinstance(chosen, Sequence) or len(chosen.items) != 2:
        return None
    rows, names = chosen.items
    if operations.is_mask(rows):
        table = replace(table, rows=(*table.rows, rows))
    if isinstance(names, Const) and isinstance(names.value, str):
        path = path_of(node.value.value)
        return None if path is None else frame.variables.get(f"{path}[{names.value!r}]")
    if node.value.name == "iloc":
        return _by_number(table, node.index.items[1].value, node, frame)
    if isinstance(names, Columns) and not names.complete:
        return replace(names, rows=(*names.rows, *table.rows), node=node)
    if (listed := column_names.names_of(names)) is not None:
        return columns.choose_columns(table, listed, node)
    if isinstance(node.index.items[1].value, tree.Slice):
        return _column_range(table, node.index.items[1].value, node)
    return _exclude_columns(table, names, node)


def _column_range(table: Columns, part: tree.Slice, node: Node) -> Columns:
    """`table.loc[:, "age":"income"]`: the ends are known, what lies between them only where all is."""
    names = [column.name for column in table.held]
    ends = [
        end.value if isinstance(end, tree.Literal) and isinstance(end.value, str) else None
        for end in (part.lower, part.upper)
    ]
    if table.complete and all(end is None or end in names for end in ends):
        first = 0 if ends[0] is None else names.index(ends[0])
        last = len(names) if ends[1] is None else names.index(ends[1]) + 1
        listed = [Const(column.name, "", column.node) for column in table.held[first:last]]
        return columns.choose_columns(table, listed, node)
    for end in (part.lower, part.upper):
        if isinstance(end, tree.Literal) and isinstance(end.value, str):
            table = columns.having(table, end.value, None, end)
    return columns.gone_on(table, node)


def _exclude_columns(table: Columns, names: Value, node: Node) -> Columns:
    """`table.loc[:, ~table.columns.isin([...])]` and `table.loc[:, table.columns != "income"]`."""
    if isinstance(names, Operation) and names.op in {"in", "=="}:
        kept = [name for part in names.arguments for name in column_names.names_of(part) or ()]
        return columns.choose_columns(table, kept, node) if kept else columns.gone_on(table, node)
    listed = _left_out_by(names)
    return columns.gone_on(table, node) if listed is None else columns.without(table, listed, node)


def _left_out_by(test: Value) -> tuple[Const, ...] | None:
    """Return the names that a test over the names of columns leaves out."""
    match test:
        case Operation(op="not", arguments=(Operation(op="==" | "in", arguments=(left, right)),)):
            return column_names.names_of(left if isinstance(right, Columns) else right)
        case Operation(op="and", arguments=arguments):
            parts = [_left_out_by(argument) for argument in arguments]
            return tuple(name for part in parts for name in part or ()) if any(parts) else None
        case _:
            return None


def _in_known_order(table: Columns, node: Node, frame: Frame) -> Columns:
    """Return a table that was read from a known data set, with all columns of its file."""
    _, at, place = table.origin.rpartition("@")
    if table.complete or table.way or table.held or table.left_out or not (at and place.isdigit()):
        return table
    text = frame.program.source.data[int(place) : int(place) + LONGEST_CALL].partition(b"\n")[0]
    data_set = frame.program.vocabulary.data_set_called(text.decode("utf-8", "replace"))
    names = frame.program.vocabulary.order_of(data_set) if data_set is not None else ()
    held = tuple(Column(name, node) for name in names)
    return replace(table, held=held, complete=True) if held else table


def _by_number(table: Columns, part: Node, node: Node, frame: Frame) -> Columns:
    """Return columns by their places: known where the whole table is, or the file it was read from."""
    table = _in_known_order(table, node, frame)
    places: list[int] | None = None
    count = len(table.held)
    match part:
        case tree.Slice(lower=lower, upper=upper):
            first, last = _whole_number(lower, 0), _whole_number(upper, count)
            places = None if first is None or last is None else list(range(count))[first:last]
        case tree.Collection(items=items):
            numbers = [_whole_number(item.value, None) for item in items]
            places = [place for place in numbers if place is not None and -count <= place < count]
        case tree.Literal(value=int() as place) if -count <= place < count:
            places = [place]
        case _:
            pass
    if not table.complete or places is None:
        return columns.gone_on(table, node)
    listed = [Const(table.held[place].name, "", table.held[place].node) for place in places]
    return columns.choose_columns(table, listed, node)


def _whole_number(node: Node | None, default: int | None) -> int | None:
    match node:
        case None:
            return default
        case tree.Literal(value=int() as number):
            return number
        case tree.Unary(op="-", operand=tree.Literal(value=int() as number)):
            return -number
        case _:
            return None


def field(base: Columns, node: tree.Field, gives: frozenset[str]) -> Columns:
    """`table.columns`, `table.values`: the same columns."""
    return replace(base, node=node) if "names columns" in gives else base


def rows_of(element: Value, node: Node, frame: Frame) -> Columns | None:
    """Return the table that rows make: `[[p.age, p.pay] for p in people]`, `[row_of(p) for p in people]`."""
    if isinstance(element, Columns) and element.origin.startswith(columns.BY_PLACE):
        return columns.gone_on(element, node)
    if not isinstance(element, Sequence | Table) or not has_tables(frame):
        return None
    table = feature_columns.as_features(element, node)
    return table if table is not None and table.held else None


def comprehension(
    node: tree.Comprehension, generator: tree.Generator, iterable: Value, frame: Frame
) -> Value | None:
    """`[name for name in table.columns if name not in DROPPED]`: the columns whose names pass."""
    if not isinstance(iterable, Columns) or not isinstance(generator.target, tree.Name):
        return None
    if not isinstance(node.element, tree.Name) or node.element.id != generator.target.id:
        return None
    left_out: list[Const] = []
    tests: list[Value] = []

    def passes(name: Value) -> bool:
        inner = frame.scope()
        inner.bind(generator.target, name)
        for condition in generator.conditions:
            test = inner.evaluate(condition)
            if isinstance(name, Opaque):
                tests.append(test)
                left_out.extend(_left_out_by(test) or ())
            elif isinstance(test, Const) and test.value is False:
                return False
        return True

    passes(Opaque(generator.target.id))
    kept = columns.kept_where(iterable, lambda name: passes(Const(name)), node)
    if left_out:
        return columns.without(kept, left_out, node)
    asked = [] if iterable.complete else [*_asked_for(generator, frame), *_listed_by(tests, frame)]
    for name in asked:
        kept = columns.having(kept, str(name.value), None, name.node or node)
    chosen = [Const(column.name, "", column.node) for column in kept.held]
    return columns.choose_columns(kept, chosen, node) if asked else kept


def _asked_for(generator: tree.Generator, frame: Frame) -> list[Const]:
    """Protected names that a condition asks the names of columns for: `if name.startswith("race_")`."""
    found: list[Const] = []
    for condition in generator.conditions:
        parts = list(tree.walk(condition))
        if any(
            isinstance(part, tree.Unary | tree.Compare) and part.op in {"not", "!=", "not in"}
            for part in parts
        ):
            return []
        for part in parts:
            if isinstance(part, tree.Literal) and isinstance(part.value, str):
                word = part.value.strip("_. ")
                if frame.program.vocabulary.mentions(word):
                    found.append(Const(word, "", part))
    return found


def _listed_by(tests: list[Value], frame: Frame) -> list[Const]:
    """Protected names that tests of the names of columns list: `if name in WANTED`, `if is_wanted(name)`."""
    found: list[Const] = []
    for part in walk(*tests):
        if not isinstance(part, Operation):
            continue
        if part.op in {"not", "!=", "not in"}:
            return []
        if part.op in {"in", "=="} and any(isinstance(side, Opaque) for side in part.arguments):
            found += (name for side in part.arguments for name in column_names.names_of(side) or ())
    return [name for name in found if frame.program.vocabulary.mentions(str(name.value).strip("_. "))]


def derived_value(base: Value, name: str) -> Value | None:
    """Return what the code has made of a column, where it set it: `frame["label"]` after `frame["label"] =
    ...`.
    """
    while isinstance(base, Filtered | Sorted):
        base = base.people
    if not isinstance(base, Columns):
        return None
    column = next((column for column in base.held if column.name == name), None)
    return None if column is None or isinstance(column.value, Const | Opaque) else column.value


def note_listed_columns(table: Columns, names: Iterable[Const], node: Node, frame: Frame) -> None:
    """Note that the code reads those of the named columns that are protected."""
    for name in names:
        if isinstance(name.value, str) and frame.program.vocabulary.mentions(name.value):
            note_read(table, name.value, name.node or node, frame)
