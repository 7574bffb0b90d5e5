"""Lists that say by their names that a model gets what they list, wherever the model stands."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from fairlint.detectors.column_mentions import mention_of
from fairlint.detectors.context import Context
from fairlint.detectors.filters import is_descriptive_use
from fairlint.detectors.use_builder import plain_use
from fairlint.findings.uses import LISTED, UNASKED, Step, Use
from fairlint.semantics.names.effects import any_word
from fairlint.semantics.names.library import MODELS
from fairlint.semantics.tables.column_names import ONE_HOT, one_hot_name
from fairlint.semantics.tables.libraries import about, lexicon
from fairlint.semantics.values.events import ANYWHERE, Event
from fairlint.semantics.values.symbolic import UNKNOWN, Const, Opaque, Protected, Sequence, Table, Value
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.model import TABLE, Evidence, Mention
from fairlint.vocabulary.words import split_words

NAMED_SO = 2
"""How much it says that a list is called `FEATURES` where models are made."""

FIRST = -1
"""Before any statement of a file: where its functions stand, which are called at any time."""

DEEPEST_LIST = 3
"""Tables within tables of a configuration in which lists of features are looked for."""


def listed_by_name(context: Context, told: set[tuple[int, str]]) -> Iterator[Use]:
    """Protected columns in lists that are called features, where nobody can see what becomes of the list.

    Where no model is near, as in a module of constants, the name has to say that a model gets them.
    """
    has_models = MODELS in about(context.execution.program)
    for_models = word_lists("features")["for_models"]
    seen: set[int] = set()
    events = [event for event in context.events if event.kind in {"assign", "call"}]
    for event in (*events, *_option_defaults(context), *_class_lists(context)):
        if event.kind != "assign" or id(event.node) in seen:
            continue
        for target, listed in _lists_in(event.target.rpartition(".")[2], event.value):
            if not _is_of_features(target, event, context):
                continue
            if not (has_models or any_word(target, for_models)):
                continue
            seen.add(id(event.node))
            if _names_a_file(event.target, context) or _is_drop_list(event.target, context):
                continue
            asked = _asked_for(event.target, event.node, context)
            if asked.is_display_only(has_models) or (asked.is_never and not asked.imported):
                continue
            tags = {UNASKED} if asked.is_never else set()
            for one in _listed_entries(listed, context):
                if (one.node.span.start, one.mention.attribute) not in told:
                    reason = f"`{event.target}` lists what a model gets"
                    yield listed_use(one.name, one.node, one.mention, reason, event.target, context, tags)


def listed_use(  # noqa: PLR0917 (all that such a Use says)
    name: str,
    node: Node,
    mention: Mention,
    reason: str,
    target: str,
    context: Context,
    tags: Iterable[str] = (),
) -> Use:
    """Return what is told of a column that a list of features names."""
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
        receiver=TABLE,
        tags={LISTED, *tags},
    )


def _lists_in(target: str, value: Value, depth: int = 0) -> Iterator[tuple[str, Sequence]]:
    """Yield the lists that a variable holds, be they in a table: `CONFIG = {"features": {"numeric":
    ["age"]}}`.
    """
    if isinstance(value, Sequence):
        yield target, value
    elif isinstance(value, Table) and (specified := _specification_names(value)) is not None:
        yield target, specified
    elif isinstance(value, Table) and depth < DEEPEST_LIST:
        kinds = word_lists("features")["list_kinds"] | lexicon()["feature_lists"]
        for key, held in value.entries:
            named = isinstance(key, Const) and (isinstance(held, Table) or any_word(str(key.value), kinds))
            if isinstance(key, Const) and named and isinstance(held, Sequence | Table):
                yield from _lists_in(f"{target} {key.value}", held, depth + 1)


def _is_of_features(target: str, event: Event, context: Context) -> bool:
    """Return whether what a list is called says that a model gets what it names."""
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


def keys_of_codes(context: Context, told: set[tuple[int, str]]) -> Iterator[Use]:
    """Keys that are put together of what columns hold: `{f"gender_{p.gender}", f"city_{p.city}"}`."""
    for event in context.events:
        if event.kind != "assign" or not isinstance(event.value, Sequence):
            continue
        keys = [key for item in event.value.items if (key := one_hot_name(item)) is not None]
        for key in keys if len(keys) > 1 else ():
            name = str(key.value).rstrip(ONE_HOT)
            mention, node = mention_of(name, context), key.node
            if mention is not None and node is not None and (node.span.start, mention.attribute) not in told:
                reason = f"`{event.target}` holds keys of codes, as a model gets them"
                yield listed_use(name, node, mention, reason, event.target, context)


def _is_of_one_column(target: str) -> bool:
    """Return whether a list says what a column may hold: `ordinal_features["relation"] = ["Friend",
    "Spouse"]`.
    """
    _, opened, key = target.rpartition("[")
    return bool(opened) and key[:1] in {"'", '"'} and not any_word(key, word_lists("features")["list_kinds"])


class _Entry(Record):
    """A name in a list of features."""

    name: str
    node: Node
    mention: Mention


def _listed_entries(listed: Sequence, context: Context) -> Iterator[_Entry]:
    """Yield what a list of features names: columns, or what is read of a person (`[form.age,
    form.income]`).
    """
    for item in listed.items:
        if isinstance(item, Sequence):
            yield from _listed_entries(item, context) if len(listed.items) == 1 else ()
        elif isinstance(item, Protected):
            yield _Entry(item.mention.identifier, item.node, item.mention)
        elif isinstance(item, Const) and isinstance(item.value, str) and item.node is not None:
            mention = mention_of(item.value, context)
            yield from () if mention is None else [_Entry(item.value, item.node, mention)]


def _specification_names(table: Table) -> Sequence | None:
    """Return the names in `{"race": tf.io.FixedLenFeature(...), ...}` and `{"sex":
    keras.Input(...), ...}`.
    """
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
            yield Event("assign", node, _literal_value(default), ANYWHERE, option.value.strip("-"))


def _literal_value(node: Node, depth: int = 0) -> Value:
    """Texts, and the lists and dicts of them, as they are written."""
    match node:
        case tree.Literal(value=str() as text):
            return Const(text, "", node)
        case tree.Collection(kind="dict", items=items) if depth < DEEPEST_LIST:
            pairs = [(item.key, item.value) for item in items if item.key is not None]
            return Table(
                tuple(
                    (_literal_value(key, depth + 1), _literal_value(value, depth + 1)) for key, value in pairs
                ),
                node,
            )
        case tree.Collection(kind="list" | "tuple" | "set", items=items) if depth <= DEEPEST_LIST:
            return Sequence(tuple(_literal_value(item.value, depth + 1) for item in items), node)
        case _:
            return UNKNOWN


def _class_lists(context: Context) -> Iterator[Event]:
    """`FEATURES = ("tenure", "gender")` in the body of a class."""
    for type_ in context.definitions.types.values():
        for node in type_.body:
            match node:
                case tree.Assign(targets=(tree.Name(id=name),), value=tree.Collection() as written):
                    yield Event("assign", node, _literal_value(written), ANYWHERE, name)
                case _:
                    pass


class _Asked(Record):
    """How often a file asks for a list: to look at its columns one by one, for figures of them all, or to
    hand it on.
    """

    looked_at: int
    described: int
    handed_on: int
    imported: bool
    """Whether other files can."""

    @property
    def is_never(self) -> bool:
        """Whether the file never asks for it."""
        return self.looked_at == self.described == self.handed_on == 0

    def is_display_only(self, has_models: bool) -> bool:
        """Return whether its columns are only averaged, counted or shown; beside models, a loop may change
        them.
        """
        if self.handed_on:
            return False
        return bool(self.described and not self.looked_at) or bool(self.looked_at and not has_models)


def _asked_for(variable: str, node: Node, context: Context) -> _Asked:
    """Return what a file does with a list of its own while its name stands for it; one that it does not ask
    for may be meant for other files, if they can import it.
    """
    if not variable.isidentifier():
        return _Asked(0, 0, 1, imported=True)
    uses = context.once(_count_name_uses, "")
    starts = uses.given.get(variable, ())
    begin = node.span.start if node.span.start in starts else FIRST
    end = min((start for start in starts if start > begin), default=None) if begin != FIRST else None

    def asked(places: Counter[tuple[str, int]]) -> int:
        own = [(at, times) for (name, at), times in places.items() if name == variable]
        return sum(times for at, times in own if at == FIRST or begin < at <= (end or at))

    looked, shown = asked(uses.looked_at), asked(uses.described)
    in_cell = context.source.place(node.span.start).cell is not None
    handed_on = asked(uses.every) - looked - shown
    return _Asked(looked, shown, handed_on, imported=end is None and not in_cell)


class _NameUses(Record):
    """Where the top of a file gives each name a value, and how often each is asked for by which of its
    statements.
    """

    given: dict[str, list[int]]
    looked_at: Counter[tuple[str, int]]
    """Where its items are gone through."""
    described: Counter[tuple[str, int]]
    """Where figures are taken."""
    every: Counter[tuple[str, int]]


def _count_name_uses(_: str, context: Context) -> _NameUses:
    """Return what becomes of each name at the top of a file. Functions ask at any time. A loop that only
    draws or counts its items takes figures.
    """
    given: dict[str, list[int]] = {}
    looked_at, described, every = (Counter[tuple[str, int]]() for _ in range(3))
    uses: dict[str, list[tuple[int, bool]]] = {}
    loops: list[tuple[tree.Loop, int]] = []
    for top in context.body:
        at = FIRST if isinstance(top, tree.Function | tree.Type) else top.span.start
        if isinstance(top, tree.Assign) and top.op is None:
            for target in top.targets:
                if isinstance(target, tree.Name):
                    given.setdefault(target.id, []).append(at)
        for node in tree.walk(top):
            match node:
                case tree.Name(id=name):
                    every[name, at] += 1
                    is_shown = is_descriptive_use(node, context)
                    described[name, at] += is_shown
                    uses.setdefault(name, []).append((node.span.start, is_shown))
                case tree.Assign(targets=targets):
                    every.subtract((one.id, at) for one in targets if isinstance(one, tree.Name))
                case tree.Loop(iterable=iterable) if iterable is not None:
                    loops.append((node, at))
                case tree.Generator(iterable=iterable):
                    looked_at.update((name, at) for name in _gone_through(iterable))
                case _:
                    pass
    others = {name: sorted(at for at, is_shown in places if not is_shown) for name, places in uses.items()}
    for loop, at in loops:
        gone_through = _gone_through(loop.iterable) if loop.iterable is not None else ()
        found = described if _only_shows(loop, others) else looked_at
        found.update((name, at) for name in gone_through)
    return _NameUses(given, looked_at, described, every)


def _only_shows(loop: tree.Loop, others: Mapping[str, list[int]]) -> bool:
    """Return whether the body of a loop only shows or counts what the loop takes; `others` are the places of
    each name where something else is done with it.
    """
    if loop.target is None or not loop.body:
        return False
    targets = [part for part in tree.walk(loop.target) if isinstance(part, tree.Name)]
    start, end = loop.body[0].span.start, loop.body[-1].span.end
    for target in targets:
        places = others.get(target.id, [])
        if bisect_left(places, start) < bisect_left(places, end):
            return False
    return bool(targets)


def _gone_through(iterable: Node) -> Iterator[str]:
    """Yield the names whose items a loop takes: `names`, `enumerate(names)`, `zip(axes, sorted(names))`."""
    match iterable:
        case tree.Name(id=name):
            yield name
        case tree.Call(arguments=arguments):
            for argument in arguments:
                yield from _gone_through(argument)
        case _:
            pass


def _is_drop_list(variable: str, context: Context) -> bool:
    """Return whether a list says which columns are taken out: `table.drop(extra_features, axis=1)`."""
    for call in context.facts.calls:
        given = (*call.node.arguments, *(value for _, value in call.node.keywords))
        is_given = any(isinstance(one, tree.Name) and one.id == variable for one in given)
        if is_given and "drops columns" in context.does(call.node):
            return True
    return False


def _names_a_file(variable: str, context: Context) -> bool:
    """Return whether a list only says what the columns of a file are called: `read_csv(path,
    names=FEATURES)`.
    """
    pattern = rf"\b(?:names|header|column_names|new_columns)\s*=\s*{re.escape(variable)}\b"
    return re.search(pattern.encode(), context.source.data) is not None
