"""Finds the sites among all events of a file."""

from __future__ import annotations

from fairlint.semantics.groups.asking import asks_directly, asks_presence
from fairlint.semantics.groups.dependencies import Dependence
from fairlint.semantics.groups.site_drafts import SiteDraft, join_continuations
from fairlint.semantics.groups.sites import Site, guard_key
from fairlint.semantics.groups.value_sources import Place, source_place
from fairlint.semantics.values.events import ANYWHERE, Event, Guard, Guards, along
from fairlint.semantics.values.symbolic import Operation, Protected
from fairlint.support.records import Record, field
from fairlint.syntax.tree import Conditional, If, Node, Switch, inside


class _FirstTests(Record):
    """Where a way asks for attributes first, each with the way to the branch that does."""

    first: dict[str, tuple[Guard, Guards]] = field(default_factory=dict)
    branch: Node | None = None
    """The branch of the last condition."""
    before: Guards = ANYWHERE
    """The way to it."""


def find_sites(events: list[Event], dependence: Dependence) -> list[Site]:
    """Return the sites of all events, in source order."""
    drafts: dict[tuple[int, int, str, str], SiteDraft] = {}
    known: dict[Guards, _FirstTests] = {}

    def asked(way_there: _FirstTests, way: Guards, guard: Guard) -> _FirstTests:
        outer = way.outer if way.outer is not None else ANYWHERE
        before = way_there.before if guard.site is way_there.branch else outer
        first, fresh = way_there.first, () if guard.implied else sorted(dependence.attributes(guard.test))
        asking = [one for one in fresh if one not in first or asks_more(guard, first[one][0], one)]
        if asking:
            first = {**first, **dict.fromkeys(asking, (guard, before))}
        return _FirstTests(first, guard.site, before)

    def asks_more(guard: Guard, before: Guard, attribute: str) -> bool:
        """Return whether a condition asks for an attribute of which the one before asked only if it
        is given.
        """
        return if_given(before, attribute) and not if_given(guard, attribute)

    def if_given(guard: Guard, attribute: str) -> bool:
        return asks_presence(guard.test, attribute, dependence, of_groups=True)

    for event in events:
        first = along(event.guards, known, _FirstTests(), asked).first
        fed = dependence.attributes(event.value)
        for attribute, (guard, before) in first.items():
            if attribute in fed and if_given(guard, attribute):
                continue
            draft = _site_draft(drafts, attribute, _deciding_place(guard, attribute, dependence), dependence)
            if draft.add(event, guard):
                draft.around = before
            draft.note_reads(guard.test, dependence)
        for attribute in sorted(fed):
            if attribute in first and not if_given(first[attribute][0], attribute):
                continue
            draft = _site_draft(drafts, attribute, _origin_place(event, attribute, dependence), dependence)
            if not draft.fed and not draft.guarded:
                draft.around = event.guards
            draft.add(event)
            draft.note_reads(event.value, dependence)
    found = join_continuations(list(drafts.values()), dependence)
    deciding: dict[str, dict[int, Node]] = {}
    for draft in found:
        deciding.setdefault(draft.attribute, {}).update(dict.fromkeys(draft.branches, draft.node))
    repeated = _repeated_ways(events)
    sites = [draft.done(dependence, deciding[draft.attribute], repeated) for draft in found]
    return sorted(sites, key=lambda site: (site.start.span.start, site.attribute))


def _repeated_ways(events: list[Event]) -> dict[Guards, Guards]:
    """Ways that end in a condition which led to them already, with the way to where it did first."""
    below: dict[Guards, list[Guards]] = {}
    seen: set[Guards] = set()
    for event in events:
        for way, _ in event.guards.links():
            if way in seen:
                break
            seen.add(way)
            below.setdefault(way.outer or ANYWHERE, []).append(way)
    found: dict[Guards, Guards] = {}
    first: dict[tuple[int, bool], Guards] = {}
    stack = below.get(ANYWHERE, [])
    while stack:
        way = stack.pop()
        assert way.last is not None
        key = guard_key(way.last)
        if first.get(key) is way:  # all below it are done
            del first[key]
            continue
        if key in first:
            found[way] = first[key]
        else:
            first[key] = way
            stack.append(way)
        stack.extend(below.get(way, ()))
    return found


def _site_draft(
    drafts: dict[tuple[int, int, str, str], SiteDraft], attribute: str, place: Place, dependence: Dependence
) -> SiteDraft:
    """Return the draft of the site at `place`."""
    node, start, test = place.node, place.start, place.test
    key = (node.span.start, node.span.end, type(node).__name__, attribute)
    draft = drafts.get(key)
    if draft is None:
        draft = drafts[key] = SiteDraft(attribute, node, start, test, {id(node)})
    elif (was_presence := asks_presence(draft.test, attribute, dependence)) != asks_presence(
        test, attribute, dependence
    ):
        if was_presence:
            draft.start, draft.test = start, test
    elif start.span.start < draft.start.span.start and node.span.start <= start.span.start:
        draft.start, draft.test = start, test
    return draft


def _deciding_place(guard: Guard, attribute: str, dependence: Dependence) -> Place:
    """Return the branch that tells the groups apart, where a finding points, and the test.

    Mostly the guard's own branch. Where the guard only looks at a variable that an earlier branch or table
    has filled (`if approved:`), it is that branch.
    """
    if not dependence.is_read_within(guard.test, attribute, guard.node):
        source = source_place(guard.test, attribute, dependence)
        if (
            source is not None
            and not inside(source.node, guard.site)
            and not isinstance(source.test, Protected)
        ):
            is_branch = isinstance(source.node, If | Switch | Conditional)
            if is_branch or not asks_directly(guard.test, attribute, dependence):
                return source
    start = guard.site.subject if isinstance(guard.site, Switch) else guard.node
    return Place(guard.site, start, guard.test)


def _origin_place(event: Event, attribute: str, dependence: Dependence) -> Place:
    """Return the node inside `event.value` that tells the groups apart, where a finding points, and
    the test.
    """
    source = source_place(event.value, attribute, dependence)
    if source is None:
        return Place(event.node, event.node, event.value)
    is_term = isinstance(source.test, Operation) and not asks_directly(source.test, attribute, dependence)
    if is_term and event.kind in {"update", "assign"}:
        return Place(source.node, event.node, source.test)
    return source
