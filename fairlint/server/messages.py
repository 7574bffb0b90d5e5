"""What an editor says, as bytes, up to a size: a header may announce more than any memory holds."""

from __future__ import annotations

from typing import BinaryIO

LARGEST = 200_000_000
"""Bytes of a message; it may hold a whole file."""
LONGEST = 1_000
"""Bytes of a line of a header."""


class TooLargeError(Exception):
    """What an editor says is too large."""


class Messages:
    """Reads as `pygls` asks for it. What is too large is not read, and ends all."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.refused = ""
        """Why no more is read."""

    def readline(self) -> bytes:
        """Return a line of a header; nothing at the end."""
        line = self._stream.readline(LONGEST)
        if len(line) == LONGEST:
            return self._end_with_reason(f"a line of a header is longer than {LONGEST:,} bytes")
        return line

    def read(self, size: int) -> bytes:
        """Return the body of a message; nothing at the end."""
        if size > LARGEST:
            return self._end_with_reason(f"a message of more than {LARGEST:,} bytes is announced")
        return self._stream.read(size)

    def _end_with_reason(self, reason: str) -> bytes:
        self.refused = reason
        return b""
