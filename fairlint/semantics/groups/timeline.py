"""The events of a file by what they are asked for: the function they stand in, or what they change."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from operator import is_, itemgetter

from fairlint.semantics.values.events import ANYWHERE, Event, Guard, Guards
from fairlint.syntax.tree import Node, inside

_ENDS = frozenset({"return", "raise", "continue", "break"})
_ACTS = frozenset({"call", "append", "assign", "update"})


class _Places:
    """The events of one function that end something, found by where they stand."""

    def __init__(self, events: Iterable[Event]) -> None:
        self.events = sorted(events, key=lambda event: event.node.span.start)
        self.starts = [event.node.span.start for event in self.events]
        self.reach = list(accumulate([event.node.span.end for event in self.events], max))
        """How far the events up to each one reach."""

    def behind(self, offset: int) -> list[Event]:
        """Return those that end behind an offset."""
        sure = bisect_left(self.starts, offset)
        around = self.events[bisect_right(self.reach, offset, hi=sure) : sure]
        return [*(event for event in around if event.node.span.end > offset), *self.events[sure:]]


def _runs_by_branch(events: Sequence[Event]) -> dict[int, list[tuple[int, int]]]:
    """Return a branch that left the body, by its identity -> from which event to which that is so.

    Ways go on from one another, so that those of events that follow one another begin with the same ones.
    """
    found: dict[int, list[tuple[int, int]]] = {}
    begun: list[tuple[Guards, Guard, int]] = []
    for place in range(len(events) + 1):
        fresh: list[tuple[Guards, Guard]] = []
        guards = events[place].guards if place < len(events) else ANYWHERE
        for way, guard in guards.links():
            if len(way) <= len(begun) and begun[len(way) - 1][0] is way:
                break
            fresh.append((way, guard))
        common = len(guards) - len(fresh)
        for _, guard, first in begun[common:]:
            if guard.implied:
                found.setdefault(id(guard.site), []).append((first, place))
        begun[common:] = [(way, guard, place) for way, guard in reversed(fresh)]
    return found


def _event_start(event: Event) -> int:
    return event.node.span.start


class Timeline:
    """The events of one file."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._order = {id(event): place for place, event in enumerate(events)}
        ends: dict[str, list[Event]] = {}
        self._changes: dict[str, list[Event]] = {}
        self._changes_in: dict[tuple[str, str], list[Event]] = {}
        self._looped: dict[str, list[Event]] = {}
        self._acts = [event for event in events if event.kind in _ACTS]
        for event in events:
            if event.kind in _ENDS:
                ends.setdefault(event.function, []).append(event)
            elif event.kind in {"update", "assign"}:
                self._changes.setdefault(event.target, []).append(event)
                self._changes_in.setdefault((event.target, event.function), []).append(event)
            if event.loop is not None:
                self._looped.setdefault(event.function, []).append(event)
        for changes in self._changes_in.values():
            changes.sort(key=_event_start)
        self._ends = {function: _Places(found) for function, found in ends.items()}
        self._left = _runs_by_branch(events)
        self._stretches: dict[frozenset[int], list[tuple[int, int]]] = {}

    def in_order(self, events: Iterable[Event], depth: int = sys.maxsize) -> list[Event]:
        """Return events in the order in which they stand, and happen.

        What a function does that is called stands where it is called, for events that `depth` calls led to.
        """

        def place(event: Event) -> tuple[int, int]:
            node = event.way[depth] if len(event.way) > depth else event.node
            return (node.span.start, self._order[id(event)])

        return sorted(events, key=place)

    def is_left_by(self, event: Event, branches: frozenset[int]) -> bool:
        """Return whether an event happens only because one of some branches, by their identity, left the
        body.
        """
        place = self._order[id(event)]
        stretches = self._left_by(branches)
        at = bisect_right(stretches, place, key=itemgetter(0)) - 1
        return at >= 0 and place < stretches[at][1]

    def changes_left_by(self, target: str, branches: frozenset[int]) -> Iterator[Event]:
        """Yield what gives a variable or field another value only because one of some branches left
        the body.
        """
        yield from self._events_within(self.changes(target), branches)

    def acts_left_by(
        self, branches: frozenset[int], way: Sequence[Node], home: Node | None
    ) -> Iterator[Event]:
        """Yield what is called, kept and changed only because one of some branches left the body of `home`.

        `way` are the calls that led there: what is called from elsewhere, too, is walked through again.
        """
        for event in self._events_within(self._acts, branches):
            depth = len(way)
            if len(event.way) >= depth and all(map(is_, event.way, way)):
                further = event.way[depth : depth + 1]
                if home is None or not further or inside(further[0], home):
                    yield event

    def _events_within(self, events: Sequence[Event], branches: frozenset[int]) -> Iterator[Event]:
        for first, last in self._left_by(branches):
            start = bisect_left(events, first, key=self._event_order)
            yield from events[start : bisect_left(events, last, lo=start, key=self._event_order)]

    def _event_order(self, event: Event) -> int:
        return self._order[id(event)]

    def _left_by(self, branches: frozenset[int]) -> list[tuple[int, int]]:
        """Return the stretches of events that happen because one of some branches left the body, in order."""
        known = self._stretches.get(branches)
        if known is None:
            known = self._stretches[branches] = []
            for first, last in sorted(run for branch in branches for run in self._left.get(branch, ())):
                if known and first <= known[-1][1]:
                    known[-1] = known[-1][0], max(last, known[-1][1])
                else:
                    known.append((first, last))
        return known

    def ends(self, function: str, offset: int) -> list[Event]:
        """Return what ends a walk through a function or a round of a loop in it, behind an offset."""
        places = self._ends.get(function)
        return [] if places is None else places.behind(offset)

    def changes(self, target: str) -> Sequence[Event]:
        """Return what gives a variable or field another value."""
        return self._changes.get(target, ())

    def change_before(self, target: str, function: str, offset: int) -> Event | None:
        """Return the last change of a variable or field in a function that begins before an offset."""
        changes = self._changes_in.get((target, function), [])
        place = bisect_left(changes, offset, key=_event_start) - 1
        return (
            None
            if place < 0
            else changes[bisect_left(changes, _event_start(changes[place]), key=_event_start)]
        )

    def change_behind(self, target: str, function: str, offset: int) -> Event | None:
        """Return the first change of a variable or field in a function that begins behind an offset."""
        changes = self._changes_in.get((target, function), [])
        place = bisect_left(changes, offset, key=_event_start)
        return None if place == len(changes) else changes[place]

    def looped(self, function: str) -> Sequence[Event]:
        """Return what happens in the loops of a function."""
        return self._looped.get(function, ())
