"""Python's grammar, and what a source needs before tree-sitter reads it."""

from __future__ import annotations

import re

from tree_sitter import Node as Syntax
from tree_sitter import Parser, Point, Range

from fairlint.syntax import lowering
from fairlint.syntax.grammars import grammar

LANGUAGE = grammar("tree_sitter_python")
_MANY_BLANKS = 1_000
_FARTHEST = 0xFFFF_FFFF
_LONG_RUN = 64
# of these the scanner of the grammar reads the whole rest again at every line
_COMMENTS = re.compile(rb"#[^\n'\"\\]*+\n(?:[ \t]*+#[^\n'\"\\]*+\n){%d,}" % (_LONG_RUN - 1))
_CONTINUATIONS = re.compile(rb"(?<![ \t])(?:[ \t]*+\\\r?\n){%d,}" % _LONG_RUN)
_NOT_NEWLINE = re.compile(rb"[^\n]")


def parser_for(data: bytes) -> tuple[Parser, bool]:
    """A parser, and whether it leaps over many blanks at the start, which keep the places of a source that
    follows others.
    """
    blanks = len(data) - len(data.lstrip(b" "))
    if blanks < _MANY_BLANKS:
        return Parser(LANGUAGE), False
    end = Point(_FARTHEST, _FARTHEST)
    return Parser(LANGUAGE, included_ranges=[Range(Point(0, blanks), end, blanks, _FARTHEST)]), True


def without_long_runs(data: bytes) -> bytes:
    """The same number of bytes without the runs of lines that take the scanner a square of their length."""
    if data.count(b"#") >= _LONG_RUN:
        data = _COMMENTS.sub(lambda match: _NOT_NEWLINE.sub(b" ", match[0]), data)
    if data.count(b"\\") >= _LONG_RUN:
        data = _CONTINUATIONS.sub(lambda match: b" " * len(match[0]), data)
    return data


def max_items(root: Syntax) -> int:
    """How many items of one list are read in this source."""
    return lowering.MAX_ITEMS_OF_HUGE if root.descendant_count > lowering.HUGE else lowering.MAX_ITEMS
