"""Where names stand in the bytes of a source: used, as fields, called; and texts too long for one."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from fairlint.syntax.tokens import Tokens

LONGEST_NAME = 40
"""Bytes of a text that may be a name, its quotes included."""
WORD = re.compile(rb"[A-Za-z_]\w*")
_PART = re.compile(rb"[\w.]")
_LETTER = re.compile(rb"\w")
_END = re.compile(rb"(?!\w)")
_FIELD = re.compile(rb"[ \t]*\.[ \t]*(\w+)")
_METHOD = re.compile(rb"[ \t]*\.[ \t]*\w+[ \t]*\(")
_ASKED = re.compile(rb"[ \t]*[.(]")
_CALLED = re.compile(rb"\b(\w+)[ \t]*\(")


def uses_of(name: bytes, data: bytes) -> Iterator[int]:
    """Where a name stands that is not a field of something."""
    size = len(name)
    return (one.start() - size for one in _behind(name, data, _END, _PART))


def fields_of(name: bytes, data: bytes) -> Iterator[tuple[bytes, int]]:
    """`COLUMNS` of `ft.COLUMNS`, for the name `ft`, and where that stands."""
    size = len(name)
    return ((one[1], one.start() - size) for one in _behind(name, data, _FIELD, _PART))


def has_field(name: bytes, data: bytes) -> bool:
    """Whether a field of something is read that goes by a name, be it a field itself."""
    return any(_behind(name, data, _FIELD, _LETTER))


def calls_method_of(name: bytes, data: bytes) -> bool:
    """Whether a method of something is called that goes by a name, be it a field itself."""
    return any(_behind(name, data, _METHOD, _LETTER))


def is_asked(name: bytes, data: bytes) -> bool:
    """Whether something that goes by a name, be it a field, is called or a field of it is read."""
    return any(_behind(name, data, _ASKED, _LETTER))


def _behind(
    name: bytes, data: bytes, follows: re.Pattern[bytes], never_before: re.Pattern[bytes]
) -> Iterator[re.Match[bytes]]:
    """What follows a name wherever it stands by itself.

    An expression that holds the name would have to be compiled for each, which takes longer than the search.
    """
    at = data.find(name)
    while at >= 0:
        end = at + len(name)
        if at == 0 or never_before.match(data, at - 1) is None:
            found = follows.match(data, end)
            if found is not None:
                yield found
        at = data.find(name, end)


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
