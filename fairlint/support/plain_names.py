"""Names of occupations, compared as lists and tables differ."""

from __future__ import annotations

import re


def plain_name(name: str) -> str:
    """Return the words of a name in small letters and each in the singular, as lists and tables differ.

    >>> plain_name("Waiters and waitresses") == plain_name("waiters and waitress")
    True
    """
    return " ".join(_singular(word) for word in re.findall(r"\w+", name.casefold()))


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith("sses") else word if word.endswith("ss") else word.removesuffix("s")
