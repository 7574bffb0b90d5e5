"""Python's fields, entries, slices and calls, from tree-sitter to the shared nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node as Syntax

from fairlint.syntax.python.syntax_nodes import EXTRAS, span_of
from fairlint.syntax.tree import Broken, Call, Field, Index, Name, Node, Slice, Span, Star

if TYPE_CHECKING:
    from fairlint.syntax.python.expressions import Expressions


_OF_TEXTS = frozenset(name for name, method in vars(str).items() if type(method) is type(str.lower))
"""Methods of texts, which may be called as functions of the class, too."""


def lower_attribute(lowerer: Expressions, node: Syntax, value: Node) -> Node:
    """Return `value.name`."""
    name = node.child_by_field_name("attribute")
    if name is None:
        return Broken(span_of(node), (value,))
    return Field(span_of(node), value, lowerer.text(name), span_of(name))


def lower_subscript(lowerer: Expressions, node: Syntax, value: Node) -> Node:
    """Return `value[index]`."""
    indexes = node.children_by_field_name("subscript")
    if not indexes:
        return Broken(span_of(node), (value,))
    span = Span(indexes[0].start_byte, indexes[-1].end_byte)
    comma = any(child.type == "," for child in node.children[3:])
    return Index(span_of(node), value, lowerer.one_or_tuple(indexes, span, comma=comma))


def lower_call(lowerer: Expressions, node: Syntax, function: Node) -> Node:
    """Return a call of `function`."""
    given = node.child_by_field_name("arguments")
    arguments: list[Node] = []
    keywords: list[tuple[str | None, Node]] = []
    if given is not None and given.type == "generator_expression":
        arguments.append(lowerer.expression(given))
    elif given is not None:
        lowerer.arguments(given, arguments, keywords)
    match function, arguments:
        case Field(value=Name(id="str"), name=name), [first, *rest] if (
            name in _OF_TEXTS and type(first) is not Star
        ):  # `str.lower(x)` is `x.lower()`
            function = Field(span_of(node), first, name, function.name_span)
            arguments = rest
    return Call(span_of(node), function, tuple(arguments), tuple(keywords))


def lower_slice(lowerer: Expressions, node: Syntax) -> Node:
    """Return `lower:upper:step`."""
    bounds: list[Node | None] = [None, None, None]
    place = 0
    for child in node.children:
        if child.type == ":":
            place += 1
        elif child.type not in EXTRAS and place < len(bounds):
            bounds[place] = lowerer.expression(child)
    return Slice(span_of(node), *bounds)
