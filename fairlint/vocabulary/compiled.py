"""The shipped vocabulary in a form that is loaded at once: `compiled.json`, made from the TOML files.

`python -m fairlint.vocabulary.load` writes it anew. It bears the checksum of the data and the code that it
was made from; where one of them is another by now, the TOML files are read instead, which takes longer.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairlint.vocabulary.names import Index
from fairlint.vocabulary.tables import AttributeTable
from fairlint.vocabulary.vocabulary import Data

HERE = os.path.dirname(__file__)  # noqa: PTH120 (start-up: pathlib is not imported for this)
FILE = os.path.join(HERE, "compiled.json")  # noqa: PTH118 (as above)
_FOLDERS = ("", "attributes")
_SUFFIXES = (".py", ".toml")

_AS_IT_IS = ("name", "title", "kind", "form", "needs_domain", "ordered", "note", "distinctive", "codes")
_TUPLES = ("core", "proxy_for", "limits", "limits_among")
_FROZEN = ("domains", "limit_words", "not_of", "not_values")
_BY_WORDS = ("names", "forms")
_NOT_PREPARED = frozenset({"suffixes", "weak_groups", "data_sets", "attributes", "except", "reason"})
"""Keys of context.toml whose texts are no lists of words and phrases."""


def load() -> dict[str, Any] | None:
    """What was compiled, or None where there is nothing or it is out of date."""
    import json  # noqa: PLC0415 (as above)

    try:
        with open(FILE, encoding="utf-8") as file:  # noqa: PTH123 (as above)
            state: dict[str, Any] = json.load(file)
        return state if state["checksum"] == checksum() else None
    except (OSError, ValueError, LookupError, TypeError):
        return None


def checksum() -> int:
    """A number for the contents of all files that the vocabulary is made from."""
    from zlib import crc32  # noqa: PLC0415 (start-up)

    total = 0
    for folder in _FOLDERS:
        place = os.path.join(HERE, folder)  # noqa: PTH118 (as above)
        for name in sorted(os.listdir(place)):  # noqa: PTH208 (as above)
            if name.endswith(_SUFFIXES):
                with open(os.path.join(place, name), "rb") as file:  # noqa: PTH118, PTH123 (as above)
                    total = crc32(file.read(), crc32(name.encode(), total))
    return total


class Tables(Mapping[str, AttributeTable]):
    """The attributes' tables, each made when it is first asked for."""

    def __init__(self, raw: Mapping[str, Mapping[str, Any]]) -> None:
        self._raw = raw
        self._made: dict[str, AttributeTable] = {}

    def __getitem__(self, name: str) -> AttributeTable:
        found = self._made.get(name)
        if found is None:
            found = self._made[name] = restored(self._raw[name])
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)


def data_of(state: Mapping[str, Any]) -> Data:
    """The data that `state` was compiled from."""
    return Data(Tables(state["tables"]), state["names"], state["context"])


def index_of(state: Mapping[str, Any]) -> Index:
    """The index of names that `state` was compiled with."""
    return Index(state["entries"], state["nots"], state["columns"], state["generic"], state["distinctive"])


def plain(table: AttributeTable) -> dict[str, Any]:
    """A table as JSON can hold it."""
    words = {key: {" ".join(name): value for name, value in getattr(table, key).items()} for key in _BY_WORDS}
    return {
        **{key: getattr(table, key) for key in (*_AS_IT_IS, *_TUPLES)},
        **{key: sorted(getattr(table, key)) for key in (*_FROZEN, "columns")},
        **words,
        "flags": {" ".join(name): value for name, value in table.flags.items()},
        "groups": {group: list(spellings) for group, spellings in table.groups.items()},
        "missing": list(table.missing),
        "generic": {" ".join(words): grade for words, grade in table.generic.items()},
        "bands": table.bands,
        "laws": table.laws,
        "nots": sorted(" ".join(words) for words in table.nots),
    }


def restored(raw: Mapping[str, Any]) -> AttributeTable:
    """The inverse of `plain`."""
    table = AttributeTable(raw["name"])
    for key in _AS_IT_IS:
        setattr(table, key, raw[key])
    for key in _TUPLES:
        setattr(table, key, tuple(raw[key]))
    for key in _FROZEN:
        setattr(table, key, frozenset(raw[key]))
    for key in _BY_WORDS:
        setattr(table, key, {tuple(name.split(" ")): value for name, value in raw[key].items()})
    table.columns = set(raw["columns"])
    table.flags = {tuple(name.split(" ")): (group, grade) for name, (group, grade) in raw["flags"].items()}
    table.groups = {group: dict.fromkeys(spellings) for group, spellings in raw["groups"].items()}
    table.missing = dict.fromkeys(raw["missing"])
    table.generic = {tuple(words.split(" ")): grade for words, grade in raw["generic"].items()}
    table.bands = {group: (low, high) for group, (low, high) in raw["bands"].items()}
    table.laws = {place: tuple(laws) for place, laws in raw["laws"].items()}
    table.nots = {tuple(words.split(" ")) for words in raw["nots"]}
    return table


def prepared(context: Mapping[str, object]) -> dict[str, object]:
    """The tables of context.toml, their lists split into words and phrases, as Lexicon reads them."""
    from fairlint.vocabulary.context import Lexicon  # noqa: PLC0415 (needed for writing only)

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


def compiled(data: Data, index: Index) -> dict[str, Any]:
    """What is written to `compiled.json`."""
    return {
        "checksum": checksum(),
        "tables": {name: plain(table) for name, table in data.tables.items()},
        "entries": index.entries,
        "nots": index.nots,
        "columns": index.columns,
        "generic": index.generic,
        "distinctive": index.distinctive,
        "names": data.names,
        "context": prepared(data.context),
    }


def written(state: Mapping[str, Any]) -> str:
    """The text of `compiled.json`, an entry a line."""
    import json  # noqa: PLC0415 (as above)

    def line(value: object) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def section(value: object) -> str:
        if not isinstance(value, Mapping):
            return line(value)
        return "{\n" + ",\n".join(f"{line(key)}:{line(entry)}" for key, entry in value.items()) + "\n}"

    return "{\n" + ",\n".join(f"{line(key)}:{section(value)}" for key, value in state.items()) + "\n}\n"
