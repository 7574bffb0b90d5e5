"""What a finding is known by while the code around it changes: its own tokens, and where it stood.

Comments, spacing, quotes, parentheses and commas are no part of it, nor are the names of parameters and of
functions that the file defines itself: a formatter, another function above, or a new name leave it as it was.
The function that it stands in only tells equal findings apart.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING
from zlib import crc32

from fairlint.findings.finding import Identity
from fairlint.findings.fingerprints import digest
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import replace
from fairlint.syntax.tree import Span

if TYPE_CHECKING:
    from fairlint.findings.finding import Finding
    from fairlint.findings.uses import Use
    from fairlint.syntax.enclosing import Enclosing
    from fairlint.syntax.tokens import Tokens

MOST_TOKENS = 80
"""Tokens of a finding's own code that count: what follows may change."""
NEIGHBOURS = 8
"""Tokens on either side that tell equal findings of one function apart."""
REACH = 600
"""Bytes on either side of a finding outside of all functions in which its neighbours are looked for."""
_TOKEN = lazy_expression(rb"[\w\x80-\xff]+(?:\.\d+)?|[^\s\w()\\,;]")
_SPACE = lazy_expression(rb"\s+")
_OWN = b"\x00"
"""Stands for each function that the file defines."""


class Identities:
    """Gives the findings of one source their identities."""

    def __init__(self, data: bytes, tokens: Tokens | None, enclosing: Enclosing) -> None:
        self._data = data
        self._tokens = tokens
        self._enclosing = enclosing
        self._read: dict[tuple[int, int], tuple[tuple[int, bytes], ...]] = {}
        self._hashes: dict[int, int] = {}

    def of(self, rule: str, use: Use) -> Identity:
        """Return the identity of a rule's finding."""
        around = self._enclosing.at(use.span)
        span = around.whole
        bounds = self._surrounding_bounds(span) if around.function is None else around.function
        code = self._token_sequence(bounds.start, max(bounds.end, span.end), around.parameters)
        first, last = _token_index(code, span.start), _token_index(code, span.end)
        own = [token for _, token in code[first:last]][:MOST_TOKENS] or [self._data[span.start : span.end]]
        key = "\0".join((rule, use.kind, *sorted(use.attributes)))
        beside = (*code[max(first - NEIGHBOURS, 0) : first], *code[last : last + NEIGHBOURS])
        return Identity(
            own=digest(key.encode("utf-8", "surrogatepass") + b"\0" + b" ".join(own)),
            function=around.name,
            body=0 if around.function is None else self._hash_of(code),
            near=_hash_tokens(token for _, token in beside),
        )

    def _surrounding_bounds(self, span: Span) -> Span:
        """Return what is read around a finding that is in no function."""
        before = self._data.rfind(b"\n", 0, max(span.start - REACH, 0)) + 1
        after = self._data.find(b"\n", span.end + REACH)
        return Span(before, len(self._data) if after < 0 else after)

    @cached_property
    def _names(self) -> frozenset[bytes]:
        """The functions that the source defines."""
        return frozenset(name.encode("utf-8", "surrogatepass") for name in self._enclosing.functions)

    def _token_sequence(self, start: int, end: int, given: Sequence[str]) -> tuple[tuple[int, bytes], ...]:
        """Return the tokens between two places, each with where it begins; read once. `given` are told by
        place.
        """
        if (start, end) not in self._read:
            names = {name.encode("utf-8", "surrogatepass"): b"%d" % at for at, name in enumerate(given)}
            self._read[start, end] = tuple(self._tokenize_range(start, end, names))
        return self._read[start, end]

    def _hash_of(self, code: tuple[tuple[int, bytes], ...]) -> int:
        """Return a number for the tokens of a function, worked out once: many findings may stand in it."""
        if id(code) not in self._hashes:
            self._hashes[id(code)] = _hash_tokens(token for _, token in code)
        return self._hashes[id(code)]

    def _tokenize_range(
        self, start: int, end: int, given: Mapping[bytes, bytes]
    ) -> Iterator[tuple[int, bytes]]:
        data, at = self._data, start
        for first, last in (*self._separate_ranges(start, end), (end, end)):
            for found in _TOKEN.finditer(data, at, first):
                word = found[0]
                yield found.start(), _OWN if word in self._names else given.get(word, _normalize_number(word))
            at = last
            if first < last and self._tokens is not None and not self._tokens.is_comment(data, first):
                yield first, _normalize_text(data, first, last, self._tokens)

    def _separate_ranges(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the comments and texts between two places."""
        if self._tokens is None:
            return
        at = start
        while (found := self._tokens.expression.search(self._data, at, end)) is not None:
            if found.lastindex is None:
                yield found.span()
            at = found.end() if found.lastindex is None else found.start() + 1


def number_findings(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the findings of a source with numbers for those whose own code is the same, in their order."""
    seen: dict[tuple[str, str], int] = {}
    for finding in findings:
        key = (finding.path, finding.identity.own)
        seen[key] = number = seen.get(key, 0) + 1
        yield replace(finding, identity=replace(finding.identity, number=number))


def _token_index(code: Sequence[tuple[int, bytes]], at: int) -> int:
    """Return how many tokens begin before a place."""
    return bisect_right(code, at - 1, key=lambda token: token[0])


def _normalize_number(word: bytes) -> bytes:
    """Return a word; of numbers, letters are small, as formatters write them."""
    return word.lower() if word[:1].isdigit() else word


def _normalize_text(data: bytes, start: int, end: int, tokens: Tokens) -> bytes:
    """Return a text as it would be between other quotes, with any indentation."""
    size = tokens.quote_size(data, start, end)
    inner = data[start + size : end - size].replace(b"\\'", b"'").replace(b'\\"', b'"')
    return b'"' + _SPACE.sub(b" ", inner).strip() + b'"'


def _hash_tokens(tokens: Iterable[bytes]) -> int:
    value = 0
    for token in tokens:
        value = crc32(token + b" ", value)
    return value
