"""The line that is asked about: its source, its place in it, and what touches it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fairlint.checking.checker import Checker
from fairlint.sources.discovery import discover
from fairlint.sources.files_to_check import NOTEBOOK, File
from fairlint.sources.reading import to_utf8
from fairlint.support.errors import UsageError
from fairlint.support.files import MAX_FILE_SIZE, NotReadableError, read_file
from fairlint.support.records import Record, replace
from fairlint.syntax.source import Place, Position, Source
from fairlint.syntax.tree import Span

if TYPE_CHECKING:
    from fairlint.findings.uses import Use


class Line(Record):
    """The line that is asked about."""

    source: Source
    cell: int | None
    number: int
    column: int | None
    span: Span

    def touches(self, start: Place, end: Position) -> bool:
        """Return whether a stretch stands on the line or around it."""
        here = (start.path, start.cell) == (self.source.path, self.cell)
        return here and start.position.line <= self.number <= end.line

    def holds_column(self, start: Place, end: Position) -> bool:
        """Return whether a stretch that touches the line covers the column."""
        column = self.column or 0
        return (start.position.line, start.position.column) <= (self.number, column) < (end.line, end.column)


def discover_file(path: str, checker: Checker) -> File:
    """Return the one file of that path."""
    if os.path.isdir(path):  # noqa: PTH112 (paths are plain texts up to here)
        raise UsageError(f"{path}: is a folder; explain takes a file and a line")
    found = discover([path], replace(checker.settings, force_exclude=False), checker.languages.values())
    return found.files[0]


def is_excluded_file(path: str, checker: Checker) -> bool:
    """Report whether the settings exclude a file."""
    assert checker.crew is not None
    settings = checker.crew.configurations.changed(force_exclude=True)
    found = discover([path], settings, checker.languages.values())
    return not found.files


def load_source(file: File, checker: Checker) -> Source:
    """Return the code of a file, also where nothing in it is mentioned."""
    limit = checker.settings.max_file_size
    try:
        if file.language != NOTEBOOK:
            language = checker.languages.get(file.language)
            return Source(
                file.shown,
                to_utf8(read_file(file.path, limit, setting=MAX_FILE_SIZE), language),
                file.language,
            )
        from fairlint.sources.notebooks import OUTPUTS_SHARE, read_notebook  # noqa: PLC0415 (few ask for one)

        data = to_utf8(read_file(file.path, limit * OUTPUTS_SHARE, setting=MAX_FILE_SIZE))
        settings = checker.settings
        return read_notebook(
            file.shown,
            data,
            limit,
            checker.languages.values(),
            settings.file_nesting,
            is_trusted=not settings.untrusted,
        )
    except NotReadableError as error:
        raise UsageError(f"{file.shown}: {error}") from None


def locate_line(source: Source, cell: int | None, line: int, column: int | None) -> Line:
    """Return the place of a line; a UsageError where there is no such place."""
    start, end, what = 0, len(source.data), "file"
    if source.parts:
        start, end = _bounds_of_cell(source, cell, line)
        what = f"cell {cell}"
    elif cell is not None:
        raise UsageError(f"{source.path}: is no notebook and has no cells")
    starts = [at for at in source.line_starts if start <= at < end]
    if not 1 <= line <= len(starts):
        lines = "1 line" if len(starts) == 1 else f"{len(starts)} lines"
        raise UsageError(f"{source.path}: {what} has {lines}, so there is no line {line}")
    after = starts[line] if line < len(starts) else end
    asked = Line(source, cell, line, column, Span(starts[line - 1], after))
    if column is not None and not 1 <= column <= len(text_of_line(source, asked)) + 1:
        raise UsageError(
            f"{source.path}: line {line} has {len(text_of_line(source, asked))} columns, not {column}"
        )
    return asked


def _bounds_of_cell(source: Source, cell: int | None, line: int) -> tuple[int, int]:
    """Return where a cell's code begins and ends."""
    if cell is None:
        first = source.parts[0].cell
        raise UsageError(f"{source.path}: is a notebook; say which cell: {source.path}:cell {first}:{line}")
    ends = [*(part.start for part in source.parts[1:]), len(source.data)]
    for part, end in zip(source.parts, ends, strict=True):
        if part.cell == cell:
            return part.start, end
    last = source.parts[-1].cell
    raise UsageError(f"{source.path}: cell {cell} holds no code; the last cell that does is {last}")


def text_of_line(source: Source, asked: Line) -> str:
    """Return the text of the line that is asked about."""
    return source.told_line(source.path, asked.cell, asked.number) or ""


def touch_flags(use: Use, asked: Line, told: Source, *, in_column: bool = False) -> Iterator[bool]:
    """Yield for each place of a Use whether it touches the line."""
    for span in (use.span, *(step.span for step in use.flow)):
        start, end = start_and_end(told, span)
        touches = asked.touches(start, last_position(start.position, end))
        yield touches and (not in_column or asked.holds_column(start, end))


def last_position(start: Position, end: Position) -> Position:
    """Return the end, or the line before where it is a line's very beginning."""
    return Position(end.line - 1, end.column) if end.column == 1 and end.line > start.line else end


def start_and_end(told: Source, span: Span) -> tuple[Place, Position]:
    """Return where a span begins, and its end as lines of the same file or cell count."""
    place = told.place(span.start)
    last = told.place(max(span.end - 1, span.start))
    if (last.path, last.cell) != (place.path, place.cell):
        return place, place.position
    end = told.place(span.end)
    if (end.path, end.cell) != (place.path, place.cell):
        return place, Position(last.position.line, last.position.column + 1)
    return place, end.position


def nearest_named_line(asked: Line, hits: Sequence[int]) -> int | None:
    """Return the nearest line of the file or cell on which something is named; of two, the one above."""
    lines = set()
    for hit in hits:
        place = asked.source.place(hit)
        if place.cell == asked.cell:
            lines.add(place.position.line)
    return min(lines, key=lambda line: (abs(line - asked.number), line), default=None)
