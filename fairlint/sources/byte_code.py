"""Whether a language's own compiler has read a file as it is now, and so found no syntax error in it."""

# Path objects would take longer than the files themselves.
# ruff: noqa: PTH116

from __future__ import annotations

import os
from collections.abc import Callable

from fairlint.support.files import NotReadableError, open_regular_file


def has_byte_code(path: str, byte_code: Callable[[str, int, int], tuple[str, bytes]]) -> bool:
    """Report whether there is byte code of a file, by the time and the size that it names of the file, and
    written no sooner than the file.
    """
    try:
        source = os.stat(path)
        place, beginning = byte_code(path, int(source.st_mtime), source.st_size)
        with open_regular_file(place) as (kept, _):
            is_newer = os.fstat(kept).st_mtime_ns >= source.st_mtime_ns
            return is_newer and bool(beginning) and os.read(kept, len(beginning)) == beginning
    except (OSError, ValueError, NotReadableError):
        return False
