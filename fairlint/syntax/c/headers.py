"""What a header defines that others build on: macros, enumerations, structs, names of types, constants."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

from fairlint.support.records import Record
from fairlint.syntax.c.text import blank
from fairlint.syntax.c.tokens import TOKENS

NAMED = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([\w][\w ./+-]{0,200})"', re.MULTILINE)
"""A header of the project's own, as it is written."""
MOST_ROUNDS = 6
"""How far what a definition is made of is looked for in others."""
MOST_NESTED = 12
"""Braces within braces, after which nobody is told what a definition is called."""
_WORD = re.compile(rb"[A-Za-z_]\w*")
_KEYWORDS = frozenset(word.encode() for word in TOKENS.keywords)
_DIRECTIVE = re.compile(rb"(?ms)^[ \t]*#[ \t]*(\w+)(?:[ \t]+(\w+))?(?:[^\\\n]|\\.)*")
_CONDITIONS = frozenset(
    (b"if", b"ifdef", b"ifndef", b"elif", b"elifdef", b"elifndef", b"else", b"endif", b"undef")
)
_DEFINITION = re.compile(
    rb"^[ \t]*(?:(?:typedef|static|extern)[ \t]+)*"
    rb"(?:(?P<type>struct|union|enum|typedef)\b[^;{}()=]{0,200}[;{]"
    rb"|(?:[A-Za-z_]\w*[ \t*]+){0,6}?const\b[^;{}()=]{1,200}=)",
    re.MULTILINE,
)
_MARK = re.compile(rb"[{};]")
_INNER = re.compile(rb"\{[^{}]*\}")


class _Piece(Record):
    """One definition: where it stands, the names that it gives, and the words that it is made of."""

    start: int
    end: int
    names: frozenset[bytes]
    words: frozenset[bytes]


def words(data: bytes) -> set[bytes]:
    """Return the words of a source that may be names."""
    return set(_WORD.findall(data)) - _KEYWORDS


def definitions(data: bytes, wanted: AbstractSet[bytes]) -> tuple[bytes, AbstractSet[bytes]]:
    """Return a header in which all is blank but what defines a name that is wanted, and what that is made of;
    with all names that are wanted now. Every byte keeps its place, and conditions stay. Empty where it
    defines nothing of the sort.
    """
    code, plain = bytearray(data), bytearray(data)
    comments: list[tuple[int, int]] = []
    for start, end in TOKENS.ended(data):
        if TOKENS.is_comment(data, start):
            comments.append((start, end))
            code[start:end] = plain[start:end] = blank(data[start:end])
        else:
            plain[start + 1 : end - 1] = blank(data[start + 1 : end - 1])
    conditions: list[tuple[int, int]] = []
    kept: list[tuple[int, int]] = []
    known = set(wanted)
    left = list(_definition_pieces(bytes(plain), conditions))
    for _ in range(MOST_ROUNDS):
        new = [one for one in left if not known.isdisjoint(one.names)]
        if not new:
            break
        left = [one for one in left if known.isdisjoint(one.names)]
        kept += ((one.start, one.end) for one in new)
        known.update(*(one.words for one in new))
    return (
        (_blank_other_code(data, bytes(code), [*kept, *conditions], comments), known)
        if kept
        else (b"", wanted)
    )


def _blank_other_code(
    data: bytes, code: bytes, stretches: Iterable[tuple[int, int]], comments: list[tuple[int, int]]
) -> bytes:
    """Return a text of which some stretches of code are left, with the comments in and behind them."""
    out = bytearray(blank(data))
    for start, end in stretches:
        line_end = code.find(b"\n", end)
        line_end = len(code) if line_end < 0 else line_end
        stop = end if code[end:line_end].strip() else line_end
        out[start:stop] = code[start:stop]
        for at in range(bisect_left(comments, (start, 0)), len(comments)):
            first, last = comments[at]
            if first >= stop:
                break
            if last <= stop:
                out[first:last] = data[first:last]
    return bytes(out)


def _definition_pieces(text: bytes, conditions: list[tuple[int, int]]) -> Iterator[_Piece]:
    """Yield what a text without comments defines; adds where its conditions stand."""
    code = bytearray(text)
    for found in _DIRECTIVE.finditer(text):
        code[found.start() : found.end()] = blank(found.group())
        if found[1] == b"define" and found[2] is not None:
            made_of = frozenset(_WORD.findall(text, found.end(2), found.end()))
            yield _Piece(found.start(), found.end(), frozenset((found[2],)), made_of)
        elif found[1] in _CONDITIONS:
            conditions.append(found.span())
    plain, end = bytes(code), 0
    for found in _DEFINITION.finditer(plain):
        if found.start() < end:
            continue
        stop = _definition_end(plain, found.end() - 1)
        if stop is None:
            return
        end = stop
        yield _definition_piece(plain[found.start() : end], found.start(), found["type"])


def _definition_end(text: bytes, start: int) -> int | None:
    """Return where a definition ends: at the first semicolon outside of all braces."""
    depth = 0
    for found in _MARK.finditer(text, start):
        mark = found.group()
        if mark == b";" and depth == 0:
            return found.end()
        depth += (mark == b"{") - (mark == b"}")
    return None


def _definition_piece(whole: bytes, start: int, type_: bytes | None) -> _Piece:
    """Return an enumeration gives the names of its members, a struct and a constant their own alone."""
    all_words = frozenset(_WORD.findall(whole)) - _KEYWORDS
    end = start + len(whole)
    if type_ == b"enum":
        return _Piece(start, end, all_words, all_words)
    outside = whole.partition(b"=")[0] if type_ is None else whole
    for _ in range(MOST_NESTED):
        outside, count = _INNER.subn(b" ", outside)
        if not count:
            return _Piece(start, end, frozenset(_WORD.findall(outside)) - _KEYWORDS, all_words)
    return _Piece(start, end, frozenset(), all_words)
