"""functools: what no entry of `functools.toml` can say."""

from __future__ import annotations

from fairlint.semantics.interpreter import operations
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.names.known_calls import of_value
from fairlint.semantics.values.symbolic import (
    Closure,
    Value,
)
from fairlint.support.records import replace


def partial(call: Invocation) -> Value | None:
    """`partial(score, bonus=5)`."""
    node, arguments, frame = call.node, call.arguments, call.frame
    if not arguments or not isinstance(arguments[0], Closure):
        return None
    given = {name: frame.evaluate(value) for name, value in node.keywords if name is not None}
    function = arguments[0]
    return replace(function, given=(*function.given, *arguments[1:]), named={**function.named, **given})


def reduce(call: Invocation) -> Value | None:
    """`reduce(operator.add, amounts, 0)`."""
    node, arguments, frame = call.node, call.arguments, call.frame
    if len(arguments) < 2:
        return None
    entries = operations.entries_of(arguments[1])
    if not entries:
        return None
    value, *rest = (*arguments[2:3], *entries)
    for entry in rest:
        pair = (value, entry)
        done = of_value(arguments[0], node, pair, frame)
        if done is None and not operations.is_callable(arguments[0]):
            return None
        value = done or frame.apply(arguments[0], node, pair)
    return value
