"""The shipped vocabulary in a form that is loaded at once: `compiled.tsv`, made from the TOML files.

`python -m fairlint.prepare` writes it anew. It bears the checksum of the data and the code that it was made
from; where one of them is another by now, the TOML files are read instead, which takes longer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from fairlint.lexicon.names import Index
from fairlint.lexicon.tables import AttributeTable
from fairlint.lexicon.vocabulary import Data
from fairlint.records import field_names

HERE = os.path.dirname(__file__)  # noqa: PTH120 (start-up: pathlib is not imported for this)
FILE = os.path.join(HERE, "compiled.tsv")  # noqa: PTH118 (as above)
_Value = TypeVar("_Value")
_FOLDERS = ("", "attributes")
_SUFFIXES = (".py", ".toml")

_AS_IT_IS = ("name", "title", "kind", "form", "needs_domain", "ordered", "note", "distinctive", "codes")
_TUPLES = ("core", "proxy_for", "limits", "limits_among")
_FROZEN = ("domains", "limit_words", "not_of", "not_values")
_BY_WORDS = ("names", "forms")
_NOT_PREPARED = frozenset(
    "suffixes weak_groups data_sets data_set_files data_set_order modules attributes except reason".split()
)
"""Keys of context.toml whose texts are no lists of words and phrases."""


Sections = Mapping[str, Mapping[str, str]]
"""Section -> key -> JSON."""


def load() -> Sections | None:
    """What was compiled, or None where there is nothing or it is out of date."""
    try:
        with open(FILE, encoding="utf-8") as file:  # noqa: PTH123 (as above)
            first, _, text = file.read().partition("\n")
        if first != str(checksum()):
            return None
    except (OSError, ValueError):
        return None
    sections: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        section, key, value = line.split("\t", 2)
        sections.setdefault(section, {})[key] = value
    return sections


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


class Lazy(Mapping[str, _Value]):
    """A section whose values are made of their JSON when they are first asked for."""

    def __init__(self, raw: Mapping[str, str], make: Callable[[Any], _Value]) -> None:
        self._raw = raw
        self._make = make
        self._made: dict[str, _Value] = {}

    def __getitem__(self, key: str) -> _Value:
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._make(_loads(self._raw[key]))
        return found

    def __contains__(self, key: object) -> bool:
        return key in self._raw

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)


def data_of(sections: Sections) -> Data:
    """The data that the sections were compiled from."""
    names = {key: _loads(value) for key, value in sections["names"].items()}
    context = {key: _loads(value) for key, value in sections["context"].items()}
    return Data(Lazy(sections["tables"], restored), names, context)


def index_of(sections: Sections) -> Index:
    """The index of names that was compiled."""
    return Index(*(Lazy(sections.get(name, {}), list) for name in field_names(Index)))


def _loads(value: str) -> Any:
    import json  # noqa: PLC0415 (start-up)

    return json.loads(value)


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
    from fairlint.lexicon.context import Lexicon  # noqa: PLC0415 (needed for writing only)

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


def written(data: Data, index: Index) -> str:
    """The text of the file: the checksum, then a line for each entry: section, key and value."""
    import json  # noqa: PLC0415 (as above)

    sections: Mapping[str, Mapping[str, object]] = {
        "tables": {name: plain(table) for name, table in data.tables.items()},
        **{name: getattr(index, name) for name in field_names(index)},
        "names": data.names,
        "context": prepared(data.context),
    }
    lines = [str(checksum())]
    for section, entries in sections.items():
        for key, value in entries.items():
            lines.append(f"{section}\t{key}\t{json.dumps(value, ensure_ascii=False, separators=(',', ':'))}")
    return "\n".join(lines) + "\n"
