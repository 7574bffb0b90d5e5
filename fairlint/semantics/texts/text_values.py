"""Texts that code puts together: f-strings, `+`, `%`, `format`, `join`, templates, C's buffers.

A text is a row of pieces: stretches that are known, each with the literal it stands in, and holes with the
value that is put there. A text without holes is a constant like any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby, islice

from fairlint.semantics.values.lift import each_leaf, spread
from fairlint.semantics.values.marks import marked_name
from fairlint.semantics.values.symbolic import (
    OLD,
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
_PERCENT = (
    r"%(?:\((?P<key>\w+)\))?[-+ #0']*(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d+))?(?:hh|h|ll|l|z|j|t|L)?"
    r"(?P<kind>[a-zA-Z%])"
)
_BRACES = r"\{\{|\}\}|\{(?P<field>[^{}!:]*)(?:![rsa])?(?::[^{}]*)?\}"
_DOLLARS = r"\$\$|\$(?:(?P<bare>[A-Za-z_]\w*)|\{(?P<braced>\w+)\})"
_FIELD = r"[^.\[\]]+"


@cache
def _compile_pattern(pattern: str) -> re.Pattern[str]:
    """A pattern, compiled where it is first needed: few files format texts."""
    return re.compile(pattern)


def is_text(value: Value | None) -> bool:
    """Whether a value is a text, known or put together."""
    return isinstance(value, Text) or (isinstance(value, Const) and isinstance(value.value, str))


def is_list(value: Value) -> bool:
    """Whether a value is a list of texts, or empty."""
    return isinstance(value, Sequence) and all(map(may_be_text, value.items))


def is_message(value: Value) -> bool:
    """Whether a value is a chat message: `{"role": "user", "content": text}`."""
    while isinstance(value, Choice):
        value = value.then
    entries = value.entries if isinstance(value, Table) else ()
    return any(isinstance(key, Const) and key.value in {"role", "content"} for key, _ in entries)


def is_name(value: Value) -> bool:
    """Whether a value is a known text that may name a field."""
    return isinstance(value, Const) and isinstance(value.value, str) and len(value.value) <= LONGEST_VALUE


def is_text_sum(node: Node) -> bool:
    """Whether a sum has a text among its terms, as it is written."""
    while isinstance(node, tree.Binary) and node.op == "+":
        if is_text_sum(node.right):
            return True
        node = node.left
    return isinstance(node, tree.Interpolation) or (
        isinstance(node, tree.Literal) and isinstance(node.value, str)
    )


def may_be_text(value: Value | None) -> bool:
    """Whether a value is a text, or one of several by a test or a table."""
    if not isinstance(value, Choice | Lookup):
        return is_text(value)
    return any(map(is_text, islice(each_leaf(value), MOST_ALTERNATIVES)))


def is_prose(value: Value) -> bool:
    """Whether a text is more than a value of a field can be: a sentence or a query."""
    match value:
        case Const(value=str() as text):
            return len(text) > LONGEST_VALUE or not _OPERATORS.isdisjoint(text)
        case Text(pieces=pieces):
            return any(isinstance(piece, TextSpan) and _is_sentence(piece.text.strip()) for piece in pieces)
        case _:
            return False


def is_sentence(value: Value) -> bool:
    """Whether a value is a text of several words."""
    return isinstance(value, Const) and isinstance(value.value, str) and _is_sentence(value.value)


def _is_sentence(text: str) -> bool:
    return len(text) >= SHORTEST_SENTENCE and " " in text


def pieces_of(value: Value, node: Node, within: Node | None = None) -> tuple[Piece, ...]:
    """A value as pieces of a text, where it is put in at `node`, which stands `within` another text."""
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
    """The pieces of a text that fills a place of another one, which may fill a place of a third: what is put
    into it has come through them.
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
    """The text of these pieces: a constant where all is known."""
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
    return Const(_known_text(row), "", node, row)


def _first_pieces(row: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """The first pieces of a text, as many as are read of one that is too long."""
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
    """Two texts that look the same and are filled at the same places are the same."""
    return "".join(
        piece.text if isinstance(piece, TextSpan) else f"{{{marked_name(piece.node)}}}" for piece in pieces
    )


def join_values(values: Iterable[tuple[Value, Node]], node: Node, within: Node | None = None) -> Value:
    """Several values as one text, each with the place where it is written, in an f-string `within` that."""
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
        case Elementwise(element=element):
            return (element,)
        case _:
            return (value,)


# ---------------------------------------------------------------------------------------- other forms

SAME_LENGTH: Mapping[str, Callable[[str], str]] = {
    "lower": str.lower, "upper": str.upper, "casefold": str.casefold, "swapcase": str.swapcase,
    "title": str.title, "capitalize": str.capitalize,
}  # fmt: skip
"""What gives a text of as many characters, by the name of the method."""
ENDS: Mapping[str, tuple[bool, bool]] = {
    "strip": (True, True), "lstrip": (True, False), "rstrip": (False, True),
}  # fmt: skip
"""What takes something off the beginning or the end of a text."""


def changed_each(value: Value, change: Callable[[Value], Value]) -> Value | None:
    """`change` of a text, or of each text that a value may be; None where it can be none."""
    if not may_be_text(value):
        return None
    return spread(value, lambda one: change(one) if is_text(one) else one)


def in_other_form(value: Value, name: str, around: str | None = None) -> Value:
    """A text in lower case, without the blanks around it (or the characters `around`), and so on."""
    node = place_of(value)
    if node is None:
        assert isinstance(value, Const)
        return replace(value, value=_other_form(str(value.value), name, around))
    pieces = pieces_of(value, node)
    if name in ENDS:
        found = text_of_pieces(_strip_pieces(pieces, ENDS[name], around), node)
    else:
        whole = _known_text(pieces)
        other = SAME_LENGTH[name](whole)
        if len(other) != len(whole):  # a German sharp s has no capital
            return Const(other, value.label, node) if isinstance(value, Const) else value
        found = text_of_pieces(_replace_words(pieces, other), node)
    label = value.label if isinstance(value, Const) else ""
    return replace(found, label=label) if isinstance(found, Const) and label else found


def _other_form(text: str, name: str, around: str | None) -> str:
    if name in SAME_LENGTH:
        return SAME_LENGTH[name](text)
    left, right = ENDS[name]
    text = text.lstrip(around) if left else text
    return text.rstrip(around) if right else text


def _replace_words(pieces: Iterable[Piece], text: str) -> Iterator[Piece]:
    """The pieces with other words of the same length in the known stretches."""
    at = 0
    for piece in pieces:
        if isinstance(piece, TextSpan):
            yield replace(piece, text=text[at : at + len(piece.text)])
            at += len(piece.text)
        else:
            yield piece


def _strip_pieces(pieces: Iterable[Piece], ends: tuple[bool, bool], around: str | None) -> list[Piece]:
    row = list(pieces)
    left, right = ends
    while left and row and isinstance(first := row[0], TextSpan):
        rest = first.text.lstrip(around)
        row[0] = replace(first, text=rest, at=first.at + len(first.text) - len(rest))
        if rest:
            break
        del row[0]
    while right and row and isinstance(last := row[-1], TextSpan):
        rest = last.text.rstrip(around)
        row[-1] = replace(last, text=rest)
        if rest:
            break
        del row[-1]
    return row


def quote_text(value: Value, mark: str, node: Node) -> Value:
    """A text between two marks, as `repr` gives it."""
    return text_of_pieces((TextSpan(mark), *pieces_of(value, node), TextSpan(mark)), node)


def with_other_words(value: Value, old: str, new: tuple[Piece, ...], node: Node) -> Value:
    """`value.replace(old, new)`, where `old` may be the place of a template: `<gender>`."""
    name = old.strip("{}<>[]()$%_# ")
    pieces = name_pieces(new, name) if name != old and name.isidentifier() else new
    return substitute_matches(value, re.compile(re.escape(old)), lambda _: pieces, node) if old else value


# ---------------------------------------------------------------------------------------- filling places

Fill = Callable[[re.Match[str]], tuple[Piece, ...] | None]


def substitute_matches(value: Value, pattern: re.Pattern[str], fill: Fill, node: Node) -> Value:
    """A text with every match of `pattern` between its holes replaced; where `fill` gives None, it stays."""
    return text_of_pieces(replace_matches(pieces_of(value, node), pattern, fill), node)


def replace_matches(pieces: Iterable[Piece], pattern: re.Pattern[str], fill: Fill) -> list[Piece]:
    """As `substituted`, of pieces."""
    found: list[Piece] = []
    for is_known, run in groupby(pieces, key=lambda piece: isinstance(piece, TextSpan)):
        row = tuple(run)
        if not is_known:
            found.extend(row)
            continue
        at, text = 0, _known_text(row)
        for match in pattern.finditer(text):
            if (filled := fill(match)) is not None:
                written = next((piece.node for piece in cut(row, match.start(), match.end())), None)
                found.extend(cut(row, at, match.start()))
                found.extend(_in_place(piece, written) for piece in filled)
                at = match.end()
        found.extend(cut(row, at, len(text)) if at else row)
    return found


def cut(pieces: Iterable[Piece], start: int, end: int) -> Iterator[TextSpan]:
    """What stands from one character to another of stretches that adjoin each other."""
    place = 0
    for piece in pieces:
        assert isinstance(piece, TextSpan)
        first, last = max(start - place, 0), min(end - place, len(piece.text))
        if first < last:
            yield replace(piece, text=piece.text[first:last], at=piece.at + first)
        place += len(piece.text)


def _known_text(pieces: Iterable[Piece]) -> str:
    return "".join([piece.text for piece in pieces if isinstance(piece, TextSpan)])


def _in_place(piece: Piece, written: Node | None) -> Piece:
    """A piece that fills a place with a name, with the literal in which the place is written."""
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
    """Whether a text has places for the values that follow it, as in `log("%s is %d", name, age)`."""
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
    """What fills a place of that name, which is one hole where only one thing is put there."""
    match pieces:
        case (Placeholder() as only,):
            return (replace(only, name=name),)
        case (TextSpan(fills=Placeholder() as filled) as only,):
            return (replace(only, fills=replace(filled, name=name)),)
        case _:
            return pieces


# ------------------------------------------------------------------------------------------------ branches


def appended_in_branch(test: Value, longer: Value, shorter: Value, site: Node) -> Value | None:
    """One text for two branches where one of them only adds to what there was; None for any other two."""
    if not (is_text(longer) and is_text(shorter)):
        return None
    all_pieces, before = pieces_of(longer, site), pieces_of(shorter, site)
    if len(all_pieces) <= len(before) or not _starts_with(all_pieces, before):
        return None
    rest = text_of_pieces(all_pieces[len(before) :], site)
    return text_of_pieces((*before, Placeholder(Choice(test, rest, Const(""), site), site)), site)


def growth(before: Value, value: Value, node: Node) -> Value:
    """A text that begins with another as what is added to it: to OLD, at `node`."""
    start, whole = pieces_of(before, node), pieces_of(value, node)
    if not (is_text(value) and _starts_with(whole, start)):
        return value
    return text_of_pieces((Placeholder(OLD, node), *whole[len(start) :]), node)


def _starts_with(pieces: tuple[Piece, ...], start: tuple[Piece, ...]) -> bool:
    return all(one is other or _is_same_piece(one, other) for one, other in zip(pieces, start, strict=False))


def _is_same_piece(one: Piece, other: Piece) -> bool:
    """Stretches of one literal are made anew each time its value is read, as the hole of a value is."""
    match one, other:
        case TextSpan(), TextSpan():
            same = one.node is other.node and one.node is not None
            return same and (one.text, one.at) == (other.text, other.at)
        case Placeholder(), Placeholder():
            return one.value is other.value and one.node is other.node
        case _:
            return False


def is_longer(value: Value, before: Value) -> bool:
    """Whether a list is another one to which something was added."""
    if not (isinstance(value, Sequence) and isinstance(before, Sequence)):
        return False
    same = all(one is other for one, other in zip(value.items, before.items, strict=False))
    return same and len(value.items) > len(before.items)


def appended_items(test: Value, longer: Sequence, shorter: Sequence, site: Node) -> Sequence | None:
    """One list for two branches where one of them only adds texts to what there was."""
    count = len(shorter.items)
    if not is_longer(longer, shorter):
        return None
    added = longer.items[count:]
    if not all(may_be_text(item) or is_message(item) for item in added):
        return None
    perhaps = tuple(Choice(test, item, Const(""), site) for item in added)
    return Sequence((*shorter.items, *perhaps), longer.node, longer.name)


# ------------------------------------------------------------------------------------------------ reading


def flat(value: Value, node: Node, depth: int = 6) -> Iterator[Piece]:
    """All pieces of a text in order; where a test or table says which text fills a hole, those of each."""
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
    """A text of which nothing is known."""
    return Text(f"{{{marked_name(node)}}}", node=node, pieces=(Placeholder(UNKNOWN, node),))
