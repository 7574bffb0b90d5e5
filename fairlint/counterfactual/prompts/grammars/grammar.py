"""The words of a language by which a text says somebody's sex."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from fairlint.support.documents import read_toml
from fairlint.support.records import Record

HOME = Path(__file__).parent
LANGUAGES = ("de", "fr", "es")
"""Beside English, which has words of its own in `gendered_words.toml`."""
ENGLISH = "en"
FEWEST_WORDS = 3
"""Words of a language from which on a text is taken to be in it."""
_WORD = re.compile(r"[^\W\d_]+['’]?")


class Grammar(Record):
    """One language. Tables map what a man is called to what a woman is."""

    name: str
    words: frozenset[str]
    shown: Mapping[str, str]
    """What an audit says itself: titles, pronouns, and what stands where nothing is said."""
    fillers: tuple[str, ...]
    """Fixed additions that say nothing about a person, the longest first."""
    tables: Mapping[str, Mapping[str, str]]
    """subjects, titles, possessives, determiners and pairs."""
    sets: Mapping[str, frozenset[str]]
    risky: Mapping[str, str]
    """Expressions for words that may agree with the person: the first of a sentence, and any."""

    @property
    def has_capital_nouns(self) -> bool:
        """Whether nouns are told by a capital letter, and predicates do not agree otherwise."""
        return self.name == "de"


@cache
def grammar_of(language: str) -> Grammar:
    """Return the words of a language of `LANGUAGES`."""
    data = read_toml((HOME / f"{language}.toml").read_text("utf-8"))
    tables = {name: data[name] for name in ("subjects", "titles", "possessives", "determiners", "pairs")}
    return Grammar(
        language,
        frozenset(data["words"].split()),
        {name: text for name, text in data["shown"].items() if name != "fillers"},
        tuple(data["shown"]["fillers"]),
        tables,
        {name: frozenset(text.split()) for name, text in data["sets"].items()},
        data["risky"],
    )


def language_of(text: str, english: frozenset[str]) -> str:
    """Return the language whose commonest words a text has most of; English where no other has more.

    >>> language_of("Er ist seit 2015 Ingenieur und leitet eine Abteilung", frozenset({"the", "is"}))
    'de'
    """
    words = [one.lower() for one in _WORD.findall(text)]
    counts = {name: sum(one in grammar_of(name).words for one in words) for name in LANGUAGES}
    best = max(counts, key=lambda name: counts[name])
    others = [count for name, count in counts.items() if name != best]
    is_clear = counts[best] >= FEWEST_WORDS and counts[best] > max(
        *others, sum(one in english for one in words)
    )
    return best if is_clear else ENGLISH
