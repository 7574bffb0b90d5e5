"""Words by which running text prefers or avoids a person.

On bytes: this decides whether a source is parsed at all, and whether its texts are put together.
"""

from __future__ import annotations

import re
from functools import cache

from fairlint.support.expressions import lazy_expression
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.phrases import whole_words

TYPE_CHECKING = False  # importing typing would take as long as the search
if TYPE_CHECKING:
    from fairlint.vocabulary.vocabulary import Vocabulary

_WORD = lazy_expression(rb"[\w\x80-\xff]+")
_FAR = 160
"""Bytes around a group's name in which a text says to prefer or avoid it."""


@cache
def preferring() -> re.Pattern[bytes]:
    """Stand in every text that prefers or avoids a person."""
    return re.compile(whole_words(word_lists("prefilter")["preferring"]).encode())


def is_near_preferring(data: bytes, at: int) -> bool:
    """Return whether words of preferring or avoiding stand near a place."""
    return preferring().search(data, max(0, at - _FAR), at + _FAR) is not None


def may_prefer(texts: str, vocabulary: Vocabulary) -> bool:
    """Return whether some texts name a group of people and say close by to prefer or avoid a person."""
    data = texts.encode("utf-8", "replace")
    words = (match.span() for match in _WORD.finditer(data))
    return any(is_near_preferring(data, at) for at in vocabulary.prose.places(data, words))
