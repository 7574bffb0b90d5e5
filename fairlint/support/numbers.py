"""Numbers as people read them: short, and different where they differ."""

from __future__ import annotations

from collections.abc import Iterable

DIGITS = 3
"""Digits of a number that are shown: after the point, or from the first one that is not 0."""
_MOST_DIGITS = 10


def format_number(value: float, digits: int = DIGITS) -> str:
    """Return a number as short as it reads well: 5, 0.1, 1.667, 1250000.

    It has more digits where it would look like a whole number that it is not: 1.0004.
    """
    if abs(value) < 1e15 and value == int(value):
        return str(int(value))
    for more in range(digits, _MOST_DIGITS):
        text = f"{value:.{more}g}" if abs(value) < 1 or abs(value) >= 1e15 else _with_decimals(value, more)
        if abs(value) >= 1e15 or not float(text).is_integer():
            return text
    return f"{value:.{_MOST_DIGITS}g}"


def _with_decimals(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".rstrip("0").removesuffix(".")


def digits_of(values: Iterable[float]) -> int:
    """In how many digits numbers that differ look different."""
    different = {format_number(value, _MOST_DIGITS): value for value in values}
    for digits in range(DIGITS, _MOST_DIGITS):
        if len({format_number(value, digits) for value in different.values()}) == len(different):
            return digits
    return _MOST_DIGITS
