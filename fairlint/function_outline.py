"""Which functions of a source are worth lowering: those that mention something, and their relations.

This works on the text alone, before any tree exists. It looks at names, calls and indentation, and errs on
the side of too many.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from fairlint.records import Record

# texts are compiled when they are first needed, which for most of them is in few runs
PYTHON_DEFINITION = re.compile(rb"\n([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+(\w+)")
"""A header behind the end of a line, which is found by leaps from one such end to the next."""
C_DEFINITION = rb"(?m)^(?:[A-Za-z_][\w \t*]*?[ \t*])??([A-Za-z_]\w*)[ \t]*\("
C_MACRO = rb"(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)\("
C_NOT_A_FUNCTION = frozenset({b"if", b"for", b"while", b"switch", b"return", b"sizeof", b"else", b"do"})
REFERENCE = re.compile(rb"(?:(?<![\w.>])|\b(?:self|cls|[A-Z]\w*)\.)([A-Za-z_]\w*)")
"""A name that this file may define: alone, or behind `self`, `cls` or a class; not the `read` of `x.read`."""
MODULE_CONSTANT = re.compile(
    rb"\n([A-Za-z_]\w*)[ \t]*(?::[^=\n]*)?=(?!=)([^\n]*(?:\n(?:[ \t)\]}][^\n]*|(?=\n)))*)"
)
"""A name that is set at module level, with what stands on the deeper lines below it."""
METHOD = re.compile(rb"\.([a-z_]\w{2,})[ \t]*\(")
"""A method that is called, on whatever."""
ASSIGNED = re.compile(rb"[ \t]*([A-Za-z_]\w*)[ \t]*(?::[^=\n]*)?[-+*/|]?=(?!=)")
METHOD_BY_NAME = re.compile(rb"""\bgetattr\((?:self|cls),[ \t]*f?["']([A-Za-z_]\w*)""")
"""A method that is chosen by a name which begins so: `getattr(self, "score_" + group)`."""
ASSIGNED_FIELD = rb"[\w\])]\.([A-Za-z_]\w*)[ \t]*(?::[^=\n]*)?[-+*/|]?=(?!=)"
ASSIGNED_NAME = (
    rb"^(?:(?:global[ \t]+)?|[ \t]+(?=[A-Z][A-Z0-9_]*\b))([A-Za-z_]\w*)[ \t]*(?::[^=\n]*)?[-+*/|]?=(?!=)"
)
"""What is set at module level, and constants of a class."""
C_DECLARED = rb"([A-Za-z_]\w*)[ \t]*(?:\[[^\]\n]*\][ \t]*)*=(?!=)|^[ \t]*#[ \t]*define[ \t]+(\w+)"
C_STRUCT = rb"\bstruct\s*(\w*)\s*\{[^{}]*\}\s*(\w*)\s*[;=\[]"
C_TESTS = rb"\bassert\(|\bTEST|\b(?:void|int) test_|\bck_assert"
MODULE_LEVEL = rb"(?m)^(?!def |class |import |from |@|async )[A-Za-z_].*"
TEACHES = rb"\.(?:fit|train)\w*\(|DMatrix\("
"""What a file holds in which a model is taught."""
TESTS = rb"\bdef test_"
"""What a file holds in which something is tested."""
TEACHING = (b".fit", b".train", b"DMatrix(")
"""One of these stands in each such file, and is found in a fraction of the time."""
WORD = re.compile(rb"[A-Za-z_]\w*")
TAB = 8
FARTHEST = 4
"""Calls that are followed from a function with a mention."""
LONGEST_BLOCK = 200
"""Lines of a block or table that are looked at around a mention."""


class Definition(Record):
    """A function or class, from its header to the next header that is not inside it."""

    name: bytes
    start: int
    end: int
    is_class: bool


class Relevance:
    """Says of each function whether it is to be lowered: the `keep` that parsers take.

    Kept are functions that hold a hit; those that use a field or constant which is set where a hit is; what
    all these refer to, a few calls far; and the functions that refer to one with a hit.
    """

    def __init__(self, data: bytes, language: str | None, hits: Sequence[int]) -> None:
        self._hits = hits
        self._names: frozenset[str] | None = None
        self._words: dict[int, frozenset[bytes]] = {}
        """A function's start -> all words in it."""
        self._data = data
        self._language = language

    def keep(self, start: int, end: int, name: str) -> bool:
        """Whether the function `name`, which spans `start` to `end`, is to be lowered."""
        if self._hit(start, end):
            return True
        if self._names is None:
            self._names = self._wanted()
        return name.rpartition(".")[2] in self._names

    def _hit(self, start: int, end: int) -> bool:
        at = bisect_left(self._hits, start)
        return at < len(self._hits) and self._hits[at] < end

    def _wanted(self) -> frozenset[str]:
        parts = outline(self._data, self._language)
        functions = [one for one in parts if not one.is_class]
        by_name: dict[bytes, list[Definition]] = {}
        for function in functions:
            by_name.setdefault(function.name, []).append(function)
        own = [function for function in functions if self._hit(function.start, function.end)]
        names = {function.name for function in own}
        made = self._made_in_tests(parts)
        sought = names | made | self._set_at_hits()
        sought |= self._made_with(names)
        users = [
            function
            for function in functions
            if function.name not in names and self._mentions(function, sought)
        ]
        if made:
            users += self._callers(users, functions, names)
        if any(mark in self._data for mark in TEACHING) and re.search(TEACHES, self._data):
            users += self._callers(users, functions, names)
            users += self._called_by_the_module(by_name, names)
        wanted = {b"__init__", b"__post_init__", *names, *(user.name for user in users)}
        todo = [*own, *users]
        wanted |= {name for name in self._referred_at_hits() if name in by_name}
        todo += [
            function for name in wanted - names for function in by_name.get(name, ()) if name[:2] != b"__"
        ]
        called = self._methods_called([*own, *users], names, by_name) & by_name.keys() - wanted
        wanted |= called
        todo += [function for name in called for function in by_name[name] if name[:2] != b"__"]
        for _ in range(FARTHEST):
            left = by_name.keys() - wanted
            new = {
                name
                for function in todo
                if self._mentions(function, left)
                for name in self._references(function)
            } & left
            wanted |= new
            todo = [function for name in new for function in by_name[name]]
        return frozenset(name.decode("utf-8", "replace") for name in wanted)

    def _made_in_tests(self, parts: Sequence[Definition]) -> set[bytes]:
        """Classes of people in a test: who makes one may say groups by their places, `Person("Ada", "F")`."""
        if self._language == "c" and re.search(C_TESTS, self._data):
            structs = [one for one in re.finditer(C_STRUCT, self._data) if self._hit(one.start(), one.end())]
            return {name for one in structs for name in one.groups() if name}
        if self._language != "python" or not re.search(TESTS, self._data):
            return set()
        return {one.name for one in parts if one.is_class and self._hit(one.start, one.end)}

    def _callers(
        self, users: Sequence[Definition], functions: Sequence[Definition], known: set[bytes]
    ) -> list[Definition]:
        """Those that call `users`, a few calls far: a table goes a long way before a model gets it."""
        found: list[Definition] = []
        done = known | {user.name for user in users}
        sought = {user.name for user in users}
        for _ in range(FARTHEST):
            new = [one for one in functions if one.name not in done and self._mentions(one, sought)]
            sought = {one.name for one in new}
            done |= sought
            found += new
        return found

    def _called_by_the_module(
        self, by_name: Mapping[bytes, list[Definition]], known: set[bytes]
    ) -> list[Definition]:
        """What a script's own statements call: a table may go through it."""
        lines = re.finditer(MODULE_LEVEL, self._data)
        called = {name for line in lines for name in REFERENCE.findall(line[0])}
        return [one for name in sorted(called & by_name.keys() - known) for one in by_name[name]]

    def _references(self, function: Definition) -> Iterator[bytes]:
        yield from REFERENCE.findall(self._data, function.start, function.end)

    def _made_with(self, names: set[bytes]) -> set[bytes]:
        """Constants of the module that are made with these functions: `CHECKS = [too_old, no_degree]`."""
        if self._language != "python" or not names:
            return set()
        return {
            found[1]
            for found in MODULE_CONSTANT.finditer(b"\n" + self._data)
            if not names.isdisjoint(WORD.findall(found[2]))
        }

    def _methods_called(
        self, functions: Sequence[Definition], own: AbstractSet[bytes], known: Mapping[bytes, object]
    ) -> set[bytes]:
        """Methods of any receiver that these functions call on lines with a mention, with what is set on such
        a line, or with a function that holds a mention: `scorer.add(person.gender)`."""
        found: set[bytes] = set()
        for function in functions:
            held = own | self._set_in(function)
            for call in METHOD.finditer(self._data, function.start, function.end):
                if call[1] in known and call[1] not in found:
                    start, end = (
                        self._data.rfind(b"\n", 0, call.start()) + 1,
                        self._data.find(b"\n", call.end()),
                    )
                    if self._hit(start, end) or not held.isdisjoint(WORD.findall(self._data, start, end)):
                        found.add(call[1])
            if self._data.find(b"getattr(", function.start, function.end) >= 0:
                for begun in METHOD_BY_NAME.findall(self._data, function.start, function.end):
                    found.update(name for name in known if name.startswith(begun))
        return found

    def _set_in(self, function: Definition) -> set[bytes]:
        """Variables that are set on a function's lines with a mention."""
        found: set[bytes] = set()
        for hit in self._hits[
            bisect_left(self._hits, function.start) : bisect_left(self._hits, function.end)
        ]:
            start = self._data.rfind(b"\n", 0, hit) + 1
            if (assigned := ASSIGNED.match(self._data, start)) is not None:
                found.add(assigned[1])
        return found

    def _mentions(self, function: Definition, sought: AbstractSet[bytes]) -> bool:
        words = self._words.get(function.start)
        if words is None:
            words = frozenset(WORD.findall(self._data, function.start, function.end))
            self._words[function.start] = words
        return not sought.isdisjoint(words)

    def _lines_at_hits(self) -> Iterator[tuple[int, int]]:
        end = -1
        for hit in self._hits:
            if hit >= end:
                start = self._data.rfind(b"\n", 0, hit) + 1
                end = self._data.find(b"\n", hit) + 1 or len(self._data)
                yield start, end

    def _referred_at_hits(self) -> set[bytes]:
        """What lines with a hit refer to: at module level nothing else says so."""
        lines = self._lines_at_hits()
        return {name for start, end in lines for name in REFERENCE.findall(self._data, start, end)}

    def _set_at_hits(self) -> set[bytes]:
        """Fields and constants that are set on, below or around the lines with a hit."""
        names: set[bytes] = set()
        for start, end in self._lines_at_hits():
            for line in _block(self._data, start, end):
                if self._language == "python":
                    names.update(re.findall(ASSIGNED_FIELD, line))
                    names.update(re.findall(ASSIGNED_NAME, line))
                else:
                    names.update(name for pair in re.findall(C_DECLARED, line) for name in pair if name)
        return names


def _block(data: bytes, start: int, end: int) -> Iterator[bytes]:
    """A line, the deeper ones that follow it, and those it stands in: the heads of its blocks and tables."""
    line = data[start:end]
    yield line
    indent = _indent(line)
    at = end
    for _ in range(LONGEST_BLOCK):
        stop = data.find(b"\n", at) + 1 or len(data)
        line = data[at:stop]
        if not line or (line.strip() and _indent(line) <= indent):
            break
        yield line
        at = stop
    at = start
    for _ in range(LONGEST_BLOCK):
        if at == 0 or indent == 0:
            break
        begin = data.rfind(b"\n", 0, at - 1) + 1
        line = data[begin:at]
        if line.strip() and _indent(line) < indent:
            indent = _indent(line)
            yield line
        at = begin


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t")) if b"\t" not in line else _wide_indent(line)


def _wide_indent(line: bytes) -> int:
    wide = line.expandtabs(TAB)
    return len(wide) - len(wide.lstrip(b" "))


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

    for found in PYTHON_DEFINITION.finditer(b"\n" + data):  # so that a match starts where its line does
        indent = len(found[1].expandtabs(TAB))
        close(indent, found.start())
        stack.append((indent, found[3], found.start(), found[2] == b"class"))
    close(0, len(data))
    return done


def _c_outline(data: bytes) -> list[Definition]:
    found = [*re.finditer(C_DEFINITION, data), *re.finditer(C_MACRO, data)]
    starts = sorted((one.start(), one[1]) for one in found if one[1] not in C_NOT_A_FUNCTION)
    ends = [*(start for start, _ in starts[1:]), len(data)][: len(starts)]
    return [Definition(name, start, end, False) for (start, name), end in zip(starts, ends, strict=True)]
