"""What a word that nobody knows was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable

_LEAST_LIKE = 0.55
"""How alike two words are at least, from 0 to 1, where one may have been meant by the other."""
ABOUT_AS_NEAR = 0.1
"""Words that are less alike than the nearest by this share are not named beside it."""


def did_you_mean(word: str, known: Iterable[str], most: int = 3, least: float = _LEAST_LIKE) -> str:
    """`; did you mean 'x'?` with the known words nearest to `word`, or nothing."""
    from difflib import SequenceMatcher, get_close_matches  # noqa: PLC0415 (only where something is wrong)

    by_fold = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), list(by_fold), n=most, cutoff=least)
    likeness = [SequenceMatcher(None, name, word.lower()).ratio() for name in close]
    close = [name for name, like in zip(close, likeness, strict=True) if like > likeness[0] - ABOUT_AS_NEAR]
    return f"; did you mean {' or '.join(repr(by_fold[name]) for name in close)}?" if close else ""
