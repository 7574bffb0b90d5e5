"""Where a source may name a protected attribute, on the text alone: most files end here, unparsed.

The vocabulary's one expression says quickly where an identifier *may* name one. What it finds is looked at
again: comments and documentation name nothing, and an identifier or a text has to be a mention to the
vocabulary itself, as it will be asked later on. Whatever is unclear counts as a hit.

Running text is looked at only where it is code itself (a query, a template), where it asks to decide about
a person, and where it names a group of people and says whom to prefer.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from itertools import groupby

from fairlint.support.expressions import lazy_expression
from fairlint.vocabulary.getters import GETTER_PREFIXES
from fairlint.vocabulary.labels import asked_for
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.phrases import whole_words
from fairlint.vocabulary.preferring import is_near_preferring, preferring
from fairlint.vocabulary.words import split_words

TYPE_CHECKING = False  # importing typing would take as long as the search
if TYPE_CHECKING:
    from fairlint.syntax.tokens import Tokens
    from fairlint.vocabulary import Vocabulary

READ_WHOLE = 16_000
"""Bytes of a first few small files whose words are looked up one by one: below this, compiling the expression
would take longer."""
LONGEST_NAME = 120
"""Texts longer than this are no names."""

_WORD = lazy_expression(rb"[\w\x80-\xff]+")
_CODE_IN_TEXT = lazy_expression(rb"[=<>(\[@{\\]|%[sdif]")
"""Stands in texts that are code themselves: queries, templates."""
_SIGN = lazy_expression(rb"[^\s\w\x80-\xff.?!]")
_TEACHING = (b".fit(", b"train_test_split(", b"DMatrix(", b"cross_val_score(")
"""What a file that teaches a model holds."""
_ASKED = lazy_expression(rb"\binput\([ \t]*[fF]?$")
_OPTION = lazy_expression(rb"(?<![\w.])\d{1,2}[ \t]*(?:[.):=-]|for\b)[ \t]*[A-Za-z\x80-\xff]")
"""Stands in the options of a menu: `1. Male`."""
REACH_OF_CALL = 16
"""Bytes before a text in which a call that asks for it is looked for."""
_GOES_ON = b"([{,=+%"
"""After these an expression follows, so that a text there is no documentation."""


MOST_WORDS = 50_000
"""Words whose meaning is kept."""


class Prefilter:
    """Gives the offsets, in order, at which a source may name a protected attribute."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._whole = READ_WHOLE
        self._words: dict[bytes, bool] = {}
        self._searches: dict[str, Callable[[bytes], list[tuple[int, int]]]] = {}

    def __call__(self, data: bytes, tokens: Tokens | None) -> list[int]:
        """Return the offsets in `data`; all that may be one where nobody knows what its texts look like."""
        found: list[tuple[int, int]]
        is_small = len(data) <= self._whole
        holds_rare = is_small or self._holds_rare(data)
        if is_small:
            self._whole -= len(data)
            found = [match.span() for match in _WORD.finditer(data)]
            groups = list(self._vocabulary.prose.places(data, found))
        else:
            found = self._vocabulary.spans(data)
            if holds_rare and (marks := self._match_offsets(_marks_of_guessers(), data)):
                found = sorted([*found, *((at, at + 1) for at in marks)])
            groups = self._group_offsets(data)
        if tokens is None:
            unclear = [at for at in groups if is_near_preferring(data, at)]
            offsets = _merge_offsets(self._vocabulary.offsets(data), unclear)
            offsets = _merge_offsets(offsets, self._code_offsets(data) if holds_rare else ())
            return offsets or (self._known_tables(data, is_small=is_small) if holds_rare else [])
        texts = _Texts(data, tokens, self)
        offsets = self._confirm_offsets(data, texts, found)
        if offsets:
            asked = (
                _in_python("asking", data)
                if is_small
                else self._match_offsets(_prefilter_expression("asking"), data)
            )
            offsets = _merge_offsets(offsets, map(texts.asking_at, asked))
        near = [at for at in groups if is_near_preferring(data, at)]
        offsets = _merge_offsets(offsets, map(texts.preferring_at, near))
        offsets = _merge_offsets(offsets, self._code_offsets(data) if holds_rare else ())
        return offsets or (self._known_tables(data, is_small=is_small) if holds_rare else [])

    def _code_offsets(self, data: bytes) -> Iterator[int]:
        """Yield where texts say what a name means that means nothing by itself: "OBC" of a `category`."""
        names, values = self._telling_names_and_values
        found = [value for value in values if value in data]
        if not found:
            return
        lower = data.lower()
        if any(name in lower for name in names):
            for value in found:
                at = data.find(value)
                while at >= 0:
                    yield at
                    at = data.find(value, at + 1)

    @cached_property
    def _holds_rare(self) -> Callable[[bytes], bool]:
        """Whether a mark of a guesser, a value that says what a name means or a known table may stand in a
        source: one search for all that few sources hold.
        """
        from fairlint.vocabulary.keyword_automaton import escape_word, found_in  # noqa: PLC0415 (as in `_search`)

        values = "|".join(map(escape_word, sorted(self._vocabulary.telling_values)))
        parts = (_marks_of_guessers(), values and f"[\"'](?:{values})[\"']", self._data_set_pattern)
        return found_in("|".join(f"(?:{part})" for part in parts if part))

    @cached_property
    def _telling_names_and_values(self) -> tuple[frozenset[bytes], tuple[bytes, ...]]:
        quoted = {f"{mark}{one}{mark}" for one in self._vocabulary.telling_values for mark in "'\""}
        names = (name.rpartition(" ")[2].encode() for name in self._vocabulary.telling)
        return frozenset(names), tuple(sorted(one.encode() for one in quoted))

    def _known_tables(self, data: bytes, *, is_small: bool) -> list[int]:
        """Return where a table is read that is known to have protected columns, although none is named."""
        if is_small:
            if not any(mark in data for mark in _TEACHING):
                return []
            lower = data.lower().replace(b"'", b'"')
            return sorted(at for mark in self._vocabulary.data_set_marks() if (at := lower.find(mark)) >= 0)
        found = self._match_offsets(self._data_set_pattern, data)
        return found if found and any(mark in data for mark in _TEACHING) else []

    @cached_property
    def _data_set_pattern(self) -> str:
        marks = (re.escape(mark.decode()) for mark in self._vocabulary.data_set_marks())
        return "(?i)" + "|".join(marks).replace('"', "[\"']")

    def _group_offsets(self, data: bytes) -> list[int]:
        """Return where running text may name a group of people, found fast and looked at again."""
        prose = self._vocabulary.prose
        words = (_WORD.match(data, at) for at in self._match_offsets(prose.pattern, data))
        return list(prose.places(data, (word.span() for word in words if word is not None)))

    def _match_offsets(self, expression: str, data: bytes) -> list[int]:
        """Return where an expression matches, found fast."""
        search = self._searches.get(expression)
        if search is None:
            from fairlint.vocabulary.keyword_automaton import spans_in  # noqa: PLC0415 (a small file does without)

            search = self._searches[expression] = spans_in(expression)
        return [start for start, _ in search(data)]

    def _confirm_offsets(self, data: bytes, texts: _Texts, found: Iterable[tuple[int, int]]) -> list[int]:
        offsets: list[int] = []
        seen = 0
        for start, end in found:
            if end <= seen:  # inside a word that was looked at
                continue
            words = list(_touched_words(data, start, end))
            if not words:
                continue
            seen = words[0][1]
            if not texts.clear_to(words[-1][0]):
                unclear = self._vocabulary.spans(data)
                return [at for at, _ in unclear] if unclear and unclear[-1][1] > words[0][0] else offsets
            for inside, several in _by_text(words, texts):
                if self._has_attribute_name(data, inside, several):
                    at = several[0][0] if inside is None else inside.start
                    if not offsets or offsets[-1] != at:
                        offsets.append(at)
        return offsets

    def _has_attribute_name(self, data: bytes, inside: _Text | None, words: list[tuple[int, int]]) -> bool:
        """Return whether words name an attribute that all stand in one text, or in code."""
        if inside is None:
            return any(self._named_at(data, first, last) for first, last in words)
        if inside.is_name or (inside is not _SILENT and _is_mark(data, words)):
            return True
        if not inside.is_code:
            return self._vocabulary.is_owned(data, *words[0])
        return any(
            self._vocabulary.is_owned(data, first, last)
            or (
                self.names(data[first:last])
                and (inside.is_telling or _is_in_code(data, first, last, inside.end))
            )
            for first, last in words
        )

    def _named_at(self, data: bytes, start: int, end: int) -> bool:
        return self.names(data[start:end]) or self._vocabulary.is_owned(data, start, end)

    def names(self, word: bytes) -> bool:
        """Return whether an identifier names an attribute, or would with `get_` and its like before it."""
        known = self._words.get(word)
        if known is None:
            if len(self._words) >= MOST_WORDS:
                self._words.clear()
            text = word.decode("utf-8", "replace")
            known = self._words[word] = self.mentions(text) or any(
                text.startswith(prefix) and self.mentions(text[len(prefix) :]) for prefix in GETTER_PREFIXES
            )
            if not known and "__" in text:  # `age__gt` in a query
                known = self._words[word] = any(self.mentions(part) for part in text.split("__"))
            if not known:
                said = text in _guess_words("marks") or self._lists_names(text)
                known = self._words[word] = said or self._is_guess(text)
        return known

    def _lists_names(self, name: str) -> bool:
        """Return whether a list holds the names of a group: `FEMALE_NAMES`."""
        words = split_words(name) if "names" in name.lower() else ()
        return any(self._vocabulary.groups_in(word) for word in words)

    def _is_guess(self, name: str) -> bool:
        """Return whether a name is that of a guess: `gender_pred`, `gender_output`."""
        head, _, last = name.rpartition("_")
        return (
            bool(head)
            and last.lower() in _guess_words("guessed") | _guess_words("answers")
            and self.mentions(head)
        )

    def names_model(self, text: bytes) -> bool:
        """Return whether a text names a model that guesses a group, or its file:
        `someone/gender-classification`.
        """
        if b" " in text or not (b"-" in text or b"." in text):
            return b"_" in text and self.names(text)
        words = _WORD.findall(text.replace(b"_", b" "))
        said = {word.decode("utf-8", "replace").lower() for word in words}
        kinds = _guess_words("names_model") | _guess_words("stores_model")
        return not said.isdisjoint(kinds) and any(map(self.mentions, said))

    def mentions(self, text: str) -> bool:
        """Return whether the vocabulary takes a text for an attribute's name."""
        return bool(self._vocabulary.mentions(text))

    def asks_for(self, text: str) -> bool:
        """Return whether a text asks whoever reads it for an attribute: "Enter your gender: "."""
        name, speaks = asked_for(text.replace("\\n", " "))
        return speaks and bool(name) and self.mentions(name)


def _guess_words(name: str) -> frozenset[str]:
    """Return some of the words of `words/inferred_groups.toml`."""
    return word_lists("inferred_groups")[name]


@cache
def _marks_of_guessers() -> str:
    return "|".join(sorted(map(re.escape, _guess_words("marks"))))


def _is_mark(data: bytes, words: list[tuple[int, int]]) -> bool:
    return any(data[first:last].decode("utf-8", "replace") in _guess_words("marks") for first, last in words)


@cache
def _prefilter_expression(name: str) -> str:
    """Return one of the expressions of `words/prefilter.toml`."""
    return whole_words(word_lists("prefilter")[name])


@cache
def _prefilter_pattern(name: str) -> re.Pattern[bytes]:
    return re.compile(_prefilter_expression(name).encode())


def asks(data: bytes) -> bool:
    """Return whether some text may ask to decide about a person."""
    if len(data) < READ_WHOLE:
        return _prefilter_pattern("asking").search(data) is not None
    return _found_fast("asking")(data)


@cache
def _found_fast(name: str) -> Callable[[bytes], bool]:
    from fairlint.vocabulary.keyword_automaton import found_in  # noqa: PLC0415 (as in `_search`)

    return found_in(_prefilter_expression(name))


def _in_python(name: str, data: bytes) -> list[int]:
    return [match.start() for match in _prefilter_pattern(name).finditer(data)]


def _merge_offsets(offsets: list[int], more: Iterable[int | None]) -> list[int]:
    """Return all offsets, in order."""
    new = {offset for offset in more if offset is not None}
    return sorted(new.union(offsets)) if new else offsets


class _Text:
    """What is known about one comment or text; what it is assigned to stands where it starts."""

    __slots__ = ("end", "is_code", "is_name", "is_telling", "start")

    def __init__(
        self, start: int, end: int, *, is_name: bool, is_code: bool, is_telling: bool = False
    ) -> None:
        self.start = start
        self.end = end
        self.is_name = is_name
        self.is_code = is_code
        self.is_telling = is_telling


_SILENT = _Text(0, 0, is_name=False, is_code=False)


class _Texts:
    """The comments and texts of one source."""

    def __init__(self, data: bytes, tokens: Tokens, prefilter: Prefilter) -> None:
        self._data = data
        self._tokens = tokens
        self._prefilter = prefilter
        self._left = tokens.expression.finditer(data)
        self._spans: list[tuple[int, int]] = []
        self._starts: list[int] = []
        self._is_clear = True
        self._known: dict[int, _Text] = {}
        self._preferring: dict[int, bool] = {}

    def _read_to(self, offset: int) -> None:
        """Read on until all up to an offset is known: what stands behind a mention does not matter."""
        for match in self._left:
            start, end = match.span()
            self._spans.append((start, end))
            self._starts.append(start)
            if match.lastindex is not None:
                self._is_clear = False
                self._left = iter(())
                return
            if start > offset:
                return

    def clear_to(self, offset: int) -> bool:
        """Return whether all texts up to an offset end; where one does not, nobody knows what is inside a
        text.
        """
        if not self._starts or self._starts[-1] <= offset:
            self._read_to(offset)
        return self._is_clear

    def _text_index(self, offset: int) -> int | None:
        if not self.clear_to(offset):
            return None
        place = bisect_right(self._starts, offset) - 1
        return None if place < 0 or self._spans[place][1] <= offset else place

    def at(self, offset: int) -> _Text | None:
        """Return the comment or text around an offset, or None in code."""
        place = self._text_index(offset)
        if place is None:
            return None
        found = self._known.get(place)
        if found is None:
            found = self._known[place] = self._inspect_text(place)
        return found

    def asking_at(self, offset: int) -> int | None:
        """Return where the text around an offset starts, if it is no comment or documentation."""
        place = self._text_index(offset)
        return None if place is None or self._is_idle(place) else self._starts[place]

    def _is_idle(self, place: int) -> bool:
        """Return whether it is a comment, documentation, or many lines of bytes."""
        start, end = self._spans[place]
        if self._tokens.is_comment(self._data, start):
            return self._tokens.is_closed(self._data, start, end)
        if self._tokens.quote_size(self._data, start, end) == 1:
            return False
        return self._tokens.is_binary(self._data, start) or self._is_docstring(start)

    def preferring_at(self, offset: int) -> int | None:
        """Return where the text around a group's name starts, if it may say to prefer or avoid the group."""
        place = self._text_index(offset)
        if place is None:
            return None
        told = self._preferring.get(place)
        if told is None:
            told = self._preferring[place] = self._has_preference(place)
        return self._starts[place] if told else None

    def _has_preference(self, place: int) -> bool:
        if self._is_idle(place):
            return False
        start, end = self._spans[place]
        body = self._data[start:end]
        return preferring().search(body) is not None

    def _inspect_text(self, place: int) -> _Text:
        data = self._data
        start, end = self._spans[place]
        if self._tokens.is_comment(data, start):
            if self._tokens.is_closed(data, start, end):
                return _SILENT
            return _Text(start, end, is_name=False, is_code=True, is_telling=True)  # it takes in code
        quotes = self._tokens.quote_size(data, start, end)
        body = data[start + quotes : end - quotes]
        escaped = b"\\" in body
        is_name = False
        if len(body) <= LONGEST_NAME:
            text = body.decode("utf-8", "replace")
            is_name = (not escaped and self._prefilter.mentions(text)) or self._prefilter.asks_for(text)
        formatted = self._tokens.is_formatted(data, start)
        if quotes > 1 and not formatted and self._is_docstring(start):
            return _Text(start, end - quotes, is_name=is_name, is_code=False)
        is_telling = _prefilter_pattern("telling").search(body) is not None
        is_telling = is_telling or (len(body) <= LONGEST_NAME and _OPTION.search(body) is not None)
        is_code = is_name or formatted or is_telling or bool(_CODE_IN_TEXT.search(body))
        is_name = is_name or (len(body) <= LONGEST_NAME and self._prefilter.names_model(body))
        is_name = is_name or self._asks_for_it(start, body)
        return _Text(start, end - quotes, is_name=is_name, is_code=is_code, is_telling=is_telling)

    def _asks_for_it(self, start: int, body: bytes) -> bool:
        """Return whether somebody at the screen is asked for an attribute: `input("Enter your age: ")`."""
        if (
            len(body) > LONGEST_NAME
            or _ASKED.search(self._data, max(0, start - REACH_OF_CALL), start) is None
        ):
            return False
        return any(self._prefilter.names(word) for word in _WORD.findall(body))

    def _is_docstring(self, start: int) -> bool:
        """Return whether a text is a statement by itself."""
        line = max(self._data.rfind(b"\n", 0, start), self._data.rfind(b"\r", 0, start)) + 1
        tokens = self._tokens
        plain = bytes(letter for letter in tokens.prefixes if letter not in tokens.formatted + tokens.binary)
        if self._data[line:start].strip(b" \t\f" + plain):
            return False
        above = self._data[:line].rstrip()[-1:]
        return not above or above not in _GOES_ON


def _is_in_code(data: bytes, start: int, end: int, limit: int) -> bool:
    """Return whether a word in a text is part of what makes it code, and not one of a message:
    `gender=%s`.
    """
    return bool(_SIGN.search(data, max(start - 2, 0), start) or _SIGN.search(data, end, min(end + 2, limit)))


def _by_text(
    words: list[tuple[int, int]], texts: _Texts
) -> Iterator[tuple[_Text | None, list[tuple[int, int]]]]:
    """Yield words with the text that they stand in, or None for code; those in the same one together."""
    for inside, several in groupby(words, lambda word: texts.at(word[0])):
        yield inside, list(several)


def _touched_words(data: bytes, start: int, end: int) -> Iterable[tuple[int, int]]:
    """Yield the whole words that a stretch touches, and the one that follows it at once: the stretch of a
    match may hold the one character that keeps the next word from matching.
    """
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
