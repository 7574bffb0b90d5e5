"""Sites: the places where code tells groups apart, each with the events that hang on it."""

from __future__ import annotations

from collections.abc import Mapping

from fairlint.semantics.groups.asking import asks_directly
from fairlint.semantics.groups.conditions import Condition, Conditions
from fairlint.semantics.groups.dependencies import Dependence
from fairlint.semantics.groups.value_sources import source_place
from fairlint.semantics.values.events import Event, Guard, Guards, along
from fairlint.semantics.values.symbolic import Choice, Protected, Value
from fairlint.semantics.values.traversal import parts
from fairlint.support.records import Record, field
from fairlint.syntax.tree import If, Node, Switch, inside

MOST_GATES = 40
"""Of so many conditions on the way to a site, those on its attribute are asked for."""


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
        """Return whether an event hangs on the site."""
        return id(event) in self.own

    @property
    def way(self) -> tuple[Node, ...]:
        """The calls that led to the site, of whose walk its events are."""
        return tuple([call for call in self.events[0].way if not inside(call, self.node)])

    def in_function(self, function: str) -> list[Event]:
        """Return its events in one function."""
        if not self.by_function:
            for event in self.events:
                self.by_function.setdefault(event.function, []).append(event)
        return self.by_function.get(function, [])

    def conditions(self, event: Event) -> Conditions:
        """Return what has to hold for an event to happen; what another site makes of the attribute is told
        there.
        """
        if not self.known:
            self.known[self.around] = Conditions()
        return along(event.guards, self.known, Conditions(is_beside=bool(self.around)), self._add_condition)

    def _add_condition(self, before: Conditions, way: Guards, guard: Guard) -> Conditions:
        """Return the conditions on a way, and the one that it ends in, unless it goes without saying."""
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
        """Return whether a condition holds for whoever gets to the site."""
        if not self.keys_around:
            self.keys_around.update(guard_key(one) for one in self.around)
        return guard_key(guard) in self.keys_around

    def gates_on(self) -> list[Guard]:
        """Return the conditions around the site that ask for its attribute, without which nobody
        gets there.
        """
        if self.attribute not in self.gates:
            around = self.around.latest(MOST_GATES)
            own = [one for one in around if self.asks(one.test) and not inside(one.site, self.node)]
            self.gates[self.attribute] = own
        return self.gates[self.attribute]

    def asks(self, test: Value) -> bool:
        """Return whether a test depends on the site's attribute."""
        return self.attribute in self.dependence.attributes(test)

    def passes_on(self, test: Value) -> bool:
        """Return whether a test only hands on what another site has made of the attribute (`chance
        > 0.6`).
        """
        if not self.asks(test) or asks_directly(test, self.attribute, self.dependence):
            return False
        if self.dependence.is_read_within(test, self.attribute, self.start):
            return False  # `if is_listed(person.gender)`, whatever branches that function has
        source = source_place(test, self.attribute, self.dependence)
        if source is None or id(source.node) in self.branches or inside(source.node, self.node):
            return False
        return isinstance(source.node, If | Switch) and not inside(self.node, source.node)

    def has_branch_elsewhere(self, value: Value) -> bool:
        """Return whether a value of one of the events holds a branch that belongs to another site."""
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
        """Return whether a branch belongs to another site of the attribute, which does not stand inside this
        one.
        """
        home = self.deciding.get(id(branch))
        return home is not None and id(branch) not in self.branches and not inside(home, self.node)


def guard_key(guard: Guard) -> tuple[int, bool]:
    """Return two guards are the same if they test the same value for the same answer."""
    return (id(guard.test), guard.holds)
