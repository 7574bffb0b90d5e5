"""Numbers as the language computes them: rounded, cut off, divided without a remainder."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from fairlint.semantics.values.lift import map_alternatives
from fairlint.semantics.values.symbolic import Choice, Const, Lookup, Scalar, Value

TYPE_CHECKING = False  # importing typing at run time takes long
if TYPE_CHECKING:
    from typing import TypeGuard

Number = int | float


def _half_to_even(value: Number) -> Number:
    return round(value)


def _half_away(value: Number) -> Number:
    return math.copysign(math.floor(abs(value) + 0.5), value)


FORMS: Mapping[str, Callable[[Number], Number]] = {
    "round": _half_to_even,
    "round away": _half_away,
    "ceil": math.ceil,
    "floor": math.floor,
    "trunc": math.trunc,
    "abs": abs,
    "floating": float,
}
"""What a function makes of a number: Python rounds a half to the even number, C away from 0."""
_LARGEST_DIGITS = 15


def in_form(form: str, value: Value, digits: int | None = None) -> Value:
    """Return each number that a value may be, in another form; what is not known stays as it is.

    `digits` is what Python's `round` is told to keep behind the point.
    """

    def one(end: Value) -> Value:
        if not isinstance(end, Const) or not is_number(end.value):
            return end
        return Const(_in_form(form, end.value, digits), end.label, end.node)

    return map_alternatives(value, one) if isinstance(value, Choice | Lookup) else one(value)


def _in_form(form: str, value: Number, digits: int | None) -> Number:
    if not math.isfinite(value):
        return value
    if form == "round" and digits is not None:
        return round(value, max(-_LARGEST_DIGITS, min(digits, _LARGEST_DIGITS)))
    return FORMS[form](value)


def is_number(value: Scalar) -> TypeGuard[Number]:
    """Return whether a constant is a number, and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def quotient(left: Value, right: Value) -> Const | None:
    """`5 / 2` of whole numbers in C: cut off towards 0. None where one is no whole number, or it is 0."""
    pair = _whole_operands(left, right)
    if pair is None:
        return None
    one, other = pair
    found = abs(one) // abs(other)
    return Const(found if (one < 0) == (other < 0) else -found)


def remainder(left: Value, right: Value) -> Const | None:
    """`-7 % 3` in C: with the sign of what is divided."""
    pair = _whole_operands(left, right)
    if pair is None:
        return None
    one, other = pair
    return Const(int(math.copysign(abs(one) % abs(other), one)))


def _whole_operands(left: Value, right: Value) -> tuple[int, int] | None:
    if not (isinstance(left, Const) and isinstance(right, Const)):
        return None
    one, other = left.value, right.value
    if (
        not (isinstance(one, int) and isinstance(other, int))
        or isinstance(one, bool)
        or isinstance(other, bool)
    ):
        return None
    return (one, other) if other else None
