"""Where text goes: standard output or a file, in colour or not."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from functools import partial
from io import TextIOWrapper
from typing import TextIO

from fairlint.cli.terminals import is_terminal
from fairlint.reporters import signs
from fairlint.support.errors import UsageError

_PIECES = 64
"""Pieces of text written at once."""


def wants_color(choice: str, stream: TextIO | None) -> bool:
    """Return whether colour is to be written to `stream`, None being a file."""
    if choice != "auto":
        return choice == "always"
    if stream is None or os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in {"", "0"}:
        return True
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def terminal_width(stream: TextIO | None, default: int) -> int:
    """Return the columns of the terminal behind `stream`, if it is one."""
    if stream is None or not is_terminal(stream):
        return default
    try:
        return os.get_terminal_size(stream.fileno()).columns or default
    except (OSError, ValueError):
        return default


def encoding_of(stream: TextIO | None) -> str:
    """Return what is written to `stream` in, under Python's own name; a file is UTF-8."""
    import codecs  # noqa: PLC0415 (loaded by Python itself)

    try:
        return codecs.lookup(getattr(stream, "encoding", None) or signs.WHOLE).name
    except LookupError:
        return "ascii"


def write_stdout(pieces: Iterable[str]) -> None:
    """Write to standard output; what its encoding lacks is written as like signs or as escapes.

    Where its reader has gone, as `head` does, the rest is not written, and the exit code is what it would be.
    Only that is passed over, and no other pipe that breaks, such as one to a process that makes the pieces.
    """
    if sys.stdout is None:
        raise UsageError("standard output cannot be written: it is closed")
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors=signs.ERRORS)
    for block in _join_into_blocks(pieces):
        if not _try_stdout(partial(sys.stdout.write, block)):
            return
    _try_stdout(sys.stdout.flush)


def _try_stdout(write: Callable[[], object]) -> bool:
    """Write to standard output; False where nobody reads it any more."""
    try:
        write()
    except BrokenPipeError:
        _forget_stdout()
        return False
    except OSError as error:
        _forget_stdout()
        raise UsageError(f"standard output cannot be written: {error.strerror or error}") from None
    return True


def _forget_stdout() -> None:
    """Keep Python from complaining at exit about output that cannot be written."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        pass


def write_file(path: str, pieces: Iterable[str]) -> None:
    """Write a file as a whole or not at all; pipes and devices are written to directly."""
    _write_pieces(path, (block.encode("utf-8", "backslashreplace") for block in _join_into_blocks(pieces)))


def write_bytes(path: str, data: bytes) -> None:
    """As `write_file`, of bytes."""
    _write_pieces(path, (data,))


def _write_pieces(path: str, pieces: Iterable[bytes]) -> None:
    from fairlint.support import whole_files  # noqa: PLC0415 (start-up)

    try:
        whole_files.write(path, pieces)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        folder = os.path.dirname(path)  # noqa: PTH120 (start-up)
        if isinstance(error, FileNotFoundError) and folder and not os.path.lexists(folder):
            reason = f"there is no folder {folder}"
        raise UsageError(f"{path}: cannot be written: {reason}") from None


def _join_into_blocks(pieces: Iterable[str]) -> Iterable[str]:
    waiting: list[str] = []
    for piece in pieces:
        waiting.append(piece)
        if len(waiting) >= _PIECES:
            yield "".join(waiting)
            waiting.clear()
    yield "".join(waiting)


def wrap_text(text: str, columns: int) -> list[str]:
    """Return a text in lines of so many columns."""
    from textwrap import wrap  # noqa: PLC0415 (imports much)

    return wrap(text, max(columns, 30), break_long_words=False, break_on_hyphens=False) or [""]
