"""Texts that code puts together: f-strings, `+`, `%`, `format`, `join`, templates, C's buffers.

A text is a row of pieces: stretches that are known, each with the literal it stands in, and holes with the
value that is put there. A text without holes is a constant like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from fairlint.semantics.values.lift import each_leaf
from fairlint.semantics.values.marks import marked_name
from fairlint.semantics.values.symbolic import (
    UNKNOWN,
    Choice,
    Const,
    Elementwise,
    Lookup,
    Piece,
    Placeholder,
    Sequence,
    Table,
    Text,
    TextSpan,
    TooLong,
    Value,
)
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

LONGEST = 100_000
"""Characters of a text that is put together; of what is longer, only the beginning is known."""
MOST_PIECES = 2_000
LEFT_OUT = f"a text of more than {LONGEST:,} characters or {MOST_PIECES:,} parts: only its beginning was read"
LONGEST_VALUE = 60
"""Characters of a text that may be the value of a field, as the name of a group is."""
SHORTEST_SENTENCE = 12
MOST_PLACES = 4
"""Places that one piece is known to have come through; of more, the first and the last."""
MOST_ALTERNATIVES = 50
"""Of a value that is one of several, so many are asked whether they are texts."""

HELD_IN = frozenset({"str", "data"})
"""Fields of C's growing texts that hold the text itself."""
_OPERATORS = frozenset("=<>")


def is_text(value: Value | None) -> bool:
    """Return whether a value is a text, known or put together."""
    return isinstance(value, Text) or (isinstance(value, Const) and isinstance(value.value, str))


def is_list(value: Value) -> bool:
    """Return whether a value is a list of texts, or empty."""
    return isinstance(value, Sequence) and all(map(may_be_text, value.items))


def is_message(value: Value) -> bool:
    """Return whether a value is a chat message: `{"role": "user", "content": text}`."""
    while isinstance(value, Choice):
        value = value.then
    entries = value.entries if isinstance(value, Table) else ()
    return any(isinstance(key, Const) and key.value in {"role", "content"} for key, _ in entries)


def is_name(value: Value) -> bool:
    """Return whether a value is a known text that may name a field."""
    return isinstance(value, Const) and isinstance(value.value, str) and len(value.value) <= LONGEST_VALUE


def is_text_sum(node: Node) -> bool:
    """Return whether a sum has a text among its terms, as it is written."""
    while isinstance(node, tree.Binary) and node.op == "+":
        if is_text_sum(node.right):
            return True
        node = node.left
    return isinstance(node, tree.Interpolation) or (
        isinstance(node, tree.Literal) and isinstance(node.value, str)
    )


def may_be_text(value: Value | None) -> bool:
    """Return whether a value is a text, or one of several by a test or a table."""
    if not isinstance(value, Choice | Lookup):
        return is_text(value)
    return any(map(is_text, islice(each_leaf(value), MOST_ALTERNATIVES)))


def is_prose(value: Value) -> bool:
    """Return whether a text is more than a value of a field can be: a sentence or a query."""
    match value:
        case Const(value=str() as text):
            return len(text) > LONGEST_VALUE or not _OPERATORS.isdisjoint(text)
        case Text(pieces=pieces):
            return any(isinstance(piece, TextSpan) and _is_sentence(piece.text.strip()) for piece in pieces)
        case _:
            return False


def is_sentence(value: Value) -> bool:
    """Return whether a value is a text of several words."""
    return isinstance(value, Const) and isinstance(value.value, str) and _is_sentence(value.value)


def _is_sentence(text: str) -> bool:
    return len(text) >= SHORTEST_SENTENCE and " " in text


def pieces_of(value: Value, node: Node, within: Node | None = None) -> tuple[Piece, ...]:
    """Return a value as pieces of a text, where it is put in at `node`, which stands `within`
    another text.
    """
    match value:
        case Text(pieces=pieces):
            return (
                pieces if within is None else tuple(put_into(pieces, Placeholder(value, node, within=within)))
            )
        case Const(value=str() as text):
            place = None if value.node is node else Placeholder(value, node, within=within)
            return value.pieces or (TextSpan(text, value.node, fills=place),)
        case Const(value=bool() | None):
            return (TextSpan(str(value.value), value.node),)
        case Const(value=int() | float()) if not value.label:
            return (TextSpan(str(value.value), value.node),)
        case _:
            return (Placeholder(value, node, within=within),)


def put_into(pieces: Iterable[Piece], *places: Placeholder) -> Iterator[Piece]:
    """Yield the pieces of a text that fills a place of another one, which may fill a place of a third: what
    is put into it has come through them.
    """
    for piece in pieces:
        hole = piece if isinstance(piece, Placeholder) else piece.fills
        way = () if hole is None else (*hole.through, *(one for one in places if one.node is not hole.node))
        if hole is None or len(way) == len(hole.through):
            yield piece
            continue
        hole = replace(hole, through=(*way[: MOST_PLACES - 1], way[-1]) if len(way) > MOST_PLACES else way)
        yield hole if isinstance(piece, Placeholder) else replace(piece, fills=hole)


def text_of_pieces(pieces: Iterable[Piece], node: Node) -> Value:
    """Return the text of these pieces: a constant where all is known."""
    row = tuple(piece for piece in pieces if isinstance(piece, Placeholder) or piece.text)
    if row and isinstance(first := row[0], Placeholder) and isinstance(first.value, TooLong):
        return replace(first.value, key=marked_name(node))
    if (
        len(row) > MOST_PIECES
        or sum(len(piece.text) for piece in row if isinstance(piece, TextSpan)) > LONGEST
    ):
        return TooLong(marked_name(node), begin=_first_pieces(row))
    if any(isinstance(piece, Placeholder) for piece in row):
        return Text(_text_key(row), node=node, pieces=row)
    return Const(known_text(row), "", node, row)


def _first_pieces(row: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Return the first pieces of a text, as many as are read of one that is too long."""
    begin: list[Piece] = []
    room = LONGEST
    for piece in row[:MOST_PIECES]:
        size = len(piece.text) if isinstance(piece, TextSpan) else 0
        begin.append(replace(piece, text=piece.text[:room]) if isinstance(piece, TextSpan) else piece)
        room -= size
        if room <= 0:
            break
    return tuple(begin)


def _text_key(pieces: tuple[Piece, ...]) -> str:
    """Return two texts that look the same and are filled at the same places are the same."""
    return "".join(
        piece.text if isinstance(piece, TextSpan) else f"{{{marked_name(piece.node)}}}" for piece in pieces
    )


def join_values(values: Iterable[tuple[Value, Node]], node: Node, within: Node | None = None) -> Value:
    """Return several values as one text, each with the place where it is written, in an f-string `within`
    that.
    """
    return text_of_pieces(
        [piece for value, place in values for piece in pieces_of(value, place, within)], node
    )


def join_items(separator: Value, items: Iterable[Value], node: Node) -> Value:
    """`separator.join(items)`."""
    pieces: list[Piece] = []
    for place, item in enumerate(items):
        pieces.extend(pieces_of(separator, node) if place else ())
        pieces.extend(pieces_of(item, place_of(item) or node))
    return text_of_pieces(pieces, node)


def place_of(value: Value) -> Node | None:
    """Return where a value is written, as far as it knows."""
    found = getattr(value, "node", None)
    return found if isinstance(found, Node) else None


def items_of(value: Value) -> tuple[Value, ...]:
    """Return the texts that `join` puts together: those written out, or one that stands for all."""
    match value:
        case Sequence(items=items):
            return items
        case Table(entries=entries):
            return tuple(key for key, _ in entries)
        case Elementwise(element=element):
            return (element,)
        case _:
            return (value,)


def cut(pieces: Iterable[Piece], start: int, end: int) -> Iterator[TextSpan]:
    """Yield what stands from one character to another of stretches that adjoin each other."""
    place = 0
    for piece in pieces:
        assert isinstance(piece, TextSpan)
        first, last = max(start - place, 0), min(end - place, len(piece.text))
        if first < last:
            yield replace(piece, text=piece.text[first:last], at=piece.at + first)
        place += len(piece.text)


def known_text(pieces: Iterable[Piece]) -> str:
    """Return what pieces say together; nothing stands for holes."""
    return "".join([piece.text for piece in pieces if isinstance(piece, TextSpan)])


def flat(value: Value, node: Node, depth: int = 6) -> Iterator[Piece]:
    """Yield all pieces of a text in order; where a test or table says which text fills a hole,
    those of each.
    """
    for piece in pieces_of(value, node):
        if isinstance(piece, TextSpan) or depth == 0:
            yield piece
            continue
        match piece.value:
            case Choice(then=then, otherwise=otherwise) if may_be_text(piece.value):
                for one in (then, otherwise):
                    yield from flat(one, piece.node, depth - 1)
            case Lookup(table=table) if may_be_text(piece.value):
                for _, one in table.entries:
                    yield from flat(one, piece.node, depth - 1)
                yield piece
            case Text() | Const():
                yield from flat(piece.value, piece.node, depth - 1)
            case _:
                yield piece


def unknown(node: Node) -> Text:
    """Return a text of which nothing is known."""
    return Text(f"{{{marked_name(node)}}}", node=node, pieces=(Placeholder(UNKNOWN, node),))
