"""How deep code may nest, and how deep calls may go while its trees are walked."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

MAX_DEPTH: Final = 180
"""How deeply nodes nest, `elif` chains and the left spines of Binary not counted."""
DEPTH = 5_000
"""Python's limit of calls within calls during the analysis: trees are bounded, at a few hundred levels."""
TOO_DEEP: Final = "nested too deeply (the setting file-nesting)"

_nesting: ContextVar[int] = ContextVar("nesting", default=MAX_DEPTH)


def nesting() -> int:
    """Return how deep the code may nest that is being analysed, and the JSON and SQL in it."""
    return _nesting.get()


@contextmanager
def deep_calls(deepest: int = MAX_DEPTH) -> Iterator[None]:
    """Lets calls go as deep as trees may be, which nest no deeper than `deepest`."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEPTH))
    before = _nesting.set(min(deepest, MAX_DEPTH))
    try:
        yield
    finally:
        _nesting.reset(before)
        sys.setrecursionlimit(limit)
