"""Reads the vocabulary that fairlint ships, from the TOML files beside this module.

`python -m fairlint.vocabulary.load` writes the prefilter's expression anew, which has to follow the data.
With it a file without any protected word is passed over without reading the data at all.
"""

from __future__ import annotations

from pathlib import Path

from fairlint.vocabulary.tables import AttributeTable, extend, table, texts
from fairlint.vocabulary.vocabulary import Data, Vocabulary

_HERE = Path(__file__).parent
_PATTERN = _HERE / "prefilter.txt"
_ATTRIBUTE_FILES = ("person", "origin", "standing", "proxies")


def shipped() -> Vocabulary:
    """The shipped vocabulary, from the same tables that users write."""
    return Vocabulary(_data, lambda: _PATTERN.read_text("ascii").strip())


def _data() -> Data:
    names = _read(_HERE / "names.toml")
    missing = tuple(texts(table(names["missing"], "missing")["spellings"], "missing.spellings"))
    tables: dict[str, AttributeTable] = {}
    for name in _ATTRIBUTE_FILES:
        tables = extend(tables, _read(_HERE / "attributes" / f"{name}.toml"), missing)
    return Data(tables, names, _read(_HERE / "context.toml"))


def _read(path: Path) -> dict[str, object]:
    import tomllib  # noqa: PLC0415 (needed only where a file holds a protected word)

    return tomllib.loads(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    _PATTERN.write_text(Vocabulary(_data).prefilter_pattern() + "\n", "ascii")
