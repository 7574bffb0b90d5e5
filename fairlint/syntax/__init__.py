"""Languages: what differs between them, and the one tree that all of them are lowered to."""

from __future__ import annotations

from fairlint.syntax.c import C
from fairlint.syntax.language import Language
from fairlint.syntax.python import PYTHON

SHIPPED: tuple[Language, ...] = (PYTHON, C)
"""The languages that fairlint reads by itself."""
DEFAULT = PYTHON
"""What code is taken for that nothing says the language of."""


def shipped_language(name: str | None) -> Language | None:
    """Return the shipped language of that name."""
    return next((language for language in SHIPPED if language.name == name), None)
