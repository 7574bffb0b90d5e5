"""Sites: the places where code tells groups apart, each with the events that hang on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from fairlint.records import Record, field
from fairlint.semantics.dependencies import Dependence
from fairlint.semantics.values import (
    Choice,
    Event,
    Guard,
    Lookup,
    Operation,
    Protected,
    Sequence,
    Value,
    parts,
    walk,
)
from fairlint.syntax.tree import Call, Conditional, If, Node, Switch, inside

Place = tuple[Node, Node, Value]
"""A branch or table, where a finding points, and the test."""


class Conditions(Record):
    """What has to hold for an event to happen, given that its site is reached: each once, with the answer."""

    own: tuple[tuple[Value, bool], ...]
    """Tests on the attribute that the site itself makes, the last one first: it decides most often."""
    others: tuple[tuple[Value | Node, bool], ...]
    """Tests on something else; for what another site makes of the attribute, its branch."""


_Sorted = tuple[str, tuple[int, bool], tuple[Any, bool]]
"""What a guard is to a site (its own, another condition, or around it), its key, and the condition."""


class Site(Record, eq=False):
    """One place that tells groups of one attribute apart.

    `node` is the branch, table read or test that decides. `guarded` are the events that stand under it,
    `fed` those whose value comes from it, `events` both, in the order in which they happen.
    """

    attribute: str
    node: Node
    start: Node
    """Where a finding points: the first test on the attribute, the table's read, or the update."""
    test: Value
    dependence: Dependence
    guarded: tuple[Event, ...]
    fed: tuple[Event, ...]
    events: tuple[Event, ...]
    own: frozenset[int]
    """The same, by identity."""
    functions: tuple[str, ...]
    """The functions in which the site has events, first the one that it stands in."""
    outer: frozenset[tuple[int, bool]]
    """The guards around the site, which hold for whoever gets there."""
    reads: Mapping[int, Protected]
    """The reads of the attribute, by the offsets they begin at."""
    branches: frozenset[int]
    """The branches, by identity, that this site is made of: its node, and those that go on where it
    leaves off.
    """
    deciding: Mapping[int, Node]
    """The branches, by identity, of all sites of the same attribute, each with the node of its site."""
    known: dict[int, Conditions] = field(default_factory=dict)
    """The conditions of events that were asked for already, by the event's identity."""
    sorted: dict[int, _Sorted] = field(default_factory=dict)
    """Guards that were looked at already, by identity."""
    by_function: dict[str, list[Event]] = field(default_factory=dict)
    split: dict[int, bool] = field(default_factory=dict)
    """Whether values hold a branch of another site, by their identity."""

    def has(self, event: Event) -> bool:
        """Whether an event hangs on the site."""
        return id(event) in self.own

    def in_function(self, function: str) -> list[Event]:
        """Its events in one function."""
        if not self.by_function:
            for event in self.events:
                self.by_function.setdefault(event.function, []).append(event)
        return self.by_function.get(function, [])

    def conditions(self, event: Event) -> Conditions:
        """What has to hold for an event to happen; what another site makes of the attribute is told there."""
        found = self.known.get(id(event))
        if found is None:
            found = self.known[id(event)] = self._conditions(event)
        return found

    def _conditions(self, event: Event) -> Conditions:
        own: dict[tuple[int, bool], tuple[Value, bool]] = {}
        others: dict[tuple[int, bool], tuple[Value | Node, bool]] = {}
        for guard in event.guards:
            known = self.sorted.get(id(guard))
            if known is None:
                known = self.sorted[id(guard)] = self._sort(guard)
            sort, key, condition = known
            if sort == "own":
                own[key] = condition
            elif sort == "other":
                others.setdefault(key, condition)
        return Conditions(tuple(reversed(own.values())), tuple(others.values()))

    def _sort(self, guard: Guard) -> _Sorted:
        key = guard_key(guard)
        if key in self.outer:
            return ("outer", key, (guard.test, guard.holds))
        if self.is_elsewhere(guard.site) or self.passes_on(guard.test):
            return ("other", (id(guard.node), guard.holds), (guard.node, guard.holds))
        return ("own" if self.asks(guard.test) else "other", key, (guard.test, guard.holds))

    def asks(self, test: Value) -> bool:
        """Whether a test depends on the site's attribute."""
        return self.attribute in self.dependence.attributes(test)

    def passes_on(self, test: Value) -> bool:
        """Whether a test only hands on what another site has made of the attribute (`chance > 0.6`)."""
        if not self.asks(test) or asks_directly(test, self.attribute, self.dependence):
            return False
        if any(inside(read.node, self.start) for read in self.dependence.reads(test, self.attribute)):
            return False  # `if is_listed(person.gender)`, whatever branches that function has
        source = _source(test, self.attribute, self.dependence)
        if source is None or id(source[0]) in self.branches or inside(source[0], self.node):
            return False
        return isinstance(source[0], If | Switch) and not inside(self.node, source[0])

    def has_branch_elsewhere(self, value: Value) -> bool:
        """Whether a value of one of the events holds a branch that belongs to another site."""
        known = self.split
        stack = [value]
        while stack:
            current = stack[-1]
            unknown = [part for part in parts(current) if id(part) not in known]
            if unknown and id(current) not in known:
                stack.extend(unknown)
                continue
            stack.pop()
            if id(current) not in known:
                is_elsewhere = isinstance(current, Choice) and self.is_elsewhere(current.node)
                known[id(current)] = is_elsewhere or any(known[id(part)] for part in parts(current))
        return known[id(value)]

    def is_elsewhere(self, branch: Node) -> bool:
        """Whether a branch belongs to another site of the attribute, which does not stand inside this one."""
        home = self.deciding.get(id(branch))
        return home is not None and id(branch) not in self.branches and not inside(home, self.node)


class _Draft(Record, frozen=False):
    """A site while its events are gathered."""

    attribute: str
    node: Node
    start: Node
    test: Value
    branches: set[int]
    guarded: list[Event] = field(default_factory=list)
    fed: list[Event] = field(default_factory=list)
    under: tuple[tuple[Guard, ...], Node | None] = ((), None)
    """The guards that its last event stands under, and the branch whose own are not around the site."""
    reads: dict[int, Protected] = field(default_factory=dict)
    runs: dict[tuple[int, str], int] = field(default_factory=dict)

    def add(self, event: Event, events: list[Event]) -> None:
        """Adds an event, unless it is one that an earlier walk through the same function has given."""
        place = (id(event.node), event.function if event.kind == "filter" else "")
        if self.runs.setdefault(place, event.run) == event.run:
            events.append(event)

    def note_reads(self, value: Value, dependence: Dependence) -> None:
        """Adds the reads of the attribute that take part in a value."""
        for read in dependence.reads(value, self.attribute):
            self.reads.setdefault(read.node.span.start, read)

    def done(self, dependence: Dependence, deciding: Mapping[int, Node]) -> Site:
        """The site, to which nothing will be added."""
        seen = {id(event): event for event in (*self.guarded, *self.fed)}
        guards, own = self.under
        return Site(
            self.attribute,
            self.node,
            self.start,
            self.test,
            dependence,
            tuple(self.guarded),
            tuple(self.fed),
            tuple(sorted(seen.values(), key=lambda event: event.node.span.start)),
            frozenset(seen),
            tuple(dict.fromkeys(event.function for event in seen.values())),
            frozenset(guard_key(guard) for guard in guards if guard.site is not own),
            self.reads,
            frozenset(self.branches),
            deciding,
        )


def guard_key(guard: Guard) -> tuple[int, bool]:
    """Two guards are the same if they test the same value for the same answer."""
    return (id(guard.test), guard.holds)


def find_sites(events: list[Event], dependence: Dependence) -> list[Site]:
    """The sites of all events, in source order."""
    drafts: dict[tuple[int, int, str, str], _Draft] = {}
    for event in events:
        seen: set[str] = set()
        for place, guard in enumerate(event.guards):
            if guard.implied:
                continue
            for attribute in sorted(dependence.attributes(guard.test) - seen):
                seen.add(attribute)
                draft = _draft(drafts, attribute, _decider(event.guards, place, attribute, dependence))
                draft.under = (event.guards[:place], guard.site)
                draft.add(event, draft.guarded)
                draft.note_reads(guard.test, dependence)
        for attribute in sorted(dependence.attributes(event.value) - seen):
            draft = _draft(drafts, attribute, _origin(event, attribute, dependence))
            if not draft.fed and not draft.guarded:
                draft.under = (event.guards, None)
            draft.add(event, draft.fed)
            draft.note_reads(event.value, dependence)
    found = _continued(list(drafts.values()))
    deciding: dict[str, dict[int, Node]] = {}
    for draft in found:
        deciding.setdefault(draft.attribute, {}).update(dict.fromkeys(draft.branches, draft.node))
    sites = [draft.done(dependence, deciding[draft.attribute]) for draft in found]
    return sorted(sites, key=lambda site: (site.start.span.start, site.attribute))


def _continued(drafts: list[_Draft]) -> list[_Draft]:
    """Joins branches that go on where an earlier one left the body: `if a: return 1`, `if b: return 2`.

    Cut-offs of a number stay apart, as each is a requirement of its own.
    """
    by_branch = {(id(draft.node), draft.attribute): draft for draft in drafts}
    kept: list[_Draft] = []
    for draft in sorted(drafts, key=lambda draft: draft.start.span.start):
        before = _predecessor(draft, by_branch)
        if before is None:
            kept.append(draft)
            continue
        before.guarded.extend(draft.guarded)
        before.fed.extend(draft.fed)
        before.reads.update(draft.reads)
        before.branches |= draft.branches
        by_branch[(id(draft.node), draft.attribute)] = before
    return kept


def _predecessor(draft: _Draft, by_branch: dict[tuple[int, str], _Draft]) -> _Draft | None:
    if not draft.guarded or not _names_groups(draft.test, draft.attribute):
        return None
    for guard in draft.guarded[0].guards:
        if not guard.implied:
            continue
        before = by_branch.get((id(guard.site), draft.attribute))
        if before is not None and before is not draft and _names_groups(before.test, draft.attribute):
            return before
    return None


def _names_groups(test: Value, attribute: str) -> bool:
    """Whether a test compares the attribute with groups, and not with a limit."""
    return any(
        isinstance(part, Operation)
        and part.op in {"==", "in"}
        and any(
            isinstance(side, Protected) and side.mention.attribute == attribute for side in part.arguments
        )
        for part in walk(test)
    )


def _draft(drafts: dict[tuple[int, int, str, str], _Draft], attribute: str, place: Place) -> _Draft:
    """The draft of the site at `place`."""
    node, start, test = place
    key = (node.span.start, node.span.end, type(node).__name__, attribute)
    draft = drafts.get(key)
    if draft is None:
        draft = drafts[key] = _Draft(attribute, node, start, test, {id(node)})
    elif start.span.start < draft.start.span.start and node.span.start <= start.span.start:
        draft.start, draft.test = start, test
    return draft


def _decider(guards: tuple[Guard, ...], place: int, attribute: str, dependence: Dependence) -> Place:
    """The branch that tells the groups apart, where a finding points, and the test.

    Mostly the guard's own branch. Where the guard only looks at a variable that an earlier branch or table
    has filled (`if approved:`), it is that branch.
    """
    guard = guards[place]
    reads_here = any(inside(read.node, guard.node) for read in dependence.reads(guard.test, attribute))
    if not reads_here:
        source = _source(guard.test, attribute, dependence)
        if source is not None and not inside(source[0], guard.site) and not isinstance(source[2], Protected):
            is_branch = isinstance(source[0], If | Switch | Conditional)
            if is_branch or not asks_directly(guard.test, attribute, dependence):
                return source
    if isinstance(guard.site, Switch):
        return guard.site, guard.site.subject, guard.test
    for later in guards[place:]:
        if later.site is guard.site and attribute in dependence.attributes(later.test):
            return guard.site, later.node, later.test
    return guard.site, guard.node, guard.test


def _origin(event: Event, attribute: str, dependence: Dependence) -> tuple[Node, Node, Value]:
    """The node inside `event.value` that tells the groups apart, where a finding points, and the test."""
    source = _source(event.value, attribute, dependence)
    if source is None:
        return event.node, event.node, event.value
    node, start, test = source
    is_term = isinstance(test, Operation) and not asks_directly(test, attribute, dependence)
    return node, event.node if is_term and event.kind in {"update", "assign"} else start, test


def _source(value: Value, attribute: str, dependence: Dependence) -> Place | None:
    """What inside `value` tells the groups apart: a branch or table that asks for the attribute itself.

    Of several it is the outermost. A branch that asks for something which depends on the attribute
    (`score > 3`) only passes on what another has decided, and is taken where there is nothing else.
    """
    if attribute not in dependence.attributes(value):
        return None
    found = next(filter(None, _outermost(value, attribute, dependence)), None)
    return None if found is None else found[1]


def _outermost(value: Value, attribute: str, dependence: Dependence) -> _Sources:
    """The sources in `value`, found once for each value that it is made of."""
    memo = dependence.memo
    stack = [value]
    while stack:
        current = stack[-1]
        key = (id(current), attribute)
        if key in memo:
            stack.pop()
            continue
        inner = [part for part in parts(current) if attribute in dependence.attributes(part)]
        unknown = [part for part in inner if (id(part), attribute) not in memo]
        if unknown:
            stack.extend(unknown)
            continue
        below = [cast("_Sources", memo[id(part), attribute]) for part in inner]
        memo[key] = tuple(
            (0, own) if own is not None else _nearest([sources[sort] for sources in below])
            for sort, own in enumerate(_own_sources(current, attribute, dependence))
        )
    return cast("_Sources", memo[id(value), attribute])


_Sources = tuple[tuple[int, Place] | None, ...]
"""Of a value, what asks for the attribute itself, a sum it takes part in, and what passes it on: each with
how deep it stands.
"""


def _nearest(found: list[tuple[int, Place] | None]) -> tuple[int, Place] | None:
    """The outermost source of one sort, the first of several, seen from one level above."""
    known = [source for source in found if source is not None]
    if not known:
        return None
    depth, place = min(known, key=lambda source: source[0])
    return depth + 1, place


def _own_sources(
    part: Value, attribute: str, dependence: Dependence
) -> tuple[Place | None, Place | None, Place | None]:
    """What a value is itself: a source, a term of a sum or product, or a test of something that depends."""
    match part:
        case Choice(test=test, node=node) if attribute in dependence.attributes(test):
            place = (node, _test_node(test) or node, test)
            return (place, None, None) if asks_directly(test, attribute, dependence) else (None, None, place)
        case Lookup(subject=subject, node=node) if attribute in dependence.attributes(subject):
            return ((node, node, subject), None, None)
        case Operation(node=node) if asks_directly(part, attribute, dependence):
            return ((node, node, part), None, None)
        case Operation(arguments=arguments, node=node) if any(
            isinstance(argument, Protected) and argument.mention.attribute == attribute
            for argument in arguments
        ):
            return (None, (node, node, part), None)
        case _:
            return (None, None, None)


def asks_directly(value: Value, attribute: str, dependence: Dependence) -> bool:
    """Whether a test looks at the attribute itself, and not at a score that depends on it."""
    if attribute not in dependence.attributes(value):
        return False
    known = dependence.asked
    stack = [value]
    while stack:
        part = stack[-1]
        key = (id(part), attribute)
        joined = part.arguments if isinstance(part, Operation) and part.op in _JOINED else ()
        unknown = [argument for argument in joined if (id(argument), attribute) not in known]
        if key in known:
            stack.pop()
        elif unknown:
            stack.extend(unknown)
        elif joined:
            known[key] = any(known[id(argument), attribute] for argument in joined)
        elif isinstance(part, Operation) and part.op in _COMPARISONS:
            known[key] = any(_is_bare(argument, attribute) for argument in part.arguments)
        else:
            known[key] = isinstance(part, Protected) and part.mention.attribute == attribute
    return known[id(value), attribute]


def _is_bare(value: Value, attribute: str) -> bool:
    """Whether a value is the attribute itself: as it was read, in a tuple, or as an age worked out from a
    date.
    """
    stack = [value]
    seen: set[int] = set()
    while stack:
        part = stack.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        match part:
            case Protected(mention=mention) | Choice(test=Protected(mention=mention), node=Call()):
                if mention.attribute == attribute:
                    return True
            case Operation(op=op, arguments=arguments) if op in _WORKED_OUT:
                stack.extend(arguments)
            case Sequence(items=items):
                stack.extend(items)
            case _:
                pass
    return False


_JOINED = frozenset({"and", "or", "not"})
_COMPARISONS = frozenset({"==", "in", "<", ">=", "strcmp", "asks"})
_WORKED_OUT = frozenset({"-", "/", "//", "neg", "strcmp"})


def _test_node(test: Value) -> Node | None:
    """The place where a test is written."""
    match test:
        case Operation(node=Switch(subject=subject)):
            return subject
        case Operation(node=node) | Choice(node=node) | Lookup(node=node) | Protected(node=node):
            return node
        case _:
            return None
