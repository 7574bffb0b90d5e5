"""Tests of what is worked out from a whole number - a difference, bits, tens - as tests of that number."""

from __future__ import annotations

from fairlint.semantics.interpreter import operations
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.values.symbolic import Const, Operation, Sequence, Value
from fairlint.semantics.values.whole_numbers import is_number
from fairlint.syntax import tree
from fairlint.syntax.comparisons import MIRRORED
from fairlint.syntax.tree import Node

HAS_BIT = "has bit"
"""The operator of `1 << kind & (1 << A | 1 << B)`: a number that is not 0 where the kind is one of a list."""
_MOST_BITS = 64
_MOST_PARTS = 200
"""Parts of a written mask that are looked at."""


def compare_whole(op: str, left: Value, right: Value, node: Node, frame: Frame) -> Value:
    """Return a comparison, of the number that one side is worked out from where the other is known.

    Only a language that cuts off fractions has these: elsewhere numbers that look alike have some.
    """
    if not frame.program.conventions.divides_whole:
        return operations.compare(op, left, right, node)
    found = None
    if _whole_number(right) is not None:
        found = _compare_with_number(op, left, right, node)
    elif _whole_number(left) is not None:
        found = _compare_with_number(MIRRORED.get(op, op), right, left, node)
    return found or operations.compare(op, left, right, node)


def truth(value: Value, node: Node, frame: Frame) -> Value:
    """Return what a test asks of a number: whether it is 0."""
    if not frame.program.conventions.divides_whole:
        return value
    return _compare_with_number("!=", value, Const(0), node) or value


def _whole_number(value: Value) -> int | None:
    """Return a whole number that is written or has a name."""
    number = value.value if isinstance(value, Const) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def _compare_with_number(op: str, left: Value, right: Value, node: Node) -> Value | None:
    number = _whole_number(right)
    if number is None or not isinstance(left, Operation):
        return None
    if op == "!=":
        found = _compare_with_number("==", left, right, node)
        return None if found is None else operations.negate(found, node)
    match left:
        case Operation(op="wraps", arguments=(Operation(op="-") as inner, Const(value=int() as most))) if (
            number <= most // 2
        ):
            return (
                _compare_with_number(op, inner, right, node)
                if op == "=="
                else _unsigned_test(op, inner, number, node)
            )
        case Operation(op="-" | "^", arguments=(one, other)) if op == "==":
            return _differ_by(left.op, one, other, number, node)
        case Operation(op=op_, arguments=(held, Sequence() as listed)) if op_ == HAS_BIT and op == "==":
            test = operations.compare("in", held, listed, node)
            return operations.negate(test, node) if number == 0 else None
        case Operation(op="trunc", arguments=(Operation(op="/", arguments=(whole, by)),)) if (
            divisor := _whole_number(by)
        ) is not None and divisor > 0:
            return _quotient_test(op, whole, divisor, number, node)
        case _:
            return None


def _differ_by(op: str, one: Value, other: Value, number: int, node: Node) -> Value | None:
    """`kind - OTHER == 0` and `kind ^ OTHER == 0` ask whether both are the same."""
    if number == 0:
        return operations.compare("==", one, other, node)
    known, first = _whole_number(other), _whole_number(one)
    if known is not None and (op == "-" or min(known, number) >= 0):
        return operations.compare("==", one, Const(known + number if op == "-" else known ^ number), node)
    if first is not None and (op == "-" or min(first, number) >= 0):
        return operations.compare("==", other, Const(first - number if op == "-" else first ^ number), node)
    return None


def _unsigned_test(op: str, difference: Operation, number: int, node: Node) -> Value | None:
    """`(unsigned)(age - 18) < 10` asks for both ends: what is below 0 is a great number there."""
    if number < 0:
        return None
    end = number + (op in {"<=", ">"})
    low = _lower_bound_test(difference, 0, node)
    high = operations.negate(_lower_bound_test(difference, end, node), node)
    within = operations.combine("and", (low, high), node)
    return within if op in {"<", "<="} else operations.negate(within, node)


def _lower_bound_test(difference: Operation, least: int, node: Node) -> Value:
    """Return whether a difference is at least so much, as a test of what is not known in it."""
    one, other = difference.arguments
    known, first = _whole_number(other), _whole_number(one)
    if known is not None:
        return operations.compare(">=", one, Const(known + least), node)
    if first is not None:
        return operations.compare("<=", other, Const(first - least), node)
    return operations.compare(">=", difference, Const(least), node)


def _quotient_test(op: str, whole: Value, by: int, number: int, node: Node) -> Value:
    """`age / 10 == 4` asks for the numbers from 40 to 49; a fraction is cut off towards 0."""
    lowest = number * by if number > 0 else number * by - by + 1
    above = (number + 1) * by if number >= 0 else number * by + 1
    if op == "==":
        low = operations.compare(">=", whole, Const(lowest), node)
        high = operations.compare("<", whole, Const(above), node)
        return operations.combine("and", (low, high), node)
    limit = lowest if op in {"<", ">="} else above
    return operations.compare("<" if op in {"<", "<="} else ">=", whole, Const(limit), node)


# --------------------------------------------------------------------------------------------------- bits


def mask_test(node: tree.Binary, left: Value, right: Value, frame: Frame) -> Value | None:
    """`1 << kind & (1 << A | 1 << B)` and `MASK >> kind & 1`; None for all other bits that are joined."""
    if not frame.program.conventions.divides_whole or node.op != "&":
        return None
    for side, other, written in ((left, right, node.right), (right, left, node.left)):
        match side, other:
            case Operation(op="<<", arguments=(Const(value=1), held)), Const() if not isinstance(held, Const):
                listed = _mask_places(written, other, frame)
                if listed is not None:
                    return Operation(HAS_BIT, (held, Sequence(listed, node)), node)
            case Operation(op=">>", arguments=(Const() as mask, held)), Const(value=1) if not isinstance(
                held, Const
            ):
                shifted = node.left if side is left else node.right
                listed = _mask_places(
                    shifted.left if isinstance(shifted, tree.Binary) else shifted, mask, frame
                )
                if listed is not None:
                    return operations.compare("in", held, Sequence(listed, node), node)
            case _:
                pass
    return None


def _mask_places(written: Node, mask: Const, frame: Frame) -> tuple[Value, ...] | None:
    """Return the places of the bits of a mask: by the names that it is written with, or by number."""
    number = _whole_number(mask)
    if number is None or not 0 <= number < 1 << _MOST_BITS:
        return None
    named = _written_bits(written, frame)
    places = {place for place in range(_MOST_BITS) if number >> place & 1}
    if named is not None and {held.value for held in named} == places:
        return tuple(named)
    return tuple([Const(place) for place in sorted(places)])


def _written_bits(written: Node, frame: Frame) -> list[Const] | None:
    """Return the constants by which a mask shifts; None where it is written otherwise."""
    found: list[Const] = []
    stack = [written]
    for _ in range(_MOST_PARTS):
        if not stack:
            return found
        match stack.pop():
            case tree.Binary(op="|" | "+", left=left, right=right):
                stack += (right, left)
            case tree.Binary(op="<<", right=place):
                held = frame.evaluate(place)
                if not isinstance(held, Const) or not is_number(held.value):
                    return None
                found.append(held)
            case tree.Name(id=name) if name in frame.program.definitions.macros:
                stack.append(frame.program.definitions.macros[name])
            case _:
                return None
    return None
