"""Which files lead to which, and where they were looked for: all that one may depend on, found at once.

Sets of paths are numbers whose bits stand for the paths: where everything imports everything, this is asked
for every file and goes through all others.
"""

# Path objects would take longer than the work itself.
# ruff: noqa: PTH120

from __future__ import annotations

import os
from collections.abc import Iterator

MOST = 32
"""Closures that are kept; to go through the files again is not dear."""


class PathSet:
    """Each path by the place of its bit."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._paths: list[str] = []

    def place(self, path: str) -> int:
        """Return the place of the bit of one path."""
        known = self._places.get(path)
        if known is None:
            known = self._places[path] = len(self._paths)
            self._paths.append(path)
        return known

    def paths(self, number: int) -> tuple[str, ...]:
        """Return the paths of all bits that are set, in order."""
        return tuple(sorted([self._paths[place] for place in _places(number)]))


class Closure:
    """All that is reached from a file, as long as nothing is found that leads out of it."""

    def __init__(self, files: int, folders: int) -> None:
        self.files = files
        self.folders = folders
        self.holds = True


class ImportClosure:
    """What has led where so far."""

    def __init__(self) -> None:
        self.files = PathSet()
        self.folders = PathSet()
        self._leads: list[int] = []
        """By the place of a file: those that its imports, as far as anybody asked, lead to."""
        self._above: list[int] = []
        """By the place of a file: the place of its folder."""
        self._consulted: dict[int, int] = {}
        """By the place of a folder of files that import: the folders whose names said what they import."""
        self._closures: list[Closure] = []
        self._closure_of: dict[int, Closure] = {}

    def _place(self, path: str) -> int:
        place = self.files.place(path)
        if place == len(self._leads):
            self._leads.append(0)
            self._above.append(self.folders.place(os.path.dirname(path)))
        return place

    def note(self, importer: str, found: str) -> None:
        """Note that an import of one file has led to another."""
        one, bit = self._place(importer), 1 << self._place(found)
        if not self._leads[one] & bit:
            self._leads[one] |= bit
            if self._closures:
                for closure in self._closures:
                    closure.holds = not closure.files >> one & 1 or bool(closure.files & bit)
                self._closures = [closure for closure in self._closures if closure.holds]

    def consulted(self, folder: str, other: str) -> None:
        """Note that the names in another folder have said what files of one import."""
        one, bit = self.folders.place(folder), 1 << self.folders.place(other)
        known = self._consulted.get(one, 0)
        if not known & bit:
            self._consulted[one] = known | bit
            self._forget(0)

    def _forget(self, most: int) -> None:
        """Keep no more than so many closures."""
        gone = len(self._closures) - most
        for closure in self._closures[:gone]:
            closure.holds = False
        del self._closures[:gone]

    def all_from(self, path: str) -> tuple[int, int]:
        """Return all files that one leads to, itself included, and all folders consulted for any of them."""
        place = self._place(path)
        known = self._closure_of.get(place)
        if known is None or not known.holds:
            files, folders = self._reached(place)
            same = (one for one in self._closures if (one.files, one.folders) == (files, folders))
            known = self._closure_of[place] = next(same, None) or Closure(files, folders)
            if known not in self._closures:
                self._forget(MOST - 1)
                self._closures.append(known)
        return known.files, known.folders

    def _reached(self, place: int) -> tuple[int, int]:
        reached = new = 1 << place
        asking = asked = 0
        leads, above, closure_of = self._leads, self._above, self._closure_of
        while new:
            lowest = new & -new
            new ^= lowest
            at = lowest.bit_length() - 1
            known = closure_of.get(at)
            if known is not None and known.holds:
                reached |= known.files
                asked |= known.folders
                new &= ~known.files
                continue
            further = leads[at] & ~reached
            reached |= further
            new |= further
            asking |= 1 << above[at]
        for folder in _places(asking):
            asked |= self._consulted.get(folder, 0)
        return reached, asked


def _places(number: int) -> Iterator[int]:
    """Return the places of the bits that are set."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest
