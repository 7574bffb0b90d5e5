"""What differs from a revision of git: the bytes that were committed beside those that lie there now.

git's own `diff` would ask attributes, filters and configuration what to compare, and whoever writes those
says what is shown. Here the lines are compared that fairlint reads, of those files that have findings.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from fairlint.sources.reading import to_utf8
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file, repository_of
from fairlint.support.git import (
    LINK,
    MODULE,
    Allowance,
    Entry,
    GitError,
    Objects,
    is_empty,
    object_id,
    revision,
)
from fairlint.support.line_comparison import different, lines
from fairlint.support.records import Record
from fairlint.suppression.changed_lines.touched import (
    LARGEST,
    NEW,
    UNCHANGED,
    Asked,
    Touched,
    has_suffix,
    language_of,
    wholly,
)
from fairlint.suppression.changed_lines.ways import Way, is_inside, way

if TYPE_CHECKING:
    from fairlint.suppression.changed_lines.renames import Moves

# Path objects would take longer than the files themselves.
# ruff: noqa: PTH109, PTH115, PTH120

SPANS = "..."
"""Between two revisions: what one has changed since it left the other."""
UNREAD = wholly("git does not have what it was before, or that is damaged or too large")
LFS = b"version https://git-lfs.github.com/spec/"
"""How a blob begins that only says where the file is kept."""


def since(name: str, allowance: Allowance | None = None, moves: Moves | None = None) -> Since:
    """Return what differs from a revision of the repository around the current folder, new files included.

    `moves` says whether a file that was moved is told about as before; without it, each such file is new.
    `A...` is where the current state left A. A UsageError where there is no git, no repository, or no such
    revision.
    """
    allowance = allowance or Allowance()
    root = repository_of(os.getcwd())
    if name.startswith("-"):
        raise UsageError(f"--diff needs a revision, not '{name}'")
    try:
        return Since(root, _revision_tree(root, name, allowance), allowance, moves)
    except GitError as error:
        is_repository = os.path.lexists(os.path.join(root, ".git"))  # noqa: PTH118 (as above)
        told = error if is_repository else "this folder is in no git repository; --diff-file takes a diff"
        raise UsageError(f"--diff {name}: {told}") from None


def _revision_tree(root: str, name: str, allowance: Allowance) -> str:
    """Return the id of the tree of a revision; empty before the first commit."""
    before, spans, after = name.partition(SPANS)
    if spans and before and after in {"", "HEAD"}:
        ends = [revision(root, one, allowance=allowance) for one in (before, "HEAD")]
        if None in ends:
            raise GitError(f"git knows no revision '{before if ends[0] is None else 'HEAD'}'")
        with Objects(root, allowance) as objects:
            told = objects.asked("merge-base", *filter(None, ends)).decode("ascii", "replace").split()
            name = told[0] if told else name
    found = revision(root, name, "tree", allowance=allowance)
    if found is not None:
        return found
    if name == "HEAD" and is_empty(root, allowance=allowance):
        return ""
    if ".." in name:
        raise GitError("these are two revisions; fairlint compares one with the files that lie there")
    raise GitError(f"git knows no revision '{name}'")


class Since:
    """What differs from a tree of a repository."""

    def __init__(self, root: str, tree: str, allowance: Allowance, moves: Moves | None = None) -> None:
        self._root = root
        self._tree = tree
        self._allowance = allowance
        self._moves = moves

    def touched(self, files: Mapping[str, Asked]) -> Mapping[str, Touched]:
        """Return what is changed of each file. Where git does not answer, it is all."""
        if not self._tree:
            return dict.fromkeys(files, NEW)
        if not files:
            return {}
        ways = {path: way(path, self._root) for path in files}
        passed = [place for one in ways.values() if one for place in (*one.links, one.end)]
        places = [_git_path(place, self._root) for place in passed if is_inside(place, self._root)]
        found: dict[str, Touched] = {}
        fresh: list[Asked] = []
        try:
            with Objects(self._root, self._allowance) as objects:
                compared = _Compared(self._root, objects.entries(self._tree, places))
                waiting: dict[str, list[_Differs]] = {}
                for path, one in files.items():
                    first = compared.first(one, ways[path])
                    if isinstance(first, Touched):
                        found[path] = first
                        if first is NEW and not one.is_given:
                            fresh.append(one)
                    else:
                        waiting.setdefault(first.before, []).append(first)
                for moved in self._moved_files(fresh, ways, objects):
                    waiting.setdefault(moved.before, []).append(moved)
                for before, data in objects.contents(waiting, LARGEST):
                    found |= {one.asked.path: _changed_lines(one, data) for one in waiting[before]}
        except GitError as error:
            return dict.fromkeys(files, wholly(str(error)))
        return {path: found.get(path, UNREAD) for path in files}

    def _moved_files(
        self, fresh: Sequence[Asked], ways: Mapping[str, Way | None], objects: Objects
    ) -> Iterator[_Differs]:
        """Yield the files among new ones that had another name, each with what it was."""
        if self._moves is None or not fresh:
            return
        from fairlint.suppression.changed_lines.renames import Fresh, find_renames  # noqa: PLC0415 (few changes add files)

        read: list[Fresh] = []
        for one in fresh:
            if (way := ways[one.path]) is not None and not way.links:
                with suppress(NotReadableError):
                    read.append(Fresh(one.path, _git_path(way.end, self._root), read_file(way.end, LARGEST)))
        tree = objects.below(self._tree, [])
        before = find_renames(read, tree, self._root, objects, self._moves)
        by_path = {one.path: one for one in fresh}
        for one_read in read:
            if one_read.path in before:
                yield _Differs(by_path[one_read.path], before[one_read.path], one_read.raw)


class _Differs(Record):
    """A file whose bytes are not those of the revision, and the id of what those are."""

    asked: Asked
    before: str
    raw: bytes


class _Compared:
    """Files beside what the revision holds under their names."""

    def __init__(self, root: str, entries: Mapping[str, Entry]) -> None:
        self._root = root
        self._entries = entries

    def first(self, asked: Asked, way: Way | None) -> Touched | _Differs:
        """Return what the names and the bytes of a file say by themselves."""
        if way is None:
            return wholly("links that lead in a circle")
        if way.leaves or not is_inside(way.end, self._root):
            return wholly("it lies in no folder of the repository that was asked")
        for link in way.links:
            if not self._is_old_link(link):
                return wholly(f"{_git_path(link, self._root)} is a new link, or leads elsewhere than before")
        entry = self._entries.get(_git_path(way.end, self._root))
        if entry is None:
            inner = repository_of(os.path.dirname(way.end))
            return NEW if inner == self._root else wholly("it belongs to another repository")
        if entry.mode in {LINK, MODULE}:
            return wholly("it was a link before" if entry.mode == LINK else "it was a repository before")
        if asked.is_given:
            is_code = asked.text is not None
            return _Differs(asked, entry.object, b"") if is_code else wholly("a notebook on standard input")
        try:
            raw = read_file(way.end, LARGEST)
        except NotReadableError as error:
            return wholly(str(error))
        is_same = object_id(raw, length=len(entry.object)) == entry.object
        return UNCHANGED if is_same else _Differs(asked, entry.object, raw)

    def _is_old_link(self, path: str) -> bool:
        entry = self._entries.get(_git_path(path, self._root))
        if entry is None or entry.mode != LINK:
            return False
        target = os.fsencode(os.readlink(path)).replace(os.fsencode(os.sep), b"/")
        return object_id(target, length=len(entry.object)) == entry.object


def _changed_lines(found: _Differs, before: bytes) -> Touched:
    """Return the lines of a file that differ from those of the revision."""
    if before.startswith(LFS):
        return wholly("git does not keep its text (LFS)")
    asked = found.asked
    language = language_of(asked)
    try:
        old = to_utf8(before, language)
        new = to_utf8(found.raw, language) if asked.text is None else asked.text
    except NotReadableError as error:
        return wholly(f"it is, or was, {error}")
    ranges = tuple(different(lines(old), lines(new)))
    if not has_suffix(asked) and any(1 in one for one in ranges):
        return wholly("its first line says its language, and is changed")
    return Touched(ranges)


def _git_path(path: str, root: str) -> str:
    """Return a path as git has it: from the repository's folder, with forward slashes."""
    return path[len(root.rstrip(os.sep)) + 1 :].replace(os.sep, "/")
