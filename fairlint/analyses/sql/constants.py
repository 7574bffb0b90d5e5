"""Constants of SQL: their values, placeholders, and years that are counted back."""

from __future__ import annotations

from math import isfinite

from sqlglot import exp

from fairlint.analyses.sql.nodes import Sql
from fairlint.analyses.sql.texts import HOLE

ASKED = object()
"""A value that only the run knows: a placeholder."""
OPEN = object()
"""Anything else that is no constant."""
_WRAPS = (
    exp.Paren,
    exp.Cast,
    exp.Lower,
    exp.Upper,
    exp.Trim,
    exp.Collate,
    exp.Coalesce,
    exp.Round,
    exp.Floor,
)


def unwrap_expression(node: Sql) -> Sql:
    """Without brackets, casts and changes of case around it."""
    while isinstance(node, _WRAPS) and isinstance(node.this, Sql):
        node = node.this
    return node


def is_text(node: Sql) -> bool:
    """Return whether a "column" is a text in double quotes, as some databases take it: `gender = "M"`."""
    if not isinstance(node, exp.Column) or not _is_quoted_column(node) or node.table:
        return False
    up = node.parent
    if isinstance(up, exp.EQ | exp.NEQ | exp.Like):
        return node is up.expression and not _is_quoted_column(up.this)
    return isinstance(up, exp.In | exp.Tuple) and node is not up.this and not _is_quoted_column(up.this)


def _is_quoted_column(node: object) -> bool:
    return isinstance(node, exp.Column) and bool(node.this.args.get("quoted"))


def is_placeholder(node: Sql) -> bool:
    """Return whether a node is a place that the run fills."""
    if isinstance(node, exp.Placeholder | exp.Parameter | exp.SessionParameter):
        return True
    return isinstance(node, exp.Column) and HOLE.fullmatch(node.name) is not None


def constant(node: Sql) -> object:
    """Return the constant that a node is: text, number, truth value or None (NULL); else ASKED or OPEN."""
    node = unwrap_expression(node)
    match node:
        case exp.Literal():
            text = str(node.this)
            if HOLE.search(text):
                return ASKED
            return text if node.is_string else _number_or_open(text)
        case exp.Boolean():
            return bool(node.this)
        case exp.Null():
            return None
        case exp.Neg():
            inner = constant(node.this)
            return -inner if isinstance(inner, int | float) else OPEN
        case exp.National():
            return str(node.this)
        case exp.Anonymous() | exp.Concat() | exp.DPipe() if node.find(exp.Placeholder, exp.Parameter):
            return ASKED
        case _ if is_placeholder(node):
            return ASKED
        case exp.Column() if is_text(node):
            return node.name
        case _:
            return OPEN


def _number_or_open(text: str) -> object:
    try:
        number = float(text)
    except ValueError:
        return OPEN
    if not isfinite(number):
        return OPEN
    return int(text) if text.isdecimal() else number


def years_ago(node: Sql) -> float | None:
    """Return the years that a day lies back: `CURRENT_DATE - INTERVAL '40 years'`, `DATEADD(year,
    -40, ...)`.
    """
    for part in node.find_all(exp.Interval):
        unit = str(part.args.get("unit") or "").lower()
        value = constant(part.this) if part.this is not None else None
        if isinstance(value, str) and value.strip().isdigit():
            value = float(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value) if unit.startswith("year") else None
    if isinstance(node, exp.DateAdd | exp.DateSub | exp.TsOrDsAdd):
        unit = str(node.args.get("unit") or "").lower()
        value = constant(node.expression)
        if unit.startswith("year") and isinstance(value, int | float):
            return float(abs(value))
    for text in node.find_all(exp.Literal):
        parts = str(text.this).lower().split()
        if len(parts) == 2 and parts[1].startswith("year") and parts[0].lstrip("+-").isdigit():
            return abs(float(parts[0]))
    return None
