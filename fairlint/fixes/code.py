"""A Python file as libcst reads it: every node, with the bytes that it stands in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper, ParentNodeProvider

from fairlint.fixes.text import NotFixableError
from fairlint.syntax.python.own_parser import NotParsedError, parse_text
from fairlint.syntax.tree import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

LARGEST = 500_000
"""Bytes of a file that fixes are looked for in."""
DEEPEST = 100
"""How deep nodes may nest in it: what libcst takes for some of them grows by the cube of that."""

_Node = TypeVar("_Node", bound=cst.CSTNode)


class Code:
    """One file: `data` is its text as UTF-8, without a byte-order mark."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        if len(data) > LARGEST:
            raise NotFixableError(f"it is larger than {LARGEST:,} bytes")
        if _syntax_depth(data) > DEEPEST:
            raise NotFixableError(f"its code nests deeper than {DEEPEST} levels")
        text = data.decode("utf-8")
        try:
            module = cst.parse_module(text)
            if module.code != text:
                raise NotFixableError("libcst does not give its text back")
        except (cst.ParserSyntaxError, cst.CSTValidationError, RecursionError, UnicodeError):
            raise NotFixableError("libcst cannot read it") from None
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)  # what was just parsed shares no nodes
        self._spans = wrapper.resolve(ByteSpanPositionProvider)
        self._parents: Mapping[cst.CSTNode, cst.CSTNode] = wrapper.resolve(ParentNodeProvider)

    @cached_property
    def _nodes_by_span(self) -> dict[Span, list[cst.CSTNode]]:
        """All nodes by where they stand, inner ones first."""
        placed: dict[Span, list[cst.CSTNode]] = {}
        for node in self._spans:
            placed.setdefault(self.span(node), []).append(node)
        return placed

    @cached_property
    def _by_kind(self) -> dict[type[cst.CSTNode], list[cst.CSTNode]]:
        by_kind: dict[type[cst.CSTNode], list[cst.CSTNode]] = {}
        for node in self._spans:
            by_kind.setdefault(type(node), []).append(node)
        return by_kind

    def span(self, node: cst.CSTNode) -> Span:
        """Return where a node stands, without blanks around it."""
        found = self._spans[node]
        return Span(found.start, found.start + found.length)

    def whole(self, node: cst.BaseExpression) -> Span:
        """Return where an expression stands with its own parentheses."""
        own = self.span(node)
        start = self.span(node.lpar[0]).start if node.lpar else own.start
        return Span(start, self.span(node.rpar[-1]).end if node.rpar else own.end)

    def text(self, node: cst.CSTNode) -> str:
        """Return a node as written, without blanks around it."""
        span = self.span(node)
        return self.data[span.start : span.end].decode("utf-8")

    def at(self, span: Span, *kinds: type[_Node]) -> _Node | None:
        """Return the innermost node of one of some kinds that stands exactly there."""
        return next((node for node in self._nodes_by_span.get(span, ()) if isinstance(node, kinds)), None)

    def over(self, span: Span, *kinds: type[_Node]) -> _Node | None:
        """Return the innermost node of one of some kinds that holds a place."""
        holding = [
            node
            for node in self.nodes(*kinds)
            if (own := self.span(node)).start <= span.start and span.end <= own.end
        ]
        return min(holding, key=lambda node: self._spans[node].length, default=None)

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """Return what a node is directly in."""
        return self._parents.get(node)

    def around(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Yield what a node is in, the nearest first."""
        above = self.parent(node)
        while above is not None:
            yield above
            above = self.parent(above)

    def nearest(self, node: cst.CSTNode, *kinds: type[_Node]) -> _Node | None:
        """Return a node itself, or the nearest around it, of one of some kinds."""
        return next((one for one in (node, *self.around(node)) if isinstance(one, kinds)), None)

    def nodes(self, *kinds: type[_Node]) -> Iterator[_Node]:
        """Return all nodes of some kinds."""
        return (node for kind, nodes in self._by_kind.items() if issubclass(kind, kinds) for node in nodes)

    def inside(self, node: cst.CSTNode, *kinds: type[_Node]) -> Iterator[_Node]:
        """Yield a node itself and all in it, of some kinds, in their order."""
        stack = [node]
        while stack:
            one = stack.pop()
            if isinstance(one, kinds):
                yield one
            stack.extend(reversed(one.children))

    def line(self, offset: int) -> Span:
        """Return the line that a byte is in, with its ending."""
        data = self.data
        start = max(data.rfind(b"\n", 0, offset), data.rfind(b"\r", 0, offset)) + 1
        if data[start - 1 : start + 1] == b"\r\n":  # the byte is the second half of a line's end
            start = self.line(start - 1).start
        ends = [at for at in (data.find(b"\n", offset), data.find(b"\r", offset)) if at >= 0]
        if not ends:
            return Span(start, len(data))
        end = min(ends)
        return Span(start, end + (2 if data[end : end + 2] == b"\r\n" else 1))


def _syntax_depth(data: bytes) -> int:
    """Return how deep the syntax tree of a file nests; a file that is no Python of ours is not fixable."""
    try:
        top = parse_text(data.decode("utf-8"))
    except (NotParsedError, UnicodeError):
        raise NotFixableError("Python cannot parse it") from None
    deepest, level = 0, [*ast.iter_child_nodes(top)]
    while level:
        deepest += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return deepest
