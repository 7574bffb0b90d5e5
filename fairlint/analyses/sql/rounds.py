"""The rounds of a loop as one: of a query that is asked for every group, no group is known.

The evaluator follows a loop over a list that is written out entry by entry. A loop over all groups asks for
each of them, and for none above the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fairlint.semantics.texts.text_values import is_text, pieces_of, text_of_pieces
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.symbolic import UNKNOWN, Piece, Placeholder, Sequence, Table, TextSpan, Value
from fairlint.semantics.values.traversal import alike
from fairlint.support.records import Record, replace
from fairlint.syntax.tree import Name, Node, Span

NOWHERE = 2_000_000_000
"""Places of holes that stand nowhere in the source."""


class Occasion(Record, eq=False):
    """A call, an assignment or a return, with the values that it is given."""

    node: Node
    way: tuple[Node, ...]
    target: str
    function: str
    values: tuple[Value, ...]
    call: Call | None


def together(occasions: Iterable[Occasion]) -> Iterator[Occasion]:
    """Yield each occasion once: what differs between its rounds is not known.

    Texts of their own (`for query in (OLD, NEW)`) stay apart.
    """
    rounds: dict[tuple[object, ...], list[Occasion]] = {}
    for one in occasions:
        begins = [_first_literal_id(value, one.node) for value in one.values]
        rounds.setdefault((one.node.span, one.target, *map(id, one.way), None, *begins), []).append(one)
    for several in rounds.values():
        one = several[0]
        if len(several) > 1:
            columns = zip(*(each.values for each in several), strict=True)
            one = replace(one, values=tuple([common(column, one.node) for column in columns]))
        yield one


def _first_literal_id(value: Value, node: Node) -> int:
    """Return which literal a text begins in."""
    if is_text(value):
        for piece in pieces_of(value, node):
            if isinstance(piece, TextSpan) and piece.node is not None:
                return id(piece.node)
    return 0


def common(values: tuple[Value, ...], node: Node) -> Value:
    """Return what several values have in common."""
    first = values[0]
    if all(alike(one, first) for one in values):
        return first
    if all(map(is_text, values)):
        return text_of_pieces(_common_pieces([pieces_of(one, node) for one in values], node), node)
    if isinstance(first, Sequence):
        rows = [one.items for one in values if isinstance(one, Sequence)]
        if len(rows) == len(values) and {*map(len, rows)} == {len(first.items)}:
            items = tuple([common(column, node) for column in zip(*rows, strict=True)])
            return replace(first, items=items)
    if isinstance(first, Table):
        tables = [[held for _, held in one.entries] for one in values if isinstance(one, Table)]
        if len(tables) == len(values) and {*map(len, tables)} == {len(first.entries)}:
            held = [common(column, node) for column in zip(*tables, strict=True)]
            keys = [key for key, _ in first.entries]
            return replace(first, entries=tuple(zip(keys, held, strict=True)))
    return UNKNOWN


def _common_pieces(rows: list[tuple[Piece, ...]], node: Node) -> list[Piece]:
    """Return the stretches that all texts have at the same place; the rest is a hole."""
    first, shortest = rows[0], min(map(len, rows))
    if all(len(row) == len(first) for row in rows):
        columns = enumerate(zip(*rows, strict=True))
        return [
            column[0] if _are_same_pieces(column) else _hole_for_rounds(node, at) for at, column in columns
        ]
    start = end = 0
    while start < shortest and _are_same_pieces([row[start] for row in rows]):
        start += 1
    while end < shortest - start and _are_same_pieces([row[-1 - end] for row in rows]):
        end += 1
    return [*first[:start], _hole_for_rounds(node, start), *first[len(first) - end :]]


def _hole_for_rounds(node: Node, at: int) -> Placeholder:
    """Return what is another one in each round."""
    start = NOWHERE + node.span.start + at
    return Placeholder(UNKNOWN, Name(Span(start, start + 1), "_"))


def _are_same_pieces(pieces: Iterable[Piece]) -> bool:
    one, *others = pieces
    if isinstance(one, TextSpan):
        return all(isinstance(other, TextSpan) and other.text == one.text for other in others)
    return all(isinstance(other, Placeholder) and other.node is one.node for other in others)
