"""What differs by a diff that somebody gives, beside the files that lie there now."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from fairlint.sources.reading import MARKS
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file
from fairlint.suppression.changed_lines.diff_text import Section, sections
from fairlint.suppression.changed_lines.touched import LARGEST, UNCHANGED, Asked, Touched, language_of, wholly

# Path objects would take longer than the files themselves.
# ruff: noqa: PTH100, PTH118

PLAIN = frozenset({"ascii", "cp1252", "iso8859-1", "iso8859-15", "utf-8"})
"""Encodings, as `codecs` calls them, in which a diff has the lines that a reader of the text has."""
_UTF8 = MARKS[0][0]


def in_diff(data: bytes, folder: str, given: str | None = None) -> Given:
    """Return what a unified diff changes in files below a folder, and in the one whose text is `given`
    otherwise.

    A UsageError where it is none, or speaks of no file that is there. A diff without a word changes nothing.
    """
    there = {os.path.abspath(given)} if given else set()
    return Given(sections(data), folder, there, is_empty=not data.strip())


class Given:
    """What a diff says of files."""

    def __init__(self, found: Sequence[Section], folder: str, there: set[str], *, is_empty: bool) -> None:
        self._folder = folder
        self._there = there
        self._files: dict[str, list[Section]] = {}
        self._folders: list[tuple[str, Section]] = []
        is_here = is_empty
        for one in found:
            names = [os.fsdecode(name) for name in one.names]
            here = [name for name in names if self._is_there(name)]
            if not here:
                here = [name for name in _path_suffixes(names) if self._is_there(name)]
            is_here = is_here or one.is_removed or bool(here)
            if not one.is_removed:
                self._add_section(one, [*names, *here])
        if not is_here:
            named = next((os.fsdecode(name) for one in found for name in one.names), "")
            said = f"it speaks of no file that is here, but of '{named}'" if named else "it names no file"
            raise UsageError(f"the diff cannot be read: {said}")

    def _is_there(self, name: str) -> bool:
        path = os.path.join(self._folder, name)
        return os.path.lexists(path) or os.path.abspath(path) in self._there

    def _add_section(self, one: Section, names: Iterable[str]) -> None:
        for path in {path for name in names for path in _path_spellings(os.path.join(self._folder, name))}:
            self._files.setdefault(path, []).append(one)
            if one.is_folder:
                self._folders.append((path.rstrip(os.sep) + os.sep, one))

    def touched(self, files: Mapping[str, Asked]) -> Mapping[str, Touched]:
        """Return what is changed of each file."""
        return {path: self._touched_lines(one) for path, one in files.items()}

    def _touched_lines(self, asked: Asked) -> Touched:
        paths = _path_spellings(asked.path)
        told = {id(one): one for path in paths for one in self._files.get(path, ())}
        told |= {id(one): one for path in paths for below, one in self._folders if path.startswith(below)}
        if not told:
            return UNCHANGED
        if len(told) > 1:
            return wholly("the diff speaks of it more than once")
        found = next(iter(told.values())).touched()
        if found.reason:
            return found
        odd = _line_mismatch_reason(asked)
        return wholly(odd) if odd else found


def _path_suffixes(names: Iterable[str]) -> Iterator[str]:
    """Yield names without the first parts of their paths, as under a longer prefix."""
    for name in names:
        parts = name.split("/")
        yield from ("/".join(parts[at:]) for at in range(1, len(parts)))


def _path_spellings(path: str) -> tuple[str, ...]:
    """Return a path as it stands, and where it leads."""
    whole = os.path.abspath(path)
    return tuple(dict.fromkeys((whole, os.path.realpath(whole))))


def _line_mismatch_reason(asked: Asked) -> str:
    """Return why the lines of a diff, which end at line feeds, are not those of the text; empty where they
    are.
    """
    raw = asked.text
    if raw is None:
        try:
            raw = read_file(asked.path, LARGEST)
        except NotReadableError as error:
            return str(error)
        language = language_of(asked)
        declared = language.encoding if language is not None else None
        if not raw.startswith(_UTF8) and (_has_encoding_mark(raw) or not _is_plain(declared, raw)):
            return "its encoding has other lines than the diff"
    return "it has lines that end with a carriage return alone" if b"\r" in raw.replace(b"\r\n", b"") else ""


def _has_encoding_mark(raw: bytes) -> bool:
    return any(raw.startswith(mark) for mark, _ in MARKS)


def _is_plain(declared: Callable[[bytes], str | None] | None, raw: bytes) -> bool:
    name = declared(raw) if declared is not None else None
    if not name:
        return True
    import codecs  # noqa: PLC0415 (few files say one)

    try:
        return codecs.lookup(name).name in PLAIN
    except (LookupError, ValueError):
        return True  # it is read as UTF-8 or Latin-1, then
