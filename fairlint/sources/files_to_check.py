"""The files that a walk has found, and what it left out."""

# Path objects would take longer than the walk itself.
# ruff: noqa: PTH109, PTH118

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from fairlint.config import Settings
from fairlint.findings.report import LeftOut, NotAnalysed
from fairlint.sources.path_patterns import with_separator
from fairlint.support.records import Record, field
from fairlint.syntax import SHIPPED

if TYPE_CHECKING:
    from fairlint.syntax.language import Language

NOTEBOOK = "notebook"
"""What the suffix of a notebook says; the code in its cells has a language of its own."""


def suffixes_of(languages: Iterable[Language]) -> dict[str, str]:
    """Suffix -> language, or that it is a notebook."""
    known = {suffix: language.name for language in languages for suffix in language.suffixes}
    return {**known, ".ipynb": NOTEBOOK}


SUFFIXES: Mapping[str, str] = suffixes_of(SHIPPED)


class Folder(Record):
    """What the paths of the files in one folder begin with: those to open, and those that reports show."""

    path: str
    shown: str
    settings: Settings
    """Those in force for the files in it."""


class File(Record):
    """One file to check, and its language. There may be many, so their folders are kept once."""

    folder: Folder
    name: str
    language: str

    @property
    def path(self) -> str:
        """The path to open."""
        return self.folder.path + self.name

    @property
    def shown(self) -> str:
        """The path that reports show."""
        return self.folder.shown + self.name

    @property
    def settings(self) -> Settings:
        """The settings in force for it."""
        return self.folder.settings


class Discovery(Record, frozen=False, slots=False):
    """What a walk found. `skipped` names what was asked for and cannot be checked."""

    files: list[File] = field(default_factory=list)
    skipped: list[NotAnalysed] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    """Paths that settings leave out, each with the reason, where that was asked."""
    unknown: int = 0
    """Files in no known language."""
    unread: dict[str, list[str]] = field(default_factory=dict)
    """Kind → shown paths of files among those that may decide about people: see `unread.py`."""
    tracked: list[LeftOut] = field(default_factory=list)
    """What is told of all that is left out: see `Report.left_out`."""
    unheeded: list[LeftOut] = field(default_factory=list)
    """What has no say in a checkout that is not trusted: see `Report.unheeded`."""


def shown_path(path: str) -> str:
    """Return how reports name a file: relative to the current folder where it lies inside, with forward
    slashes.
    """
    here = os.getcwd()
    whole = os.path.normpath(os.path.join(here, path))
    prefix = with_separator(here)
    return whole.removeprefix(prefix).replace(os.sep, "/")


def suffix_language(name: str, suffixes: Mapping[str, str] = SUFFIXES) -> str | None:
    """Return the language that a file's suffix says, upper case or not."""
    dot = name.rfind(".")
    return suffixes.get(name[dot:].lower()) if dot > 0 else None


def titles(languages: Iterable[Language]) -> str:
    """Return what the languages are called: `Python or C`."""
    *most, last = [language.title or language.name for language in languages]
    return f"{', '.join(most)} or {last}" if most else last
