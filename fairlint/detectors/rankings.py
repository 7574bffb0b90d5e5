"""Rankings: people are sorted by a protected attribute, and the first or last of them are taken."""

from __future__ import annotations

from fairlint.detectors.context import Context
from fairlint.detectors.decisions import by_cut_off
from fairlint.detectors.roles import function_sink
from fairlint.detectors.sinks import Sink, holds_outcome, sink
from fairlint.detectors.thresholds import Cut
from fairlint.detectors.use_builder import make_use
from fairlint.findings.uses import Use
from fairlint.semantics.groups.comparison import compare_groups
from fairlint.semantics.groups.group_terms import GroupTerms
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.groups.specialization import Specialization
from fairlint.semantics.interpreter.norms import norm_in
from fairlint.semantics.interpreter.orderings import FIRST
from fairlint.semantics.names.effects import any_word, is_show, lexicon
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    Choice,
    Lookup,
    Operation,
    Protected,
    Sequence,
    Sorted,
    Table,
    Value,
)
from fairlint.semantics.values.traversal import alike, parts, walk
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.words import singular, split_words


def observe(site: Site, naming: GroupTerms, context: Context) -> Use | None:
    """Return the ranking that the site is, if it is one."""
    return _ranking_use(
        site, naming, context, [event for event in _rank_events(site) if _by_itself(event.value, site)]
    )


def observe_indirect(site: Site, naming: GroupTerms, context: Context) -> Use | None:
    """Return the ranking that the site is, if people are sorted by a number in which the attribute takes
    part.
    """
    return _ranking_use(site, naming, context, _rank_events(site))


def _rank_events(site: Site) -> list[Event]:
    """Return where the first of people are taken by what the site makes: not those who were found by it
    before.
    """
    return [
        event
        for event in site.events
        if event.kind == "rank" and isinstance(event.value, Sorted) and _moves_people(event.value.key, site)
    ]


def _moves_people(key: Value, site: Site) -> bool:
    """Return whether a key may differ between groups whose values the code names: `{"male": 5, "female":
    5}[one.gender]` does not.
    """
    return site.asks(key) and any(
        site.asks(one) for one in walk(key, into=_differing_parts) if not _differing_parts(one)
    )


def _differing_parts(value: Value) -> tuple[Value, ...]:
    """Return what a value is made of, without questions whose answers are all the same."""
    match value:
        case Choice(then=then, otherwise=otherwise) if alike(then, otherwise):
            return (then,)
        case Lookup(table=Table(entries=((_, first), *more)), default=None) if all(
            alike(first, one) for _, one in more
        ):
            return (first,)
        case _:
            return parts(value)


def _ranking_use(site: Site, naming: GroupTerms, context: Context, events: list[Event]) -> Use | None:
    if not events:
        return None
    event = events[0]
    assert isinstance(event.value, Sorted)
    if _is_alike_for_all(event, event.value.key, naming):
        return None
    norm = norm_in(event.value.key, site.attribute)
    decides = function_sink(context, event.function, site.attribute) == "decide" or any_word(
        event.target, lexicon()["person_sets"]
    )
    is_kept = norm is not None or _is_stored(event, context)
    decides = decides or (is_kept and _is_outcome(event, site, context))
    is_by_alphabet = context.attribute(site.attribute).identifies and not _is_selecting_function(event)
    shown = is_by_alphabet or (not decides and _is_preview_only(event, context))
    found = Sink("show") if shown else _sink_of_ranking(event, site, context, decides=decides)
    if norm is not None:
        cut = Cut("threshold", None, {}, event.target, "", norm.node, is_norm=True)
        return by_cut_off(cut, found, site, naming, context, event=event)
    return make_use(
        site,
        naming,
        context,
        kind="ranking",
        effect="show" if shown else "decide",
        shape="sort",
        event=event,
        target=event.target or None,
        sink=found,
        last="people are ranked here",
        span=event.node.span,
    )


def _is_alike_for_all(event: Event, key: Value, naming: GroupTerms) -> bool:
    """Return whether groups are asked for and all surely ranked by the same: `p.age if p.male else p.age`.

    Of keys that call anything nobody is sure: `round(p.score)` counts as `p.score` here, and is not the same.
    """
    if not _has_plain_key(event):
        return False

    def ask(hypothesis: Specialization) -> str:
        return hypothesis.key(hypothesis.evaluate(key))

    asked = replace(
        naming,
        by_bounds=True,
        named={},
        written={},
        unexplained=set(),
        cuts=set(),
        excused=set(),
        reached=set(),
    )
    comparison = compare_groups(asked, ask, lambda answers: float(len(set(answers)) - 1), enough=1.0)
    return bool(asked.written) and not comparison.tells


def _has_plain_key(event: Event) -> bool:
    """Return whether people are ranked by a written expression that calls nothing."""
    keys = [part for part in tree.walk(event.node) if isinstance(part, tree.Lambda)]
    return bool(keys) and not any(isinstance(part, tree.Call) for key in keys for part in tree.walk(key))


def _is_outcome(event: Event, site: Site, context: Context) -> bool:
    """Return whether what holds an outcome is given the first of the people: `hired = people.nlargest(5,
    "z")`.
    """
    node: Node | None = event.node
    names: list[str | None] = []
    while isinstance(node, tree.Call | tree.Field | tree.Index):
        if isinstance(node, tree.Call) and "stores" in context.does(node):
            written = [one.value for one in node.arguments if isinstance(one, tree.Literal)]
            from pathlib import PurePath  # noqa: PLC0415 (start-up: few sources come here)

            names += [PurePath(one).stem for one in written if isinstance(one, str)]
        node = context.execution.syntax.parent(node)
    names += [path_of(target) for target in node.targets] if isinstance(node, tree.Assign) else []
    return any(name is not None and holds_outcome(name, site.attribute, context) for name in names)


def _is_stored(event: Event, context: Context) -> bool:
    """Return whether the first of the people are written to a file or the like, at once or by their name."""
    node: Node | None = event.node
    while isinstance(node, tree.Call | tree.Field | tree.Index):
        if isinstance(node, tree.Call) and "stores" in context.does(node):
            return True
        node = context.execution.syntax.parent(node)
    targets = node.targets if isinstance(node, tree.Assign) else ()
    names = {target.id for target in targets if isinstance(target, tree.Name)}
    return bool(names) and any(
        isinstance(part, tree.Call)
        and part.span.start > event.node.span.end
        and "stores" in context.does(part)
        and any(isinstance(one, tree.Name) and one.id in names for one in tree.walk(part))
        for part in _nodes_around(event, context)
    )


def _nodes_around(event: Event, context: Context) -> list[Node]:
    """Return all nodes of the function that an event stands in, else of the file."""
    function = context.functions.get(context.function_at(event.node.span))
    body = context.body if function is None else function.body
    return [part for statement in body for part in tree.walk(statement)]


def _is_selecting_function(event: Event) -> bool:
    """Return whether a function says of itself that it chooses people: what is found by a search, or listed,
    is put in the order of names for whoever reads it.
    """
    words = split_words(event.function.rpartition(".")[2])
    first_is = bool(words) and words[0] in lexicon()["outcome"]
    return first_is or any_word(event.target, lexicon()["person_sets"])


def _sink_of_ranking(event: Event, site: Site, context: Context, *, decides: bool) -> Sink:
    found = sink("decide", 2 if decides else 1, f"`{event.target}` is sorted by it and cut off")
    are_people = decides or any(_is_in(read.node, event.node) for read in site.reads.values())
    if not are_people:
        mention = next(iter(site.reads.values())).mention
        are_people = any(
            context.is_person(singular(word), mention) for word in split_words(event.target) if len(word) > 1
        )
    return replace(found, said="name" if are_people else "shape")


def _by_itself(value: Value, site: Site) -> bool:
    """Return whether people are sorted by the attribute, or a test on it, before anything else."""
    if not isinstance(value, Sorted):
        return False
    key = value.key.items[0] if isinstance(value.key, Sequence) and value.key.items else value.key
    while isinstance(key, Operation) and key.op in {"neg", "not"}:
        key = key.arguments[0]
    parts = key.arguments if isinstance(key, Operation) and key.op in {"==", "in", "<", ">="} else (key,)
    return any(isinstance(part, Protected) and part.mention.attribute == site.attribute for part in parts)


# ------------------------------------------------------------------------------------------------ shown


def _is_preview_only(event: Event, context: Context) -> bool:
    """Return whether the first of people are only looked at: `df.sort_values("age").head()` in a notebook."""
    nodes = _nodes_around(event, context)
    cuts = [
        part
        for part in nodes
        if isinstance(part, tree.Call | tree.Index) and _is_head_of_ranking(part, event, context)
    ]
    return bool(cuts) and all(_is_for_display(cut, nodes, context) for cut in cuts)


def _is_head_of_ranking(part: tree.Call | tree.Index, event: Event, context: Context) -> bool:
    """Return whether a node takes the first of what the event has put in order."""
    if part is event.node:
        return isinstance(part, tree.Call) and any(
            found.entry.given.get("form") == FIRST for found in context.may_be(part)
        )
    if isinstance(part, tree.Index):
        base, takes = part.value, isinstance(part.index, tree.Slice)
    elif isinstance(part.function, tree.Field):
        base, takes = part.function.value, context.may(part, "takes first")
    else:
        return False
    return takes and (_is_in(event.node, base) or path_of(base) == event.target)


def _is_for_display(node: Node, nodes: list[Node], context: Context, *, follows: bool = True) -> bool:
    """Return whether nothing is made of a value but that somebody looks at it."""
    for outer in context.execution.syntax.around(node):
        match outer:
            case tree.Call() if "shows" in context.does(outer) or is_show(path_of(outer.function) or ""):
                return True
            case tree.Call() if not _is_in(node, outer.function):
                return False
            case tree.Expression():
                return True
            case tree.Assign(targets=(tree.Name(id=name),)) if follows:
                reads = [part for part in nodes if isinstance(part, tree.Name) and part.id == name]
                later = [part for part in reads if part.span.start > outer.span.end]
                return all(_is_for_display(part, nodes, context, follows=False) for part in later)
            case tree.Field() | tree.Index() | tree.Call():
                pass
            case _:
                return False
    return False


def _is_in(node: Node, outer: Node) -> bool:
    return outer.span.start <= node.span.start and node.span.end <= outer.span.end
