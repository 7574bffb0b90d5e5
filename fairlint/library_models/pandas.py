"""pandas: what no entry of `pandas.toml` can say."""

from __future__ import annotations

from itertools import islice
from math import inf

from fairlint.library_models.bisect import plain_numbers
from fairlint.semantics.interpreter import operations, reads
from fairlint.semantics.interpreter.arguments import keyword
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.tables import column_names, column_texts, columns, feature_columns
from fairlint.semantics.tables.groups import groups_of_rows
from fairlint.semantics.tables.table_access import derived_value, table_of
from fairlint.semantics.tables.table_assignments import is_encoding
from fairlint.semantics.tables.table_methods import method, note_new_column, on_table
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    FILLED,
    MISSING,
    UNKNOWN,
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
    Table,
    Value,
)
from fairlint.semantics.values.traversal import either, walk
from fairlint.support.records import replace
from fairlint.syntax import tree

MOST_BINS = 60
"""Bins of a number that are told apart, each by its limit."""
MOST_PARTS = 2_000
"""Parts of a value among which a missing one is looked for."""


def filtered(call: Invocation) -> Value | None:
    """`df.filter(items=[...])`; a table filtered by what tells nothing of people has the same columns."""
    found = on_table(call, _filter_columns)
    if found is None and isinstance(call.base, Columns):
        tells = any(call.frame.program.dependence.on_any(argument) for argument in call.arguments)
        return None if tells else call.base
    return found


def with_column(call: Invocation) -> Value | None:
    """`df.insert(0, "name", values)`."""
    only = call.found.by_name and call.name == "insert"
    return None if only else on_table(call, _with_column)


def popped(call: Invocation) -> Value | None:
    """`df.pop("income")`."""
    return None if call.found.by_name else on_table(call, _pop_column)


def names_without(call: Invocation) -> Value | None:
    """`df.columns.difference([...])`."""
    return None if call.found.by_name else on_table(call, _names_without)


def common_names(call: Invocation) -> Value | None:
    """`df.columns.intersection([...])`."""
    return None if call.found.by_name else on_table(call, _common_columns)


def dummies(call: Invocation) -> Value | None:
    """`pd.get_dummies(df)`."""
    return _dummy_columns(call.node, call.arguments, call.frame) if call.arguments else None


def made(call: Invocation) -> Value | None:
    """`pd.DataFrame({...})`."""
    return _make_frame(call.node, call.arguments, call.frame)


def made_of_row(call: Invocation) -> Value | None:
    """`pd.Series({...})`, `pd.Series([5, 2], index=[...])`: a row by the names of its columns."""
    data, index = call.given("argument", 0, "data"), call.given("argument", 1, "index")
    names = column_names.names_of(index) if index is not None else None
    if names and isinstance(data, Sequence) and len(data.items) == len(names):
        return Table(tuple(zip(names, data.items, strict=True)), call.node)
    is_row = bool(call.arguments) and isinstance(call.arguments[0], Table)
    return _make_frame(call.node, call.arguments, call.frame) if is_row else None


def binned(call: Invocation) -> Value | None:
    """`pd.cut(df["age"], ...)`."""
    first = call.arguments[0] if call.arguments else None
    return (_bins_as_points(call, first) or first) if isinstance(first, Protected) else None


def records(call: Invocation) -> Value | None:
    """`table.to_dict("records")`: rows, each with the columns of the table."""
    orient = call.given("argument", 0, "orient")
    is_of_rows = call.name == "to_records" or (isinstance(orient, Const) and orient.value == "records")
    return Elementwise(call.base, call.node) if is_of_rows and isinstance(call.base, Columns) else None


def recoded(call: Invocation) -> Value | None:
    """`table.replace({"gender": {"male": 0, "female": 1}})`: columns become codes."""
    first = call.given("arguments", 0, "to_replace")
    entries = first.entries if isinstance(first, Table) else ()
    if not entries or not all(isinstance(codes, Table) for _, codes in entries):
        return None

    def coded(node: tree.Call, table: Columns, arguments: tuple[Value, ...], frame: Frame) -> Value:
        del arguments, frame
        for key, _ in entries:
            if isinstance(key, Const) and isinstance(key.value, str):
                table = columns.having(table, key.value, None, key.node or node, form="encoded")
        return table

    return on_table(call, coded)


def _bins_as_points(call: Invocation, value: Protected) -> Value | None:
    """Bins whose labels are numbers: points by the number that is binned. What lies in no bin is missing."""
    bins, labels = call.given("argument", 1, "bins"), call.given("argument", 3, "labels")
    if call.name != "cut" or not isinstance(bins, Sequence):
        return None
    limits = [_bin_limit(one) for one in bins.items]
    if isinstance(labels, Const) and labels.value is False:
        numbers: tuple[Value, ...] = tuple(map(Const, range(len(limits) - 1)))
    elif isinstance(labels, Sequence) and plain_numbers(labels.items) is not None:
        numbers = labels.items
    else:
        return None
    known = [limit for limit in limits if limit is not None]
    if not 0 < len(numbers) == len(limits) - 1 <= MOST_BINS or len(known) < len(limits):
        return None
    ends = [call.given("argument", 2, "right"), call.given("argument", 5, "include_lowest")]
    right, lowest = (one.value if isinstance(one, Const) else None for one in ends)
    right, lowest = right if ends[0] is not None else True, lowest if ends[1] is not None else False
    if known != sorted(known) or right is None or lowest is None:
        return Operation(call.name, (value,), call.node)
    op = "<=" if right else "<"
    found: Value = MISSING
    for edge, label in zip(reversed(known[1:]), reversed(numbers), strict=True):
        found = label if edge == inf else Choice(
            operations.compare(op, value, Const(edge), call.node), label, found, call.node
        )  # fmt: skip
    if known[0] == -inf:
        return found
    below = operations.compare("<" if lowest or not right else "<=", value, Const(known[0]), call.node)
    return Choice(below, MISSING, found, call.node)


def _bin_limit(value: Value) -> float | None:
    """Return a limit of bins: a number, or one without end."""
    match value:
        case Const(value=int() | float() as number):
            return float(number)
        case Operation(op="neg", arguments=(Opaque() as one,)) if _bin_limit(one) == inf:
            return -inf
        case Opaque(key=key) if key.rpartition(".")[2].lower() in {"inf", "infinity", "-inf"}:
            return -inf if key.startswith("-") else inf
        case _:
            return None


def cases(call: Invocation) -> Value | None:
    """`series.case_when([(test, value), ...])`: the value of the first test that holds, else what it was."""
    listed = call.given("argument", 0, "caselist")
    value: Value = call.base or UNKNOWN
    if not isinstance(listed, Sequence):
        return None
    for pair in reversed(listed.items):
        if not (isinstance(pair, Sequence) and len(pair.items) == 2):
            return None
        test, then = (
            call.frame.inline(one, call.node, (call.base or UNKNOWN,)) if isinstance(one, Closure) else one
            for one in pair.items
        )
        value = Choice(test, then, value, call.node)
    return value


def group(call: Invocation) -> Value | None:
    """`people.groupby("gender").get_group("male")`: the rows of one group."""
    function, name = call.node.function, call.given("argument", 0, "name")
    groups = groups_of_rows(function.value, call.frame) if isinstance(function, tree.Field) else None
    if groups is None or name is None:
        return None
    pairs = [(groups.key, name)]
    if isinstance(groups.key, Sequence):
        asked = name.items if isinstance(name, Sequence) else (name,)
        pairs = list(zip(groups.key.items, asked, strict=False))
    tests = [operations.compare("==", key, one, call.node) for key, one in pairs]
    return Filtered(groups.table, operations.combine("and", tests, call.node), call.node)


def filled(call: Invocation) -> Value | None:
    """`column.map({"male": 5}).fillna(0)`: what is missing gets a value."""
    value = call.given("argument", 0, "value")
    if value is None or not isinstance(call.base, Choice | Lookup | Operation):
        return method(call)
    if any(part is MISSING for part in islice(walk(call.base), MOST_PARTS)):
        return Operation(FILLED, (call.base, value), call.node)
    return method(call)


def _filter_columns(
    node: tree.Call, table: Columns, arguments: tuple[Value, ...], frame: Frame
) -> Value | None:
    """`filter(items=[...])`, `filter(like="race")`, `filter(regex="^age")`: columns by their names."""
    items, like, regex = (keyword(node, name) for name in ("items", "like", "regex"))
    if items is not None or (arguments and isinstance(arguments[0], Sequence)):
        value = arguments[0] if items is None else frame.evaluate(items)
        names = column_names.names_of(value)
        return None if not names else columns.choose_columns(table, names, node)
    pattern = frame.evaluate(like or regex) if like is not None or regex is not None else None
    if not (isinstance(pattern, Const) and isinstance(pattern.value, str)):
        return None
    wanted = _pattern_words(pattern.value)
    read = frame.program.columns_read.get(table.origin, {})
    named = [column.name for column in table.held] + list(read)
    listed = [Const(name, "", pattern.node) for name in named if any(word in name for word in wanted)]
    listed += [Const(word, "", pattern.node) for word in wanted if frame.program.vocabulary.mentions(word)]
    return columns.choose_columns(table, listed, node)


def _pattern_words(pattern: str) -> list[str]:
    """Return the texts that a pattern of column names asks for: `^(race|sex)_` asks for two."""
    return [word.strip("^$()._*+\\ ") for word in pattern.split("|") if word.strip("^$()._*+\\ ")]


def _with_column(node: tree.Call, table: Columns, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """Spark's `withColumn("name", expression)` and pandas' `insert(place, "name", values)`."""
    names = [value for value in arguments if isinstance(value, Const) and isinstance(value.value, str)]
    if not names or len(arguments) < 2:
        return None
    note_new_column(node, str(names[0].value), arguments[-1], frame)
    encoded = any(is_encoding(argument, frame) for argument in node.arguments[1:])
    form: Form = "encoded" if encoded else "given"
    found = columns.having(table, str(names[0].value), arguments[-1], names[0].node or node, form=form)
    if isinstance(node.function, tree.Field) and node.function.name == "insert":
        if (path := path_of(node.function.value)) is not None:
            frame.variables[path] = found
        return Const(None)
    return found


def _pop_column(node: tree.Call, table: Columns, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`table.pop("income")` gives the column, and leaves the rest."""
    if not (arguments and isinstance(arguments[0], Const) and isinstance(arguments[0].value, str)):
        return None
    name = arguments[0].value
    assert isinstance(node.function, tree.Field)
    path = path_of(node.function.value)
    receiver = frame.text(node.function.value)
    found = (
        derived_value(table, name)
        or reads.read_by_identifier(name, node, frame, receiver)
        or Opaque(frame.text(node))
    )
    if path is not None:
        frame.variables[path] = columns.without(table, (arguments[0],), node)
    return found


def _names_without(
    node: tree.Call, table: Columns, arguments: tuple[Value, ...], frame: Frame
) -> Value | None:
    """`columns.difference([...])`, and `names.remove("income")` in place."""
    names = [name for value in arguments for name in column_names.some_names(value)]
    if not names:
        return None
    found = columns.without(table, names, node)
    assert isinstance(node.function, tree.Field)
    if node.function.name == "remove":
        if (path := path_of(node.function.value)) is not None:
            frame.variables[path] = found
        return Const(None)
    return found


def _common_columns(
    node: tree.Call, table: Columns, arguments: tuple[Value, ...], frame: Frame
) -> Value | None:
    del frame
    names = [name for value in arguments for name in column_names.some_names(value)]
    return columns.choose_columns(table, names, node) if names else None


def _dummy_columns(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    first = arguments[0]
    if isinstance(first, Sequence) and len(first.items) == 1:
        first = first.items[0]  # a column of one row
    if isinstance(first, Protected):
        coded = (
            f"{first.mention.identifier}{column_names.ONE_HOT}"  # it stays where the column itself is dropped
        )
        return Columns("", node, (Column(coded, first.node, "encoded"),), complete=True)
    written = node.arguments[0] if node.arguments else None
    if isinstance(first, Choice | Lookup | Operation) and isinstance(written, tree.Index):
        name = written.index.value if isinstance(written.index, tree.Literal) else None
        if isinstance(name, str):  # a column that the code has made of something
            made_of = Column(f"{name}{column_names.ONE_HOT}", written, "encoded", first)
            return Columns("", node, (made_of,), complete=True)
    table = table_of(first, node, frame)
    if table is None:
        return None
    given = keyword(node, "columns")
    value = frame.evaluate(given) if given is not None else None
    names = column_names.names_of(value) if value is not None else None
    if given is not None and names is None:
        return columns.gone_on(table, node)
    return columns.one_hot(table, names, node)


def _make_frame(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    origin = f"DataFrame@{node.span.start}"
    given = keyword(node, "columns")
    names = column_names.names_of(frame.evaluate(given)) if given is not None else None
    data = arguments[0] if arguments else None
    if names:
        return columns.as_listed_columns(_named_row(columns.of_names(names, origin, node), data, node, frame))
    if isinstance(data, Elementwise) and isinstance(data.element, Table):
        data = data.element  # rows that were gathered
    if data is None and (inner := keyword(node, "data")) is not None:
        data = frame.evaluate(inner)
    if isinstance(data, Sequence) and data.items:
        if all(map(_is_unknown_row, data.items)):
            return Columns(origin, node)
        is_row = all(isinstance(item, Table | Columns) for item in data.items)
        data = data.items[0] if is_row else feature_columns.as_features(data, node)
    if isinstance(data, Table):
        held = feature_columns.as_features(data, node)
        values = {key.value: value for key, value in data.entries if isinstance(key, Const)}
        if held is None:
            return Columns(origin, node)
        with_values = tuple(
            replace(column, value=values.get(column.name))
            if _has_dependence(values.get(column.name), frame)
            else column
            for column in held.held
        )
        return columns.as_listed_columns(replace(held, origin=origin, held=with_values))
    if isinstance(data, Columns):
        return data if data.origin else columns.as_listed_columns(replace(data, origin=origin))
    return Columns(origin, node)


def _named_row(table: Columns, data: Value | None, node: tree.Call, frame: Frame) -> Columns:
    """Return a row that is written out under names which stand elsewhere: each column is brought in by the
    row.
    """
    row = data.items[0] if isinstance(data, Sequence) and len(data.items) == 1 else None
    written = row.node.items if isinstance(row, Sequence) and isinstance(row.node, tree.Collection) else ()
    if not isinstance(row, Sequence) or not len(written) == len(row.items) == len(table.held):
        return table
    held = [
        replace(column, node=item.value, value=value, made=column.node)
        if _has_dependence(value, frame) and not tree.inside(column.node, node)
        else column
        for column, value, item in zip(table.held, row.items, written, strict=True)
    ]
    return replace(table, held=tuple(held))


def _is_unknown_row(value: Value) -> bool:
    """Return whether a row is one of several that are handed in: which fields it has stays open."""
    return isinstance(value, Choice) and all(isinstance(one, Opaque) for one in either(value))


def _has_dependence(value: Value | None, frame: Frame) -> bool:
    return value is not None and frame.program.dependence.on_any(value)


def evaluated(call: Invocation) -> Value | None:
    """`df.eval("score = points - 5 * (sex == 'F')")`."""
    text = call.arguments[0] if call.arguments else None
    function = call.node.function
    if isinstance(text, Const) and isinstance(function, tree.Field):
        found = column_texts.evaluate_text(call.node, str(text.value), function.value, call.frame)
        if found is not None:
            return found
    return method(call)


def where(call: Invocation) -> Value | None:
    """`df.where(mask)` by what tells nothing of people: the same table."""
    if not (isinstance(call.base, Columns) and call.arguments):
        return None
    return None if call.frame.program.dependence.on_any(call.arguments[0]) else call.base
