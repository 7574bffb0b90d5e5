"""What a change says of one file, and what it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from fairlint.sources.files_to_check import suffix_language, suffixes_of
from fairlint.support.records import Record
from fairlint.syntax.language import Language
from fairlint.syntax.registry import languages

WHOLE = range(1, 1 << 62)
"""All lines of a file."""
LARGEST = 100_000_000
"""Bytes of a file whose lines are compared."""


class Touched(Record):
    """The lines of a file that are changed. `reason` says why nobody can tell which: then it is all."""

    ranges: tuple[range, ...] = ()
    reason: str = ""


class Asked(Record):
    """A file with findings: its path in the report, its language, and its text where that was given."""

    path: str
    language: str | None = None
    text: bytes | None = None
    is_given: bool = False


class Change(Protocol):
    """What a run looks at."""

    def touched(self, files: Mapping[str, Asked]) -> Mapping[str, Touched]:
        """Return what is changed of each file."""


UNCHANGED = Touched()
NEW = Touched((WHOLE,))
"""A file that was not there."""


def wholly(reason: str) -> Touched:
    """Return a file of which nobody can say which lines are changed."""
    return Touched((WHOLE,), reason)


def has_suffix(asked: Asked) -> bool:
    """Return whether the name of a file says its language; otherwise its first line does."""
    known = languages()
    return suffix_language(_file_name(asked.path), suffixes_of(known.values())) is not None


def language_of(asked: Asked) -> Language | None:
    """Return what a file is read as."""
    known = languages()
    name = suffix_language(_file_name(asked.path), suffixes_of(known.values())) or asked.language or ""
    return known.get(name)


def _file_name(path: str) -> str:
    return path.rpartition("/")[2]
