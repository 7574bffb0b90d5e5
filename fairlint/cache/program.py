"""What fairlint itself is: whatever may make another version find something else."""

# Path objects would take longer than the files themselves.
# ruff: noqa: PTH118, PTH119, PTH120, PTH123

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress

from fairlint.support.compiled_data import PACKAGE
from fairlint.support.digests import digest

_READERS = ("tree_sitter", "google_re2", "sqlglot")
"""What the names of the packages begin with that code is read with."""
_MADE = (".pyc", ".bin")
"""What is made of the rest."""
_BYTECODE = "__pycache__"
"""The folders of most of it, which hold nothing else."""


def program(version: str, data: str, leave_out: Collection[str] = ()) -> bytes:
    """Return a digest of fairlint's version, code and data, of what it reads code with, and of Python.

    `data` is a folder with more that belongs to it: the rule pages, which a checkout keeps apart. The
    packages of fairlint to `leave_out` are those that cannot change what the digest is for.

    Installed, fairlint is what the installer has recorded with checksums, but for files that have changed
    since; so it is the same in every place where it was installed from the same package. In a checkout the
    sizes and times of all its files tell.
    """
    above = os.path.dirname(PACKAGE)
    record, installed = b"", 0
    with (
        suppress(OSError),
        open(os.path.join(above, f"fairlint-{version}.dist-info", "RECORD"), "rb") as file,
    ):
        record, installed = file.read(), os.fstat(file.fileno()).st_mtime_ns
    files = [
        (name, size, changed if changed > installed else 0)
        for folder in dict.fromkeys((PACKAGE, data))
        for name, size, changed in sorted(_program_files(folder, leave_out))
    ]
    told = (version, sys.version, sys.platform, digest(record), files, sorted(_library_versions()))
    return digest(repr(told).encode("utf-8", "surrogateescape"))


def _program_files(folder: str, leave_out: Collection[str]) -> Iterator[tuple[str, int, int]]:
    folders = [("", folder)]
    for below, here in folders:
        with os.scandir(here) as scan:
            for entry in scan:
                name = entry.name
                if entry.is_dir():
                    if name != _BYTECODE and (below or name not in leave_out):
                        folders.append((f"{below}/{name}", entry.path))
                elif not name.endswith(_MADE):
                    found = entry.stat()
                    yield f"{below}/{name}", found.st_size, found.st_mtime_ns


def _library_versions() -> Iterator[str]:
    """Yield the packages that code is read with, each with its version."""
    for folder in dict.fromkeys(sys.path):
        with suppress(OSError), os.scandir(folder or ".") as scan:
            for entry in scan:
                if entry.name.lower().startswith(_READERS) and entry.name.endswith(
                    (".dist-info", ".egg-info")
                ):
                    yield os.path.basename(entry.name)
