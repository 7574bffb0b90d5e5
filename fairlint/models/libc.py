"""The C library: what no entry of `libc.toml` can say."""

from __future__ import annotations

from fairlint.semantics import orderings, scans
from fairlint.semantics.library import Invocation
from fairlint.semantics.values import Value


def qsort(call: Invocation) -> Value | None:
    """`qsort(people, n, size, compare)`."""
    return orderings.qsort(call.node, call.arguments, call.frame)


def bsearch(call: Invocation) -> Value | None:
    """`bsearch(key, rows, n, size, compare)`."""
    return scans.found_row(call.node, call.arguments, call.frame)
