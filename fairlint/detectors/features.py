"""Features: a protected column is among what a model learns from.

Every `learn` event with features is looked at. A column that the code names is told about where it is named;
one that is left in is told about where the table was cut down. What the code does about it besides (an audit,
a dropped column whose proxy stays) is told about once a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from fairlint.detectors.around_models import has_audit, proxy_uses, unaudited_use
from fairlint.detectors.asked_functions import rows_handed_on
from fairlint.detectors.column_mentions import (
    is_protected_attribute,
    mention_of,
    mentions_by_name,
    mentions_of,
)
from fairlint.detectors.context import Context
from fairlint.detectors.feature_classes import of_choosers, of_data_sets, of_layers, of_steps
from fairlint.detectors.feature_lists import keys_of_codes, listed_by_name, listed_use
from fairlint.detectors.kept_columns import kept_column_use, left_in
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
from fairlint.findings.uses import SENT, UNASKED, Step, Use
from fairlint.semantics.names.effects import any_word, classify_target
from fairlint.semantics.tables.column_names import ONE_HOT, names_of, some_names
from fairlint.semantics.tables.columns import MOST_COLUMNS, has_chosen_columns, of_names
from fairlint.semantics.tables.libraries import TABLES, about
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.symbolic import UNKNOWN, Columns, Protected
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.model import TABLE, Evidence, Mention
from fairlint.vocabulary.words import split_words

GIVEN = "a model is given it here"


def observe(context: Context) -> Iterator[Use]:
    """Yield all features of one file."""
    if TABLES not in about(context.execution.program) and not any(feature_tables(context)):
        handed_on: set[tuple[int, str]] = set()
        yield from rows_handed_on(context, handed_on)
        yield from listed_by_name(context, handed_on)
        return
    told: set[tuple[int, str]] = set()
    first: tuple[Found, Use] | None = None
    for given in feature_tables(context):
        if len(given.table.held) >= MOST_COLUMNS:
            context.facts.cut(
                given.event.node, f"a table of {MOST_COLUMNS} columns or more: only those were read"
            )
    for found in _find_named_columns(context):
        key = (found.column.node.span.start, found.mention.attribute)
        if key in told:
            continue
        told.add(key)
        use = _feature_use(found, context)
        if first is None and use.attribute_kind == "protected" and use.weight >= LEARNT:
            first = found, use
        yield use
    attributes = {attribute for _, attribute in told}
    elsewhere = () if told else _prepared_column_uses(context, set())
    listed = list(listed_by_name(context, told))
    asked = (use for use in listed if UNASKED not in use.tags)
    for use in (*rows_handed_on(context, told), *asked, *keys_of_codes(context, told), *elsewhere):
        attributes.add(use.attribute)
        yield use
    for found in left_in(context):
        if found.mention.attribute in attributes:
            continue
        attributes.add(found.mention.attribute)
        use = kept_column_use(found, context)
        if first is None and use.attribute_kind == "protected" and use.weight >= LEARNT:
            first = found, use
        yield use
    for use in listed:
        if UNASKED in use.tags and use.attribute not in attributes:  # else the list is left over
            yield use
    yield from proxy_uses(context)
    if first is not None and not has_audit(context):
        yield unaudited_use(*first, context)


def _find_named_columns(context: Context) -> Iterator[Found]:
    """Yield columns that the code names on their way into a model; what teaches or asks it comes before what
    splits its rows.
    """
    of_classes = (of_data_sets(context), of_layers(context), of_steps(context), of_choosers(context))
    given = sorted(feature_tables(context), key=lambda one: _only_splits(one.event, context))
    places = (*given, *chain.from_iterable(of_classes))
    for place in places:
        event, table = place.event, place.table
        if _are_set_aside(event, table, context):
            continue
        for column in table.held:
            is_set = event.kind == "return"  # by a step of a pipeline, on purpose
            left = not is_set and is_only_there(column, table, context, of_row=is_prediction(event, context))
            for mention in () if left else mentions_of(column, context):
                yield Found(column, mention, event, table)


def _only_splits(event: Event, context: Context) -> bool:
    return "splits" in context.does(event.node)


def _are_set_aside(event: Event, table: Columns, context: Context) -> bool:
    """Return whether a tensor is made of protected columns alone, which the file drops from what it goes on
    with.
    """
    if not (table.complete and table.origin and table.held) or "table" not in context.does(event.node):
        return False
    if not all(
        any(is_protected_attribute(one, context) for one in mentions_of(each, context)) for each in table.held
    ):
        return False
    dropped = {
        name.value
        for call in context.facts.calls
        if "drops columns" in context.does(call.node)
        for value in (*call.arguments, *call.keywords.values())
        for name in some_names(value)
    }
    return dropped.issuperset(column.name for column in table.held)


def _feature_use(found: Found, context: Context) -> Use:
    encoded = found.column.form == "encoded" and not found.table.complete
    is_step = found.event.kind == "return" and found.event.function.endswith(".transform")
    teacher = teacher_name(found.event, context)
    reason = f"`{teacher}` makes it for a model" if is_step else f"reaches `{teacher}`"
    return plain_use(
        context,
        found.mention,
        found.column.node,
        kind="feature",
        effect="learn",
        shape="read",
        evidence=(Evidence(LEARNT, reason), *by_name(found.event, context)),
        flow=steps_of(found, context, "it is handed on to a model here" if is_step else GIVEN),
        target=None if is_step else teacher_name(found.event, context),
        detail=found.column.name.rstrip(ONE_HOT) if found.column.form == "encoded" else found.column.name,
        receiver=_receiver_name(found.table, context),
        beside=other_columns(found.table, context),
        tags=_feature_tags(found, encoded=encoded) | ({SENT} if _is_sent_away(teacher) else set()),
        functions=(found.event.function,),
    )


def _is_sent_away(teacher: str) -> bool:
    """Return whether a row goes to where a model is served: `requests.post`."""
    words = split_words(teacher.rpartition(".")[2])
    return " ".join(words) in word_lists("features")["sends"]


def _receiver_name(table: Columns, context: Context) -> str:
    """Return the name that the table was chosen from, as far as the last station tells."""
    for node in reversed(table.way):
        if isinstance(node, tree.Index):
            return context.source.text(node.value.span)[:60]
    return TABLE


def _feature_tags(found: Found, *, encoded: bool) -> set[str]:
    tags = {*by_name_tags(found.event.by_name)} | ({"encoded"} if encoded else set())
    if _only_explains(found.table):
        tags.add("explains")
    return tags


def _only_explains(table: Columns) -> bool:
    """Return whether a formula explains what nobody grants or judges.

    Deaths and attitudes are no outcome that a person decides about.
    """
    kind, _, rest = table.origin.partition("@")
    if kind != "formula":
        return False
    outcome = rest.partition("@")[0]
    lists = word_lists("features")
    if classify_target(outcome) in {"score", "outcome", "weak score"} or any_word(outcome, lists["outcomes"]):
        return False
    return not any_word(outcome, lists["any_outcome"])


def steps_of(found: Found, context: Context, last: str = GIVEN) -> list[Step]:
    """Return the stations of a column on its way to what is given it."""
    steps: dict[tuple[int, int], Step] = {}

    def add(node: Node, message: str) -> None:
        steps.setdefault((node.span.start, node.span.end), Step(node.span, message))

    made = found.column.made
    if made is None and (before := context.execution.renamed.get(found.column.name)) is not None:
        made = before[1]
    if made is not None:
        add(headline_node(made), "its codes or its name are made here")
    if isinstance(found.column.value, Protected):
        if found.column.value.named is not None:
            add(found.column.value.named, "its name is listed here")
        add(found.column.value.node, "its value is read here")
    add(found.column.node, f"the column `{found.column.name}` is named here")
    for node in found.table.way:
        if node is not found.event.node:  # a row that is handed on as a list becomes a table there
            add(headline_node(node), station_text(node))
    for node in found.event.way:
        add(headline_node(node), "it is handed on here")
    add(headline_node(found.event.node), last)
    return list(steps.values())


def _prepared_column_uses(context: Context, told: set[tuple[int, str]]) -> Iterator[Use]:
    """Yield columns that are scaled or coded together, by their names, where the model stands in another
    file.
    """
    teacher = next((teacher_name(given.event, context) for given in feature_tables(context)), "")
    tags = set() if teacher else {UNASKED}
    for call in context.facts.calls:
        deeds = context.does(call.node) if call.qualified else frozenset()
        if "prepares" in deeds and call.receiver is not None:
            table = call.argument(0)
        elif "encodes" in deeds and (named := names_of(call.keywords.get("columns", UNKNOWN))):
            table = of_names(named, "", call.node)
        else:
            continue
        for column in table.held if isinstance(table, Columns) and has_chosen_columns(table) else ():
            mention = mention_of(column.name, context) if column.form == "plain" else None
            if mention is not None and _is_kept_from_model(column.name, mention, context):
                continue
            if mention is not None and (column.node.span.start, mention.attribute) not in told:
                told.add((column.node.span.start, mention.attribute))
                reason = f"`{call.name}` prepares it for a model"
                yield listed_use(column.name, column.node, mention, reason, teacher, context, tags)


def _is_kept_from_model(column: str, mention: Mention, context: Context) -> bool:
    """Return whether all that is made of a column is left out of what each model of this file is given.

    Where other columns were put beside those of a table, the column itself may come back as its codes.
    """

    def leaves_it_out(table: Columns) -> bool:
        comes_back = any("puts beside" in context.does(node) for node in table.way)
        names = (name for name, _ in table.left_out if not (comes_back and name == column))
        return any(
            left.attribute == mention.attribute for name in names for left in mentions_by_name(name, context)
        )

    tables = [given.table for given in feature_tables(context)]
    return bool(tables) and all(table.complete or leaves_it_out(table) for table in tables)
