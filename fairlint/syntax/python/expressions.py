"""Python expressions and assignment targets, from tree-sitter to the shared nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar
from typing import Literal as OneOf

from tree_sitter import Node as Syntax

from fairlint.syntax import lowering
from fairlint.syntax.depth import TOO_DEEP, nesting
from fairlint.syntax.lowering import MAX_CHAIN, syntax_children
from fairlint.syntax.python.literals import bytes_value, number_value, text_value
from fairlint.syntax.tree import (
    Assign,
    Binary,
    BoolOp,
    Broken,
    Call,
    Collection,
    CollectionKind,
    Compare,
    CompareOp,
    Comprehension,
    Conditional,
    Field,
    Gap,
    Generator,
    Index,
    Interpolation,
    Item,
    Lambda,
    Literal,
    Name,
    Node,
    Other,
    Parameter,
    Return,
    Slice,
    Span,
    Star,
    Unary,
)

_OF_TEXTS = frozenset(
    {
        "capitalize", "casefold", "count", "endswith", "find", "format", "isalpha", "isdigit", "isnumeric",
        "join", "lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rstrip", "split",
        "splitlines", "startswith", "strip", "swapcase", "title", "upper", "zfill",
    }
)  # fmt: skip
"""Methods of texts, which may be called as functions of the class, too."""
EXTRAS = frozenset({"comment", "line_continuation"})
"""What may stand anywhere and means nothing."""

_TRANSPARENT = frozenset({"parenthesized_expression", "await", "type", "as_pattern_target"})
_SPINE = {"binary_operator": "left", "attribute": "object", "call": "function", "subscript": "value"}
_WORTH_SHARING = 60
"""An operand in the middle of a chained comparison belongs to two Compares; chains inside chains would
make a walk explode."""

_COMPARE_OPS: Mapping[str, CompareOp] = {
    "<": "<", "<=": "<=", "==": "==", "!=": "!=", ">=": ">=", ">": ">", "<>": "!=",
    "in": "in", "not in": "not in", "is": "==", "is not": "!=",
}  # fmt: skip


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
        """The text of `node`, as written."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def gap(self, span: Span, reason: str) -> None:
        """Notes that `span` is not understood."""
        self.gaps.append(lowering.gap(span, reason))

    def parts(self, node: Syntax) -> list[Syntax]:
        """The named children of `node` without comments, cut off where there are too many."""
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
        """Any expression."""
        node = self._unwrap_expression(node)
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
        """The expression in a field of `node`; Broken where the field is missing."""
        child = node.child_by_field_name(name)
        return Broken(Span(node.end_byte, node.end_byte), ()) if child is None else self.expression(child)

    def expressions(self, node: Syntax) -> tuple[Node, ...]:
        """All named children of `node` as expressions."""
        found = [self.expression(child) for child in self.parts(node)]
        return tuple(found)

    def one_or_tuple(self, nodes: list[Syntax], span: Span, *, comma: bool = False) -> Node:
        """A single expression, or a tuple of several (or of one with a comma behind it)."""
        if len(nodes) == 1 and not comma:
            return self.expression(nodes[0])
        return Collection(span, "tuple", self._lower_items(nodes))

    def pieces(self, node: Syntax) -> tuple[Node, ...]:
        """Whatever can be lowered inside broken code."""
        return self.expressions(node)

    def mixed(self, node: Syntax) -> Node:
        """A Broken with what can be lowered inside `node`."""
        span = span_of(node)
        if self.depth >= self.deepest:
            return self.too_deep(node)
        self.depth += 1
        lowered = Broken(span, self.pieces(node))
        self.depth -= 1
        return lowered

    def filled(self, span: Span) -> Node:
        """What stands for a damaged range that the repair has taken out."""
        return Broken(span, ())

    def other(self, node: Syntax) -> Node:
        """Anything without a node of its own."""
        return Other(span_of(node), node.type, self.pieces(node))

    def too_deep(self, node: Syntax) -> Node:
        """A Broken, and a gap, where nodes nest further than anybody wants to follow."""
        self.gap(span_of(node), TOO_DEEP)
        return Broken(span_of(node), ())

    def _unwrap_expression(self, node: Syntax) -> Syntax:
        """The expression inside brackets and the like that mean nothing here."""
        while node.type in _TRANSPARENT:
            inner = [child for child in node.named_children if child.type not in EXTRAS]
            if len(inner) != 1 or inner[0].is_error:
                break
            node = inner[0]
        return node

    # ----------------------------------------------------------------------------------- names and literals

    def name(self, node: Syntax) -> Node:
        """A Name, or what stands for the damage where the repair has put one in."""
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

    def _lower_string(self, node: Syntax) -> Node:
        return _join_string_parts(span_of(node), self._string_parts(node))

    def _lower_string_sequence(self, node: Syntax) -> Node:
        parts: list[Node] = []
        for child in self.parts(node):
            if child.type == "string":
                parts.extend(self._string_parts(child))
            else:
                parts.append(self.expression(child))
        return _join_string_parts(span_of(node), parts)

    def _string_parts(self, node: Syntax) -> list[Node]:
        children = self.parts(node)
        if not children or children[0].type != "string_start":
            return [Broken(span_of(node), ())]
        prefix = self.text(children[0]).rstrip("'\"").lower()
        start = children[0].end_byte
        end = children[-1].start_byte if children[-1].type == "string_end" else node.end_byte
        if "b" in prefix:
            return [Literal(span_of(node), bytes_value(self.data[start:end], prefix))]
        if "f" not in prefix and "t" not in prefix:
            return [Literal(span_of(node), text_value(self.data[start:end], prefix))]
        parts: list[Node] = []
        for child in children[1:]:
            if child.type == "string_content":
                raw = self.data[child.start_byte : child.end_byte].replace(b"{{", b"{").replace(b"}}", b"}")
                parts.append(Literal(span_of(child), text_value(raw, prefix)))
            elif child.type == "interpolation":
                self._lower_interpolation(child, parts)
            elif child.type != "string_end":
                parts.append(self.expression(child))
        return parts or [Literal(span_of(node), "")]

    def _lower_interpolation(self, node: Syntax, parts: list[Node]) -> None:
        if self.depth >= self.deepest:
            parts.append(self.too_deep(node))
            return
        self.depth += 1
        for child in self.parts(node):
            if child.type == "format_specifier":
                for inner in self.parts(child):
                    self._lower_interpolation(inner, parts)
            elif child.type != "type_conversion":
                parts.append(self.expression(child))
        self.depth -= 1

    # -------------------------------------------------------------------------------- operators and accesses

    def _lower_spine(self, node: Syntax) -> Node:
        """A chain of operators, attributes, calls and indexes, along its left side and without recursion."""
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
            node = self._unwrap_expression(inner)
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
            node = self._unwrap_expression(left)
        else:
            if operands:
                operands.append(node)
        return Broken(span, tuple([self.expression(operand) for operand in reversed(operands)]))

    def _lower_binary(self, node: Syntax, left: Node) -> Node:
        operator = node.child_by_field_name("operator")
        return Binary(span_of(node), operator.type if operator else "+", left, self.field(node, "right"))

    def _lower_attribute(self, node: Syntax, value: Node) -> Node:
        name = node.child_by_field_name("attribute")
        if name is None:
            return Broken(span_of(node), (value,))
        return Field(span_of(node), value, self.text(name), span_of(name))

    def _lower_subscript(self, node: Syntax, value: Node) -> Node:
        indexes = node.children_by_field_name("subscript")
        if not indexes:
            return Broken(span_of(node), (value,))
        span = Span(indexes[0].start_byte, indexes[-1].end_byte)
        comma = any(child.type == "," for child in node.children[3:])
        return Index(span_of(node), value, self.one_or_tuple(indexes, span, comma=comma))

    def _lower_call(self, node: Syntax, function: Node) -> Node:
        given = node.child_by_field_name("arguments")
        arguments: list[Node] = []
        keywords: list[tuple[str | None, Node]] = []
        if given is not None and given.type == "generator_expression":
            arguments.append(self.expression(given))
        elif given is not None:
            self.arguments(given, arguments, keywords)
        match function, arguments:
            case Field(value=Name(id="str"), name=name), [first, *rest] if (
                name in _OF_TEXTS and type(first) is not Star
            ):  # `str.lower(x)` is `x.lower()`
                function = Field(span_of(node), first, name, function.name_span)
                arguments = rest
        return Call(span_of(node), function, tuple(arguments), tuple(keywords))

    def arguments(self, node: Syntax, arguments: list[Node], keywords: list[tuple[str | None, Node]]) -> None:
        """Sorts the arguments of a call, or the bases of a class, into positional ones and keywords."""
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

    def _lower_slice(self, node: Syntax) -> Node:
        bounds: list[Node | None] = [None, None, None]
        place = 0
        for child in node.children:
            if child.type == ":":
                place += 1
            elif child.type not in EXTRAS and place < len(bounds):
                bounds[place] = self.expression(child)
        return Slice(span_of(node), *bounds)

    def _lower_unary(self, node: Syntax) -> Node:
        operator = node.child_by_field_name("operator")
        operand = self.field(node, "argument")
        if operator is not None and operator.type == "+":
            return Unary(span_of(node), "+", operand)
        return Unary(span_of(node), "~" if operator is not None and operator.type == "~" else "-", operand)

    def _lower_not(self, node: Syntax) -> Node:
        return Unary(span_of(node), "not", self.field(node, "argument"))

    def _bool_op(self, node: Syntax) -> Node:
        span = span_of(node)
        operator = node.child_by_field_name("operator")
        is_and = operator is not None and operator.type == "and"
        operands: list[Syntax] = []
        while node.type == "boolean_operator":
            operator = node.child_by_field_name("operator")
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if operator is None or left is None or right is None or (operator.type == "and") != is_and:
                break
            operands.append(right)
            node = self._unwrap_expression(left)
        operands.append(node)
        op = "and" if is_and else "or"
        values: list[Node] = []
        for operand in reversed(operands):
            value = self.expression(operand)
            if isinstance(value, BoolOp) and value.op == op:
                values.extend(value.values)
            else:
                values.append(value)
        return BoolOp(span, "and" if is_and else "or", tuple(values))

    def _lower_comparison(self, node: Syntax) -> Node:
        operands: list[Syntax] = []
        operators: list[CompareOp] = []
        for child in node.children:
            kind = child.type
            if not child.is_named and kind in _COMPARE_OPS:
                operators.append(_COMPARE_OPS[kind])
            elif kind not in EXTRAS:
                operands.append(child)
        values = [self.expression(operand) for operand in operands]
        if len(values) != len(operators) + 1 or not operators:
            return Broken(span_of(node), tuple(values))
        if any(operand.descendant_count > _WORTH_SHARING for operand in operands[1:-1]):
            return Other(span_of(node), node.type, tuple(values))
        pairs = [
            Compare(Span(operands[at].start_byte, operands[at + 1].end_byte), op, values[at], values[at + 1])
            for at, op in enumerate(operators)
        ]
        return pairs[0] if len(pairs) == 1 else BoolOp(span_of(node), "and", tuple(pairs))

    def _lower_conditional(self, node: Syntax) -> Node:
        values = self.expressions(node)
        if len(values) != 3:
            return Broken(span_of(node), values)
        then, test, otherwise = values
        return Conditional(span_of(node), test, then, otherwise)

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
        """An annotation as written, on one line."""
        return "" if node is None else " ".join(self.text(node).split())

    def parameters(self, node: Syntax | None) -> tuple[Parameter, ...]:
        """The parameters of a function or lambda, without the `/` and `*` that only separate them."""
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
        "string": _lower_string, "concatenated_string": _lower_string_sequence,
        "binary_operator": _lower_spine, "attribute": _lower_spine, "subscript": _lower_spine,
        "call": _lower_spine,
        "slice": _lower_slice, "unary_operator": _lower_unary, "not_operator": _lower_not,
        "boolean_operator": _bool_op,
        "comparison_operator": _lower_comparison, "conditional_expression": _lower_conditional,
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
        "binary_operator": _lower_binary, "attribute": _lower_attribute, "subscript": _lower_subscript,
        "call": _lower_call,
    }  # fmt: skip


def span_of(node: Syntax) -> Span:
    """The bytes of a syntax node."""
    return Span(node.start_byte, node.end_byte)


def has_direct_error(node: Syntax) -> bool:
    """Whether a child of `node` is an error itself."""
    return node.is_error or any(child.is_error for child in node.children)


def _join_string_parts(span: Span, parts: list[Node]) -> Node:
    """One Literal where all parts are text or all are bytes, else an Interpolation of joined texts."""
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
