"""Python expressions and assignment targets, from tree-sitter to the shared nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar
from typing import Literal as OneOf

from tree_sitter import Node as Syntax

from fairlint.syntax import lowering
from fairlint.syntax.depth import TOO_DEEP, nesting
from fairlint.syntax.lowering import MAX_CHAIN, syntax_children
from fairlint.syntax.python.accesses import lower_attribute, lower_call, lower_slice, lower_subscript
from fairlint.syntax.python.literals import number_value
from fairlint.syntax.python.operators import (
    lower_bool_op,
    lower_comparison,
    lower_conditional,
    lower_not,
    lower_unary,
)
from fairlint.syntax.python.string_literals import lower_string, lower_string_sequence
from fairlint.syntax.python.syntax_nodes import EXTRAS, has_direct_error, span_of
from fairlint.syntax.tree import (
    Assign,
    Binary,
    Broken,
    Collection,
    CollectionKind,
    Comprehension,
    Gap,
    Generator,
    Index,
    Item,
    Lambda,
    Literal,
    Name,
    Node,
    Other,
    Parameter,
    Return,
    Span,
    Star,
)

_TRANSPARENT = frozenset({"parenthesized_expression", "await", "type", "as_pattern_target"})
_SPINE = {"binary_operator": "left", "attribute": "object", "call": "function", "subscript": "value"}


class Expressions:
    """Lowers expressions of one source.

    `fillers` are the offsets of names that the repair put in for damage.
    """

    def __init__(self, data: bytes, *, damaged: bool, max_items: int, fillers: frozenset[int]) -> None:
        self.data = data
        self.damaged = damaged
        self.max_items = max_items
        self.fillers = fillers
        self.gaps: list[Gap] = []
        self.depth = 0
        self.deepest = nesting()
        self.chain = 0

    # ------------------------------------------------------------------------------------------- the basics

    def text(self, node: Syntax) -> str:
        """Return the text of `node`, as written."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def gap(self, span: Span, reason: str) -> None:
        """Note that `span` is not understood."""
        self.gaps.append(lowering.gap(span, reason))

    def parts(self, node: Syntax) -> list[Syntax]:
        """Return the named children of `node` without comments, cut off where there are too many."""
        if node.child_count <= self.max_items:
            return [child for child in node.named_children if child.type not in EXTRAS]
        found: list[Syntax] = []
        for count, child in enumerate(syntax_children(node)):
            if count >= self.max_items:
                self.gap(Span(child.start_byte, node.end_byte), lowering.TOO_MANY)
                break
            if child.is_named and child.type not in EXTRAS:
                found.append(child)
        return found

    def expression(self, node: Syntax) -> Node:
        """Return any expression."""
        node = self.unwrap_expression(node)
        kind = node.type
        if kind == "identifier":
            return self.name(node)
        if self.damaged and node.has_error and has_direct_error(node):
            return self.mixed(node)
        if self.depth >= self.deepest:
            return self.too_deep(node)
        self.depth += 1
        handler = self._EXPRESSIONS.get(kind)
        lowered = handler(self, node) if handler else self.other(node)
        self.depth -= 1
        return lowered

    def field(self, node: Syntax, name: str) -> Node:
        """Return the expression in a field of `node`; Broken where the field is missing."""
        child = node.child_by_field_name(name)
        return Broken(Span(node.end_byte, node.end_byte), ()) if child is None else self.expression(child)

    def expressions(self, node: Syntax) -> tuple[Node, ...]:
        """Return all named children of `node` as expressions."""
        found = [self.expression(child) for child in self.parts(node)]
        return tuple(found)

    def one_or_tuple(self, nodes: list[Syntax], span: Span, *, comma: bool = False) -> Node:
        """Return a single expression, or a tuple of several (or of one with a comma behind it)."""
        if len(nodes) == 1 and not comma:
            return self.expression(nodes[0])
        return Collection(span, "tuple", self._lower_items(nodes))

    def pieces(self, node: Syntax) -> tuple[Node, ...]:
        """Whatever can be lowered inside broken code."""
        return self.expressions(node)

    def mixed(self, node: Syntax) -> Node:
        """Return a Broken with what can be lowered inside `node`."""
        span = span_of(node)
        if self.depth >= self.deepest:
            return self.too_deep(node)
        self.depth += 1
        lowered = Broken(span, self.pieces(node))
        self.depth -= 1
        return lowered

    def filled(self, span: Span) -> Node:
        """Return what stands for a damaged range that the repair has taken out."""
        return Broken(span, ())

    def other(self, node: Syntax) -> Node:
        """Anything without a node of its own."""
        return Other(span_of(node), node.type, self.pieces(node))

    def too_deep(self, node: Syntax) -> Node:
        """Return a Broken, and a gap, where nodes nest further than anybody wants to follow."""
        self.gap(span_of(node), TOO_DEEP)
        return Broken(span_of(node), ())

    def unwrap_expression(self, node: Syntax) -> Syntax:
        """Return the expression inside brackets and the like that mean nothing here."""
        while node.type in _TRANSPARENT:
            inner = [child for child in node.named_children if child.type not in EXTRAS]
            if len(inner) != 1 or inner[0].is_error:
                break
            node = inner[0]
        return node

    # ----------------------------------------------------------------------------------- names and literals

    def name(self, node: Syntax) -> Node:
        """Return a Name, or what stands for the damage where the repair has put one in."""
        start = node.start_byte
        end = node.end_byte
        if start in self.fillers:
            return self.filled(Span(start, end))
        if start == end:
            return Broken(Span(start, end), ())
        return Name(Span(start, end), self.data[start:end].decode("utf-8", "replace"))

    def _lower_number(self, node: Syntax) -> Node:
        value = number_value(self.text(node))
        return Other(span_of(node), node.type, ()) if value is None else Literal(span_of(node), value)

    def _lower_true(self, node: Syntax) -> Node:
        return Literal(span_of(node), value=True)

    def _lower_false(self, node: Syntax) -> Node:
        return Literal(span_of(node), value=False)

    def _lower_none(self, node: Syntax) -> Node:
        return Literal(span_of(node), None)

    # -------------------------------------------------------------------------------- operators and accesses

    def _lower_spine(self, node: Syntax) -> Node:
        """Return a chain of operators, attributes, calls and indexes, along its left side and without
        recursion.
        """
        entry = self.depth, self.chain
        links: list[tuple[Syntax, str, int, int]] = []
        while True:
            kind = node.type
            side = _SPINE.get(kind)
            if side is None:
                lowered = self.expression(node)
                break
            inner = node.child_by_field_name(side)
            if inner is None or (links and self.damaged and node.has_error and has_direct_error(node)):
                lowered = self.mixed(node)
                break
            if self.depth >= self.deepest or self.chain >= MAX_CHAIN:
                lowered = self._flatten_operators(node)
                break
            links.append((node, kind, self.depth, self.chain))
            if kind == "binary_operator":
                self.chain += 1
            else:
                self.depth += 1
            node = self.unwrap_expression(inner)
        for link, kind, depth, chain in reversed(links):
            self.depth, self.chain = depth, chain
            lowered = self._LINKS[kind](self, link, lowered)
        self.depth, self.chain = entry
        return lowered

    def _flatten_operators(self, node: Syntax) -> Node:
        span = span_of(node)
        self.gap(span, lowering.TOO_LONG if node.type == "binary_operator" else TOO_DEEP)
        operands: list[Syntax] = []
        while node.type == "binary_operator":
            right, left = node.child_by_field_name("right"), node.child_by_field_name("left")
            if right is not None:
                operands.append(right)
            if left is None:
                break
            node = self.unwrap_expression(left)
        else:
            if operands:
                operands.append(node)
        return Broken(span, tuple([self.expression(operand) for operand in reversed(operands)]))

    def _lower_binary(self, node: Syntax, left: Node) -> Node:
        operator = node.child_by_field_name("operator")
        return Binary(span_of(node), operator.type if operator else "+", left, self.field(node, "right"))

    def arguments(self, node: Syntax, arguments: list[Node], keywords: list[tuple[str | None, Node]]) -> None:
        """Sort the arguments of a call, or the bases of a class, into positional ones and keywords."""
        for child in self.parts(node):
            kind = child.type
            if kind == "keyword_argument":
                name = child.child_by_field_name("name")
                keywords.append((self.text(name) if name else "", self.field(child, "value")))
            elif kind == "dictionary_splat":
                inner = self.parts(child)
                keywords.append((None, self.expression(inner[0]) if inner else self.mixed(child)))
            else:
                arguments.append(self.expression(child))

    def _lower_walrus(self, node: Syntax) -> Node:
        return Assign(span_of(node), (self.field(node, "name"),), self.field(node, "value"))

    def _lower_as_pattern(self, node: Syntax) -> Node:
        children = self.parts(node)
        value = self.expression(children[0]) if children else None
        return Assign(span_of(node), (self.field(node, "alias"),), value)

    def yields(self, node: Syntax) -> Node:
        """`yield` in all its forms."""
        children = self.parts(node)
        return Return(span_of(node), self.expression(children[0]) if children else None, is_yield=True)

    # -------------------------------------------------------------------------------------------- collections

    def _lower_items(self, nodes: list[Syntax]) -> tuple[Item, ...]:
        items: list[Item] = []
        self.depth += 1
        for node in nodes:
            span = span_of(node)
            if node.type == "pair":
                items.append(Item(span, self.field(node, "key"), self.field(node, "value")))
            else:
                items.append(Item(span, None, self.expression(node)))
        self.depth -= 1
        return tuple(items)

    def _lower_collection(self, node: Syntax) -> Node:
        kind: CollectionKind = self._COLLECTIONS[node.type]
        return Collection(span_of(node), kind, self._lower_items(self.parts(node)))

    def _lower_star(self, node: Syntax) -> Node:
        children = self.parts(node)
        return Star(span_of(node), self.expression(children[0])) if children else self.mixed(node)

    def _lower_comprehension(self, node: Syntax) -> Node:
        body = node.child_by_field_name("body")
        key: Node | None = None
        if body is not None and body.type == "pair":
            key = self.field(body, "key")
            element = self.field(body, "value")
        else:
            element = self.field(node, "body")
        clauses: list[tuple[Span, Node, Node, list[Node]]] = []
        for child in self.parts(node):
            if child.type == "for_in_clause":
                sources = child.children_by_field_name("right")
                span = Span(sources[0].start_byte, sources[-1].end_byte) if sources else span_of(child)
                sources = [source for source in sources if source.is_named]
                clauses.append(
                    (span_of(child), self.field(child, "left"), self.one_or_tuple(sources, span), [])
                )
            elif child.type == "if_clause" and clauses:
                start, target, iterable, conditions = clauses.pop()
                conditions.extend(self.expressions(child))
                clauses.append((Span(start.start, child.end_byte), target, iterable, conditions))
        generators = tuple(
            [Generator(span, target, iterable, tuple(tests)) for span, target, iterable, tests in clauses]
        )
        kind = self._COMPREHENSIONS[node.type]
        return Comprehension(span_of(node), kind, element, key, generators)

    # ---------------------------------------------------------------------------- parameters and annotations

    def annotation(self, node: Syntax | None) -> str:
        """Return an annotation as written, on one line."""
        return "" if node is None else " ".join(self.text(node).split())

    def parameters(self, node: Syntax | None) -> tuple[Parameter, ...]:
        """Return the parameters of a function or lambda, without the `/` and `*` that only separate them."""
        found: list[Parameter] = []
        for child in self.parts(node) if node is not None else ():
            kind = child.type
            if kind in {"positional_separator", "keyword_separator", "ERROR"}:
                continue
            named = child.child_by_field_name("name")
            if named is None:
                inner = self.parts(child)
                named = inner[0] if kind == "typed_parameter" and inner else child
            text = self.text(named)
            name = text.lstrip("*").strip()
            value = child.child_by_field_name("value")
            default = None if value is None else self.expression(value)
            span = span_of(child)
            if child.start_byte in self.fillers:
                name, default = "", self.filled(span)
            annotation = self.annotation(child.child_by_field_name("type"))
            star = text[: len(text) - len(text.lstrip("*"))]
            found.append(Parameter(span, name, annotation, default, star))
        return tuple(found)

    def _lower_lambda(self, node: Syntax) -> Node:
        parameters = self.parameters(node.child_by_field_name("parameters"))
        return Lambda(span_of(node), parameters, self.field(node, "body"))

    def _generic_type(self, node: Syntax) -> Node:
        """`list[int]` where the grammar expects a type."""
        children = self.parts(node)
        if len(children) != 2:
            return self.other(node)
        indexes = self.parts(children[1])
        return Index(
            span_of(node), self.expression(children[0]), self.one_or_tuple(indexes, span_of(children[1]))
        )

    def _union_type(self, node: Syntax) -> Node:
        children = self.expressions(node)
        return Binary(span_of(node), "|", *children) if len(children) == 2 else self.other(node)

    # ---------------------------------------------------------------------------------------------- dispatch

    _COLLECTIONS: ClassVar[Mapping[str, CollectionKind]] = {
        "list": "list", "list_pattern": "list", "set": "set", "dictionary": "dict",
        "tuple": "tuple", "tuple_pattern": "tuple", "expression_list": "tuple", "pattern_list": "tuple",
    }  # fmt: skip
    _COMPREHENSIONS: ClassVar[Mapping[str, OneOf["list", "set", "dict", "generator"]]] = {
        "list_comprehension": "list", "set_comprehension": "set",
        "dictionary_comprehension": "dict", "generator_expression": "generator",
    }  # fmt: skip
    _EXPRESSIONS: ClassVar[Mapping[str, Callable[[Any, Syntax], Node]]] = {
        "integer": _lower_number, "float": _lower_number, "true": _lower_true, "false": _lower_false,
        "none": _lower_none,
        "string": lower_string, "concatenated_string": lower_string_sequence,
        "binary_operator": _lower_spine, "attribute": _lower_spine, "subscript": _lower_spine,
        "call": _lower_spine,
        "slice": lower_slice, "unary_operator": lower_unary, "not_operator": lower_not,
        "boolean_operator": lower_bool_op,
        "comparison_operator": lower_comparison, "conditional_expression": lower_conditional,
        "named_expression": _lower_walrus, "as_pattern": _lower_as_pattern, "yield": yields,
        "lambda": _lower_lambda,
        **dict.fromkeys(_COLLECTIONS, _lower_collection),
        "list_splat": _lower_star, "list_splat_pattern": _lower_star, "dictionary_splat": _lower_star,
        "dictionary_splat_pattern": _lower_star, "splat_type": _lower_star,
        **dict.fromkeys(_COMPREHENSIONS, _lower_comprehension),
        "generic_type": _generic_type, "union_type": _union_type,
        "ERROR": mixed,
    }  # fmt: skip
    _LINKS: ClassVar[Mapping[str, Callable[[Any, Syntax, Node], Node]]] = {
        "binary_operator": _lower_binary, "attribute": lower_attribute, "subscript": lower_subscript,
        "call": lower_call,
    }  # fmt: skip
