"""Guards and events: what happens in a function, and what has to hold on the way to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Literal

from fairlint.semantics.values.symbolic import Value
from fairlint.semantics.values.traversal import Found
from fairlint.support.records import Record
from fairlint.syntax.tree import Node

EventKind = Literal[
    "update", "assign", "return", "raise", "continue", "break", "call", "append", "filter", "rank", "read",
    "learn",
]  # fmt: skip


class Guard(Record, eq=False):
    """One condition on the way to an event: `test` must be `holds`.

    `site` is the branch it belongs to (the first If of a chain, the Switch), `node` the test's own node. An
    implied guard is what an earlier branch left behind by leaving the body: after `if a: return`, `a` is
    false.
    """

    test: Value
    holds: bool
    site: Node
    node: Node
    implied: bool = False


class Guards(Record, eq=False):
    """The conditions on the way to an event, the outermost first.

    A way holds its last condition and the way that it goes on from, which it shares with all others that do.
    So a thousand conditions take a thousand ways, and what is asked of each is asked once (`along`).
    """

    outer: Guards | None = None
    last: Guard | None = None
    count: int = 0

    def under(self, *guards: Guard) -> Guards:
        """Return this way, and some conditions more."""
        way = self
        for guard in guards:
            way = Guards(way, guard, way.count + 1)
        return way

    def links(self) -> Iterator[tuple[Guards, Guard]]:
        """Yield each condition with the way up to it, the last one first."""
        way: Guards | None = self
        while way is not None and way.last is not None:
            yield way, way.last
            way = way.outer

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Guard]:
        return iter([guard for _, guard in self.links()][::-1])

    def latest(self, most: int) -> list[Guard]:
        """Return the last conditions, so many at most."""
        return [guard for _, guard in islice(self.links(), most)][::-1]


ANYWHERE = Guards()
"""The way to what happens in any case."""


def along(
    guards: Guards, known: dict[Guards, Found], begun: Found, step: Callable[[Found, Guards, Guard], Found]
) -> Found:
    """Return what `step` makes of the conditions of a way one after another; `known` keeps it for
    every way.
    """
    passed: list[tuple[Guards, Guard]] = []
    found = begun
    for way, guard in guards.links():
        if way in known:
            found = known[way]
            break
        passed.append((way, guard))
    for way, guard in reversed(passed):
        found = known[way] = step(found, way, guard)
    return found


def fresh(guards: Guards, seen: set[Guards]) -> list[Guard]:
    """Return the conditions of a way that no other of those `seen` has; it joins them."""
    passed: list[Guard] = []
    for way, guard in guards.links():
        if way in seen:
            break
        seen.add(way)
        passed.append(guard)
    return passed[::-1]


def guards_of(events: Iterable[Event]) -> list[Guard]:
    """Return the conditions on the ways to some events, each once, in the order in which they are met."""
    seen: set[Guards] = set()
    return [guard for event in events for guard in fresh(event.guards, seen)]


class Event(Record, eq=False):
    """Something that happens in a function, under guards.

    `update`: `target` becomes `value`, which refers to OLD. `assign`: `target` becomes `value`. `return`:
    `value` is returned. `raise`: `value` is raised. `call`: `target` is called, `value` is a Sequence of
    the arguments.
    `append`: `value` joins the collection `target`. `filter`: people are kept by `value`, into `target`.
    `rank`: the first of people sorted by `value` are taken. `learn`: a model is given `value`, as what
    `target` says: its `features`, `label`, `weight` or `rows`.
    """

    kind: EventKind
    node: Node
    value: Value
    guards: Guards
    target: str = ""
    function: str = ""
    loop: Node | None = None
    run: int = 0
    """The walk through the function: what is called twice happens in two runs."""
    by_name: bool = False
    """Whether only the bare name of what is called says so: nothing tells whose method or function it is."""
    way: tuple[Node, ...] = ()
    """The calls of the file's own functions that led here, outermost first."""
