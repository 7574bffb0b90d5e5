"""Which functions of a source are worth lowering: those that mention something, and their relations.

This works on the text alone, before any tree exists, and errs on the side of too many.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

PYTHON_DEFINITION = re.compile(rb"^([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+(\w+)", re.MULTILINE)
C_DEFINITION = re.compile(rb"^(?:[A-Za-z_][\w \t*]*?[ \t*])??([A-Za-z_]\w*)[ \t]*\(", re.MULTILINE)
C_MACRO = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)\(", re.MULTILINE)
WORD = re.compile(rb"[A-Za-z_]\w*")
STATEMENT = re.compile(rb"[A-Za-z_#]")
TAB = 8


class Definition(NamedTuple):
    """A function or class, from its header to the next header that is not inside it."""

    name: bytes
    start: int
    end: int
    is_class: bool


class Relevance:
    """Says of each function whether it is to be lowered: the `keep` that parsers take.

    Kept are functions that hold a hit, all methods of a class that holds one, what those refer to, however
    far away, and the functions that refer to one with a hit or to a variable whose value holds one.
    """

    def __init__(self, data: bytes, language: str | None, hits: Sequence[int]) -> None:
        self._hits = hits
        self._names: frozenset[str] | None = None
        self._data = data
        self._language = language

    def keep(self, start: int, end: int, name: str) -> bool:
        """Whether the function `name`, which spans `start` to `end`, is to be lowered."""
        if self._hit(start, end):
            return True
        if self._names is None:
            self._names = self._wanted()
        return any(part in self._names for part in name.split("."))

    def _hit(self, start: int, end: int) -> bool:
        at = bisect_left(self._hits, start)
        return at < len(self._hits) and self._hits[at] < end

    def _wanted(self) -> frozenset[str]:
        definitions = outline(self._data, self._language)
        by_name: dict[bytes, list[Definition]] = {}
        for definition in definitions:
            by_name.setdefault(definition.name, []).append(definition)
        own = [definition for definition in definitions if self._hit(definition.start, definition.end)]
        wanted = {definition.name for definition in own}
        telling = wanted | self._variables(definitions)
        callers = [
            definition
            for definition in definitions
            if not definition.is_class and definition.name not in wanted and telling & self._words(definition)
        ]
        wanted |= {definition.name for definition in callers}
        todo = [*own, *callers]
        while todo:
            for word in self._words(todo.pop()):
                if word in by_name and word not in wanted:
                    wanted.add(word)
                    todo.extend(by_name[word])
        for word in self._words_at_hits():
            if word in by_name:
                wanted.add(word)
        return frozenset(word.decode("utf-8", "replace") for word in wanted)

    def _words(self, definition: Definition) -> frozenset[bytes]:
        header = definition.start + len(definition.name)
        return frozenset(WORD.findall(self._data, header, definition.end)) - {definition.name}

    def _variables(self, definitions: Sequence[Definition]) -> set[bytes]:
        """The variables outside all definitions whose values hold a hit (`WEIGHTS = {"age": 0.2}`)."""
        spans = sorted((definition.start, definition.end) for definition in definitions)
        names: set[bytes] = set()
        place = reach = 0
        for hit in self._hits:
            while place < len(spans) and spans[place][0] <= hit:
                reach = max(reach, spans[place][1])
                place += 1
            if hit < reach:
                continue
            line = self._data.rfind(b"\n", 0, hit) + 1
            while line > 0 and not STATEMENT.match(self._data, line):
                line = self._data.rfind(b"\n", 0, line - 1) + 1
            end = self._data.find(b"\n", line)
            head = self._data[line : end if end >= 0 else len(self._data)].partition(b"=")[0]
            names.update(WORD.findall(head))
        return names

    def _words_at_hits(self) -> set[bytes]:
        """The words on lines with a hit: at module level nothing else says what they refer to."""
        words: set[bytes] = set()
        end = -1
        for hit in self._hits:
            if hit >= end:
                start = self._data.rfind(b"\n", 0, hit) + 1
                end = self._data.find(b"\n", hit) + 1 or len(self._data)
                words.update(WORD.findall(self._data, start, end))
        return words


def outline(data: bytes, language: str | None) -> list[Definition]:
    """The functions and classes of a source, as far as their headers look like ones."""
    return _python_outline(data) if language == "python" else _c_outline(data)


def _python_outline(data: bytes) -> list[Definition]:
    done: list[Definition] = []
    stack: list[tuple[int, bytes, int, bool]] = []

    def close(indent: int, end: int) -> None:
        while stack and stack[-1][0] >= indent:
            _, name, start, is_class = stack.pop()
            done.append(Definition(name, start, end, is_class))

    for found in PYTHON_DEFINITION.finditer(data):
        indent = len(found[1].expandtabs(TAB))
        close(indent, found.start())
        stack.append((indent, found[3], found.start(), found[2] == b"class"))
    close(0, len(data))
    return done


def _c_outline(data: bytes) -> list[Definition]:
    starts = sorted(
        [(found.start(), found[1]) for found in C_DEFINITION.finditer(data)]
        + [(found.start(), found[1]) for found in C_MACRO.finditer(data)]
    )
    ends = [*(start for start, _ in starts[1:]), len(data)][: len(starts)]
    return [Definition(name, start, end, False) for (start, name), end in zip(starts, ends, strict=True)]
