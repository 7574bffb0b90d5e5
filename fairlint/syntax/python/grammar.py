"""Python's grammar, and what a source needs before tree-sitter reads it."""

from __future__ import annotations

import re

from tree_sitter import Node as Syntax
from tree_sitter import Parser, Point, Range

from fairlint.support.expressions import lazy_expression
from fairlint.support.records import replace
from fairlint.syntax import lowering
from fairlint.syntax.depth import TOO_DEEP, nesting
from fairlint.syntax.grammars import grammar
from fairlint.syntax.tree import Gap, Span

LANGUAGE = grammar("tree_sitter_python")
_MANY_BLANKS = 1_000
_FARTHEST = 0xFFFF_FFFF
_LONG_RUN = 64
# of these the scanner of the grammar reads the whole rest again at every line
_COMMENTS = rb"#[^\n'\"\\]*+\n(?:[ \t]*+#[^\n'\"\\]*+\n){%d,}" % (_LONG_RUN - 1)
_CONTINUATIONS = rb"(?<![ \t])(?:[ \t]*+\\\r?\n){%d,}" % _LONG_RUN
_NOT_NEWLINE = lazy_expression(rb"[^\n]")
_INDENT = lazy_expression(rb"\n[ \t\r\f]*")
_LINE = rb"(?m)^([ \t\r\f]*)([^\n]*)"


def parser_for(data: bytes) -> tuple[Parser, bool]:
    """Return a parser, and whether it leaps over many blanks at the start, which keep the places of a source
    that follows others.
    """
    blanks = len(data) - len(data.lstrip(b" "))
    if blanks < _MANY_BLANKS:
        return Parser(LANGUAGE), False
    end = Point(_FARTHEST, _FARTHEST)
    return Parser(LANGUAGE, included_ranges=[Range(Point(0, blanks), end, blanks, _FARTHEST)]), True


def without_long_runs(data: bytes) -> bytes:
    """Return the same number of bytes without the runs of lines that take the scanner a square of their
    length.
    """
    if data.count(b"#") >= _LONG_RUN:
        data = re.sub(_COMMENTS, lambda match: _NOT_NEWLINE.sub(b" ", match[0]), data)
    if data.count(b"\\\n") + data.count(b"\\\r\n") >= _LONG_RUN:
        data = re.sub(_CONTINUATIONS, lambda match: b" " * len(match[0]), data)
    return data


def without_deep_blocks(data: bytes) -> tuple[bytes, list[Gap]]:
    """Return the same number of bytes without the blocks that stand in too many others, and where they are.

    The scanner of the grammar keeps the indents of a few hundred blocks and ends the process after that.
    """
    # what follows other files stands behind as many blanks, which are the indent of one line
    behind_blanks = b"\n" + data.lstrip(b" ")
    if len(set(_INDENT.findall(behind_blanks))) < nesting():
        return data, []
    text = bytearray(data)
    gaps: list[Gap] = []
    indents = [0]
    for line in re.finditer(_LINE, data):
        start, end = line.span(2)
        if start == end:
            continue
        width = len(line[1].expandtabs(8))
        while indents[-1] > width:
            indents.pop()
        if indents[-1] < width:
            indents.append(width)
        if len(indents) > nesting():
            goes_on = gaps and not text[gaps[-1].span.end : start].strip()
            text[start:end] = b" " * (end - start)
            if goes_on:
                gaps[-1] = replace(gaps[-1], span=Span(gaps[-1].span.start, end))
            else:
                text[start : start + 1] = b"0"  # a block has to hold something
                gaps.append(lowering.gap(Span(start, end), TOO_DEEP))
    return bytes(text), gaps


def max_items(root: Syntax) -> int:
    """Return how many items of one list are read in this source."""
    return lowering.MAX_ITEMS_OF_HUGE if root.descendant_count > lowering.HUGE else lowering.MAX_ITEMS
