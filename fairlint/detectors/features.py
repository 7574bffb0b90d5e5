"""Features: a protected column is among what a model learns from.

Every `learn` event with features is looked at. A column that the code names is told about where it is named;
one that is left in is told about where the table was cut down. What the code does about it besides (an audit,
a dropped column whose proxy stays) is told about once a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fairlint.detectors.context import Context
from fairlint.detectors.use_builder import by_name, by_name_tags, plain_use
from fairlint.lexicon.load import word_lists
from fairlint.lexicon.model import Evidence, Mention
from fairlint.lexicon.words import split_words
from fairlint.records import Record, replace
from fairlint.semantics.effects import any_word, classify_target
from fairlint.semantics.library import MODELS
from fairlint.semantics.tables.columns import (
    MOST_COLUMNS,
    ONE_HOT,
    are_chosen,
    as_features,
    as_table,
    names_of,
    of_names,
    one_hot_name,
)
from fairlint.semantics.tables.libraries import TABLES, about, lexicon
from fairlint.semantics.values import (
    UNKNOWN,
    Choice,
    Column,
    Columns,
    Const,
    Event,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Table,
    Value,
    walk,
)
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.uses import Step, Use

LEARNT = 3
"""How much it says that a model is given a column: nobody gives it the age of a cache."""
OF_DATA_SET = 3
"""How much it says that a known data set has the column."""
NAMED_SO = 2
"""How much it says that a list is called `FEATURES` where models are made."""

HANDS_ON = frozenset({"prepares", "puts beside", "encodes", "table"})
"""What is done to a table that leaves all its columns in it."""

MADE_HERE = ("DataFrame@", "{", "dict")
"""How the origin of a table or row begins that the code has made itself."""

DEEPEST_LIST = 3
"""Tables within tables of a configuration in which lists of features are looked for."""


class Found(Record):
    """One protected column in what a model is given."""

    column: Column
    mention: Mention
    event: Event
    table: Columns


def observe(context: Context) -> Iterator[Use]:
    """All features of one file."""
    if TABLES not in about(context.execution.program):
        return
    told: set[tuple[int, str]] = set()
    first: tuple[Found, Use] | None = None
    for event, table in _given(context):
        if len(table.held) >= MOST_COLUMNS:
            context.facts.cut(event.node, f"a table of {MOST_COLUMNS} columns or more: only those were read")
    for found in _named(context):
        key = (found.column.node.span.start, found.mention.attribute)
        if key in told:
            continue
        told.add(key)
        use = _feature(found, context)
        if first is None and use.attribute_kind == "protected" and use.weight >= LEARNT:
            first = found, use
        yield use
    attributes = {attribute for _, attribute in told}
    elsewhere = () if told else _prepared(context, set())
    for use in (*_listed_by_name(context, told), *_keys_of_codes(context, told), *elsewhere):
        attributes.add(use.attribute)
        yield use
    for found in _left_in(context):
        if found.mention.attribute in attributes:
            continue
        attributes.add(found.mention.attribute)
        use = _kept(found, context)
        if first is None and use.attribute_kind == "protected" and use.weight >= LEARNT:
            first = found, use
        yield use
    yield from _proxies(context)
    if first is not None and not _is_audited(context):
        yield _unaudited(*first, context)


def _mention(name: str, context: Context) -> Mention | None:
    """The first attribute that a column's name says."""
    found = _mentions(name, context)
    return found[0] if found else None


def _mentions(name: str, context: Context) -> tuple[Mention, ...]:
    """The attributes that a column's name says, under its old name where it was given another."""
    before = context.execution.renamed.get(name)
    if before is not None and not before[0]:
        return ()  # made of something else, whatever it is called
    for known in (name, before[0] if before is not None else ""):
        if mentions := context.vocabulary.mentions_of(known, "df") if known else ():
            return mentions
    return ()


def mentions_of(column: Column, context: Context) -> tuple[Mention, ...]:
    """The attribute that a column's name says, or that it was made of: `is_single = status == "single"`."""
    found = _mentions(column.name, context)
    if not found and isinstance(column.value, Operation | Choice | Lookup | Protected):
        reads = (part.mention for part in walk(column.value) if isinstance(part, Protected))
        found = tuple(mention for mention in reads if _is_protected(mention, context))
    unique = {mention.attribute: mention for mention in found}
    return tuple(unique.values())


# ------------------------------------------------------------------------------------------------ named


def _given(context: Context) -> Iterator[tuple[Event, Columns]]:
    for event in context.events:
        if event.kind == "learn" and event.target == "features" and isinstance(event.value, Columns):
            yield event, event.value


def _of_data_sets(context: Context) -> Iterator[tuple[Event, Columns]]:
    """What a class of torch's `Dataset` keeps and gives out: a loader hands it to a model."""
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
            yield event, table


def _of_layers(context: Context) -> Iterator[tuple[Event, Columns]]:
    """What the `forward` of a network hands to its layers: `self.race(batch["race"])`."""
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
                    yield event, Columns("", event.node, (column,), complete=True)


def _of_steps(context: Context) -> Iterator[tuple[Event, Columns]]:
    """What a class of the file that is a step of a pipeline adds to its table, and the columns it is told."""
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
                yield event, replace(table, held=made)
    for call in context.facts.calls if own else ():
        if call.name not in own or _leaves_out(call.name, own[call.name], context):
            continue
        for value in (*call.arguments, *call.keywords.values()):
            if isinstance(value, Sequence) and (named := names_of(value)):
                taught = f"{call.name}.transform"
                event = Event("call", call.node, value, call.guards, call.name, taught, way=call.way)
                yield event, of_names(named, "", call.node)


def _leaves_out(owner: str, method: tree.Function, context: Context) -> bool:
    """Whether a step drops columns: those that it is told may be just these."""
    if not word_lists("features")["takes_out"].isdisjoint(split_words(owner)):
        return True
    parts = (part for statement in method.body for part in tree.walk(statement))
    return any(isinstance(part, tree.Call) and "drops columns" in context.does(part) for part in parts)


def _is_data_set(owner: str, context: Context) -> bool:
    return _is_a(owner, ("Dataset", "DataModule"), context)


def _is_a(owner: str, endings: tuple[str, ...], context: Context) -> bool:
    """Whether a class of the file has a base whose name ends so."""
    type_ = context.definitions.types.get(owner)
    return type_ is not None and any(
        context.source.text(base.span).rpartition(".")[2].endswith(endings) for base in type_.bases
    )


def _named(context: Context) -> Iterator[Found]:
    """Columns that the code names on their way into a model; the nearest teacher of each comes first."""
    places = (*_given(context), *_of_data_sets(context), *_of_layers(context), *_of_steps(context))
    for event, table in places:
        for column in table.held:
            is_set = event.kind == "return"  # by a step of a pipeline, on purpose
            left = not is_set and _is_only_there(column, table, context)
            for mention in () if left else mentions_of(column, context):
                yield Found(column, mention, event, table)


def _is_only_there(column: Column, table: Columns, context: Context) -> bool:
    """Whether a table was made with a column, and something else was then done to choose its columns."""
    if column.form != "given" or are_chosen(table):
        return False
    chosen = any(HANDS_ON.isdisjoint(context.does(node)) for node in table.way)
    return chosen or not table.origin.startswith(MADE_HERE)


def _feature(found: Found, context: Context) -> Use:
    encoded = found.column.form == "encoded" and not found.table.complete
    return plain_use(
        context,
        found.mention,
        found.column.node,
        kind="feature",
        effect="learn",
        shape="read",
        evidence=(
            Evidence(LEARNT, f"reaches `{_teacher(found.event, context)}`"),
            *by_name(found.event, context),
        ),
        flow=steps_of(found, context),
        target=_teacher(found.event, context),
        detail=found.column.name.rstrip(ONE_HOT) if found.column.form == "encoded" else found.column.name,
        receiver=_receiver(found.table, context),
        beside=_beside(found.table, context),
        tags=_tags(found, encoded=encoded),
    )


def _teacher(event: Event, context: Context) -> str:
    """What teaches the model, as written: `model.fit`; the class of a data set that hands out its rows."""
    if event.kind != "learn":
        return event.function.rpartition(".")[0]
    node = event.node.function if isinstance(event.node, tree.Call) else event.node
    return " ".join(context.source.text(node.span).split())[:60]


def _receiver(table: Columns, context: Context) -> str:
    """The name that the table was chosen from, as far as the last station tells."""
    for node in reversed(table.way):
        if isinstance(node, tree.Index):
            return context.source.text(node.value.span)[:60]
    return "df"


def _tags(found: Found, *, encoded: bool) -> set[str]:
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


def _beside(table: Columns, context: Context) -> tuple[str, ...]:
    """The other columns of a table, as far as the code names them."""
    read = context.execution.columns_read.get(table.origin, {})
    return (*(column.name for column in table.held), *(name for name, _ in table.left_out), *read)


def steps_of(found: Found, context: Context, last: str = "a model is given it here") -> list[Step]:
    """The stations of a column on its way to what is given it."""
    steps: dict[tuple[int, int], Step] = {}

    def add(node: Node, message: str) -> None:
        steps.setdefault((node.span.start, node.span.end), Step(node.span, message))

    made = found.column.made
    if made is None and (before := context.execution.renamed.get(found.column.name)) is not None:
        made = before[1]
    if made is not None:
        add(_short(made), "its codes or its name are made here")
    if isinstance(found.column.value, Protected):
        if found.column.value.named is not None:
            add(found.column.value.named, "its name is listed here")
        add(found.column.value.node, "its value is read here")
    add(found.column.node, f"the column `{found.column.name}` is named here")
    for node in found.table.way:
        if node is not found.event.node:  # a row that is handed on as a list becomes a table there
            add(_short(node), _station(node))
    for node in found.event.way:
        add(_short(node), "it is handed on here")
    add(_short(found.event.node), last)
    return list(steps.values())


def _short(node: Node) -> Node:
    return node.function if isinstance(node, tree.Call) else node


def _station(node: Node) -> str:
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


def _listed_by_name(context: Context, told: set[tuple[int, str]]) -> Iterator[Use]:
    """Protected columns in lists that are called features, where nobody can see what becomes of the list."""
    if MODELS not in about(context.execution.program):
        return
    seen: set[int] = set()
    events = [event for event in context.events if event.kind in {"assign", "call"}]
    for event in (*events, *_option_defaults(context), *_class_lists(context)):
        if event.kind != "assign" or id(event.node) in seen:
            continue
        for target, listed in _lists_in(event.target.rpartition(".")[2], event.value):
            if not _is_of_features(target, event, context):
                continue
            seen.add(id(event.node))
            if _names_a_file(event.target, context):
                continue
            for name, node, mention in _entries(listed, context):
                if (node.span.start, mention.attribute) not in told:
                    reason = f"`{event.target}` lists what a model gets"
                    yield _listed(name, node, mention, reason, event.target, context)


def _listed(  # noqa: PLR0917 (all that such a Use says)
    name: str, node: Node, mention: Mention, reason: str, target: str, context: Context
) -> Use:
    return plain_use(
        context,
        mention,
        node,
        kind="feature",
        effect="learn",
        shape="read",
        evidence=(Evidence(NAMED_SO, reason),),
        flow=(Step(node.span, f"the column `{name}` is named here"),),
        target=target,
        detail=name,
        receiver="df",
    )


def _lists_in(target: str, value: Value, depth: int = 0) -> Iterator[tuple[str, Sequence]]:
    """The lists that a variable holds, be they in a table: `CONFIG = {"features": {"numeric": ["age"]}}`."""
    if isinstance(value, Sequence):
        yield target, value
    elif isinstance(value, Table) and (specified := _specified(value)) is not None:
        yield target, specified
    elif isinstance(value, Table) and depth < DEEPEST_LIST:
        kinds = word_lists("features")["list_kinds"] | lexicon()["feature_lists"]
        for key, held in value.entries:
            named = isinstance(key, Const) and (isinstance(held, Table) or any_word(str(key.value), kinds))
            if isinstance(key, Const) and named and isinstance(held, Sequence | Table):
                yield from _lists_in(f"{target} {key.value}", held, depth + 1)


def _is_of_features(target: str, event: Event, context: Context) -> bool:
    """Whether what a list is called says that a model gets what it names."""
    words = set(split_words(target))
    lists = word_lists("features")
    options = lists["options"] if isinstance(event.node, tree.Call) else frozenset()
    telling = lexicon()["feature_lists"] | options
    if words.isdisjoint(telling) or not words.isdisjoint(lists["not_features"]):
        return False
    if _is_of_one_column(event.target):
        return False
    # what a study of causes holds fixed is no feature
    return not ("covariates" in words and "causes" in about(context.execution.program))


def _prepared(context: Context, told: set[tuple[int, str]]) -> Iterator[Use]:
    """Columns that are scaled or coded together, by their names, where the model stands in another file."""
    for call in context.facts.calls:
        deeds, target = context.does(call.node) if call.qualified else frozenset(), call.name
        if "prepares" in deeds and call.receiver is not None:
            table = call.argument(0)
        elif "encodes" in deeds and (named := names_of(call.keywords.get("columns", UNKNOWN))):
            table = of_names(named, "", call.node)
            target = context.source.text(call.node.arguments[0].span)[:60] if call.node.arguments else target
        else:
            continue
        for column in table.held if isinstance(table, Columns) and are_chosen(table) else ():
            mention = _mention(column.name, context) if column.form == "plain" else None
            if mention is not None and (column.node.span.start, mention.attribute) not in told:
                told.add((column.node.span.start, mention.attribute))
                reason = f"`{call.name}` prepares it for a model"
                yield _listed(column.name, column.node, mention, reason, target, context)


def _keys_of_codes(context: Context, told: set[tuple[int, str]]) -> Iterator[Use]:
    """Keys that are put together of what columns hold: `{f"gender_{p.gender}", f"city_{p.city}"}`."""
    for event in context.events:
        if event.kind != "assign" or not isinstance(event.value, Sequence):
            continue
        keys = [key for item in event.value.items if (key := one_hot_name(item)) is not None]
        for key in keys if len(keys) > 1 else ():
            name = str(key.value).rstrip(ONE_HOT)
            mention, node = _mention(name, context), key.node
            if mention is not None and node is not None and (node.span.start, mention.attribute) not in told:
                reason = f"`{event.target}` holds keys of codes, as a model gets them"
                yield _listed(name, node, mention, reason, event.target, context)


def _is_of_one_column(target: str) -> bool:
    """Whether a list says what a column may hold: `ordinal_features["relation"] = ["Friend", "Spouse"]`."""
    _, opened, key = target.rpartition("[")
    return bool(opened) and key[:1] in {"'", '"'} and not any_word(key, word_lists("features")["list_kinds"])


def _entries(listed: Sequence, context: Context) -> Iterator[tuple[str, Node, Mention]]:
    """What a list of features names: columns, or what is read of a person (`[form.age, form.income]`)."""
    for item in listed.items:
        if isinstance(item, Sequence):
            yield from _entries(item, context) if len(listed.items) == 1 else ()
        elif isinstance(item, Protected):
            yield item.mention.identifier, item.node, item.mention
        elif isinstance(item, Const) and isinstance(item.value, str) and item.node is not None:
            mention = _mention(item.value, context)
            yield from () if mention is None else [(item.value, item.node, mention)]


def _specified(table: Table) -> Sequence | None:
    """The names in `{"race": tf.io.FixedLenFeature(...), ...}` and `{"sex": keras.Input(...), ...}`."""
    made = [value for _, value in table.entries if isinstance(value, Opaque)]
    if not any(re.match(r"[\w.]*\b(?:\w+LenFeature|Input)\(", value.key) for value in made):
        return None
    return Sequence(tuple(key for key, _ in table.entries), table.node)


def _option_defaults(context: Context) -> Iterator[Event]:
    """`add_argument("--features", default=[...])` and its like: lists under the name of an option."""
    if b"default=[" not in context.source.data.replace(b" ", b""):
        return
    decorators = [one for function in context.functions.values() for one in function.decorators]
    for node in (part for top in (*context.body, *decorators) for part in tree.walk(top)):
        if not isinstance(node, tree.Call) or not node.arguments:
            continue
        option, default = node.arguments[0], dict(node.keywords).get("default")
        if not (isinstance(option, tree.Literal) and isinstance(option.value, str)):
            continue
        if isinstance(default, tree.Collection):
            yield Event("assign", node, _texts_of(default), (), option.value.strip("-"))


def _texts_of(written: tree.Collection) -> Sequence:
    items = [item.value for item in written.items if isinstance(item.value, tree.Literal)]
    return Sequence(
        tuple(Const(item.value, "", item) for item in items if isinstance(item.value, str)), written
    )


def _class_lists(context: Context) -> Iterator[Event]:
    """`FEATURES = ("tenure", "gender")` in the body of a class."""
    for type_ in context.definitions.types.values():
        for node in type_.body:
            match node:
                case tree.Assign(targets=(tree.Name(id=name),), value=tree.Collection() as written):
                    yield Event("assign", node, _texts_of(written), (), name)
                case _:
                    pass


def _names_a_file(variable: str, context: Context) -> bool:
    """Whether a list only says what the columns of a file are called: `read_csv(path, names=FEATURES)`."""
    pattern = rf"\b(?:names|header|column_names|new_columns)\s*=\s*{re.escape(variable)}\b"
    return re.search(pattern.encode(), context.source.data) is not None


# ------------------------------------------------------------------------------------------------ left in


def _left_in(context: Context) -> Iterator[Found]:
    """Protected columns that nobody took out of a table that a model is given."""
    chooses = _pipeline_chooses(context)
    for event, table in _given(context):
        name = _teacher(event, context).rpartition(".")[2]
        if chooses or name.startswith("predict"):
            continue  # a model picks out what it knows, as does a pipeline that lists its columns
        for column in table.held:
            for mention in mentions_of(column, context) if _is_only_there(column, table, context) else ():
                yield Found(column, mention, event, table)
        if table.complete:
            continue
        gone = {name for name, _ in table.left_out} | {column.name for column in table.held}
        for name, node in _known_columns(table, context).items():
            one = None if name in gone else _mention(name, context)
            if one is not None:
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
        for event, _ in _given(context)
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
    source = next((text for text in _texts(table, context)), "")
    called = context.vocabulary.data_set_called(source)
    if called is not None:
        return called
    around = (*context.neighbourhood("").siblings, *(column.name for column in table.held))
    return context.vocabulary.data_set_of((*around, *(name for name, _ in table.left_out)))


def _texts(table: Columns, context: Context) -> Iterator[str]:
    """The text of the call that the table was read by."""
    _, at, place = table.origin.rpartition("@")
    if at and place.isdigit():
        start = int(place)
        yield context.source.text(tree.Span(start, min(start + 200, len(context.source.data)))).partition(
            "\n"
        )[0]


def _kept(found: Found, context: Context) -> Use:
    place = _narrowing(found.table) or found.event.node
    stations = [node for node in found.table.way if node is not place]
    steps = [
        Step(found.column.node.span, f"the column `{found.column.name}` is in the table"),
        Step(_short(place).span, "and stays in it here"),
        *(Step(_short(node).span, _station(node)) for node in stations),
        Step(_short(found.event.node).span, "a model is given the rest here"),
    ]
    known = _data_set(found.table, context)
    in_set = known is not None and found.column.name in context.vocabulary.columns_of(known)
    reasons = [Evidence(LEARNT, f"reaches `{_teacher(found.event, context)}`")]
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
        target=_teacher(found.event, context),
        detail=f"{known}'s column {found.column.name}" if in_set else found.column.name,
        receiver="df",
        beside=_beside(found.table, context),
        tags={"omission", *by_name_tags(found.event.by_name)},
    )


def _narrowing(table: Columns) -> Node | None:
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


def _proxies(context: Context) -> Iterator[Use]:
    """Where protected columns are dropped and a known proxy stays."""
    told: set[str] = set()
    for event, table in _given(context):
        dropped = [
            (name, node)
            for name, node in table.left_out
            if not isinstance(node, tree.Call)  # it has become several there
            and (mention := _mention(name, context)) is not None
            and _is_protected(mention, context)
        ]
        if not dropped:
            continue
        gone = {name for name, _ in table.left_out}
        held = {column.name: column.node for column in table.held}
        for name, node in {**_known_columns(table, context), **held}.items():
            mention = None if name in gone else _mention(name, context)
            if mention is None or _is_protected(mention, context) or mention.attribute in told:
                continue
            if context.attribute(mention.attribute).kind != "proxy":
                continue
            told.add(mention.attribute)
            yield plain_use(
                context,
                mention,
                _narrowing(table) or dropped[0][1],
                kind="feature",
                effect="learn",
                shape="read",
                evidence=(Evidence(LEARNT + 1, f"`{dropped[0][0]}` is dropped, and `{name}` stays"),),
                flow=(
                    Step(dropped[0][1].span, f"`{dropped[0][0]}` is dropped"),
                    Step(node.span, f"`{name}` stays"),
                    Step(_short(event.node).span, "a model is given it here"),
                ),
                target=_teacher(event, context),
                detail=name,
                receiver="applicant",
                tags={"proxy-left"},
            )


def _is_protected(mention: Mention, context: Context) -> bool:
    return context.attribute(mention.attribute).kind == "protected"


def _is_audited(context: Context) -> bool:
    """Whether anything in the file looks at what the model does to groups."""
    met = context.execution.program.found.values()
    if context.audits(*context.packages) or any("audits" in found.entry.does for _, found in met):
        return True
    names = {word for name in context.functions for word in split_words(name)}
    return bool(names & word_lists("features")["audits"])


def _main_teacher(found: Found, context: Context) -> Node:
    """The call that teaches the model: rather a `fit` than a split or what comes before it."""
    same = [event for event, table in _given(context) if any(c.node is found.column.node for c in table.held)]
    return max(same, key=lambda event: _rank(event, context), default=found.event).node


def _rank(event: Event, context: Context) -> int:
    name = _teacher(event, context).rpartition(".")[2]
    does = context.does(event.node)
    return 2 if name == "fit" else int("wraps" in does or "learns" in does)


def _unaudited(found: Found, use: Use, context: Context) -> Use:
    return plain_use(
        context,
        found.mention,
        _short(_main_teacher(found, context)),
        kind="feature",
        effect="learn",
        shape="read",
        evidence=use.evidence,
        flow=use.flow,
        target=use.target,
        detail=use.detail,
        beside=_beside(found.table, context),
        tags={"unaudited"},
    )
