"""Features: a protected column is among what a model learns from.

Every `learn` event with features is looked at. A column that the code names is told about where it is named;
one that is left in is told about where the table was cut down. What the code does about it besides (an audit,
a dropped column whose proxy stays) is told about once a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

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
from fairlint.detectors.group_rates import measures_groups
from fairlint.detectors.use_builder import by_name, by_name_tags, plain_use
from fairlint.findings.uses import SENT, UNASKED, Step, Use
from fairlint.semantics.names.effects import any_word, classify_target
from fairlint.semantics.tables.column_names import ONE_HOT, names_of, some_names
from fairlint.semantics.tables.columns import MOST_COLUMNS, has_chosen_columns, of_names
from fairlint.semantics.tables.libraries import TABLES, about
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.symbolic import (
    UNKNOWN,
    Choice,
    Column,
    Columns,
    Lookup,
    Operation,
    Protected,
    Sequence,
)
from fairlint.semantics.values.traversal import walk
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.model import Evidence, Mention
from fairlint.vocabulary.words import split_words

LEARNT = 3
"""How much it says that a model is given a column: nobody gives it the age of a cache."""
OF_DATA_SET = 3
"""How much it says that a known data set has the column."""

GIVEN = "a model is given it here"

_LONGEST_READ = 200
"""Characters of a call that reads a table in which the name of its data set is looked for."""

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


def observe(context: Context) -> Iterator[Use]:
    """All features of one file."""
    if TABLES not in about(context.execution.program) and not any(_feature_tables(context)):
        handed_on: set[tuple[int, str]] = set()
        yield from rows_handed_on(context, handed_on)
        yield from listed_by_name(context, handed_on)
        return
    told: set[tuple[int, str]] = set()
    first: tuple[Found, Use] | None = None
    for event, table in _feature_tables(context):
        if len(table.held) >= MOST_COLUMNS:
            context.facts.cut(event.node, f"a table of {MOST_COLUMNS} columns or more: only those were read")
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
    for found in _left_in(context):
        if found.mention.attribute in attributes:
            continue
        attributes.add(found.mention.attribute)
        use = _kept_column_use(found, context)
        if first is None and use.attribute_kind == "protected" and use.weight >= LEARNT:
            first = found, use
        yield use
    for use in listed:
        if UNASKED in use.tags and use.attribute not in attributes:  # else the list is left over
            yield use
    yield from _proxy_uses(context)
    if first is not None and not _has_audit(context):
        yield _unaudited_use(*first, context)


# ------------------------------------------------------------------------------------------------ named


def _feature_tables(context: Context) -> Iterator[tuple[Event, Columns]]:
    for event in context.events:
        if event.kind == "learn" and event.target == "features" and isinstance(event.value, Columns):
            yield event, event.value


def _find_named_columns(context: Context) -> Iterator[Found]:
    """Columns that the code names on their way into a model; what teaches or asks it comes before what splits
    its rows.
    """
    of_classes = (of_data_sets(context), of_layers(context), of_steps(context), of_choosers(context))
    given = sorted(_feature_tables(context), key=lambda one: _only_splits(one[0], context))
    places = (*given, *chain.from_iterable(of_classes))
    for event, table in places:
        if _are_set_aside(event, table, context):
            continue
        for column in table.held:
            is_set = event.kind == "return"  # by a step of a pipeline, on purpose
            left = not is_set and _is_only_there(
                column, table, context, of_row=_is_prediction(event, context)
            )
            for mention in () if left else mentions_of(column, context):
                yield Found(column, mention, event, table)


def _only_splits(event: Event, context: Context) -> bool:
    return "splits" in context.does(event.node)


def _are_set_aside(event: Event, table: Columns, context: Context) -> bool:
    """Whether a tensor is made of protected columns alone, which the file drops from what it goes on with."""
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


def _is_only_there(column: Column, table: Columns, context: Context, *, of_row: bool = False) -> bool:
    """Whether a table was made with a column, and something else was then done to choose its columns.

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
    """Whether a column holds what is read of one person: `{"age": [form.age]}`.

    What is made of a person's field counts where no other table is known that it may be a column of.
    """
    value = column.value
    if isinstance(value, Sequence) and len(value.items) == 1:
        value = value.items[0]
    if isinstance(value, Choice | Lookup | Operation) and "@" not in table.origin:
        return any(isinstance(part, Protected) for part in walk(value))
    return isinstance(value, Protected)


def _is_declared_field(column: Column, context: Context) -> bool:
    """Whether a column is a field of somebody's record, all of which was put into the row."""
    return id(column.node) in context.once(_declared_fields, "")


def _declared_fields(_: str, context: Context) -> frozenset[int]:
    definitions = context.definitions
    return frozenset(id(node) for name in definitions.types for node in definitions.fields_of(name).values())


def _is_prediction(event: Event, context: Context) -> bool:
    return event.kind == "learn" and _teacher_name(event, context).rpartition(".")[2].startswith("predict")


def _is_bare(node: Node, in_row: bool) -> bool:
    """Whether a station is no call: the inner list of `pd.DataFrame([[age, income]])`, `del row["sex"]`."""
    return isinstance(node, tree.Collection) or (in_row and isinstance(node, tree.Other))


def _feature_use(found: Found, context: Context) -> Use:
    encoded = found.column.form == "encoded" and not found.table.complete
    is_step = found.event.kind == "return" and found.event.function.endswith(".transform")
    teacher = _teacher_name(found.event, context)
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
        target=None if is_step else _teacher_name(found.event, context),
        detail=found.column.name.rstrip(ONE_HOT) if found.column.form == "encoded" else found.column.name,
        receiver=_receiver_name(found.table, context),
        beside=_other_columns(found.table, context),
        tags=_feature_tags(found, encoded=encoded) | ({SENT} if _is_sent_away(teacher) else set()),
        functions=(found.event.function,),
    )


def _is_sent_away(teacher: str) -> bool:
    """Whether a row goes to where a model is served: `requests.post`."""
    words = split_words(teacher.rpartition(".")[2])
    return " ".join(words) in word_lists("features")["sends"]


def _teacher_name(event: Event, context: Context) -> str:
    """What teaches the model, as written: `model.fit`; the class of a data set that hands out its rows."""
    if event.kind != "learn":
        return event.function.rpartition(".")[0]
    node = event.node.function if isinstance(event.node, tree.Call) else event.node
    return " ".join(context.source.text(node.span).split())[:60]


def _receiver_name(table: Columns, context: Context) -> str:
    """The name that the table was chosen from, as far as the last station tells."""
    for node in reversed(table.way):
        if isinstance(node, tree.Index):
            return context.source.text(node.value.span)[:60]
    return "df"


def _feature_tags(found: Found, *, encoded: bool) -> set[str]:
    tags = {*by_name_tags(found.event.by_name)} | ({"encoded"} if encoded else set())
    if _only_explains(found.table):
        tags.add("explains")
    return tags


def _only_explains(table: Columns) -> bool:
    """Whether a formula explains what nobody grants or judges.

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


def _other_columns(table: Columns, context: Context) -> tuple[str, ...]:
    """The other columns of a table, as far as the code names them."""
    read = context.execution.columns_read.get(table.origin, {})
    return (*(column.name for column in table.held), *(name for name, _ in table.left_out), *read)


def steps_of(found: Found, context: Context, last: str = GIVEN) -> list[Step]:
    """The stations of a column on its way to what is given it."""
    steps: dict[tuple[int, int], Step] = {}

    def add(node: Node, message: str) -> None:
        steps.setdefault((node.span.start, node.span.end), Step(node.span, message))

    made = found.column.made
    if made is None and (before := context.execution.renamed.get(found.column.name)) is not None:
        made = before[1]
    if made is not None:
        add(_headline_node(made), "its codes or its name are made here")
    if isinstance(found.column.value, Protected):
        if found.column.value.named is not None:
            add(found.column.value.named, "its name is listed here")
        add(found.column.value.node, "its value is read here")
    add(found.column.node, f"the column `{found.column.name}` is named here")
    for node in found.table.way:
        if node is not found.event.node:  # a row that is handed on as a list becomes a table there
            add(_headline_node(node), _station_text(node))
    for node in found.event.way:
        add(_headline_node(node), "it is handed on here")
    add(_headline_node(found.event.node), last)
    return list(steps.values())


def _headline_node(node: Node) -> Node:
    return node.function if isinstance(node, tree.Call) else node


def _station_text(node: Node) -> str:
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


def _prepared_column_uses(context: Context, told: set[tuple[int, str]]) -> Iterator[Use]:
    """Columns that are scaled or coded together, by their names, where the model stands in another file."""
    teacher = next((_teacher_name(event, context) for event, _ in _feature_tables(context)), "")
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
    """Whether all that is made of a column is left out of what each model of this file is given.

    Where other columns were put beside those of a table, the column itself may come back as its codes.
    """

    def leaves_it_out(table: Columns) -> bool:
        comes_back = any("puts beside" in context.does(node) for node in table.way)
        names = (name for name, _ in table.left_out if not (comes_back and name == column))
        return any(
            left.attribute == mention.attribute for name in names for left in mentions_by_name(name, context)
        )

    tables = [table for _, table in _feature_tables(context)]
    return bool(tables) and all(table.complete or leaves_it_out(table) for table in tables)


# ------------------------------------------------------------------------------------------------ left in


def _left_in(context: Context) -> Iterator[Found]:
    """Protected columns that nobody took out of a table that a model is given."""
    chooses = _pipeline_chooses(context)
    for event, table in _feature_tables(context):
        if chooses or _is_prediction(event, context):
            continue  # a model picks out what it knows, as does a pipeline that lists its columns
        for column in table.held:
            for mention in mentions_of(column, context) if _is_only_there(column, table, context) else ():
                yield Found(column, mention, event, table)
        if table.complete:
            continue
        gone = {name for name, _ in table.left_out} | {column.name for column in table.held}
        taken = {one.attribute for name, _ in table.left_out for one in mentions_by_name(name, context)}
        for name, node in _known_columns(table, context).items():
            one = None if name in gone else mention_of(name, context)
            if one is not None and not (node is table.node and one.attribute in taken):
                yield Found(Column(name, node), one, event, table)


def _pipeline_chooses(context: Context) -> bool:
    """Whether a step of a pipeline lists the columns that go on, and drops all others."""
    return any(
        isinstance(event.node, tree.Call)
        and "pipeline" in context.does(event.node)
        and not any(
            key == "remainder" and isinstance(value, tree.Literal) and value.value == "passthrough"
            for key, value in event.node.keywords
        )
        for event, _ in _feature_tables(context)
    )


def _known_columns(table: Columns, context: Context) -> dict[str, Node]:
    """The columns that an open table is known to have: those the code reads, and those of its data set."""
    read = context.execution.columns_read.get(table.origin, {})
    known = {name: node for name, node in read.items() if not _is_of_another(node, table, context)}
    data_set = _data_set(table, context) if "@" in table.origin else None
    for name in context.vocabulary.columns_of(data_set) if data_set else ():
        known.setdefault(name, table.node)
    return known


def _is_of_another(node: Node, table: Columns, context: Context) -> bool:
    """Whether a column is read from a variable of this name that another function gives another value."""
    name = table.origin.partition(".")[0]
    given = [context.once(_given_in, f"{context.function_at(one.span)}={name}") for one in (node, table.node)]
    return None not in given and given[0] != given[1]


def _given_in(variable: str, context: Context) -> str | None:
    """What a function gives a variable first, as written."""
    function, _, name = variable.partition("=")
    node = context.function_named(function)
    for part in () if node is None else (inner for statement in node.body for inner in tree.walk(statement)):
        if not isinstance(part, tree.Assign) or part.value is None:
            continue
        if any(isinstance(target, tree.Name) and target.id == name for target in part.targets):
            return context.source.text(part.value.span)
    return None


def _data_set(table: Columns, context: Context) -> str | None:
    """The known data set that a table is, by what it was read from or by the columns that the code names."""
    source = next((text for text in _source_texts(table, context)), "")
    called = context.vocabulary.data_set_called(source)
    if called is not None:
        return called
    around = (*context.neighbourhood("").siblings, *(column.name for column in table.held))
    return context.vocabulary.data_set_of((*around, *(name for name, _ in table.left_out)))


def _source_texts(table: Columns, context: Context) -> Iterator[str]:
    """The text of the call that the table was read by."""
    _, at, place = table.origin.rpartition("@")
    if at and place.isdigit():
        start = int(place)
        text = context.source.text(tree.Span(start, min(start + _LONGEST_READ, len(context.source.data))))
        name = context.once(_qualified_names, "").get(start, "")
        yield f"{name} {' '.join(text[: _end_of_call(text)].split())}"


def _qualified_names(_: str, context: Context) -> dict[int, str]:
    """What the calls of a file stand for, by where they begin: `shap.datasets.adult` for `adult()`."""
    return {call.node.span.start: call.qualified for call in context.facts.calls if call.qualified}


def _end_of_call(text: str) -> int:
    """Where a call that a text begins with ends; at the end of the line where it has no brackets."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0 or (sign == "\n" and depth == 0):
            return place
    return len(text)


def _kept_column_use(found: Found, context: Context) -> Use:
    place = _narrowing_node(found.table) or found.event.node
    stations = [node for node in found.table.way if node is not place]
    steps = [
        Step(found.column.node.span, f"the column `{found.column.name}` is in the table"),
        Step(_headline_node(place).span, "and stays in it here"),
        *(Step(_headline_node(node).span, _station_text(node)) for node in stations),
        Step(_headline_node(found.event.node).span, "a model is given the rest here"),
    ]
    known = _data_set(found.table, context)
    in_set = known is not None and found.column.name in context.vocabulary.columns_of(known)
    reasons = [Evidence(LEARNT, f"reaches `{_teacher_name(found.event, context)}`")]
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
        target=_teacher_name(found.event, context),
        detail=f"{known}'s column {found.column.name}" if in_set else found.column.name,
        receiver="df",
        beside=_other_columns(found.table, context),
        tags={"omission", *by_name_tags(found.event.by_name)},
    )


def _narrowing_node(table: Columns) -> Node | None:
    """Where a table was cut down, and could have been cut further."""
    for node in reversed(table.way):
        match node:
            case tree.Call(function=tree.Field(name="drop" | "pop" | "difference" | "filter" | "select")):
                return node
            case tree.Index() | tree.Comprehension():
                return node
            case _:
                pass
    return table.way[-1] if table.way else None


# ------------------------------------------------------------------------------------------------ around


def _proxy_uses(context: Context) -> Iterator[Use]:
    """Where protected columns are dropped and a known proxy stays."""
    told: set[str] = set()
    for event, table in _feature_tables(context):
        dropped = [
            (name, node)
            for name, node in table.left_out
            if not isinstance(node, tree.Call)  # it has become several there
            and (mention := mention_of(name, context)) is not None
            and is_protected_attribute(mention, context)
        ]
        if not dropped:
            continue
        gone = {name for name, _ in table.left_out}
        held = {column.name: column.node for column in table.held}
        for name, node in {**_known_columns(table, context), **held}.items():
            mention = None if name in gone else mention_of(name, context)
            if mention is None or is_protected_attribute(mention, context) or mention.attribute in told:
                continue
            if context.attribute(mention.attribute).kind != "proxy":
                continue
            told.add(mention.attribute)
            yield plain_use(
                context,
                mention,
                _narrowing_node(table) or dropped[0][1],
                kind="feature",
                effect="learn",
                shape="read",
                evidence=(Evidence(LEARNT + 1, f"`{dropped[0][0]}` is dropped, and `{name}` stays"),),
                flow=(
                    Step(dropped[0][1].span, f"`{dropped[0][0]}` is dropped"),
                    Step(node.span, f"`{name}` stays"),
                    Step(_headline_node(event.node).span, "a model is given it here"),
                ),
                target=_teacher_name(event, context),
                detail=name,
                receiver="applicant",
                tags={"proxy-left"},
            )


def _has_audit(context: Context) -> bool:
    """Whether anything in the file looks at what the model does to groups."""
    met = context.execution.program.found.values()
    if context.audits(*context.packages) or any("audits" in found.entry.does for _, found in met):
        return True
    names = {word for name in context.functions for word in split_words(name)}
    return bool(names & word_lists("features")["audits"]) or measures_groups(context)


def _main_teacher(found: Found, context: Context) -> Node:
    """The call that teaches the model: rather a `fit` than a split or what comes before it."""
    same = [
        event
        for event, table in _feature_tables(context)
        if any(c.node is found.column.node for c in table.held)
    ]
    return max(same, key=lambda event: _teacher_rank(event, context), default=found.event).node


def _teacher_rank(event: Event, context: Context) -> int:
    name = _teacher_name(event, context).rpartition(".")[2]
    does = context.does(event.node)
    return 2 if name == "fit" else int("wraps" in does or "learns" in does)


def _unaudited_use(found: Found, use: Use, context: Context) -> Use:
    return plain_use(
        context,
        found.mention,
        _headline_node(_main_teacher(found, context)),
        kind="feature",
        effect="learn",
        shape="read",
        evidence=use.evidence,
        flow=use.flow,
        target=use.target,
        detail=use.detail,
        beside=_other_columns(found.table, context),
        tags={"unaudited"},
    )
