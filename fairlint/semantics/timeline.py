"""The events of a file by what they are asked for: the function they stand in, or what they change."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from operator import itemgetter

from fairlint.semantics.values import Event, Guard

_ENDS = frozenset({"return", "raise", "continue", "break"})


class _Places:
    """The events of one function that end something, found by where they stand."""

    def __init__(self, events: Iterable[Event]) -> None:
        self.events = sorted(events, key=lambda event: event.node.span.start)
        self.starts = [event.node.span.start for event in self.events]
        self.reach = list(accumulate([event.node.span.end for event in self.events], max))
        """How far the events up to each one reach."""

    def behind(self, offset: int) -> list[Event]:
        """Those that end behind an offset."""
        sure = bisect_left(self.starts, offset)
        around = self.events[bisect_right(self.reach, offset, hi=sure) : sure]
        return [*(event for event in around if event.node.span.end > offset), *self.events[sure:]]


def _runs_by_branch(events: Sequence[Event]) -> dict[int, list[tuple[int, int]]]:
    """A branch that left the body, by its identity -> from which event to which that is so.

    A guard stands at the end of one row of guards only, so that events share the rows they begin with.
    """
    found: dict[int, list[tuple[int, int]]] = {}
    begun: list[tuple[Guard, int]] = []
    for place in range(len(events) + 1):
        guards = events[place].guards if place < len(events) else ()
        common = min(len(begun), len(guards))
        while common and begun[common - 1][0] is not guards[common - 1]:
            common -= 1
        for guard, first in begun[common:]:
            if guard.implied:
                found.setdefault(id(guard.site), []).append((first, place))
        begun[common:] = [(guard, place) for guard in guards[common:]]
    return found


class Timeline:
    """The events of one file."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._order = {id(event): place for place, event in enumerate(events)}
        ends: dict[str, list[Event]] = {}
        self._changes: dict[str, list[Event]] = {}
        self._looped: dict[str, list[Event]] = {}
        for event in events:
            if event.kind in _ENDS:
                ends.setdefault(event.function, []).append(event)
            elif event.kind in {"update", "assign"}:
                self._changes.setdefault(event.target, []).append(event)
            if event.loop is not None:
                self._looped.setdefault(event.function, []).append(event)
        self._ends = {function: _Places(found) for function, found in ends.items()}
        self._left = _runs_by_branch(events)
        self._stretches: dict[frozenset[int], list[tuple[int, int]]] = {}

    def in_order(self, events: Iterable[Event]) -> list[Event]:
        """Events in the order in which they stand, and happen."""
        return sorted(events, key=lambda event: (event.node.span.start, self._order[id(event)]))

    def is_left_by(self, event: Event, branches: frozenset[int]) -> bool:
        """Whether an event happens only because one of some branches, by their identity, left the body."""
        place = self._order[id(event)]
        stretches = self._left_by(branches)
        at = bisect_right(stretches, place, key=itemgetter(0)) - 1
        return at >= 0 and place < stretches[at][1]

    def changes_left_by(self, target: str, branches: frozenset[int]) -> Iterator[Event]:
        """What gives a variable or field another value only because one of some branches left the body."""
        changes = self.changes(target)
        for first, last in self._left_by(branches):
            start = bisect_left(changes, first, key=self._place)
            yield from changes[start : bisect_left(changes, last, lo=start, key=self._place)]

    def _place(self, event: Event) -> int:
        return self._order[id(event)]

    def _left_by(self, branches: frozenset[int]) -> list[tuple[int, int]]:
        """The stretches of events that happen because one of some branches left the body, in order."""
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
        """What ends a walk through a function or a round of a loop in it, behind an offset."""
        places = self._ends.get(function)
        return [] if places is None else places.behind(offset)

    def changes(self, target: str) -> Sequence[Event]:
        """What gives a variable or field another value."""
        return self._changes.get(target, ())

    def looped(self, function: str) -> Sequence[Event]:
        """What happens in the loops of a function."""
        return self._looped.get(function, ())
