"""Scores that nobody reads, or that the code around them changes again."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.detectors.context import Context
from fairlint.detectors.printed_names import kind_of_target
from fairlint.detectors.roles import function_sink
from fairlint.detectors.sinks import Sink, names_a_group
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.names.effects import any_word, is_entry_of_score, lexicon
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.paths import path_of
from fairlint.support.expressions import lazy_expression
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, Span
from fairlint.vocabulary.words import split_words

_WORD = lazy_expression(rb"[A-Za-z_]\w*")


def is_local_target(target: str) -> bool:
    """Report whether a target is a plain variable of the function."""
    return "." not in target and "[" not in target


def idle_target(site: Site, target: str, events: list[Event], context: Context) -> Sink | None:
    """Return what a target is that is no score whatever it gets: a count of a group, a local."""
    function = events[-1].function
    kind = kind_of_target(target, function, context)
    role = function_sink(context, function, site.attribute)
    if names_a_group(target, context) and kind not in {"score", "weak score", "outcome"}:
        return Sink("show")
    if kind == "weak score" and (_is_share(site, target) or target in context.once(_find_places, function)):
        return Sink("show")
    is_local = is_local_target(target) and target not in _return_variables(function, context)
    if kind == "show":
        return Sink("show")
    if kind in {"other", "hurdle", "measure"} and is_local:
        return Sink("none")
    if (
        _is_loop_total(events)
        and (kind not in {"score", "outcome"})
        and role not in {"score", "decide", "predicate"}
    ):
        return Sink("show")
    return None


def _find_places(function: str, context: Context) -> frozenset[str]:
    """Return the variables of a function that say where in a list something stands: `rates[index]`."""
    node = context.function_named(function)
    found: set[str] = set()
    for part in (inner for statement in node.body for inner in tree.walk(statement)) if node else ():
        if isinstance(part, tree.Index) and isinstance(part.value, tree.Binary):
            found.update(one.id for one in tree.walk(part.value) if isinstance(one, tree.Name))
        if isinstance(part, tree.Index) and not isinstance(part.index, tree.Slice):
            found.update(one.id for one in tree.walk(part.index) if isinstance(one, tree.Name))
    return frozenset(found)


def _is_share(site: Site, target: str) -> bool:
    """Return whether an amount is that of the group which is read: `hispanic_amount = amount *
    row.hispanic`.
    """
    words = split_words(target)
    mentions = [read.mention for read in site.reads.values()]
    return all(one.form == "flag" and set(one.words) <= set(words) for one in mentions)


def _is_loop_total(events: list[Event]) -> bool:
    """Return whether amounts of many people are added up into a variable of the code around their loop."""
    return all(
        event.kind == "update" and event.loop is not None and "." not in event.target for event in events
    )


def is_return_variable(target: str, function: str, context: Context) -> bool:
    """Report whether a function returns what this variable holds."""
    whole = target.partition("[")[0] if is_entry_of_score(target) else target
    return not {target, whole}.isdisjoint(_return_variables(function, context))


def _return_variables(function: str, context: Context) -> frozenset[str]:
    """Return the variables that take part in what a function returns."""
    return context.once(_find_return_variables, function)


def _find_return_variables(function: str, context: Context) -> frozenset[str]:
    found: set[str] = set()
    for value in _return_values(function, context):
        for part in tree.walk(value):
            if (path := _path_of_variable(part)) is not None:
                found.add(path)
            elif isinstance(part, tree.Collection):
                keys = [item.key.value for item in part.items if isinstance(item.key, tree.Literal)]
                found.update(key for key in keys if isinstance(key, str))
    return frozenset(found)


def is_dead_target(site: Site, target: str, events: list[Event], context: Context) -> bool:
    """Return whether nothing comes of what a variable is given."""
    unread = context.once(_find_unread, events[-1].function)
    return target in unread or _is_overwritten(site, target, events, context)


def _is_overwritten(site: Site, target: str, events: list[Event], context: Context) -> bool:
    """Return whether a variable of a function gets another value before anything is done with this one."""
    if (
        not is_local_target(target)
        or not target.isascii()
        or context.function_named(events[-1].function) is None
    ):
        return False
    data, end = context.source.data, max(event.node.span.end for event in events)
    after = context.timeline.change_behind(target, events[-1].function, end)
    if after is None or after.kind != "assign" or after.loop is not events[-1].loop:
        return False
    if not all(map(site.is_around, after.guards)):
        return False
    words = [found[0] for found in _WORD.finditer(data, end, after.node.span.end)]
    return words.count(target.encode()) == 1


def _find_unread(function: str, context: Context) -> frozenset[str]:
    """Return the variables that a function gives a value and does nothing with.

    Every word of its code counts, as a text may name a variable, too. Code that stands in no function is
    imported by others, and a name that a function does not declare may be everybody's. Of a function that
    cannot be read to its end nobody can say: `return<think>`.
    """
    node = context.function_named(function)
    nodes = context.nodes_of(function)
    if node is None or any(part.__class__ is tree.Broken for part in nodes):
        return frozenset()
    given: dict[bytes, list[Span]] = {}
    declared: set[bytes] = set()
    for part in nodes:
        if (
            isinstance(part, tree.Assign)
            and len(part.targets) == 1
            and isinstance(part.targets[0], tree.Name)
        ):
            name = part.targets[0].id.encode()
            given.setdefault(name, []).append(part.span)
            if part.type or context.conventions.shares is not None:
                declared.add(name)
    elsewhere: set[bytes] = set()
    places = dict.fromkeys(given, 0)
    for found in _WORD.finditer(context.source.data, node.span.start, node.span.end):
        name = found[0]
        if name not in given or name in elsewhere:
            continue
        spans = given[name]
        while places[name] < len(spans) - 1 and spans[places[name]].end <= found.start():
            places[name] += 1
        around = spans[places[name]]
        if not around.start <= found.start() < around.end:
            elsewhere.add(name)
    return frozenset(name.decode() for name in declared - elsewhere if name.isascii())


def find_named_results(function: str, context: Context) -> frozenset[str]:
    """Return the variables that a function returns as its result by name: `return {"text": text, "answer":
    gfr}`.
    """
    found: set[str] = set()
    for value in _return_values(function, context):
        for item in value.items if isinstance(value, tree.Collection) else ():
            key = item.key.value if isinstance(item.key, tree.Literal) else None
            if isinstance(key, str) and any_word(key, lexicon()["score"] | lexicon()["asked"]):
                found.add(_path_of_variable(item.value) or "")
    return frozenset(found)


def _return_values(function: str, context: Context) -> Iterator[Node]:
    return (part.value for part in return_statements(function, context) if part.value is not None)


def return_statements(function: str, context: Context) -> Iterator[tree.Return]:
    """Yield the statements by which a function returns."""
    yield from context.once(_find_returns, function)


def _find_returns(function: str, context: Context) -> list[tree.Return]:
    return [part for part in context.nodes_of(function) if isinstance(part, tree.Return)]


def _path_of_variable(node: Node) -> str | None:
    return path_of(node) if isinstance(node, tree.Name | tree.Field | tree.Index) else None
