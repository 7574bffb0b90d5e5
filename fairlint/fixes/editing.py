"""Edits of written code that leave everything around them as it is: parts of lists, statements, texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import libcst as cst

from fairlint.support.records import Record
from fairlint.syntax.tree import Span

if TYPE_CHECKING:
    from fairlint.findings.finding import Finding
    from fairlint.fixes.code import Code

_OPENING = re.compile(rb"[ \t\f]*")
_COMMA = re.compile(rb"[ \t\f]*,")
_APART = re.compile(rb"[#\r\n]")
_REST = re.compile(rb"[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\n|\r|\Z)")
_QUOTES = re.compile(r"[A-Za-z]*(\"\"\"|'''|\"|')")


class Change(Record):
    """One stretch of a file and what is to stand there instead."""

    start: int
    end: int
    text: str = ""


class Draft(Record):
    """A fix before its places are known by line."""

    title: str
    changes: tuple[Change, ...]


def without_item(code: Code, items: Sequence[cst.CSTNode], index: int) -> Change:
    """Take one of several items out that stand between commas, with the comma and what its line has left.

    There must be another one.
    """
    data, own = code.data, code.span(items[index])
    before = code.span(items[index - 1]).end if index else None
    after = code.span(items[index + 1]).start if index + 1 < len(items) else None
    comma = _COMMA.match(data, own.end)
    end = comma.end() if comma else own.end
    line = code.line(own.start)
    rest = _REST.match(data, end)
    stands_alone = not data[line.start : own.start].strip() and rest is not None
    if stands_alone and rest is not None and (comma or before is None or b"," in data[before : own.start]):
        return Change(line.start, rest.end())
    if after is not None and _APART.search(data, end, after) is None:
        return Change(own.start, after)
    if before is not None:
        first = _COMMA.match(data, before)
        if first is not None and data[first.end() : own.start].strip(b" \t\f"):
            return Change(own.start, end)  # comments and lines between stay
        return Change(first.end() if first is not None and comma else before, end)
    return Change(own.start, end)


def without_statement(code: Code, statement: cst.CSTNode) -> Change | None:
    """Take a statement out that has its lines to itself; `pass` takes its place where it is alone."""
    own = code.span(statement)
    if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) > 1:
        return None
    block = code.parent(statement)
    if not isinstance(block, cst.IndentedBlock | cst.Module):
        return None
    first = code.line(own.start)
    if code.data[first.start : own.start].strip():
        return None
    last = code.line(max(_end_of_text(code.data, own) - 1, own.start))
    if isinstance(block, cst.IndentedBlock) and len(block.body) == 1:
        return Change(own.start, _end_of_text(code.data, last), "pass")
    return Change(first.start, last.end)


def _end_of_text(data: bytes, span: Span) -> int:
    """Return where the text of a span ends, without the blanks and line ends that close a block."""
    return span.start + len(data[span.start : span.end].rstrip())


def quoted_like(code: Code, literal: cst.CSTNode, text: str) -> str:
    """Return a plain word as a text with the quotes of another."""
    quotes = _QUOTES.match(code.text(literal))
    mark = quotes[1] if quotes is not None else '"'
    return f"{mark}{text}{mark}"


def stands_for_group(literal: cst.SimpleString, finding: Finding) -> bool:
    """Return whether a text at the place of a finding is the group that is assumed, and not the name of a
    column.
    """
    first = finding.use.flow[:1]
    names_column = any(step.span == finding.use.span for step in first) and len(finding.use.flow) > 1
    return bool(finding.use.groups and word_of(literal)) and not names_column


def word_of(node: cst.CSTNode | None) -> str | None:
    """Return the text that a literal stands for; None where it is none that is known."""
    if not isinstance(node, cst.SimpleString):
        return None
    value = node.evaluated_value
    return value if isinstance(value, str) else None
