"""Sites: the places where code tells groups apart, each with the events that hang on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

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
from fairlint.syntax.tree import Call, Conditional, If, Node, Switch

Place = tuple[Node, Node, Value]
"""A branch or table, where a finding points, and the test."""


class Conditions(Record):
    """What has to hold for an event to happen, given that its site is reached: each once, with the answer."""

    own: tuple[tuple[Value, bool], ...]
    """Tests on the attribute that the site itself makes, the last one first: it decides most often."""
    others: tuple[tuple[Value | Node, bool], ...]
    """Tests on something else; for what another site makes of the attribute, its branch."""


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
    sorted: dict[int, bool | None] = field(default_factory=dict)
    """Guards that were looked at already, by identity: tests of the site itself (True), of another site
    (False), and of something else (None).
    """

    def has(self, event: Event) -> bool:
        """Whether an event hangs on the site."""
        return id(event) in self.own

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
            key = guard_key(guard)
            if key in self.outer:
                continue
            if id(guard) not in self.sorted:
                self.sorted[id(guard)] = self._sort(guard)
            match self.sorted[id(guard)]:
                case True:
                    own[key] = (guard.test, guard.holds)
                case False:
                    others.setdefault((id(guard.node), guard.holds), (guard.node, guard.holds))
                case None:
                    others.setdefault(key, (guard.test, guard.holds))
        return Conditions(tuple(reversed(own.values())), tuple(others.values()))

    def _sort(self, guard: Guard) -> bool | None:
        if self.is_elsewhere(guard.site) or self.passes_on(guard.test):
            return False
        return True if self.asks(guard.test) else None

    def asks(self, test: Value) -> bool:
        """Whether a test depends on the site's attribute."""
        return self.attribute in self.dependence.attributes(test)

    def passes_on(self, test: Value) -> bool:
        """Whether a test only hands on what another site has made of the attribute (`chance > 0.6`)."""
        if not self.asks(test) or asks_directly(test, self.attribute):
            return False
        if any(_inside(read.node, self.start) for read in self.dependence.reads(test, self.attribute)):
            return False  # `if is_listed(person.gender)`, whatever branches that function has
        source = _source(test, self.attribute, self.dependence)
        if source is None or id(source[0]) in self.branches or _inside(source[0], self.node):
            return False
        return isinstance(source[0], If | Switch) and not _inside(self.node, source[0])

    def is_elsewhere(self, branch: Node) -> bool:
        """Whether a branch belongs to another site of the attribute, which does not stand inside this one."""
        home = self.deciding.get(id(branch))
        return home is not None and id(branch) not in self.branches and not _inside(home, self.node)


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
    reads_here = any(_inside(read.node, guard.node) for read in dependence.reads(guard.test, attribute))
    if not reads_here:
        source = _source(guard.test, attribute, dependence)
        if source is not None and not _inside(source[0], guard.site) and not isinstance(source[2], Protected):
            is_branch = isinstance(source[0], If | Switch | Conditional)
            if is_branch or not asks_directly(guard.test, attribute):
                return source
    if isinstance(guard.site, Switch):
        return guard.site, guard.site.subject, guard.test
    for later in guards[place:]:
        if later.site is guard.site and attribute in dependence.attributes(later.test):
            return guard.site, later.node, later.test
    return guard.site, guard.node, guard.test


def _inside(inner: Node, outer: Node) -> bool:
    return outer.span.start <= inner.span.start and inner.span.end <= outer.span.end


def _origin(event: Event, attribute: str, dependence: Dependence) -> tuple[Node, Node, Value]:
    """The node inside `event.value` that tells the groups apart, where a finding points, and the test."""
    source = _source(event.value, attribute, dependence)
    if source is None:
        return event.node, event.node, event.value
    node, start, test = source
    is_term = isinstance(test, Operation) and not asks_directly(test, attribute)
    return node, event.node if is_term and event.kind in {"update", "assign"} else start, test


def _source(value: Value, attribute: str, dependence: Dependence) -> Place | None:
    """As `_find_source`, asked once for each value."""
    key = (id(value), attribute)
    if key not in dependence.memo:
        dependence.attributes(value)
        dependence.memo[key] = _find_source(value, attribute, dependence)
    return cast("Place | None", dependence.memo[key])


def _find_source(value: Value, attribute: str, dependence: Dependence) -> Place | None:
    """What inside `value` tells the groups apart: a branch or table that asks for the attribute itself.

    A branch that asks for something which depends on it (`score > 3`) only passes on what another has
    decided.
    """
    term: Operation | None = None
    indirect: tuple[Node, Node, Value] | None = None
    for part in _downward(value, attribute, dependence):
        match part:
            case Choice(test=test, node=node) if attribute in dependence.attributes(test):
                place = (node, _test_node(test) or node, test)
                if asks_directly(test, attribute):
                    return place
                indirect = indirect or place
            case Lookup(subject=subject, node=node) if attribute in dependence.attributes(subject):
                return node, node, subject
            case Operation() if asks_directly(part, attribute):
                return part.node, part.node, part
            case Operation(arguments=arguments) if term is None and any(
                isinstance(argument, Protected) and argument.mention.attribute == attribute
                for argument in arguments
            ):
                term = part
            case _:
                pass
    if term is not None:
        return term.node, term.node, term
    return indirect


def asks_directly(value: Value, attribute: str) -> bool:
    """Whether a test looks at the attribute itself, and not at a score that depends on it."""
    match value:
        case Protected(mention=mention):
            return mention.attribute == attribute
        case Operation(op="and" | "or" | "not", arguments=arguments):
            return any(asks_directly(argument, attribute) for argument in arguments)
        case Operation(op="==" | "in" | "<" | ">=" | "strcmp", arguments=arguments):
            return any(_is_bare(argument, attribute) for argument in arguments)
        case _:
            return False


def _is_bare(value: Value, attribute: str) -> bool:
    """Whether a value is the attribute itself: as it was read, in a tuple, or as an age worked out from a
    date.
    """
    match value:
        case Protected(mention=mention):
            return mention.attribute == attribute
        case Choice(test=Protected(mention=mention), node=Call()):
            return mention.attribute == attribute
        case Sequence(items=items):
            return any(_is_bare(item, attribute) for item in items)
        case Operation(op="-" | "/" | "//" | "neg" | "strcmp", arguments=arguments):
            return any(_is_bare(argument, attribute) for argument in arguments)
        case _:
            return False


def _test_node(test: Value) -> Node | None:
    """The place where a test is written."""
    match test:
        case Operation(node=Switch(subject=subject)):
            return subject
        case Operation(node=node) | Choice(node=node) | Lookup(node=node) | Protected(node=node):
            return node
        case _:
            return None


def _downward(value: Value, attribute: str, dependence: Dependence) -> Iterator[Value]:
    """The parts of `value` that depend on the attribute, outermost first, level by level."""
    level = [value]
    seen: set[int] = set()
    while level:
        following: list[Value] = []
        for part in level:
            if id(part) in seen or attribute not in dependence.attributes(part):
                continue
            seen.add(id(part))
            yield part
            following.extend(parts(part))
        level = following
