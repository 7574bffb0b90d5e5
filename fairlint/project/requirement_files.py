"""Which version of a library of tables a project asks for, where the code hangs on it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping

from fairlint.support.files import FILE, kinds_in

LARGEST = 2_000_000
"""Bytes of a file that is read."""
MOST = 12
"""Files that are read for one source."""
HIGHEST = 5
"""Folders above a file in which they are looked for."""
LIBRARY = b"pandas"
COPIES_SINCE = 3
"""From this version on what an expression gives of a table is a copy: `people["score"][mask] = 5` changes
nothing (Copy-on-Write), nor does `people["score"].fillna(0, inplace=True)`."""
_CHANGES = re.compile(
    rb"\][ \t]{0,20}(?:\.i?loc\b)?\[|\binplace\b"
    rb"|\.(?!i?(?:loc|at)\b)\w{1,99}\[[^\]\n]{0,200}\][ \t]{0,20}[-+*/|&^%@]{0,2}="
)
"""Stands wherever such a change may be written."""
_FILES = re.compile(
    r"(?:uv|poetry|pdm)\.lock|Pipfile(?:\.lock)?|pyproject\.toml|setup\.(?:cfg|py)"
    r"|[\w.-]*requirements[\w.-]*\.(?:txt|in)|[\w.-]*(?:environment|conda)[\w.-]*\.ya?ml",
    re.IGNORECASE,
)
_LOCKED = re.compile(
    rb"""name = "pandas"\s{1,4}version = "(\d{1,9})|["']pandas["']: \{[^{}]{0,9000}?"version": "==(\d{1,9})"""
)
_NAME = rb"(?<![\w./@-])pandas(?![\w.-])[ \t]{0,20}"
_ASKED = re.compile(
    _NAME + rb"(?:\[[\w, -]{0,200}\])?[ \t]{0,20}\(?"
    rb"((?:[ \t]{0,20},?[ \t]{0,20}[<>=!~^]={0,2}[ \t]{0,20}v?\d[\w.*]{0,40})*)"
)
_IN_TABLE = re.compile(
    _NAME + rb"=[ \t]{0,20}(?:\{[^}\n]{0,400}?version[ \t]{0,20}=[ \t]{0,20})?"
    rb"""["']([^"'\n]{0,200})["']"""
)
_BOUND = re.compile(rb"([<>=!~^]{0,3})[ \t]{0,20}v?(\d{1,9})((?:\.\d+)*)")

Read = Callable[[str, int], "bytes | None"]
Names = Callable[[str], Mapping[str, str]]


def loses_changes(
    data: bytes, path: str = "", root: str = "", read: Read | None = None, names: Names = kinds_in
) -> bool:
    """Return whether what the code changes of a column that an expression gives is lost: with the newest
    version of the library that the project lets in. The nearest file that names the library says which that
    is; without one it is the newest of all. Nothing is looked for where the code has no such change.
    """
    if LIBRARY not in data or _CHANGES.search(data) is None:
        return False
    newest = None if read is None else _newest_major_version(path, root, read, names)
    return newest is None or newest >= COPIES_SINCE


def _newest_major_version(path: str, root: str, read: Read, names: Names) -> int | None:
    """Return the newest major version that the nearest file lets in; None where there is no bound."""
    for place in _candidate_files(path, root, names):
        text = read(place, LARGEST)
        if text is not None and LIBRARY in text and (found := newest_in(text)) is not None:
            return found or None
    return None


def newest_in(text: bytes) -> int | None:
    """Return the newest major version of the library that a file lets in: 0 where it sets no bound, None
    where it does not ask for the library.
    """
    if (locked := _LOCKED.search(text)) is not None:
        return int(locked[1] or locked[2])
    bounds: list[int] = []
    asked = False
    text = _without_comments(text)
    for found in (*_IN_TABLE.finditer(text), *_ASKED.finditer(text)):
        asked = True
        for op, major, rest in _BOUND.findall(found[1]):
            if op.startswith(b"<"):
                is_first = op == b"<" and not rest.strip(b".0")
                bounds.append(int(major) - is_first)
            elif not op.startswith((b">", b"!")):
                bounds.append(int(major))
    return min(bounds, default=0) if asked else None


def _without_comments(text: bytes) -> bytes:
    return b"\n".join(line for line in text.splitlines() if not line.lstrip().startswith((b"#", b";")))


def _candidate_files(path: str, root: str, names: Names) -> Iterator[str]:
    """Yield files that may say it: beside the code, then further up; what was installed comes before what is
    asked for.
    """
    inside = os.path.realpath(root).rstrip(os.sep) + os.sep
    folder, left = os.path.dirname(path), MOST  # noqa: PTH120 (paths are texts here)
    for _ in range(HIGHEST + 1):
        if not f"{folder}{os.sep}".startswith(inside):
            return
        found = [name for name, kind in names(folder).items() if kind == FILE and _FILES.fullmatch(name)]
        for name in sorted(found, key=lambda one: (not one.endswith(".lock"), one)):
            if left == 0:
                return
            left -= 1
            yield f"{folder}{os.sep}{name}"
        folder = os.path.dirname(folder)  # noqa: PTH120 (as above)
