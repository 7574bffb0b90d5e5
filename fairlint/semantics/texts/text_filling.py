"""Filling in texts: what takes the places of `%s`, `{name}` and `$name`, and of other matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import groupby

from fairlint.semantics.texts.text_values import cut, known_text, pieces_of, put_into, text_of_pieces
from fairlint.semantics.values.symbolic import Const, Piece, Placeholder, Text, TextSpan, Value
from fairlint.support.records import replace
from fairlint.syntax.tree import Node

_PERCENT = (
    r"%(?:\((?P<key>\w+)\))?[-+ #0']*(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d+))?(?:hh|h|ll|l|z|j|t|L)?"
    r"(?P<kind>[a-zA-Z%])"
)
_BRACES = r"\{\{|\}\}|\{(?P<field>[^{}!:]*)(?:![rsa])?(?::[^{}]*)?\}"
_DOLLARS = r"\$\$|\$(?:(?P<bare>[A-Za-z_]\w*)|\{(?P<braced>\w+)\})"
_FIELD = r"[^.\[\]]+"


@cache
def _compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return a pattern, compiled where it is first needed: few files format texts."""
    return re.compile(pattern)


Fill = Callable[[re.Match[str]], tuple[Piece, ...] | None]


def substitute_matches(value: Value, pattern: re.Pattern[str], fill: Fill, node: Node) -> Value:
    """Return a text with every match of `pattern` between its holes replaced; where `fill` gives None, it
    stays.
    """
    return text_of_pieces(replace_matches(pieces_of(value, node), pattern, fill), node)


def replace_matches(pieces: Iterable[Piece], pattern: re.Pattern[str], fill: Fill) -> list[Piece]:
    """As `substituted`, of pieces."""
    found: list[Piece] = []
    for is_known, run in groupby(pieces, key=lambda piece: isinstance(piece, TextSpan)):
        row = tuple(run)
        if not is_known:
            found.extend(row)
            continue
        at, text = 0, known_text(row)
        for match in pattern.finditer(text):
            if (filled := fill(match)) is not None:
                written = next((piece.node for piece in cut(row, match.start(), match.end())), None)
                found.extend(cut(row, at, match.start()))
                found.extend(_in_place(piece, written) for piece in filled)
                at = match.end()
        found.extend(cut(row, at, len(text)) if at else row)
    return found


def _in_place(piece: Piece, written: Node | None) -> Piece:
    """Return a piece that fills a place with a name, with the literal in which the place is written."""
    if isinstance(piece, Placeholder):
        return _written_at(piece, written)
    return piece if piece.fills is None else replace(piece, fills=_written_at(piece.fills, written))


def _written_at(hole: Placeholder, written: Node | None) -> Placeholder:
    if hole.through:
        *inner, last = hole.through
        return replace(hole, through=(*inner, _written_at(last, written)))
    return replace(hole, within=written) if hole.name and hole.within is None else hole


def percent_format(form: Value, given: Iterable[tuple[Value, Node]], node: Node) -> Value:
    """`form % (a, b)` and `sprintf(form, a, b)`."""
    places = iter(given)

    def fill(match: re.Match[str]) -> tuple[Piece, ...] | None:
        if match["kind"] == "%":
            return (TextSpan("%"),)
        if match["key"]:
            return None
        for star in (match["width"], match["precision"]):
            if star == "*":
                next(places, None)
        found = next(places, None)
        if found is None:
            return None
        pieces = pieces_of(*found)
        return (TextSpan("'"), *pieces, TextSpan("'")) if match["kind"] == "Q" else pieces  # SQLite's

    return substitute_matches(form, _compile_pattern(_PERCENT), fill, node)


def converts(form: Value) -> bool:
    """Return whether a text has places for the values that follow it, as in `log("%s is %d", name, age)`."""
    match form:
        case Const(value=str() as text):
            written = [text]
        case Text(pieces=pieces):
            written = [piece.text for piece in pieces if isinstance(piece, TextSpan)]
        case _:
            return False
    return any(
        found["kind"] != "%" and not found["key"] and " " not in found[0]
        for text in written
        if "%" in text
        for found in _compile_pattern(_PERCENT).finditer(text)
    )


def printed_by_name(form: Value, given: Mapping[str, tuple[Value, Node]], node: Node) -> Value:
    """`form % {"name": value}`."""

    def fill(match: re.Match[str]) -> tuple[Piece, ...] | None:
        if match["kind"] == "%":
            return (TextSpan("%"),)
        return _pieces_by_name(match["key"], given)

    return substitute_matches(form, _compile_pattern(_PERCENT), fill, node)


def brace_format(
    form: Value, given: tuple[tuple[Value, Node], ...], named: Mapping[str, tuple[Value, Node]], node: Node
) -> Value:
    """`form.format(a, b, name=c)`. A place whose value is not given keeps its braces."""
    count = iter(range(len(given)))

    def fill(match: re.Match[str]) -> tuple[Piece, ...] | None:
        field = match["field"]
        if field is None:
            return (TextSpan(match[0][0]),)
        if not field:
            place = next(count, None)
            return None if place is None else pieces_of(*given[place])
        head = _compile_pattern(_FIELD).match(field)
        if head is None:
            return None
        if head[0].isdigit():
            return pieces_of(*given[int(head[0])]) if int(head[0]) < len(given) else None
        return _pieces_by_name(head[0], named, whole=head[0] == field, place=field)

    return substitute_matches(form, _compile_pattern(_BRACES), fill, node)


def fill_template(form: Value, named: Mapping[str, tuple[Value, Node]], node: Node) -> Value:
    """`Template(form).substitute(name=value)`: places are `$name` and `${name}`."""

    def fill(match: re.Match[str]) -> tuple[Piece, ...] | None:
        name = match["bare"] or match["braced"]
        return (TextSpan("$"),) if name is None else _pieces_by_name(name, named)

    return substitute_matches(form, _compile_pattern(_DOLLARS), fill, node)


def _pieces_by_name(
    name: str | None, given: Mapping[str, tuple[Value, Node]], *, whole: bool = True, place: str = ""
) -> tuple[Piece, ...] | None:
    found = given.get(name or "")
    if found is None:
        return None
    if not whole:  # `{applicant.gender}`: a part of what is given
        return (Placeholder(found[0], found[1], place),)
    pieces = pieces_of(*found)
    if len(pieces) > 1:
        return tuple(put_into(pieces, Placeholder(*found, name or "")))
    return name_pieces(pieces, name or "")


def name_pieces(pieces: tuple[Piece, ...], name: str) -> tuple[Piece, ...]:
    """Return what fills a place of that name, which is one hole where only one thing is put there."""
    match pieces:
        case (Placeholder() as only,):
            return (replace(only, name=name),)
        case (TextSpan(fills=Placeholder() as filled) as only,):
            return (replace(only, fills=replace(filled, name=name)),)
        case _:
            return pieces
