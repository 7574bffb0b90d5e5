"""Prompts: a model or a reader is asked to decide about a person by a protected attribute."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.detectors.context import Context
from fairlint.uses import Use


def observe(context: Context) -> Iterator[Use]:
    """All prompts of one file."""
    del context
    yield from ()
