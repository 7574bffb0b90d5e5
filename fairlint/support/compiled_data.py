"""What is compiled from TOML and rule pages, kept in one file, so that it loads at once.

Reading TOML takes several times as long as checking a small file. So whatever is made of data files is asked
for with `compiled(name, sources, build)`: the result is kept in `compiled_data.bin`, with the size, the time
and the checksum of every file that it was made from, and is made anew as soon as one of them is another. The
file comes with an installed fairlint; in a checkout the first run writes it beside this module or, where that
cannot be written, into the user's cache folder. Where nothing can be written all works, and takes longer.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

TYPE_CHECKING = False  # importing typing would cost more than a look-up
if TYPE_CHECKING:
    from typing import Any, TypeVar

    _Value = TypeVar("_Value")

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILE = os.path.join(PACKAGE, "compiled_data.bin")
"""Where it is kept if that can be written."""
_MAGIC = b"fairlint compiled data 1\n"
_FORMAT = 2
"""marshal's newest format without references between values: the same data always gives the same bytes."""
_RECENT = 1_000_000_000
"""Nanoseconds within which a file may change twice and bear the same time."""

_Stamp = tuple[str, int, int, int]
"""A source's name without folders, size, time of change (ns; 0 where that says nothing), and checksum."""
_Section = tuple[tuple[_Stamp, ...], int, bytes]
"""What it was made from, the checksum of the bytes, the bytes."""
_Place = tuple[tuple[_Stamp, ...], int, int, int]
"""The same, with where the bytes are in the file, and how many."""


def load_or_compile(name: str, sources: Sequence[str], build: Callable[[], Any]) -> Any:
    """Return what `build()` gives, as it was kept under `name` or made now.

    `sources` are the paths of all files that the result depends on, the code of `build` included; all of them
    come with fairlint. The result is None, booleans, numbers, texts, bytes, and tuples, lists and dicts of
    them; it is the caller's own. What `build` raises passes through, and nothing is kept then.
    """
    for place in _candidate_files():
        section = _places_in(place).get(name)
        if section is not None and _has_fresh_stamps(section[0], sources):
            try:
                data = _read_bytes(place, *section[2:])
            except OSError:
                continue
            if _crc_checksum(data) == section[1]:  # another process may have replaced the file meanwhile
                return marshal.loads(data)  # noqa: S302 (fairlint wrote it, as Python writes .pyc files)
    stamps = _source_stamps(sources)  # before they are read: who changes one meanwhile makes it out of date
    data = marshal.dumps(build(), _FORMAT)
    _keep_section(name, (stamps, _crc_checksum(data), data))
    return marshal.loads(data)  # noqa: S302 (as above)


class Lazy(Mapping[str, "_Value"]):
    """A mapping whose values are restored when they are first asked for."""

    def __init__(self, packed: Mapping[str, bytes], restore: Callable[[Any], _Value]) -> None:
        self._packed = packed
        self._restore = restore
        self._restored: dict[str, _Value] = {}

    def __getitem__(self, key: str) -> _Value:
        found = self._restored.get(key)
        if found is None:
            raw = marshal.loads(self._packed[key])  # noqa: S302 (as above)
            found = self._restored[key] = self._restore(raw)
        return found

    def get(self, key: str, default: Any = None) -> Any:
        """As of a dict; most keys that are asked for are not there."""
        return self[key] if key in self._packed else default

    def __contains__(self, key: object) -> bool:
        return key in self._packed

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)


def pack_values(values: Mapping[str, Any]) -> dict[str, bytes]:
    """Return values for `Lazy`: in a section they are bytes, each restored by itself."""
    return {key: marshal.dumps(value, _FORMAT) for key, value in values.items()}


# ------------------------------------------------------------------------------------------------- sources


def _has_fresh_stamps(stamps: tuple[_Stamp, ...], sources: Sequence[str]) -> bool:
    """Return whether the sources are what was stamped: by size and time, or by contents where the time
    differs.
    """
    if len(stamps) != len(sources):
        return False
    for (name, size, changed, checksum), source in zip(stamps, sources, strict=True):
        try:
            found = os.stat(source)
            if os.path.basename(source) != name or found.st_size != size:
                return False
            if found.st_mtime_ns != changed and _crc_checksum(_read_bytes(source)) != checksum:
                return False
        except OSError:
            return False
    return True


def _source_stamps(sources: Sequence[str]) -> tuple[_Stamp, ...]:
    import time  # noqa: PLC0415 (start-up)

    stamps = []
    for source in sources:
        found = os.stat(source)
        is_recent = time.time_ns() - found.st_mtime_ns < _RECENT
        checksum = _crc_checksum(_read_bytes(source))
        stamps.append(
            (os.path.basename(source), found.st_size, 0 if is_recent else found.st_mtime_ns, checksum)
        )
    return tuple(stamps)


def _crc_checksum(data: bytes) -> int:
    from zlib import crc32  # noqa: PLC0415 (start-up)

    return crc32(data)


def _read_bytes(path: str, start: int = 0, length: int = -1) -> bytes:
    with open(path, "rb") as file:
        file.seek(start)
        return file.read(length)


# ------------------------------------------------------------------------------------------------- the file

_read_before: dict[str, dict[str, _Place]] = {}


def _candidate_files() -> Iterator[str]:
    """Yield where the file may be, best first."""
    yield FILE
    folder = cache_folder()
    if folder:
        yield os.path.join(folder, "fairlint", f"compiled-{_crc_checksum(PACKAGE.encode()):08x}.bin")


def cache_folder() -> str:
    """Return the user's folder for what can be made again, empty where there is none."""
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA", "")
    told = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(told):
        return told
    home = os.path.expanduser("~")
    if not (os.path.isabs(home) and os.path.isdir(home)):
        return ""  # a home that is not there is nobody's to make
    return os.path.join(home, "Library/Caches" if sys.platform == "darwin" else ".cache")


def _places_in(path: str) -> dict[str, _Place]:
    """Return where the sections of a file are, read once; nothing where there is none or it is damaged.

    A run needs few of them, so their bytes stay in the file until somebody asks.
    """
    known = _read_before.get(path)
    if known is None:
        known = _read_before[path] = _indexed(path)
    return known


def _indexed(path: str) -> dict[str, _Place]:
    start = len(_MAGIC) + 8
    try:
        head = _read_bytes(path, 0, start)
        length = int.from_bytes(head[start - 8 : start - 4], "little")
        checksum = int.from_bytes(head[start - 4 :], "little")
        contents = _read_bytes(path, start, length) if length and head.startswith(_MAGIC) else b""
    except OSError:
        return {}
    if not contents or len(contents) != length or _crc_checksum(contents) != checksum:
        return {}
    places = {}
    at = start + length
    for name, stamps, section_checksum, size in marshal.loads(contents):  # noqa: S302 (as above)
        places[name] = (stamps, section_checksum, at, size)
        at += size
    return places


def _parse_sections(path: str) -> dict[str, _Section]:
    """Return everything that a file holds, to be written again."""
    return {
        name: (stamps, checksum, _read_bytes(path, at, size))
        for name, (stamps, checksum, at, size) in _indexed(path).items()
    }


def _keep_section(name: str, section: _Section) -> None:
    """Add a section to the first file that can be written, with what other processes wrote meanwhile."""
    for place in _candidate_files():
        try:
            _replace_file(place, {**_parse_sections(place), name: section})
        except OSError:
            continue
        _read_before.pop(place, None)
        return


def settle() -> None:
    """Bring the file into the form in which it is installed: in order and without times."""
    sections = {
        name: (tuple((file, size, 0, number) for file, size, _, number in stamps), checksum, data)
        for name, (stamps, checksum, data) in sorted(_parse_sections(FILE).items())
    }
    _replace_file(FILE, sections)


def _replace_file(path: str, sections: Mapping[str, _Section]) -> None:
    """Write a file at one stroke: others see the old one or the new one."""
    contents = marshal.dumps(
        [(name, stamps, checksum, len(data)) for name, (stamps, checksum, data) in sections.items()], _FORMAT
    )
    head = _MAGIC + len(contents).to_bytes(4, "little") + _crc_checksum(contents).to_bytes(4, "little")
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    from fairlint.support import whole_files  # noqa: PLC0415 (start-up: hardly any run writes)

    folder, name = os.path.split(path)
    whole_files.write_into(
        folder, name, b"".join((head, contents, *(data for *_, data in sections.values())))
    )
