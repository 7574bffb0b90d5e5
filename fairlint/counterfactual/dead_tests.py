"""Values that a program asks for and that nobody in the data has."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from itertools import islice

from fairlint.counterfactual.measured import DeadTest
from fairlint.counterfactual.population import Cell
from fairlint.counterfactual.questions import Test
from fairlint.counterfactual.value_classes import answer
from fairlint.counterfactual.value_reads import Reads

ASKED = 2_000
"""Literals of a column that are looked at: no person writes more."""
TOLD = 50
"""Dead tests of a column that are told."""
EXTRA = 32
"""Values of dead tests that people are given."""
BY_VALUE = frozenset({"==", "in", "get", "lookup"})
"""Questions for a value itself, not for what lies below or above it."""


def dead_tests(reads: Reads, column: str, values: Sequence[Cell]) -> tuple[DeadTest, ...]:
    """Return what the program asks a column for, where no value of the data gives that answer."""
    tests = [test for test in sorted(reads.tests.get(column, ()), key=_sort_key) if test.op in BY_VALUE]
    asked = dict.fromkeys((test.views, literal) for test in tests for literal in test.literals)
    dead = (
        (views, literal)
        for views, literal in islice(asked, ASKED)
        if literal is not None and not any(_is_literal_of_value(views, literal, value) for value in values)
    )
    return tuple(DeadTest(literal, views, nearest(literal, values)) for views, literal in islice(dead, TOLD))


def _sort_key(test: Test) -> tuple[tuple[str, ...], str, str]:
    return test.views, test.op, repr(test.literals)


def _is_literal_of_value(views: tuple[str, ...], literal: Cell, value: Cell) -> bool:
    return answer(Test(views, "==", (literal,)), value) is True


def extra_values(dead: Sequence[DeadTest]) -> tuple[Cell, ...]:
    """Return values that a person could have and that the dead tests ask for."""
    asked = (one.value for one in dead if _is_literal_of_value(one.views, one.value, one.value))
    return tuple(dict.fromkeys(asked))[:EXTRA]


def nearest(value: Cell, values: Sequence[Cell]) -> Cell:
    """Return the value that is spelt most like this one, or the nearest number; None where none is."""
    if isinstance(value, int | float):
        numbers = [one for one in values if isinstance(one, int | float)]
        return min(numbers, key=lambda one: abs(one - value), default=None)
    spelt = {str(one).casefold(): one for one in reversed(values) if one is not None}
    close = get_close_matches(str(value).casefold(), list(spelt), n=1, cutoff=0.5)
    return spelt[close[0]] if close else None
