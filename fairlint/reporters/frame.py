"""The source frame: lines of code with their numbers, and marks under the spans that matter.

```
 3 |     gender = candidate["gender"]
   |              ------------------- read here
...
12 |         score += 5
   |         ^^^^^^^^^^
```

A mark over several lines is drawn as a bracket in a lane left of the code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from fairlint.reporters.printable import printable, row
from fairlint.reporters.style import Style
from fairlint.support.records import Record
from fairlint.syntax.source import Position

_CONTEXT = 30
"""Code points kept before a mark when a long line is cut."""
_ELLIPSIS = "..."
_NARROWEST = 40
"""Code gets this many cells, however narrow the terminal is."""
_TALL = 6
"""A mark over more lines than this shows only its first and last ones."""


class Mark(Record):
    """A span to point at. `end` is exclusive."""

    start: Position
    end: Position
    label: str = ""
    role: str = "gutter"
    """The Style role it is painted in."""
    primary: bool = False

    @property
    def is_tall(self) -> bool:
        """Whether it covers more than one line."""
        return self.end.line > self.start.line

    @property
    def sign(self) -> str:
        """What it is drawn with."""
        return "^" if self.primary else "-"


class _Line(Record):
    """A line as it is shown, and the way from its columns to the cells on the screen."""

    number: int
    text: str
    cells: tuple[int, ...]
    skipped: int
    shift: int
    indent: int

    def cell(self, column: int) -> int:
        """Return the cell in which `column` stands, or the nearest one that is shown."""
        index = column - 1 - self.skipped
        if index < 0:
            return 0
        return self.cells[min(index, len(self.cells) - 1)] + self.shift


def _lay_out_line(number: int, line: str, column: int, width: int, encoding: str) -> _Line:
    """Lay out `line`; if it is too wide, only the part around `column`."""
    indent = len(line) - len(line.lstrip())
    if len(line) <= width:
        whole = row(line, encoding)
        if whole.cells[-1] <= width:
            return _Line(number, whole.text.rstrip(), whole.cells, 0, 0, indent)
    skipped = max(0, column - 1 - _CONTEXT)
    piece = line[skipped : skipped + width]
    while (shown := row(piece, encoding)).cells[-1] > width:
        piece = piece[: -max(1, (shown.cells[-1] - width) // 4)]
    before = _ELLIPSIS if skipped else ""
    after = _ELLIPSIS if skipped + len(piece) < len(line) else ""
    return _Line(number, before + shown.text + after, shown.cells, skipped, len(before), indent)


def _normalize_mark(mark: Mark, length_of: Callable[[int], int]) -> Mark:
    """Make sure that the mark covers something: no empty spans, no end in front of a line's first column."""
    start, end = mark.start, mark.end
    if end.line > start.line and end.column <= 1:
        end = Position(end.line - 1, length_of(end.line - 1) + 1)
    if end <= start:
        end = Position(start.line, start.column + 1)
    return Mark(start, end, mark.label, mark.role, mark.primary)


def _merge_marks(marks: Sequence[Mark]) -> list[Mark]:
    """Return one mark a span; the labels of equal spans are joined, the primary one wins."""
    by_span: dict[tuple[Position, Position], Mark] = {}
    for mark in marks:
        key = (mark.start, mark.end)
        other = by_span.get(key)
        if other is None:
            by_span[key] = mark
            continue
        labels = dict.fromkeys(label for label in (other.label, mark.label) if label)
        first = other if other.primary else mark
        by_span[key] = Mark(first.start, first.end, "; ".join(labels), first.role, first.primary)
    return sorted(by_span.values(), key=lambda mark: (mark.start, mark.end))


def _assign_lanes(tall: Sequence[Mark]) -> dict[Mark, int]:
    """Give each mark over several lines a lane that no overlapping one has."""
    lanes: dict[Mark, int] = {}
    ends: list[int] = []
    for mark in tall:
        free = (lane for lane, end in enumerate(ends) if end < mark.start.line)
        lane = next(free, len(ends))
        ends[lane : lane + 1] = [mark.end.line]
        lanes[mark] = lane
    return lanes


def shown_numbers(spans: Iterable[tuple[int, int]]) -> list[int]:
    """Return the numbers of the lines to show of stretches from a line to a line.

    A single line that is left out between two others is shown, too.
    """
    numbers: set[int] = set()
    for first, last in spans:
        if last - first < _TALL:
            numbers.update(range(first, last + 1))
        else:
            numbers.update((first, first + 1, last - 1, last))
    numbers.update([number + 1 for number in numbers if number + 2 in numbers])
    return sorted(numbers)


class _Canvas:
    """One line of marks: characters that can be painted at any cell."""

    def __init__(self) -> None:
        self._chars: list[str] = []
        self._roles: list[str] = []

    def __len__(self) -> int:
        return len(self._chars)

    def put(self, cell: int, text: str, role: str) -> None:
        """Write `text` from `cell` on, over what stands there."""
        missing = cell + len(text) - len(self._chars)
        if missing > 0:
            self._chars.extend(" " * missing)
            self._roles.extend([""] * missing)
        self._chars[cell : cell + len(text)] = text
        self._roles[cell : cell + len(text)] = [role] * len(text)

    def paint_line(self, style: Style) -> str:
        """Return the line's text, each run in its colour."""
        pieces: list[str] = []
        start = 0
        for end in range(1, len(self._chars) + 1):
            if end == len(self._chars) or self._roles[end] != self._roles[start]:
                text = "".join(self._chars[start:end])
                role = self._roles[start]
                pieces.append(style(role, text) if role else text)
                start = end
        return "".join(pieces)


class Frame:
    """Draws one file's marks."""

    def __init__(
        self, line_text: Callable[[int], str], marks: Sequence[Mark], *, style: Style, width: int, gutter: int
    ) -> None:
        self._text = line_text
        self._marks = _merge_marks(
            [_normalize_mark(mark, lambda number: len(line_text(number))) for mark in marks]
        )
        self._style = style
        self._gutter = gutter
        self._lanes = _assign_lanes([mark for mark in self._marks if mark.is_tall])
        self._margin = 2 * (max(self._lanes.values()) + 1) if self._lanes else 0
        taken = gutter + len(" | ") + self._margin + 2 * len(_ELLIPSIS)
        self._width = max(width - taken, _NARROWEST)

    def lines(self) -> Iterator[str]:
        """Yield the frame, line by line, without line endings."""
        previous = 0
        for number in shown_numbers((mark.start.line, mark.end.line) for mark in self._marks):
            if previous and number > previous + 1:
                yield self._elision_line(previous)
            previous = number
            yield from self._draw_line(number)

    def bar(self, text: str = "", number: str = "") -> str:
        """Return a line of the gutter with its bar."""
        gutter = self._style("gutter", f"{number:>{self._gutter}} |")
        return f"{gutter} {text}".rstrip() if text else gutter

    def _elision_line(self, after: int) -> str:
        canvas = self._lane_canvas(after)
        lanes = canvas.paint_line(self._style)
        dots = self._style("gutter", f"{_ELLIPSIS:<{self._gutter + 2}}")
        return f"{dots} {lanes}".rstrip() if self._lanes else self._style("gutter", _ELLIPSIS)

    def _lane_canvas(self, number: int, *, at_source: bool = False, code: _Line | None = None) -> _Canvas:
        """Return the lanes beside line `number` (`at_source`), or below it."""
        canvas = _Canvas()
        for mark, lane in self._lanes.items():
            if (
                mark.start.line < number <= mark.end.line
                if at_source
                else mark.start.line <= number < mark.end.line
            ):
                canvas.put(2 * lane, "|", mark.role)
            elif at_source and mark.start.line == number and code is not None and _starts_line(mark, code):
                canvas.put(2 * lane, "/", mark.role)
        return canvas

    def _draw_line(self, number: int) -> Iterator[str]:
        here = [mark for mark in self._marks if number in (mark.start.line, mark.end.line)]
        code = _lay_out_line(
            number, self._text(number), self._focus_column(here, number), self._width, self._style.encoding
        )
        canvas = self._lane_canvas(number, at_source=True, code=code)
        lanes = f"{canvas.paint_line(self._style)}{' ' * (self._margin - len(canvas))}"
        yield self.bar(lanes + code.text, str(number))
        flat = [mark for mark in here if not mark.is_tall]
        tall = [mark for mark in here if mark.is_tall]
        for mark in tall:
            if mark.start.line == number and not _starts_line(mark, code):
                yield self._bracket_line(mark, code, opening=True)
        if flat:
            yield from self._underline_lines(flat, code)
        for mark in tall:
            if mark.end.line == number:
                yield self._bracket_line(mark, code, opening=False)

    @staticmethod
    def _focus_column(marks: Sequence[Mark], number: int) -> int:
        """Return the column that must be seen when line `number` is cut."""
        starting = [mark for mark in marks if mark.start.line == number]
        primary = [mark for mark in starting if mark.primary]
        if primary or starting:
            return min(mark.start.column for mark in primary or starting)
        return max((mark.end.column for mark in marks), default=1)

    def _canvas_below(self, code: _Line) -> _Canvas:
        """Return an empty line of marks below `code`, with the lanes that run past it or end in it."""
        canvas = self._lane_canvas(code.number)
        for mark, lane in self._lanes.items():
            if mark.end.line == code.number or (
                mark.start.line == code.number and not _starts_line(mark, code)
            ):
                canvas.put(2 * lane, "|", mark.role)
        return canvas

    def _bracket_line(self, mark: Mark, code: _Line, *, opening: bool) -> str:
        lane = 2 * self._lanes[mark]
        canvas = self._canvas_below(code)
        cell = code.cell(mark.start.column) if opening else max(code.cell(mark.end.column) - 1, 0)
        tip = self._margin + cell
        canvas.put(lane, " " if opening else "|", mark.role)
        canvas.put(lane + 1, "_" * (tip - lane - 1), mark.role)
        canvas.put(tip, mark.sign, mark.role)
        label = "" if opening else printable(mark.label)
        return self.bar(f"{canvas.paint_line(self._style)} {self._style(mark.role, label)}".rstrip())

    def _underline_lines(self, marks: Sequence[Mark], code: _Line) -> Iterator[str]:
        spans = {
            mark: (
                self._margin + code.cell(mark.start.column),
                self._margin + max(code.cell(mark.end.column), code.cell(mark.start.column) + 1),
            )
            for mark in marks
        }
        canvas = self._canvas_below(code)
        for mark in sorted(marks, key=lambda mark: (spans[mark][0] - spans[mark][1], mark.primary)):
            start, end = spans[mark]
            canvas.put(start, mark.sign * (end - start), mark.role)
        labelled = [mark for mark in marks if mark.label]
        inline = ""
        if labelled and spans[labelled[-1]][1] == max(end for _, end in spans.values()):
            last = labelled.pop()
            inline = f" {self._style(last.role, printable(last.label))}"
        yield self.bar(canvas.paint_line(self._style) + inline)
        if labelled:
            yield self._connector_line(labelled, spans, code, None)
        while labelled:
            yield self._connector_line(labelled[:-1], spans, code, labelled[-1])
            labelled.pop()

    def _connector_line(
        self, marks: Sequence[Mark], spans: dict[Mark, tuple[int, int]], code: _Line, last: Mark | None
    ) -> str:
        """Connectors for `marks`, and the label of `last` right of them."""
        canvas = self._canvas_below(code)
        for mark in marks:
            canvas.put(spans[mark][0], "|", mark.role)
        if last is None:
            return self.bar(canvas.paint_line(self._style))
        cell = spans[last][0]
        if any(spans[mark][0] == cell for mark in marks):
            cell += 2
        canvas.put(cell, "", last.role)
        padding = " " * (cell - len(canvas))
        return self.bar(
            canvas.paint_line(self._style) + padding + self._style(last.role, printable(last.label))
        )


def _starts_line(mark: Mark, code: _Line) -> bool:
    """Return whether only blanks stand before the mark in its line."""
    return mark.start.column - 1 <= code.indent
