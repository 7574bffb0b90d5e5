"""Lists of words as regular expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from fairlint.support.expressions import lazy_expression

_BLANK = lazy_expression(r" ([?*])?")
_NAME = lazy_expression(r"(?<!\?P)<(\w+)>")


def alternatives(terms: Iterable[str]) -> str:
    """Return one group of an expression for several terms, the longest first.

    A blank stands for any white space; ` ?` and ` *` for none, too.
    """
    ordered = sorted(terms, key=lambda term: (-len(term), term))
    return "(?:" + "|".join(_BLANK.sub(_white_space, term) for term in ordered) + ")"


def _white_space(found: re.Match[str]) -> str:
    return r"\s*" if found[1] else r"\s+"


def whole_words(terms: Iterable[str]) -> str:
    """Return an expression that finds one of several terms, in any case, as whole words."""
    return rf"(?i)\b{alternatives(terms)}\b"


def expression(template: str, lists: Mapping[str, Iterable[str]], flags: int = 0) -> re.Pattern[str]:
    """Return a verbose expression, in any case, with lists of words in the place of their names:
    `<judge>\\s+<who>`.

    What `lists` holds under a name may also be a text: a part of the expression with names of its own.
    """

    def filled(found: re.Match[str]) -> str:
        given = lists[found[1]]
        return _NAME.sub(filled, given) if isinstance(given, str) else alternatives(given)

    return lazy_expression(_NAME.sub(filled, template), re.VERBOSE | re.IGNORECASE | flags)
