"""Python's texts: their parts, holes, and texts side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node as Syntax

from fairlint.syntax.python.literals import bytes_value, text_value
from fairlint.syntax.python.syntax_nodes import span_of
from fairlint.syntax.tree import Broken, Interpolation, Literal, Node, Span

if TYPE_CHECKING:
    from fairlint.syntax.python.expressions import Expressions


def lower_string(lowerer: Expressions, node: Syntax) -> Node:
    """Return a text, or one with holes."""
    return _join_string_parts(span_of(node), _string_parts(lowerer, node))


def lower_string_sequence(lowerer: Expressions, node: Syntax) -> Node:
    """Return texts that stand side by side, as one."""
    parts: list[Node] = []
    for child in lowerer.parts(node):
        if child.type == "string":
            parts.extend(_string_parts(lowerer, child))
        else:
            parts.append(lowerer.expression(child))
    return _join_string_parts(span_of(node), parts)


def _string_parts(lowerer: Expressions, node: Syntax) -> list[Node]:
    children = lowerer.parts(node)
    if not children or children[0].type != "string_start":
        return [Broken(span_of(node), ())]
    prefix = lowerer.text(children[0]).rstrip("'\"").lower()
    start = children[0].end_byte
    end = children[-1].start_byte if children[-1].type == "string_end" else node.end_byte
    if "b" in prefix:
        return [Literal(span_of(node), bytes_value(lowerer.data[start:end], prefix))]
    if "f" not in prefix and "t" not in prefix:
        return [Literal(span_of(node), text_value(lowerer.data[start:end], prefix))]
    parts: list[Node] = []
    for child in children[1:]:
        if child.type == "string_content":
            raw = lowerer.data[child.start_byte : child.end_byte].replace(b"{{", b"{").replace(b"}}", b"}")
            parts.append(Literal(span_of(child), text_value(raw, prefix)))
        elif child.type == "interpolation":
            _lower_interpolation(lowerer, child, parts)
        elif child.type != "string_end":
            parts.append(lowerer.expression(child))
    return parts or [Literal(span_of(node), "")]


def _lower_interpolation(lowerer: Expressions, node: Syntax, parts: list[Node]) -> None:
    if lowerer.depth >= lowerer.deepest:
        parts.append(lowerer.too_deep(node))
        return
    lowerer.depth += 1
    for child in lowerer.parts(node):
        if child.type == "format_specifier":
            for inner in lowerer.parts(child):
                _lower_interpolation(lowerer, inner, parts)
        elif child.type != "type_conversion":
            parts.append(lowerer.expression(child))
    lowerer.depth -= 1


def _join_string_parts(span: Span, parts: list[Node]) -> Node:
    """Return one Literal where all parts are text or all are bytes, else an Interpolation of joined texts."""
    values = [part.value for part in parts if isinstance(part, Literal)]
    if len(values) == len(parts):
        texts = [value for value in values if isinstance(value, str)]
        if len(texts) == len(values):
            return Literal(span, "".join(texts))
        raw = [value for value in values if isinstance(value, bytes)]
        if len(raw) == len(values):
            return Literal(span, b"".join(raw))
    merged: list[Node] = []
    run: list[str] = []
    start = end = 0
    for part in parts:
        if isinstance(part, Literal) and isinstance(part.value, str):
            if not run:
                start = part.span.start
            run.append(part.value)
            end = part.span.end
            continue
        if run:
            merged.append(Literal(Span(start, end), "".join(run)))
            run = []
        merged.append(part)
    if run:
        merged.append(Literal(Span(start, end), "".join(run)))
    return Interpolation(span, tuple(merged))
