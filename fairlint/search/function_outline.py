"""Which functions of a source are worth lowering: those that mention something, and their relations.

This works on the text alone, before any tree exists. It looks at names, calls and indentation, and errs on
the side of too many.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import accumulate

from fairlint.support.expressions import lazy_expression
from fairlint.syntax.language import Language
from fairlint.syntax.outline import TAB, Definition, Outline
from fairlint.syntax.tokens import WORD

Keep = Callable[[int, int, str], bool]

METHOD = lazy_expression(rb"\.([a-z_]\w{2,})[ \t]*\(")
"""A method that is called, on whatever."""
ASSIGNED = lazy_expression(rb"[ \t]*([A-Za-z_]\w*)[ \t]*(?::[^=\n]*)?[-+*/|]?=(?!=)")
SET_WITH = lazy_expression(rb"(?m)^[ \t]*([A-Za-z_]\w*)[ \t]*(?::[^=\n]*)?=(?!=)([^\n]*)$")
"""A variable that is set, and what it is set with on that line."""
TEACHES = rb"\.(?:fit|train|predict)\w*\(|DMatrix\("
"""What a file holds in which a model is taught or asked."""
TEACHING = (b".fit", b".train", b".predict", b"DMatrix(")
"""One of these stands in each such file, and is found in a fraction of the time."""
DUMPS = frozenset({b"__dict__", b"asdict", b"astuple", b"_asdict", b"vars", b"model_dump"})
"""Words of a function that reads all fields of a record at once."""
KEPT_IN = lazy_expression(rb"\b([A-Za-z_]\w*)(?:\.append\(|\[[^\]\n]*\][ \t]*=(?!=))")
"""A list or table that something is put into."""
FARTHEST = 4
"""Calls that are followed from a function with a mention."""
LONGEST_BLOCK = 200
"""Lines of a block or table that are looked at around a mention."""


def keep_relevant(data: bytes, language: Language, hits: Sequence[int]) -> Keep:
    """Say of each function of a source whether it is to be lowered; without an outline, all are."""
    return keep_all if language.outline is None else Relevance(data, language.outline(), hits).keep


def keep_all(start: int, end: int, name: str) -> bool:
    """Say that every function is to be lowered."""
    del start, end, name
    return True


class Relevance:
    """Says of each function whether it is to be lowered: the `keep` that parsers take.

    Kept are functions that hold a hit; those that use a field or constant which is set where a hit is; what
    all these refer to, a few calls far; and the functions that refer to one with a hit.
    """

    def __init__(self, data: bytes, outline: Outline, hits: Sequence[int]) -> None:
        self._hits = hits
        self._names: frozenset[str] | None = None
        self._words: dict[int, frozenset[bytes]] = {}
        """A function's start -> all words in it."""
        self._data = data
        self._outline = outline

    @cached_property
    def _lines(self) -> _Lines:
        return _Lines(self._data)

    def keep(self, start: int, end: int, name: str) -> bool:
        """Return whether the function `name`, which spans `start` to `end`, is to be lowered."""
        if self._has_hit(start, end):
            return True
        if self._names is None:
            self._names = self._wanted()
        return name.rpartition(".")[2] in self._names

    def _has_hit(self, start: int, end: int) -> bool:
        at = bisect_left(self._hits, start)
        return at < len(self._hits) and self._hits[at] < end

    def _wanted(self) -> frozenset[str]:
        parts = self._outline.definitions(self._data)
        functions = [one for one in parts if not one.is_type]
        by_name: dict[bytes, list[Definition]] = {}
        for function in functions:
            by_name.setdefault(function.name, []).append(function)
        own = [function for function in functions if self._has_hit(function.start, function.end)]
        names = {function.name for function in own}
        users = self._users_of_hits(parts, functions, names)
        if self._makes_in_tests(parts):
            users += self._transitive_callers(users, functions, names)
        if any(mark in self._data for mark in TEACHING) and re.search(TEACHES, self._data):
            users += self._transitive_callers(users, functions, names)
            users += self._called_by_the_module(by_name, names)
        users += self._sharing_functions([*own, *users], functions)
        wanted = {*self._outline.always, *names, *(user.name for user in users)}
        todo = [*own, *users]
        wanted |= {name for name in self._referred_at_hits() if name in by_name}
        wanted |= {one.name for one in self._keeper_functions(functions)}
        special = self._outline.special
        todo += [
            function
            for name in wanted - names
            for function in by_name.get(name, ())
            if not name.startswith(special)
        ]
        held = names | self._set_at_hits()
        called = self._called_methods([*own, *users], held, by_name) & by_name.keys() - wanted
        wanted |= called
        todo += [function for name in called for function in by_name[name] if not name.startswith(special)]
        wanted |= self._referred_by(todo, by_name, wanted)
        return frozenset(name.decode("utf-8", "replace") for name in wanted)

    def _users_of_hits(
        self, parts: Sequence[Definition], functions: Sequence[Definition], names: set[bytes]
    ) -> list[Definition]:
        """Return the functions without a hit that refer to one with a hit, or to what is set there."""
        sought = names | {one.name for one in parts if one.is_type and self._has_hit(one.start, one.end)}
        sought |= self._set_at_hits() | self._set_with([one for one in functions if one.name in names])
        sought |= self._set_in_classes(parts, functions)
        sought |= self._made_with(names)
        for keeper in self._keeper_functions(functions):
            sought |= set(KEPT_IN.findall(self._data, keeper.start, keeper.end))
        if any(one.is_type and self._has_hit(one.start, one.end) for one in parts):
            sought |= DUMPS
        return [one for one in functions if one.name not in names and self._has_word_of(one, sought)]

    def _keeper_functions(self, functions: Sequence[Definition]) -> list[Definition]:
        """Return the functions that stand over others and keep them: `def step(made): STEPS.append(made)`."""
        if self._outline.over is None:
            return []
        over = set(re.findall(self._outline.over, b"\n" + self._data))
        named = [one for one in functions if one.name in over] if over else []
        return [one for one in named if KEPT_IN.search(self._data, one.start, one.end)]

    def _referred_by(
        self, todo: list[Definition], by_name: Mapping[bytes, list[Definition]], known: AbstractSet[bytes]
    ) -> set[bytes]:
        """Return what these functions refer to, a few calls far, beside what is known."""
        found: set[bytes] = set()
        references = re.compile(self._outline.reference).findall
        for _ in range(FARTHEST):
            left = by_name.keys() - known - found
            new = {
                name
                for function in todo
                if self._has_word_of(function, left)
                for name in references(self._data, function.start, function.end)
            } & left
            found |= new
            todo = [function for name in new for function in by_name[name]]
        return found

    def _makes_in_tests(self, parts: Sequence[Definition]) -> bool:
        """Return whether a test makes people of a type of its own: by their places, `Person("Ada", "F")`."""
        if self._outline.tests is None:
            return False
        has_own_type = any(one.is_type and self._has_hit(one.start, one.end) for one in parts)
        return has_own_type and re.search(self._outline.tests, self._data) is not None

    def _transitive_callers(
        self, users: Sequence[Definition], functions: Sequence[Definition], known: set[bytes]
    ) -> list[Definition]:
        """Return those that call `users`, a few calls far: a table goes a long way before a model gets it."""
        found: list[Definition] = []
        done = known | {user.name for user in users}
        sought = {user.name for user in users}
        for _ in range(FARTHEST):
            new = [one for one in functions if one.name not in done and self._has_word_of(one, sought)]
            sought = {one.name for one in new}
            done |= sought
            found += new
        return found

    def _called_by_the_module(
        self, by_name: Mapping[bytes, list[Definition]], known: set[bytes]
    ) -> list[Definition]:
        """Return what a script's own statements call: a table may go through it."""
        lines = (
            re.finditer(self._outline.top_level, self._data) if self._outline.top_level is not None else ()
        )
        references = re.compile(self._outline.reference).findall
        called = {name for line in lines for name in references(line[0])}
        return [one for name in sorted(called & by_name.keys() - known) for one in by_name[name]]

    def _sharing_functions(
        self, readers: Sequence[Definition], functions: Sequence[Definition]
    ) -> list[Definition]:
        """Return those that give the module's variables a value which `readers` read: `global model`."""
        if self._outline.shared is None or not re.search(self._outline.shared, self._data):
            return []
        shared = re.compile(self._outline.shared)
        known = {one.start for one in readers}
        given = [
            (one, set(WORD.findall(b" ".join(shared.findall(self._data, one.start, one.end)))))
            for one in functions
            if one.start not in known
        ]
        return [one for one, names in given if any(self._has_word_of(reader, names) for reader in readers)]

    def _made_with(self, names: set[bytes]) -> set[bytes]:
        """Constants of the module that are made with these functions: `CHECKS = [too_old, no_degree]`."""
        if self._outline.constant is None or not names:
            return set()
        return {
            found[1]
            for found in re.finditer(self._outline.constant, b"\n" + self._data)
            if not names.isdisjoint(WORD.findall(found[2]))
        }

    def _called_methods(
        self,
        functions: Sequence[Definition],
        own: AbstractSet[bytes],
        known: Mapping[bytes, object],
    ) -> set[bytes]:
        """Methods of any receiver that these functions call on or below lines with a mention, with what is
        set on such a line, or with a function that holds a mention: `scorer.add(person.gender)`.
        """
        found: set[bytes] = set()
        for function in functions:
            held = self._made_of(own | self._set_in(function), function)
            for call in METHOD.finditer(self._data, function.start, function.end):
                if call[1] in known and call[1] not in found:
                    lines = _enclosing_heads(self._data, call.start(), function.start)
                    if any(
                        self._has_hit(start, end) or not held.isdisjoint(WORD.findall(self._data, start, end))
                        for start, end in lines
                    ):
                        found.add(call[1])
            if self._outline.chosen is not None:
                for begun in re.compile(self._outline.chosen).findall(
                    self._data, function.start, function.end
                ):
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

    def _made_of(self, held: AbstractSet[bytes], function: Definition) -> AbstractSet[bytes]:
        """`held`, and the variables that a function sets with one of them: `scorer = Scorer(columns)`."""
        if not held:
            return held
        found = set(held)
        for line in SET_WITH.finditer(self._data, function.start, function.end):
            if line[1] not in found and not found.isdisjoint(WORD.findall(line[2])):
                found.add(line[1])
        return found

    def _has_word_of(self, function: Definition, sought: AbstractSet[bytes]) -> bool:
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
        """Return what lines with a hit refer to: at module level nothing else says so."""
        lines, references = self._lines_at_hits(), re.compile(self._outline.reference).findall
        return {name for start, end in lines for name in references(self._data, start, end)}

    def _set_in_classes(self, parts: Sequence[Definition], functions: Sequence[Definition]) -> set[bytes]:
        """Return what the level of a class names on or around the lines with a hit: `order =
        ["age", ...]`.
        """
        types = _covering_intervals([one for one in parts if one.is_type])
        methods = _covering_intervals(functions)
        names: set[bytes] = set()
        for start, _ in self._lines_at_hits() if types else ():
            if _is_inside_intervals(start, types) and not _is_inside_intervals(start, methods):
                lines = self._lines.block(start)
                names.update(found[1] for line in lines if (found := ASSIGNED.match(line)) is not None)
        return names

    def _set_at_hits(self) -> set[bytes]:
        """Fields and constants that are set on, below or around the lines with a hit."""
        names: set[bytes] = set()
        lines = {line for start, _ in self._lines_at_hits() for line in self._lines.block(start)}
        for expression in map(re.compile, self._outline.sets):
            for line in lines:
                for found in expression.finditer(line):
                    names.update(name for group in found.groups() if group for name in WORD.findall(group))
        return names

    def _set_with(self, functions: Sequence[Definition]) -> set[bytes]:
        """Fields that are set with a variable of the same function which is set where a hit is:
        `self.kinds = kinds["all"]`.
        """
        names: set[bytes] = set()
        for function in functions:
            held = self._set_in(function)
            for expression in self._outline.sets if held else ():
                for found in re.compile(expression).finditer(self._data, function.start, function.end):
                    end = self._data.find(b"\n", found.end())
                    if not held.isdisjoint(WORD.findall(self._data, found.end(), max(end, found.end()))):
                        names.update(
                            name for group in found.groups() if group for name in WORD.findall(group)
                        )
        return names


class _Lines:
    """The lines of a source, each measured once: where it starts, how far it is indented."""

    def __init__(self, data: bytes) -> None:
        self._texts = [line + b"\n" for line in data.split(b"\n")]
        self._texts[-1] = self._texts[-1][:-1]  # empty where the last line ends
        self._starts = [0, *accumulate(map(len, self._texts))]
        self._indents = [_indent_width(line) if line.strip() else None for line in self._texts]
        """None for blank lines."""

    def block(self, start: int) -> Iterator[bytes]:
        """Yield the line that starts here, the deeper ones that follow it, and those it stands in: the heads
        of its blocks and tables.
        """
        first = bisect_left(self._starts, start)
        line = self._texts[first]
        yield line
        indent = _indent_width(line)
        for at in range(first + 1, min(first + 1 + LONGEST_BLOCK, len(self._texts))):
            deep = self._indents[at]
            if deep is not None and deep <= indent:
                break
            yield self._texts[at]
        for at in range(first - 1, max(first - 1 - LONGEST_BLOCK, -1), -1):
            if indent == 0:
                break
            deep = self._indents[at]
            if deep is not None and deep < indent:
                indent = deep
                yield self._texts[at]


def _covering_intervals(parts: Sequence[Definition]) -> list[tuple[int, int]]:
    """Return where parts start, each with the farthest end of those that have started by then."""
    found: list[tuple[int, int]] = []
    for one in sorted(parts, key=lambda part: part.start):
        found.append((one.start, max(one.end, found[-1][1] if found else 0)))
    return found


def _is_inside_intervals(place: int, covered: Sequence[tuple[int, int]]) -> bool:
    at = bisect_right(covered, place, key=lambda one: one[0])
    return at > 0 and place < covered[at - 1][1]


def _enclosing_heads(data: bytes, place: int, first: int) -> Iterator[tuple[int, int]]:
    """From where to where the line of a place reaches, and those that it stands below, behind a `first`."""
    start = data.rfind(b"\n", 0, place) + 1
    end = data.find(b"\n", place)
    yield start, end if end >= 0 else len(data)
    indent = _indent_width(data[start:place])
    for _ in range(LONGEST_BLOCK):
        if indent == 0 or start <= first:
            return
        end = start - 1
        start = data.rfind(b"\n", 0, end) + 1
        line = data[start:end]
        if start > first and line.strip() and _indent_width(line) < indent:
            indent = _indent_width(line)
            yield start, end


def _indent_width(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t")) if b"\t" not in line else _wide_indent(line)


def _wide_indent(line: bytes) -> int:
    wide = line.expandtabs(TAB)
    return len(wide) - len(wide.lstrip(b" "))
