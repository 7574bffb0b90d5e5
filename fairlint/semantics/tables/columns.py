"""Tables of people by their columns: choosing, dropping, renaming and joining them.

All functions are pure: they make a `Columns` out of others and know no library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fairlint.semantics.tables.column_names import (
    MOST_ITEMS,
    ONE_HOT,
    cut_down,
    may_be_names,
    names_of,
    some_names,
)
from fairlint.semantics.values.symbolic import (
    Choice,
    Column,
    Columns,
    Const,
    Filtered,
    Form,
    Lookup,
    Opaque,
    Operation,
    Sequence,
    Sorted,
    Table,
    Value,
)
from fairlint.semantics.values.traversal import either, fold_value
from fairlint.support.records import replace
from fairlint.syntax.tree import Node

LONGEST_WAY = 8
"""Stations of a table that are remembered."""

BY_PLACE = "row@"
"""What the origin of a row begins with whose places are filled one by one."""


MOST_COLUMNS = 400
"""Columns of one table that are looked at."""


def as_table(value: Value, node: Node) -> Columns | None:
    """`value` as a table with columns; None where it is nothing like one."""

    def made(one: Value, tables: list[Columns | None]) -> Columns | None:
        return _as_one_table(one, tables, node)

    return fold_value(value, _table_by, made)


def _table_by(value: Value) -> Iterable[Value]:
    """Return the values of which `value` is one, or a part, as a table."""
    match value:
        case Filtered() | Sorted():
            return (_origin(value),)
        case Choice():
            return either(value)
        case Lookup(table=Table(entries=entries)):
            return [entry for _, entry in entries]
        case _:
            return ()


def _origin(value: Value) -> Value:
    """Return what people were chosen from."""
    while isinstance(value, Filtered | Sorted):
        value = value.people
    return value


def _tests_of_choice(value: Value) -> list[Value]:
    """Return the tests by which people were chosen, the first one first."""
    tests: list[Value] = []
    while isinstance(value, Filtered | Sorted):
        tests += [value.test] if isinstance(value, Filtered) else []
        value = value.people
    return tests[::-1]


def _as_one_table(value: Value, tables: list[Columns | None], node: Node) -> Columns | None:
    known = [table for table in tables if table is not None]
    match value:
        case Columns():
            return value
        case Filtered() | Sorted():
            rows = _tests_of_choice(value)
            return (
                replace(known[0], rows=(*known[0].rows, *rows))
                if known and rows
                else merge_alternatives(known)
            )
        case Choice():
            return merge_alternatives(known)
        case Lookup():
            return merge_alternatives(known) if len(known) == len(tables) else None
        case Opaque(key=key):
            return Columns(key, node)
        case _:
            return None


def merge_alternatives(tables: list[Columns]) -> Columns | None:
    """Return what may be in one of several tables."""
    if len(tables) < 2:
        return tables[0] if tables else None
    first = tables[0]
    dropped = [{name for name, _ in table.left_out} for table in tables]
    return replace(
        first,
        origin=next((table.origin for table in tables if table.origin), ""),
        held=_unique_columns(
            sorted((column for table in tables for column in table.held), key=_is_computed_column)
        ),
        complete=all(table.complete for table in tables),
        left_out=tuple(item for item in first.left_out if all(item[0] in names for names in dropped)),
        rows=tuple({id(test): test for table in tables for test in table.rows}.values()),
        way=next((table.way for table in tables if table.way), ()),
    )


def _is_computed_column(column: Column) -> bool:
    """Return whether a column is made of something, and nothing that stands in for it in another branch."""
    return column.value is not None and not isinstance(column.value, Const | Opaque)


def _unique_columns(columns: Iterable[Column]) -> tuple[Column, ...]:
    """Return the last column of each name, in the order of the first."""
    found: dict[str, Column] = {}
    for column in columns:
        found[column.name] = column
    return tuple(found.values())[:MOST_COLUMNS]


def choose_columns(table: Columns, names: Iterable[Const], node: Node) -> Columns:
    """`table[["a", "b"]]`: only these columns. What the code made of a column stays with it."""
    known = {column.name: column for column in table.held}
    held = []
    for name in names:
        assert isinstance(name.value, str)
        before = known.get(name.value)
        place = name.node or node
        form = before.form if before and before.form != "given" else "plain"
        held.append(replace(before, node=place, form=form) if before else Column(name.value, place))
    return replace(
        table,
        held=_unique_columns(held),
        complete=True,
        left_out=(),
        node=node,
        way=_extended_way(table, node),
    )


def by_index(table: Columns, index: Columns, node: Node) -> Columns:
    """`table[names]`, where the names are those of a table's columns."""
    rows = tuple({id(test): test for test in (*table.rows, *index.rows)}.values())
    if table.complete and not (index.complete or index.held):  # a row, in the order of what was learnt
        gone = {name for name, _ in index.left_out}
        held = tuple(column for column in table.held if not _is_among(column, gone))
        return replace(table, held=held, rows=rows)
    known = {column.name: column for column in table.held}
    held = tuple(known.get(column.name, column) for column in index.held)
    if not index.complete and index.origin == table.origin:  # what was made of the table's columns since
        gone = {name for name, _ in index.left_out} | {column.name for column in held}
        held = (*held, *(column for column in table.held if not _is_among(column, gone)))
    return gone_on(replace(index, held=held, origin=table.origin or index.origin, rows=rows), node)


def as_listed_columns(table: Columns) -> Columns:
    """Return a table whose columns are listed as what it has, and not as what is chosen from it."""
    return replace(table, held=tuple(replace(column, form="given") for column in table.held))


def without(table: Columns, names: Iterable[Const], node: Node) -> Columns:
    """`table.drop(columns=[...])`: all but these."""
    dropped = [(name.value, name.node or node) for name in names if isinstance(name.value, str)]
    gone = {name for name, _ in dropped}
    return replace(
        table,
        held=tuple(column for column in table.held if not _is_among(column, gone)),
        left_out=(*table.left_out, *dropped),
        node=node,
        way=_extended_way(table, node),
    )


def _is_among(column: Column, names: set[str]) -> bool:
    """Return whether a column is named, or one of those it has become: who drops `race_white` drops
    `race_`.
    """
    if column.name in names:
        return True
    one_hot = column.form == "encoded" and column.name.endswith(ONE_HOT)
    return one_hot and any(name.startswith(column.name) for name in names)


def kept_where(table: Columns, keeps: Callable[[str], bool], node: Node) -> Columns:
    """Return the columns whose name passes a test; which others there are stays open."""
    gone = [(column.name, node) for column in table.held if not keeps(column.name)]
    return replace(
        table,
        held=tuple(column for column in table.held if keeps(column.name)),
        left_out=(*table.left_out, *gone),
        node=node,
        way=_extended_way(table, node),
    )


def rename_columns(table: Columns, names: dict[str, str], node: Node) -> Columns:
    """`table.rename(columns={...})`."""
    held = tuple(replace(column, name=names.get(column.name, column.name)) for column in table.held)
    gone = tuple((names.get(name, name), place) for name, place in table.left_out)
    return replace(table, held=held, left_out=gone, node=node)


def relabel_columns(table: Columns, names: tuple[Const, ...], node: Node) -> Columns:
    """`table` after all its columns were named in their order; what is known of each stays with it."""
    known = table.held if table.complete and len(table.held) == len(names) else ()
    held = [
        replace(known[place], name=str(name.value))
        if known
        else Column(str(name.value), name.node or node, "given")
        for place, name in enumerate(names)
    ]
    return replace(table, held=_unique_columns(held), complete=True, left_out=(), way=())


def having(table: Columns, name: str, value: Value | None, node: Node, *, form: Form = "given") -> Columns:
    """`table` after a column was set."""
    column = Column(name, node, form, value)
    chosen = next((one for one in table.held if one.name == name and one.form != "given"), None)
    if chosen is not None:  # it is told about where it was named first
        column = replace(chosen, value=value, made=node)
    dropped = tuple(item for item in table.left_out if item[0] != name)
    return replace(table, held=_unique_columns((*table.held, column)), left_out=dropped)


def one_hot(table: Columns, names: Iterable[Const] | None, node: Node) -> Columns:
    """`pd.get_dummies(table, columns=[...])`: these columns, or all of them, become several.

    `race_white` and its like go by `race_` here.
    """
    names = None if names is None else tuple(names)
    listed = None if names is None else {name.value: name for name in names}
    held = []
    for column in table.held:
        name = column.name
        if listed is None:
            held.append(replace(column, name=f"{name}{ONE_HOT}", form="encoded"))
        elif (given := listed.pop(name, None)) is not None:
            held.append(Column(f"{name}{ONE_HOT}", given.node or column.node, "encoded"))
        else:
            held.append(column)
    left = (listed or {}).values()
    held.extend(Column(f"{name.value}{ONE_HOT}", name.node or node, "encoded") for name in left)
    gone = tuple((str(name.value), node) for name in names or ())
    return replace(
        table, held=tuple(held), left_out=(*table.left_out, *gone), node=node, way=_extended_way(table, node)
    )


def beside(tables: list[Columns], node: Node) -> Columns:
    """Tables side by side: `np.hstack`, `pd.concat(axis=1)`, a merge."""
    open_ones = [table for table in tables if not table.complete]
    first = open_ones[0] if open_ones else tables[0]
    held = _unique_columns(column for table in tables for column in table.held)
    names = {column.name for column in held}
    return replace(
        first,
        held=held,
        complete=not open_ones,
        left_out=tuple(item for item in first.left_out if item[0] not in names),
        rows=_rows_of(tables, node),
        node=node,
        way=_extended_way(first, node),
    )


def _rows_of(tables: list[Columns], node: Node) -> tuple[Value, ...]:
    """Return the tests that the rows of joined tables have passed.

    Parts of one table are put below each other, `concat([women, men])`: a row has passed the tests of one.
    """
    by_origin: dict[str, list[Columns]] = {}
    for number, table in enumerate(tables):
        by_origin.setdefault(table.origin or str(number), []).append(table)
    found: dict[int, Value] = {}
    for parts in by_origin.values():
        common = set.intersection(*({id(test) for test in part.rows} for part in parts))
        found.update((id(test), test) for test in parts[0].rows if id(test) in common)
        own = [[test for test in part.rows if id(test) not in common] for part in parts]
        if all(own):
            passed = [tests[0] if len(tests) == 1 else Operation("and", tuple(tests), node) for tests in own]
            one_of = passed[0] if len(passed) == 1 else Operation("or", tuple(passed), node)
            found[id(one_of)] = one_of
    return tuple(found.values())


def of_names(names: Iterable[Const], origin: str, node: Node) -> Columns:
    """Return a table with just these columns."""
    held = tuple(Column(str(name.value), name.node or node) for name in names)
    return Columns(origin, node, _unique_columns(held), complete=True)


def gone_on(table: Columns, node: Node) -> Columns:
    """Return the same table after one more station."""
    return replace(table, node=node, way=_extended_way(table, node))


def _extended_way(table: Columns, node: Node) -> tuple[Node, ...]:
    return (*table.way, node)[-LONGEST_WAY:]


def has_chosen_columns(table: Columns) -> bool:
    """Return whether a table holds several columns that the code has chosen, set beside these, and
    no others.
    """
    return table.complete and len(table.held) > 1 and any(column.form != "given" for column in table.held)


def holds(table: Columns, name: Const) -> bool | None:
    """Return whether a table has a column of this name; None where nobody knows."""
    if any(column.name == name.value for column in table.held):
        return True
    if table.complete or any(gone == name.value for gone, _ in table.left_out):
        return False
    return None


def joined_names(op: str, left: Value, right: Value, node: Node) -> Value | None:
    """`NUMERIC + CATEGORICAL`, `set(names) - {"income"}`, `names | {"age"}` over lists of names."""
    if op in {"-", "&"} and (cut := cut_down(op, left, right)) is not None:
        return Sequence(cut, node)
    if op in {"+", "|"} and isinstance(left, Sequence) and isinstance(right, Sequence):
        if len(left.items) + len(right.items) <= MOST_ITEMS:
            return Sequence((*left.items, *right.items), node)
        each_once = tuple(dict.fromkeys((*left.items, *right.items)))  # a list is added to itself
        return Sequence(each_once, node) if len(each_once) <= MOST_ITEMS else None
    if op == "+" and may_be_names(left) and may_be_names(right):
        known = left if isinstance(left, Sequence) else right
        names = names_of(known) if isinstance(known, Sequence) else None
        return replace(of_names(names, "", node), complete=False) if names else None
    if not (isinstance(left, Columns) or isinstance(right, Columns)) or op not in {"+", "|", "-"}:
        return None
    if op == "-":
        names = some_names(right)
        return without(left, names, node) if isinstance(left, Columns) and names else None
    parts = [table for part in (left, right) if (table := _names_as_table(part, node)) is not None]
    return beside(parts, node) if len(parts) == 2 else None


def _names_as_table(value: Value, node: Node) -> Columns | None:
    if isinstance(value, Columns):
        return value
    names = names_of(value)
    return None if names is None else of_names(names, "", node)
