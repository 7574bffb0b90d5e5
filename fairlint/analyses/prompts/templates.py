"""Templates: texts with places that have a name and are filled later (`{gender}`, `{{ x }}`, `<age>`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from fairlint.semantics.values.symbolic import UNKNOWN, Piece, Placeholder, TextSpan, Value
from fairlint.support.records import Record, replace
from fairlint.syntax.tree import Node

MARK = "□"
"""Stands for a hole in running text."""
_REMEMBERED = 200

_PLACE = (
    r"\{\{[-~]?\s*(?P<jinja>[A-Za-z_][\w.\[\]'\"]*)\s*(?:\|[^{}]*)?[-~]?\}\}"
    r"|\{(?P<brace>[A-Za-z_]\w*(?:\.\w+|\[['\"]?\w+['\"]?\])*)(?:![rsa])?(?::[^{}]*)?\}"
    r"|\$\{?(?P<dollar>[A-Za-z_]\w*)\}?"
    r"|%\((?P<percent>\w+)\)[sdifgr]"
    r"|<<?(?P<angle>[A-Za-z_]\w*)>>?"
    r"|\[(?P<square>[A-Z][A-Z_]+)\]"
)
"""A place that is filled later, in any of the ways in which templates are written."""
_SIGNS = frozenset("{$%<[")
"""One of them begins a place."""


@cache
def compile_pattern(expression: str) -> re.Pattern[str]:
    """Return an expression, compiled where it is first needed: few files have such texts."""
    return re.compile(expression)


def open_placeholders(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Return the same text, with a hole for every place that still has a name only."""
    found: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, Placeholder) or piece.node is None or _SIGNS.isdisjoint(piece.text):
            found.append(piece)
            continue
        at = 0
        for match in compile_pattern(_PLACE).finditer(piece.text):
            name = match[match.lastgroup or 0]
            found.append(TextSpan(piece.text[at : match.start()], piece.node, piece.at + at, piece.fills))
            found.append(Placeholder(UNKNOWN, piece.node, name, piece.node))
            at = match.end()
        found.append(TextSpan(piece.text[at:], piece.node, piece.at + at, piece.fills) if at else piece)
    return tuple(found)


class Hole(Record):
    """A hole, with the words right before and after it."""

    placeholder: Placeholder
    before: str
    behind: str


def holes(pieces: tuple[Piece, ...]) -> Iterator[Hole]:
    """Yield each hole with the words right before and after it; also the places that known words fill."""
    before = ""
    for at, piece in enumerate(pieces):
        if isinstance(piece, Placeholder) or piece.fills is not None:
            hole = piece if isinstance(piece, Placeholder) else piece.fills
            assert hole is not None
            yield Hole(hole, before, running_text(pieces[at + 1 : at + 2]))
        before = (before + (MARK if isinstance(piece, Placeholder) else piece.text))[-_REMEMBERED:]


def running_text(pieces: Iterable[Piece]) -> str:
    """Return the words of a text, with a mark for each hole."""
    return "".join(piece.text if isinstance(piece, TextSpan) else MARK for piece in pieces)


def fill_placeholders(pieces: Iterable[Piece], given: Mapping[str, tuple[Value, Node]]) -> Iterator[Piece]:
    """Yield a text with the values that its places are given by name."""
    for piece in pieces:
        name = (
            re.split(r"[.\[]", piece.name)[0]
            if isinstance(piece, Placeholder) and piece.value is UNKNOWN
            else ""
        )
        if isinstance(piece, Placeholder) and name in given:
            value, node = given[name]
            yield replace(piece, value=value, node=node)
        else:
            yield piece
