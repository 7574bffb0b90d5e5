"""Values of a column that a program cannot tell apart: one call does for all of a class."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from fairlint.counterfactual.population import Cell
from fairlint.counterfactual.questions import KIND_VIEWS, TEXT_TESTS, TEXT_VIEWS, Test
from fairlint.counterfactual.value_reads import Reads
from fairlint.syntax.text_methods import change_form

PLAIN_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?", re.ASCII)
"""Texts that every Python reads as the same number."""


def value_classes(reads: Reads, column: str, values: Sequence[Cell]) -> tuple[int, ...]:
    """Of each value, the place of the first value from which the program cannot tell it.

    Equal values of different types are told apart where the column is opaque: 1 and True print differently.
    """
    if reads.is_opaque(column):
        return _first_places(map(itself, values))
    tests = sorted(reads.tests.get(column, ()), key=repr)
    return _first_places(tuple(answer(test, value) for test in tests) for value in values)


def _first_places(keys: Iterable[Hashable]) -> tuple[int, ...]:
    first: dict[Hashable, int] = {}
    return tuple(first.setdefault(key, place) for place, key in enumerate(keys))


def itself(value: Cell) -> tuple[str, str]:
    """Return what tells a value from all others, also from equal ones of another type."""
    return type(value).__name__, repr(value)


class NoTwoAlike(Exception):  # noqa: N818 (nothing is wrong)
    """Two Pythons may answer differently about this value."""


def answer(test: Test, value: Cell) -> Hashable:
    """Return what a program learns of `value` by a test: the value itself where asking fails, as errors name
    it.
    """
    try:
        seen: Cell = value
        for view in test.views:
            seen = _apply_view(view, seen)
        return ANSWERS[test.op](seen, test.literals)
    except (ArithmeticError, AttributeError, LookupError, NoTwoAlike, TypeError, ValueError):
        return itself(value)


def _apply_view(view: str, value: Cell) -> Cell:
    if view in TEXT_VIEWS:
        return change_form(_plain_text(value), view)
    return CONVERSIONS[view](value)


def _plain_text(value: Cell) -> str:
    """Return a text of which every Python makes the same: how other scripts change case differs."""
    if not isinstance(value, str):
        raise TypeError
    if not value.isascii():
        raise NoTwoAlike
    return value


def _number_conversion(kind: Callable[[str | float], int | float]) -> Callable[[Cell], Cell]:
    def convert(value: Cell) -> Cell:
        if value is None:
            raise TypeError
        if isinstance(value, str) and not PLAIN_NUMBER.fullmatch(value):
            raise NoTwoAlike
        return kind(value)

    return convert


def _text_of_value(value: Cell) -> Cell:
    if isinstance(value, float):
        raise NoTwoAlike
    return str(value)


def _length_of_text(value: Cell) -> Cell:
    if not isinstance(value, str):
        raise TypeError
    return len(value)


def _absolute_value(value: Cell) -> Cell:
    if value is None or isinstance(value, str):
        raise TypeError
    return abs(value)


CONVERSIONS: Mapping[str, Callable[[Cell], Cell]] = {
    "int": _number_conversion(int), "float": _number_conversion(float),
    "str": _text_of_value, "len": _length_of_text, "abs": _absolute_value,
}  # fmt: skip


def _literal_place(value: Cell, literals: tuple[Cell, ...]) -> int:
    """Return the place of a key that is there."""
    return literals.index(value)  # ValueError where it is not: a KeyError of Python's names the value


def _is_within_text(value: Cell, literals: tuple[Cell, ...]) -> bool:
    (text,) = literals
    if not isinstance(value, str) or not isinstance(text, str):
        raise TypeError
    return value in text


def _has_substring(value: Cell, literals: tuple[Cell, ...]) -> bool:
    return _is_within_text(literals[0], (value,))


def _in_range(value: Cell, literals: tuple[Cell, ...]) -> bool:
    numbers = range(*(int(cell) for cell in literals if isinstance(cell, int)))
    if isinstance(value, float) and value.is_integer():
        return int(value) in numbers
    return isinstance(value, int) and value in numbers  # of others, Python would go through all numbers


def _has_prefix(value: Cell, literals: tuple[Cell, ...]) -> bool:
    return str(value).startswith(str(literals[0])) if _two_texts(value, literals) else False


def _has_suffix(value: Cell, literals: tuple[Cell, ...]) -> bool:
    return str(value).endswith(str(literals[0])) if _two_texts(value, literals) else False


def _two_texts(value: Cell, literals: tuple[Cell, ...]) -> bool:
    if not isinstance(value, str) or not isinstance(literals[0], str):
        raise TypeError
    return True


def _order_test(compare: Callable[[str, str], bool] | Callable[[float, float], bool]) -> _Answer:
    def asked(value: Cell, literals: tuple[Cell, ...]) -> Hashable:
        if value is None or literals[0] is None or isinstance(value, str) != isinstance(literals[0], str):
            raise TypeError
        return compare(value, literals[0])  # type: ignore[arg-type] # both are texts, or both are numbers

    return asked


_Answer = Callable[[Cell, tuple[Cell, ...]], Hashable]
ANSWERS: Mapping[str, _Answer] = {
    "made": lambda _value, _literals: None,
    "truth": lambda value, _literals: bool(value),
    "type": lambda value, _literals: type(value).__name__,
    "is": lambda value, literals: value is literals[0],
    "==": lambda value, literals: value == literals[0],
    "in": lambda value, literals: value in literals,
    "get": lambda value, literals: literals.index(value) if value in literals else None,
    "lookup": _literal_place,
    "within": _is_within_text,
    "has": _has_substring,
    "range": _in_range,
    "startswith": _has_prefix,
    "endswith": _has_suffix,
    "<": _order_test(lambda one, other: one < other),
    "<=": _order_test(lambda one, other: one <= other),
    ">": _order_test(lambda one, other: one > other),
    ">=": _order_test(lambda one, other: one >= other),
}

assert {*CONVERSIONS} == KIND_VIEWS
assert {*ANSWERS} >= TEXT_TESTS
