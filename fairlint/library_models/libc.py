"""The C library: what no entry of `libc.toml` can say."""

from __future__ import annotations

from fairlint.semantics.interpreter import operations, orderings, scans
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.values.symbolic import Const, Value

_MOST = 2**53
"""Whole numbers up to here are exact as `double`."""


def qsort(call: Invocation) -> Value | None:
    """`qsort(people, n, size, compare)`."""
    return orderings.qsort(call.node, call.arguments, call.frame)


def bsearch(call: Invocation) -> Value | None:
    """`bsearch(key, rows, n, size, compare)`."""
    return scans.found_row(call.node, call.arguments, call.frame)


def power(call: Invocation) -> Value | None:
    """`pow(base, exponent)`, which is never a whole number's type."""
    if len(call.arguments) != 2:
        return None
    found = operations.arithmetic("**", *call.arguments, call.node)
    if isinstance(found, Const) and isinstance(found.value, int):
        return Const(float(found.value), node=call.node) if abs(found.value) < _MOST else None
    return found
