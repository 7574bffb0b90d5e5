"""Where names stand in the bytes of a source: used, as fields, called; and texts too long for one."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from fairlint.support.expressions import lazy_expression
from fairlint.syntax.tokens import Tokens

LONGEST_NAME = 40
"""Bytes of a text that may be a name, its quotes included."""
_PART = lazy_expression(rb"[\w.]")
_LETTER = lazy_expression(rb"\w")
_END = lazy_expression(rb"(?!\w)")
_FIELD = lazy_expression(rb"[ \t]*\.[ \t]*(\w+)")
_METHOD = lazy_expression(rb"[ \t]*\.[ \t]*\w+[ \t]*\(")
_ASKED = lazy_expression(rb"[ \t]*[.(]")
_WORDS = lazy_expression(rb"\w+")
_ALONE = lazy_expression(rb"(?<![\w.])\w+")
_USED = lazy_expression(rb"(?<!\w)(\w+)(?=[ \t]*(?:\.(?:[ \t]*(\w+)(?:[ \t]*(\())?)?|\())")
"""A name and what stands behind it: a field (the second group), a method that is called (the third)."""
_FIELDS = frozenset({2, 3})
_CALLED_METHOD = 3
FEW = 12
"""Names that are looked for one by one; an index of all takes longer than these."""
_CALLED = lazy_expression(rb"\b(\w+)[ \t]*\(")


def uses_of(name: bytes, data: bytes) -> Iterator[int]:
    """Return where a name stands that is not a field of something."""
    size = len(name)
    return (one.start() - size for one in _matches_after_name(name, data, _END, _PART))


def fields_of(name: bytes, data: bytes) -> Iterator[tuple[bytes, int]]:
    """`COLUMNS` of `ft.COLUMNS`, for the name `ft`, and where that stands."""
    size = len(name)
    return ((one[1], one.start() - size) for one in _matches_after_name(name, data, _FIELD, _PART))


def has_field(name: bytes, data: bytes) -> bool:
    """Return whether a field of something is read that goes by a name, be it a field itself."""
    return any(_matches_after_name(name, data, _FIELD, _LETTER))


def calls_method_of(name: bytes, data: bytes) -> bool:
    """Return whether a method of something is called that goes by a name, be it a field itself."""
    return any(_matches_after_name(name, data, _METHOD, _LETTER))


def has_call_or_access(name: bytes, data: bytes) -> bool:
    """Return whether something that goes by a name, be it a field, is called or a field of it is read."""
    return any(_matches_after_name(name, data, _ASKED, _LETTER))


class NameUses:
    """What stands behind each name of a source, found in one pass as soon as that is quicker.

    Every answer is that of the function of the same name.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._left = FEW
        self._behind: dict[bytes, set[int]] | None = None
        self._places: dict[bytes, list[int]] | None = None

    def has_field(self, name: bytes) -> bool:
        """Report whether a field of what goes by a name is read."""
        kinds = self._kinds_behind(name)
        return has_field(name, self._data) if kinds is None else not kinds.isdisjoint(_FIELDS)

    def calls_method_of(self, name: bytes) -> bool:
        """Report whether a method of what goes by a name is called."""
        kinds = self._kinds_behind(name)
        return calls_method_of(name, self._data) if kinds is None else _CALLED_METHOD in kinds

    def has_call_or_access(self, name: bytes) -> bool:
        """Report whether what goes by a name is called, or a field of it is read."""
        kinds = self._kinds_behind(name)
        return has_call_or_access(name, self._data) if kinds is None else bool(kinds)

    def uses_of(self, name: bytes) -> Sequence[int]:
        """Return where a name stands that is not a field of something."""
        if not self._pays(name):
            return list(uses_of(name, self._data))
        if self._places is None:
            self._places = {}
            for found in _ALONE.finditer(self._data):
                self._places.setdefault(found[0], []).append(found.start())
        return self._places.get(name, ())

    def _pays(self, name: bytes) -> bool:
        """Report whether an index answers: not for the first few names, or for bytes that are no word."""
        self._left -= 1
        return self._left < 0 and _WORDS.fullmatch(name) is not None

    def _kinds_behind(self, name: bytes) -> AbstractSet[int] | None:
        """Return the kinds of what stands behind a name, or None if there is no index of them."""
        if not self._pays(name):
            return None
        if self._behind is None:
            self._behind = {}
            for found in _USED.finditer(self._data):
                self._behind.setdefault(found[1], set()).add(found.lastindex or 0)
        return self._behind.get(name, frozenset())


def _matches_after_name(
    name: bytes, data: bytes, follows: re.Pattern[bytes], never_before: re.Pattern[bytes]
) -> Iterator[re.Match[bytes]]:
    """Yield what follows a name wherever it stands by itself.

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
    """Return where the texts stand that are too long for names and have blanks in them."""
    return [
        found.span()
        for found in tokens.expression.finditer(data)
        if found.lastindex is None and found.end() - found.start() > LONGEST_NAME and b" " in found[0]
    ]


def within(spans: Sequence[tuple[int, int]], offset: int) -> bool:
    """Return whether an offset lies in one of some stretches, which are in order."""
    place = bisect_right(spans, offset, key=lambda span: span[0]) - 1
    return place >= 0 and offset < spans[place][1]


def called_around(data: bytes, hits: Sequence[int]) -> set[bytes]:
    """Return the functions that are called on the lines of hits."""
    words: set[bytes] = set()
    end = -1
    for hit in hits:
        if hit >= end:
            start = data.rfind(b"\n", 0, hit) + 1
            end = data.find(b"\n", hit) + 1 or len(data)
            words.update(_CALLED.findall(data, start, end))
    return words
