"""How deep calls may go while trees are walked."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

DEPTH = 5_000
"""Python's limit of calls within calls during the analysis: trees are bounded, at a few hundred levels."""


@contextmanager
def deep_calls() -> Iterator[None]:
    """Lets calls go as deep as trees may be."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
