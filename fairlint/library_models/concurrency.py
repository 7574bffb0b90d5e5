"""Calls in threads and pools: what no entry of `concurrency.toml` can say."""

from __future__ import annotations

from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.values.symbolic import Closure, Value
from fairlint.syntax import tree


def called_elsewhere(call: Invocation) -> Value | None:
    """`asyncio.to_thread(model.predict, row)` is `model.predict(row)`, waited for."""
    at = next((place for place in call.entry.places("argument") if isinstance(place, int)), 0)
    given = call.node.arguments
    if len(call.arguments) > at and isinstance(function := call.arguments[at], Closure):
        return call.frame.apply(function, call.node, call.arguments[at + 1 :])
    if len(given) <= at or not isinstance(given[at], tree.Field | tree.Name):
        return None
    made = tree.Call(call.node.span, given[at], given[at + 1 :], call.node.keywords)
    return call.frame.evaluate(made)
