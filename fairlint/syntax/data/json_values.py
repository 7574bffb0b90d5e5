"""JSON as nodes."""

from __future__ import annotations

import re

from fairlint.support.documents import read_json
from fairlint.syntax.data.places import DEEPEST, MOST_VALUES, TOO_DEEP, TOO_MANY, Places, table
from fairlint.syntax.tree import Collection, Item, Literal, Name, Node

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[^\s\[\]{},:"]++|[\[\]{}]', re.DOTALL)
"""A text, a number or word, or what opens or closes a list or a table."""
_UNKNOWN = frozenset({"NaN", "Infinity", "-Infinity"})


class _Open:
    """A list or a table that is being read."""

    def __init__(self, start: int, mark: str) -> None:
        self.start = start
        self.is_table = mark == "{"
        self.items: list[Item] = []
        self.key: Literal | None = None

    def add(self, node: Node) -> None:
        if not self.is_table:
            self.items.append(Item(node.span, None, node))
        elif self.key is None:
            assert isinstance(node, Literal)
            self.key = node
        else:
            self.items.append(Item(node.span, self.key, node))
            self.key = None


def nodes_of(text: str, places: Places) -> Node:
    """Return what a JSON document says; a ValueError says why it is not read."""
    read_json(text, deepest=DEEPEST)
    tokens = list(_TOKEN.finditer(text))
    if len(tokens) > MOST_VALUES * 2:
        raise ValueError(TOO_MANY)
    outer: list[_Open] = []
    node: Node | None = None
    values = 0
    for token in tokens:
        mark, start, end = token[0], token.start(), token.end()
        if mark in "[{":
            outer.append(_Open(start, mark))
            if len(outer) > DEEPEST:
                raise ValueError(TOO_DEEP)
            continue
        if mark in "]}":
            closed = outer.pop()
            span = places.span(closed.start, end)
            items = tuple(closed.items)
            node = table(items, span) if closed.is_table else Collection(span, "list", items)
        elif mark in _UNKNOWN:
            node = Name(places.span(start, end), mark)
        else:
            node = Literal(places.span(start, end), read_json(mark))
        values += 1
        if values > MOST_VALUES:
            raise ValueError(TOO_MANY)
        if outer:
            outer[-1].add(node)
    assert node is not None
    return node
