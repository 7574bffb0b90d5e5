"""A query as text: what is known of it, a mark for each hole, and where its words stand in the source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, product
from math import prod

from fairlint.semantics.texts.text_filling import replace_matches
from fairlint.semantics.texts.text_values import MOST_ALTERNATIVES, is_text, may_be_text, pieces_of, place_of
from fairlint.semantics.values import symbolic as values_
from fairlint.semantics.values.lift import each_leaf
from fairlint.semantics.values.symbolic import (
    Choice,
    Const,
    Piece,
    Placeholder,
    Protected,
    Sequence,
    TextSpan,
    Value,
)
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.source import Source
from fairlint.syntax.tree import Node, Span

HOLE = re.compile(r"qhole\d+q")
MOST_VARIANTS = 6
"""Texts that one variable may hold after branches."""
MOST_NESTED = 4
"""How deep texts are put into texts by a test each."""
_WORD = re.compile(r"\w+")

Pieces = tuple[Piece, ...]


class Text(Record):
    """A text, and what it is made of. A hole reads `qhole12q`, by the place it is written at."""

    text: str
    pieces: Pieces
    node: Node | None = None
    """The expression that puts it together."""

    def hole(self, mark: str) -> Node | None:
        """Return the expression that a hole stands for."""
        holes = (piece.node for piece in self.pieces if isinstance(piece, Placeholder))
        return next((node for node in holes if _hole_mark(node) == mark), None)


def of_pieces(pieces: Iterable[Piece], node: Node | None = None) -> Text:
    """Return the text of these pieces."""
    row = tuple(pieces)
    parts = [piece.text if isinstance(piece, TextSpan) else _hole_mark(piece.node) for piece in row]
    return Text("".join(parts), row, node)


def _hole_mark(node: Node) -> str:
    return f"qhole{node.span.start}q"


def around(before: str, text: Text, after: str = "") -> Text:
    """Return a text with other words around it, which stand nowhere."""
    return of_pieces((TextSpan(before), *text.pieces, TextSpan(after)), text.node)


def substitute_matches(
    text: Text, pattern: re.Pattern[str], fill: Callable[[re.Match[str]], Pieces | None]
) -> Text:
    """Return the text with matches between its holes replaced; `fill` gives None for what is to stay."""
    return of_pieces(replace_matches(text.pieces, pattern, fill), text.node)


def variants(value: Value, node: Node) -> list[Text]:
    """Return the texts that a value may be, as far as they are few: one for each way that its tests
    may go.
    """
    found: list[Text] = []
    for one in islice(each_leaf(value), MOST_VARIANTS) if may_be_text(value) else ():
        if is_text(one):
            place = place_of(one) or node
            found += [
                of_pieces(pieces, place)
                for pieces in _combinations_of_pieces(pieces_of(one, node), MOST_NESTED)
            ]
    return found[:MOST_VARIANTS]


def has_more(value: Value) -> bool:
    """Return whether a value may be a text that `variants` does not give."""
    values = [value]
    for one in islice(each_leaf(value), MOST_VARIANTS):
        found = pieces_of(one, one.node) if isinstance(one, values_.Text) and one.node is not None else ()
        values += [
            piece.value
            for piece in found
            if isinstance(piece, Placeholder) and isinstance(piece.value, Choice)
        ]
    return any(any(map(is_text, islice(each_leaf(one), MOST_VARIANTS, MOST_ALTERNATIVES))) for one in values)


def _combinations_of_pieces(pieces: Pieces, depth: int) -> list[Pieces]:
    """Return what the pieces come to: all ways together where they are few, else each alternative at least
    once.
    """
    options = [_alternatives_of_piece(piece, depth) for piece in pieces]
    if prod(map(len, options)) <= MOST_VARIANTS:
        rows: Iterator[tuple[Pieces, ...]] = product(*options)
    else:
        most = min(max(map(len, options)), MOST_VARIANTS)
        rows = (tuple(each[min(way, len(each) - 1)] for each in options) for way in range(most))
    return [tuple(piece for part in row for piece in part) for row in rows]


def _alternatives_of_piece(piece: Piece, depth: int) -> list[Pieces]:
    match piece:
        case Placeholder(value=Choice() as value, node=node) if depth and may_be_text(value):
            found: list[Pieces] = []
            for one in islice(each_leaf(value), MOST_VARIANTS):
                found += _combinations_of_pieces(pieces_of(one, node), depth - 1)
            return found
        case Placeholder(value=value):
            known = constant(value)
            return [(piece,)] if known is None else [(known,)]
        case _:
            return [(piece,)]


def constant(value: Value) -> TextSpan | None:
    """Return what a value that is put into a query comes to, where it is known: a code, a sample, a list."""
    if (known := scalar(value)) is not None:
        return TextSpan(str(known.value), known.node)
    match value:
        case Sequence(items=items, node=tree.Collection(kind="tuple")) if items:
            values = [repr(one.value) for item in items if (one := scalar(item)) is not None]
            return TextSpan(f"({', '.join(values)})") if len(values) == len(items) else None
        case _:
            return None


def scalar(value: Value) -> Const | None:
    """Return a known value, or the sample that a variable named after an attribute got."""
    match value:
        case Const() if value.value is not None:
            return value
        case Protected(sample=Const() as sample):
            return sample
        case _:
            return None


def place(text: Text, start: int, end: int, source: Source) -> Span | None:
    """Return where a word of the text stands in the source: exactly, or else the first line of its
    literal.
    """
    at = 0
    for piece in text.pieces:
        length = len(piece.text) if isinstance(piece, TextSpan) else len(_hole_mark(piece.node))
        if at <= start < at + length:
            break
        at += length
    else:
        return None
    if isinstance(piece, Placeholder) or not isinstance(literal := piece.node, tree.Literal):
        return None
    word = text.text[start:end]
    value = literal.value
    written = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    # An escape hardly ever makes a word, so the word that is the third in the value is the third as written.
    inner = rf"{re.escape(word)}(?!\w)" if _WORD.fullmatch(word) else re.escape(word)
    before = sum(1 for _ in re.finditer(rf"(?<!\w){inner}", written[: piece.at + start - at]))
    raw = source.data[literal.span.start : literal.span.end].decode("utf-8", "replace")
    for number, match in enumerate(re.finditer(rf"(?:(?<!\w)|(?<=\\[nrt])){inner}", raw)):
        if number == before:
            first = literal.span.start + len(raw[: match.start()].encode())
            return Span(first, first + len(word.encode()))
    return source.first_line(literal.span)
