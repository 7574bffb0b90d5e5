"""What findings are judged by, as SHA-256 sums that are the same in every installation.

The key of kept results (`checking/result_cache.py`) also holds where files lie and when fairlint was
installed, so that it is made quickly; a comparison of two reports needs the contents alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlint.plugins import manager
from fairlint.rules.loading import rule_folders
from fairlint.rules.rule_files import pages
from fairlint.support.compiled_data import PACKAGE

if TYPE_CHECKING:
    from fairlint.config import Settings

UNTOLD = ("jobs", "cache-dir")
"""Settings that make no difference to what is found: no record of a run has them."""


def sums(settings: Sequence[Settings], values: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the sums of the rules, the vocabulary, the library models and the settings, and one over these.

    `values` is what the settings say, as JSON has it: key → value.
    """
    parts = {
        "rules": [_file_digest(path) for folder in rule_folders() for path in pages(folder)],
        "vocabulary": [
            *_digests_of_folder("vocabulary", "*.toml"),
            *map(_table_digest, manager.attribute_tables()),
            *(_table_digest(table) for one in settings for table in one.vocabulary_tables()),
        ],
        "library_models": [
            *_digests_of_folder("library_models", "*.toml", "*.py"),
            *(_table_digest(one.table) for one in manager.library_models()),
            *(_table_digest(table) for one in settings for _, table in one.library_tables()),
        ],
        "settings": [*map(_table_digest, values)],
    }
    made = {name: _sum_of_parts(told) for name, told in parts.items()}
    return {**made, "all": _sum_of_parts(made.values())}


def _sum_of_parts(parts: Iterable[str]) -> str:
    return hashlib.sha256("".join(f"{part}\n" for part in parts).encode()).hexdigest()


def _file_digest(path: str | Path) -> str:
    path = Path(path)
    return f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}"


def _table_digest(table: Mapping[str, Any]) -> str:
    told = json.dumps(_sort_tables(table), ensure_ascii=True, default=str)
    return hashlib.sha256(told.encode()).hexdigest()


def _sort_tables(value: object) -> object:
    """Return a value with tables by their keys: those of plugins need not be as in a file."""
    if isinstance(value, Mapping):
        by_name = {str(key): held for key, held in value.items()}
        return {name: _sort_tables(by_name[name]) for name in sorted(by_name)}
    return [_sort_tables(one) for one in value] if isinstance(value, list | tuple) else value


def _digests_of_folder(folder: str, *patterns: str) -> Iterator[str]:
    """Yield what comes with fairlint in one of its folders."""
    files = (path for pattern in patterns for path in Path(PACKAGE, folder).rglob(pattern))
    yield from map(_file_digest, sorted(files, key=lambda path: path.relative_to(PACKAGE).as_posix()))
