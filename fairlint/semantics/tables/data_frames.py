"""Data frames: what their methods and the functions around them do to the columns they hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from fairlint.semantics.interpreter import operations
from fairlint.semantics.interpreter.arguments import keyword
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.names.qualified_names import qualified_name
from fairlint.semantics.tables import columns
from fairlint.semantics.tables.libraries import (
    call_entries,
    field_gives,
    has_tables,
    imported_libraries,
    lexicon,
    may_do,
)
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    MISSING,
    OLD,
    Choice,
    Closure,
    Column,
    Columns,
    Const,
    Elementwise,
    Filtered,
    Form,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Sorted,
    Table,
    TextSpan,
    Value,
    either,
    walk,
)
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.words import split_words

LONGEST_CALL = 200
"""Bytes of a call in which the name of the file that it reads is looked for."""
CASES = "cases"
"""The operator that holds the tests and values of `when(...).then(...)` until `otherwise` closes it."""
_TEST = re.compile(r"[<>&|~]|[=!]=")
"""Stands in an expression that is a test."""
ONE_COLUMN = re.compile(r"(?:\w+\.)?col\(['\"]\w+['\"]\)")
"""An expression that begins with a column by its name: `pl.col("tenure").log()`."""


def table_of(value: Value, node: Node, frame: Frame) -> Columns | None:
    """`value` as a table, where the file has tables at all."""
    if isinstance(value, Columns):
        return value
    if not isinstance(value, Filtered | Sorted | Choice | Lookup | Opaque) or not has_tables(frame):
        return None
    return columns.as_table(value, node)


def note_read(base: Value, name: str, node: Node, frame: Frame) -> None:
    """Remembers that the code reads a protected column of a table, which is therefore in it."""
    table = table_of(base, node, frame) if isinstance(base, Columns | Opaque | Filtered | Choice) else None
    if table is not None and table.origin:
        frame.program.columns_read.setdefault(table.origin, {}).setdefault(name, node)


# ------------------------------------------------------------------------------------------------ access


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
        return columns.as_features(chosen, node) if joins else _part_of_array(node, base, frame)
    if isinstance(chosen, Const):
        return None
    if isinstance(chosen, Columns):
        table = table_of(base, node, frame)
        return None if table is None else columns.by_index(table, chosen, node)
    names = columns.names_of(chosen)
    if names is None or not (
        names or (isinstance(node.index, tree.Comprehension) and isinstance(base, Columns))
    ):
        table = table_of(base, node, frame) if isinstance(base, Columns | Choice) else None
        return table if table is not None and _are_rows(table, chosen, node, frame) else None
    if (table := table_of(base, node, frame)) is None:
        return None
    if table.origin and not table.complete and len(names) > 1:
        _note_listed_columns(table, names, node, frame)
    return columns.choose_columns(table, names, node)


def asked_of(function: Closure, base: Value, node: Node, frame: Frame) -> Value:
    """`table[lambda t: t["age"] < 30]`: what the function gives for the table itself."""
    return frame.inline(function, node, (base,))


def _are_rows(table: Columns, chosen: Value, node: tree.Index, frame: Frame) -> bool:
    """Whether an index nobody can follow chooses rows, and not a column: `df[df["pay"].notna()]`.

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
    """Whether a field or key is called after what a model wants: `artifact.features`, `bundle["columns"]`."""
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
    if (listed := columns.names_of(names)) is not None:
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
        kept = [name for part in names.arguments for name in columns.names_of(part) or ()]
        return columns.choose_columns(table, kept, node) if kept else columns.gone_on(table, node)
    listed = _left_out_by(names)
    return columns.gone_on(table, node) if listed is None else columns.without(table, listed, node)


def _left_out_by(test: Value) -> tuple[Const, ...] | None:
    """The names that a test over the names of columns leaves out."""
    match test:
        case Operation(op="not", arguments=(Operation(op="==" | "in", arguments=(left, right)),)):
            return columns.names_of(left if isinstance(right, Columns) else right)
        case Operation(op="and", arguments=arguments):
            parts = [_left_out_by(argument) for argument in arguments]
            return tuple(name for part in parts for name in part or ()) if any(parts) else None
        case _:
            return None


def _in_known_order(table: Columns, node: Node, frame: Frame) -> Columns:
    """A table that was read from a known data set, with all columns of its file."""
    _, at, place = table.origin.rpartition("@")
    if table.complete or table.way or table.held or table.left_out or not (at and place.isdigit()):
        return table
    text = frame.program.source.data[int(place) : int(place) + LONGEST_CALL].partition(b"\n")[0]
    data_set = frame.program.vocabulary.data_set_called(text.decode("utf-8", "replace"))
    names = frame.program.vocabulary.order_of(data_set) if data_set is not None else ()
    held = tuple(Column(name, node) for name in names)
    return replace(table, held=held, complete=True) if held else table


def _by_number(table: Columns, part: Node, node: Node, frame: Frame) -> Columns:
    """Columns by their places: known where the whole table is, or the file it was read from."""
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
    """The table that rows make: `[[p.age, p.pay] for p in people]`, `[row_of(p) for p in people]`."""
    if isinstance(element, Columns) and element.origin.startswith(columns.BY_PLACE):
        return columns.gone_on(element, node)
    if not isinstance(element, Sequence | Table) or not has_tables(frame):
        return None
    table = columns.as_features(element, node)
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
            found += (name for side in part.arguments for name in columns.names_of(side) or ())
    return [name for name in found if frame.program.vocabulary.mentions(str(name.value).strip("_. "))]


def derived_value(base: Value, name: str) -> Value | None:
    """What the code has made of a column, where it set it: `frame["label"]` after `frame["label"] = ...`."""
    while isinstance(base, Filtered | Sorted):
        base = base.people
    if not isinstance(base, Columns):
        return None
    column = next((column for column in base.held if column.name == name), None)
    return None if column is None or isinstance(column.value, Const | Opaque) else column.value


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
    form = _form_of(name, node.value, frame)
    if is_mention and isinstance(value, Operation) and not frame.program.dependence.on_any(value):
        frame.program.renamed.setdefault(name, ("", node))
    frame.variables[path] = columns.having(table, name, kept, place, form=form)


def _form_of(name: str, node: Node | None, frame: Frame) -> Form:
    """What a column becomes that is set: `.apply(pd.to_numeric)` makes no codes of a number."""
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
    if (coded := columns.one_hot_name(key)) is not None:
        _set_code(coded, base, target, frame)
    for name in columns.names_of(key) or ():
        named_at = _entry_of(name, target, frame)
        assign_column(_table_at(base, target, frame), base, str(name.value), value, node, frame, named_at)


def _entry_of(name: Const, target: tree.Index, frame: Frame) -> Node | None:
    """Where a loop's list names the column of this round: `for name in ["age"]: table[f"{name}_z"] = ...`."""
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
    names = columns.names_of(value) if isinstance(value, Sequence) else None
    path = path_of(target.value)
    if not names or path is None or not has_tables(frame):
        return
    if "names columns" not in field_gives(target.name, frame.program):
        return
    table = table_of(_table_at(path, target, frame), node, frame)
    if table is not None:
        frame.variables[path] = columns.relabel_columns(table, names, node)


def _cell_column(target: tree.Index) -> tree.Index | None:
    """The column of a table's row: of `row.at[0, "age"]`, `row["age"]`."""
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
    if not frame.program.vocabulary.mentions(str(name.value).rstrip(columns.ONE_HOT)):
        return
    base = _table_at(path, target, frame)
    table = columns.as_features(base, target) if isinstance(base, Table) else table_of(base, target, frame)
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
            names = columns.names_of(frame.evaluate(part.index))
            if names:
                frame.variables[path] = columns.without(table, names, node)


def is_encoding(node: Node | None, frame: Frame) -> bool:
    """Whether an expression makes codes of a column: `encoder.fit_transform(...)`, `.map({...})`."""
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


# ------------------------------------------------------------------------------------------------ methods


Method = Callable[[tree.Call, Columns, tuple[Value, ...], Frame], Value | None]

_ENCODES = frozenset({"encodes", "numbers", "prepares", "applies", "chooses"})


def method(call: Invocation) -> Value | None:
    """What a method of a table gives; None for a method of anything else."""
    base, node, function = call.base, call.node, call.node.function
    if not isinstance(base, Columns | Opaque | Filtered | Sorted | Choice | Lookup):
        return None
    if call.found.by_name and call.name in lexicon()["only_of_tables"]:
        return None
    assert isinstance(function, tree.Field)
    does = call.entry.does
    handler = next((_METHODS[one] for one in does if one in _METHODS), None)
    if handler is not None:
        return on_table(call, partial(drop, by_name=True) if _drops_by_name(call) else handler)
    if "adds columns" in does:
        is_known = isinstance(base, Filtered | Columns) or call.found.library in imported_libraries(
            call.frame.program
        )
        table = table_of(base, node, call.frame) if is_known else None
        return None if table is None else _with_columns(node, table, call.frame)
    if "keeps columns" not in does:
        return None
    if isinstance(base, Filtered) and not _in_place(node):
        return base if isinstance(base.people, Columns | Filtered) else None
    if isinstance(base, Choice) and is_table(base):
        base = table_of(base, node, call.frame)
    return _table_after_call(call, base) if isinstance(base, Columns) else None


def is_table(value: Value) -> bool:
    """Whether a value is a table, or one of several."""
    return all(isinstance(one, Columns) for one in either(value))


def on_table(call: Invocation, handler: Method) -> Value | None:
    """What a handler makes of the table that a method is called on, be it in place."""
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
        names = columns.names_of(listed)
        return base if names is None else columns.choose_columns(base, names, node)
    return base


def named_in(node: tree.Call, base: Columns, arguments: tuple[Value, ...], frame: Frame) -> None:
    """Columns that a method is told by name are in the table: `df.groupby("race")`."""
    values = [*arguments, *(frame.evaluate(value) for _, value in node.keywords)]
    for value in values:
        _note_listed_columns(base, columns.some_names(value), node, frame)


def _in_place(node: tree.Call) -> bool:
    given = keyword(node, "inplace")
    return isinstance(given, tree.Literal) and given.value is True


def _note_listed_columns(table: Columns, names: Iterable[Const], node: Node, frame: Frame) -> None:
    for name in names:
        if isinstance(name.value, str) and frame.program.vocabulary.mentions(name.value):
            note_read(table, name.value, name.node or node, frame)


def listed_values(
    node: tree.Call, keywords: Iterable[str], arguments: tuple[Value, ...], frame: Frame
) -> list[Value]:
    """The values of the arguments, and of some keywords."""
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
    names = [name for value in values for name in columns.some_names(value)]
    return columns.without(table, names, node)


def _is_one(node: Node) -> bool:
    return isinstance(node, tree.Literal) and node.value == 1


def _drops_by_name(call: Invocation) -> bool:
    """Whether texts without an axis are columns: so the entry says, or the names of columns are what is
    dropped from, or nothing says whose table it is.
    """
    program = call.frame.program
    written = call.base.node if isinstance(call.base, Columns) else None
    gives = field_gives(written.name, program) if isinstance(written, tree.Field) else ()
    return "drops columns" in call.entry.does and (
        bool(call.entry.places("argument"))
        or "names columns" in gives
        or (call.found.by_name and call.found.library not in imported_libraries(program))
    )


def _are_names(arguments: tuple[Value, ...]) -> bool:
    return bool(arguments) and all(columns.names_of(value) for value in arguments)


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
    parts = [columns.as_features(_as_column(value, node), node) for value in given]
    if any(part is None for part in parts):
        return columns.gone_on(table, node)
    listed = [
        Const(column.name, "", column.node) for part in parts if part is not None for column in part.held
    ]
    named = all(isinstance(value, Opaque) and ONE_COLUMN.match(value.key) for value in given)
    return columns.choose_columns(table, listed, node) if listed or named else None


def _as_column(value: Value, node: Node) -> Value:
    """A text as the column it names."""
    names = columns.names_of(value)
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
    """A protected column that gets another name is still one: it is known to be there under that name."""
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


def _alias_and_place(given: Node) -> tuple[str, Node] | None:
    """The name that `.alias("name")` gives to an expression, and where."""
    match given:
        case tree.Call(
            function=tree.Field(name="alias"), arguments=(tree.Literal(value=str() as name) as place,)
        ):
            return name, place
        case _:
            return None


def close_cases(value: Value) -> Value:
    """The value of `when(...).then(...)` that no `otherwise` closes: for all others it is missing."""
    if not (isinstance(value, Operation) and value.op == CASES):
        return value
    found: Value = MISSING
    for test, then in reversed(list(zip(value.arguments[::2], value.arguments[1::2], strict=False))):
        found = Choice(test, then, found, value.node)
    return found


def _note_named_columns(node: tree.Call, frame: Frame) -> None:
    """Columns that a selection makes: `select("id", score=pl.when(...))`."""
    for given in node.arguments:
        if (called := _alias_and_place(given)) is not None:
            note_new_column(node, called[0], close_cases(frame.evaluate(given)), frame)
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
        if (called := _alias_and_place(given)) is not None:
            value = close_cases(frame.evaluate(given))
            kept = value if frame.program.dependence.on_any(value) else None
            note_new_column(node, called[0], value, frame)
            coded = is_encoding(given, frame) or isinstance(kept, Choice)
            table = columns.having(table, called[0], kept, called[1], form="encoded" if coded else "given")
    for name, given in node.keywords:
        if name is not None:
            value = close_cases(frame.evaluate(given))
            kept = value if frame.program.dependence.on_any(value) else None
            note_new_column(node, name, value, frame)
            table = columns.having(table, name, kept, given, form=_form_of(name, given, frame))
    return columns.gone_on(table, node)


def note_new_column(node: tree.Call, name: str, value: Value, frame: Frame) -> None:
    """A method gives a table a column that tells groups apart, as an assignment does."""
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


# ------------------------------------------------------------------------------------------------ functions


def _load_table(node: tree.Call, name: str, frame: Frame) -> Value:
    origin = f"{name}@{node.span.start}"
    for key in ("names", "usecols", "columns", "header", "new_columns"):
        given = keyword(node, key)
        if given is None:
            continue
        names = columns.names_of(frame.evaluate(given))
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
    table = columns.as_features(arguments[0], node)
    return table if table is not None and table.complete and table.held else None


def _part_columns(value: Value, node: Node) -> Columns | None:
    if isinstance(value, Const):
        return None
    return columns.as_features(value, node)


def _starts_at(node: Node, path: str | None) -> bool:
    """Whether a chain of calls starts at a variable, or at a call that is given it."""
    while isinstance(node, tree.Call) and isinstance(node.function, tree.Field):
        if path is not None and path in _argument_paths(node):
            return True
        node = node.function.value
    return path is not None and path_of(node) == path


def _argument_paths(node: tree.Call) -> set[str | None]:
    """What a call is given, be it in a list: `concat([table, codes], axis=1)`."""
    first = node.arguments[0] if node.arguments else None
    if isinstance(first, tree.Collection):
        return {path_of(item.value) for item in first.items}
    return set() if first is None else {path_of(first)}


def function(call: Invocation) -> Value | None:
    """What a function that reads or reshapes tables gives; None for any other."""
    node, arguments = call.node, call.arguments
    for does in call.entry.does:
        if does == "reads table":
            return _beside_labels(call, _load_table(node, call.name, call.frame))
        if does == "puts beside" and arguments:
            return _concatenate_tables(node, arguments)
        if does == "table" and arguments and isinstance(arguments[0], Columns | Elementwise):
            return columns.as_features(arguments[0], node)
        if does in _METHODS and call.entry.places("argument"):
            return _of_argument(call, _METHODS[does])
    return None


def _of_argument(call: Invocation, handler: Method) -> Value | None:
    """`select(people, "age", "gender")`: what is a method elsewhere, with the table among the arguments."""
    given = call.given("argument")
    table = None if given is None else table_of(given, call.node, call.frame)
    rest = tuple(argument for argument in call.arguments if argument is not given)
    return None if table is None else handler(call.node, table, rest, call.frame)


def stays_table(value: Node, target: Node, before: Value, frame: Frame) -> bool:
    """Whether `df = df.dropna()` and its like hands on the table, so that it is no update of a number."""
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

_METHODS: Mapping[str, Method] = {
    "drops columns": drop,
    "selects columns": _select_columns,
    "renames columns": _rename_call,
    "puts beside": _merge_tables,
}
