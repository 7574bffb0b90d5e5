"""The vocabulary as plain data, which can be kept, and what plain data says as a vocabulary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairlint.support.compiled_data import Lazy, pack_values
from fairlint.support.records import field_names
from fairlint.vocabulary.attribute_table import AttributeTable
from fairlint.vocabulary.bags import Lexicon
from fairlint.vocabulary.names import Index
from fairlint.vocabulary.prose import Row
from fairlint.vocabulary.vocabulary import Data, Vocabulary

_SETS = ("columns", "nots", "removed")
_FROZEN = ("domains", "limit_words", "not_of", "not_values")
_NOT_PREPARED = frozenset(
    "suffixes beside weak_groups data_sets data_set_files data_set_order modules attributes except only_of "
    "reason languages".split()
)
"""Keys of context.toml whose texts are no lists of words and phrases."""

State = Mapping[str, Any]
"""Sections of a vocabulary; in those of many entries each is packed by itself."""


def plain_state(vocabulary: Vocabulary) -> dict[str, object]:
    """Return a vocabulary as plain data."""
    data, index = vocabulary.data, vocabulary.index
    return {
        "tables": pack_values({name: plain(table) for name, table in data.tables.items()}),
        "names": data.names,
        "context": prepare_context(data.context),
        "forms": pack_values(vocabulary.forms),
        **{name: pack_values(getattr(index, name)) for name in field_names(index)},
    }


def data_of(state: State) -> Data:
    """Return the data of the vocabulary that a state was made from."""
    return Data(Lazy(state["tables"], restore_table), state["names"], state["context"])


def forms_of(state: State) -> Mapping[str, Sequence[Row]]:
    """Return how running text names its groups."""
    return Lazy(state["forms"], list)


def index_of(state: State) -> Index:
    """Return its index of names."""
    return Index(*(Lazy(state[name], list) for name in field_names(Index)))


def plain(table: AttributeTable) -> dict[str, Any]:
    """Return a table in dicts, lists and texts alone."""
    values = {key: getattr(table, key) for key in AttributeTable.__slots__}
    return {**values, **{key: sorted(values[key]) for key in (*_SETS, *_FROZEN)}}


def restore_table(raw: Mapping[str, Any]) -> AttributeTable:
    """Return the inverse of `plain`."""
    table = AttributeTable(raw["name"])
    for key, value in raw.items():
        setattr(table, key, value)
    for key in _SETS:
        setattr(table, key, set(raw[key]))
    for key in _FROZEN:
        setattr(table, key, frozenset(raw[key]))
    for key in ("beside", "told_by"):
        setattr(table, key, {name: tuple(words) for name, words in raw[key].items()})
    return table


def prepare_context(context: Mapping[str, object]) -> dict[str, object]:
    """Return the tables of context.toml, their lists split into words and phrases, as Lexicon reads them."""

    def split(key: str, value: object) -> object:
        if key in _NOT_PREPARED:
            return value
        if isinstance(value, Mapping):
            return {
                name: entry if name in _NOT_PREPARED else split(name, entry) for name, entry in value.items()
            }
        if isinstance(value, (str, Sequence)):
            lexicon = Lexicon.read(value, key)
            return {"words": sorted(lexicon.words), "phrases": list(lexicon.phrases)}
        return value

    return {key: split(key, value) for key, value in context.items()}


def split_lists(tables: Mapping[str, object], keys: frozenset[str]) -> dict[str, object]:
    """Tables in tables, with the lists under some keys split as Lexicon reads them."""

    def split(key: str, value: object) -> object:
        if isinstance(value, Mapping):
            return split_lists(value, keys)
        if key not in keys:
            return value
        lexicon = Lexicon.read(value, key)
        return {"words": sorted(lexicon.words), "phrases": list(lexicon.phrases)}

    return {key: split(key, value) for key, value in tables.items()}
