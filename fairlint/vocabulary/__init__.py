"""The vocabulary: who is protected, how code names it, what the words around say. Data, no code knowledge."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from fairlint.vocabulary.model import (
    Attribute,
    AttributeKind,
    Evidence,
    Form,
    Group,
    Mention,
    Strength,
    Surroundings,
)
from fairlint.vocabulary.words import split_words

if TYPE_CHECKING:
    from fairlint.vocabulary.vocabulary import Vocabulary

__all__ = [
    "Attribute",
    "AttributeKind",
    "Evidence",
    "Form",
    "Group",
    "Mention",
    "Strength",
    "Surroundings",
    "Vocabulary",
    "default_vocabulary",
    "split_words",
]


@lru_cache(maxsize=1)
def default_vocabulary() -> Vocabulary:
    """Return the vocabulary that fairlint ships, read once."""
    from fairlint.vocabulary.load import load_vocabulary  # noqa: PLC0415 (needed only where code is looked at)

    return load_vocabulary()


def __getattr__(name: str) -> object:
    if name == "Vocabulary":
        from fairlint.vocabulary.vocabulary import Vocabulary  # noqa: PLC0415 (as above)

        return Vocabulary
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
