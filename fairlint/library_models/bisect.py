"""bisect: what no entry of `bisect.toml` can say."""

from __future__ import annotations

from collections.abc import Sequence as Many

from fairlint.semantics.interpreter import operations
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.values.symbolic import (
    Choice,
    Const,
    Opaque,
    Sequence,
    Value,
)


def right(call: Invocation) -> Value | None:
    """`bisect(limits, age)`: how many limits are passed."""
    return _place_of_number(call, right=True)


def left(call: Invocation) -> Value | None:
    """`bisect_left(limits, age)`."""
    return _place_of_number(call, right=False)


def _place_of_number(call: Invocation, *, right: bool) -> Value | None:
    limits, number = call.given("argument", 0, "a"), call.given("argument", 1, "x")
    if limits is None or number is None:
        return None
    in_part = len(call.arguments) > 2 or call.keyword("lo", "hi", "key") is not None
    return place_among(call, limits, number, op="" if in_part else "<" if right else "<=")


def place_among(call: Invocation, limits: Value, number: Value, *, op: str) -> Value | None:
    """Return how many of some limits are passed: `bisect(limits, age)`, `np.digitize(age, limits)`.

    `op` is how a number compares with the first limit that it does not pass; empty where nobody can say.
    """
    if not call.frame.program.dependence.on_any(number):
        return None
    if not isinstance(limits, Sequence):
        return None
    numbers = plain_numbers(limits.items)
    rises = numbers is None or numbers == sorted(numbers)
    falls = numbers is not None and numbers == sorted(numbers, reverse=True)
    if not op or not (rises if op.startswith("<") else falls):
        return _unknown_place(call, number, len(limits.items))
    place: Value = Const(len(limits.items))
    for count, limit in reversed(list(enumerate(limits.items))):
        test = operations.compare(op, number, limit, call.node)
        place = Choice(test, Const(count), place, call.node)
    return place


def _unknown_place(call: Invocation, number: Value, most: int) -> Value:
    """Return a place that hangs on the number in a way that nobody can say."""
    place: Value = Const(most)
    for count in reversed(range(most)):
        unknown = Opaque(f"{call.frame.text(call.node)} {count}")
        place = Choice(operations.compare("in", number, unknown, call.node), Const(count), place, call.node)
    return place


def plain_numbers(values: Many[Value]) -> list[float] | None:
    """Numbers that are all known; None where one is not."""
    found = [
        one.value
        for one in values
        if isinstance(one, Const) and isinstance(one.value, int | float) and not isinstance(one.value, bool)
    ]
    return [float(one) for one in found] if len(found) == len(values) else None
