"""Words of a text as a bag, and the lists of words that are looked for in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache

from fairlint.support.records import Record
from fairlint.vocabulary.attribute_table import texts
from fairlint.vocabulary.words import singular, split_words

PROSE_LIMIT = 4000


class Bag(Record):
    """Some text's words for look-ups: single words with their singulars, and phrases in the running text."""

    words: frozenset[str]
    running: str

    def hits(self, lexicon: Lexicon, without: frozenset[str] = frozenset()) -> list[str]:
        """Return the entries of a lexicon that occur, less some words."""
        found = self.words & lexicon.words
        hits = [word for word in sorted(found) if word not in without] if found else []
        if self.running and not lexicon.begin.isdisjoint(self.words):
            hits += [one.phrase for one in lexicon.sought
                     if one.first_word in self.words and one.whole in self.running]  # fmt: skip
        return hits

    def holds(self, texts: Iterable[str]) -> bool:
        """Return whether one of some words or phrases occurs."""
        return any(text in self.words or (" " in text and f" {text} " in self.running) for text in texts)


class _Phrase(Record):
    """A phrase with its first word, which most texts lack, and as it stands in a running text."""

    phrase: str
    first_word: str
    whole: str


class Lexicon(Record, slots=False):
    """A list of words and phrases."""

    words: frozenset[str]
    phrases: tuple[str, ...]

    @cached_property
    def sought(self) -> tuple[_Phrase, ...]:
        """Return the phrases, ready to be looked for."""
        return tuple([_Phrase(phrase, phrase.partition(" ")[0], f" {phrase} ") for phrase in self.phrases])

    @cached_property
    def begin(self) -> frozenset[str]:
        """The first words of the phrases."""
        return frozenset(one.first_word for one in self.sought)

    @classmethod
    def read(cls, raw: object, where: str) -> Lexicon:
        """From a TOML list, or from what was made of one before."""
        if isinstance(raw, Mapping):
            return cls(frozenset(raw["words"]), tuple(raw["phrases"]))
        items = [" ".join(split_words(item)) for item in texts(raw, where) if item]
        return cls(
            frozenset(item for item in items if " " not in item),
            tuple(sorted({item for item in items if " " in item})),
        )


def words_in(lexicons: Iterable[Lexicon]) -> frozenset[str]:
    """Return the words that a text has one of if anything of some lexicons occurs in it."""
    return frozenset().union(*(one.words | one.begin for one in lexicons))


class World(Record):
    """A world in which the same words mean something else: games, caches, grammar."""

    name: str
    reason: str
    weight: int
    attributes: frozenset[str]
    exempt: frozenset[str]
    lexicon: Lexicon
    loose: Lexicon
    """Its words, and those that code about people uses as well."""
    alone: int
    """What a single word far away weighs."""
    names: frozenset[str]
    """The names that it takes its meaning from; empty for all."""
    of_models: bool
    """Whether its words say something of what a model is given, too."""


EMPTY = Bag(frozenset(), "")


@lru_cache(maxsize=4096)
def bag_of(text: str) -> Bag:
    """Return the words of one name or text."""
    if not text:
        return EMPTY
    words = split_words(text[:PROSE_LIMIT])
    return Bag(frozenset(words) | frozenset(map(singular, words)), f" {' '.join(words)} ")


def join_bags(bags: Iterable[Bag]) -> Bag:
    """Return several bags as one."""
    several = [bag for bag in bags if bag is not EMPTY]
    if not several:
        return EMPTY
    if len(several) == 1:
        return several[0]
    return Bag(frozenset().union(*(bag.words for bag in several)), "|".join(bag.running for bag in several))
