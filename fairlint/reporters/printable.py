"""Text that is safe and aligned on a terminal: control characters made visible, display columns counted."""

from __future__ import annotations

from unicodedata import category, combining, east_asian_width

from fairlint.reporters import signs
from fairlint.support.records import Record

TAB_STOP = 4

_JOINERS = frozenset("\u200c\u200d")
"""Format characters that scripts and emoji need; all others can hide or reorder text."""
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_LONE_BYTES = range(0xDC80, 0xDD00)
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escape_character(char: str) -> str:
    code = ord(char)
    if code in _LONE_BYTES:
        # a byte of a file name that was not UTF-8, kept by Python as a surrogate
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _is_unsafe(char: str) -> bool:
    return category(char) in _INVISIBLE and char not in _JOINERS


def printable(text: str) -> str:
    """`text` on one line, with control, bidirectional and invisible characters written out (`\\x1b`)."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_NAMED.get(char) or _escape_character(char) if _is_unsafe(char) else char for char in text)


def _char_width(char: str) -> int:
    if combining(char) or category(char) in {"Mn", "Me"} or char in _JOINERS:
        return 0
    return 2 if east_asian_width(char) in {"W", "F"} else 1


def width(text: str) -> int:
    """Return how many terminal cells `text` takes; it must be printable."""
    return len(text) if text.isascii() else sum(map(_char_width, text))


class Row(Record):
    """A line of source made printable, and the cell at which each code point (and the end) stands."""

    text: str
    cells: tuple[int, ...]


def row(line: str, encoding: str = signs.WHOLE) -> Row:
    """Lay out one line of source: tabs expanded, unsafe characters escaped, wide characters counted.

    What the encoding lacks is laid out as what is written for it.
    """
    if line.isascii() and line.isprintable():
        return Row(line, tuple(range(len(line) + 1)))
    pieces: list[str] = []
    cells: list[int] = [0]
    at = 0
    for char in line:
        if char == "\t":
            piece = " " * (TAB_STOP - at % TAB_STOP)
            at += len(piece)
        elif _is_unsafe(char):
            piece = _escape_character(char)
            at += len(piece)
        else:
            piece = signs.text_in_encoding(char, encoding)
            at += _char_width(char) if piece == char else len(piece)
        pieces.append(piece)
        cells.append(at)
    return Row("".join(pieces), tuple(cells))
