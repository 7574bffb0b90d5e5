"""Headers that a source includes from its own project, with the definitions in them that it builds on.

Nothing outside of the project's folder is read, no link out of it is followed, and all has limits.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from fairlint.support.files import leads_out
from fairlint.support.records import Record, field
from fairlint.syntax.outline import Headers

LARGEST = 200_000
"""Bytes of a header that is read."""
MOST = 24
"""Headers that are looked for on behalf of one source."""
MOST_BYTES = 400_000
"""Of all headers that are read for one source."""
HIGHEST = 8
"""Folders above a source in which a header is looked for."""
DEEPEST = 6
"""Headers that include one another."""
_USUAL = ("", "include", "inc", "src")
"""Folders in which headers stand."""

Reading = Callable[[str, int], bytes | None]


class Found(Record, frozen=False):
    """What is read of the headers of a source."""

    headers: list[tuple[str, bytes]] = field(default_factory=list)
    """The path of each and its text, of which only the definitions are left that are built on; each stands
    behind those that it includes itself."""
    left_out: list[tuple[int, str]] = field(default_factory=list)
    """(offset of the line that includes it, a header that is not read or includes such a one)."""


def headers_of(
    data: bytes,
    path: str,
    root: str,
    reading: Headers,
    read: Reading,
    *,
    noting: Callable[[Reading], Reading] = lambda read: read,
) -> Found:
    """Return the headers of the project that the source at `path` includes.

    `root` is the project's folder, or what a source elsewhere stands in takes its place; what lies outside is
    not looked at. `read(path, limit)` gives a file, or None for one that cannot be read or is too large;
    `noting` makes another of it that remembers what it gave.
    """
    found = Found()
    folder = os.path.dirname(path)  # noqa: PTH120 (paths are texts here)
    inside = os.path.realpath(root).rstrip(os.sep) + os.sep
    if not f"{folder}{os.sep}".startswith(inside):
        inside = folder.rstrip(os.sep) + os.sep

    def allowed(place: str, limit: int) -> bytes | None:
        is_there = os.path.lexists(place)
        return read(place, limit) if is_there and not leads_out(place, inside) else None

    looking = _Looking(inside, reading, noting(allowed))
    for match in reading.named.finditer(data):
        looking.cut = False
        looking.follow(match[1].decode("utf-8", "replace"), path, 0)
        if looking.cut:
            found.left_out.append((match.start(1), match[1].decode("utf-8", "replace")))
    wanted = reading.words(data)
    for place, text in reversed(looking.texts):  # what others are made of is wanted, too
        left, wanted = reading.definitions(text, wanted)
        if left:
            found.headers.append((place, left))
    found.headers.reverse()
    return found


class _Looking:
    """Gathers headers, each once, in the order in which the preprocessor gets to their ends."""

    def __init__(self, inside: str, reading: Headers, read: Reading) -> None:
        self.texts: list[tuple[str, bytes]] = []
        self.cut = False
        self._inside = inside
        self._reading = reading
        self._read = read
        self._seen: set[str] = set()
        self._looked_for = 0
        self._size = 0

    def follow(self, name: str, importer: str, depth: int) -> None:
        """Read a header and those that it includes."""
        if depth == DEEPEST or self._looked_for == MOST:
            self.cut = True
            return
        self._looked_for += 1
        found = self._find_header(name, importer)
        if found is None or found[0] in self._seen:
            return
        place, text = found
        self._seen.add(place)
        if self._size + len(text) > MOST_BYTES:
            self.cut = True
            return
        self._size += len(text)
        for match in self._reading.named.finditer(text):
            self.follow(match[1].decode("utf-8", "replace"), place, depth + 1)
        self.texts.append((place, text))

    def _find_header(self, name: str, importer: str) -> tuple[str, bytes] | None:
        """Return a header by its name: the one beside the file, else the only one further up."""
        others: dict[bytes, str] = {}
        for place, is_beside in _candidate_places(name, importer, self._inside):
            text = self._read(place, LARGEST)
            if text is None:
                is_there = os.path.isfile(place)  # noqa: PTH113 (as below)
                self.cut = self.cut or (is_there and not leads_out(place, self._inside))
                continue
            if is_beside:
                return place, text
            others.setdefault(text, place)
        self.cut = self.cut or len(others) > 1
        return next(((place, text) for text, place in others.items()), None) if len(others) == 1 else None


def _candidate_places(name: str, importer: str, inside: str) -> Iterator[tuple[str, bool]]:
    """Yield where a header may stand, and whether that is where the compiler looks first."""
    folder = os.path.dirname(importer)  # noqa: PTH120 (paths are texts here)
    for height in range(HIGHEST):
        if not f"{folder}{os.sep}".startswith(inside):
            return
        for usual in _USUAL:
            place = os.path.normpath(os.path.join(folder, usual, name))  # noqa: PTH118 (as above)
            if place.startswith(inside):
                yield place, height == 0 and not usual
        if f"{folder}{os.sep}" == inside:
            return
        folder = os.path.dirname(folder)  # noqa: PTH120 (as above)
