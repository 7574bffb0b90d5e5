"""bisect: what no entry of `bisect.toml` can say."""

from __future__ import annotations

from fairlint.semantics import operations
from fairlint.semantics.library import Invocation
from fairlint.semantics.values import (
    Choice,
    Const,
    Sequence,
    Value,
)


def right(call: Invocation) -> Value | None:
    """`bisect(limits, age)`: how many limits are passed."""
    return place_among(call, right=True)


def left(call: Invocation) -> Value | None:
    """`bisect_left(limits, age)`."""
    return place_among(call, right=False)


def place_among(call: Invocation, *, right: bool, numbers_first: bool = True) -> Value | None:
    """How many of some limits are passed: `bisect(limits, age)`, `np.digitize(age, limits)`."""
    node, arguments, frame = call.node, call.arguments, call.frame
    if len(arguments) < 2:
        return None
    limits, number = arguments[:2] if numbers_first else (arguments[1], arguments[0])
    if not isinstance(limits, Sequence) or not frame.program.dependence.on_any(number):
        return None
    place: Value = Const(len(limits.items))
    for count, limit in reversed(list(enumerate(limits.items))):
        test = operations.compare("<" if right else "<=", number, limit, node)
        place = Choice(test, Const(count), place, node)
    return place
