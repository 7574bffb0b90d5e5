"""Text in lines that a terminal does not break: by cells, so that wide characters count as two."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.reporters.printable import width

NARROWEST = 20
"""A line gets so many cells, however narrow the terminal is."""


def wrap_text(text: str, columns: int, *, first: int | None = None) -> list[str]:
    """Return a text in lines of so many cells; the first may have fewer. Words that are too long are cut."""
    room = max(columns if first is None else first, NARROWEST)
    rest = max(columns, NARROWEST)
    lines: list[str] = []
    line = ""
    for word in _split_long_words(text, rest):
        longer = f"{line} {word}" if line else word
        if line and width(longer) > room:
            lines.append(line)
            room, line = rest, word
        else:
            line = longer
    return [*lines, line]


def _split_long_words(text: str, most: int) -> Iterator[str]:
    for word in text.split(" "):
        if width(word) <= most:
            yield word
            continue
        piece = ""
        for char in word:
            if width(piece + char) > most:
                yield piece
                piece = ""
            piece += char
        yield piece
