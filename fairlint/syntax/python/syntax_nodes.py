"""What is asked of tree-sitter's nodes of Python."""

from __future__ import annotations

from tree_sitter import Node as Syntax

from fairlint.syntax.tree import Span

EXTRAS = frozenset({"comment", "line_continuation"})
"""What may stand anywhere and means nothing."""


def span_of(node: Syntax) -> Span:
    """Return the bytes of a syntax node."""
    return Span(node.start_byte, node.end_byte)


def has_direct_error(node: Syntax) -> bool:
    """Return whether a child of `node` is an error itself."""
    return node.is_error or any(child.is_error for child in node.children)
