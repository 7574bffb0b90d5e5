"""Rows that are handed to a function which says by its name that it asks a model: `predict_risk(row)`.

The function stands in another package, or the model in it is behind what nobody can follow.
"""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.detectors.context import Context
from fairlint.detectors.feature_classes import ASKS
from fairlint.detectors.use_builder import plain_use
from fairlint.findings.uses import LISTED, Step, Use
from fairlint.semantics.tables.feature_columns import as_features
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.symbolic import Column, Columns, Protected, Sequence, Table, Value
from fairlint.semantics.values.traversal import walk
from fairlint.syntax import tree
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.model import TABLE, Evidence, Mention
from fairlint.vocabulary.words import split_words

PREDICTS = 2
"""How much it says that a function is called after predicting, and is given a row."""

FEWEST_COLUMNS = 2
"""What has fewer is no row."""


def rows_handed_on(context: Context, told: set[tuple[int, str]]) -> Iterator[Use]:
    """Protected columns of rows about one person that go to a function which predicts."""
    for call in context.facts.calls:
        name = call.name.rpartition(".")[2]
        if (
            not _is_predictor_name(name)
            or context.vocabulary.mentions(name)
            or _is_library_call(call, context)
        ):
            continue
        for value in (*call.arguments, *call.keywords.values()):
            for column, read in _of_person(value, call):
                mention = read.mention
                if (column.node.span.start, mention.attribute) in told:
                    continue
                if _decides_itself(name, mention, call, context):
                    continue
                told.add((column.node.span.start, mention.attribute))
                yield _build_use(column, mention, call, context)


def _build_use(column: Column, mention: Mention, call: Call, context: Context) -> Use:
    return plain_use(
        context,
        mention,
        column.node,
        kind="feature",
        effect="learn",
        shape="read",
        evidence=(Evidence(PREDICTS, f"`{call.name}` predicts from it"),),
        flow=(
            Step(column.node.span, f"the column `{column.name}` is named here"),
            Step(call.node.function.span, "a model is given it here"),
        ),
        target=call.name,
        detail=column.name,
        receiver=TABLE,
        tags={LISTED},
        functions=(call.function,),
    )


def _is_predictor_name(name: str) -> bool:
    """Return whether a function is called `predict_risk`, `get_prediction`, `estimate_probability`."""
    words = split_words(name)
    lists = word_lists("learning")
    if not words or len(words) < FEWEST_COLUMNS:
        return False
    if words[0] in lists["predicting"]:
        return True
    return words[0] in lists["obtaining"] and not lists["predicted"].isdisjoint(words[1:])


def _is_library_call(call: Call, context: Context) -> bool:
    """Return whether the model of a library says what a call does."""
    return bool(context.does(call.node))


def _of_person(value: Value, call: Call) -> Iterator[tuple[Column, Protected]]:
    """Yield the columns of a row, or of a table made of one, that hold what is read of a person."""
    if not isinstance(value, Columns | Table | Sequence):
        return
    row = as_features(value, call.node)
    if row is None or len(row.held) < FEWEST_COLUMNS:
        return
    for column in row.held:
        parts = () if column.value is None else walk(column.value)
        read = next((part for part in parts if isinstance(part, Protected)), None)
        if read is not None:
            yield column, read


def _decides_itself(name: str, mention: Mention, call: Call, context: Context) -> bool:
    """Return whether a function of the project asks no model, and reads the attribute, or other entries
    alone.
    """
    function = context.function_named(name)
    if function is None or _is_namesake(function, call):
        return False
    text = context.source.text(function.span)
    if ASKS.search(text) is not None:
        return False
    return mention.identifier in text or not _goes_through(function)


def _is_namesake(function: tree.Function, call: Call) -> bool:
    """Return whether a function hands its work on to what another object calls the same, as the handler of a
    request does: `def predict_risk(form): return service.predict_risk(row)`.
    """
    own = function.parameters[0].name if function.parameters else ""
    match call.node.function:
        case tree.Field(value=tree.Name(id=name)) if name == own:
            return False
        case tree.Field():
            return function.span.start <= call.node.span.start < function.span.end
        case _:
            return False


def _goes_through(function: tree.Function) -> bool:
    """Return whether a function does more with what it is given than read entries: `for key in row`."""
    given = {parameter.name for parameter in function.parameters}
    nodes = [part for statement in function.body for part in tree.walk(statement)]
    entries = {id(part.value) for part in nodes if isinstance(part, tree.Index)}
    entries.update(id(part.value) for part in nodes if isinstance(part, tree.Field) and part.name == "get")
    return any(isinstance(part, tree.Name) and part.id in given and id(part) not in entries for part in nodes)
