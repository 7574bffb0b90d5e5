"""From a file's bytes to a Source: sizes, kinds of file, and encodings.

`Source.data` is always valid UTF-8 without a byte-order mark. Line endings stay as they are.
"""

from __future__ import annotations

import os
import stat

from fairlint.syntax.language import Language

MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
"""Byte-order marks and their encodings; the longer ones first, for one starts like another."""


class NotReadableError(Exception):
    """A file that cannot be checked; the message is the reason, one clause.

    `line` is where that shows. `is_known` says that the file is what it should be, and that there is nothing
    in it to check.
    """

    def __init__(self, reason: str, *, line: int = 1, is_known: bool = False) -> None:
        super().__init__(reason)
        self.line = line
        self.is_known = is_known


def read_file(
    path: str, limit: int, *, setting: str = "the setting max-file-size", follow: bool = True
) -> bytes:
    """The bytes of a regular file of at most `limit` bytes; anything else is a NotReadableError.

    `setting` is what the limit comes from, for the message; without `follow` a symbolic link is not read.
    """
    # Without O_NONBLOCK, opening a pipe that took the file's place since it was found would wait for ever.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if not follow:
        flags |= getattr(os, "O_NOFOLLOW", 0)
        if os.path.islink(path):  # noqa: PTH114 (start-up)
            raise NotReadableError("a symbolic link")
    try:
        descriptor = os.open(path, flags)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise NotReadableError("not a regular file")
            if status.st_size > limit:
                raise NotReadableError(too_large(limit, setting))
            return _read(descriptor, status.st_size, limit, setting)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        raise NotReadableError(reading_error(error)) from None


def _read(descriptor: int, size: int, limit: int, setting: str) -> bytes:
    parts = []
    total = 0
    while part := os.read(descriptor, max(size - total, 0) + 1):
        parts.append(part)
        total += len(part)
        if total > limit:
            raise NotReadableError(too_large(limit, setting))
    return parts[0] if len(parts) == 1 else b"".join(parts)


def too_large(limit: int, setting: str = "the setting max-file-size") -> str:
    """The reason for leaving out a file larger than `limit` bytes."""
    size = f"{limit / 1_000_000:g} MB" if limit >= 1_000_000 else f"{limit:,} bytes"
    return f"larger than {size}{f' ({setting})' if setting else ''}"


def reading_error(error: OSError | ValueError) -> str:
    """Why a file or folder could not be read, in one clause."""
    import errno  # noqa: PLC0415 (a built-in module, needed only here)

    if isinstance(error, OSError):
        if error.errno == errno.ELOOP:
            return "symbolic links that lead in a circle"
        if error.errno == errno.ENOENT:
            return "it vanished, or is a symbolic link to nothing"
        return f"cannot be read: {error.strerror or error}"
    return f"cannot be read: {error}"


def to_utf8(raw: bytes, language: Language | None = None) -> bytes:
    """The text of `raw` as UTF-8, whatever its encoding.

    In order: a byte-order mark, what the text says itself in a way of its language, UTF-8, and Latin-1, which
    fits everything. A NUL byte outside UTF-16 and UTF-32 means that this is no text: a NotReadableError.
    """
    for mark, marked in MARKS:
        if raw.startswith(mark):
            return _decoded(raw[len(mark) :], marked)
    if b"\0" in raw:
        raise NotReadableError("a binary file: it holds NUL bytes")
    declared = language.encoding if language is not None else None
    if declared is not None and (encoding := declared(raw)):
        try:
            return raw.decode(encoding).encode()
        except (LookupError, UnicodeError, ValueError):
            pass  # what is declared wrongly is not for us to say; the text can still be checked
    if raw.isascii():
        return raw
    try:
        raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1").encode()
    return raw


def _decoded(raw: bytes, encoding: str) -> bytes:
    if encoding == "utf-8":
        return to_utf8(raw)
    try:
        return raw.decode(encoding).encode()
    except UnicodeError:
        raise NotReadableError(f"damaged text: it begins like {encoding[:6].upper()} and is not") from None
