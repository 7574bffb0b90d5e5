"""Reads the vocabulary that fairlint ships, from the TOML files beside this module.

Reading TOML takes several times as long as checking a small file, so that `compiled.tsv` holds the result,
and `prefilter.txt` the prefilter's expression. `python -m fairlint.prepare` writes both anew; where they are
out of date they are not used.
"""

from __future__ import annotations

import os

from fairlint.lexicon import compiled
from fairlint.lexicon.tables import AttributeTable, extend, table, texts
from fairlint.lexicon.vocabulary import Data, Vocabulary

_HERE = os.path.dirname(__file__)  # noqa: PTH120 (start-up: pathlib is not imported for this)
_PATTERN = os.path.join(_HERE, "prefilter.txt")  # noqa: PTH118 (as above)
_ATTRIBUTE_FILES = ("person", "origin", "standing", "proxies")


def shipped() -> Vocabulary:
    """The shipped vocabulary, from the same tables that users write."""
    state = compiled.load()
    if state is None:
        return read()
    return Vocabulary(
        lambda: compiled.data_of(state), lambda: _text("prefilter.txt").strip(), compiled.index_of(state)
    )


def read() -> Vocabulary:
    """The shipped vocabulary from the TOML files, whatever was compiled before."""
    return Vocabulary(_data)


def write() -> None:
    """Writes what is compiled from the TOML files."""
    vocabulary = read()
    texts_by_file = {
        compiled.FILE: compiled.written(vocabulary.data, vocabulary.index),
        _PATTERN: vocabulary.prefilter_pattern() + "\n",
    }
    for path, text in texts_by_file.items():
        with open(path, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123 (as above)
            file.write(text)


def _data() -> Data:
    names = _read("names.toml")
    missing = tuple(texts(table(names["missing"], "missing")["spellings"], "missing.spellings"))
    tables: dict[str, AttributeTable] = {}
    for name in _ATTRIBUTE_FILES:
        tables = extend(tables, _read(f"attributes/{name}.toml"), missing)
    return Data(tables, names, _read("context.toml"))


def _read(name: str) -> dict[str, object]:
    import tomllib  # noqa: PLC0415 (needed only where the compiled form is out of date)

    return tomllib.loads(_text(name))


def _text(name: str) -> str:
    with open(os.path.join(_HERE, name), encoding="utf-8") as file:  # noqa: PTH118, PTH123 (as above)
        return file.read()
