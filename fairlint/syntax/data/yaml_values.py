"""YAML as nodes, as PyYAML's `safe_load` reads it: what that refuses is refused, and only values are made.

The reader is asked for its events, which come one by one however deep a document is; what an alias repeats is
the same node again, and counts as often as it is repeated.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fairlint.syntax.data.places import DEEPEST, MOST_VALUES, TOO_DEEP, TOO_MANY, Places, table
from fairlint.syntax.tree import Collection, Item, Literal, Name, Node

_MERGE = "tag:yaml.org,2002:merge"
_KINDS = {"tag:yaml.org,2002:map", "tag:yaml.org,2002:seq", "!", None}


class _Open:
    """A list or a table that is being read."""

    def __init__(self, event: Any, *, is_table: bool) -> None:
        self.anchor: str | None = event.anchor
        self.start: int = event.start_mark.index
        self.is_table = is_table
        self.items: list[Item] = []
        self.merged: list[Item] = []
        self.key: Node | None = None
        self.size = 1


def nodes_of(text: str, places: Places) -> Node:
    """Return what a YAML document says; a ValueError says why it is not read."""
    import yaml  # noqa: PLC0415 (few files of data are YAML)

    try:
        return _Reader(places, yaml).read(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f" (line {mark.line + 1})"
        problem = " ".join(str(getattr(error, "problem", None) or "cannot be read").split())
        raise ValueError(f"is not valid YAML: {problem}{line}") from None


class _Reader:
    def __init__(self, places: Places, yaml: Any) -> None:
        self._places = places
        self._yaml = yaml
        self._values = yaml.SafeLoader("")
        """What knows the types of values; it reads nothing."""
        self._anchors: dict[str, tuple[Node, int]] = {}
        self._outer: list[_Open] = []
        self._root: Node | None = None
        self._size = 0

    def read(self, text: str) -> Node:
        """Return the only document of a text; nothing at all is None."""
        yaml = self._yaml
        documents = 0
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            match event:
                case yaml.DocumentStartEvent():
                    documents += 1
                    if documents > 1:
                        raise ValueError("holds several YAML documents")
                case yaml.AliasEvent():
                    self._repeat_anchor(event)
                case yaml.ScalarEvent():
                    self._read_scalar(event)
                case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                    self._begin_collection(event, is_table=isinstance(event, yaml.MappingStartEvent))
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    self._end_collection(event)
        return Literal(self._places.span(0, 0), None) if self._root is None else self._root

    def _repeat_anchor(self, event: Any) -> None:
        if event.anchor not in self._anchors:
            raise ValueError(f"the alias *{event.anchor} stands for nothing that is read before it")
        self._add_node(*self._anchors[event.anchor])

    def _begin_collection(self, event: Any, *, is_table: bool) -> None:
        if event.tag not in _KINDS:
            raise ValueError(f"has a type of its own ({event.tag})")
        self._anchors.pop(event.anchor, None)  # in itself it stands for nothing yet
        self._outer.append(_Open(event, is_table=is_table))
        if len(self._outer) > DEEPEST:
            raise ValueError(TOO_DEEP)

    def _end_collection(self, event: Any) -> None:
        closed = self._outer.pop()
        span = self._places.span(closed.start, event.end_mark.index)
        if closed.is_table:
            node = table((*closed.merged, *closed.items), span)
        else:
            node = Collection(span, "list", tuple(closed.items))
        self._keep(closed.anchor, node, closed.size)

    def _read_scalar(self, event: Any) -> None:
        yaml, span = self._yaml, self._places.span(event.start_mark.index, event.end_mark.index)
        tag = event.tag
        if tag is None or tag == "!":
            tag = self._values.resolve(yaml.ScalarNode, event.value, event.implicit)
        if tag == _MERGE and self._outer and self._outer[-1].is_table and self._outer[-1].key is None:
            self._keep(event.anchor, Name(span, _MERGE), 1)
            return
        make = self._values.yaml_constructors.get(tag)
        if make is None:
            raise ValueError(f"has a type of its own ({tag})")
        value = make(self._values, yaml.ScalarNode(tag, event.value, event.start_mark))
        is_plain = value is None or isinstance(value, str | int | float | bool)
        self._keep(event.anchor, Literal(span, value) if is_plain else Name(span, event.value), 1)

    def _keep(self, anchor: str | None, node: Node, size: int) -> None:
        if anchor is not None:
            self._anchors[anchor] = node, size
        self._add_node(node, size)

    def _add_node(self, node: Node, size: int) -> None:
        if size > MOST_VALUES:
            raise ValueError(TOO_MANY)
        if not self._outer:
            self._root = node
            return
        around = self._outer[-1]
        around.size += size
        if around.size > MOST_VALUES:
            raise ValueError(TOO_MANY)
        if not around.is_table:
            around.items.append(Item(node.span, None, node))
        elif around.key is None:
            around.key = node
        else:
            self._add_pair(around, around.key, node)
            around.key = None

    @staticmethod
    def _add_pair(around: _Open, key: Node, node: Node) -> None:
        if isinstance(key, Name) and key.id == _MERGE:
            around.merged += _merge_entries(node)
        elif isinstance(key, Literal):
            around.items.append(Item(node.span, key, node))
        else:
            raise ValueError("has a key that is no text or number")


def _merge_entries(node: Node) -> Iterator[Item]:
    """Yield the entries of the table, or of the tables of a list, that `<<` puts in: the first one counts."""
    tables = [node]
    if isinstance(node, Collection) and node.kind == "list":
        tables = [item.value for item in reversed(node.items)]
    for one in tables:
        if not (isinstance(one, Collection) and one.kind == "dict"):
            raise ValueError("merges what is no table")
        yield from one.items
