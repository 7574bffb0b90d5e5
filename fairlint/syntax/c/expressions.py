"""C expressions, from the grammar's nodes to the shared ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, cast

from tree_sitter import Node as Syntax

from fairlint.syntax import tree as t
from fairlint.syntax.c.literals import number, text_between_quotes
from fairlint.syntax.depth import TOO_DEEP, nesting
from fairlint.syntax.lowering import MAX_CHAIN, MAX_ITEMS, TOO_MANY, syntax_children

if TYPE_CHECKING:
    from fairlint.syntax.c.unit import Unit

_COMPARE = frozenset(("==", "!=", "<", "<=", ">", ">="))
_LOGIC = {"&&": "and", "||": "or"}
_SIGNS: dict[str, Literal["not", "-", "+", "~"]] = {"!": "not", "-": "-", "+": "+", "~": "~"}
_CHAIN_STEP = 4
"""So many links of a chain count as one level of depth."""


class Expressions:
    """Lowers the expressions of one parsed stretch of text that starts at offset `base` of the unit."""

    def __init__(self, unit: Unit, text: bytes, base: int, end: int) -> None:
        self.unit = unit
        self.text = text
        self.base = base
        self.end = end
        self.depth = 0
        self.deepest = nesting()

    # ------------------------------------------------------------------------------------------------ basics

    def span(self, node: Syntax) -> t.Span:
        """Return where `node` stands in the source."""
        start, end = node.start_byte + self.base, node.end_byte + self.base
        return t.Span(start, end) if end <= self.end else self.clamp_span(start, end)

    def range(self, start: int, end: int) -> t.Span:
        """Return a range of the parsed text, as offsets into the source."""
        return self.clamp_span(start + self.base, end + self.base)

    def clamp_span(self, start: int, end: int) -> t.Span:
        """Return a span that does not reach into what was added to the text to make it parse."""
        return t.Span(min(start, self.end), min(end, self.end))

    def source(self, node: Syntax) -> str:
        """Return the text of `node`."""
        return self.text[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def written(self, start: int, end: int) -> str:
        """Return a range of the parsed text as written, on one line."""
        return " ".join(self.text[start:end].decode("utf-8", "replace").replace("\\\n", " ").split())

    def expression(self, node: Syntax) -> t.Node:
        """Lower any node that stands for a value."""
        node = unwrap(node)
        handler = _EXPRESSIONS.get(node.type)
        if handler is None:
            return self.other(node)
        if self.depth >= self.deepest:
            return self.too_deep(node)
        self.depth += 1
        result = handler(self, node)
        self.depth -= 1
        return result

    def optional(self, node: Syntax | None) -> t.Node | None:
        """Lower a node that may be missing."""
        return None if node is None else self.expression(node)

    def required(self, parent: Syntax, field: str) -> t.Node:
        """Lower the child that the grammar promises; broken code may lack it."""
        node = parent.child_by_field_name(field)
        return t.Broken(self.span(parent), ()) if node is None else self.expression(node)

    def too_deep(self, node: Syntax) -> t.Node:
        """Return what stands for code below the depth limit."""
        return self.left_out(node, TOO_DEEP)

    def left_out(self, node: Syntax, reason: str) -> t.Node:
        """Return what stands for code that is not looked into, and the gap that says so."""
        span = self.span(node)
        self.unit.gap(span, reason)
        return t.Broken(span, ())

    def values(self, node: Syntax) -> list[Syntax]:
        """Return the named children of a list; an excessive rest is a gap."""
        if node.child_count <= MAX_ITEMS:
            return node.named_children
        found: list[Syntax] = []
        for child in syntax_children(node):
            if len(found) >= MAX_ITEMS // 2:
                self.unit.gap(self.range(child.start_byte, node.end_byte), TOO_MANY)
                break
            if child.is_named:
                found.append(child)
        return found

    def children(self, node: Syntax) -> tuple[t.Node, ...]:
        """Return everything inside `node`, statements and expressions alike."""
        if self.depth >= self.deepest:
            return (self.too_deep(node),) if node.named_child_count else ()
        self.depth += 1
        out: list[t.Node] = []
        for child in self.values(node):
            self.anything(child, out)
        self.depth -= 1
        return tuple(out)

    def anything(self, node: Syntax, out: list[t.Node]) -> None:
        """Lower a node of unknown nature; the statements' lowering knows more kinds."""
        out.append(self.expression(node))

    def other(self, node: Syntax) -> t.Node:
        """Return a node without a counterpart among the shared ones."""
        if node.type == "ERROR":
            return t.Broken(self.span(node), self.children(node))
        return t.Other(self.span(node), node.type, self.children(node))

    # ---------------------------------------------------------------------------------------------- literals

    def name(self, node: Syntax) -> t.Node:
        """Return an identifier."""
        return t.Name(self.span(node), self.source(node))

    def number(self, node: Syntax) -> t.Node:
        """Return a number; the grammar takes a sign into it, the shared tree does not."""
        text = self.source(node)
        span = self.span(node)
        if text[:1] in ("-", "+"):
            value = number(text[1:].strip())
            if value is not None:
                operand = t.Literal(t.Span(span.start + 1, span.end), value)
                return t.Unary(span, "-" if text[0] == "-" else "+", operand)
        value = number(text)
        return t.Other(span, node.type, ()) if value is None else t.Literal(span, value)

    def quoted(self, node: Syntax) -> t.Node:
        """Return a character or a string."""
        return t.Literal(self.span(node), text_between_quotes(self.source(node)))

    def joined(self, node: Syntax) -> t.Node:
        """Adjacent strings, perhaps with macros like PRIu64 between them."""
        parts: list[t.Node] = []
        texts: list[str] = []
        for child in self.values(node):
            if child.type == "string_literal":
                texts.append(text_between_quotes(self.source(child)))
                parts.append(self.quoted(child))
            elif child.type != "comment":
                parts.append(self.expression(child))
        span = self.span(node)
        return (
            t.Literal(span, "".join(texts))
            if len(texts) == len(parts)
            else t.Interpolation(span, tuple(parts))
        )

    def truth(self, node: Syntax) -> t.Node:
        """Lower `true` and `false`."""
        return t.Literal(self.span(node), node.type == "true")

    def null(self, node: Syntax) -> t.Node:
        """`NULL` and `nullptr`."""
        return t.Literal(self.span(node), None)

    # --------------------------------------------------------------------------------------------- operators

    def binary(self, node: Syntax) -> t.Node:
        """Return a tower of binary operators; its left side is walked, not recursed into."""
        spine: list[tuple[Syntax, str]] = []
        while node.type == "binary_expression":
            operator = operator_of(node)
            if len(spine) >= MAX_CHAIN and operator not in _LOGIC:
                break
            if operator in _LOGIC:
                if spine:
                    break
                return self.logic(node, operator)
            spine.append((node, operator))
            left = node.child_by_field_name("left")
            if left is None:
                break
            node = unwrap(left)
        too_long = len(spine) >= MAX_CHAIN and node.type == "binary_expression"
        depth = self.depth
        self.depth += len(spine) // _CHAIN_STEP
        result = self.too_deep(node) if too_long or self.depth >= self.deepest else self.expression(node)
        while spine:
            node, operator = spine.pop()
            self.depth = depth + len(spine) // _CHAIN_STEP
            right = self.required(node, "right")
            span = self.span(node)
            if operator in _COMPARE:
                result = t.Compare(span, cast("t.CompareOp", operator), result, right)
            else:
                result = t.Binary(span, operator, result, right)
        self.depth = depth
        return result

    def logic(self, node: Syntax, operator: str) -> t.Node:
        """Lower `a && b && c`, flattened whichever way it was bracketed."""
        values: list[t.Node] = []
        stack = [node]
        while stack:
            current = unwrap(stack.pop())
            if current.type == "binary_expression" and operator_of(current) == operator:
                for side in ("right", "left"):
                    child = current.child_by_field_name(side)
                    if child is not None:
                        stack.append(child)
            elif len(values) >= MAX_ITEMS:
                values.append(self.left_out(current, TOO_MANY))
                break
            else:
                values.append(self.expression(current))
        return t.BoolOp(self.span(node), "and" if operator == "&&" else "or", tuple(values))

    def unary(self, node: Syntax) -> t.Node:
        """`!x`, `-x`, `+x`, `~x`."""
        sign = _SIGNS.get(operator_of(node))
        if sign is None:
            return self.other(node)
        return t.Unary(self.span(node), sign, self.required(node, "argument"))

    def pointer(self, node: Syntax) -> t.Node:
        """`*p` is `p[0]`, `&x` is `x`."""
        operator = node.child_by_field_name("operator")
        argument = node.child_by_field_name("argument")
        if operator is None or argument is None:
            return self.other(node)
        if operator.type == "&":
            return self.expression(argument)
        inner = unwrap(argument)
        if inner.type == "pointer_expression" and operator_of(inner) == "&":
            return self.required(inner, "argument")
        return t.Index(self.span(node), self.expression(inner), t.Literal(self.span(operator), 0))

    def field(self, node: Syntax) -> t.Node:
        """`p->x`, `s.x` and `(*p).x` alike."""
        argument = node.child_by_field_name("argument")
        name = node.child_by_field_name("field")
        if argument is None or name is None:
            return self.other(node)
        argument = unwrap(argument)
        if argument.type == "pointer_expression" and operator_of(argument) == "*":
            argument = argument.child_by_field_name("argument") or argument
        value = self.expression(argument)
        return t.Field(self.span(node), value, self.source(name), self.span(name))

    def subscript(self, node: Syntax) -> t.Node:
        """`a[i]`."""
        return t.Index(self.span(node), self.required(node, "argument"), self.required(node, "index"))

    def call(self, node: Syntax) -> t.Node:
        """Return a function call, or a macro that looks like one."""
        function = self.required(node, "function")
        arguments = node.child_by_field_name("arguments")
        if arguments is None:
            return t.Call(self.span(node), function, ())
        return t.Call(self.span(node), function, tuple(map(self.expression, self.values(arguments))))

    def conditional(self, node: Syntax) -> t.Node:
        """Lower `a ? b : c`; a ladder of them is walked, not recursed into."""
        rungs: list[tuple[Syntax, t.Node, t.Node]] = []
        depth = self.depth
        current = node
        while (
            current.type == "conditional_expression" and len(rungs) < MAX_CHAIN and self.depth < self.deepest
        ):
            test = self.required(current, "condition")
            consequence = current.child_by_field_name("consequence")
            rungs.append((current, test, test if consequence is None else self.expression(consequence)))
            self.depth = depth + len(rungs) // _CHAIN_STEP
            otherwise = current.child_by_field_name("alternative")
            if otherwise is None:
                break
            current = unwrap(otherwise)
        if current.type == "conditional_expression":
            result = self.too_deep(current)
        else:
            result = self.expression(current)
        for owner, test, then in reversed(rungs):
            result = t.Conditional(self.span(owner), test, then, result)
        self.depth = depth
        return result

    def assignment(self, node: Syntax) -> t.Assign:
        """Lower `a = b = v` has two targets; `a += v` has an operator."""
        operator = operator_of(node)
        targets = [self.required(node, "left")]
        right = node.child_by_field_name("right")
        while operator == "=" and right is not None:
            inner = unwrap(right)
            if inner.type != "assignment_expression" or operator_of(inner) != "=":
                break
            targets.append(self.required(inner, "left"))
            right = inner.child_by_field_name("right")
        op = None if operator == "=" else operator.removesuffix("=")
        return t.Assign(self.span(node), tuple(targets), self.optional(right), op)

    def update(self, node: Syntax) -> t.Assign:
        """`x++` is `x += 1`, wherever it stands."""
        operator = node.child_by_field_name("operator")
        sign = operator_of(node)[:1]
        at = self.span(node if operator is None else operator)
        return t.Assign(self.span(node), (self.required(node, "argument"),), t.Literal(at, 1), sign)

    def cast(self, node: Syntax) -> t.Node:
        """`(type)value`, a compound literal `(type){...}` among them."""
        kind = node.child_by_field_name("type")
        written = "" if kind is None else self.written(kind.start_byte, kind.end_byte)
        return t.Cast(self.span(node), written, self.required(node, "value"))

    def sequence(self, node: Syntax) -> t.Node:
        """Lower `a, b, c` used for its value."""
        return t.Other(self.span(node), node.type, tuple(map(self.expression, self.parts(node))))

    def parts(self, node: Syntax) -> list[Syntax]:
        """Return the expressions between the commas of a comma expression."""
        found: list[Syntax] = []
        stack = [node]
        while stack:
            current = stack.pop()
            inner = unwrap(current) if current is node or current.type == "comma_expression" else current
            if inner.type != "comma_expression":
                found.append(current)
                continue
            for side in ("right", "left"):
                child = inner.child_by_field_name(side)
                if child is not None:
                    stack.append(child)
        return found

    def transparent(self, node: Syntax) -> t.Node:
        """`__extension__ x` is `x`; a bracket the grammar could not open stays what it is."""
        if node.named_child_count == 1:
            return self.expression(node.named_children[0])
        return self.other(node)

    # ------------------------------------------------------------------------------------------ initialisers

    def initialiser(self, node: Syntax) -> t.Node:
        """`{1, [MALE] = 5, .age = 3}`."""
        items: list[t.Item] = []
        for child in self.values(node):
            if child.type == "initializer_pair":
                items.extend(self.designated_items(child))
            else:
                items.append(t.Item(self.span(child), None, self.expression(child)))
        return t.Collection(self.span(node), "struct", tuple(items))

    def designated_items(self, node: Syntax) -> list[t.Item]:
        """Return one entry that says where it belongs; `.a.b = v` nests, `[1 ... 3] = v` is three entries."""
        value = self.required(node, "value")
        span = self.span(node)
        designators = node.children_by_field_name("designator")
        items: list[t.Item] = []
        for designator in reversed(designators):
            items = [t.Item(span, key, value) for key in self.keys(designator)]
            value = t.Collection(span, "struct", tuple(items))
        return items or [t.Item(span, None, value)]

    def keys(self, node: Syntax) -> list[t.Node]:
        """Return what a designator selects."""
        if node.type == "subscript_range_designator":
            start = self.required(node, "start")
            end = self.required(node, "end")
            first = start.value if isinstance(start, t.Literal) else None
            last = end.value if isinstance(end, t.Literal) else None
            span = self.span(node)
            if isinstance(first, int) and isinstance(last, int) and 0 <= last - first < 256:
                return [t.Literal(span, index) for index in range(first, last + 1)]
            return [t.Slice(span, start, end, None)]
        inner = node.named_children[0] if node.named_child_count else node
        if node.type == "subscript_designator":
            return [self.expression(inner)]
        return [t.Literal(self.span(inner), self.source(inner))]


def unwrap(node: Syntax) -> Syntax:
    """Return what stands inside any number of parentheses."""
    while node.type == "parenthesized_expression":
        inner = [child for child in node.named_children if child.type != "comment"]
        if len(inner) != 1 or inner[0].type in ("compound_statement", "ERROR"):
            break
        node = inner[0]
    return node


def operator_of(node: Syntax) -> str:
    """Return the operator of an expression, empty where broken code has none."""
    operator = node.child_by_field_name("operator")
    return "" if operator is None else operator.type


_EXPRESSIONS: dict[str, Callable[[Expressions, Syntax], t.Node]] = {
    "identifier": Expressions.name,
    "type_identifier": Expressions.name,
    "field_identifier": Expressions.name,
    "number_literal": Expressions.number,
    "char_literal": Expressions.quoted,
    "string_literal": Expressions.quoted,
    "concatenated_string": Expressions.joined,
    "true": Expressions.truth,
    "false": Expressions.truth,
    "null": Expressions.null,
    "binary_expression": Expressions.binary,
    "unary_expression": Expressions.unary,
    "pointer_expression": Expressions.pointer,
    "field_expression": Expressions.field,
    "subscript_expression": Expressions.subscript,
    "call_expression": Expressions.call,
    "conditional_expression": Expressions.conditional,
    "assignment_expression": Expressions.assignment,
    "update_expression": Expressions.update,
    "cast_expression": Expressions.cast,
    "compound_literal_expression": Expressions.cast,
    "comma_expression": Expressions.sequence,
    "extension_expression": Expressions.transparent,
    "initializer_list": Expressions.initialiser,
}
