"""Where a source may name a protected attribute, on the text alone: most files end here, unparsed.

The vocabulary's one expression says quickly where an identifier *may* name one. What it finds is looked at
again: comments and documentation name nothing, and an identifier or a text has to be a mention to the
vocabulary itself, as it will be asked later on. Whatever is unclear counts as a sighting.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping

from fairlint.analysis.getters import GETTER_PREFIXES

TYPE_CHECKING = False  # importing typing would take as long as the search
if TYPE_CHECKING:
    from fairlint.vocabulary import Vocabulary

READ_WHOLE = 16_000
"""Bytes of a first few small files whose words are looked up one by one: below this, compiling the expression
would take longer."""
LONGEST_NAME = 120
"""Texts longer than this are no names."""

_WORD = re.compile(rb"[\w\x80-\xff]+")
_PYTHON = (
    rb"#[^\r\n]*"
    rb"|(?<![\w\x80-\xff])[rRbBuUfFtT]{1,2}(?=[\"'])"
    rb'|"""(?:[^"\\]++|\\.|"(?!""))*+"""'
    rb"|'''(?:[^'\\]++|\\.|'(?!''))*+'''"
    rb"|\"\"\"|'''"
    rb'|"(?:[^"\\\r\n]++|\\(?:\r\n|.))*+"'
    rb"|'(?:[^'\\\r\n]++|\\(?:\r\n|.))*+'"
    rb"|[\"']"
)
_C = (
    rb"/\*.*?(?:\*/|\Z)"
    rb"|//(?:[^\\\r\n]++|\\(?:\r\n|.))*+"
    rb'|"(?:[^"\\\r\n]++|\\(?:\r\n|.))*+"'
    rb"|'(?:[^'\\\r\n]++|\\(?:\r\n|.))*+'"
    rb"|[\"']"
)
_TOKENS: Mapping[str, bytes] = {"python": _PYTHON, "c": _C}
"""Language -> its comments, string prefixes and texts; quotes alone begin a text that never ends."""
_ENDLESS = frozenset({b'"', b"'", b'"""', b"'''"})
_COMMENTS = (b"#", b"/*", b"//")
_CODE_IN_TEXT = re.compile(rb"[=<>(\[@{\\]")
"""Stands in texts that are code themselves: queries, templates."""
_GOES_ON = b"([{,=+%"
"""After these an expression follows, so that a text there is no documentation."""


class Sightings:
    """Gives the offsets, in order, at which a source may name a protected attribute."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._whole = READ_WHOLE
        self._words: dict[bytes, bool] = {}

    def __call__(self, data: bytes, language: str | None) -> list[int]:
        """The offsets in `data`; all that may be one where the language's texts are not known."""
        tokens = _TOKENS.get(language or "")
        if tokens is None:
            return self._vocabulary.offsets(data)
        found: Iterable[tuple[int, int]]
        if len(data) <= self._whole:
            self._whole -= len(data)
            found = (match.span() for match in _WORD.finditer(data))
        else:
            found = self._vocabulary.spans(data)
        return self._confirmed(data, tokens, found)

    def _confirmed(self, data: bytes, tokens: bytes, found: Iterable[tuple[int, int]]) -> list[int]:
        texts: _Texts | None = None
        offsets: list[int] = []
        seen = 0
        for start, end in found:
            if end <= seen:  # inside a word that was looked at
                continue
            words = list(_words(data, start, end))
            if not words:
                continue
            seen = words[0][1]
            if texts is None:
                texts = _Texts(data, tokens, self)
            if not texts.clear:
                return self._vocabulary.offsets(data)
            if (inside := texts.at(words[0][0])) is None:
                told = any(self._named_at(data, first, last) for first, last in words)
            elif inside.is_code:
                told = inside.is_name or any(self.names(data[first:last]) for first, last in words)
            else:
                told = inside.is_name or self._vocabulary.is_owned(data, *words[0])
            if told:
                offsets.append(words[0][0])
        return offsets

    def _named_at(self, data: bytes, start: int, end: int) -> bool:
        return self.names(data[start:end]) or self._vocabulary.is_owned(data, start, end)

    def names(self, word: bytes) -> bool:
        """Whether an identifier names an attribute, or would with `get_` and its like before it."""
        known = self._words.get(word)
        if known is None:
            text = word.decode("utf-8", "replace")
            known = self._words[word] = self.mentions(text) or any(
                text.startswith(prefix) and self.mentions(text[len(prefix) :]) for prefix in GETTER_PREFIXES
            )
            if not known and "__" in text:  # `age__gt` in a query
                known = self._words[word] = any(self.mentions(part) for part in text.split("__"))
        return known

    def mentions(self, text: str) -> bool:
        """Whether the vocabulary takes a text for an attribute's name."""
        return bool(self._vocabulary.mentions(text))


class _Text:
    """What is known about one comment or text."""

    __slots__ = ("is_code", "is_name")

    def __init__(self, *, is_name: bool, is_code: bool) -> None:
        self.is_name = is_name
        self.is_code = is_code


_SILENT = _Text(is_name=False, is_code=False)


class _Texts:
    """The comments and texts of one source."""

    def __init__(self, data: bytes, tokens: bytes, sightings: Sightings) -> None:
        self._data = data
        self._sightings = sightings
        self._spans: list[tuple[int, int]] = []
        self._known: dict[int, _Text] = {}
        self.clear = True
        """Whether all texts end; where one does not, nobody knows what is inside a text and what is not."""
        for match in re.finditer(tokens, data, re.DOTALL):
            start, end = match.span()
            if end - start <= 3 and data[start:end] in _ENDLESS:
                self.clear = False
                break
            self._spans.append((start, end))
        self._starts = [start for start, _ in self._spans]

    def at(self, offset: int) -> _Text | None:
        """The comment or text around an offset, or None in code."""
        place = bisect_right(self._starts, offset) - 1
        if place < 0 or self._spans[place][1] <= offset:
            return None
        found = self._known.get(place)
        if found is None:
            found = self._known[place] = self._look(place)
        return found

    def _look(self, place: int) -> _Text:
        data = self._data
        start, end = self._spans[place]
        if data.startswith(_COMMENTS, start):
            return _SILENT
        quotes = 3 if data[start : start + 3] in (b'"""', b"'''") and end - start >= 6 else 1
        body = data[start + quotes : end - quotes]
        escaped = b"\\" in body
        is_name = (
            len(body) <= LONGEST_NAME
            and not escaped
            and self._sightings.mentions(body.decode("utf-8", "replace"))
        )
        before = self._spans[place - 1] if place else (0, 0)
        formatted = before[1] == start and data[before[0]] not in b"\"'#" and self._is_formatted(before)
        if quotes == 3 and not formatted and self._documents(start):
            return _Text(is_name=is_name, is_code=False)
        return _Text(is_name=is_name, is_code=formatted or bool(_CODE_IN_TEXT.search(body)))

    def _is_formatted(self, prefix: tuple[int, int]) -> bool:
        letters = self._data[prefix[0] : prefix[1]].lower()
        return len(letters) <= 2 and (b"f" in letters or b"t" in letters)

    def _documents(self, start: int) -> bool:
        """Whether a text is a statement by itself."""
        line = max(self._data.rfind(b"\n", 0, start), self._data.rfind(b"\r", 0, start)) + 1
        if self._data[line:start].strip(b" \t\frRuU"):
            return False
        above = self._data[:line].rstrip()[-1:]
        return not above or above not in _GOES_ON


def _words(data: bytes, start: int, end: int) -> Iterable[tuple[int, int]]:
    """The whole words that a stretch touches, and the one that follows it at once: the stretch of a match may
    hold the one character that keeps the next word from matching."""
    first = _WORD.search(data, start, end + 1)
    if first is None:
        return
    at = first.start()
    least = max(at - LONGEST_NAME - 1, 0)
    while at > least and _is_word(data[at - 1]):
        at -= 1
    for word in _WORD.finditer(data, at, end + LONGEST_NAME + 2):  # what is cut short there is no name
        if word.start() > end:
            return
        yield word.span()


def _is_word(byte: int) -> bool:
    return (
        byte >= 0x80 or byte == 0x5F or 0x30 <= byte <= 0x39 or 0x41 <= byte <= 0x5A or 0x61 <= byte <= 0x7A
    )
