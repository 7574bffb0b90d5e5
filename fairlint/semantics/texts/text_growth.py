"""Texts and lists of texts that grow, always or in one of two branches."""

from __future__ import annotations

from fairlint.semantics.texts.text_values import is_message, is_text, may_be_text, pieces_of, text_of_pieces
from fairlint.semantics.values.symbolic import (
    OLD,
    Choice,
    Const,
    Piece,
    Placeholder,
    Sequence,
    TextSpan,
    Value,
)
from fairlint.syntax.tree import Node


def appended_in_branch(test: Value, longer: Value, shorter: Value, site: Node) -> Value | None:
    """Return one text for two branches where one of them only adds to what there was; None for any
    other two.
    """
    if not (is_text(longer) and is_text(shorter)):
        return None
    all_pieces, before = pieces_of(longer, site), pieces_of(shorter, site)
    if len(all_pieces) <= len(before) or not _starts_with(all_pieces, before):
        return None
    rest = text_of_pieces(all_pieces[len(before) :], site)
    return text_of_pieces((*before, Placeholder(Choice(test, rest, Const(""), site), site)), site)


def growth(before: Value, value: Value, node: Node) -> Value:
    """Return a text that begins with another as what is added to it: to OLD, at `node`."""
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
    """Return whether a list is another one to which something was added."""
    if not (isinstance(value, Sequence) and isinstance(before, Sequence)):
        return False
    same = all(one is other for one, other in zip(value.items, before.items, strict=False))
    return same and len(value.items) > len(before.items)


def appended_items(test: Value, longer: Sequence, shorter: Sequence, site: Node) -> Sequence | None:
    """Return one list for two branches where one of them only adds texts to what there was."""
    count = len(shorter.items)
    if not is_longer(longer, shorter):
        return None
    added = longer.items[count:]
    if not all(may_be_text(item) or is_message(item) for item in added):
        return None
    perhaps = tuple(Choice(test, item, Const(""), site) for item in added)
    return Sequence((*shorter.items, *perhaps), longer.node, longer.name)
