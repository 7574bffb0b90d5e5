"""Python source to the shared Tree, through tree-sitter; broken code included."""

from __future__ import annotations

import re

from tree_sitter import Node as Syntax
from tree_sitter import Parser, Point, Range

from fairlint.syntax import lowering
from fairlint.syntax.grammars import grammar
from fairlint.syntax.python.statements import Keep, Statements
from fairlint.syntax.tree import Tree

LANGUAGE = grammar("tree_sitter_python")
_LONE_CARRIAGE_RETURN = re.compile(rb"\r(?!\n)")
_MANY_BLANKS = 1_000
_FARTHEST = 0xFFFF_FFFF
_LONG_RUN = 64
# of these the scanner of the grammar reads the whole rest again at every line
_COMMENTS = re.compile(rb"#[^\n'\"\\]*+\n(?:[ \t]*+#[^\n'\"\\]*+\n){%d,}" % (_LONG_RUN - 1))
_CONTINUATIONS = re.compile(rb"(?<![ \t])(?:[ \t]*+\\\r?\n){%d,}" % _LONG_RUN)
_NOT_NEWLINE = re.compile(rb"[^\n]")


def parse(data: bytes, keep: Keep | None = None) -> Tree:
    """Parses and lowers a Python source given as UTF-8.

    `keep(start, end, qualified_name)` is asked for every function outside of other functions; where it says
    no, the body of that Function is empty. What is not understood is in the Tree's gaps; no input raises.
    """
    if b"\r" in data:
        data = _LONE_CARRIAGE_RETURN.sub(b"\n", data)
    text = without_long_runs(data)
    blanks = len(data) - len(data.lstrip(b" "))
    parser = Parser(LANGUAGE) if blanks < _MANY_BLANKS else _parser_behind(blanks)
    root = parser.parse(text).root_node
    if not root.has_error:
        lowerer = Statements(data, damaged=False, max_items=max_items(root), fillers=frozenset(), keep=keep)
        body = lowerer.root(root)
        return Tree(body, lowering.merged(data, lowerer.gaps))
    from fairlint.syntax.python.damaged import parse_damaged  # noqa: PLC0415 (most sources are whole)

    if blanks >= _MANY_BLANKS:  # repairing looks at every line by itself
        parser = Parser(LANGUAGE)
        root = parser.parse(text).root_node
    return parse_damaged(data, root, parser, keep)


def _parser_behind(blanks: int) -> Parser:
    """A parser that leaps over blanks at the start, which keep the places of a source that follows others."""
    end = Point(_FARTHEST, _FARTHEST)
    return Parser(LANGUAGE, included_ranges=[Range(Point(0, blanks), end, blanks, _FARTHEST)])


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
