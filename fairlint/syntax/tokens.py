"""Tokens of a language: where its comments and texts are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from fairlint.support.expressions import lazy_expression
from fairlint.support.records import Record


class Tokens(Record, slots=False):
    """How comments and texts are written; what is neither is code.

    >>> tokens = Tokens(line_comments=(b"--",), quotes=(b"'",))
    >>> [found[0] for found in tokens.expression.finditer(b"name = 'Ada' -- a woman")]
    [b"'Ada'", b'-- a woman']
    """

    line_comments: tuple[bytes, ...] = ()
    """What begins a comment that ends with its line."""
    block_comments: tuple[tuple[bytes, bytes], ...] = ()
    """What begins other comments, and what ends them."""
    quotes: tuple[bytes, ...] = (b'"', b"'")
    """What is on both sides of a text on one line."""
    long_quotes: tuple[bytes, ...] = ()
    """The same for texts that go over lines: three times one character."""
    prefixes: bytes = b""
    """Letters that may stand right before a text, at most two of them."""
    formatted: bytes = b""
    """Those that make expressions of what is in braces."""
    binary: bytes = b""
    """Those that make bytes of a text."""
    is_spliced: bool = False
    """Whether a line comment goes on behind a backslash at the end of its line."""
    keywords: frozenset[str] = frozenset()
    """Words of the language itself, which name nothing."""

    @cached_property
    def expression(self) -> re.Pattern[bytes]:
        """Matches one comment or text; a match with a group is a text that never ends.

        It takes linear time: each alternative begins with a character of its own, by which it is found in a
        leap, and no repetition can match the same text in two ways. There are no possessive quantifiers:
        some versions of Python get them wrong.
        """
        ways = []
        for begin, end in self.block_comments:  # first, as in Lua `--[[` begins like `--`
            first, rest = re.escape(end[:1]), re.escape(end[1:])
            more = rb"(?:%b(?!%b)[^%b]*)*" % (first, rest, first) if rest else b""
            ways.append(rb"%b[^%b]*%b(?:%b|\Z)" % (re.escape(begin), first, more, re.escape(end)))
        line = rb"[^\\\r\n]*(?:\\(?:[ \t]*\r?\n|.)[^\\\r\n]*)*" if self.is_spliced else rb"[^\r\n]*"
        ways += [re.escape(mark) + line for mark in self.line_comments]
        for quote in self.long_quotes:
            one = re.escape(quote[:1])
            body = rb"%b[^%b\\]*(?:(?:\\.|%b(?!%b))[^%b\\]*)*" % (quote, one, one, one * 2, one)
            ways += [body + quote, body + rb"()"]
        for quote in self.quotes:
            one = re.escape(quote)
            body = rb"%b[^%b\\\r\n]*(?:\\(?:\r\n|.)[^%b\\\r\n]*)*" % (one, one, one)
            ways += [body + one, body + rb"()"]
        return re.compile(b"|".join(ways) or rb"(?!)", re.DOTALL)

    def end(self, data: bytes, start: int) -> int | None:
        """Return where the comment or text ends that begins there; None where it never does."""
        found = self.expression.match(data, start)
        return None if found is None or found.lastindex is not None else found.end()

    def ended(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield the comments and texts of a source that end; what opens another is a letter like others."""
        at = 0
        while (found := self.expression.search(data, at)) is not None:
            if found.lastindex is None:
                yield found.span()
            at = found.end() if found.lastindex is None else found.start() + 1

    @cached_property
    def _comments(self) -> tuple[bytes, ...]:
        return (*self.line_comments, *(begin for begin, _ in self.block_comments))

    def is_comment(self, data: bytes, start: int) -> bool:
        """Return whether what starts there is a comment, rather than a text."""
        return data.startswith(self._comments, start)

    def is_closed(self, data: bytes, start: int, end: int) -> bool:
        """Return whether a comment from `start` to `end` ends as it has to, rather than with the source."""
        if end < len(data):
            return True
        for begin, close in self.block_comments:
            if data.startswith(begin, start):
                return data.endswith(close, start + len(begin))
        return True

    def is_long(self, data: bytes, start: int) -> bool:
        """Return whether a text that starts there, or its prefix, may go over lines."""
        while start < len(data) and data[start] in self.prefixes:
            start += 1
        return data.startswith(self.long_quotes, start)

    def quote_size(self, data: bytes, start: int, end: int) -> int:
        """Return how many bytes are on either side of a text."""
        return 3 if end - start >= 6 and self.is_long(data, start) else 1

    def prefix(self, data: bytes, start: int) -> bytes:
        """Return the letters right before a text that belong to it."""
        first = start
        while first > 0 and start - first < 3 and data[first - 1] in self.prefixes:
            first -= 1
        is_word = start - first > 2 or (first > 0 and (data[first - 1] >= 0x80 or data[first - 1] in _WORD))
        return b"" if is_word else data[first:start]

    def is_formatted(self, data: bytes, start: int) -> bool:
        """Return whether a text that starts there has expressions in its braces."""
        return any(letter in self.formatted for letter in self.prefix(data, start))

    def is_binary(self, data: bytes, start: int) -> bool:
        """Return whether a text that starts there is bytes."""
        return any(letter in self.binary for letter in self.prefix(data, start))


WORD = lazy_expression(rb"[A-Za-z_]\w*")
"""A word of code, to whoever searches for names."""
_WORD = b"_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
