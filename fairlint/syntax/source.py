"""A Source: some text with a path and a language, and the way from byte offsets to lines and columns."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fairlint.support.records import Record, replace

if TYPE_CHECKING:  # a file in which nothing is mentioned never needs the tree
    from fairlint.syntax.tree import Gap, Span


MARK = b"fairlint:"
"""How comments address fairlint."""


class Position(NamedTuple):
    """A place in a source: line and column start at 1, columns count code points."""

    line: int
    column: int


class Part(Record):
    """A stretch of a source that is told about by a place of its own: a notebook's cell, an imported file.

    It goes on to the next part's start. `line` is the number of its first line there.
    """

    start: int
    path: str
    cell: int | None = None
    """The cell's place among all cells of its notebook, from 1."""
    line: int = 1


class Place(NamedTuple):
    """A place as reports name it."""

    path: str
    cell: int | None
    position: Position


class Source(Record, slots=False):
    """Some code: a file, standard input, or the code inside a model's answer.

    `data` is UTF-8 whatever the encoding on disk was, without a byte-order mark; all spans are offsets into
    it. `path` is what reports show: relative where possible, with forward slashes. `language` is None where
    nobody could tell. `gaps` names what was left out while reading (prose is not a gap; a fence of another
    language is). `parts` are what it is put together from, in order, where that is more than one file.
    """

    path: str
    data: bytes
    language: str | None
    gaps: tuple[Gap, ...] = ()
    parts: tuple[Part, ...] = ()
    prose: tuple[str, ...] = ()
    companions: tuple[bytes, ...] = ()

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """The byte offset at which each line starts; `\\n`, `\\r\\n` and a lone `\\r` end a line."""
        starts = [0]
        data = self.data
        at = 0
        while at < len(data):
            newline = data.find(b"\n", at)
            stop = len(data) if newline < 0 else newline
            carriage = data.find(b"\r", at, stop)
            if carriage >= 0 and carriage + 1 != newline:
                at = carriage + 1
            elif newline >= 0:
                at = newline + 1
            else:
                break
            starts.append(at)
        return tuple(starts)

    def position(self, offset: int) -> Position:
        """Return the line and column of a byte offset."""
        line = bisect_right(self.line_starts, offset)
        start = self.line_starts[line - 1]
        return Position(line, len(self.data[start:offset].decode("utf-8", "replace")) + 1)

    def part(self, offset: int) -> Part | None:
        """Return the part that a byte offset lies in; None in a source of one piece."""
        place = bisect_right(self.parts, offset, key=lambda part: part.start) - 1
        return self.parts[place] if place >= 0 else None

    def place(self, offset: int) -> Place:
        """Return the path, cell, line and column that a byte offset is told as."""
        position = self.position(offset)
        part = self.part(offset)
        if part is None:
            return Place(self.path, None, position)
        line = position.line - self.position(part.start).line + part.line
        return Place(part.path, part.cell, Position(line, position.column))

    def told_line(self, path: str, cell: int | None, number: int) -> str | None:
        """Return the line that reports call `number` of that path and cell; None where it is not in here."""
        line = self.told_number(path, cell, number)
        return None if line is None else self.line(line)

    def told_number(self, path: str, cell: int | None, number: int) -> int | None:
        """Return the number of that line in the source itself."""
        if not self.parts:
            known = path == self.path and cell is None and 1 <= number <= len(self.line_starts)
            return number if known else None
        for place, part in enumerate(self.parts):
            if (part.path, part.cell) != (path, cell):
                continue
            after = self.parts[place + 1].start if place + 1 < len(self.parts) else len(self.data)
            line = self.position(part.start).line + number - part.line
            if number >= part.line and line <= len(self.line_starts) and self.line_starts[line - 1] < after:
                return line
        return None

    def line(self, number: int) -> str:
        """Return the text of line `number` (from 1), without its line ending."""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] if number < len(self.line_starts) else len(self.data)
        return self.data[start:end].decode("utf-8", "replace").rstrip("\r\n")

    def text(self, span: Span) -> str:
        """Return the text of a span, as written."""
        return self.data[span.start : span.end].decode("utf-8", "replace")

    def first_line(self, span: Span) -> Span:
        """Return the part of a span that stands on its first line."""
        end = self.data.find(b"\n", span.start, span.end)
        return span if end < 0 else replace(span, end=max(end, span.start + 1))
