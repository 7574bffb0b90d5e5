"""Reads files that may be anything: regular ones of limited size, and nothing else.

Whatever a person names, or lies about in a folder, is read here: code, configuration, vocabularies, rule
pages, answers. A pipe would wait for ever, a device never ends, and a link may lead to what nobody offered.
"""

# Path objects would take longer than the files themselves.
# ruff: noqa: PTH114, PTH118, PTH120

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

TYPE_CHECKING = False  # importing typing would take as long as reading some files
if TYPE_CHECKING:
    from io import BufferedReader

LARGEST_SETTINGS = 2_000_000
"""Bytes of a file that says how to check: configuration, vocabularies, models of libraries, rule pages."""
MAX_FILE_SIZE = "the setting max-file-size"
"""What limits the size of code."""


class NotReadableError(Exception):
    """A file that cannot be checked; the message is the reason, one clause.

    `line` is where that shows. `is_known` says that the file is what it should be, and that there is nothing
    in it to check.
    """

    def __init__(self, reason: str, *, line: int = 1, is_known: bool = False) -> None:
        super().__init__(reason)
        self.line = line
        self.is_known = is_known


def read_file(path: str | os.PathLike[str], limit: int, *, setting: str = "", follow: bool = True) -> bytes:
    """Return the bytes of a regular file of at most `limit` bytes; anything else is a NotReadableError.

    `setting` is what the limit comes from, for the message; without `follow` a symbolic link is not read.
    """
    with open_regular_file(path, follow=follow) as (descriptor, size):
        if size > limit:
            raise NotReadableError(too_large(limit, setting))
        return _read_descriptor(descriptor, size, limit, setting)


def read_beginning(path: str | os.PathLike[str], size: int) -> bytes:
    """Return the first bytes of a regular file; as `read_file`."""
    with open_regular_file(path) as (descriptor, _):
        return os.read(descriptor, size)


def digest(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a regular file, in hex; as `read_file`, and of any size."""
    import hashlib  # noqa: PLC0415 (start-up: only the bench asks)

    with opened_file(path) as (file, _):
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def opened_file(path: str | os.PathLike[str]) -> Iterator[tuple[BufferedReader, int]]:
    """Yield a regular file, open for reading, and its size; as `read_file`."""
    with open_regular_file(path) as (descriptor, size), open(descriptor, "rb", closefd=False) as file:
        yield file, size


@contextmanager
def open_regular_file(path: str | os.PathLike[str], *, follow: bool = True) -> Iterator[tuple[int, int]]:
    """Yield the descriptor and the size of a regular file, open for reading; as `read_file`."""
    # Without O_NONBLOCK, opening a pipe that took the file's place since it was found would wait for ever.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if not follow:
        flags |= getattr(os, "O_NOFOLLOW", 0)
        if os.path.islink(path):
            raise NotReadableError("a symbolic link")
    try:
        descriptor = os.open(path, flags)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise NotReadableError("not a regular file")
            yield descriptor, status.st_size
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        raise NotReadableError(reading_error(error)) from None


def _read_descriptor(descriptor: int, size: int, limit: int, setting: str) -> bytes:
    parts = []
    total = 0
    while part := os.read(descriptor, max(size - total, 0) + 1):
        parts.append(part)
        total += len(part)
        if total > limit:
            raise NotReadableError(too_large(limit, setting))
    return parts[0] if len(parts) == 1 else b"".join(parts)


def too_large(limit: int, setting: str = "") -> str:
    """Return the reason for leaving out a file larger than `limit` bytes."""
    size = f"{limit / 1_000_000:g} MB" if limit >= 1_000_000 else f"{limit:,} bytes"
    return f"larger than {size}{f' ({setting})' if setting else ''}"


def reading_error(error: OSError | ValueError) -> str:
    """Return why a file or folder could not be read, in one clause."""
    import errno  # noqa: PLC0415 (a built-in module, needed only here)

    if isinstance(error, OSError):
        if error.errno == errno.ELOOP:
            return "symbolic links that lead in a circle"
        if error.errno == errno.ENOENT:
            is_link = bool(error.filename) and os.path.islink(error.filename)
            return "a symbolic link to nothing" if is_link else f"cannot be read: {error.strerror}"
        return f"cannot be read: {error.strerror or error}"
    return f"cannot be read: {error}"


def repository_of(folder: str) -> str:
    """Return the repository that a folder is in, without symbolic links; the folder itself where it is in
    none.
    """
    start = above = os.path.realpath(folder)
    while not os.path.lexists(os.path.join(above, ".git")):
        if above == (parent := os.path.dirname(above)):
            return start
        above = parent
    return above


def leads_out(path: str | os.PathLike[str], repository: str) -> bool:
    """Return whether a path is, or leads to, something outside a repository as `repository_of` gives it."""
    return not (os.path.realpath(path) + os.sep).startswith(repository.rstrip(os.sep) + os.sep)


FILE, FOLDER, OTHER = "file", "folder", "other"
"""What a name in a folder may be; a link is of the third kind, wherever it leads."""


def kinds_in(folder: str) -> dict[str, str]:
    """Return the names in a folder, each with what it is; none where it cannot be read."""
    try:
        with os.scandir(folder) as scan:
            return {entry.name: _kind_of_entry(entry) for entry in scan}
    except (OSError, ValueError):
        return {}


def _kind_of_entry(entry: os.DirEntry[str]) -> str:
    if entry.is_dir(follow_symlinks=False):
        return FOLDER
    return FILE if entry.is_file(follow_symlinks=False) else OTHER


def names_in(folder: str) -> dict[str, bool]:
    """Return the names in a folder, each with whether it is one itself; none where it cannot be read."""
    try:
        with os.scandir(folder) as scan:
            return {entry.name: entry.is_dir() for entry in scan}
    except (OSError, ValueError):
        return {}
