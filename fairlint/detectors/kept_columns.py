"""Protected columns that are left in a table that a model learns from."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.detectors.column_mentions import mention_of, mentions_by_name, mentions_of
from fairlint.detectors.context import Context
from fairlint.detectors.learnt_columns import (
    LEARNT,
    Found,
    feature_tables,
    headline_node,
    is_only_there,
    is_prediction,
    other_columns,
    station_text,
    teacher_name,
)
from fairlint.detectors.use_builder import by_name, by_name_tags, plain_use
from fairlint.findings.uses import Step, Use
from fairlint.semantics.values.symbolic import Column, Columns
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.model import TABLE, Evidence

OF_DATA_SET = 3
"""How much it says that a known data set has the column."""
_LONGEST_READ = 200
"""Characters of a call that reads a table in which the name of its data set is looked for."""


def left_in(context: Context) -> Iterator[Found]:
    """Protected columns that nobody took out of a table that a model is given."""
    chooses = _pipeline_chooses(context)
    for given in feature_tables(context):
        event, table = given.event, given.table
        if chooses or is_prediction(event, context):
            continue  # a model picks out what it knows, as does a pipeline that lists its columns
        for column in table.held:
            for mention in mentions_of(column, context) if is_only_there(column, table, context) else ():
                yield Found(column, mention, event, table)
        if table.complete:
            continue
        gone = {name for name, _ in table.left_out} | {column.name for column in table.held}
        taken = {one.attribute for name, _ in table.left_out for one in mentions_by_name(name, context)}
        for name, node in known_columns(table, context).items():
            one = None if name in gone else mention_of(name, context)
            if one is not None and not (node is table.node and one.attribute in taken):
                yield Found(Column(name, node), one, event, table)


def _pipeline_chooses(context: Context) -> bool:
    """Return whether a step of a pipeline lists the columns that go on, and drops all others."""
    return any(
        isinstance(given.event.node, tree.Call)
        and "pipeline" in context.does(given.event.node)
        and not any(
            key == "remainder" and isinstance(value, tree.Literal) and value.value == "passthrough"
            for key, value in given.event.node.keywords
        )
        for given in feature_tables(context)
    )


def known_columns(table: Columns, context: Context) -> dict[str, Node]:
    """Return the columns that an open table is known to have: those the code reads, and those of its data
    set.
    """
    read = context.execution.columns_read.get(table.origin, {})
    known = {name: node for name, node in read.items() if not _is_of_another(node, table, context)}
    data_set = _data_set(table, context) if "@" in table.origin else None
    for name in context.vocabulary.columns_of(data_set) if data_set else ():
        known.setdefault(name, table.node)
    return known


def _is_of_another(node: Node, table: Columns, context: Context) -> bool:
    """Return whether a column is read from a variable of this name that another function gives
    another value.
    """
    name = table.origin.partition(".")[0]
    given = [context.once(_given_in, f"{context.function_at(one.span)}={name}") for one in (node, table.node)]
    return None not in given and given[0] != given[1]


def _given_in(variable: str, context: Context) -> str | None:
    """Return what a function gives a variable first, as written."""
    function, _, name = variable.partition("=")
    node = context.function_named(function)
    for part in () if node is None else (inner for statement in node.body for inner in tree.walk(statement)):
        if not isinstance(part, tree.Assign) or part.value is None:
            continue
        if any(isinstance(target, tree.Name) and target.id == name for target in part.targets):
            return context.source.text(part.value.span)
    return None


def _data_set(table: Columns, context: Context) -> str | None:
    """Return the known data set that a table is, by what it was read from or by the columns that the code
    names.
    """
    source = next((text for text in _source_texts(table, context)), "")
    called = context.vocabulary.data_set_called(source)
    if called is not None:
        return called
    around = (*context.neighbourhood("").siblings, *(column.name for column in table.held))
    return context.vocabulary.data_set_of((*around, *(name for name, _ in table.left_out)))


def _source_texts(table: Columns, context: Context) -> Iterator[str]:
    """Yield the text of the call that the table was read by."""
    _, at, place = table.origin.rpartition("@")
    if at and place.isdigit():
        start = int(place)
        text = context.source.text(tree.Span(start, min(start + _LONGEST_READ, len(context.source.data))))
        name = context.once(_qualified_names, "").get(start, "")
        yield f"{name} {' '.join(text[: _end_of_call(text)].split())}"


def _qualified_names(_: str, context: Context) -> dict[int, str]:
    """Return what the calls of a file stand for, by where they begin: `shap.datasets.adult` for `adult()`."""
    return {call.node.span.start: call.qualified for call in context.facts.calls if call.qualified}


def _end_of_call(text: str) -> int:
    """Return where a call that a text begins with ends; at the end of the line where it has no brackets."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0 or (sign == "\n" and depth == 0):
            return place
    return len(text)


def kept_column_use(found: Found, context: Context) -> Use:
    """Return the Use of a column that was left in, told where the table was cut down."""
    place = narrowing_node(found.table) or found.event.node
    stations = [node for node in found.table.way if node is not place]
    steps = [
        Step(found.column.node.span, f"the column `{found.column.name}` is in the table"),
        Step(headline_node(place).span, "and stays in it here"),
        *(Step(headline_node(node).span, station_text(node)) for node in stations),
        Step(headline_node(found.event.node).span, "a model is given the rest here"),
    ]
    known = _data_set(found.table, context)
    in_set = known is not None and found.column.name in context.vocabulary.columns_of(known)
    reasons = [Evidence(LEARNT, f"reaches `{teacher_name(found.event, context)}`")]
    if in_set:
        reasons.append(Evidence(OF_DATA_SET, f"is a column of the data set {known}"))
    reasons.extend(by_name(found.event, context))
    return plain_use(
        context,
        found.mention,
        place,
        kind="feature",
        effect="learn",
        shape="read",
        evidence=reasons,
        flow=list({step.span: step for step in steps}.values()),
        target=teacher_name(found.event, context),
        detail=f"{known}'s column {found.column.name}" if in_set else found.column.name,
        receiver=TABLE,
        beside=other_columns(found.table, context),
        tags={"omission", *by_name_tags(found.event.by_name)},
    )


def narrowing_node(table: Columns) -> Node | None:
    """Return where a table was cut down, and could have been cut further."""
    for node in reversed(table.way):
        match node:
            case tree.Call(function=tree.Field(name="drop" | "pop" | "difference" | "filter" | "select")):
                return node
            case tree.Index() | tree.Comprehension():
                return node
            case _:
                pass
    return table.way[-1] if table.way else None
