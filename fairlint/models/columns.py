"""Columns and rows of any library: what no entry of `columns.toml` can say."""

from __future__ import annotations

from fairlint.models.builtins import starts_with
from fairlint.semantics import operations, selections
from fairlint.semantics.library import Invocation
from fairlint.semantics.selections import dropped, narrowed, new_columns, query
from fairlint.semantics.values import (
    UNKNOWN,
    Choice,
    Closure,
    Lookup,
    Protected,
    Table,
    Value,
)

__all__ = [
    "assigned",
    "between",
    "dropped",
    "kept_where",
    "mapped",
    "masked",
    "narrowed",
    "query",
    "starts_with",
]


def mapped(call: Invocation) -> Value | None:
    """`series.map(table or function)`, `series.apply(function)`, `frame.apply(function, axis=1)`."""
    node, base, arguments, frame = call.node, call.base or UNKNOWN, call.arguments, call.frame
    if not arguments:
        return None
    if isinstance(arguments[0], Table) and isinstance(base, Protected | Choice | Lookup):
        return Lookup(base, arguments[0], None, node)
    if isinstance(arguments[0], Closure):
        return frame.inline(arguments[0], node, (base,))
    return None


def between(call: Invocation) -> Value | None:
    """`people["age"].between(18, 40)`."""
    node, base, arguments = call.node, call.base or UNKNOWN, call.arguments
    if len(arguments) < 2:
        return None
    low = operations.compare(">=", base, arguments[0], node)
    return operations.combine("and", (low, operations.compare("<=", base, arguments[1], node)), node)


def kept_where(call: Invocation) -> Value | None:
    """`series.where(test, other)` keeps where the test holds; a query, the rows where all of its tests do."""
    arguments = call.arguments
    if len(arguments) < 2 or all(map(operations.is_mask, arguments)):
        return selections.narrowed(call, by_keyword=False)
    return Choice(arguments[0], call.base or UNKNOWN, arguments[1], call.node)


def masked(call: Invocation) -> Value | None:
    """`series.mask(test, other)` keeps where the test does not hold."""
    arguments = call.arguments
    if len(arguments) < 2:
        return None
    return Choice(arguments[0], arguments[1], call.base or UNKNOWN, call.node)


def assigned(call: Invocation) -> Value | None:
    """`df.assign(score=lambda d: ...)`."""
    return None if call.arguments or not call.node.keywords else new_columns(call)
