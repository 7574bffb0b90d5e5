"""What a home country changes about nationality, and whose law holds there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from fairlint.vocabulary.attribute_table import AttributeTable, Words, table, texts
from fairlint.vocabulary.words import normalize_spelling, split_words

_NO_COUNTRY = frozenset({"no"})
"""Two letters of a country that are a word of their own wherever a value stands."""


@cache
def _country_data() -> Mapping[str, object]:
    import tomllib  # noqa: PLC0415 (only where somebody names a country)

    return tomllib.loads(Path(__file__).with_name("countries.toml").read_text("utf-8"))


def _texts_of_key(key: str, within: str = "") -> list[str]:
    found = table(_country_data()[within], within) if within else _country_data()
    return texts(found.get(key, ""), key)


@cache
def codes() -> Mapping[str, str]:
    """Return the two letters of each country, with its name."""
    return {
        code: _texts_of_key(code, "countries")[0] for code in table(_country_data()["countries"], "countries")
    }


def law_of(country: str) -> str:
    """Return the jurisdiction that a country belongs to; `all` where we know of none."""
    known = table(_country_data()["jurisdictions"], "jurisdictions")
    return next((name for name in known if country in _texts_of_key(name, "jurisdictions")), "all")


def at_home(attributes: Mapping[str, AttributeTable], country: str) -> dict[str, AttributeTable]:
    """Return the attributes as they are seen from a country: its own people are at home, others are not."""
    (name,) = _texts_of_key("attribute")
    entry = attributes.get(name)
    if entry is None:  # switched off
        return dict(attributes)
    return {**attributes, name: _Home(entry.copy(), country).made()}


class _Home:
    """One attribute, as it is seen from a country."""

    def __init__(self, entry: AttributeTable, country: str) -> None:
        self.entry = entry
        self.country = country
        (self.home,), (self.abroad,) = _texts_of_key("home"), _texts_of_key("abroad")
        self.names = _texts_of_key(country, "countries")
        self.adjectives = _texts_of_key(country, "adjectives")
        self.without = frozenset(_texts_of_key("without"))
        law = law_of(country)
        regions = table(_country_data()["regions"], "regions")
        self.known = {
            split_words(text): code for code in codes() for text in _texts_of_key(code, "countries")
        } | {split_words(text): region for region in regions for text in _texts_of_key(region, "regions")}
        self.own = {country, law}

    def made(self) -> AttributeTable:
        """Return the table with all that the country changes."""
        own = self._group_of(self.names)
        self._send_away()
        if own is not None:
            self._take_home(own)
        code = self.country.lower()
        spellings = [*self.names, *(() if code in _NO_COUNTRY else (code,))]
        self.entry.groups[self.home].update(dict.fromkeys(map(normalize_spelling, spellings)))
        for text in (*self.adjectives, code):
            words = split_words(text)
            for belonging in _texts_of_key("belonging"):
                self.entry.flags[*words, belonging] = (self.home, "strong")
            if text != code:
                self.entry.flags.update({(no, *words): (self.abroad, "strong") for no in self.without})
        self._add_phrases(self.home, self.adjectives)
        self._add_phrases(self.abroad, [f"{no}-{text}" for no in self.without for text in self.adjectives])
        return self.entry

    def _add_phrases(self, group: str, phrases: list[str]) -> None:
        known = self.entry.adjectives.get(group, ())
        self.entry.adjectives[group] = tuple(dict.fromkeys((*known, *phrases)))

    def _group_of(self, names: list[str]) -> str | None:
        """Return the group of a country's people, where there is one."""
        wanted = set(map(normalize_spelling, names))
        groups = self.entry.groups
        own = (group for group in groups if group not in {self.home, self.abroad})
        return next((group for group in own if not wanted.isdisjoint(groups[group])), None)

    def _take_home(self, group: str) -> None:
        """Make a country's people those who are at home."""
        entry = self.entry
        entry.groups[self.home].update(entry.groups.pop(group))
        for phrases in (entry.people, entry.adjectives):
            if group in phrases:
                phrases[self.home] = (*phrases.get(self.home, ()), *phrases.pop(group))
        for known in (entry.distinctive, *entry.codes.values()):
            known.update({text: self.home for text, one in known.items() if one == group})
        for words, (one, grade) in list(entry.flags.items()):
            if one == group:
                entry.flags[words] = (self.home, grade)

    def _send_away(self) -> None:
        """Take what is said of other countries' people from those who are at home here."""
        entry = self.entry
        for words, (group, grade) in list(entry.flags.items()):
            if group == self.home and (away := self._foreign_group(words)):
                entry.flags[words] = (away, grade)
        for text in list(entry.groups[self.home]):
            if away := self._foreign_group(split_words(text)):
                entry.groups[away][text] = entry.groups[self.home].pop(text)
        for text in list(entry.groups[self.abroad]):
            words = split_words(text)
            if not self.without.isdisjoint(words) and self._foreign_group(words):
                del entry.groups[self.abroad][text]  # who is not from there may well be from here
        for phrases in (entry.people, entry.adjectives):
            kept = []
            for phrase in phrases.get(self.home, ()):
                away = self._foreign_group(split_words(phrase))
                if away:
                    phrases[away] = (*phrases.get(away, ()), phrase)
                else:
                    kept.append(phrase)
            phrases[self.home] = tuple(kept)
        for text, group in list(entry.distinctive.items()):
            if group == self.home and (away := self._foreign_group(split_words(text))):
                entry.distinctive[text] = away

    def _foreign_group(self, words: Words) -> str:
        """Return the group of those who belong to another country that some words name; empty where they do
        not.
        """
        named = set(self._countries_in(words))
        if not named or named & self.own:
            return ""
        code = min(named)
        names = _texts_of_key(code, "countries") if code in codes() else []
        return (self._group_of(names) if names else None) or self.abroad

    def _countries_in(self, words: Words) -> Iterator[str]:
        for at in range(len(words)):
            for end in range(at + 1, len(words) + 1):
                if code := self.known.get(words[at:end]):
                    yield code
