"""Which files lead to which, and where they were looked for: all that one may hang on, found at once.

Sets of paths are numbers whose bits stand for the paths: where everything imports everything, this is asked
for every file and goes through all others.
"""

# Path objects would take longer than the work itself.
# ruff: noqa: PTH120

from __future__ import annotations

import os
from collections.abc import Mapping

MOST = 32
"""Closures that are kept; to go through the files again is not dear."""


class _Bits:
    """Each path by the place of its bit."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._paths: list[str] = []
        self._known: dict[str, tuple[int, int]] = {}

    def of(self, path: str) -> int:
        """The number in which the bit of one path is set."""
        place = self._places.setdefault(path, len(self._paths))
        if place == len(self._paths):
            self._paths.append(path)
        return 1 << place

    def of_all(self, name: str, paths: set[str]) -> int:
        """The number for the set that goes by a name, which only ever grows."""
        size, number = self._known.get(name, (0, 0))
        if size != len(paths):
            number = 0
            for path in paths:
                number |= self.of(path)
            self._known[name] = len(paths), number
        return number

    def path(self, lowest: int) -> str:
        """The path of a single bit."""
        return self._paths[lowest.bit_length() - 1]

    def paths(self, number: int) -> tuple[str, ...]:
        """The paths of all bits that are set, in order."""
        found = []
        while number:
            lowest = number & -number
            found.append(self.path(lowest))
            number ^= lowest
        return tuple(sorted(found))


class _Closure:
    """All that is reached from a file, as long as nothing is found that leads out of it."""

    def __init__(self, files: int, folders: int) -> None:
        self.files = files
        self.folders = folders
        self.holds = True


class Reach:
    """What has led where so far."""

    def __init__(self) -> None:
        self.files = _Bits()
        self.folders = _Bits()
        self._leads: dict[str, set[str]] = {}
        """File → those that its imports, as far as anybody asked, lead to."""
        self._consulted: dict[str, set[str]] = {}
        """Folder of files that import → the folders whose names said what they import."""
        self._above: dict[str, str] = {}
        self._closures: list[_Closure] = []
        self._closure_of: dict[str, _Closure] = {}

    def note(self, importer: str, found: str) -> None:
        """An import of one file has led to another."""
        known = self._leads.setdefault(importer, set())
        if found not in known:
            known.add(found)
            one, other = self.files.of(importer), self.files.of(found)
            for closure in self._closures:
                closure.holds = closure.holds and not (closure.files & one and not closure.files & other)
            self._closures = [closure for closure in self._closures if closure.holds]

    def consulted(self, folder: str, other: str) -> None:
        """The names in another folder have said what files of one import."""
        known = self._consulted.setdefault(folder, set())
        if other not in known:
            known.add(other)
            self._forget(0)

    def _forget(self, most: int) -> None:
        """Keeps no more than so many closures."""
        gone = len(self._closures) - most
        for closure in self._closures[:gone]:
            closure.holds = False
        del self._closures[:gone]

    def all_from(self, path: str) -> tuple[int, int]:
        """All files that one leads to, itself included, and all folders consulted for any of them."""
        known = self._closure_of.get(path)
        if known is None or not known.holds:
            files, folders = self._reached(path)
            same = (one for one in self._closures if (one.files, one.folders) == (files, folders))
            known = self._closure_of[path] = next(same, None) or _Closure(files, folders)
            if known not in self._closures:
                self._forget(MOST - 1)
                self._closures.append(known)
        return known.files, known.folders

    def _reached(self, path: str) -> tuple[int, int]:
        files = self.files
        reached = new = files.of(path)
        asked = 0
        while new:
            lowest = new & -new
            new ^= lowest
            at = files.path(lowest)
            known = self._closure_of.get(at)
            if known is not None and known.holds:
                reached |= known.files
                asked |= known.folders
                new &= ~known.files
                continue
            further = _numbered(files, at, self._leads) & ~reached
            reached |= further
            new |= further
            above = self._above.get(at)
            if above is None:
                above = self._above[at] = os.path.dirname(at)
            asked |= _numbered(self.folders, above, self._consulted)
        return reached, asked


def _numbered(bits: _Bits, name: str, sets: Mapping[str, set[str]]) -> int:
    known = sets.get(name)
    return bits.of_all(name, known) if known else 0
