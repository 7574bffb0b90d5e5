"""numpy: what no entry of `numpy.toml` can say."""

from __future__ import annotations

from fairlint.models.bisect import place_among
from fairlint.semantics import operations
from fairlint.semantics.arguments import keyword
from fairlint.semantics.library import Invocation
from fairlint.semantics.values import (
    Choice,
    Const,
    Sequence,
    Value,
)


def digitized(call: Invocation) -> Value | None:
    """`np.digitize(age, limits)`."""
    return place_among(call, right=True, numbers_first=False)


def searched(call: Invocation) -> Value | None:
    """`np.searchsorted(limits, age)`."""
    return place_among(call, right=False)


def select(call: Invocation) -> Value | None:
    """`np.select(conditions, choices, default)`."""
    node, arguments, frame = call.node, call.arguments, call.frame
    if len(arguments) < 2:
        return None
    conditions, choices = arguments[0], arguments[1]
    default_node = keyword(node, "default")
    value: Value = Const(0)
    if len(arguments) > 2:
        value = arguments[2]
    elif default_node is not None:
        value = frame.evaluate(default_node)
    if not (isinstance(conditions, Sequence) and isinstance(choices, Sequence)):
        return None
    for test, choice in reversed(list(zip(conditions.items, choices.items, strict=False))):
        value = Choice(test, choice, value, node)
    return value


def dot(call: Invocation) -> Value | None:
    """`np.dot(weights, values)` of arrays that are written out."""
    node, arguments = call.node, call.arguments
    return operations.product(arguments[0], arguments[1], node) if len(arguments) == 2 else None
