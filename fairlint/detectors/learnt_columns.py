"""Columns of tables that a model learns from: who learns, and what is told."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.detectors.context import Context
from fairlint.semantics.tables.columns import has_chosen_columns
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.symbolic import Choice, Column, Columns, Lookup, Operation, Protected, Sequence
from fairlint.semantics.values.traversal import walk
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.model import Mention

LEARNT = 3
"""How much it says that a model is given a column: nobody gives it the age of a cache."""
HANDS_ON = frozenset({"prepares", "puts beside", "encodes", "table"})
"""What is done to a table that leaves all its columns in it."""

MADE_HERE = ("DataFrame@", "{", "dict")
"""How the origin of a table or row begins that the code has made itself."""


class Found(Record):
    """One protected column in what a model is given."""

    column: Column
    mention: Mention
    event: Event
    table: Columns


class GivenTable(Record):
    """An event that teaches or asks a model, and the table that it is given."""

    event: Event
    table: Columns


def feature_tables(context: Context) -> Iterator[GivenTable]:
    """Yield every event that teaches or asks a model, with the table it is given."""
    for event in context.events:
        if event.kind == "learn" and event.target == "features" and isinstance(event.value, Columns):
            yield GivenTable(event, event.value)


def is_only_there(column: Column, table: Columns, context: Context, *, of_row: bool = False) -> bool:
    """Return whether a table was made with a column, and something else was then done to choose its columns.

    What is read of one person and put into the row that a model is asked about was put there on purpose.
    """
    if column.form != "given" or has_chosen_columns(table):
        return False
    in_row = of_row and (_is_in_row(column, table) or _is_declared_field(column, context))
    stays = HANDS_ON | {"drops columns"} if in_row else HANDS_ON
    if any(stays.isdisjoint(context.does(node)) for node in table.way if not _is_bare(node, in_row)):
        return True
    return not (in_row or table.origin.startswith(MADE_HERE))


def _is_in_row(column: Column, table: Columns) -> bool:
    """Return whether a column holds what is read of one person: `{"age": [form.age]}`.

    What is made of a person's field counts where no other table is known that it may be a column of.
    """
    value = column.value
    if isinstance(value, Sequence) and len(value.items) == 1:
        value = value.items[0]
    if isinstance(value, Choice | Lookup | Operation) and "@" not in table.origin:
        return any(isinstance(part, Protected) for part in walk(value))
    return isinstance(value, Protected)


def _is_declared_field(column: Column, context: Context) -> bool:
    """Return whether a column is a field of somebody's record, all of which was put into the row."""
    return id(column.node) in context.once(_declared_fields, "")


def _declared_fields(_: str, context: Context) -> frozenset[int]:
    definitions = context.definitions
    return frozenset(id(node) for name in definitions.types for node in definitions.fields_of(name).values())


def is_prediction(event: Event, context: Context) -> bool:
    """Report whether an event asks a taught model."""
    return event.kind == "learn" and teacher_name(event, context).rpartition(".")[2].startswith("predict")


def _is_bare(node: Node, in_row: bool) -> bool:
    """Return whether a station is no call: the inner list of `pd.DataFrame([[age, income]])`, `del
    row["sex"]`.
    """
    return isinstance(node, tree.Collection) or (in_row and isinstance(node, tree.Other))


def teacher_name(event: Event, context: Context) -> str:
    """Return what teaches the model, as written: `model.fit`; the class of a data set that hands out its
    rows.
    """
    if event.kind != "learn":
        return event.function.rpartition(".")[0]
    node = event.node.function if isinstance(event.node, tree.Call) else event.node
    return " ".join(context.source.text(node.span).split())[:60]


def other_columns(table: Columns, context: Context) -> tuple[str, ...]:
    """Return the other columns of a table, as far as the code names them."""
    read = context.execution.columns_read.get(table.origin, {})
    return (*(column.name for column in table.held), *(name for name, _ in table.left_out), *read)


def headline_node(node: Node) -> Node:
    """Return the function of a call, and any other node itself."""
    return node.function if isinstance(node, tree.Call) else node


def station_text(node: Node) -> str:
    """Return what is told about a node on a column's way."""
    match node:
        case tree.Index():
            return "the columns are chosen here"
        case tree.Call(function=tree.Field(name="drop") | tree.Name(id="drop")):
            return "others are dropped here"
        case tree.Call(function=tree.Field(name=name)) if "dummies" in name:
            return "columns become codes here"
        case tree.Call(function=tree.Field(name=name)) if "split" in name:
            return "the rows are split here"
        case _:
            return "it is handed on here"
