"""Which lines of two texts are the same, in a time that hangs on their length and nothing else.

What is told as the same is the same, in the same order: of that the result can be sure. How few lines are
told as different is a matter of taste, and of how long one looks. Lines that occur once in both texts are
looked for first, as in a patience diff; what is between them is compared by Myers' way, as far as the steps
last. `difflib` may take the square of a text's length and more.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

STEPS = 5_000_000
"""Comparisons for two texts; what is not compared then counts as different."""
MOST_EDITS = 1_000
"""Lines that come or go between two that occur once; where there are more, all of them count as different."""
END = re.compile(rb"\r\n|\n|\r")
"""What ends a line, as in `Source`."""


class Same(NamedTuple):
    """A stretch of lines that both texts have: where it begins in the old and in the new one, from 0."""

    old: int
    new: int
    length: int


def lines(text: bytes) -> list[bytes]:
    """Return the lines of a text without what ends them; behind a last end there is an empty one."""
    return END.split(text)


def same(old: Sequence[bytes], new: Sequence[bytes]) -> list[Same]:
    """Return the stretches of lines that are the same, in their order in both; none overlaps or touches
    another.
    """
    numbers: dict[bytes, int] = {}
    before = [numbers.setdefault(line, len(numbers)) for line in old]
    after = [numbers.setdefault(line, len(numbers)) for line in new]
    found = sorted(one for one in _Comparison(before, after).stretches() if one.length)
    joined: list[Same] = []
    for one in found:
        last = joined[-1] if joined else None
        if last and (last.old + last.length, last.new + last.length) == (one.old, one.new):
            joined[-1] = last._replace(length=last.length + one.length)
        else:
            joined.append(one)
    return joined


def different(old: Sequence[bytes], new: Sequence[bytes]) -> list[range]:
    """Return the lines of the new text, from 1, that are new; where lines only went, those beside the gap."""
    found: list[range] = []
    before = after = 0
    for one in (*same(old, new), Same(len(old), len(new), 0)):
        if after < one.new:
            found.append(range(after + 1, one.new + 1))
        elif before < one.old:
            found.append(range(after, after + 2))
        before, after = one.old + one.length, one.new + one.length
    return found


class _Stretch(NamedTuple):
    """Lines of the old text and of the new one that are yet to be compared."""

    old: int
    old_end: int
    new: int
    new_end: int


class _Comparison:
    def __init__(self, old: Sequence[int], new: Sequence[int]) -> None:
        self._old = old
        self._new = new
        self._left = STEPS

    def stretches(self) -> Iterator[Same]:
        """Yield what is the same, in any order."""
        waiting = [_Stretch(0, len(self._old), 0, len(self._new))]
        while waiting:
            one = waiting.pop()
            before, after = self._common_edges(one)
            yield Same(one.old, one.new, before)
            yield Same(one.old_end - after, one.new_end - after, after)
            inner = _Stretch(one.old + before, one.old_end - after, one.new + before, one.new_end - after)
            if inner.old == inner.old_end or inner.new == inner.new_end or self._left <= 0:
                continue
            anchors = self._anchor_lines(inner)
            if not anchors:
                yield from self._shortest_edits(inner)
                continue
            old, new = inner.old, inner.new
            for place in (*anchors, Same(inner.old_end, inner.new_end, 0)):
                waiting.append(_Stretch(old, place.old, new, place.new))
                yield place
                old, new = place.old + 1, place.new + 1

    def _common_edges(self, one: _Stretch) -> tuple[int, int]:
        """Return how many lines are the same at the beginning, and how many of the others at the end."""
        old, new = self._old, self._new
        most = min(one.old_end - one.old, one.new_end - one.new)
        before = 0
        while before < most and old[one.old + before] == new[one.new + before]:
            before += 1
        after = 0
        while after < most - before and old[one.old_end - 1 - after] == new[one.new_end - 1 - after]:
            after += 1
        self._left -= before + after + 1
        return before, after

    def _anchor_lines(self, one: _Stretch) -> list[Same]:
        """Return lines that occur once in both, as many as are in the same order."""
        old, new = self._old[one.old : one.old_end], self._new[one.new : one.new_end]
        self._left -= len(old) + len(new)
        counted = Counter(old)
        places = {line: place for place, line in enumerate(old) if counted[line] == 1}
        among = Counter(new)
        pairs = [(places[line], at) for at, line in enumerate(new) if among[line] == 1 and line in places]
        ends: list[int] = []
        chains: list[int] = []
        behind: list[int] = []
        for number, (place, _) in enumerate(pairs):
            at = bisect_left(ends, place)
            behind.append(chains[at - 1] if at else -1)
            ends[at : at + 1] = [place]
            chains[at : at + 1] = [number]
        found: list[Same] = []
        number = chains[-1] if chains else -1
        while number >= 0:
            found.append(Same(one.old + pairs[number][0], one.new + pairs[number][1], 1))
            number = behind[number]
        return found[::-1]

    def _shortest_edits(self, one: _Stretch) -> Iterator[Same]:
        """Yield what is the same by the fewest edits; nothing where they are too many."""
        old, new = self._old[one.old : one.old_end], self._new[one.new : one.new_end]
        rounds: list[dict[int, int]] = []
        furthest = {1: 0}
        for edits in range(min(MOST_EDITS, len(old) + len(new)) + 1):
            rounds.append(dict(furthest))
            for shift in range(-edits, edits + 1, 2):
                goes_down = shift == -edits or (shift != edits and furthest[shift - 1] < furthest[shift + 1])
                at = begun = furthest[shift + 1] if goes_down else furthest[shift - 1] + 1
                while at < len(old) and at - shift < len(new) and old[at] == new[at - shift]:
                    at += 1
                furthest[shift] = at
                self._left -= at - begun + 1
                if at >= len(old) and at - shift >= len(new):
                    yield from self._trace_back(one, rounds)
                    return
            if self._left <= 0:
                return

    @staticmethod
    def _trace_back(one: _Stretch, rounds: Sequence[dict[int, int]]) -> Iterator[Same]:
        """Yield the way back from the end, which is the last of the rounds."""
        old, new = one.old_end - one.old, one.new_end - one.new
        for edits in range(len(rounds) - 1, -1, -1):
            known, shift = rounds[edits], old - new
            goes_down = shift == -edits or (shift != edits and known[shift - 1] < known[shift + 1])
            before = shift + 1 if goes_down else shift - 1
            at = known[before] + (0 if goes_down else 1) if edits else 0
            if old > at:
                yield Same(one.old + at, one.new + at - shift, old - at)
            old, new = (at, at - shift - 1) if goes_down else (at - 1, at - shift)
