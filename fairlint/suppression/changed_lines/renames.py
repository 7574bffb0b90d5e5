"""Which file of a revision a file that is new to it was: one that is gone, and has nearly the same lines.

git's own search for renames goes by configuration and attributes, and by what may still be there. Here a file
was another one only if that is gone, was read as the same language, and was told about as this one is. All
else is new: that tells too much, and hides nothing.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from fairlint.sources.files_to_check import suffix_language
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.git import Entry, Objects, object_id
from fairlint.support.line_comparison import lines
from fairlint.support.records import Record
from fairlint.suppression.changed_lines.touched import LARGEST

# Path objects would take longer than the files themselves.
# ruff: noqa: PTH118

Moves = Callable[[str, str], bool]
"""Whether a file was told about at one absolute path as it is at another."""

LEAST_SAME = 0.8
"""How much of the larger text, counted in bytes of lines that are not blank, both have."""
MOST_PAIRS = 2_000
"""Pairs of files that are compared; those that are left are new."""
POLICY = (".gitignore", "fairlint.toml", "pyproject.toml")
"""Files that may leave others out. Where one of them is changed, nobody can say what was read before."""
VENV = "pyvenv.cfg"
FILES = frozenset({"100644", "100755"})
"""Modes of plain files in a tree."""


class Fresh(Record):
    """A file that is new to the revision: its path in the report, its name in the repository, its bytes."""

    path: str
    name: str
    raw: bytes


def find_renames(
    fresh: Iterable[Fresh], tree: Mapping[str, Entry], root: str, objects: Objects, moves: Moves
) -> dict[str, str]:
    """Of files that are new to a tree, by their paths in the report: the id of what each was.

    No two were the same file: what was copied is new.
    """
    wanted = sorted(fresh, key=lambda one: one.name)
    suffixes = {_language_suffix(one.name) for one in wanted}
    gone = {
        name: entry.object
        for name, entry in tree.items()
        if entry.mode in FILES
        and _language_suffix(name) in suffixes
        and not os.path.lexists(os.path.join(root, name))
    }
    if not gone:
        return {}
    judged = _Judged(tree, root, moves)
    found: dict[str, str] = {}
    for one in wanted:  # the same bytes first: whatever is only like them may be another file
        same = (name for name, before in gone.items() if before == object_id(one.raw, length=len(before)))
        if (name := next((name for name in same if judged.may(name, one.name)), None)) is not None:
            found[one.path] = gone.pop(name)
    left = [one for one in wanted if one.path not in found]
    for name, one in _similar_files(left, gone, objects, judged):
        if name in gone and one.path not in found:
            found[one.path] = gone.pop(name)
    return found


def _similar_files(
    fresh: Iterable[Fresh], gone: Mapping[str, str], objects: Objects, judged: _Judged
) -> Iterator[tuple[str, Fresh]]:
    """Return the files that were nearly the same, those with the most in common first."""
    pairs = [(name, one) for one in fresh for name in sorted(gone) if judged.may(name, one.name)]
    pairs.sort(key=lambda pair: _base_name(pair[0]) != _base_name(pair[1].name))
    pairs = pairs[:MOST_PAIRS]
    before = {
        key: _line_weights(data) for key, data in objects.contents({gone[name] for name, _ in pairs}, LARGEST)
    }
    now = {one.path: _line_weights(one.raw) for _, one in pairs}
    shares = [
        (_common_share(before[gone[name]], now[one.path]), name, one)
        for name, one in pairs
        if gone[name] in before
    ]
    shares.sort(key=lambda found: (-found[0], found[1], found[2].name))
    return ((name, one) for share, name, one in shares if share >= LEAST_SAME)


def _line_weights(text: bytes) -> Counter[bytes]:
    """Return how many bytes of a text each of its lines takes up, without the blanks at its ends."""
    weights: Counter[bytes] = Counter()
    for line in lines(text):
        weights[line.strip()] += len(line.strip())
    return weights


def _common_share(before: Counter[bytes], now: Counter[bytes]) -> float:
    most = max(before.total(), now.total())
    return (before & now).total() / most if most else 0.0


def _language_suffix(name: str) -> str:
    """Return the suffix of a file that says its language; empty where none does, and no such file was
    another.
    """
    base = _base_name(name)
    return base[base.rfind(".") :].lower() if suffix_language(base) else ""


def _base_name(name: str) -> str:
    return name.rpartition("/")[2]


class _Judged:
    """Which names of a tree may be what a file was called before."""

    def __init__(self, tree: Mapping[str, Entry], root: str, moves: Moves) -> None:
        self._tree = tree
        self._root = root
        self._moves = moves
        self._folders: dict[str, bool] = {}

    def may(self, before: str, now: str) -> bool:
        """Return whether a file may have had another name, and was told about under it as it is now."""
        suffix = _language_suffix(before)
        if not suffix or suffix != _language_suffix(now) or not self._is_as_before(before.rpartition("/")[0]):
            return False
        return self._moves(os.path.join(self._root, before), os.path.join(self._root, now))

    def _is_as_before(self, folder: str) -> bool:
        """Return whether what may leave files of a folder out is as it was, there and above."""
        if folder not in self._folders:
            inside = f"{folder}/" if folder else ""
            own = inside + VENV not in self._tree and all(self._is_same(inside + name) for name in POLICY)
            self._folders[folder] = own and (not folder or self._is_as_before(folder.rpartition("/")[0]))
        return self._folders[folder]

    def _is_same(self, name: str) -> bool:
        entry = self._tree.get(name)
        if entry is None:
            return True
        try:
            raw = read_file(os.path.join(self._root, name), LARGEST, follow=False)
        except NotReadableError:
            return False
        return object_id(raw, length=len(entry.object)) == entry.object
