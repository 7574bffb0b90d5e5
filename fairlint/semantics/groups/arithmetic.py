"""Sums, products, powers and bits of amounts under a hypothesis about the group."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from fairlint.semantics.groups.group_terms import SCALE, TABLE
from fairlint.semantics.groups.results import (
    AttributeNumber,
    AttributeValue,
    LinearSum,
    Result,
    Unknown,
    is_scale,
)
from fairlint.semantics.values import amounts
from fairlint.semantics.values.amounts import Amount
from fairlint.semantics.values.symbolic import Const, Protected, Value

if TYPE_CHECKING:
    from fairlint.semantics.groups.specialization import Specialization


POWERS = 20.0
"""So many powers of e apart the factors are that are told of an unknown power."""
HIGHEST_POWER = 300.0
"""A higher power of e is no known number."""


def bits_of_code(hypothesis: Specialization, op: str, arguments: tuple[Value, ...]) -> Amount | None:
    """Return what the bits of a group's number and of another one come to: `p->kind ^ OTHER`."""
    kinds = {type(one) for one in arguments}
    if len(arguments) != 2 or kinds != {Protected, Const}:
        return None
    left, right = (amounts.known_number(hypothesis.amount(one)) for one in arguments)
    return None if left is None or right is None else _joined_bits(op, left, right)


def amount_of_result(hypothesis: Specialization, result: Result) -> Amount:
    """Return the amount that a result is."""
    match result:
        case LinearSum(amount=amount):
            return amount
        case Const(value=bool() | int() | float() as plain):
            return amounts.number(plain)
        case AttributeValue() if (code := hypothesis.naming.code_of(hypothesis.group)) is not None:
            return amounts.number(code)
        case AttributeValue() | AttributeNumber():
            return amounts.unknown(f"{SCALE}{hypothesis.naming.attribute.name}")
        case _:
            return amounts.unknown(hypothesis.key(result))


def result_of_arithmetic(hypothesis: Specialization, op: str, arguments: list[Result]) -> Result:
    """Return what an operator makes of results."""
    parts = [amount_of_result(hypothesis, argument) for argument in arguments]
    result: Amount | None = None
    match op, parts:
        case "+", [left, right]:
            result = amounts.add(left, right)
        case "-", [left, right]:
            result = amounts.add(left, amounts.scale(right, -1.0))
        case "neg", [only]:
            result = amounts.scale(only, -1.0)
        case "*", [left, right]:
            result = amounts.multiply(left, right)
        case "/", [left, right]:
            divisor = amounts.known_number(right)
            result = amounts.scale(left, 1.0 / divisor) if divisor else None
        case "trunc", [only]:
            result = _whole_part(only)
        case (("min" | "max"), _):
            result = _clamp_amounts(op, parts, by_bounds=hypothesis.naming.by_bounds)
        case _:
            result = _power_amount(hypothesis, op, parts)
    if result is not None:
        return LinearSum(result)
    keys = [hypothesis.key(LinearSum(part)) for part in parts]
    marked = [part for amount in parts for product in amount for part in product if SCALE in part]
    mark = "" if not marked else SCALE if any(is_scale(part) for part in marked) else SCALE + TABLE
    return Unknown(hypothesis.naming.short(f"{mark}{op}({', '.join(keys)})"))


def _power_amount(hypothesis: Specialization, op: str, parts: list[Amount]) -> Amount | None:
    """Return a power, or what another operator makes of known numbers."""
    plain = [amounts.known_number(part) for part in parts]
    known = [part for part in plain if part is not None]
    match op, plain:
        case "exp", [_]:
            return _exponential_amount(hypothesis, math.e, parts[0])
        case "**", [float() as base, None]:
            return _exponential_amount(hypothesis, base, parts[1])
        case _:
            return _apply_operator(op, known) if len(known) == len(parts) else None


def _exponential_amount(hypothesis: Specialization, base: float, exponent: Amount) -> Amount | None:
    """Return a known number to a power: what is known of the exponent is a factor, `exp(x - 0.15)` of
    `exp(x)`.

    The factor is kept within twenty powers of e, so that none gets lost beside the unknown rest.
    """
    rest = {product: factor for product, factor in exponent.items() if product}
    if base <= 0 or any(SCALE in part for product in rest for part in product):
        return None
    power = exponent.get((), 0.0) * math.log(base)
    if not rest:
        return amounts.number(math.exp(power)) if abs(power) < HIGHEST_POWER else None
    whole = math.floor(power / POWERS) * POWERS
    name = f"exp({whole:g} + {math.log(base):g}·({hypothesis.key(LinearSum(rest))}))"
    return amounts.scale(amounts.unknown(hypothesis.naming.short(name)), math.exp(power - whole))


def _clamp_amounts(op: str, parts: list[Amount], *, by_bounds: bool) -> Amount | None:
    """`max(0, score - 5)`: known numbers are compared, and a known bound on something unknown is ignored.

    With `by_bounds`, there is no such sum.
    """
    plain = [amounts.known_number(part) for part in parts]
    open_parts = [part for part, value in zip(parts, plain, strict=True) if value is None]
    known = [value for value in plain if value is not None]
    if not open_parts:
        return amounts.number(min(known) if op == "min" else max(known))
    return open_parts[0] if len(open_parts) == 1 and not (by_bounds and known) else None


def _whole_part(amount: Amount) -> Amount | None:
    """Return what a whole number keeps of a sum; of a score that is one itself, what is added to it without
    the fraction. None where nobody knows.
    """
    rest = amount.get((), 0.0)
    if rest == round(rest):
        return amount
    unknown = {key: factor for key, factor in amount.items() if key}
    if not unknown:
        return amounts.number(math.trunc(rest))
    is_whole = set(unknown) == {(amounts.OLD_KEY,)} and all(one == round(one) for one in unknown.values())
    return amounts.add(unknown, amounts.number(math.floor(rest))) if is_whole else None


def _apply_operator(op: str, numbers: Iterable[float]) -> Amount | None:
    """Whole-number and power operators on known numbers."""
    values = list(numbers)
    if len(values) != 2:
        return None
    left, right = values
    try:
        match op:
            case "//":
                return amounts.number(left // right)
            case "%":
                return amounts.number(left % right)
            case "wraps":
                return amounts.number(left % (right + 1))
            case "**" if abs(left) < 1e6 and abs(right) < 64:
                power = left**right
                return amounts.number(power) if isinstance(power, float) else None
            case _:
                return None
    except (ZeroDivisionError, OverflowError):
        return None


ARITHMETIC = frozenset({"+", "-", "*", "/", "neg", "trunc", "min", "max"})
"""Operators that are nothing but arithmetic."""
BITS: Mapping[str, Callable[[int, int], int]] = {
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift,
}  # fmt: skip
MOST_SHIFTED = 2**20
"""Bits of greater numbers are not asked for."""
SHIFTED_BY = 30
"""Nor is what is moved farther, which not every type of C holds."""


def _joined_bits(op: str, left: float, right: float) -> Amount | None:
    """Bits of whole numbers that are not below 0, which no language has others for."""
    if not (left.is_integer() and right.is_integer() and min(left, right) >= 0):
        return None
    if max(left, right) > MOST_SHIFTED or (op in {"<<", ">>"} and right > SHIFTED_BY):
        return None
    return amounts.number(BITS[op](int(left), int(right)))
