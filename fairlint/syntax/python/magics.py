"""What only IPython understands in a notebook's cell, made blank so that Python remains.

Everything works on bytes and keeps every offset: what is taken out is replaced by as many blanks, or by a
statement that does nothing where the block around it would be empty.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

from fairlint.support.records import Record
from fairlint.syntax.python import sql_magics
from fairlint.syntax.python.tokens import TOKENS

PYTHON_CELLS = frozenset({
    "time", "timeit", "capture", "prun", "memit", "mprun", "lprun", "heat", "snakeviz", "scalene",
    "pyinstrument", "python", "python3", "pyspark", "spark", "local", "px", "ipytest", "notify", "wandb",
    "debug", "cython",
})  # fmt: skip
"""Cell magics behind which Python stands."""
OTHER_CELLS = frozenset({
    "bash", "sh", "zsh", "script", "system", "sx", "!", "cmd", "powershell", "pwsh", "html", "HTML", "svg",
    "SVG", "javascript", "js", "typescript", "latex", "markdown", "md", "sql", "bigquery", "bqsql",
    "sparksql", "R", "r", "ruby", "perl", "julia", "scala", "java", "kotlin", "configure", "ai", "mermaid",
    "graphviz", "dot", "stata", "cypher", "gremlin", "sparql", "fs", "css", "yaml", "json", "cpp", "rust",
    "go",
})  # fmt: skip
"""Cell magics behind which another language stands."""
WHOLE_CELL = frozenset({"md", "sql", "scala", "r", "sh", "fs"})
"""Line magics that speak for the whole cell where they stand alone on its first line."""
RUNS_CODE = frozenset({"time", "timeit", "prun", "memit", "lprun", "mprun"})
"""Line magics behind which Python stands on the same line."""

_CANDIDATE = re.compile(
    rb"^[ \t]*[%!?/,;]|\?[ \t]*\r?$|=[ \t]*[%!]|^[ \t]*(?:pip3?|conda|mamba|cd|ls|cat|mkdir|cp|mv|rm)\b",
    re.MULTILINE,
)
_CELL_MAGIC = re.compile(rb"[ \t]*%%[ \t]*(!|[\w.]+)([^\r\n]*)")
_LINE_MAGIC = re.compile(rb"[ \t]*%[ \t]*(\w[\w.]*)")
_ASSIGNED = re.compile(
    rb"[ \t]*[A-Za-z_\x80-\xff](?:[\w\x80-\xff.,\[\] \t]|'[^'\n]*'|\"[^\"\n]*\")*=[ \t]*(?=[%!])"
)
_HELP = re.compile(rb"[ \t]*(?:\?|[%\w\x80-\xff.*\[\]'\"]+\?\??[ \t]*\r?$)", re.MULTILINE)
_SHELL_LIKE = re.compile(
    rb"[ \t]*(?:(?:pip3?|conda|mamba)[ \t]+[a-z]|(?:cd|ls|cat|mkdir|cp|mv|rm)[ \t]+[\w./~*$\"'-])"
)
_MAGIC_OPTIONS = re.compile(
    rb"(?:[ \t]+(?:-[nrp][ \t]*\d+|-t[ \t]+\d+|-[slTDf][ \t]+\S+|-\w+(?=[ \t])))*[ \t]+(?=[^\s-])"
)
_COMPOUND = re.compile(rb"(?:for|while|with|if|def|class|try|async|match|@)\b|@")
_WRITTEN_PYTHON = re.compile(rb"\.py[ \t\"']*$")
_SAYS_MORE = re.compile(rb"[(:=]")
"""Stands in all Python that does anything; words alone may be of any language."""
_CALLS_PYTHON = re.compile(rb"(?:^|[ \t/])(?:python|pypy)[\d.]*(?=[ \t]|$)")
"""Behind `%%script`, which names a program."""
_TOKEN = re.compile(
    rb"#[^\n]*|(?P<quote>'''|\"\"\"|'|\")|(?P<open>[(\[{])|(?P<close>[)\]}])|\\(?:\r?\n|.)|(?P<end>\n)"
)
_INK = re.compile(rb"[^\r\n]")
_ONLY_TREE = 0x400
"""What `ast.parse` asks of `compile`."""
_AWAIT_ANYWHERE = 0x2000


def plain_python(cell: bytes) -> bytes:
    """Return the Python of one cell, as many bytes as the cell has; all blank where it is another
    language.
    """
    if not _CANDIDATE.search(cell):
        return cell
    start = _first_line(cell)
    while (magic := _CELL_MAGIC.match(cell, start)) is not None:
        name, rest = magic[1].decode("utf-8", "replace"), magic[2]
        if not _is_python(name, rest, cell[magic.end() :]):
            return (
                _query_cell(cell, start, magic.end(), name, rest) if name in sql_magics.CELLS else blank(cell)
            )
        kept = _setup_code(name, rest)
        cell = cell[:start] + _line_instead(cell[start : magic.end()], kept) + cell[magic.end() :]
        if kept:
            break
        start = _first_line(cell)
    whole = _LINE_MAGIC.match(cell, start)
    if whole is not None and whole[1].decode("utf-8", "replace") in WHOLE_CELL:
        end = _line_end(cell, whole.end())
        alone = not cell[whole.end() : end].strip()
        # such a line speaks for the cell in some systems; in others it is a line, and Python follows
        is_other = not (_SAYS_MORE.search(cell, end) and compiles(cell[end:]))
        if alone and is_other and whole[1] == b"sql":
            return _query_cell(cell, start, whole.end(), "sql", b"")
        if is_other and (alone or whole[1] == b"md"):
            return blank(cell)
    out = bytearray(cell)
    for one in _cell_replacements(cell):
        out[one.start : one.end] = one.text
    return bytes(out)


def _query_cell(cell: bytes, start: int, end: int, name: str, rest: bytes) -> bytes:
    """Return a cell of SQL as a text of Python; what closes it stands behind the cell."""
    body = cell[end:]
    room = len(cell[start:end].rstrip(b"\r"))
    opened = sql_magics.cell(name, rest, body, room)
    if opened is None:
        return blank(cell)
    opening, closing = opened
    return blank(cell[:start]) + opening.ljust(end - start) + body + closing


def blank(text: bytes) -> bytes:
    """As many bytes, and the same lines, with nothing on them."""
    return _INK.sub(b" ", text)


def compiles(code: bytes) -> bool:
    """Return whether this is Python to the Python that runs, or nests too deep for it to say so."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(code, "<cell>", "exec", _ONLY_TREE | _AWAIT_ANYWHERE, dont_inherit=True)
    except SyntaxError as error:
        return "too many nested" in str(error.msg)
    except (ValueError, OverflowError):
        return False
    except (RecursionError, MemoryError):
        return True
    return True


def _is_python(name: str, rest: bytes, body: bytes) -> bool:
    if name in {"writefile", "file"}:
        return bool(_WRITTEN_PYTHON.search(rest.rstrip()))
    if name in PYTHON_CELLS or (name == "script" and _CALLS_PYTHON.search(rest)):
        return True
    if name in OTHER_CELLS:
        return False
    return compiles(body)


def _setup_code(name: str, rest: bytes) -> bytes:
    """Return the code that stands beside a cell magic: what `%%timeit` runs first."""
    options = _MAGIC_OPTIONS.match(rest) if name == "timeit" else None
    return rest[options.end() :] if options is not None else b""


def _line_instead(line: bytes, kept: bytes) -> bytes:
    """Return a line of the same length with `kept` at its end."""
    if not kept or _COMPOUND.match(kept):
        return blank(line)
    return b"0;".ljust(len(line) - len(kept)) + kept


def _first_line(cell: bytes) -> int:
    """Return where the first line begins that is neither blank nor a comment."""
    at = 0
    while at < len(cell):
        end = _line_end(cell, at)
        text = cell[at:end].strip()
        if text and not text.startswith(b"#"):
            return at
        at = end + 1
    return at


def _line_end(text: bytes, at: int) -> int:
    end = text.find(b"\n", at)
    return len(text) if end < 0 else end


class _Replacement(Record):
    """A stretch of a cell, and as many other bytes for it."""

    start: int
    end: int
    text: bytes


def _cell_replacements(cell: bytes) -> Iterator[_Replacement]:
    """Yield what has to change."""
    at = 0
    while at < len(cell):
        end = _line_end(cell, at)
        if (found := _ASSIGNED.match(cell, at, end)) is not None:
            stop = _continuation_end(cell, end)
            yield _Replacement(found.end(), stop, _value_instead(cell[found.end() : stop]))
            at = stop + 1
        elif _is_special(cell, at, end):
            stop = _continuation_end(cell, end)
            yield _Replacement(at, stop, _statement_instead(cell[at:stop]))
            at = stop + 1
        else:
            at = _logical_end(cell, at) + 1


def _is_special(cell: bytes, at: int, end: int) -> bool:
    line = cell[at:end]
    first = line.lstrip()[:1]
    if not first:
        return False
    if first in b"%!?/,;":
        return True
    if _HELP.match(cell, at, end) is not None and line.rstrip().endswith(b"?"):
        return True
    return _SHELL_LIKE.match(line) is not None and not compiles(line.strip())


def _continuation_end(cell: bytes, end: int) -> int:
    """Return the end of a line for the shell: a backslash takes in the next one."""
    while end < len(cell) and cell[max(end - 2, 0) : end].rstrip(b"\r").endswith(b"\\"):
        end = _line_end(cell, end + 1)
    return end


def _logical_end(cell: bytes, at: int) -> int:
    """Return where the logical line of Python that begins at `at` ends."""
    depth = 0
    while (token := _TOKEN.search(cell, at)) is not None:
        at = token.end()
        kind = token.lastgroup
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth -= depth > 0
        elif kind == "quote":
            end = TOKENS.end(cell, token.start())
            at = _unclosed_text_end(cell, token[0], at) if end is None else end
        elif kind == "end" and depth == 0:
            return token.start()
    return len(cell)


def _unclosed_text_end(cell: bytes, quote: bytes, at: int) -> int:
    return len(cell) if len(quote) > 1 else _line_end(cell, at)


def _code_in(text: bytes) -> tuple[int, bytes]:
    """Return where the Python that a line magic runs begins in its line, and that Python; it may be empty."""
    magic = _LINE_MAGIC.match(text)
    if magic is None or magic[1].decode("utf-8", "replace") not in RUNS_CODE:
        return len(text), b""
    options = _MAGIC_OPTIONS.match(text, magic.end())
    return (len(text), b"") if options is None else (options.end(), text[options.end() :])


def _value_instead(text: bytes) -> bytes:
    """Return what stands for `%time f(x)` or `!ls` behind an equals sign."""
    if (query := sql_magics.line(text)) is not None:
        return query
    start, code = _code_in(text)
    return b" " * start + code if code.strip() else _first_of(text, b"_")


def _statement_instead(text: bytes) -> bytes:
    start, code = _code_in(text)
    indent = text[: len(text) - len(text.lstrip())]
    if (query := sql_magics.line(text[len(indent) :], b"_=")) is not None:
        return indent + query
    if code.strip() and not _COMPOUND.match(code):
        return indent + b"0;".ljust(start - len(indent)) + code
    if not indent:
        return blank(text)
    rest = text[len(indent) :]
    return indent + _first_of(rest, b"pass" if len(rest.split(b"\n", 1)[0].rstrip(b"\r")) >= 4 else b"0")


def _first_of(text: bytes, word: bytes) -> bytes:
    """`word` and blanks, as long as `text`."""
    return word + blank(text)[len(word) :]
