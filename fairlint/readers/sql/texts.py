"""Texts as code puts them together: literals, f-strings, `+`, `%`, `.format`, `join`, `snprintf`, `strcat`.

What is not known at a place becomes a *hole*, a word of its own in the text. Every other stretch remembers
the literal it was written in, so that a place in the text can be shown in the source.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product

from fairlint.records import Record
from fairlint.sources.source import Source
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, Span

HOLE = re.compile(r"qhole\d+q")
MOST_VARIANTS = 6
"""Texts that one variable may hold after branches."""
LONGEST = 60_000
_WORD = re.compile(r"\w+")


class Piece(Record):
    """A stretch of a text that stands in one literal: `value[at:]` of it, at `span` in the source."""

    start: int
    end: int
    span: Span
    value: str
    at: int


class Text(Record):
    """A text, where its stretches come from, and the expressions that its holes stand for."""

    text: str
    pieces: tuple[Piece, ...] = ()
    holes: tuple[tuple[str, Node], ...] = ()

    def hole(self, name: str) -> Node | None:
        """The expression that a hole stands for."""
        return next((node for mark, node in self.holes if mark == name), None)


EMPTY = Text("")


def literal(value: str, span: Span) -> Text:
    """The text of one literal."""
    return Text(value, (Piece(0, len(value), span, value, 0),))


def plain(value: str) -> Text:
    """A text that stands nowhere."""
    return Text(value)


def hole(node: Node) -> Text:
    """A text that only the run knows."""
    mark = f"qhole{node.span.start}q"
    return Text(mark, (), ((mark, node),))


def joined(texts: Iterable[Text]) -> Text:
    """Several texts, one after the other."""
    length = 0
    parts: list[str] = []
    pieces: list[Piece] = []
    holes: list[tuple[str, Node]] = []
    for one in texts:
        parts.append(one.text)
        pieces.extend(
            Piece(piece.start + length, piece.end + length, piece.span, piece.value, piece.at)
            for piece in one.pieces
        )
        holes.extend(one.holes)
        length += len(one.text)
    return Text("".join(parts), tuple(pieces), tuple(holes))


def cut(text: Text, start: int, end: int) -> Text:
    """A stretch of a text."""
    pieces = []
    for piece in text.pieces:
        first, last = max(piece.start, start), min(piece.end, end)
        if first < last:
            at = piece.at + first - piece.start
            pieces.append(Piece(first - start, last - start, piece.span, piece.value, at))
    return Text(text.text[start:end], tuple(pieces), text.holes)


def substituted(text: Text, pattern: re.Pattern[str], fill: Callable[[re.Match[str]], Text | None]) -> Text:
    """The text with matches replaced; `fill` gives None for what is to stay."""
    parts: list[Text] = []
    at = 0
    for match in pattern.finditer(text.text):
        new = fill(match)
        if new is None:
            continue
        parts += (cut(text, at, match.start()), new)
        at = match.end()
    if not parts:
        return text
    return joined((*parts, cut(text, at, len(text.text))))


def variants(parts: Sequence[Sequence[Text]]) -> tuple[Text, ...]:
    """All ways to put one of each part after the other, as far as they are few and short."""
    found = []
    for choice in product(*parts):
        one = joined(choice)
        if len(one.text) <= LONGEST:
            found.append(one)
        if len(found) == MOST_VARIANTS:
            break
    return tuple(found)


def place(text: Text, start: int, end: int, source: Source) -> Span | None:
    """Where a word of the text stands in the source: exactly, or else the first line of its literal."""
    piece = next((piece for piece in text.pieces if piece.start <= start < piece.end), None)
    if piece is None:
        return None
    word = text.text[start:end]
    offset = piece.at + start - piece.start
    # An escape hardly ever makes a word, so the word that is the third in the value is the third as written.
    inner = rf"{re.escape(word)}(?!\w)" if _WORD.fullmatch(word) else re.escape(word)
    before = sum(1 for _ in re.finditer(rf"(?<!\w){inner}", piece.value[:offset]))
    raw = source.data[piece.span.start : piece.span.end].decode("utf-8", "replace")
    for number, match in enumerate(re.finditer(rf"(?:(?<!\w)|(?<=\\[nrt])){inner}", raw)):
        if number == before:
            first = piece.span.start + len(raw[: match.start()].encode())
            return Span(first, first + len(word.encode()))
    return source.first_line(piece.span)


def merged(
    one: dict[str, tuple[Text, ...]], other: dict[str, tuple[Text, ...]]
) -> dict[str, tuple[Text, ...]]:
    """What variables may hold behind two branches."""
    found = dict(one)
    for path, texts in other.items():
        held = found.get(path, ())
        found[path] = (*held, *(text for text in texts if text not in held))[:MOST_VARIANTS]
    return found


def functions_in(body: Sequence[Node], owner: str = "") -> Iterator[tuple[str, tuple[tree.Function, str]]]:
    """The functions of a file and the methods of its classes, by their bare name."""
    for node in body:
        if isinstance(node, tree.Function) and not node.is_macro:
            yield node.name, (node, owner)
        elif isinstance(node, tree.Type):
            yield from functions_in(node.body, node.name)
