"""Filters: people are kept or left out by group."""

from __future__ import annotations

import math

from fairlint.detectors import thresholds
from fairlint.detectors.compared_people import is_between_people, names_nobody
from fairlint.detectors.consequential_acts import relevant
from fairlint.detectors.consistency import is_consistency
from fairlint.detectors.context import Context
from fairlint.detectors.criteria import is_among_unknown, search_outcome, search_sink
from fairlint.detectors.decision_sinks import looks_up
from fairlint.detectors.decisions import NOBODY_FROM, by_cut_off
from fairlint.detectors.roles import function_sink, objects
from fairlint.detectors.sinks import Sink, decision_verbs, holds_outcome, names_a_group, sink
from fairlint.detectors.use_builder import (
    answer_tags,
    by_name_tags,
    is_limit,
    make_use,
    mark_unnamed_groups,
    named_only,
)
from fairlint.findings.uses import Shape, Use
from fairlint.semantics.groups.comparison import compare_groups
from fairlint.semantics.groups.group_terms import GroupTerms
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.groups.specialization import Specialization
from fairlint.semantics.names.effects import any_word, classify_target, is_show, lexicon
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.paths import dotted_name, path_of
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.model import Evidence
from fairlint.vocabulary.words import singular, split_words

GIVEN = "what people get is chosen"
"""What is told of rows that are no people."""
DESCRIBES = frozenset({"measures", "shows", "audits"})
"""What a call does that takes a figure of people, or shows them."""
_ON_THE_WAY = (
    tree.Name, tree.Field, tree.Index, tree.Call, tree.Binary, tree.Collection, tree.Item, tree.Star,
    tree.Interpolation,
)  # fmt: skip
"""What a variable may stand in until it is given to a call."""
_MOST_AROUND = 20
"""How many of these are looked through, one around the other."""


def observe(site: Site, naming: GroupTerms, context: Context) -> Use | None:
    """Return the selection that the site makes by group, if it does."""
    events = [event for event in site.events if event.kind == "filter"]
    if not events:
        return None
    return _selection_use(site, events, naming, context) or _threshold_use(site, events, naming, context)


def _selection_use(site: Site, events: list[Event], naming: GroupTerms, context: Context) -> Use | None:
    """Return the selection of people of some groups."""
    event = max(events, key=lambda event: _sink_of_event(site, event, context).weight)
    naming = replace(naming, nobody_from=NOBODY_FROM.get(site.attribute, math.inf))

    def ask(hypothesis: Specialization) -> bool:
        return relevant(event, site, hypothesis) and hypothesis.truth(event.value)

    comparison = compare_groups(naming, ask, _answer_distance, enough=1.0)
    shown = search_outcome(site, events, context)
    leaves_out = comparison.leaves_out and _is_choice_of_people(site, event, context)
    if not (comparison.differs or comparison.by_scale or shown or leaves_out):
        return None
    is_unnamed = comparison.by_scale and not comparison.differs
    matches = not naming.beside and is_between_people(site, context)
    is_idle = not shown and (matches or looks_up(site, naming))
    found = Sink("show") if is_idle else shown or _sink_of_event(site, event, context)
    if found.effect == "decide" and is_consistency(site, events):
        found = Sink("check")
    kept = comparison.in_words(lambda answer: "kept" if answer else "left out")
    shape: Shape = "cutoff" if is_limit(site, naming, by_scale=comparison.by_scale) else "filter"
    use = make_use(
        site,
        naming,
        context,
        kind="filter",
        effect=found.effect,
        shape=shape,
        event=event,
        outcomes=kept if comparison.differs else {},
        target=event.target or None,
        sink=found,
        leaves_out=leaves_out,
        last="people are kept or left out here",
    )
    is_unnamed = is_unnamed or is_among_unknown(site, naming, context)
    if is_unnamed and shape != "cutoff" and names_nobody(site, context):
        use = mark_unnamed_groups(use)
    use = _use_about_goods(use, event, site, naming, context)
    said = () if event.by_name or _is_of_own_type(event.node, context) else named_only(event.node, context)
    return replace(use, evidence=(*use.evidence, *said), tags=use.tags | by_name_tags(said))


def _use_about_goods(use: Use, event: Event, site: Site, naming: GroupTerms, context: Context) -> Use:
    """Return a selection as it is told where what is selected is what people get."""
    things = _things_holder(event, site, context) if use.effect == "decide" else ""
    if not things:
        return use
    reason = Evidence(0, f"`{things}` holds what people get")
    use = replace(use, detail=GIVEN, evidence=(*use.evidence, reason), tags=use.tags | answer_tags())
    return use if naming.named else mark_unnamed_groups(use)


def _is_choice_of_people(site: Site, event: Event, context: Context) -> bool:
    """Return whether people are chosen one by one: rows of a table may be left out as bad data."""
    return isinstance(event.node, tree.Comprehension) and _sink_of_event(site, event, context).said == "name"


def _threshold_use(site: Site, events: list[Event], naming: GroupTerms, context: Context) -> Use | None:
    """Return the selection of people by what they are within their own group, or of so many of each group."""
    for event in events:
        cut = thresholds.find_threshold_in([event.value], site, naming, context)
        if cut is not None and cut.is_norm and not _is_thinned_data(event, site, context):
            found = _sink_of_event(site, event, context)
            if (use := by_cut_off(cut, found, site, naming, context, event=event)) is not None:
                return use
    return None


def _is_thinned_data(event: Event, site: Site, context: Context) -> bool:
    """Return whether rows of data are left with fewer of each group: `df = df.groupby("sex").sample(n)`."""
    return _is_narrowed_list(event.target, event.node) and not holds_outcome(
        event.target, site.attribute, context
    )


def _things_holder(event: Event, site: Site, context: Context) -> str:
    """Return what holds the rows that are chosen, where they are no people: fees, schemes, the questions of a
    form.
    """
    from fairlint.detectors.built_queries import models_of  # noqa: PLC0415 (start-up: few files query)

    node = event.node
    generators = node.generators if isinstance(node, tree.Comprehension) else ()
    names = [path_of(_table_of(part.iterable)) for part in generators]
    names += models_of(node) if isinstance(node, tree.Call) else []
    if any(_is_person(name or "", site, context) for name in names):
        return ""
    things = lexicon()["given_out"]
    of_function = " ".join(objects(split_words(event.function.rpartition(".")[2])))
    for name in (*names, event.target if event.target != "return" else "", of_function):
        words = split_words((name or "").rpartition(".")[2])
        if words and singular(words[-1]) in things:
            return str(name)
    return ""


def _table_of(node: Node) -> Node:
    """Return what is gone through: `SCHEMES` of `SCHEMES.items()`."""
    match node:
        case tree.Call(function=tree.Field(value=value), arguments=()):
            return value
        case _:
            return node


def _holds_people(name: str, site: Site, context: Context) -> bool:
    """Return whether a table is called after people: not `df`, `train`, which hold rows of data."""
    return any_word(name, lexicon()["person_sets"]) or _is_person(name, site, context, surely=True)


def _is_person(name: str, site: Site, context: Context, *, surely: bool = False) -> bool:
    words = split_words(name.rpartition(".")[2])
    mention = next(iter(site.reads.values())).mention
    return bool(words) and context.is_person(singular(words[-1]), mention, surely=surely)


def _is_of_own_type(node: Node, context: Context) -> bool:
    """Return whether a class of the file says whose a method is: `Applicant.objects.filter(...)`."""
    root = dotted_name(node).partition(".")[0]
    return root in context.definitions.types and bool(context.definitions.types[root].bases)


def _answer_distance(answers: list[bool]) -> float:
    return float(len(set(answers)) - 1)


def _sink_of_event(site: Site, event: Event, context: Context) -> Sink:
    role = function_sink(context, event.function, site.attribute)
    target = event.target
    if target == "return" and role in {"decide", "score", "predicate"}:
        return sink("decide", 2, f"`{event.function.rpartition('.')[2]}` returns only some people")
    if (search := search_sink(site, event, context, typed=role == "decide")) is not None:
        return search
    if target == "return" and role == "" and _things_holder(event, site, context):
        return sink("decide", 1, "what people get is chosen")
    if target == "return":
        return _built_sink(event, role, context)
    if not target:
        return _loop_sink(event, context)
    if names_a_group(target, context) or is_show(target) or classify_target(target) == "count":
        return Sink("show")
    if context.once(_find_descriptive_names, event.function).get(target):
        return Sink("show")
    if holds_outcome(target, site.attribute, context):
        return sink("decide", 2, f"`{target}` keeps only some people")
    if role == "show":
        return Sink("show")
    if _is_narrowed_list(target, event.node):
        found = sink("decide", 2, f"`{target}` is narrowed to some people")
        are_rows = isinstance(event.node, tree.Index) and role not in {"decide", "score"}
        return (
            replace(found, said="answer") if are_rows and not _holds_people(target, site, context) else found
        )
    return Sink("decide", said="name") if role == "decide" else _built_sink(event, role, context)


def _find_descriptive_names(function: str, context: Context) -> dict[str, bool]:
    """Return the local variables of a function of which it only takes a figure, or which it only shows."""
    node = context.function_named(function)
    given = {
        id(target)
        for statement in (() if node is None else node.body)
        for part in tree.walk(statement)
        if isinstance(part, tree.Assign)
        for target in part.targets
    }
    found: dict[str, bool] = {}
    for part in (part for statement in (() if node is None else node.body) for part in tree.walk(statement)):
        if isinstance(part, tree.Name) and id(part) not in given:
            found[part.id] = found.get(part.id, True) and is_descriptive_use(part, context)
    return found


def is_descriptive_use(name: Node, context: Context) -> bool:
    """Return whether a figure is taken of a variable: `women["income"].mean()`, `len(women)`; or it is shown,
    be it with others: `draw(table, [*names, "age"])`.
    """
    part: Node | None = name
    for _ in range(_MOST_AROUND):
        if not isinstance(part, _ON_THE_WAY):
            return False
        if isinstance(part, tree.Call):
            called = dotted_name(part.function).rpartition(".")[2]
            is_figure = is_show(called) or classify_target(called) == "count"
            return is_figure or context.may(part, *DESCRIBES) or context.draws(part)
        part = context.execution.syntax.parent(part)
    return False


def _built_sink(event: Event, role: str, context: Context) -> Sink:
    """Return what a query that a builder makes does with those it selects."""
    if role:
        return Sink("show")
    from fairlint.detectors.built_queries import chooses  # noqa: PLC0415 (start-up: few files query)

    reason = chooses(event, context)
    return sink("decide", 2, reason) if reason else Sink("show")


def _is_narrowed_list(target: str, node: Node) -> bool:
    """Whether the people that are filtered are the ones that are left: `pool = [c for c in pool if ...]`,
    `pool = pool[...]`, `pool = filter(test, pool)`, `delete(Pool).where(...)`.
    """
    found: list[Node] = []
    if isinstance(node, tree.Comprehension):
        found = [part.iterable for part in node.generators]
    while isinstance(node, tree.Call | tree.Index | tree.Field):
        if isinstance(node, tree.Call) and isinstance(node.function, tree.Name):
            found += node.arguments
        node = node.function if isinstance(node, tree.Call) else node.value
        found.append(node)
    return any(path_of(one) == target for one in found)


def _loop_sink(event: Event, context: Context) -> Sink:
    """Return a loop over a selection decides if something that matters happens in it."""
    inside = [
        other
        for other in context.timeline.looped(event.function)
        if other.loop is not None and other.loop.span.start <= event.node.span.start < other.loop.span.end
    ]
    for other in inside:
        if other.kind == "append" and not names_a_group(other.target, context):
            return sink("decide", 2, "only some people are gone through")
        if other.kind == "call" and any_word(other.target.rpartition(".")[2], decision_verbs()):
            return sink("decide", 2, "only some people are gone through")
        if other.kind in {"update", "assign"} and classify_target(other.target) in {"score", "outcome"}:
            return sink("decide", 2, "only some people are gone through")
    return Sink("show")
