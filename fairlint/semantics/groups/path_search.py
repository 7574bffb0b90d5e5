"""Worlds in which something happens: the answers for which all conditions on the way to it hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Protocol

from fairlint.semantics.groups.group_terms import SCALE
from fairlint.semantics.groups.specialization import Specialization
from fairlint.semantics.groups.valuations import Answer, Questions
from fairlint.semantics.values.symbolic import Value
from fairlint.support.records import Record, field
from fairlint.syntax.tree import Node

PathCondition = tuple[tuple[Value | Node, bool], ...]
"""What has to hold for something to happen: tests, and branches that are told about elsewhere."""
Who = tuple[str, float | None]
"""A group, and a number where the attribute is one."""

MOST_WAYS = 8
"""How many ways get a world each."""

MOST_LOOKED_AT = 16
"""How many ways are looked at for them."""

MOST_GROUPS = 8
"""How many groups are tried on one."""

MOST_OPTIONS = 8
"""Answers to one question that are tried, so that a condition holds."""

MOST_TRIES = 200
"""Changes that are tried on one way, for all groups together."""


class Asked(Protocol):
    """What has been asked of the worlds of a comparison."""

    questions: Questions

    @property
    def first(self) -> Mapping[Who, Specialization]:
        """Each group in the first world in which it was asked."""

    def hypothesis(self, who: Who, world: Mapping[str, Answer]) -> Specialization:
        """Return a group in a world."""


def on_the_ways(asked: Asked, ways: Iterable[PathCondition]) -> Iterator[Mapping[str, Answer]]:
    """Worlds in which some group gets along a way."""
    given: list[Mapping[str, Answer]] = []
    for way in islice(_distinct_ways(ways), MOST_LOOKED_AT):
        tries = MOST_TRIES
        for who in list(islice(asked.first, MOST_GROUPS)):
            walk = _Walk(asked, who, tries)
            if all(walk.makes_hold(condition, holds) for condition, holds in way):
                if walk.answers not in given:
                    given.append(walk.answers)
                    yield walk.answers
                break
            tries = walk.tries
        if len(given) == MOST_WAYS:
            return


def _distinct_ways(ways: Iterable[PathCondition]) -> Iterator[PathCondition]:
    """Yield each way once, none looked at before it is asked for."""
    seen: set[PathCondition] = set()
    for way in ways:
        if way not in seen:
            seen.add(way)
            yield way


class _Walk(Record, frozen=False):
    """One group on the way to something, and what has to be so for it to get there."""

    asked: Asked
    who: Who
    tries: int
    """Changes of the answers that may still be tried."""
    answers: dict[str, Answer] = field(default_factory=dict)
    here: Specialization | None = None

    def makes_hold(self, condition: Value | Node, holds: bool) -> bool:
        """Return whether a condition holds, once answers are changed.

        A change helps that makes it hold, or after which more is asked: in `a and b`, that `a` holds. What
        was asked last decided, and is changed first.
        """
        held, used = self._holds(condition)
        while held != holds:
            for name, bit in reversed([*self.asked.questions.bits.items()]) if used else ():
                if (
                    used & bit
                    and SCALE not in name
                    and (found := self._flip_answer(name, condition, holds, used))
                ):
                    held, used = found
                    break
            else:
                return False
        return True

    def _flip_answer(
        self, name: str, condition: Value | Node, holds: bool, used: int
    ) -> tuple[bool, int] | None:
        """Give a question the answer that helps, if there is one."""
        options = [*self.asked.questions.options[name]][:MOST_OPTIONS]
        before = dict(self.answers)
        for option in [*options, "\0"] if name.endswith(" ==") else options:
            if self.tries <= 0:
                break
            self.tries -= 1
            self.answers[name], self.here = option, None
            held, now_used = self._holds(condition)
            if held == holds or now_used & ~used:
                return held, used | now_used
        self.answers, self.here = before, None
        return None

    def _holds(self, condition: Value | Node) -> tuple[bool, int]:
        """Return whether a condition holds with the answers so far, and which questions were asked for it."""
        if self.here is None:
            self.here = self.asked.hypothesis(self.who, dict(self.answers))
        self.here.world.used = 0
        return self.here.holds(condition), self.here.world.used
