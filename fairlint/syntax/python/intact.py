"""Whether Python itself can read a source, which takes a quarter of the time of a Tree, or has done so."""

# Path objects would take longer than the files themselves.
# ruff: noqa: PTH116

from __future__ import annotations

import os
import sys
import warnings
from importlib.util import MAGIC_NUMBER, cache_from_source
from symtable import symtable

from fairlint.support.files import NotReadableError, open_regular_file

MOST_WORK = 2_000_000_000
"""Braces times bytes up to which Python before 3.12 is asked: each part of an f-string is looked for from the
start of the text, which takes it half a second for so many.
"""
_LOOKS_FROM_START = sys.version_info < (3, 12)
_BY_TIME = MAGIC_NUMBER + bytes(4)
"""How byte code of this Python begins that names the time and the size of its source."""
_REFUSALS = (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError, SystemError)


def is_intact(data: bytes) -> bool:
    """Report whether a source in UTF-8 certainly has no syntax error.

    Otherwise its Tree decides: it may be written for an older or a newer Python than the one that runs. Of
    what parses code in Python, a table of symbols is made soonest.
    """
    if _LOOKS_FROM_START and data.count(b"{") * len(data) > MOST_WORK:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            symtable(data.decode(), "<source>", "exec")  # as text: an encoding that it declares is over
    except _REFUSALS:
        return False
    return True


def is_compiled(path: str) -> bool:
    """Report whether this Python has kept byte code of a file as it is, and so found no syntax error in it.

    As an import does, it goes by the time and the size of the file; beside that, the byte code must have been
    written no sooner than the file.
    """
    try:
        with open_regular_file(cache_from_source(path)) as (kept, _):
            source, made, begun = os.stat(path), os.fstat(kept), os.read(kept, 16)
    except (OSError, ValueError, NotImplementedError, NotReadableError):
        return False
    stamp = int(source.st_mtime) & 0xFFFF_FFFF, source.st_size & 0xFFFF_FFFF
    told = b"".join(number.to_bytes(4, "little") for number in stamp)
    return made.st_mtime_ns >= source.st_mtime_ns and begun == _BY_TIME + told
