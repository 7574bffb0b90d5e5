"""Names in identifiers: which attribute an identifier, key or column holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from fairlint.vocabulary.groups import Groups
from fairlint.vocabulary.model import Form, Mention, Strength
from fairlint.vocabulary.tables import AttributeTable, FlagGrade, Grade, Words, table, texts, with_plural
from fairlint.vocabulary.words import singular, split_words

_STRENGTHS: Mapping[Grade, Strength] = {
    "strong": "strong",
    "likely": "ambiguous",
    "ambiguous": "ambiguous",
    "proxy": "proxy",
}
_MOST_WORDS = 14
_MOST_WORDS_IN_TEXT = 6
_NO_NAME = frozenset("!;<>{}=%$\n\t\r\\")
_ENDS_OF_TEXT = (".", "?", ":", ",")
_COMPARISONS = frozenset({"is", "eq", "equals"})


class Around(NamedTuple):
    """The words that may stand around a name inside one identifier."""

    after: frozenset[str]
    banding: frozenset[str]
    circumstance: frozenset[str]
    owner: frozenset[str]
    before_not: frozenset[str]
    flag_before: frozenset[str]
    flag_opens: frozenset[str]
    flag_persons: frozenset[str]
    flag_after: frozenset[str]
    constant_before: frozenset[str]
    group_after: frozenset[str]

    @classmethod
    def read(cls, raw: object) -> Around:
        """From the table `names` of names.toml."""
        entries = table(raw, "names")
        return cls(**{key: frozenset(texts(value, f"names.{key}")) for key, value in entries.items()})


class _Name(NamedTuple):
    words: Words
    attribute: str
    grade: Grade
    form: Form


class _Flag(NamedTuple):
    words: Words
    attribute: str
    group: str
    grade: FlagGrade


class _Hit(NamedTuple):
    start: int
    end: int
    entry: _Name | _Flag


class Names:
    """The index of all names, flags and columns. `weights` gives each grade's weight."""

    def __init__(
        self,
        tables: Mapping[str, AttributeTable],
        groups: Groups,
        around: Around,
        persons: frozenset[str],
        weights: Mapping[str, int],
    ) -> None:
        self._groups = groups
        self._around = around
        self._persons = persons
        self._weights = weights
        self._not_of = {name: entry.not_of for name, entry in tables.items()}
        self._index: dict[str, list[_Name | _Flag]] = {}
        self._nots: dict[str, list[tuple[Words, str]]] = {}
        self._columns: dict[str, list[_Name]] = {}
        for name, entry in tables.items():
            for item in _entries(name, entry):
                self._index.setdefault(item.words[0], []).append(item)
            for words in entry.nots:
                self._nots.setdefault(words[0], []).append((words, name))
            for column in entry.columns:
                words = split_words(column)
                form = entry.forms.get(words, entry.form)
                grade: Grade = "proxy" if entry.kind == "proxy" else "ambiguous"
                self._columns.setdefault(column, []).append(_Name(words, name, grade, form))

    def sequences(self) -> Iterator[tuple[Words, bool]]:
        """Every word sequence that can make a mention, and whether it needs `is_` or a person beside it."""
        for items in self._index.values():
            for item in items:
                yield item.words, isinstance(item, _Flag) and item.grade == "ambiguous"

    def columns(self) -> Iterable[str]:
        """The columns that are known by their exact spelling."""
        return self._columns

    def find(self, identifier: str) -> tuple[Mention, ...]:
        """The mentions in an identifier, in the order of their words."""
        if len(identifier) > 120 or not _NO_NAME.isdisjoint(identifier):
            return ()
        exact = self._columns.get(identifier, ())
        words = split_words(identifier)
        if not words or len(words) > _MOST_WORDS:
            return ()
        text = " " in identifier.strip()
        if (text and len(words) > _MOST_WORDS_IN_TEXT) or identifier.rstrip().endswith(_ENDS_OF_TEXT):
            return ()
        hits = self._hits(words)
        judged = (self._judge(hit, hits, words, identifier, text) for hit in hits)
        mentions = list({(item.attribute, item.group): item for item in judged if item is not None}.values())
        seen = {mention.attribute for mention in mentions}
        mentions += [
            self._mention(item, identifier, item.words, item.form, None)
            for item in exact
            if item.attribute not in seen
        ]
        return tuple(mentions)

    def _hits(self, words: Words) -> list[_Hit]:
        """All matches that are not inside a longer one and not part of a collocation, left to right."""
        found = [
            _Hit(at, at + len(item.words), item)
            for at, word in enumerate(words)
            for item in self._index.get(word, ())
            if words[at : at + len(item.words)] == item.words
        ]
        if not found:
            return found
        vetoes = [
            (at, at + len(sequence), attribute)
            for at, word in enumerate(words)
            for sequence, attribute in self._nots.get(word, ())
            if words[at : at + len(sequence)] == sequence
        ]
        kept: list[_Hit] = []
        for hit in sorted(found, key=lambda hit: (hit.start - hit.end, hit.start)):
            span = (hit.start, hit.end)
            inside = any(
                hit.start < other.end and other.start < hit.end and (other.start, other.end) != span
                for other in kept
            )
            vetoed = any(
                attribute == hit.entry.attribute
                and start < hit.end
                and hit.start < end
                and end - start >= hit.end - hit.start
                for start, end, attribute in vetoes
            )
            if not inside and not vetoed:
                kept.append(hit)
        return sorted(kept, key=lambda hit: hit.start)

    def _judge(
        self, hit: _Hit, hits: list[_Hit], words: Words, identifier: str, text: bool
    ) -> Mention | None:
        taken = {at for other in hits if other is not hit for at in range(other.start, other.end)}
        entry = hit.entry
        before = [words[at] for at in range(hit.start) if at not in taken]
        if not self._not_of[entry.attribute].isdisjoint(before):
            return None
        if isinstance(entry, _Flag):
            after = [words[at] for at in range(hit.end, len(words)) if at not in taken]
            if not self._flag_stands(entry, before, after, text):
                return None
            return self._mention(entry, identifier, entry.words, "flag", entry.group)
        if not self._around.before_not.isdisjoint(before):
            return None
        rest = words[hit.end :]
        if rest and (group := self._group_after(entry.attribute, rest)):
            return self._mention(entry, identifier, words[hit.start :], "flag", group)
        if not self._tail_stands([words[at] for at in range(hit.end, len(words)) if at not in taken]):
            return None
        form = entry.form
        if form == "number" and not self._around.banding.isdisjoint(rest):
            form = "value"
        return self._mention(entry, identifier, entry.words, form, None)

    def _mention(
        self, entry: _Name | _Flag, identifier: str, words: Words, form: Form, group: str | None
    ) -> Mention:
        strength: Strength
        if isinstance(entry, _Flag):
            strength = "strong" if entry.grade == "strong" else "ambiguous"
            weight = self._weights["flag" if entry.grade == "strong" else "ambiguous"]
        else:
            strength = _STRENGTHS[entry.grade]
            weight = self._weights[entry.grade]
            if group is not None and entry.grade != "proxy":
                strength, weight = "strong", self._weights["flag"]
        return Mention(entry.attribute, identifier, words, strength, form, group, weight)

    def _flag_stands(self, flag: _Flag, before: list[str], after: list[str], text: bool) -> bool:
        around = self._around
        if not all(word in around.flag_before or self._is_person(word) for word in before):
            return False
        if not all(word in around.flag_after or word.isdigit() or self._is_person(word) for word in after):
            return False
        if flag.grade == "ambiguous":
            beside = [*before[-1:], *after[:1]]
            return any(
                word in around.flag_opens or singular(word) in around.flag_persons for word in beside
            ) and (bool(before) or singular(after[0]) in around.flag_persons)
        return not text or bool(before) or bool(after) or len(flag.words) == 1

    def _tail_stands(self, after: list[str]) -> bool:
        around = self._around
        for at, word in enumerate(after):
            if word in around.circumstance:
                return True
            if word in around.owner:
                return any(self._is_person(other) for other in after[at + 1 :])
            last = at == len(after) - 1
            if word not in around.after and not word.isdigit() and not (last and word in around.flag_persons):
                return False
        return True

    def _group_after(self, attribute: str, rest: Words) -> str | None:
        while rest and rest[0] in _COMPARISONS:
            rest = rest[1:]
        while rest and rest[-1] in self._around.flag_after and len(rest) > 1:
            rest = rest[:-1]
        if not rest or (len(rest) == 1 and (rest[0].isdigit() or rest[0] in self._around.after)):
            return None
        group = self._groups.of(attribute, " ".join(rest))
        return None if group is None or self._groups.is_missing(attribute, group) else group

    def _is_person(self, word: str) -> bool:
        return word in self._persons or singular(word) in self._persons


def _entries(name: str, entry: AttributeTable) -> Iterator[_Name | _Flag]:
    made: set[Words] = set()
    for words, grade in entry.names.items():
        form = entry.forms.get(words, entry.form)
        for variant in with_plural(words):
            if (variant == words or variant not in entry.names) and variant not in made:
                made.add(variant)
                yield _Name(variant, name, grade, form)
    for words, (group, flag_grade) in entry.flags.items():
        yield _Flag(words, name, group, flag_grade)
