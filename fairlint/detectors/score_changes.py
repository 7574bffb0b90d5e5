"""The changes of a number at a site: which events change it, and what they add up to."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from fairlint.detectors.consequential_acts import gets_there, relevant
from fairlint.detectors.context import Context
from fairlint.detectors.outcomes import act_text
from fairlint.detectors.recoding import MOST_ENDS
from fairlint.detectors.unread_scores import is_local_target, return_statements
from fairlint.findings.uses import GroupPoints
from fairlint.semantics.groups.sites import Site
from fairlint.semantics.groups.specialization import Specialization
from fairlint.semantics.names.effects import is_entry_of_score
from fairlint.semantics.values import amounts
from fairlint.semantics.values.amounts import OLD_KEY, Amount
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    OLD,
    Choice,
    Const,
    Filtered,
    Opaque,
    Operation,
    Protected,
    Sorted,
    Text,
    Value,
)
from fairlint.semantics.values.traversal import either
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import inside


def changes_by_target(site: Site, context: Context) -> dict[str, list[Event]]:
    """Return what the site changes, by name, each with the events that do."""
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
    """Yield what is changed for those alone whom the site has not turned away: `if p.gender == "female":
    return`.

    What a variable of the function is given then is nobody's before, and what is added to it is only told
    where the others are handed it as it is.
    """
    name = context.function_at(site.node.span)
    for event in context.timeline.acts_left_by(site.branches, site.way, context.functions.get(name)):
        context.steps.spend()
        is_own = event.kind == "update" and event.function == name and _is_handed_back(event, site, context)
        is_change = event.kind in {"update", "assign"} and (is_own or not is_local_target(event.target))
        if is_change and event.loop is None and not site.has(event) and not _is_told_apart(event, site):
            yield event


def _is_handed_back(event: Event, site: Site, context: Context) -> bool:
    """Return whether those whom a site turns away are given a variable as all others are: `return score`, and
    not half of it where it is whole behind the change.
    """
    ends = [one.node for one in site.guarded if inside(one.node, site.node)]
    given = [one.value for one in ends if isinstance(one, tree.Return)]  # what a jump leads to is for all
    if all(one is None for one in given):
        return not given or _is_out(event)
    behind = event.node.span.end
    others = [one.value for one in return_statements(event.function, context) if one.span.start > behind]
    written = {"" if one is None else act_text(one, context) for one in others}
    return all(
        one is not None and (path_of(one) == event.target or written == {act_text(one, context)})
        for one in given
    )


def _is_out(event: Event) -> bool:
    """Return whether what is changed is held by the caller: `*points += 5`."""
    return isinstance(event.node, tree.Assign) and isinstance(event.node.targets[0], tree.Index)


def _is_told_apart(event: Event, site: Site) -> bool:
    """Return whether another branch on the same attribute leads to an event: it is told there."""
    return any(
        site.asks(guard.test) for guard in event.guards if not guard.implied and not site.is_around(guard)
    )


def _is_mere_storage(event: Event, site: Site, context: Context) -> bool:
    """Return whether the attribute is merely kept or recoded, under its own name or unchanged."""
    if event.kind == "update" and not _is_masked_write(event.value):
        return False
    name = event.target.rpartition(".")[2]
    named = any(mention.attribute == site.attribute for mention in context.vocabulary.mentions(name))
    return (named and not is_entry_of_score(event.target)) or _is_unchanged_attribute(event.value, site)


def _is_unchanged_attribute(value: Value, site: Site) -> bool:
    """Return whether a value is the attribute as it is, or what stands in for it where it was not given."""
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
    """Return whether a variable is given people that were chosen or ordered."""
    return any(isinstance(one, Filtered | Sorted) for one in either(event.value))


def _is_typed_in(value: Value, context: Context) -> bool:
    """Return whether a value is what somebody has typed in, who is asked by a branch for himself."""
    calls = [context.facts.call_giving(one) for one in either(value)]
    return all(call is not None and "asks user" in context.reader.does(call) for call in calls)


def _goes_on(event: Event) -> bool:
    """Return whether a variable only goes on to the next in a list: `row = row->next`."""
    value = event.value
    return isinstance(value, Opaque) and value.key.startswith((f"{event.target}->", f"{event.target}."))


def _is_begun_elsewhere(event: Event, site: Site, context: Context) -> bool:
    """Return whether a variable of a function that the site calls is given its value, which is
    nobody else's.
    """
    if event.kind != "assign" or not is_local_target(event.target) or inside(event.node, site.node):
        return False
    return not site.asks(event.value) and event.function != context.function_at(site.start.span)


def _is_masked_write(value: Value) -> bool:
    """Return whether an entry either becomes a constant or stays as it was, as by a masked write to
    a column.
    """
    return all(one is OLD or isinstance(one, Const) for one in either(value))


def with_what_follows(site: Site, target: str, events: list[Event], context: Context) -> list[Event]:
    """Return the events, with those updates of the same target that run only because a branch of the site
    left the body.
    """
    known = {id(event) for event in events}
    if known.isdisjoint(map(id, site.guarded)):
        return events
    following = context.timeline.changes_left_by(target, site.branches)
    runs = {event.run for event in events}  # what is called from elsewhere, too, was walked through again
    return [*events, *(event for event in following if id(event) not in known and event.run in runs)]


def with_other_rows(target: str, events: list[Event], context: Context) -> list[Event]:
    """Return the events, with the writes of the same column for other rows, where they are such writes."""
    if not all(event.kind == "update" and _is_masked_write(event.value) for event in events):
        return events
    others = islice(context.timeline.changes(target), MOST_ENDS)
    return [one for one in others if one.function == events[0].function and _is_masked_write(one.value)]


def value_before_site(site: Site, target: str, events: list[Event], context: Context) -> Const | None:
    """Return the number that a variable which is set holds when the site is reached, where that is known."""
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


def without_others(
    points: GroupPoints | None, site: Site, target: str, events: list[Event], context: Context
) -> GroupPoints | None:
    """Return the points, which say nothing of others where there is nothing that they could keep."""
    if points is None or points.op != "set" or not _is_first(site, target, events, context):
        return points
    return replace(points, is_first=True)


MOST_CHANGES = 20
"""Changes before a site that are looked at for whether others could keep them."""


def _is_first(site: Site, target: str, events: list[Event], context: Context) -> bool:
    """Return whether a variable is given nothing before the site that others could keep, as far as one can
    see.
    """
    function = context.function_named(events[0].function)
    if not is_local_target(target) or (
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
    """Return whether whoever meets one change cannot meet the other: they stand in two branches of
    one test.
    """
    guards = [*before.guards, *event.guards]
    if any(isinstance(guard.site, tree.Loop) for guard in guards):
        return False  # the last round may have left something
    held = {(id(guard.node), guard.holds) for guard in before.guards}
    return any((id(guard.node), not guard.holds) in held for guard in event.guards)


def total_after_events(
    events: list[Event], site: Site, hypothesis: Specialization, before: Const | None
) -> Amount | None:
    """Return the target after all events that happen, over what it was before."""
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
