"""Names in identifiers: which attribute an identifier, key or column holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

from fairlint.support.records import Record, replace
from fairlint.vocabulary.attribute_table import (
    AttributeTable,
    FlagGrade,
    Grade,
    Words,
    table,
    texts,
    with_plural,
)
from fairlint.vocabulary.groups import Groups, distinctive_texts
from fairlint.vocabulary.model import Form, Mention, Strength
from fairlint.vocabulary.words import singular, split_words

_STRENGTHS: Mapping[Grade, Strength] = {
    "strong": "strong",
    "likely": "ambiguous",
    "ambiguous": "ambiguous",
    "proxy": "proxy",
}
_FLAG_WEIGHTS: Mapping[FlagGrade, str] = {
    "strong": "flag",
    "likely": "likely",
    "bare": "ambiguous",
    "ambiguous": "ambiguous",
}
_MOST_WORDS = 14
_MOST_WORDS_IN_TEXT = 6
_NO_NAME = frozenset("!;<>{}=%$\n\t\r\\")
_ENDS_OF_TEXT = (".", "?", ":", ",")
_COMPARISONS = frozenset({"is", "eq", "equals"})


class Around(Record):
    """The words that may stand around a name inside one identifier."""

    after: frozenset[str]
    after_words: frozenset[str]
    banding: frozenset[str]
    circumstance: frozenset[str]
    owner: frozenset[str]
    before_not: frozenset[str]
    flag_before: frozenset[str]
    flag_opens: frozenset[str]
    flag_persons: frozenset[str]
    belonging: frozenset[str]
    peoples: frozenset[str]
    before_peoples: frozenset[str]
    flag_after: frozenset[str]
    constant_before: frozenset[str]
    group_after: frozenset[str]
    choosing: frozenset[str]
    beside_choosing: frozenset[str]

    @classmethod
    def read(cls, raw: object) -> Around:
        """From the table `names` of names.toml."""
        entries = table(raw, "names")
        return cls(**{key: frozenset(texts(value, f"names.{key}")) for key, value in entries.items()})


class _Name(Record):
    words: Words
    attribute: str
    grade: Grade
    form: Form


class _Flag(Record):
    words: Words
    attribute: str
    group: str
    grade: FlagGrade


class _Hit(Record):
    start: int
    end: int
    entry: _Name | _Flag


Row = Sequence[str]
"""A name or flag as the index holds it: its sort, words, attribute, and form and grade or group and grade."""
_NAME, _FLAG = "name", "flag"


class Index(Record):
    """All names, flags and columns, in texts and lists alone, so that it can be written and read at once."""

    entries: Mapping[str, Sequence[Row]]
    """First word -> names and flags."""
    nots: Mapping[str, Sequence[Sequence[str]]]
    """First word -> collocations that are not the attribute, each with its attribute."""
    columns: Mapping[str, Sequence[Row]]
    """Exact spelling -> names."""
    generic: Mapping[str, Sequence[Row]]
    """Words -> names that need a person before them."""
    distinctive: Mapping[str, Sequence[tuple[str, str]]]
    """Text -> attributes and groups that it denotes by itself."""
    told_by: Mapping[str, Sequence[tuple[str, Sequence[str]]]]
    """Words of a name -> attributes that it means where it is compared with one of some values."""


def index_of(tables: Mapping[str, AttributeTable]) -> Index:
    """Return the index of all attributes."""
    entries: dict[str, list[Row]] = {}
    nots: dict[str, list[Sequence[str]]] = {}
    columns: dict[str, list[Row]] = {}
    generic: dict[str, list[Row]] = {}
    for name, entry in tables.items():
        for words, row in _index_rows(name, entry):
            entries.setdefault(words[0], []).append(row)
        for words in sorted(entry.nots):
            nots.setdefault(words[0], []).append((" ".join(words), name))
        for column in sorted(entry.columns):
            words = split_words(column)
            form = entry.forms.get(words, entry.form)
            grade = "proxy" if entry.kind == "proxy" else "ambiguous"
            columns.setdefault(column, []).append((_NAME, " ".join(words), name, form, grade))
        for words, sort in entry.generic.items():
            form = entry.forms.get(words, entry.form)
            grade = "proxy" if entry.kind == "proxy" else "ambiguous"
            for variant in with_plural(words):
                text = " ".join(variant)
                generic.setdefault(text, []).append((sort, text, name, form, grade))
    told_by: dict[str, list[tuple[str, Sequence[str]]]] = {}
    for name, entry in tables.items():
        for text, values in entry.told_by.items():
            told_by.setdefault(text, []).append((name, list(values)))
    return Index(entries, nots, columns, generic, distinctive_texts(tables), told_by)


def _name_of_row(row: Row) -> _Name:
    _, words, attribute, form, grade = row
    return _Name(tuple(words.split(" ")), attribute, cast("Grade", grade), cast("Form", form))


def _flag_of_row(row: Row) -> _Flag:
    _, words, attribute, group, grade = row
    return _Flag(tuple(words.split(" ")), attribute, group, cast("FlagGrade", grade))


class Names:
    """The index of all names, flags and columns. `weights` gives each grade's weight."""

    def __init__(
        self,
        tables: Mapping[str, AttributeTable],
        groups: Groups,
        around: Around,
        *,
        persons: frozenset[str],
        weights: Mapping[str, int],
        index: Index,
    ) -> None:
        self._groups = groups
        self._around = around
        self._persons = persons
        self._weights = weights
        self._tables = tables
        self._index = index
        self._starting: dict[str, list[_Name | _Flag]] = {}

    def sequences(self) -> Iterator[tuple[Words, bool]]:
        """Yield every word sequence that can make a mention, and whether it needs `is_` or a person beside
        it.
        """
        for word in self._index.entries:
            for item in self._starting_with(word):
                yield item.words, isinstance(item, _Flag) and item.grade == "ambiguous"

    def columns(self) -> Iterable[str]:
        """Return the columns that are known by their exact spelling."""
        return self._index.columns

    def generic(self) -> Iterable[str]:
        """Return the names that need a person before them, their words joined by blanks."""
        return self._index.generic

    def find_generic(self, identifier: str) -> tuple[Mention, ...]:
        """Return the mentions in an identifier that is a person's field and means nothing elsewhere."""
        if len(identifier) > 40:
            return ()
        rows = self._index.generic.get(" ".join(split_words(identifier)), ())
        return tuple(
            Mention(
                name.attribute,
                identifier,
                name.words,
                _STRENGTHS[name.grade],
                name.form,
                None,
                self._weights[sort],
            )
            for sort, name in ((row[0], _name_of_row(row)) for row in rows)
        )

    def find(self, identifier: str) -> tuple[Mention, ...]:
        """Return the mentions in an identifier, in the order of their words."""
        if len(identifier) > 120 or not _NO_NAME.isdisjoint(identifier):
            return ()
        exact = [_name_of_row(row) for row in self._index.columns.get(identifier, ())]
        words = split_words(identifier)
        if not words or len(words) > _MOST_WORDS:
            return ()
        text = " " in identifier.strip()
        if (text and len(words) > _MOST_WORDS_IN_TEXT) or identifier.rstrip().endswith(_ENDS_OF_TEXT):
            return ()
        hits = self._find_hits(words)
        judged = (self._judge(hit, hits, words, identifier, text) for hit in hits)
        mentions = list({(item.attribute, item.group): item for item in judged if item is not None}.values())
        flagged = {(item.attribute, item.words) for item in mentions if item.group is not None}
        if flagged:  # a name that is a flag, too, says whose truth it holds
            mentions = [
                item
                for item in mentions
                if item.group is not None or (item.attribute, item.words) not in flagged
            ]
        seen = {mention.attribute for mention in mentions}
        mentions += [
            self._build_mention(item, identifier, item.words, item.form, None)
            for item in exact
            if item.attribute not in seen
        ]
        return tuple(mentions)

    def _starting_with(self, word: str) -> Sequence[_Name | _Flag]:
        known = self._starting.get(word)
        if known is None:
            rows = self._index.entries.get(word)
            if rows is None:
                return ()
            known = self._starting[word] = [
                _flag_of_row(row) if row[0] == _FLAG else _name_of_row(row) for row in rows
            ]
        return known

    def _find_hits(self, words: Words) -> list[_Hit]:
        """Return all matches that are not inside a longer one and not part of a collocation, left
        to right.
        """
        found = [
            _Hit(at, at + len(item.words), item)
            for at, word in enumerate(words)
            for item in self._starting_with(word)
            if words[at : at + len(item.words)] == item.words
        ]
        if not found:
            return found
        vetoes = [
            (at, at + len(sequence), attribute)
            for at, word in enumerate(words)
            for text, attribute in self._index.nots.get(word, ())
            if words[at : at + len(sequence := tuple(text.split(" ")))] == sequence
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
        if not self._tables[entry.attribute].not_of.isdisjoint((*before, *map(singular, before))):
            return None
        if isinstance(entry, _Flag):
            after = [words[at] for at in range(hit.end, len(words)) if at not in taken]
            if of := () if text else self._people_before(entry, before):
                return self._of_people(entry, of, before, after, identifier)
            if not self._flag_stands(entry, before, after, text):
                return None
            mention = self._build_mention(entry, identifier, entry.words, "flag", entry.group)
            return replace(mention, of_several=True) if self._are_several(before, after) else mention
        if not self._around.before_not.isdisjoint(before):
            return None
        rest = words[hit.end :]
        if rest and (group := self._group_after(entry.attribute, rest)):
            return self._build_mention(entry, identifier, words[hit.start :], "flag", group)
        form = entry.form
        after = [words[at] for at in range(hit.end, len(words)) if at not in taken]
        if form == "value":
            after = [word for word in after if word not in self._around.after_words]
        if not self._tail_stands(after):
            return None
        if form == "number" and not self._around.banding.isdisjoint(rest):
            form = "value"
        return self._build_mention(entry, identifier, entry.words, form, None)

    def _build_mention(
        self, entry: _Name | _Flag, identifier: str, words: Words, form: Form, group: str | None
    ) -> Mention:
        strength: Strength
        if isinstance(entry, _Flag):
            strength = "strong" if entry.grade == "strong" else "ambiguous"
            weight = self._weights[_FLAG_WEIGHTS[entry.grade]]
        else:
            strength = _STRENGTHS[entry.grade]
            weight = self._weights[entry.grade]
            if group is not None and entry.grade != "proxy":
                strength, weight = "strong", self._weights["flag"]
        return Mention(entry.attribute, identifier, words, strength, form, group, weight)

    def _people_before(self, flag: _Flag, before: Sequence[str]) -> Words:
        """Return the words for a country or region that say whose people are meant: of `is_uae_national`."""
        around = self._around
        if flag.words[-1] not in around.belonging or not before or before[-1] not in around.peoples:
            return ()
        start = len(before) - 1
        while start and before[start - 1] in around.before_peoples:
            start -= 1
        return tuple(before[start:])

    def _of_people(
        self, flag: _Flag, of: Words, before: list[str], after: list[str], identifier: str
    ) -> Mention | None:
        """Return the flag of whose nationality is a country's."""
        whole = replace(flag, words=(*of, *flag.words), grade="strong")
        if not self._flag_stands(whole, before[: -len(of)], after, text=False):
            return None
        group = self._groups.of(flag.attribute, " ".join(of)) or " ".join(of)
        return self._build_mention(whole, identifier, whole.words, "flag", group)

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

    def _are_several(self, before: Sequence[str], after: Sequence[str]) -> bool:
        """Return whether people in the plural stand behind the name of a flag, and nothing asks whether it is
        so.
        """
        if not after or before:
            return False
        return after[-1] != singular(after[-1]) and self._is_person(after[-1])

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


def _index_rows(name: str, entry: AttributeTable) -> Iterator[tuple[Words, Row]]:
    made: set[Words] = set()
    for words, grade in entry.names.items():
        form = entry.forms.get(words, entry.form)
        for variant in with_plural(words):
            if (variant == words or variant not in entry.names) and variant not in made:
                made.add(variant)
                yield variant, (_NAME, " ".join(variant), name, form, grade)
    for words, (group, flag_grade) in entry.flags.items():
        yield words, (_FLAG, " ".join(words), name, group, flag_grade)
