"""Lists of words as regular expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable

_BLANK = re.compile(r" ([?*])?")


def alternatives(terms: Iterable[str]) -> str:
    """One group of an expression for several terms, the longest first.

    A blank stands for any white space; ` ?` and ` *` for none, too.
    """
    ordered = sorted(terms, key=lambda term: (-len(term), term))
    return "(?:" + "|".join(_BLANK.sub(_white_space, term) for term in ordered) + ")"


def _white_space(found: re.Match[str]) -> str:
    return r"\s*" if found[1] else r"\s+"


def whole_words(terms: Iterable[str]) -> str:
    """An expression that finds one of several terms, in any case, as whole words."""
    return rf"(?i)\b{alternatives(terms)}\b"
