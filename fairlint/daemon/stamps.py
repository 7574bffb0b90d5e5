"""Whether the program on disk is still the one that a daemon has loaded."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

_CODE = (".py", ".pyc", ".bin")
"""Code counts where it is loaded, and what is made of the rest never."""

Stamp = tuple[int, int, int]
"""A file's size, time of change (ns) and number; zeros where it is not there."""


def program_stamps(folders: tuple[str, ...]) -> dict[str, Stamp]:
    """Return path → stamp of loaded code, of the data in some folders, and of where Python looks for code."""
    return {path: stamp_of(path) for path in {*_loaded_files(), *_data_files(folders), *sys.path}}


def has_changed(stamps: dict[str, Stamp]) -> bool:
    """Return whether any of these files is another one now."""
    return any(stamp_of(path) != stamp for path, stamp in stamps.items())


def stamp_of(path: str) -> Stamp:
    """Return the stamp of one file."""
    try:
        found = os.stat(path)  # noqa: PTH116 (hundreds of them, at every request)
    except OSError:
        return 0, 0, 0
    return found.st_size, found.st_mtime_ns, found.st_ino


def _loaded_files() -> Iterator[str]:
    yield sys.executable
    for module in [*sys.modules.values()]:
        path = getattr(module, "__file__", None)
        if path:
            yield path


def _data_files(folders: tuple[str, ...]) -> Iterator[str]:
    for folder in folders:
        for above, _, names in os.walk(folder):
            data = [name for name in names if not name.endswith(_CODE)]
            if data and not (above == folder and "__init__.py" in names):  # what is compiled is written there
                yield above
            yield from (f"{above}/{name}" for name in data)
