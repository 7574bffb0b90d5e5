"""What the bytes of a Python module say without a parser: its imports and its top-level names."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from fairlint.records import Record

LONGEST_NAME = 40
"""Bytes of a text that may be a name, its quotes included."""
_IMPORT = re.compile(
    rb"^(?P<indent>[ \t]*)(?:from[ \t]+(?P<module>[.\w]+(?:[ \t]*\.[ \t]*\w+)*)[ \t]+import[ \t]*"
    rb"(?P<names>\([^)]*\)|(?:[^\n\\;#(]|\\\r?\n)+)|import[ \t]+(?P<modules>(?:[^\n\\;#]|\\\r?\n)+))",
    re.MULTILINE,
)
_COMMENT = re.compile(rb"#[^\n]*")
WORD = re.compile(rb"[A-Za-z_]\w*")
_LINE_START = re.compile(rb"\n[^\n\r]")
_PART = re.compile(rb"[\w.]")
_CALLED = re.compile(rb"\b(\w+)[ \t]*\(")
_TOP = re.compile(
    rb"\n(?:(?:async[ \t]+)?(?P<kind>def|class)[ \t]+(?P<defined>\w+)"
    rb"|(?P<assigned>(?:\w+[ \t]*,[ \t]*)*\w+)[ \t]*(?::[^=\n]*)?[-+|]?=(?!=)"
    rb"|(?P<changed>\w+)(?:\.(?:append|extend|update|insert|add|remove)\(|\[[^\]\n]*\][ \t]*=(?!=))"
    rb"|(?P<block>if|try|with|else|elif|except|finally|for|while)\b|[^\s#)\]}'\"])"
)
"""In a source behind one line break: with `^`, every byte would be tried."""
_LONG_TEXT = re.compile(  # `(?!)` as in `prefilter`
    rb"#[^\n]*|\"\"\"(?:[^\"\\]++|\\.|\"(?!\"\")|(?!))*+\"\"\"|'''(?:[^'\\]++|\\.|'(?!'')|(?!))*+'''"
    rb"|\"(?:[^\"\\\n]++|\\.)*+\"|'(?:[^'\\\n]++|\\.)*+'",
    re.DOTALL,
)
_METHOD = re.compile(rb"^[ \t]+(?:@|(?:async[ \t]+)?def[ \t])", re.MULTILINE)
"""Where the fields of a class end, which are what it is followed for."""
_INSIDE = re.compile(
    rb"^[ \t]+()(?:(?:async[ \t]+)?(def|class)[ \t]+(\w+)|(\w+)[ \t]*(?::[^=\n]*)?=(?!=))", re.MULTILINE
)


class Imported(Record):
    """One import statement: `module` as written, and the names with those they are bound to.

    `import a.b` has no names, and `bound` is how the module is then called.
    """

    module: str
    names: tuple[tuple[str, str], ...]
    bound: str
    offset: int
    is_certain: bool
    """Neither in a function nor in a branch."""


def uses_of(name: bytes, data: bytes) -> Iterator[re.Match[bytes]]:
    """Where a name stands that is not a field of something."""
    return _alone(re.finditer(re.escape(name) + rb"\b", data), data)


def fields_of(name: bytes, data: bytes) -> Iterator[re.Match[bytes]]:
    """`ft.COLUMNS`, for the name `ft`."""
    return _alone(re.finditer(re.escape(name) + rb"[ \t]*\.[ \t]*(\w+)", data), data)


def _alone(found: Iterator[re.Match[bytes]], data: bytes) -> Iterator[re.Match[bytes]]:
    """Those that no word or dot stands before; an expression that says so itself takes ten times as long."""
    return (one for one in found if _PART.match(data, one.start() - 1) is None or one.start() == 0)


def submodule(module: str, name: str) -> str:
    """How the module `name` in the package `module` is written: `.` and `rules` are `.rules`."""
    return f"{module}{name}" if module.endswith(".") else f"{module}.{name}"


def imports_in(data: bytes) -> Iterator[Imported]:
    """The import statements of a source, as far as they look like ones."""
    for found in _import_statements(data):
        certain = not found["indent"]
        if found["modules"] is not None:
            for part in _COMMENT.sub(b"", found["modules"]).replace(b"\\", b"").split(b","):
                words = part.decode("utf-8", "replace").split()
                if len(words) == 1 or (len(words) == 3 and words[1] == "as"):
                    yield Imported(words[0], (), words[-1], found.start(), certain)
            continue
        module = b"".join(found["module"].split()).decode("utf-8", "replace")
        names = []
        for part in _COMMENT.sub(b"", found["names"]).strip(b"()").replace(b"\\", b"").split(b","):
            words = part.decode("utf-8", "replace").strip("() \t\r\n").split()
            if len(words) == 1 or (len(words) == 3 and words[1] == "as"):
                names.append((words[0], words[-1]))
        if names:
            yield Imported(module, tuple(names), "", found.start(), certain)


def _import_statements(data: bytes) -> Iterator[re.Match[bytes]]:
    """As `_IMPORT.finditer`, which would try every byte."""
    end = 0
    at = data.find(b"import")
    while at >= 0:
        start = data.rfind(b"\n", 0, at) + 1
        found = _IMPORT.match(data, start) if start >= end else None
        if found is not None:
            yield found
            end = found.end()
        at = data.find(b"import", max(at + 1, end))


def outline(data: bytes) -> tuple[dict[bytes, list[tuple[int, int]]], dict[bytes, bytes]]:
    """The top-level names with their stretches, and which of them are functions (`def`) or classes."""
    found = [*_TOP.finditer(b"\n" + _without_long_texts(data))]
    names: dict[bytes, list[tuple[int, int]]] = {}
    kinds: dict[bytes, bytes] = {}
    for place, one in enumerate(found):
        end = found[place + 1].start() if place + 1 < len(found) else len(data)
        span = (one.start(), end)
        if one["kind"] == b"class" and (method := _METHOD.search(data, *span)) is not None:
            span = (span[0], method.start())
        if one["defined"]:
            names.setdefault(one["defined"], []).append(span)
            kinds[one["defined"]] = one["kind"]
        elif one["assigned"]:
            for name in one["assigned"].split(b","):
                names.setdefault(name.strip(), []).append(span)
        elif one["changed"]:
            names.setdefault(one["changed"], []).append(span)
        elif one["block"]:
            inside = [*_INSIDE.finditer(data, *span)]
            least = min((inner.start(1) - inner.start() for inner in inside), default=0)
            inside = [inner for inner in inside if inner.start(1) - inner.start() == least]
            for order, inner in enumerate(inside):
                stop = inside[order + 1].start() if order + 1 < len(inside) else end
                names.setdefault(inner[3] or inner[4], []).append((inner.start(), stop))
                if inner[2]:
                    kinds[inner[3]] = inner[2]
    return names, kinds


def _without_long_texts(data: bytes) -> bytes:
    """The same with indented lines in long texts, so that none of them looks like a statement."""
    if b'"""' not in data and b"'''" not in data:
        return data

    pieces: list[bytes] = []
    done = 0
    for found in _LONG_TEXT.finditer(data):
        start, end = found.span()
        if data.find(b"\n", start, end) >= 0:
            pieces += data[done:start], _LINE_START.sub(b"\n ", data[start:end])
            done = end
    return b"".join((*pieces, data[done:]))


def prose_in(data: bytes) -> list[tuple[int, int]]:
    """Where the texts stand that are too long for names and have blanks in them."""
    return [
        found.span()
        for found in _LONG_TEXT.finditer(data)
        if found.end() - found.start() > LONGEST_NAME and b" " in found[0]
    ]


def within(spans: Sequence[tuple[int, int]], offset: int) -> bool:
    """Whether an offset lies in one of some stretches, which are in order."""
    place = bisect_right(spans, offset, key=lambda span: span[0]) - 1
    return place >= 0 and offset < spans[place][1]


def called_around(data: bytes, hits: Sequence[int]) -> set[bytes]:
    """The functions that are called on the lines of hits."""
    words: set[bytes] = set()
    end = -1
    for hit in hits:
        if hit >= end:
            start = data.rfind(b"\n", 0, hit) + 1
            end = data.find(b"\n", hit) + 1 or len(data)
            words.update(_CALLED.findall(data, start, end))
    return words
