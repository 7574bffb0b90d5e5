"""Python source that has errors in it, to the shared Tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node as Syntax
from tree_sitter import Parser

from fairlint.syntax import lowering
from fairlint.syntax.python.grammar import LANGUAGE, max_items, without_long_runs
from fairlint.syntax.python.repair import MAX_SIZE, Repair, range_of, ranges_without, repair
from fairlint.syntax.python.statements import UNDERSTOOD, Keep, Statements
from fairlint.syntax.tree import Broken, Gap, Node, Other, Span, Tree

_KEYWORD = re.compile(
    rb"(?:(?:async[ \t]+)?(?:def|class)[ \t]+\w+|(?:async[ \t]+)?(?:for|with)|if|elif|while|except|match"
    rb"|case)\b"
)
_TEXT = re.compile(rb"\"[^\"\n]*\"|'[^'\n]*'")
_WORD = (
    rb"\b(?!(?:and|as|assert|await|class|def|del|elif|else|except|for|from|global|if|import|in|is|lambda|not|or"
    rb"|print|raise|return|while|with|yield)\b)[A-Za-z]+"
)
_PROSE = re.compile(rb"(?:%s\s+){2}%s\b" % (_WORD, _WORD))
"""Three plain words in a row, which no code has: what stands around them are no names either."""


def parse_damaged_source(data: bytes, root: Syntax, parser: Parser, keep: Keep | None) -> Tree:
    """Lower a source in which `root` has errors: what is intact as if it stood alone, the rest as gaps."""
    repaired = repair(data, parser) if len(data) <= MAX_SIZE else Repair(data, frozenset(), (), ())
    if repaired.damage or repaired.data != data:
        ranges = ranges_without(repaired.left_out, len(data))
        readable = without_long_runs(repaired.data)
        root = Parser(LANGUAGE, included_ranges=ranges).parse(readable).root_node
    lowerer = Statements(
        data,
        damaged=True,
        max_items=max_items(root),
        fillers=repaired.fillers,
        keep=keep,
        fragment=lambda span: _damaged_fragment(data, span),
    )
    nodes = lowerer.root(root)
    gaps = [*lowerer.gaps, *(_damage_gap(data, span) for span in repaired.damage)]
    if root.has_error:
        gaps += lowering.error_gaps(repaired.data, root, UNDERSTOOD)
    return Tree(nodes, lowering.merge_gaps(data, gaps))


def _damage_gap(data: bytes, span: Span) -> Gap:
    return Gap(lowering.trim_span(data, span.start, span.end), lowering.SYNTAX_ERROR)


def _damaged_fragment(data: bytes, span: Span) -> Node:
    """Return a Broken with whatever can be made out in a damaged range."""
    keyword = _KEYWORD.match(data, span.start, span.end)
    start = span.start if keyword is None else keyword.end()
    if start == span.end or _PROSE.search(_TEXT.sub(b"''", data[start : span.end])):
        return Broken(span, ())
    parser = Parser(LANGUAGE, included_ranges=[range_of(Span(start, span.end))])
    root = parser.parse(lambda at, _: data[at : span.end]).root_node
    lowerer = Statements(data, damaged=True, max_items=lowering.MAX_ITEMS_OF_HUGE, fillers=frozenset())
    return Broken(span, tuple(_flatten_broken_nodes(lowerer.pieces(root))))


def _flatten_broken_nodes(nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield the nodes, with those inside a Broken instead of it; the remains of an unclosed text
    are nothing.
    """
    for node in nodes:
        if isinstance(node, Broken):
            yield from _flatten_broken_nodes(node.children)
        elif not (isinstance(node, Other) and node.kind == "string_start"):
            yield node
