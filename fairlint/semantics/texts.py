"""Texts that code puts together: f-strings, `+`, `%`, `format`, `join`, templates, C's buffers.

A text is a row of pieces: stretches that are known, each with the literal it stands in, and holes with the
value that is put there. A text without holes is a constant like any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from fairlint.semantics.values import (
    UNKNOWN,
    Choice,
    Const,
    Each,
    Hole,
    Lookup,
    Opaque,
    Piece,
    Sequence,
    Stretch,
    Table,
    Text,
    Value,
)
from fairlint.syntax.tree import Node

LONGEST = 100_000
"""Characters of a text that is put together; what is longer is not known."""
MOST_PIECES = 2_000

_PERCENT = (
    r"%(?:\((?P<key>\w+)\))?[-+ #0']*(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d+))?(?:hh|h|ll|l|z|j|t|L)?"
    r"(?P<kind>[a-zA-Z%])"
)
_BRACES = r"\{\{|\}\}|\{(?P<field>[^{}!:]*)(?:![rsa])?(?::[^{}]*)?\}"
_DOLLARS = r"\$\$|\$(?:(?P<bare>[A-Za-z_]\w*)|\{(?P<braced>\w+)\})"
_FIELD = r"[^.\[\]]+"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern, compiled where it is first needed: few files format texts."""
    return re.compile(pattern)


def is_text(value: Value | None) -> bool:
    """Whether a value is a text, known or put together."""
    return isinstance(value, Text) or (isinstance(value, Const) and isinstance(value.value, str))


def may_be_text(value: Value | None) -> bool:
    """Whether a value is a text, or one of several by a test or a table."""
    match value:
        case Choice(then=then, otherwise=otherwise):
            return is_text(then) or is_text(otherwise)
        case Lookup(table=table):
            return any(is_text(held) for _, held in table.entries)
        case _:
            return is_text(value)


def pieces_of(value: Value, node: Node) -> tuple[Piece, ...]:
    """A value as pieces of a text, where it is put in at `node`."""
    match value:
        case Text(pieces=pieces):
            return pieces
        case Const(value=str() as text):
            return value.pieces or (Stretch(text, value.node),)
        case Const(value=bool() | None):
            return (Stretch(str(value.value), value.node),)
        case Const(value=int() | float()) if not value.label:
            return (Stretch(str(value.value), value.node),)
        case _:
            return (Hole(value, node),)


def made(pieces: Iterable[Piece], node: Node) -> Value:
    """The text of these pieces: a constant where all is known."""
    row = tuple(piece for piece in pieces if isinstance(piece, Hole) or piece.text)
    if (
        len(row) > MOST_PIECES
        or sum(len(piece.text) for piece in row if isinstance(piece, Stretch)) > LONGEST
    ):
        return Opaque(f"text@{node.span.start}")
    if any(isinstance(piece, Hole) for piece in row):
        return Text(_key(row), node=node, pieces=row)
    return Const("".join(piece.text for piece in row if isinstance(piece, Stretch)), "", node, row)


def _key(pieces: tuple[Piece, ...]) -> str:
    """Two texts that look the same and are filled at the same places are the same."""
    return "".join(
        piece.text if isinstance(piece, Stretch) else f"{{@{piece.node.span.start}}}" for piece in pieces
    )


def joined(values: Iterable[tuple[Value, Node]], node: Node) -> Value:
    """Several values as one text, each with the place where it is written."""
    return made([piece for value, place in values for piece in pieces_of(value, place)], node)


def separated(separator: Value, items: Iterable[Value], node: Node) -> Value:
    """`separator.join(items)`."""
    pieces: list[Piece] = []
    for place, item in enumerate(items):
        pieces.extend(pieces_of(separator, node) if place else ())
        pieces.extend(pieces_of(item, place_of(item) or node))
    return made(pieces, node)


def place_of(value: Value) -> Node | None:
    """Where a value is written, as far as it knows."""
    found = getattr(value, "node", None)
    return found if isinstance(found, Node) else None


def items_of(value: Value) -> tuple[Value, ...]:
    """The texts that `join` puts together: those written out, or one that stands for all."""
    match value:
        case Sequence(items=items):
            return items
        case Table(entries=entries):
            return tuple(key for key, _ in entries)
        case Each(element=element):
            return (element,)
        case _:
            return (value,)


# ---------------------------------------------------------------------------------------- filling places

Fill = Callable[[re.Match[str]], tuple[Piece, ...] | None]


def substituted(value: Value, pattern: re.Pattern[str], fill: Fill, node: Node) -> Value:
    """A text with every match of `pattern` in its stretches replaced; where `fill` gives None, it stays."""
    pieces: list[Piece] = []
    for piece in pieces_of(value, node):
        if isinstance(piece, Hole):
            pieces.append(piece)
            continue
        at = 0
        for match in pattern.finditer(piece.text):
            filled = fill(match)
            if filled is None:
                continue
            pieces.append(Stretch(piece.text[at : match.start()], piece.node, piece.at + at))
            pieces.extend(filled)
            at = match.end()
        pieces.append(Stretch(piece.text[at:], piece.node, piece.at + at))
    return made(pieces, node)


def printed(form: Value, given: Iterable[tuple[Value, Node]], node: Node) -> Value:
    """`form % (a, b)` and `sprintf(form, a, b)`."""
    places = iter(given)

    def fill(match: re.Match[str]) -> tuple[Piece, ...] | None:
        if match["kind"] == "%":
            return (Stretch("%"),)
        if match["key"]:
            return None
        for star in (match["width"], match["precision"]):
            if star == "*":
                next(places, None)
        found = next(places, None)
        return None if found is None else pieces_of(*found)

    return substituted(form, _compiled(_PERCENT), fill, node)


def printed_by_name(form: Value, given: Mapping[str, tuple[Value, Node]], node: Node) -> Value:
    """`form % {"name": value}`."""

    def fill(match: re.Match[str]) -> tuple[Piece, ...] | None:
        if match["kind"] == "%":
            return (Stretch("%"),)
        return _named(match["key"], given)

    return substituted(form, _compiled(_PERCENT), fill, node)


def formatted(
    form: Value, given: tuple[tuple[Value, Node], ...], named: Mapping[str, tuple[Value, Node]], node: Node
) -> Value:
    """`form.format(a, b, name=c)`. A place whose value is not given keeps its braces."""
    count = iter(range(len(given)))

    def fill(match: re.Match[str]) -> tuple[Piece, ...] | None:
        field = match["field"]
        if field is None:
            return (Stretch(match[0][0]),)
        if not field:
            place = next(count, None)
            return None if place is None else pieces_of(*given[place])
        head = _compiled(_FIELD).match(field)
        if head is None:
            return None
        if head[0].isdigit():
            return pieces_of(*given[int(head[0])]) if int(head[0]) < len(given) else None
        return _named(head[0], named, whole=head[0] == field, place=field)

    return substituted(form, _compiled(_BRACES), fill, node)


def filled(form: Value, named: Mapping[str, tuple[Value, Node]], node: Node) -> Value:
    """`Template(form).substitute(name=value)`: places are `$name` and `${name}`."""

    def fill(match: re.Match[str]) -> tuple[Piece, ...] | None:
        name = match["bare"] or match["braced"]
        return (Stretch("$"),) if name is None else _named(name, named)

    return substituted(form, _compiled(_DOLLARS), fill, node)


def _named(
    name: str | None, given: Mapping[str, tuple[Value, Node]], *, whole: bool = True, place: str = ""
) -> tuple[Piece, ...] | None:
    found = given.get(name or "")
    if found is None:
        return None
    if not whole:  # `{applicant.gender}`: a part of what is given
        return (Hole(found[0], found[1], place),)
    return tuple(
        Hole(piece.value, piece.node, name or "") if isinstance(piece, Hole) and not piece.name else piece
        for piece in pieces_of(*found)
    )


# ------------------------------------------------------------------------------------------------ branches


def appended_in_branch(test: Value, longer: Value, shorter: Value, site: Node) -> Value | None:
    """One text for two branches where one of them only adds to what there was; None for any other two."""
    if not (is_text(longer) and is_text(shorter)):
        return None
    all_pieces, before = pieces_of(longer, site), pieces_of(shorter, site)
    if len(all_pieces) <= len(before) or not _starts_with(all_pieces, before):
        return None
    rest = made(all_pieces[len(before) :], site)
    return made((*before, Hole(Choice(test, rest, Const(""), site), site)), site)


def _starts_with(pieces: tuple[Piece, ...], start: tuple[Piece, ...]) -> bool:
    return all(one is other or _alike(one, other) for one, other in zip(pieces, start, strict=False))


def _alike(one: Piece, other: Piece) -> bool:
    """Stretches of one literal are made anew each time its value is read."""
    return (
        isinstance(one, Stretch)
        and isinstance(other, Stretch)
        and one.node is other.node
        and one.node is not None
        and (one.text, one.at) == (other.text, other.at)
    )


def appended_items(test: Value, longer: Sequence, shorter: Sequence, site: Node) -> Sequence | None:
    """One list for two branches where one of them only adds texts to what there was."""
    count = len(shorter.items)
    if len(longer.items) <= count or any(
        one is not other for one, other in zip(longer.items, shorter.items, strict=False)
    ):
        return None
    added = longer.items[count:]
    if not all(may_be_text(item) for item in added):
        return None
    perhaps = tuple(Choice(test, item, Const(""), site) for item in added)
    return Sequence((*shorter.items, *perhaps), longer.node, longer.name)


# ------------------------------------------------------------------------------------------------ reading


def flat(value: Value, node: Node, depth: int = 6) -> Iterator[Piece]:
    """All pieces of a text in order; where a test or table says which text fills a hole, those of each."""
    for piece in pieces_of(value, node):
        if isinstance(piece, Stretch) or depth == 0:
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
    """A text of which nothing is known."""
    return Text(f"{{@{node.span.start}}}", node=node, pieces=(Hole(UNKNOWN, node),))
