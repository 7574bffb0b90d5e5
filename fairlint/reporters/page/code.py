"""The code of a finding as lines of pieces: which are marked, and which are comments, texts and keywords."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple

from fairlint.findings.finding import Finding
from fairlint.reporters.frame import shown_numbers
from fairlint.reporters.places import where
from fairlint.support.records import Record
from fairlint.syntax import shipped_language
from fairlint.syntax.source import Position, Source
from fairlint.syntax.tokens import Tokens

AROUND = 2
"""Lines before and after a marked one."""
MOST_LINES = 60
"""Lines of one finding."""
MOST_FRAMES = 8
"""Files and cells of one finding whose code is shown."""
LONGEST = 240
"""Characters of a line that are shown."""
BEFORE = 60
"""Of a longer line, characters before the first mark."""
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")


class Piece(Record):
    """A stretch of a line. `badge` names the steps that end here."""

    text: str
    kind: str = ""
    """`comment`, `text`, `keyword` or nothing."""
    mark: str = ""
    """`primary`, `step` or nothing."""
    badge: str = ""


class Line(Record):
    """A line, and how many before it are not shown."""

    number: int
    pieces: tuple[Piece, ...]
    skipped: int = 0

    @property
    def is_hit(self) -> bool:
        """Whether anything on it is marked."""
        return any(piece.mark for piece in self.pieces)


class Frame(Record):
    """The lines of one file or cell."""

    place: str
    lines: tuple[Line, ...]


class Span(Record):
    """A stretch that is marked; `end` is exclusive, `number` that of the step, 0 for the finding itself."""

    start: Position
    end: Position
    number: int = 0


class Token(NamedTuple):
    """From which column to which, from 0, a line has a comment, a text or a keyword."""

    start: int
    end: int
    kind: str


class Text:
    """A source, and where its comments and texts are."""

    def __init__(self, source: Source) -> None:
        self.source = source
        language = shipped_language(source.language)
        self._tokens = (language and language.tokens) or Tokens()
        self.keywords = self._tokens.keywords

    @cached_property
    def _token_ranges(self) -> list[tuple[int, int]]:
        return list(self._tokens.ended(self.source.data))

    def kinds(self, number: int) -> Iterator[Token]:
        """Yield the comments and texts on a line of the source itself."""
        source = self.source
        begin = source.line_starts[number - 1]
        end = source.line_starts[number] if number < len(source.line_starts) else len(source.data)
        data = source.data
        for first, last in self._token_ranges[max(bisect_left(self._token_ranges, (begin,)) - 1, 0) :]:
            if first >= end:
                return
            if last > begin:
                start = len(data[begin : max(first, begin)].decode("utf-8", "replace"))
                stop = len(data[begin : min(last, end)].decode("utf-8", "replace"))
                yield Token(start, stop, "comment" if self._tokens.is_comment(data, first) else "text")


def frames(finding: Finding, sources: Sequence[Text]) -> list[Frame]:
    """Return the code that a finding and its steps stand in, the finding's own first."""
    spans: dict[tuple[str, int | None], list[Span]] = {
        (finding.path, finding.cell): [Span(finding.start, finding.end)]
    }
    for number, step in enumerate((step for step in finding.flow if not step.also), 1):
        spans.setdefault((step.path, step.cell), []).append(Span(step.start, step.end, number))
    left = MOST_LINES
    made = []
    for (path, cell), marked in list(spans.items())[:MOST_FRAMES]:
        lines = _lines_of_code(path, cell, marked, sources, left)
        left -= len(lines)
        if lines:
            made.append(Frame(where(path, cell, marked[0].start.line), tuple(lines)))
    return made


def _lines_of_code(
    path: str, cell: int | None, marked: Sequence[Span], sources: Iterable[Text], most: int
) -> list[Line]:
    numbers = shown_numbers([(span.start.line, span.end.line) for span in marked])
    hits = set(numbers)
    wanted = {near for one in numbers for near in range(one - AROUND, one + AROUND + 1) if near > 0}
    wanted |= {one + 1 for one in wanted if one + 2 in wanted}
    lines: list[Line] = []
    last = 0
    for number in sorted(wanted):
        found = next(
            ((one, own) for one in sources if (own := one.source.told_number(path, cell, number))), None
        )
        if found is None or len(lines) >= most:
            continue
        text = found[0].source.line(found[1])
        if number not in hits and not text.strip() and (not lines or number + 1 not in wanted):
            continue
        pieces = tuple(_pieces_of_line(text, number, marked, found[0], found[1]))
        lines.append(Line(number, pieces, number - last - 1 if lines else 0))
        last = number
    return lines


class _Marked(NamedTuple):
    """From which column to which, from 0, and of what."""

    start: int
    end: int
    span: Span


def _pieces_of_line(line: str, number: int, marked: Sequence[Span], text: Text, own: int) -> Iterator[Piece]:
    spans = _on_line(line, number, marked)
    first, last = _visible_part(line, [one.start for one in spans])
    kinds = _kinds_in_line(line, text, own)
    edges = [*((one.start, one.end) for one in spans), *((one.start, one.end) for one in kinds)]
    cuts = {first, last, *chain.from_iterable(edges)}
    if first:
        yield Piece("…")
    for start, end in pairwise(sorted(at for at in cuts if first <= at <= last)):
        kind = next((one.kind for one in kinds if one.start <= start and end <= one.end), "")
        yield Piece(line[start:end], kind, *_mark_of_stretch(spans, number, start, end))
    if last < len(line.rstrip()):
        yield Piece("…")


def _on_line(line: str, number: int, marked: Sequence[Span]) -> list[_Marked]:
    """Return the marks on a line; none covers its indentation."""
    indent = len(line) - len(line.lstrip())
    found = []
    for span in marked:
        if span.start.line <= number <= span.end.line:
            start = 0 if span.start.line < number else span.start.column - 1
            end = len(line.rstrip()) if span.end.line > number else span.end.column - 1
            found.append(_Marked(max(start, indent), max(end, start + 1), span))
    return found


def _mark_of_stretch(spans: Sequence[_Marked], number: int, start: int, end: int) -> tuple[str, str]:
    """Return how a stretch is marked, and which steps end with it."""
    over = [one.span for one in spans if one.start <= start and end <= one.end]
    if not over:
        return "", ""
    ending = [
        str(span.number) for _, last, span in spans if last == end and span.number and span.end.line == number
    ]
    return "step" if all(span.number for span in over) else "primary", " ".join(ending)


def _visible_part(line: str, starts: Sequence[int]) -> tuple[int, int]:
    """Return which part of a line is shown: of a long one that about its first mark."""
    length = len(line.rstrip())
    if length <= LONGEST:
        return 0, length
    first = max(0, min(starts, default=0) - BEFORE)
    return first, min(length, first + LONGEST)


def _kinds_in_line(line: str, text: Text, own: int) -> list[Token]:
    if len(line) > 10 * LONGEST:
        return []
    told = list(text.kinds(own))
    words = (
        Token(found.start(), found.end(), "keyword")
        for found in _WORD.finditer(line)
        if found[0] in text.keywords
    )
    return [*told, *(one for one in words if not any(other.start <= one.start < other.end for other in told))]
