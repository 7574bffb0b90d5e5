"""Reads the vocabulary and the lists of words that fairlint ships, from the TOML files beside this module.

Both are kept in compiled form (`fairlint.support.compiled_data`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache

from fairlint.support.compiled_data import load_or_compile
from fairlint.vocabulary import languages, serialization
from fairlint.vocabulary.attribute_table import AttributeTable, table, texts
from fairlint.vocabulary.vocabulary import Data, Vocabulary

_HERE = os.path.dirname(os.path.abspath(__file__))
_PURPOSE_LISTS = frozenset({"words", "doings", "unless", "unless_in_file", "never"})
_LANGUAGES = os.path.join(_HERE, "languages")
_ATTRIBUTE_FILES = ("person", "origin", "standing", "proxies")


def load_vocabulary() -> Vocabulary:
    """Return the shipped vocabulary, from the same tables that users write."""
    sources = _source_files()
    state = load_or_compile("vocabulary", sources, lambda: serialization.plain_state(read()))
    return Vocabulary(
        lambda: serialization.data_of(state),
        lambda: str(load_or_compile("search pattern", sources, lambda: read().prefilter_pattern())),
        serialization.index_of(state),
        serialization.forms_of(state),
    )


def read() -> Vocabulary:
    """Return the shipped vocabulary from the TOML files, whatever was compiled before."""
    return Vocabulary(_vocabulary_data)


@cache
def word_lists(name: str) -> Mapping[str, frozenset[str]]:
    """Return the lists of words of `words/<name>.toml`."""
    path = os.path.join(_HERE, "words", f"{name}.toml")

    def build() -> dict[str, list[str]]:
        return {key: sorted(set(texts(value, key))) for key, value in _read_toml_file(path).items()}

    kept = load_or_compile(f"words/{name}", [path, __file__], build)
    return {key: frozenset(entries) for key, entries in kept.items()}


@cache
def purpose_tables() -> Mapping[str, object]:
    """Return what `purposes.toml` says, its lists split into words and phrases."""
    path = os.path.join(_HERE, "purposes.toml")

    def build() -> dict[str, object]:
        raw = _read_toml_file("purposes.toml")
        return serialization.split_lists(raw, _PURPOSE_LISTS | {*table(raw["lists"], "lists")})

    made: dict[str, object] = load_or_compile("purposes", [path, __file__], build)
    return made


def all_word_lists() -> Mapping[str, Mapping[str, frozenset[str]]]:
    """Return the lists of all files of `words/`."""
    names = sorted(os.listdir(os.path.join(_HERE, "words")))
    return {name: word_lists(name) for name in (file.removesuffix(".toml") for file in names)}


def attribute_files() -> list[str]:
    """Return the paths of the tables of attributes."""
    return [os.path.join(_HERE, "attributes", f"{name}.toml") for name in _ATTRIBUTE_FILES]


def _source_files() -> list[str]:
    """Return all files that the vocabulary is made from, the code that reads them included."""
    return [
        os.path.join(folder, name)
        for folder in (_HERE, os.path.join(_HERE, "attributes"), _LANGUAGES)
        for name in sorted(os.listdir(folder))
        if name.endswith((".py", ".toml"))
    ]


def _vocabulary_data() -> Data:
    from fairlint.vocabulary.tables import extend  # noqa: PLC0415 (only where the data is compiled)

    names = _read_toml_file("names.toml")
    missing = tuple(texts(table(names["missing"], "missing")["spellings"], "missing.spellings"))
    tables: Mapping[str, AttributeTable] = {}
    for name in _ATTRIBUTE_FILES:
        tables = extend(tables, _read_toml_file(f"attributes/{name}.toml"), missing)
    spoken = [
        languages.read(_read_toml_file(f"languages/{name}"), name) for name in sorted(os.listdir(_LANGUAGES))
    ]
    for language in spoken:
        tables = extend(tables, language.tables, missing)
    return Data(tables, names, languages.with_persons(_read_toml_file("context.toml"), spoken))


def _read_toml_file(name: str) -> dict[str, object]:
    import tomllib  # noqa: PLC0415 (needed only where the compiled form is out of date)

    with open(os.path.join(_HERE, name), "rb") as file:
        return tomllib.load(file)
