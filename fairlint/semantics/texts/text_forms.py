"""Texts in another form: in other letters, without what stands around them, with other words, in quotes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from fairlint.semantics.texts.text_filling import name_pieces, substitute_matches
from fairlint.semantics.texts.text_values import (
    is_text,
    known_text,
    may_be_text,
    pieces_of,
    place_of,
    text_of_pieces,
)
from fairlint.semantics.values.lift import spread
from fairlint.semantics.values.symbolic import Const, Piece, TextSpan, Value
from fairlint.support.records import replace
from fairlint.syntax.text_methods import ENDS, SAME_LENGTH, change_form
from fairlint.syntax.tree import Node


def changed_each(value: Value, change: Callable[[Value], Value]) -> Value | None:
    """`change` of a text, or of each text that a value may be; None where it can be none."""
    if not may_be_text(value):
        return None
    return spread(value, lambda one: change(one) if is_text(one) else one)


def in_other_form(value: Value, name: str, around: str | None = None) -> Value:
    """Return a text in lower case, without the blanks around it (or the characters `around`), and so on."""
    node = place_of(value)
    if node is None:
        assert isinstance(value, Const)
        return replace(value, value=change_form(str(value.value), name, around))
    pieces = pieces_of(value, node)
    if name in ENDS:
        found = text_of_pieces(_strip_pieces(pieces, ENDS[name], around), node)
    else:
        whole = known_text(pieces)
        other = SAME_LENGTH[name](whole)
        if len(other) != len(whole):  # a German sharp s has no capital
            return Const(other, value.label, node) if isinstance(value, Const) else value
        found = text_of_pieces(_replace_words(pieces, other), node)
    label = value.label if isinstance(value, Const) else ""
    return replace(found, label=label) if isinstance(found, Const) and label else found


def _replace_words(pieces: Iterable[Piece], text: str) -> Iterator[Piece]:
    """Yield the pieces with other words of the same length in the known stretches."""
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
    """Return a text between two marks, as `repr` gives it."""
    return text_of_pieces((TextSpan(mark), *pieces_of(value, node), TextSpan(mark)), node)


def with_other_words(value: Value, old: str, new: tuple[Piece, ...], node: Node) -> Value:
    """`value.replace(old, new)`, where `old` may be the place of a template: `<gender>`."""
    name = old.strip("{}<>[]()$%_# ")
    pieces = name_pieces(new, name) if name != old and name.isidentifier() else new
    return substitute_matches(value, re.compile(re.escape(old)), lambda _: pieces, node) if old else value
