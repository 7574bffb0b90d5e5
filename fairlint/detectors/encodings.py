"""Encodings: the groups of a person become numbers."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.detectors.context import Context
from fairlint.uses import Use


def observe(context: Context) -> Iterator[Use]:
    """All encodings of one file."""
    del context
    yield from ()
