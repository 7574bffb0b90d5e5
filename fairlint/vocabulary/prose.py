"""Groups of people as running text names them: "Sikhs", "older applicants", "people with a disability".

An attribute's table says it in `people` (what names people by itself) and in `adjectives` (what needs a noun
for people). `{people}` at the start of a phrase is any such noun; a word in parentheses may be left out,
`(a)` is any article, `(*)` any word; blanks and hyphens are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property

from fairlint.support.expressions import lazy_expression
from fairlint.support.records import Record
from fairlint.vocabulary.attribute_table import AttributeTable, table, texts
from fairlint.vocabulary.bags import Lexicon
from fairlint.vocabulary.keyword_automaton import escape_word
from fairlint.vocabulary.words import plural, singular

PEOPLE = "{people}"
_LEAST_LETTERS = 4
"""Shorter names of a group are no adjectives unless a table says so."""
_ALL_OTHERS = frozenset({"other", "unknown"})
"""Groups that are whoever is in no other one."""
_BACK = 24
_AHEAD = 160
"""Bytes around a word in which a group is looked for."""
_MOST_BETWEEN = 4
_WORD = lazy_expression(r"\w+")
_NEXT = lazy_expression(r",?\s+(?:and\s+|or\s+)?([\w-]+)")
_FOLLOWS = lazy_expression(r"\s+(\w[\w-]*)")
_AS_PREDICATE = lazy_expression(r"\b(?:is|are|being|they['’]re|seems?|looks?|sounds?)\s+$", re.IGNORECASE)
_ENDS = lazy_expression(r"\s*(?:[.,;:!\n)]|$|\s(?:and|or|but|from|by|over)\b)", re.IGNORECASE)
_YEARS = lazy_expression(rb"\s(?:the age of |of )?[1-9][0-9]\b", re.IGNORECASE)
_SECOND = lazy_expression(rb"[\s-]+([\w\x80-\xff]+)")
_THE = lazy_expression(r"\bthe\s+$", re.IGNORECASE)
_OWNS = lazy_expression(r"['’]s\b")
_OWN_MANY = lazy_expression(r"s['’]\s+\w")
_OPENED = lazy_expression(r"(?<!\w)['‘](?=\w)")

Row = Sequence[str]
"""A way to name a group: attribute, group, its sort, the second word if there must be one, and an expression
for all words after the first."""
_ALONE, _AFTER_THE, _ADJECTIVE = "people", "the people", "adjective"


class Named(Record):
    """A group as a text names it: from where to where, with the noun that an adjective needs."""

    attribute: str
    group: str
    start: int
    end: int
    adjective_end: int
    """Where the words end that name the group themselves."""
    noun: str = ""
    """The noun after an adjective, in lower case."""


class Nouns(Record):
    """Words that tell whom an adjective is about."""

    people: frozenset[str]
    """Nouns for people, singular and plural."""
    function_words: frozenset[str]
    """Words that may follow a noun phrase, and stand in none."""
    unsure: frozenset[str]
    """Of these, what may be no person."""
    skills: frozenset[str]
    languages: frozenset[str]
    """Before a noun of `skills`, an adjective of one of these attributes says which language is spoken."""
    ages: frozenset[str]
    """Words before a number of years."""
    traits: frozenset[str]
    """What a person is to be like, in whose row an adjective needs no noun: "young and dynamic"."""

    @classmethod
    def read(cls, raw: object) -> Nouns:
        """From the table `prose` of context.toml."""
        entries = table(raw, "prose")
        words = {key: Lexicon.read(value, f"prose.{key}").words for key, value in entries.items()}
        return cls(
            people=words["nouns"] | frozenset(map(plural, words["nouns"])),
            function_words=words["function_words"],
            unsure=words["unsure"],
            skills=words["skills"],
            languages=frozenset(texts(entries["languages"], "prose.languages")),
            ages=words["ages"],
            traits=words["traits"],
        )


def forms_of(
    tables: Mapping[str, AttributeTable], weak: frozenset[str], nouns: Nouns
) -> dict[str, list[Row]]:
    """Return first word → ways to name a group, the longest first; under `PEOPLE` those that begin with a
    noun.

    Where a table says nothing of a group, the group's own spellings are adjectives, but for the `weak` ones.
    """
    found: dict[str, list[tuple[int, Row]]] = {}
    for name, entry in tables.items():
        for group, spellings in entry.groups.items():
            for phrase in entry.people.get(group, ()):
                _add_phrase(found, phrase, name, group, _ALONE)
            adjectives: Iterable[str] = entry.adjectives.get(group, ())
            if group not in entry.people and group not in entry.adjectives and group not in _ALL_OTHERS:
                adjectives = (one for one in spellings if one not in weak and _can_be_adjective(one, nouns))
            for phrase in adjectives:
                _add_phrase(found, phrase, name, group, _ADJECTIVE)
    return {
        word: [row for _, row in sorted(rows, key=lambda one: (-one[0], one[1][2] != _ADJECTIVE))]
        for word, rows in found.items()
    }


def _can_be_adjective(spelling: str, nouns: Nouns) -> bool:
    if len(spelling) < _LEAST_LETTERS or not spelling.replace(" ", "").isalpha():
        return False
    return nouns.function_words.isdisjoint(spelling.split()[:1])


def _add_phrase(found: dict[str, list[tuple[int, Row]]], phrase: str, *row: str) -> None:
    attribute, group, sort = row
    first, *rest = phrase.replace("-", " ").split()
    if first.lower() == "the" and rest:  # "the elderly": too frequent a word to be looked for
        sort, (first, *rest) = _AFTER_THE, rest
    source = "".join(map(_piece_expression, rest)).replace("'", "['’]")
    second = rest[0].lower() if rest and rest[0].isalnum() else ""
    found.setdefault(first.lower(), []).append((len(phrase), (attribute, group, sort, second, source)))


def _piece_expression(word: str) -> str:
    match word:
        case "(a)" | "(an)":
            return r"(?:[\s-]+(?:an?|any|the))?"
        case "(*)":
            return r"(?:[\s-]+\w+)?"
        case _ if word.startswith("(") and word.endswith(")"):
            return rf"(?:[\s-]+{re.escape(word[1:-1])})?"
    return rf"[\s-]+{re.escape(word)}"


class _Noun(Record):
    """A noun for people, and where it ends."""

    word: str
    end: int


class Prose:
    """Finds groups of people in running text. `forms` are those of `forms_of`."""

    def __init__(self, forms: Mapping[str, Sequence[Row]], nouns: Nouns) -> None:
        self._forms = forms
        self._nouns = nouns

    def groups_in(self, text: str) -> Iterator[Named]:
        """Yield the groups that a text names, in order."""
        end = 0
        for match in _WORD.finditer(text):
            if match.start() >= end and (named := self.named_at(text, match.start(), match.end())):
                end = named.adjective_end
                yield named

    def named_at(self, text: str, start: int, end: int) -> Named | None:
        """Return the group that the words from a word on name."""
        word = text[start:end].lower()
        if word in self._forms:
            for row in self._forms[word]:
                if (named := self._match_row(row, text, start, end)) is not None:
                    return named
        if word in self._nouns.people:
            follows = _FOLLOWS.match(text, end)
            for row in self._forms_of_people.get(follows[1].lower() if follows else "", ()):
                if (named := self._match_row(row, text, start, end)) is not None:
                    return named
        return None

    def other_group_at(self, text: str, start: int, end: int, group: Named) -> bool:
        """Return whether the words from a word on name, even without a noun, another group of the same
        attribute.
        """
        return any(
            row[0] == group.attribute and row[1] != group.group and _compile_rest(row[4]).match(text, end)
            for row in self._forms.get(text[start:end].lower(), ())
        )

    def is_adjective(self, word: str) -> bool:
        """Return whether a word begins an adjective of a group."""
        return word.lower() in self._group_adjectives

    def places(self, data: bytes, words: Iterable[tuple[int, int]]) -> Iterator[int]:
        """Yield which of some words in some bytes begin the name of a group, or of an age."""
        leads, ages = self._lead_words, self._age_nouns
        for start, end in words:
            word = data[start:end].lower()
            if word in ages and _YEARS.match(data, end):
                yield start
                continue
            seconds = leads.get(word)
            if seconds is None:
                continue
            if seconds and ((then := _SECOND.match(data, end)) is None or then[1].lower() not in seconds):
                continue
            before = data[max(start - _BACK, 0) : start].decode("utf-8", "replace")
            text = before + data[start : end + _AHEAD].decode("utf-8", "replace")
            first = _WORD.match(text, len(before))
            if first is not None and self.named_at(text, first.start(), first.end()) is not None:
                yield start

    @cached_property
    def pattern(self) -> str:
        """An expression for bytes (RE2's syntax, LATIN1 mode) that matches wherever `places` can find one."""
        alone: set[str] = set()
        adjectives: set[str] = set()
        by_second: dict[str, set[str]] = {}
        for word, rows in self._forms.items():
            for row in rows:
                if row[3]:
                    by_second.setdefault(row[3], set()).add(word)
                else:
                    (adjectives if row[2] == _ADJECTIVE else alone).add(word)
        of_people = [second for second, firsts in by_second.items() if PEOPLE in firsts]
        parts = [
            rf"{_any_of_words(alone)}\b",
            rf"{_any_of_words(adjectives)}[\s,.;:!)-]",
            rf"{_any_of_words(self._nouns.ages)}\s(?:the age of |of )?[1-9][0-9]",
            rf"{_any_of_words(self._nouns.people)}[\s-]+{_any_of_words(of_people)}\b",
            *(
                rf"{_any_of_words(firsts - {PEOPLE})}[\s-]+{_any_of_words([second])}\b"
                for second, firsts in by_second.items()
                if firsts != {PEOPLE}
            ),
        ]
        return rf"(?i)\b(?:{'|'.join(parts)})"

    @cached_property
    def _lead_words(self) -> dict[bytes, frozenset[bytes]]:
        """First words of ways to name a group, with the words of which one has to be second, if any."""
        of_people = frozenset(row[3].encode() for row in self._forms.get(PEOPLE, ()))
        leads = dict.fromkeys((noun.encode() for noun in self._nouns.people), of_people)
        for word, rows in self._forms.items():
            if word != PEOPLE:
                key = word.encode()
                seconds = frozenset(row[3].encode() for row in rows)
                leads[key] = frozenset() if b"" in seconds else seconds | leads.get(key, frozenset())
        return leads

    @cached_property
    def _age_nouns(self) -> frozenset[bytes]:
        return frozenset(word.encode() for word in self._nouns.ages)

    @cached_property
    def _group_adjectives(self) -> frozenset[str]:
        return frozenset(
            word for word, rows in self._forms.items() if any(row[2] == _ADJECTIVE for row in rows)
        )

    @cached_property
    def _forms_of_people(self) -> dict[str, list[Row]]:
        """Second word → ways to name a group that begin with a noun for people."""
        found: dict[str, list[Row]] = {}
        for row in self._forms.get(PEOPLE, ()):
            found.setdefault(row[3], []).append(row)
        return found

    def _match_row(self, row: Row, text: str, start: int, end: int) -> Named | None:
        found = _compile_rest(row[4]).match(text, end)
        if found is None or text[start - 1 : start] == "-" or _is_possessive(text, found.end()):
            return None
        attribute, group, sort, *_ = row
        if sort != _ADJECTIVE:
            after_the = sort != _AFTER_THE or _THE.search(text, max(0, start - _BACK), start)
            if not after_the or self._is_part(text, start, found.end()):
                return None
            return Named(attribute, group, start, found.end(), found.end())
        noun = self._noun_after(text, found.end())
        if noun is not None:
            if singular(noun.word) in self._nouns.skills and attribute in self._nouns.languages:
                return None
            return Named(attribute, group, start, noun.end, found.end(), noun.word)
        if _AS_PREDICATE.search(text, max(0, start - _BACK), start) and _ENDS.match(text, found.end()):
            return Named(attribute, group, start, found.end(), found.end())
        return None

    def _noun_after(self, text: str, at: int) -> _Noun | None:
        """Return the noun for people that an adjective before it is about."""
        for _ in range(_MOST_BETWEEN):
            found = _NEXT.match(text, at)
            if found is None:
                return None
            word, at = found[1].lower(), found.end()
            if _is_possessive(text, at) or word in self._nouns.function_words:
                return None
            if word in self._nouns.traits:  # no noun is needed, and the words go on to one that follows
                further = self._noun_after(text, at)
                return _Noun(word, at if further is None else further.end)
            if self._is_people(word):
                return None if self._is_part(text, found.start(1), at) else _Noun(word, at)
        return None

    def _is_people(self, word: str) -> bool:
        last = word.rpartition("-")[2]
        return last in self._nouns.people or (len(last) > len("woman") and last.endswith(("man", "men")))

    def _is_part(self, text: str, start: int, end: int) -> bool:
        """Return whether a noun says only of what sort the next one is: "tenant deployments", "male
        connectors".
        """
        if text[end : end + 1] == "-" and text[end + 1 : end + 2].isalnum():
            return True
        last = text[start:end].rsplit(maxsplit=1)[-1].lower()
        follows = _FOLLOWS.match(text, end)
        if follows is None or singular(last) != last:
            return False
        word = follows[1].lower()
        return word not in self._nouns.function_words and not self._is_people(word)


def _is_possessive(text: str, end: int) -> bool:
    """Return whether the word that ends there owns the next one: "women's", "the girls' school"."""
    if _OWNS.match(text, end):
        return True
    return _OWN_MANY.match(text, end - 1) is not None and _OPENED.search(text, 0, end) is None


def _any_of_words(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(escape_word, sorted(words)))})"


@cache
def _compile_rest(rest: str) -> re.Pattern[str]:
    return re.compile(rf"{rest}(?!\w)", re.IGNORECASE)
