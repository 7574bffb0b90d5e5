"""Whether Python itself can read a source, which takes a fifth of the time of a Tree, or has done so."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from importlib.util import MAGIC_NUMBER, cache_from_source

MOST_WORK = 2_000_000_000
"""Braces times bytes up to which Python before 3.12 is asked: each part of an f-string is looked for from the
start of the text, which takes it half a second for so many.
"""
PIECE = 48_000
"""Bytes of one piece of a long source: its tree in Python takes about 80 times as much memory."""
_BETWEEN = b"\n\n\n"
"""What stands between most functions and classes of a module, and where pieces are cut."""
_LOOKS_FROM_START = sys.version_info < (3, 12)
_BY_TIME = MAGIC_NUMBER + bytes(4)
"""How byte code of this Python begins that names the time and the size of its source."""
_FOUR_BYTES = 0xFFFF_FFFF
_REFUSED_AFTER_PARSING = "from __future__ import braces\n"
"""What follows is parsed before Python refuses this, and so is no more than parsed."""
_REFUSALS = (ValueError, OverflowError, RecursionError, MemoryError, SystemError)


def is_intact(data: bytes) -> bool:
    """Report whether a source in UTF-8 certainly has no syntax error.

    Otherwise its Tree decides: it may be written for an older or a newer Python than the one that runs. A
    long source is read in pieces. Where each is a module by itself, all of them are one, too.
    """
    pieces = list(_pieces(data))
    return (len(pieces) > 1 and all(map(_is_parsed, pieces))) or _is_parsed(data)


def _pieces(data: bytes) -> Iterator[bytes]:
    start = 0
    while len(data) - start > 2 * PIECE and (gap := data.find(_BETWEEN, start + PIECE)) >= 0:
        end = gap + len(_BETWEEN)
        yield data[start:end]
        start = end
    yield data[start:]


def _is_parsed(data: bytes) -> bool:
    if _LOOKS_FROM_START and data.count(b"{") * len(data) > MOST_WORK:
        return False
    return _parse_only(data) == _REFUSAL


def _parse_only(data: bytes) -> str:
    """Return what Python says of a source behind what it refuses; empty where that is no sentence."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # as text: an encoding that it declares is over
            compile(_REFUSED_AFTER_PARSING + data.decode(), "<source>", "exec", dont_inherit=True)
    except SyntaxError as error:
        return error.msg
    except _REFUSALS:
        return ""
    return "compiled"


_REFUSAL = _parse_only(b"")


def byte_code(path: str, changed: int, size: int) -> tuple[str, bytes]:
    """Return where this Python keeps the byte code of a file, and how that begins if it was made of the file
    as it was at a time (in seconds) with a size, and so has no syntax error. An import goes by the same.
    """
    try:
        place = cache_from_source(path)
    except NotImplementedError:  # it keeps none
        return "", b""
    return place, _BY_TIME + b"".join((one & _FOUR_BYTES).to_bytes(4, "little") for one in (changed, size))
