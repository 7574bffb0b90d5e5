"""Where names stand in the bytes of a source: used, as fields, called; and texts too long for one."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from fairlint.syntax.language import Tokens

LONGEST_NAME = 40
"""Bytes of a text that may be a name, its quotes included."""
WORD = re.compile(rb"[A-Za-z_]\w*")
_PART = re.compile(rb"[\w.]")
_CALLED = re.compile(rb"\b(\w+)[ \t]*\(")


def uses_of(name: bytes, data: bytes) -> Iterator[re.Match[bytes]]:
    """Where a name stands that is not a field of something."""
    return _alone(re.finditer(re.escape(name) + rb"\b", data), data)


def fields_of(name: bytes, data: bytes) -> Iterator[re.Match[bytes]]:
    """`ft.COLUMNS`, for the name `ft`."""
    return _alone(re.finditer(re.escape(name) + rb"[ \t]*\.[ \t]*(\w+)", data), data)


def _alone(found: Iterator[re.Match[bytes]], data: bytes) -> Iterator[re.Match[bytes]]:
    """Those that no word or dot stands before; an expression that says so itself takes ten times as long."""
    return (one for one in found if _PART.match(data, one.start() - 1) is None or one.start() == 0)


def prose_in(data: bytes, tokens: Tokens) -> list[tuple[int, int]]:
    """Where the texts stand that are too long for names and have blanks in them."""
    return [
        found.span()
        for found in tokens.expression.finditer(data)
        if found.lastindex is None and found.end() - found.start() > LONGEST_NAME and b" " in found[0]
    ]


def within(spans: Sequence[tuple[int, int]], offset: int) -> bool:
    """Whether an offset lies in one of some stretches, which are in order."""
    place = bisect_right(spans, offset, key=lambda span: span[0]) - 1
    return place >= 0 and offset < spans[place][1]


def called_around(data: bytes, hits: Sequence[int]) -> set[bytes]:
    """The functions that are called on the lines of hits."""
    words: set[bytes] = set()
    end = -1
    for hit in hits:
        if hit >= end:
            start = data.rfind(b"\n", 0, hit) + 1
            end = data.find(b"\n", hit) + 1 or len(data)
            words.update(_CALLED.findall(data, start, end))
    return words
