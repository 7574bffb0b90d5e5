"""Sites: the places where code tells groups apart, each with the events that hang on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from fairlint.semantics.groups import chains
from fairlint.semantics.groups.asking import asks_directly, asks_presence, is_bare, is_told_behind
from fairlint.semantics.groups.conditions import Condition, Conditions
from fairlint.semantics.groups.dependencies import Dependence
from fairlint.semantics.values.symbolic import (
    ANYWHERE,
    RAISES,
    Choice,
    Const,
    Event,
    Guard,
    Guards,
    Lookup,
    Operation,
    Protected,
    Sequence,
    Value,
    along,
    parts,
    walk,
)
from fairlint.support.records import Record, field
from fairlint.syntax.tree import Conditional, If, Node, Switch, inside

Place = tuple[Node, Node, Value]
"""A branch or table, where a finding points, and the test."""


MOST_GATES = 40
"""Of so many conditions on the way to a site, those on its attribute are asked for."""
_ENDS = frozenset({"return", "raise", "continue", "break"})


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
    around: Guards
    """The way to the site, whose conditions hold for whoever gets there."""
    repeated: Mapping[Guards, Guards]
    """Ways that end in a condition which led to them already, with the way to where it did first."""
    reads: Mapping[int, Protected]
    """The reads of the attribute, by the offsets they begin at."""
    branches: frozenset[int]
    """The branches, by identity, that this site is made of: its node, and those that go on where it
    leaves off.
    """
    deciding: Mapping[int, Node]
    """The branches, by identity, of all sites of the same attribute, each with the node of its site."""
    known: dict[Guards, Conditions] = field(default_factory=dict)
    """The conditions on ways that were asked for already."""
    passed_on: dict[int, bool] = field(default_factory=dict)
    """Whether tests, by identity, only hand on what another site has made of the attribute."""
    gates: dict[str, list[Guard]] = field(default_factory=dict)
    """The conditions around the site that ask for its attribute, once they are asked for."""
    keys_around: set[tuple[int, bool]] = field(default_factory=set)
    """The conditions around the site, once they are asked for."""
    by_function: dict[str, list[Event]] = field(default_factory=dict)
    split: dict[int, bool] = field(default_factory=dict)
    """Whether values hold a branch of another site, by their identity."""

    def has(self, event: Event) -> bool:
        """Whether an event hangs on the site."""
        return id(event) in self.own

    @property
    def way(self) -> tuple[Node, ...]:
        """The calls that led to the site, of whose walk its events are."""
        return tuple([call for call in self.events[0].way if not inside(call, self.node)])

    def in_function(self, function: str) -> list[Event]:
        """Its events in one function."""
        if not self.by_function:
            for event in self.events:
                self.by_function.setdefault(event.function, []).append(event)
        return self.by_function.get(function, [])

    def conditions(self, event: Event) -> Conditions:
        """What has to hold for an event to happen; what another site makes of the attribute is told there."""
        if not self.known:
            self.known[self.around] = Conditions()
        return along(event.guards, self.known, Conditions(is_beside=bool(self.around)), self._add_condition)

    def _add_condition(self, before: Conditions, way: Guards, guard: Guard) -> Conditions:
        """The conditions on a way, and the one that it ends in, unless it goes without saying."""
        first = self.repeated.get(way)
        if (first is not None and len(first) <= len(self.around)) or (
            before.is_beside and self.is_around(guard)
        ):
            return before
        own, others, is_beside = before.own, before.others, before.is_beside
        if self.is_elsewhere(guard.site) or self._is_passed_on(guard.test):
            return Conditions(own, Condition(guard.node, guard.holds, others), is_beside)
        if first is not None:
            return before
        if self.asks(guard.test):
            return Conditions(Condition(guard.test, guard.holds, own), others, is_beside)
        return Conditions(own, Condition(guard.test, guard.holds, others), is_beside)

    def _is_passed_on(self, test: Value) -> bool:
        known = self.passed_on.get(id(test))
        if known is None:
            known = self.passed_on[id(test)] = self.passes_on(test)
        return known

    def is_around(self, guard: Guard) -> bool:
        """Whether a condition holds for whoever gets to the site."""
        if not self.keys_around:
            self.keys_around.update(guard_key(one) for one in self.around)
        return guard_key(guard) in self.keys_around

    def gates_on(self) -> list[Guard]:
        """The conditions around the site that ask for its attribute, without which nobody gets there."""
        if self.attribute not in self.gates:
            around = self.around.latest(MOST_GATES)
            own = [one for one in around if self.asks(one.test) and not inside(one.site, self.node)]
            self.gates[self.attribute] = own
        return self.gates[self.attribute]

    def asks(self, test: Value) -> bool:
        """Whether a test depends on the site's attribute."""
        return self.attribute in self.dependence.attributes(test)

    def passes_on(self, test: Value) -> bool:
        """Whether a test only hands on what another site has made of the attribute (`chance > 0.6`)."""
        if not self.asks(test) or asks_directly(test, self.attribute, self.dependence):
            return False
        if self.dependence.is_read_within(test, self.attribute, self.start):
            return False  # `if is_listed(person.gender)`, whatever branches that function has
        source = _source_place(test, self.attribute, self.dependence)
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
    around: Guards = ANYWHERE
    """The way to it, as its last event has it."""
    reads: dict[int, Protected] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)
    """The values, by identity, whose reads are among them."""
    walks: dict[tuple[object, ...], object] = field(default_factory=dict)

    def add(self, event: Event, guard: Guard | None = None) -> bool:
        """Adds an event, unless it is one that an earlier walk through the same function has given: whether
        it did.

        What a function does that is called in both branches behind a guard happens in each of them.
        """
        node = event.node
        place = (node.span, type(node), event.function if event.kind == "filter" else "", guard is None)
        walk: object = event.run
        if guard is not None:
            walk = tuple([id(call) for call in event.way if not inside(call, guard.site)])
        if self.walks.setdefault(place, walk) != walk:
            return False
        (self.fed if guard is None else self.guarded).append(event)
        return True

    def note_reads(self, value: Value, dependence: Dependence) -> None:
        """Adds the reads of the attribute that take part in a value."""
        for read in dependence.reads(value, self.attribute, self.seen):
            self.reads.setdefault(read.node.span.start, read)

    def take(self, other: _Draft) -> None:
        """Adds what hangs on a branch that goes on where this one leaves off."""
        self.guarded.extend(other.guarded)
        self.fed.extend(other.fed)
        self.reads.update(other.reads)
        self.branches |= other.branches

    def done(
        self, dependence: Dependence, deciding: Mapping[int, Node], repeated: Mapping[Guards, Guards]
    ) -> Site:
        """The site, to which nothing will be added."""
        seen = {id(event): event for event in (*self.guarded, *self.fed)}
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
            self.around,
            repeated,
            self.reads,
            frozenset(self.branches),
            deciding,
        )


def guard_key(guard: Guard) -> tuple[int, bool]:
    """Two guards are the same if they test the same value for the same answer."""
    return (id(guard.test), guard.holds)


class _Asked(Record):
    """Where a way asks for attributes first, each with the way to the branch that does."""

    first: dict[str, tuple[Guard, Guards]] = field(default_factory=dict)
    branch: Node | None = None
    """The branch of the last condition."""
    before: Guards = ANYWHERE
    """The way to it."""


def find_sites(events: list[Event], dependence: Dependence) -> list[Site]:
    """The sites of all events, in source order."""
    drafts: dict[tuple[int, int, str, str], _Draft] = {}
    known: dict[Guards, _Asked] = {}

    def asked(way_there: _Asked, way: Guards, guard: Guard) -> _Asked:
        outer = way.outer if way.outer is not None else ANYWHERE
        before = way_there.before if guard.site is way_there.branch else outer
        first, fresh = way_there.first, () if guard.implied else sorted(dependence.attributes(guard.test))
        asking = [one for one in fresh if one not in first or asks_more(guard, first[one][0], one)]
        if asking:
            first = {**first, **dict.fromkeys(asking, (guard, before))}
        return _Asked(first, guard.site, before)

    def asks_more(guard: Guard, before: Guard, attribute: str) -> bool:
        """Whether a condition asks for an attribute of which the one before asked only if it is given."""
        return if_given(before, attribute) and not if_given(guard, attribute)

    def if_given(guard: Guard, attribute: str) -> bool:
        return asks_presence(guard.test, attribute, dependence, of_groups=True)

    for event in events:
        first = along(event.guards, known, _Asked(), asked).first
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
    found = _join_continuations(list(drafts.values()), dependence)
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


def _join_continuations(drafts: list[_Draft], dependence: Dependence) -> list[_Draft]:
    """Joins branches that go on where an earlier one left the body (`if a: return 1`, `if b: return 2`), and
    those that change the same number for others.

    Cut-offs of a number that end alike stay apart, as each is a requirement of its own.
    """
    by_branch = {(id(draft.node), draft.attribute): draft for draft in drafts}
    left: dict[str, dict[Guards, Guard | None]] = {}
    ahead: dict[int, _Draft] = {}
    drafts = sorted(drafts, key=lambda draft: draft.start.span.start)
    for draft in drafts:
        before = _preceding_draft(draft, by_branch, left.setdefault(draft.attribute, {}), dependence)
        if before is not None and _first_branch(before, ahead) is not draft:
            ahead[id(draft)] = before
    chained: dict[int, list[_Draft]] = {}
    for draft in drafts:
        chained.setdefault(id(_first_branch(draft, ahead)), []).append(draft)
    kept: list[_Draft] = []
    for draft in drafts:
        chain = chained.get(id(draft), [])
        if not chain or (_is_for(draft) != "groups" and not chains.tell_apart(one.guarded for one in chain)):
            kept.extend(chain)
            continue
        for other in chain:
            if other is not draft:
                draft.take(other)
        kept.append(draft)
    return _same_number(sorted(kept, key=lambda draft: draft.start.span.start), dependence)


def _first_branch(draft: _Draft, ahead: Mapping[int, _Draft]) -> _Draft:
    """The first branch of the chain that a branch belongs to."""
    while (before := ahead.get(id(draft))) is not None:
        draft = before
    return draft


def _same_number(drafts: list[_Draft], dependence: Dependence) -> list[_Draft]:
    """Joins branches, one after another, that change the same number, the later ones for other people or in
    place of what the first has put there.
    """
    kept: list[_Draft] = []
    latest: dict[tuple[str, Guards, str], _Draft] = {}
    for draft in drafts:
        last = draft.guarded[-1] if draft.guarded else None
        key = (draft.attribute, draft.around, "" if last is None else last.target)
        before = latest.get(key) if isinstance(draft.node, If) else None
        if before is not None and any(
            joins(before.guarded, draft.guarded, draft.attribute, dependence)
            for joins in (chains.goes_on, chains.says_on)
        ):
            before.take(draft)
            continue
        kept.append(draft)
        if isinstance(draft.node, If) and last is not None:
            latest[key] = draft
    return kept


def _preceding_draft(
    draft: _Draft,
    by_branch: dict[tuple[int, str], _Draft],
    known: dict[Guards, Guard | None],
    dependence: Dependence,
) -> _Draft | None:
    """The draft of the first branch on the way that has left the body, if it is about the same: groups, or
    amounts by a limit.
    """
    if not draft.guarded or not (is_for := _is_for(draft)):
        return None

    def left(first: Guard | None, _way: Guards, guard: Guard) -> Guard | None:
        if first is not None or not guard.implied:
            return first
        before = by_branch.get((id(guard.site), draft.attribute))
        if before is None or not _is_for(before):
            return None
        return None if _turns_away(before, guard, dependence) else guard

    first = along(draft.guarded[0].guards, known, None, left)
    before = None if first is None else by_branch[id(first.site), draft.attribute]
    if before is None or before is draft or _is_for(before) != is_for:
        return None
    return before if is_for == "groups" or chains.is_of_one(before.guarded, draft.guarded) else None


def _is_for(draft: _Draft) -> str:
    """What a branch that others may go on from is about."""
    names_groups = _names_groups(draft.test, draft.attribute)
    if not names_groups or any(read.mention.form == "number" for read in draft.reads.values()):
        return chains.sort_of(draft.guarded) or ("groups" if names_groups else "")
    return "groups"


def _turns_away(before: _Draft, guard: Guard, dependence: Dependence) -> bool:
    """Whether a branch only turns away what cannot be rated, so that what follows tells the groups by itself.

    It raises an error, or is left by nobody whom it names: `if gender not in ("male", "female"): return 0`.
    """
    ends = (event.kind for event in before.guarded if event.kind in _ENDS)
    if next(ends, "") == "raise" and all(kind == "raise" for kind in ends):
        return True
    named = _named_values(guard.test, before.attribute, dependence)
    return len(named) > 1 and all(
        chains.holds_of(guard.test, one, before.attribute, dependence) is guard.holds for one in named
    )


def _named_values(test: Value, attribute: str, dependence: Dependence) -> list[Const]:
    """The known values that a test compares an attribute with."""
    return [
        one
        for part in walk(test)
        if isinstance(part, Operation)
        and part.op in {"==", "in"}
        and is_bare(part.arguments[0], attribute, dependence)
        for side in part.arguments[1:]
        for one in (side.items if isinstance(side, Sequence) else (side,))
        if isinstance(one, Const)
    ]


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


def _site_draft(
    drafts: dict[tuple[int, int, str, str], _Draft], attribute: str, place: Place, dependence: Dependence
) -> _Draft:
    """The draft of the site at `place`."""
    node, start, test = place
    key = (node.span.start, node.span.end, type(node).__name__, attribute)
    draft = drafts.get(key)
    if draft is None:
        draft = drafts[key] = _Draft(attribute, node, start, test, {id(node)})
    elif (was_presence := asks_presence(draft.test, attribute, dependence)) != asks_presence(
        test, attribute, dependence
    ):
        if was_presence:
            draft.start, draft.test = start, test
    elif start.span.start < draft.start.span.start and node.span.start <= start.span.start:
        draft.start, draft.test = start, test
    return draft


def _deciding_place(guard: Guard, attribute: str, dependence: Dependence) -> Place:
    """The branch that tells the groups apart, where a finding points, and the test.

    Mostly the guard's own branch. Where the guard only looks at a variable that an earlier branch or table
    has filled (`if approved:`), it is that branch.
    """
    if not dependence.is_read_within(guard.test, attribute, guard.node):
        source = _source_place(guard.test, attribute, dependence)
        if source is not None and not inside(source[0], guard.site) and not isinstance(source[2], Protected):
            is_branch = isinstance(source[0], If | Switch | Conditional)
            if is_branch or not asks_directly(guard.test, attribute, dependence):
                return source
    return guard.site, guard.site.subject if isinstance(guard.site, Switch) else guard.node, guard.test


def _origin_place(event: Event, attribute: str, dependence: Dependence) -> tuple[Node, Node, Value]:
    """The node inside `event.value` that tells the groups apart, where a finding points, and the test."""
    source = _source_place(event.value, attribute, dependence)
    if source is None:
        return event.node, event.node, event.value
    node, start, test = source
    is_term = isinstance(test, Operation) and not asks_directly(test, attribute, dependence)
    return node, event.node if is_term and event.kind in {"update", "assign"} else start, test


def _source_place(value: Value, attribute: str, dependence: Dependence) -> Place | None:
    """What inside `value` tells the groups apart: a branch or table that asks for the attribute itself.

    Of several it is the outermost. A branch that asks for something which depends on the attribute
    (`score > 3`) only passes on what another has decided, and is taken where there is nothing else.
    """
    if attribute not in dependence.attributes(value):
        return None
    found = next(filter(None, _outermost_sources(value, attribute, dependence)), None)
    return None if found is None else found[1]


def _outermost_sources(value: Value, attribute: str, dependence: Dependence) -> _Sources:
    """The sources in `value`, found once for each value that it is made of."""
    memo = dependence.memo
    stack = [value]
    while stack:
        current = stack[-1]
        key = (id(current), attribute)
        if key in memo:
            stack.pop()
            continue
        inner = [
            part
            for part in _told_in(current, attribute, dependence)
            if attribute in dependence.attributes(part)
        ]
        unknown = [part for part in inner if (id(part), attribute) not in memo]
        if unknown:
            stack.extend(unknown)
            continue
        below = [
            (cast("_Sources", memo[id(part), attribute]), _is_continuation(current, part)) for part in inner
        ]
        memo[key] = tuple(
            (0, own)
            if own is not None
            else _nearest_source([(sources[sort], same) for sources, same in below])
            for sort, own in enumerate(_own_sources(current, attribute, dependence))
        )
    return cast("_Sources", memo[id(value), attribute])


def _told_in(value: Value, attribute: str, dependence: Dependence) -> Iterable[Value]:
    """The parts of a value in which its sources are looked for: no test that asks if there is a value."""
    if isinstance(value, Choice) and is_told_behind(value, attribute, dependence):
        return (value.then, value.otherwise)
    return parts(value)


_Sources = tuple[tuple[int, Place] | None, ...]
"""Of a value, what asks for the attribute itself, a sum it takes part in, and what passes it on: each with
how deep it stands.
"""


def _is_continuation(joined: Value, part: Value) -> bool:
    """Whether a part is more of the same: `a and b and c` is made of two."""
    return isinstance(joined, Operation) and isinstance(part, Operation) and joined.op == part.op == "and"


def _nearest_source(found: list[tuple[tuple[int, Place] | None, bool]]) -> tuple[int, Place] | None:
    """The outermost source of one sort, the first of several, seen from one level above; what is more of the
    same stands on the same level.
    """
    known = [(source[0] + (not same), source[1]) for source, same in found if source is not None]
    return min(known, key=lambda source: source[0], default=None)


def _own_sources(
    part: Value, attribute: str, dependence: Dependence
) -> tuple[Place | None, Place | None, Place | None]:
    """What a value is itself: a source, a term of a sum or product, or a test of something that depends."""
    match part:
        case Operation() if asks_presence(part, attribute, dependence):
            return (None, None, None)
        case Choice() if is_told_behind(part, attribute, dependence):
            return (None, None, None)
        case Choice(test=test, node=node) if attribute in dependence.attributes(test):
            place = (node, _test_node(test) or node, test)
            return (place, None, None) if asks_directly(test, attribute, dependence) else (None, None, place)
        case Lookup(default=default) if default is RAISES:
            return (None, None, None)  # a member of an enumeration is the group itself, in another form
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


def _test_node(test: Value) -> Node | None:
    """The place where a test is written."""
    match test:
        case Operation(node=Switch(subject=subject)):
            return subject
        case Operation(node=node) | Choice(node=node) | Lookup(node=node) | Protected(node=node):
            return node
        case _:
            return None
