"""What every lowering from tree-sitter shares: its limits, and the gaps that errors leave.

Later stages walk the lowered tree by recursion, so its depth has a bound whatever the source looks like.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from tree_sitter import Node as Syntax

from fairlint.support.records import replace
from fairlint.syntax.depth import TOO_DEEP
from fairlint.syntax.tree import Gap, Span

MAX_CHAIN: Final = 400
"""How long the `elif` chains and left spines of Binary above one node are, taken together."""
MAX_ITEMS: Final = 200_000
"""How many children of one node are read."""
MAX_ITEMS_OF_HUGE: Final = 2_000
"""The same for lists and calls in a source of more than `HUGE` syntax nodes."""
HUGE: Final = 4_000_000

SYNTAX_ERROR: Final = "syntax error"
UNFINISHED: Final = "a statement that is not finished"
TOO_LONG: Final = "too many parts in one chain"
TOO_MANY: Final = "too many items in one list"
TOO_LONG_MACRO: Final = "a macro too long to be read"
LIMITS: Final = frozenset({TOO_DEEP, TOO_LONG, TOO_MANY, TOO_LONG_MACRO})

_CURSOR_FROM = 10_000


def syntax_children(node: Syntax) -> Iterator[Syntax]:
    """Yield the children of `node`, without making millions of objects at once."""
    if node.child_count < _CURSOR_FROM:
        yield from node.children
        return
    cursor = node.walk()
    more = cursor.goto_first_child()
    while more:
        if (child := cursor.node) is not None:
            yield child
        more = cursor.goto_next_sibling()


def error_gaps(data: bytes, root: Syntax, understood: frozenset[str]) -> list[Gap]:
    """Return a gap for each thing that tree-sitter could not parse or had to invent below `root`.

    Children of an error node whose type is `understood` are not part of the gap.
    """
    gaps: list[Gap] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_missing:
            gaps.append(Gap(last_word(data, node.start_byte), SYNTAX_ERROR))
        elif node.is_error:
            start = node.start_byte
            for child in syntax_children(node):
                if child.type in understood:
                    _add_gap(gaps, data, start, child.start_byte)
                    start = child.end_byte
                    if child.has_error:
                        stack.append(child)
            _add_gap(gaps, data, start, node.end_byte)
        elif node.has_error:
            stack.extend(child for child in syntax_children(node) if child.has_error)
    return gaps


def gap(span: Span, reason: str) -> Gap:
    """Return what is said of code that was not understood, or that is beyond a limit."""
    return Gap(span, reason, "limit" if reason in LIMITS else "syntax")


def trim_span(data: bytes, start: int, end: int) -> Span:
    """Return the range without the white space at its ends."""
    text = data[start:end]
    return Span(end - len(text.lstrip()), start + len(text.rstrip())) if text.strip() else Span(start, start)


def merge_gaps(data: bytes, gaps: Iterable[Gap]) -> tuple[Gap, ...]:
    """Return the gaps in source order; those that touch, overlap or have only white space between them are
    one.
    """
    result: list[Gap] = []
    for gap in sorted(gaps, key=lambda gap: (gap.span.start, -gap.span.end)):
        if result:
            last = result[-1]
            nested = gap.span.end <= last.span.end
            if nested or (gap.reason == last.reason and not data[last.span.end : gap.span.start].strip()):
                end = max(last.span.end, gap.span.end)
                result[-1] = replace(last, span=Span(last.span.start, end))
                continue
        result.append(gap)
    return tuple(result)


def _add_gap(gaps: list[Gap], data: bytes, start: int, end: int) -> None:
    span = trim_span(data, start, end)
    if span.start < span.end:
        gaps.append(Gap(span, SYNTAX_ERROR))


def last_word(data: bytes, at: int) -> Span:
    """Return the byte before `at` that is not white space: what is missing at the end of a line is missing
    there.
    """
    end = at
    while end > 0 and data[end - 1 : end].isspace():
        end -= 1
    return Span(max(end - 1, 0), end)
