"""TOML as nodes: Python's own reader says what is in it, and a look at its marks where that stands."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fairlint.support.documents import read_toml
from fairlint.syntax.data.places import DEEPEST, MOST_VALUES, TOO_DEEP, TOO_MANY, Places, table
from fairlint.syntax.tree import Collection, Item, Literal, Name, Node

_TOKEN = re.compile(
    r'(?P<text>"""(?:[^"\\]|\\.|""?(?!"))*""""?"?|\'\'\'.*?\'\'\'\'?\'?|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\')'
    r"|(?P<skip>\#[^\n]*|[ \t\r]+)|(?P<mark>[\[\]{},=.\n])|(?P<word>[^\s\[\]{},=\#\"'.]+)",
    re.DOTALL,
)
Path = tuple[str | int, ...]
Spans = dict[Path, tuple[int, int]]


def nodes_of(text: str, places: Places) -> Node:
    """Return what a TOML document says; a ValueError says why it is not read."""
    told = read_toml(text)
    spans = _Marks(text).spans
    left = [MOST_VALUES]

    def made(value: object, path: Path, around: tuple[int, int]) -> Node:
        left[0] -= 1
        if left[0] < 0:
            raise ValueError(TOO_MANY)
        if len(path) > DEEPEST:
            raise ValueError(TOO_DEEP)
        own = spans.get(path, around)
        span = places.span(*own)
        match value:
            case dict():
                entries = []
                for key, held in value.items():
                    node = made(held, (*path, key), own)
                    entries.append(Item(node.span, Literal(node.span, key), node))
                return table(entries, span)
            case list():
                nodes = [made(held, (*path, at), own) for at, held in enumerate(value)]
                return Collection(span, "list", tuple(Item(node.span, None, node) for node in nodes))
            case str() | int() | float():
                return Literal(span, value)
            case _:
                return Name(span, str(value))  # a date

    return made(told, (), (0, len(text)))


class _Marks:
    """Where the values of a text stand that is known to be TOML, by the keys that lead to them."""

    def __init__(self, text: str) -> None:
        self.spans: Spans = {}
        self._text = text
        self._tokens = [one for one in _TOKEN.finditer(text) if one.lastgroup != "skip"]
        self._at = 0
        self._counts: dict[Path, int] = {}
        table: Path = ()
        while self._at < len(self._tokens):
            if self._is_at_mark("\n"):
                self._at += 1
            elif self._is_at_mark("["):
                table = self._read_header()
            elif not self._read_pair(table):
                break

    def _is_at_mark(self, mark: str) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at][0] == mark

    def _key(self) -> tuple[str, ...]:
        parts: list[str] = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if token.lastgroup == "word":
                parts.append(token[0])
            elif token.lastgroup == "text":
                parts.append(_text_of(token[0]))
            elif token[0] != ".":
                break
            self._at += 1
        return tuple(parts)

    def _read_header(self) -> Path:
        start = self._tokens[self._at].start()
        is_row = self._text.startswith("[[", start)
        self._at += 2 if is_row else 1
        path: Path = ()
        keys = self._key()
        for key in keys[:-1]:
            path = self._last_row_path((*path, key))
        path = (*path, *keys[-1:])
        if is_row:
            self._counts[path] = self._counts.get(path, 0) + 1
        path = self._last_row_path(path)
        while self._at < len(self._tokens) and not self._is_at_mark("\n"):
            self._at += 1
        self.spans[path] = start, self._tokens[self._at - 1].end()
        return path

    def _last_row_path(self, path: Path) -> Path:
        """Return the last row of a list of tables; what is none, itself."""
        return (*path, self._counts[path] - 1) if path in self._counts else path

    def _read_pair(self, table: Path) -> bool:
        """Read `key = value`; False where the marks make no sense."""
        keys = self._key()
        if not keys or not self._is_at_mark("="):
            return False
        self._at += 1
        self._read_value((*table, *keys))
        return True

    def _read_value(self, path: Path) -> None:
        start = self._tokens[self._at].start() if self._at < len(self._tokens) else len(self._text)
        if len(path) > DEEPEST:
            raise ValueError(TOO_DEEP)
        if self._is_at_mark("["):
            self._at += 1
            row = 0
            while self._at < len(self._tokens) and not self._is_at_mark("]"):
                if self._is_at_mark("\n") or self._is_at_mark(","):
                    self._at += 1
                else:
                    self._read_value((*path, row))
                    row += 1
            self._at += 1
        elif self._is_at_mark("{"):
            self._at += 1
            while self._at < len(self._tokens) and not self._is_at_mark("}"):
                if self._is_at_mark("\n") or self._is_at_mark(","):
                    self._at += 1
                elif not self._read_pair(path):
                    break
            self._at += 1
        else:
            while self._at < len(self._tokens) and self._tokens[self._at][0] not in {",", "]", "}", "\n"}:
                self._at += 1
        end = self._tokens[min(self._at, len(self._tokens)) - 1].end() if self._at else start
        self.spans[path] = start, max(end, start)


def _text_of(written: str) -> str:
    held: Mapping[str, str] = read_toml(f"key = {written}")
    return held["key"]
