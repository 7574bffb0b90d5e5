"""Scores: a number that decides about people is changed by group."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from fairlint.detectors.consequential_acts import gets_there, relevant, ways_to
from fairlint.detectors.context import Context
from fairlint.detectors.criteria import (
    are_of_one_person,
    compared_with,
    is_about_spelling,
    is_between_people,
    is_limit_of_nobody,
    is_taste,
    names_nobody,
    picks_no_value,
    two_people,
)
from fairlint.detectors.outcomes import act_text, tests_of, values_of
from fairlint.detectors.printed_names import kind_of_target
from fairlint.detectors.recoding import MOST_ENDS, is_flag, only_decodes, only_recodes
from fairlint.detectors.roles import function_sink
from fairlint.detectors.sinks import Sink, names_a_group, sink
from fairlint.detectors.use_builder import answer_tags, make_use, mark_unnamed_groups, shape_of
from fairlint.findings.uses import Effect, GroupPoints, Use
from fairlint.semantics.groups.asking import asks_directly
from fairlint.semantics.groups.comparison import Comparison, compare_amounts, gives_several, group_points
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.groups.specialization import SCALE, GroupTerms, Specialization, is_scale
from fairlint.semantics.names.effects import any_word, is_entry_of_score, lexicon
from fairlint.semantics.values import amounts
from fairlint.semantics.values.amounts import OLD_KEY, Amount, known_number
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    OLD,
    Choice,
    Const,
    Event,
    Filtered,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Sorted,
    Text,
    Value,
    either,
    walk,
)
from fairlint.support.records import Record, replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, Span, inside
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.words import split_words

_CALCULATED = re.compile(r"(?:[-+*/%]|//|\*\*|exp|log|sqrt)\(")
"""How the name of something begins that is calculated of what nobody knows."""
_WORD = re.compile(rb"[A-Za-z_]\w*")
_NUMBERS = frozenset({"score", "weak score", "measure"})
"""The kinds of what is a score when a number is given to it."""


class _Candidate(Record, frozen=False):
    target: str
    events: list[Event]
    comparison: Comparison[Amount | None] | None
    """None for a target that is no score, whatever it gets."""
    points: GroupPoints | None
    sink: Sink
    how: str = ""
    """How a raw value enters, where not as a number."""

    def is_scale(self, site: Site, context: Context) -> bool:
        """Whether the raw value counts."""
        return self.comparison is not None and _is_scale(self.comparison, site, context)


def observe(site: Site, naming: GroupTerms, context: Context) -> Use | None:
    """The score that the site changes by group, if it does."""
    best: _Candidate | None = None
    for target, events in _changes_by_target(site, context).items():
        candidate = _build_candidate(site, target, events, naming, context)
        if candidate is not None and (
            best is None or _rank_of_candidate(candidate) > _rank_of_candidate(best)
        ):
            best = candidate
    if best is None:
        return None
    decoded = shape_of(site, naming) == "table" and only_decodes(site, context)
    use = make_use(
        site,
        naming,
        context,
        kind="score-update",
        effect=_effect_of_candidate(best, site, naming, context),
        shape="scale" if best.is_scale(site, context) else "branch" if decoded else shape_of(site, naming),
        event=best.events[-1],
        points=best.points,
        target=best.target,
        sink=best.sink,
        leaves_out=best.comparison is not None and best.comparison.leaves_out,
        last=f"`{best.target}` is changed here",
        span=best.events[-1].node.span if decoded else None,
    )
    by_scale = use.shape == "scale" and not picks_no_value(site, context)
    is_known = best.comparison is not None and gives_several(best.comparison)
    if best.points is None and not (by_scale or is_known) and names_nobody(site, context):
        use = mark_unnamed_groups(use)
    return add_entry_detail(use, best.how, site, context)


def _changes_by_target(site: Site, context: Context) -> dict[str, list[Event]]:
    """What the site changes, by name, each with the events that do."""
    targets: dict[str, list[Event]] = {}
    for event in (*site.events, *_left_to_others(site, context)):
        if any(isinstance(one, Text) for one in either(event.value)) or _finds_people(event):
            continue  # a text grows, or is given
        if event.kind == "assign" and _is_typed_in(event.value, context):
            continue
        if (
            event.kind not in {"update", "assign"}
            or _is_mere_storage(event, site, context)
            or _goes_on(event)
        ):
            continue
        if not _is_begun_elsewhere(event, site, context):
            targets.setdefault(event.target, []).append(event)
    return targets


def _left_to_others(site: Site, context: Context) -> Iterator[Event]:
    """What is changed for those alone whom the site has not turned away: `if p.gender == "female": return`.

    What a variable of the function is given then is nobody's before, and what is added to it is only told
    where the others are handed it as it is.
    """
    name = context.function_at(site.node.span)
    for event in context.timeline.acts_left_by(site.branches, site.way, context.functions.get(name)):
        context.steps.spend()
        is_own = event.kind == "update" and event.function == name and _is_handed_back(event, site, context)
        is_change = event.kind in {"update", "assign"} and (is_own or not _is_local(event.target))
        if is_change and event.loop is None and not site.has(event) and not _is_told_apart(event, site):
            yield event


def _is_handed_back(event: Event, site: Site, context: Context) -> bool:
    """Whether those whom a site turns away are given a variable as all others are: `return score`, and not
    half of it where it is whole behind the change.
    """
    ends = [one.node for one in site.guarded if inside(one.node, site.node)]
    given = [one.value for one in ends if isinstance(one, tree.Return)]  # what a jump leads to is for all
    if all(one is None for one in given):
        return not given or _is_out(event)
    behind = event.node.span.end
    others = [one.value for one in _return_statements(event.function, context) if one.span.start > behind]
    written = {"" if one is None else act_text(one, context) for one in others}
    return all(
        one is not None and (path_of(one) == event.target or written == {act_text(one, context)})
        for one in given
    )


def _is_out(event: Event) -> bool:
    """Whether what is changed is held by the caller: `*points += 5`."""
    return isinstance(event.node, tree.Assign) and isinstance(event.node.targets[0], tree.Index)


def _is_told_apart(event: Event, site: Site) -> bool:
    """Whether another branch on the same attribute leads to an event: it is told there."""
    return any(
        site.asks(guard.test) for guard in event.guards if not guard.implied and not site.is_around(guard)
    )


def _effect_of_candidate(best: _Candidate, site: Site, naming: GroupTerms, context: Context) -> Effect:
    """What becomes of whoever gets the number."""
    matches = best.points is None and not naming.beside and is_between_people(site, context)
    compared = two_people(site, context) if best.points is None else None
    matches = matches or (compared is not None and are_of_one_person(compared, site, context))
    if matches or is_about_spelling(site, naming, context):
        return "show"
    is_column = best.points is None and _makes_features(best.target, best.events[-1].function)
    return "store" if is_column else best.sink.effect


def add_entry_detail(use: Use, how: str, site: Site, context: Context) -> Use:
    """The Use, with how a raw value enters; a note where a test alone says nothing of whom: a length of time
    that hangs on an age, or a limit that nobody knows of what may be no person's.
    """
    is_by_test = how == "by a test" and use.points is None
    speaks_of_nobody = not compared_with(site, context) or is_limit_of_nobody(site, context)
    if is_by_test and (speaks_of_nobody or is_taste(site, context)):
        use = mark_unnamed_groups(use)
    if not (use.points and use.points.gap) and not _has_numbers(site):
        use = replace(use, tags=use.tags | answer_tags())
    return replace(use, detail=how) if how else use


def _has_numbers(site: Site) -> bool:
    """Whether a table that is read by group has numbers in it: what groups get is then known."""
    return any(
        isinstance(one, Const) and isinstance(one.value, int | float)
        for part in walk(*(event.value for event in site.events))
        if isinstance(part, Lookup) and site.asks(part.subject)
        for _, entry in part.table.entries
        for one in either(entry)
    )


def _makes_features(target: str, function: str) -> bool:
    """Whether a column is made by what says of itself that it makes the features of a model, where they are
    told.
    """
    lists = word_lists("learning")
    *classes, name = map(split_words, function.split("."))
    is_maker = not lists["feature_lists"].isdisjoint(name) or any(
        not (lists["prepare"] | lists["feature_lists"]).isdisjoint(words) for words in classes
    )
    return "[" in target and is_maker


def _is_scale(comparison: Comparison[Amount | None], site: Site, context: Context) -> bool:
    """Whether the raw value counts, and is not only looked up in a list, or by a function, that nobody
    knows.
    """
    if not comparison.by_scale:
        return False
    answers = [answer for answer in (*comparison.by_group.values(), comparison.other) if answer is not None]
    if any(is_scale(part) for answer in answers for product in answer for part in product):
        return True
    values = [*(event.value for event in site.events), *(guard.test for guard in context.guards(site))]
    asked = [
        part
        for part in walk(*values)
        if isinstance(part, Operation) and any(_is_of(side, site.attribute) for side in part.arguments)
    ]
    is_number = any(read.mention.form in {"number", "date"} for read in site.reads.values())
    return is_number or not asked or any(part.op not in {"in", "asks"} for part in asked)


def _is_of(value: Value, attribute: str) -> bool:
    return isinstance(value, Protected) and value.mention.attribute == attribute


def describes(site: Site, context: Context) -> bool:
    """Whether the number that the site changes counts or describes people, and is nobody's score."""
    use = context.account(observe, site)
    return use is not None and use.effect == "show"


def _is_mere_storage(event: Event, site: Site, context: Context) -> bool:
    """Whether the attribute is merely kept or recoded, under its own name or unchanged."""
    if event.kind == "update" and not _is_masked_write(event.value):
        return False
    name = event.target.rpartition(".")[2]
    named = any(mention.attribute == site.attribute for mention in context.vocabulary.mentions(name))
    return (named and not is_entry_of_score(event.target)) or _is_unchanged_attribute(event.value, site)


def _is_unchanged_attribute(value: Value, site: Site) -> bool:
    """Whether a value is the attribute as it is, or what stands in for it where it was not given."""
    match value:
        case Operation(op="or", arguments=(first, *others)):
            return isinstance(first, Protected) and all(isinstance(other, Const) for other in others)
        case Choice(test=test):
            ends = list(either(value))
            read = any(isinstance(one, Protected) for one in ends)
            kept = Protected if site.asks(test) else Protected | Opaque
            return read and all(isinstance(one, kept) or _is_no_number(one) for one in ends)
        case _:
            return isinstance(value, Protected)


def _is_no_number(value: Value) -> bool:
    return isinstance(value, Const) and (value.value is None or isinstance(value.value, str))


def _finds_people(event: Event) -> bool:
    """Whether a variable is given people that were chosen or ordered."""
    return any(isinstance(one, Filtered | Sorted) for one in either(event.value))


def _is_typed_in(value: Value, context: Context) -> bool:
    """Whether a value is what somebody has typed in, who is asked by a branch for himself."""
    calls = [context.facts.call_giving(one) for one in either(value)]
    return all(call is not None and "asks user" in context.reader.does(call) for call in calls)


def _goes_on(event: Event) -> bool:
    """Whether a variable only goes on to the next in a list: `row = row->next`."""
    value = event.value
    return isinstance(value, Opaque) and value.key.startswith((f"{event.target}->", f"{event.target}."))


def _is_begun_elsewhere(event: Event, site: Site, context: Context) -> bool:
    """Whether a variable of a function that the site calls is given its value, which is nobody else's."""
    if event.kind != "assign" or not _is_local(event.target) or inside(event.node, site.node):
        return False
    return not site.asks(event.value) and event.function != context.function_at(site.start.span)


def _is_local(target: str) -> bool:
    return "." not in target and "[" not in target


def _is_masked_write(value: Value) -> bool:
    """Whether an entry either becomes a constant or stays as it was, as by a masked write to a column."""
    return all(one is OLD or isinstance(one, Const) for one in either(value))


def _rank_of_candidate(candidate: _Candidate) -> tuple[bool, bool, int]:
    return (
        candidate.sink.effect == "score",
        any(event.kind == "update" for event in candidate.events),
        candidate.sink.weight,
    )


def _build_candidate(
    site: Site, target: str, events: list[Event], naming: GroupTerms, context: Context
) -> _Candidate | None:
    is_update = any(event.kind == "update" for event in events)
    kind = kind_of_target(target, events[-1].function, context)
    named = context.once(_find_named_results, events[-1].function)
    is_figure = not is_update and kind == "other" and target in named
    if not is_update and not (is_figure or _may_be_score(target, kind, events, context)):
        return None
    if _is_dead_target(site, target, events, context):
        return _Candidate(target, events, None, None, Sink("none"))
    if (idle := _idle_target(site, target, events, context)) is not None:
        return _Candidate(target, events, None, None, idle)
    if kind != "score" and only_recodes(site, _with_other_rows(target, events, context), context):
        return _Candidate(target, events, None, None, Sink("store"))
    events = _with_what_follows(site, target, events, context)
    if is_update:
        events = [event for event in events if event.kind == "update" or _is_asked_for(event, site)]

    before = _value_before_site(site, target, events, context)

    def ask(hypothesis: Specialization) -> Amount | None:
        return _total_after_events(events, site, hypothesis, before)

    comparison = compare_amounts(
        naming,
        ask,
        values_of(events),
        cost=tests_of(events),
        ways=lambda: ways_to(events, site, naming),
    )
    amounts_ = [amount for amount in (*comparison.by_group.values(), comparison.other) if amount is not None]
    how = how_it_enters(amounts_, by_test=comparison.by_scale)
    if any(SCALE in part for amount in amounts_ for product in amount for part in product):
        comparison = replace(comparison, by_scale=True)
    if not comparison.tells or _is_no_score(amounts_, is_update=is_update, is_figure=is_figure):
        return None
    values = [event.value for event in events]
    points = group_points(comparison, plain_op="add" if is_update else "set", written=values)
    points = _without_others(points, site, target, events, context)
    found = _sink_of_target(site, target, events, points, context)
    return _Candidate(target, events, comparison, points, found, how)


def how_it_enters(amounts_: list[Amount], *, by_test: bool) -> str:
    """How a raw value takes part in amounts, where it is no number in them: through a table, or a test."""
    scales = [part for amount in amounts_ for product in amount for part in product if SCALE in part]
    if any(map(is_scale, scales)):
        return ""
    return "by a table" if scales else "by a test" if by_test else ""


def _is_no_score(amounts_: list[Amount], *, is_update: bool, is_figure: bool) -> bool:
    """Whether groups get a text, a yes or no, or, of a figure, a label, a code, or what a function gives."""
    if any(_is_text(amount) for amount in amounts_):
        return True
    if not is_update and all(known_number(amount) in {0.0, 1.0} for amount in amounts_):
        return True
    return is_figure and not any(
        known_number(amount) is None and is_numeric_amount(amount) for amount in amounts_
    )


def _may_be_score(target: str, kind: str, events: list[Event], context: Context) -> bool:
    """Whether what is given a value is a number about somebody by its name, and not only a yes or no."""
    return kind in _NUMBERS and not is_flag(target, events[-1].function, context)


def _is_asked_for(event: Event, site: Site) -> bool:
    """Whether a test on the attribute itself leads to the event: `if score > 10: score = 10` is no such
    test.
    """
    return any(asks_directly(guard.test, site.attribute, site.dependence) for guard in event.guards)


def _with_what_follows(site: Site, target: str, events: list[Event], context: Context) -> list[Event]:
    """The events, with those updates of the same target that run only because a branch of the site left
    the body.
    """
    known = {id(event) for event in events}
    if known.isdisjoint(map(id, site.guarded)):
        return events
    following = context.timeline.changes_left_by(target, site.branches)
    runs = {event.run for event in events}  # what is called from elsewhere, too, was walked through again
    return [*events, *(event for event in following if id(event) not in known and event.run in runs)]


def _with_other_rows(target: str, events: list[Event], context: Context) -> list[Event]:
    """The events, with the writes of the same column for other rows, where they are such writes."""
    if not all(event.kind == "update" and _is_masked_write(event.value) for event in events):
        return events
    others = islice(context.timeline.changes(target), MOST_ENDS)
    return [one for one in others if one.function == events[0].function and _is_masked_write(one.value)]


def _value_before_site(site: Site, target: str, events: list[Event], context: Context) -> Const | None:
    """The number that a variable which is set holds when the site is reached, where that is known."""
    if any(event.kind == "update" for event in events):
        return None
    first = min(event.node.span.start for event in events)
    last = context.timeline.change_before(target, events[0].function, min(first, site.node.span.start))
    if (
        last is None
        or last.kind != "assign"
        or last.run != events[0].run
        or not isinstance(last.value, Const)
    ):
        return None
    always = all(map(site.is_around, last.guards))
    return last.value if always and isinstance(last.value.value, int | float) else None


def _without_others(
    points: GroupPoints | None, site: Site, target: str, events: list[Event], context: Context
) -> GroupPoints | None:
    """The points, which say nothing of others where there is nothing that they could keep."""
    if points is None or points.op != "set" or not _is_first(site, target, events, context):
        return points
    return replace(points, is_first=True)


MOST_CHANGES = 20
"""Changes before a site that are looked at for whether others could keep them."""


def _is_first(site: Site, target: str, events: list[Event], context: Context) -> bool:
    """Whether a variable is given nothing before the site that others could keep, as far as one can see."""
    function = context.function_named(events[0].function)
    if not _is_local(target) or (
        function is not None and target in {one.name for one in function.parameters}
    ):
        return False
    first = min(site.node.span.start, *(event.node.span.start for event in events))
    for _ in range(MOST_CHANGES):
        before = context.timeline.change_before(target, events[0].function, first)
        if before is None:
            return True
        if not _shuts_out(before, events[0]):
            return False
        first = before.node.span.start
    return False


def _shuts_out(before: Event, event: Event) -> bool:
    """Whether whoever meets one change cannot meet the other: they stand in two branches of one test."""
    guards = [*before.guards, *event.guards]
    if any(isinstance(guard.site, tree.Loop) for guard in guards):
        return False  # the last round may have left something
    held = {(id(guard.node), guard.holds) for guard in before.guards}
    return any((id(guard.node), not guard.holds) in held for guard in event.guards)


def _total_after_events(
    events: list[Event], site: Site, hypothesis: Specialization, before: Const | None
) -> Amount | None:
    """The target after all events that happen, over what it was before."""
    if not gets_there(site, hypothesis):
        return None
    current: Amount = amounts.unknown(OLD_KEY) if before is None else hypothesis.amount(before)
    happened = False
    for event in events:
        if not relevant(event, site, hypothesis):
            continue
        happened = True
        change = hypothesis.amount(event.value)
        current = amounts.substitute(change, OLD_KEY, current) if event.kind == "update" else change
    return current if happened or events else None


def _is_text(amount: Amount) -> bool:
    """Whether something that is no number takes part: a text, a list."""
    return any(part[:1] in {"'", '"', "["} or part == repr(None) for product in amount for part in product)


def is_numeric_amount(amount: Amount) -> bool:
    """Whether something is a number for all one can see: a known one, or one that is worked out."""
    if len(amount) != 1:
        return True
    ((product, factor),) = amount.items()
    return (
        len(product) != 1 or factor != 1 or SCALE in product[0] or _CALCULATED.match(product[0]) is not None
    )


def _idle_target(site: Site, target: str, events: list[Event], context: Context) -> Sink | None:
    """What a target is that is no score whatever it gets: a count of a group, a local."""
    function = events[-1].function
    kind = kind_of_target(target, function, context)
    role = function_sink(context, function, site.attribute)
    if names_a_group(target, context) and kind not in {"score", "weak score", "outcome"}:
        return Sink("show")
    if kind == "weak score" and (_is_share(site, target) or target in context.once(_find_places, function)):
        return Sink("show")
    is_local = _is_local(target) and target not in _return_variables(function, context)
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
    """The variables of a function that say where in a list something stands: `rates[index]`."""
    node = context.function_named(function)
    found: set[str] = set()
    for part in (inner for statement in node.body for inner in tree.walk(statement)) if node else ():
        if isinstance(part, tree.Index) and isinstance(part.value, tree.Binary):
            found.update(one.id for one in tree.walk(part.value) if isinstance(one, tree.Name))
        if isinstance(part, tree.Index) and not isinstance(part.index, tree.Slice):
            found.update(one.id for one in tree.walk(part.index) if isinstance(one, tree.Name))
    return frozenset(found)


def _is_share(site: Site, target: str) -> bool:
    """Whether an amount is that of the group which is read: `hispanic_amount = amount * row.hispanic`."""
    words = split_words(target)
    mentions = [read.mention for read in site.reads.values()]
    return all(one.form == "flag" and set(one.words) <= set(words) for one in mentions)


def _is_loop_total(events: list[Event]) -> bool:
    """Whether amounts of many people are added up into a variable of the code around their loop."""
    return all(
        event.kind == "update" and event.loop is not None and "." not in event.target for event in events
    )


def _sink_of_target(
    site: Site, target: str, events: list[Event], points: GroupPoints | None, context: Context
) -> Sink:
    function = events[-1].function
    kind = kind_of_target(target, function, context)
    role = function_sink(context, function, site.attribute)
    steps = _sizes_of_steps(points)
    judges = role in {"score", "decide", "predicate"}
    counts_up = points is not None and points.op == "add" and steps <= {0.0, 1.0}
    if kind == "count" and (counts_up or not judges):
        return Sink("show")
    if kind not in {"score", "outcome"} and _is_mirror_image(points):
        return Sink("show")
    if kind in {"weak score", "other"} and counts_up and (names_a_group(target, context) or not judges):
        return Sink("show")
    if _counts_a_group(target, points, site, context):
        return Sink("show")
    returned = _is_return_variable(target, function, context)
    if kind in {"score", "outcome"}:
        return sink("score", 2, f"changes the score `{target}`")
    if kind in {"weak score", "count"}:
        strong = returned or judges
        found = sink("score", 2 if strong else 1, f"changes `{target}`")
        return found if judges else replace(found, said="answer")
    if returned and judges:
        return sink("score", 2, f"changes `{target}`, which is returned")
    if returned or "." in target or "[" in target:
        return sink("score", 1, f"changes `{target}`")
    return Sink("none")


def _is_mirror_image(points: GroupPoints | None) -> bool:
    """Whether only the sign differs, as where a population pyramid shows one group on the left."""
    return points is not None and points.op == "multiply" and {*points.by_group.values()} == {1.0, -1.0}


def _sizes_of_steps(points: GroupPoints | None) -> set[float]:
    """By how much groups are changed, where something is added to what they have."""
    return {abs(value) for value in points.by_group.values()} if points and points.op == "add" else set()


def _is_return_variable(target: str, function: str, context: Context) -> bool:
    whole = target.partition("[")[0] if is_entry_of_score(target) else target
    return not {target, whole}.isdisjoint(_return_variables(function, context))


def _counts_a_group(target: str, points: GroupPoints | None, site: Site, context: Context) -> bool:
    """Whether an entry says how many of a group there are: `weights["F"] = weights.get("F", 0) + 1`."""
    key = target.partition("[")[2].strip("]'\"")
    named = names_a_group(target, context) or context.vocabulary.group_of(site.attribute, key)
    return bool(named and points and is_entry_of_score(target) and {*points.by_group.values()} <= {0.0, 1.0})


def _return_variables(function: str, context: Context) -> frozenset[str]:
    """The variables that take part in what a function returns."""
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


def _is_dead_target(site: Site, target: str, events: list[Event], context: Context) -> bool:
    """Whether nothing comes of what a variable is given."""
    unread = context.once(_find_unread, events[-1].function)
    return target in unread or _is_overwritten(site, target, events, context)


def _is_overwritten(site: Site, target: str, events: list[Event], context: Context) -> bool:
    """Whether a variable of a function gets another value before anything is done with this one."""
    if not _is_local(target) or not target.isascii() or context.function_named(events[-1].function) is None:
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
    """The variables that a function gives a value and does nothing with.

    Every word of its code counts, as a text may name a variable, too. Code that stands in no function is
    imported by others, and a name that a function does not declare may be everybody's. Of a function that
    cannot be read to its end nobody can say: `return<think>`.
    """
    node = context.function_named(function)
    if node is None or any(
        isinstance(part, tree.Broken) for statement in node.body for part in tree.walk(statement)
    ):
        return frozenset()
    given: dict[bytes, list[Span]] = {}
    declared: set[bytes] = set()
    for part in (part for statement in node.body for part in tree.walk(statement)):
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


def _find_named_results(function: str, context: Context) -> frozenset[str]:
    """The variables that a function returns as its result by name: `return {"text": text, "answer": gfr}`."""
    found: set[str] = set()
    for value in _return_values(function, context):
        for item in value.items if isinstance(value, tree.Collection) else ():
            key = item.key.value if isinstance(item.key, tree.Literal) else None
            if isinstance(key, str) and any_word(key, lexicon()["score"] | lexicon()["asked"]):
                found.add(_path_of_variable(item.value) or "")
    return frozenset(found)


def _return_values(function: str, context: Context) -> Iterator[Node]:
    return (part.value for part in _return_statements(function, context) if part.value is not None)


def _return_statements(function: str, context: Context) -> Iterator[tree.Return]:
    node = context.function_named(function)
    for part in (inner for statement in node.body for inner in tree.walk(statement)) if node else ():
        if isinstance(part, tree.Return):
            yield part


def _path_of_variable(node: Node) -> str | None:
    return path_of(node) if isinstance(node, tree.Name | tree.Field | tree.Index) else None
