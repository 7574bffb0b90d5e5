"""Classes whose methods give a model its features: data sets, layers of a network, steps of a pipeline."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.detectors.context import Context
from fairlint.detectors.learnt_columns import GivenTable
from fairlint.semantics.tables.column_names import names_of
from fairlint.semantics.tables.columns import as_table, has_chosen_columns, of_names
from fairlint.semantics.tables.feature_columns import as_features
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.symbolic import Column, Columns, Protected, Sequence
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.words import split_words

ASKS = lazy_expression(r"\.predict(?:_proba)?\(")
"""Stands in a class that asks a model."""


def of_data_sets(context: Context) -> Iterator[GivenTable]:
    """Yield what a class of torch's `Dataset` keeps and gives out: a loader hands it to a model."""
    for event in context.events:
        owner, _, method = event.function.rpartition(".")
        if event.kind not in {"assign", "return"} or not owner or not _is_data_set(owner, context):
            continue
        if event.kind == "return" and method not in {"__getitem__", "__iter__"}:
            continue
        if event.kind == "assign" and not context.conventions.own_name(event.target):
            continue
        table = event.value if isinstance(event.value, Columns) else None
        if event.kind == "return":
            table = as_features(event.value, event.node)
        if table is not None and table.complete:
            yield GivenTable(event, table)


def of_layers(context: Context) -> Iterator[GivenTable]:
    """Yield what the `forward` of a network hands to its layers: `self.race(batch["race"])`."""
    for event in context.events:
        owner, _, method = event.function.rpartition(".")
        if (
            event.kind != "call"
            or method not in {"forward", "call"}
            or not context.conventions.own_name(event.target)
        ):
            continue
        if "log" in event.target or not _is_a(owner, ("Module", "Model", "Layer"), context):
            continue
        if isinstance(event.value, Sequence):
            for item in event.value.items:
                if isinstance(item, Protected):
                    column = Column(item.mention.identifier, item.node)
                    yield GivenTable(event, Columns("", event.node, (column,), complete=True))


def of_steps(context: Context) -> Iterator[GivenTable]:
    """Yield what a class of the file that is a step of a pipeline adds to its table, and the columns it is
    told.
    """
    own = {
        owner: method
        for (owner, name), method in context.definitions.methods.items()
        if name == "transform" and _is_a(owner, ("TransformerMixin", "BaseEstimator"), context)
    }
    for event in context.events if own else ():
        owner, _, method = event.function.rpartition(".")
        if event.kind == "return" and method == "transform" and owner in own:
            table = as_table(event.value, event.node)
            if table is not None:
                made = tuple([column for column in table.held if column.value is not None])
                yield GivenTable(event, replace(table, held=made))
    for call in context.facts.calls if own else ():
        if call.name not in own or _leaves_out(call.name, own[call.name], context):
            continue
        for value in (*call.arguments, *call.keywords.values()):
            if isinstance(value, Sequence) and (named := names_of(value)):
                taught = f"{call.name}.transform"
                event = Event("call", call.node, value, call.guards, call.name, taught, way=call.way)
                yield GivenTable(event, of_names(named, "", call.node))


def of_choosers(context: Context) -> Iterator[GivenTable]:
    """Yield the columns that one method of a class chooses, where another asks a model: callers
    hand them on.
    """
    words = word_lists("features")["chooses"]
    asks: dict[str, bool] = {}
    for event in context.events:
        owner, _, method = event.function.rpartition(".")
        table = event.value
        if event.kind != "return" or not isinstance(table, Columns) or words.isdisjoint(split_words(method)):
            continue
        if owner not in asks:
            type_ = context.definitions.types.get(owner)
            asks[owner] = type_ is not None and ASKS.search(context.source.text(type_.span)) is not None
        if asks[owner] and table.complete and has_chosen_columns(table):
            yield GivenTable(event, table)


def _leaves_out(owner: str, method: tree.Function, context: Context) -> bool:
    """Return whether a step drops columns: those that it is told may be just these."""
    if not word_lists("features")["takes_out"].isdisjoint(split_words(owner)):
        return True
    parts = (part for statement in method.body for part in tree.walk(statement))
    return any(isinstance(part, tree.Call) and "drops columns" in context.does(part) for part in parts)


def _is_data_set(owner: str, context: Context) -> bool:
    return _is_a(owner, ("Dataset", "DataModule"), context)


def _is_a(owner: str, endings: tuple[str, ...], context: Context) -> bool:
    """Return whether a class of the file has a base whose name ends so."""
    type_ = context.definitions.types.get(owner)
    return type_ is not None and any(
        context.source.text(base.span).rpartition(".")[2].endswith(endings) for base in type_.bases
    )
