"""SQL texts to statements: placeholders are put aside, and the dialects are tried in turn. Loads sqlglot."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from fairlint.analyses.sql.nodes import Sql
from fairlint.analyses.sql.texts import Pieces, Text, scalar, substitute_matches
from fairlint.semantics.values.symbolic import UNKNOWN, Const, Placeholder, Sequence, Table, TextSpan, Value
from fairlint.support.documents import TooDeepError
from fairlint.syntax import tree
from fairlint.syntax.depth import nesting
from fairlint.syntax.tree import Span

PRINTF = re.compile(r"%(?:\((\w+)\))?[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z|j|t|L)?([a-zA-Z%])")
"""A place in a text that a database's driver fills."""
DIALECTS = ("", "mysql", "postgres", "sqlite", "tsql", "bigquery", "oracle", "snowflake")
_JINJA = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_JINJA_VALUE = re.compile(r"\{\{(.*?)\}\}|\$\{(\w+)\}", re.DOTALL)
_JINJA_NAME = re.compile(r"""(?:ref|source)\([^)]*['"](\w+)['"]\s*\)|(\w+)\s*$""")
_JINJA_SETTING = re.compile(r"\s*(?:config|log|set|do)\b")
_QUESTION = re.compile(r"(?:\?\d*|(?<![\w$])\$\d+)(?=\s|$|[),;%|])")
_NAMED = re.compile(r"(?<![:\w]):([A-Za-z_]\w*)")
_MARKS = re.compile(
    r"""'(?:[^']|'')*+'?|"[^"]*"?|`[^`]*`?|--[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|[()\[\]]|\b(?:case|end)\b""",
    re.IGNORECASE,
)
_LEVELS = {"(": 1, "[": 1, "case": 1, ")": -1, "]": -1, "end": -1}

NOWHERE = 1_000_000_000
"""Places of holes that the query itself has."""


def prepare_text(text: Text, given: Mapping[str, str]) -> Text:
    """Return the text with templates and placeholders turned into holes, or into the values that
    are known.
    """
    count = holes = 0

    def value(name: str) -> Pieces:
        nonlocal holes
        if name in given:
            return (TextSpan(given[name]),)
        holes += 1
        shown = name if not name.isdigit() else "_"
        return (Placeholder(UNKNOWN, tree.Name(Span(NOWHERE + holes, NOWHERE + holes + 1), shown)),)

    def template(match: re.Match[str]) -> Pieces:
        if match[1] and _JINJA_SETTING.match(match[1]):
            return (TextSpan(" "),)
        inner = _JINJA_NAME.search(match[1].strip()) if match[1] else None
        if inner is not None and inner[1]:
            return (TextSpan(inner[1]),)
        return value(match[2] or (inner[2] if inner is not None else "_"))

    def printf(match: re.Match[str]) -> Pieces | None:
        nonlocal count
        if match[2] == "%":
            return (TextSpan("%"),)
        if match[2] not in "sdiufgqQwldxcr" or (not match[1] and " " in match[0]):
            return None
        if match[2] == "Q" and not match[1]:
            return value("_")
        name = match[1] or str(count)
        count += not match[1]
        return value(name)

    def question(match: re.Match[str]) -> Pieces:
        nonlocal count
        name = str(int(match[0][1:]) - 1) if match[0][1:] else str(count)
        count += 1
        return value(name)

    def named(match: re.Match[str]) -> Pieces:
        return value(match[1])

    text = substitute_matches(text, _JINJA, lambda _: (TextSpan(" "),))
    text = substitute_matches(text, _JINJA_VALUE, template)
    text = substitute_matches(text, PRINTF, printf)
    text = substitute_matches(text, _QUESTION, question)
    return substitute_matches(text, _NAMED, named)


def parse(text: str, may_read: Callable[[int], bool]) -> list[Sql] | None:
    """Return the statements of a text in the first dialect that reads it; None where none does, or none may
    any more (`may_read(steps)` is asked before each). Raises TooDeepError for one that nests too deeply.

    Where holes stand for more than a value (`WHERE born {condition}`), it is read without them.
    """
    depth = 0
    for mark in _MARKS.finditer(text):
        depth = max(depth + _LEVELS.get(mark[0].lower(), 0), 0)
        if depth > nesting():
            raise TooDeepError(nesting())
    found = _parse_statements(text, may_read)
    if found is None and (bare := _LOOSE_HOLE.sub(lambda match: " " * len(match[0]), text)) != text:
        found = _parse_statements(bare, may_read)
    return found


def _parse_statements(text: str, may_read: Callable[[int], bool]) -> list[Sql] | None:
    with _silence_logger():
        for dialect in DIALECTS:
            if not may_read(len(text)):
                return None
            try:
                found = sqlglot.parse(text, read=dialect or None, error_level=ErrorLevel.RAISE)
            except RecursionError:  # what nests without brackets, as NOT NOT NOT
                raise TooDeepError(nesting()) from None
            except (SqlglotError, ValueError, KeyError, AttributeError, TypeError, IndexError):
                continue  # the parser of an odd text may stumble over itself
            statements = [one for one in found if one is not None]
            if statements and not any(
                isinstance(one, exp.Command | exp.Alias | exp.Column) for one in statements
            ):
                return [_with_lists(one) for one in statements]
    return None


def _with_lists(root: Sql) -> Sql:
    """`x = ANY(ARRAY['a', 'b'])` is `x IN ('a', 'b')`, `x <> ALL(...)` is `x NOT IN (...)`."""
    for node in list(root.find_all(exp.EQ, exp.NEQ)):
        items = _quantified_items(node.expression, "any" if isinstance(node, exp.EQ) else "all")
        if not items:
            continue
        among: Sql = exp.In(this=node.this, expressions=items)
        node.replace(exp.Not(this=among) if isinstance(node, exp.NEQ) else among)
    return root


def _quantified_items(node: Sql, quantifier: str) -> list[Sql]:
    """Return what stands in the list of `ANY(...)` or `ALL(...)`."""
    match node:
        case exp.Any() | exp.All():
            name, inner = ("any" if isinstance(node, exp.Any) else "all"), node.this
        case exp.Anonymous(expressions=[first]):
            name, inner = str(node.this).lower().replace("some", "any"), first
        case _:
            return []
    while isinstance(inner, exp.Paren | exp.Cast):
        inner = inner.this
    if name != quantifier or inner is None or isinstance(inner, exp.Query | exp.Column):
        return []
    if isinstance(inner, exp.Array | exp.Tuple):
        return list(inner.expressions)
    if isinstance(inner, exp.Literal) and inner.is_string and inner.name[:1] == "{":
        parts = inner.name.strip("{}").split(",")
        return [exp.Literal.string(part.strip(' "')) for part in parts]
    return [inner]


_LOOSE_HOLE = re.compile(
    r"(?:(?<=[\w)'\"`\]])(?<!\bfrom)(?<!\bjoin)(?<!\bwhere)(?<!\band)(?<!\bor)(?<!\bby)(?<!\bselect)(?<!\blimit)"
    r"(?<!\bnot)(?<!\bin)(?<!\bon)(?<!\bas)(?<!\bthen)(?<!\belse)(?<!\bwhen)(?<!\bset)(?<!\blike)(?<!\binto)"
    r"(?<!\bvalues)(?<!\bbetween)(?<!\boffset)(?<!\bupdate)(?<!\bdistinct)|(?<=;))\s+qhole\d+q\b"
    r"|^\s*qhole\d+q(?=\s+\w)",
    re.IGNORECASE,
)
"""A hole where no value can stand: behind another value, or before the statement."""


@contextmanager
def _silence_logger() -> Iterator[None]:
    logger = logging.getLogger("sqlglot")
    before = logger.disabled
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = before


def values_of(given: Iterable[Value]) -> dict[str, str]:
    """Return the SQL spelling of what an execution is given, as far as it is known, by place or name."""
    found: dict[str, str] = {}
    for value in given:
        if isinstance(value, Table):
            entries = [(str(key.value), held) for key, held in value.entries if isinstance(key, Const)]
        else:
            items = value.items if isinstance(value, Sequence) else ()
            entries = [(str(place), held) for place, held in enumerate(items)]
        for name, held in entries:
            if spelled := _sql_literal(held):
                found.setdefault(name, spelled)
    return found


def _sql_literal(value: Value) -> str:
    """Return a constant, or a list of constants as `IN %s` and `= ANY(%s)` take it."""
    if (known := scalar(value)) is not None:
        return _sql_constant(known.value)
    match value:
        case Const():
            return _sql_constant(value.value)
        case Sequence(items=items) if items and all(isinstance(item, Const) for item in items):
            return f"({', '.join(map(_sql_literal, items))})"
        case _:
            return ""


def _sql_constant(value: str | float | bool | None) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return "NULL" if value is None else str(value).upper()
