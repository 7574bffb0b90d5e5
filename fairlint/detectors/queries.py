"""Queries: SQL in texts selects, scores or orders people by a protected attribute."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.detectors.context import Context
from fairlint.uses import Use


def observe(context: Context) -> Iterator[Use]:
    """All queries of one file."""
    del context
    yield from ()
