"""The records of languages: what attributes, groups and people are called in French, German, Spanish, ..."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from fairlint.support.records import Record
from fairlint.vocabulary.attribute_table import table, texts
from fairlint.vocabulary.words import normalize_spelling

_UMLAUTS = {
    ord(letter): written
    for letter, written in zip("äöüßÄÖÜ", ("ae", "oe", "ue", "ss", "Ae", "Oe", "Ue"), strict=True)
}
_KEYS = frozenset({"title", "only_accented", "persons", "attributes"})
_NOT_WORDS = frozenset({"title", "note", "kind", "form", "laws"})
"""Keys of an attribute whose texts are no words of code."""


class Language(Record):
    """What one language calls things, with how each word is written in ASCII letters."""

    title: str
    persons: Mapping[str, tuple[str, ...]]
    tables: Mapping[str, object]


def read(raw: Mapping[str, object], where: str) -> Language:
    """Return one file of `languages/`."""
    if unknown := sorted(set(raw) - _KEYS):
        raise ValueError(f"{where}: unknown key {unknown[0]!r}")
    kept = frozenset(map(normalize_spelling, texts(raw.get("only_accented", ()), f"{where}.only_accented")))
    persons = table(raw.get("persons", {}), f"{where}.persons")
    return Language(
        str(raw["title"]),
        {
            key: tuple(_spelling_variants(texts(value, f"{where}.{key}"), kept))
            for key, value in persons.items()
        },
        {"attributes": _with_ascii(table(raw["attributes"], where), kept)},
    )


def with_persons(context: Mapping[str, object], languages: Iterable[Language]) -> dict[str, object]:
    """Return the tables of context.toml with the words for people of some languages."""
    persons = dict(table(context["persons"], "persons"))
    for language in languages:
        for key, words in language.persons.items():
            persons[key] = [*texts(persons[key], f"persons.{key}"), *words]
    return {**context, "persons": persons}


def _with_ascii(value: object, kept: frozenset[str], key: str = "") -> object:
    if key in _NOT_WORDS:
        return value
    if isinstance(value, Mapping):
        made = {name: _with_ascii(entry, kept, name) for name, entry in value.items()}
        if key == "beside":
            made.update({one: made[name] for name in value for one in _spelling_variants([name], kept)})
        return made
    if isinstance(value, (str, list)):
        return list(_spelling_variants(texts(value, key), kept))
    return value


def _spelling_variants(words: Iterable[str], kept: frozenset[str]) -> Iterator[str]:
    """Yield each word as it is and as it is written without its accents, where that is no other word."""
    for word in words:
        yield word
        if word.isascii() or normalize_spelling(word) in kept:
            continue
        plain = unicodedata.normalize("NFKD", word.replace("ß", "ss"))
        for one in dict.fromkeys((word.translate(_UMLAUTS), plain)):
            bare = "".join(
                letter for letter in unicodedata.normalize("NFKD", one) if not unicodedata.combining(letter)
            )
            if bare.isascii():
                yield bare
