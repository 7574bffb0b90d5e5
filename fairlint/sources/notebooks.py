"""The code of a Jupyter notebook, and where each piece of it stands in the notebook's file.

A notebook is JSON; its code cells together are one Source, because names go from one cell to the next. Every
cell is a Part of it. Outputs, text and what only a notebook understands are left out.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from fairlint.sources.languages import TAGS
from fairlint.support.documents import TooDeepError, read_json
from fairlint.support.files import MAX_FILE_SIZE, NotReadableError, too_large
from fairlint.support.records import Record
from fairlint.syntax import DEFAULT
from fairlint.syntax.depth import MAX_DEPTH, TOO_DEEP
from fairlint.syntax.language import Language
from fairlint.syntax.source import Part, Position, Source
from fairlint.syntax.tokens import Tokens
from fairlint.syntax.tree import Gap, Span

FORMAT = 4
"""The one version that is read; older ones are what no Jupyter of the last ten years writes."""
OUTPUTS_SHARE = 20
"""How many times as large as its code a notebook may be: pictures in its outputs take most of the room."""
MOST_TEXTS = 50
"""Text cells that are kept."""
MOST_OF_A_TEXT = 1_000

_INK = re.compile(rb"[^\r\n]")
_CELL_MAGIC = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*%%[ \t]*(\w+)")
DECIDES_NOTHING = frozenset({
    "", "text", "HTML", "CSS", "svg", "SVG", "configure", "dot", "graphviz", "system", "sx", "cmd",
    "powershell", "pwsh", "fs", "help",
})  # fmt: skip
"""Languages of cells, and magics, that say nothing of people."""


def read_notebook(
    path: str,
    data: bytes,
    limit: int,
    languages: Iterable[Language],
    deepest: int = MAX_DEPTH,
    *,
    is_trusted: bool = True,
) -> Source:
    """Return the code cells of a notebook given as UTF-8, as one source in one of `languages`.

    What has no code that can be checked is a NotReadableError; `limit` is for the code alone.
    JSON that nests deeper than `deepest` is one, too. Of an author who is not trusted (`is_trusted`) only the
    name of the kernel counts that runs the cells, and nothing that is noted of them.
    """
    notebook = _parse_notebook(data, deepest)
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        raise NotReadableError("a damaged notebook: it has no list of cells")
    codes = [(number, cell) for number, cell in enumerate(cells, 1) if _is_code(cell)]
    if not codes:
        raise NotReadableError("a notebook without code cells", is_known=True)
    named = _kernel_language(notebook) if is_trusted or not _runs_usual(notebook) else DEFAULT.kernels[0]
    language = _run_by(named, languages)
    if language is None:
        raise NotReadableError(f"a notebook of {TAGS.get(named.lower(), named)} is not read", is_known=True)
    pieces: list[bytes] = []
    parts: list[Part] = []
    gaps: list[Gap] = []
    size = 0
    for number, cell in codes:
        text = b"".join(_encode_utf8(line) for line in _source_lines(cell.get("source")))
        unread = _why_unread(cell, text)
        if is_trusted and not _is_in(language, cell):
            unread = unread or _of_another(_value_at_keys(cell, "metadata", "vscode", "languageId"), text)
            text = _INK.sub(b" ", text)
        code = text if language.cell is None else language.cell(text)
        if not code.endswith(b"\n"):
            code += b"\n"
        parts.append(Part(size, path, number))
        pieces.append(code)
        if unread and not code.strip():
            gaps.append(Gap(Span(size, size + len(code)), unread, "skipped"))
        size += len(code)
        if size > limit:
            raise NotReadableError(too_large(limit, MAX_FILE_SIZE))
    data = b"".join(pieces)
    return Source(path, data, language.name, tuple(gaps), parts=tuple(parts), prose=_leading_prose(cells))


def _why_unread(cell: Mapping[str, Any], text: bytes) -> str:
    """Return why a code cell may not be read; empty where there is no reason."""
    source = cell.get("source")
    if not isinstance(source, str | list) or (source and not _source_lines(source)):
        return "a damaged cell: its source is not text"
    magic = _CELL_MAGIC.match(text)
    return "" if magic is None else _of_another(magic[1].decode(), text)


def _of_another(name: object, text: bytes) -> str:
    """Return how a cell is told that is in another language; empty where that decides nothing, as
    commands.
    """
    title = TAGS.get(name.lower(), name) if isinstance(name, str) else ""
    return "" if title in DECIDES_NOTHING or not text.strip() else f"a cell of {title}, which is not read"


def _leading_prose(cells: Iterable[object]) -> tuple[str, ...]:
    """Return how the first text cells of a notebook begin."""
    said = (
        _value_at_keys(cell, "source") for cell in cells if _value_at_keys(cell, "cell_type") == "markdown"
    )
    texts = ("".join(_source_lines(source))[:MOST_OF_A_TEXT] for source in said)
    return tuple(islice(texts, MOST_TEXTS))


def has_text_over_cells(source: Source, tokens: Tokens) -> bool:
    """Return whether a text that is not closed in its cell takes in code of the next."""
    starts = [part.start for part in source.parts]
    return any(
        bisect_right(starts, text.start()) < bisect_left(starts, text.end())
        for text in tokens.expression.finditer(source.data)
    )


def _parse_notebook(data: bytes, deepest: int) -> Mapping[str, Any]:
    try:
        notebook = read_json(data, deepest=deepest)
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        raise NotReadableError(f"not a notebook: it is not JSON ({reason})", line=error.lineno) from None
    except TooDeepError as error:
        raise NotReadableError(f"a notebook whose JSON is {TOO_DEEP}", line=error.line) from None
    except ValueError:  # a number with thousands of digits
        raise NotReadableError("not a notebook: JSON that cannot be read") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("nbformat"), int):
        raise NotReadableError("not a notebook: it names no nbformat")
    if notebook["nbformat"] != FORMAT:
        raise NotReadableError(f"notebook format {notebook['nbformat']} is not read, only {FORMAT}")
    return notebook


def _is_code(cell: object) -> bool:
    return isinstance(cell, dict) and cell.get("cell_type") == "code"


def _run_by(name: str, languages: Iterable[Language]) -> Language | None:
    """Return the language that a kernel of this name runs."""
    return next((language for language in languages if name.lower() in language.kernels), None)


def _is_in(language: Language, cell: Mapping[str, Any]) -> bool:
    """Return whether an editor that mixes languages says nothing else of a cell."""
    named = _value_at_keys(cell, "metadata", "vscode", "languageId")
    return not isinstance(named, str) or named.lower() in language.kernels


def _runs_usual(notebook: Mapping[str, Any]) -> bool:
    """Return whether the kernel that a notebook is run by is the usual one, whatever is noted beside its
    name.
    """
    named = _value_at_keys(notebook, "metadata", "kernelspec", "name")
    return not isinstance(named, str) or named.lower().startswith(DEFAULT.kernels)


def _kernel_language(notebook: Mapping[str, Any]) -> str:
    """Return the language of the notebook's kernel; the usual one where nothing says."""
    for place in (("kernelspec", "language"), ("language_info", "name"), ("kernelspec", "name")):
        named = _value_at_keys(notebook, "metadata", *place)
        if isinstance(named, str) and named:
            bare = named.lower()
            if place == ("kernelspec", "name"):
                return {"ir": "R", "julia": "Julia"}.get(bare.split("-")[0], DEFAULT.kernels[0])
            return named
    return DEFAULT.kernels[0]


def _value_at_keys(value: object, *keys: str) -> object:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _source_lines(source: object) -> list[str]:
    if isinstance(source, str):
        return [source]
    return [line for line in source if isinstance(line, str)] if isinstance(source, list) else []


def _encode_utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace").replace(b"\0", b" ")


# ------------------------------------------------------------------------------------- places in the JSON

_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{}:,]', re.DOTALL)
_PIECE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]+", re.DOTALL
)


class _Stretch(Record):
    """Bytes of a notebook's file."""

    start: int
    end: int


class JsonEdit(Record):
    """A stretch of a notebook's file, and what is to stand there."""

    start: int
    end: int
    text: str


class JsonPlaces:
    """Finds the places of code in a notebook's own text, where every line of code is a JSON string."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._starts = [0, *(found.end() for found in re.finditer(rb"\r\n|\n|\r", data))]
        self._cells: dict[int, list[tuple[int, int]]] = {}
        for one in _source_strings(data):
            self._cells.setdefault(one.cell, []).append((one.start, one.end))

    def position(self, cell: int, offset: int, *, behind: bool = False) -> Position:
        """Return the line and column, in the file, of the byte `offset` of a cell's code; or what is behind
        it.
        """
        found = self._character_range(cell, offset)
        return self.place(found.end if behind else found.start)

    def place(self, raw: int) -> Position:
        """Return the line and column of a byte of the file."""
        line = bisect_right(self._starts, raw)
        before = self._data[self._starts[line - 1] : raw]
        return Position(line, len(before.decode("utf-8", "replace")) + 1)

    def offset(self, place: Position) -> int:
        """Return the inverse of `place`."""
        start = self._starts[place.line - 1]
        end = self._starts[place.line] if place.line < len(self._starts) else len(self._data)
        before = self._data[start:end].decode("utf-8", "replace")[: place.column - 1]
        return start + len(before.encode("utf-8", "replace"))

    def edit(self, cell: int, start: int, end: int, text: str) -> JsonEdit | None:
        """Return the change of the file that puts a text for bytes of a cell's code.

        What is behind the cell is left out; None where there is no such place. A line that has nothing left
        goes with its comma.
        """
        strings = self._cells.get(cell, [])
        ends: list[int] = []
        for first, last in strings:
            size = len(_encode_utf8(json.loads(self._data[first:last])))
            ends.append(size + (ends[-1] if ends else 0))
        end = min(end, ends[-1]) if ends else 0
        if not strings or start > end:
            return None
        one = min(bisect_right(ends, start), len(strings) - 1)
        other = one if start == end else bisect_left(ends, end)
        opening, closing = strings[one], strings[other]
        begun = ends[one - 1] if one else 0
        raw = self._range_in_string(opening[0] + 1, opening[1] - 1, start - begun).start
        behind = raw
        if start < end:
            begun = ends[other - 1] if other else 0
            behind = self._range_in_string(closing[0] + 1, closing[1] - 1, end - 1 - begun).end
        written = json.dumps(text, ensure_ascii=False)[1:-1]
        kept = self._data[opening[0] + 1 : raw] + self._data[behind : closing[1] - 1]
        if kept or written or other - one + 1 == len(strings):
            if one == other:
                return JsonEdit(raw, behind, written)
            whole = f'"{self._data[opening[0] + 1 : raw].decode()}{written}'
            return JsonEdit(opening[0], closing[1], f'{whole}{self._data[behind : closing[1] - 1].decode()}"')
        if other + 1 < len(strings):
            return JsonEdit(opening[0], strings[other + 1][0], "")
        return JsonEdit(strings[one - 1][1], closing[1], "")

    def _character_range(self, cell: int, offset: int) -> _Stretch:
        """Return where the character that a byte belongs to begins and ends in the file."""
        end = 1
        for start, end in self._cells.get(cell, ()):
            decoded = _encode_utf8(json.loads(self._data[start:end]))
            if offset < len(decoded):
                return self._range_in_string(start + 1, end - 1, offset)
            offset -= len(decoded)
        return _Stretch(end - 1, end - 1)

    def _range_in_string(self, start: int, end: int, offset: int) -> _Stretch:
        """As for a byte of a cell, for a byte of the string that is written from `start` to `end`."""
        for piece in _PIECE.finditer(self._data, start, end):
            written = piece[0]
            is_escape = written.startswith(b"\\")
            size = len(_encode_utf8(json.loads(b'"' + written + b'"'))) if is_escape else len(written)
            if offset < size:
                return (
                    _Stretch(*piece.span())
                    if is_escape
                    else _character_bounds(self._data, piece.start() + offset)
                )
            offset -= size
        return _Stretch(end, end)


def _character_bounds(data: bytes, at: int) -> _Stretch:
    start, end = at, at + 1
    while start and 0x80 <= data[start] < 0xC0:
        start -= 1
    while end < len(data) and 0x80 <= data[end] < 0xC0:
        end += 1
    return _Stretch(start, end)


class _SourceString(Record):
    """A string that is a cell's source or a line of it."""

    cell: int
    start: int
    end: int


def _source_strings(data: bytes) -> Iterator[_SourceString]:
    """Yield every string of code in a notebook's file."""
    around: list[bytes | int] = []  # of every open object the last key, of every open list the place in it
    is_value = False
    for token in _TOKEN.finditer(data):
        match token[0]:
            case b"{":
                around.append(b"")
                is_value = False
            case b"[":
                around.append(0)
            case b"}" | b"]":
                if around:
                    around.pop()
            case b":":
                is_value = True
            case b",":
                is_value = False
                if around and isinstance(around[-1], int):
                    around[-1] += 1
            case text:
                if around and isinstance(around[-1], bytes) and not is_value:
                    around[-1] = text
                elif (number := _source_of(around)) is not None:
                    yield _SourceString(number, token.start(), token.end())


def _source_of(around: list[bytes | int]) -> int | None:
    """Return the number of the cell whose source, or a line of it, stands there."""
    match around:
        case [b'"cells"', int() as place, b'"source"'] | [b'"cells"', int() as place, b'"source"', int()]:
            return place + 1
        case _:
            return None
