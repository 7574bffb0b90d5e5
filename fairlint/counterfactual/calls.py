"""Calls of a program through an executor, in batches: each outcome becomes a number.

Outcomes that can be compared are numbered from 0 in the order of their coming; all others are negative.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy

from fairlint.counterfactual.coded import Numbers
from fairlint.counterfactual.executors.executor import (
    Crashed,
    Executor,
    Failed,
    Limits,
    Outcome,
    Program,
    Value,
)
from fairlint.counterfactual.population import Cell

BATCH = 50_000
"""Calls of one batch."""
FRAME = 200_000
"""Rows of one data frame."""
PROBE = 64
"""Calls of a first batch, where there are many: what cannot run at all is found by them."""
FAILURES = 6
"""Batches that may fail of one program before the rest of its calls is given up."""
FOR_ALL = frozenset({"syntax", "definition", "missing", "unsupported"})
"""Why a batch fails whatever people it is for."""
NOT_CALLED = "not called"
"""What became of people of whom no call was made."""

People = list[tuple[Cell, ...]]


class Calls:
    """What was called of one program, and the outcomes that came."""

    def __init__(self, executor: Executor, limits: Limits) -> None:
        self.executor = executor
        self.limits = limits
        self.values: list[Value] = []
        self.numbers: dict[str, int] = {}
        self.others: list[str] = []
        """Why there is no value, of outcome number -1, -2, ..."""
        self.other_numbers: dict[str, int] = {}
        self.made = 0
        self.batches = 0
        self.failed: Failed | None = None
        self.failures = 0

    def number(self, outcome: Outcome) -> int:
        """Return the number of an outcome."""
        if isinstance(outcome, Value):
            known = self.numbers.get(outcome.text)
            if known is None:
                known = self.numbers[outcome.text] = len(self.values)
                self.values.append(outcome)
            return known
        return self.other(outcome.error if isinstance(outcome, Crashed) else f"no value: {outcome.type}")

    def other(self, reason: str) -> int:
        """Return the number of what is no outcome."""
        known = self.other_numbers.get(reason)
        if known is None:
            self.others.append(reason)
            known = self.other_numbers[reason] = -len(self.others)
        return known

    def reason(self, number: int) -> str:
        """Return what became of a call without an outcome."""
        return self.others[-number - 1]

    def outcomes(
        self, program: Program, count: int, own: Numbers, people: Callable[[Numbers], People]
    ) -> Numbers:
        """Return the outcomes of so many calls, of which `people` gives those that are asked for.

        `own` are those with people as they are. Where the first calls cannot be made at all, `failed` says
        why; where there are many and nobody as they are has an outcome, the others are not made: there would
        be nothing to compare with.
        """
        found = numpy.full(count, self.other(NOT_CALLED), dtype=numpy.int32)
        left = numpy.arange(count)
        if count > (FRAME if program.call.style == "frame" else BATCH // 10):
            probe = numpy.unique(numpy.linspace(0, count - 1, PROBE).astype(numpy.int64))
            self._all(program, probe, people, found)
            self._all(program, numpy.setdiff1d(own, probe), people, found)
            if not (found[own] >= 0).any():
                return found
            left = numpy.setdiff1d(left, numpy.union1d(own, probe), assume_unique=True)
        self._all(program, left, people, found)
        return found

    def _all(
        self, program: Program, chosen: Numbers, people: Callable[[Numbers], People], found: Numbers
    ) -> None:
        batch = FRAME if program.call.style == "frame" else BATCH
        for start in range(0, len(chosen), batch):
            if self.failed is None:
                self._call_batch(program, chosen[start : start + batch], people, found)

    def _call_batch(
        self, program: Program, chosen: Numbers, people: Callable[[Numbers], People], found: Numbers
    ) -> None:
        """Make some calls; where they fail together, each half by itself."""
        if self.failures >= FAILURES:
            return
        came = self._run(program, people(chosen))
        if not isinstance(came, Failed):
            found[chosen] = _number_outcomes(came, self.number)
            return
        self.failures += 1
        if came.cause in FOR_ALL or (not self.values and self._fails_alone(program, people(chosen[:1]))):
            self.failed = came
            return
        found[chosen] = self.other(came.cause)
        if len(chosen) > 1:
            middle = len(chosen) // 2
            self._call_batch(program, chosen[:middle], people, found)
            self._call_batch(program, chosen[middle:], people, found)

    def _fails_alone(self, program: Program, person: People) -> bool:
        """Return whether even one call comes to nothing: there is no use in waiting for others."""
        return isinstance(self._run(program, person), Failed)

    def _run(self, program: Program, people: Sequence[Sequence[Cell]]) -> tuple[Outcome, ...] | Failed:
        self.batches += 1
        self.made += len(people)
        return self.executor.run(program, people, self.limits)

    def once(self, program: Program, people: People) -> Numbers | None:
        """Return the outcomes of one more run, in batches that start afresh; None where some batch fails."""
        found: list[Numbers] = []
        for start in range(0, len(people), BATCH):
            came = self._run(program, people[start : start + BATCH])
            if isinstance(came, Failed):
                return None
            found.append(_number_outcomes(came, self.number))
        return numpy.concatenate(found) if found else numpy.zeros(0, dtype=numpy.int32)

    def unanswered(self, numbers: Numbers, weights: Numbers) -> dict[str, int]:
        """Return what became of people without an outcome → how many, the most frequent first."""
        counts: Counter[str] = Counter()
        for number, weight in zip(numbers.tolist(), weights.tolist(), strict=True):
            if number < 0:
                counts[self.reason(number)] += weight
        return dict(counts.most_common())


def _number_outcomes(outcomes: Sequence[Outcome], number: Callable[[Outcome], int]) -> Numbers:
    known: dict[int, int] = {}  # executors give equal outcomes as one object, whose number is known at once
    numbers = []
    for outcome in outcomes:
        found = known.get(id(outcome))
        if found is None:
            found = known[id(outcome)] = number(outcome)
        numbers.append(found)
    return numpy.array(numbers, dtype=numpy.int32)
