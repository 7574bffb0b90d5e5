"""The patterns of Python's `match`, from tree-sitter to the shared nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from tree_sitter import Node as Syntax

from fairlint.syntax.depth import TOO_DEEP
from fairlint.syntax.lowering import syntax_children
from fairlint.syntax.python.expressions import Expressions
from fairlint.syntax.python.syntax_nodes import EXTRAS, has_direct_error, span_of
from fairlint.syntax.tree import (
    BoolOp,
    Call,
    Capture,
    Collection,
    CollectionKind,
    Field,
    Item,
    Literal,
    Node,
    Other,
    Span,
    Star,
    Unary,
)


class Patterns(Expressions):
    """Lowers patterns. Inside another pattern, the alternatives of an or-pattern are a BoolOp."""

    def patterns(self, node: Syntax) -> list[Node]:
        """Return the patterns among the children of `node`; a minus sign belongs to the number after it."""
        found: list[Node] = []
        minus: Syntax | None = None
        for child in syntax_children(node):
            if child.type == "-":
                minus = child
            elif child.type in EXTRAS or not (child.is_named or child.type == "_"):
                continue
            else:
                lowered = self.pattern(child)
                if minus is not None:
                    lowered = _negate_literal(Span(minus.start_byte, child.end_byte), lowered)
                    minus = None
                found.append(lowered)
        return found

    def alternatives(self, node: Syntax) -> list[Node]:
        """Return the alternatives of one pattern of a `case`: those of an or-pattern one by one."""
        while node.type in {"case_pattern", "tuple_pattern"}:
            children = [child for child in node.children if child.type not in EXTRAS]
            if node.type == "tuple_pattern":
                children = children[1:-1]
            if len(children) != 1:
                break
            node = children[0]
        if node.type == "union_pattern":
            return self.patterns(node)
        if node.type == "as_pattern" and self.parts(node):
            parts = self.parts(node)
            name = self.text(parts[-1])
            return [Capture(span_of(node), name, inner) for inner in self.alternatives(parts[0])]
        return [self.pattern(node)]

    def pattern(self, node: Syntax) -> Node:
        """Return any pattern."""
        if self.damaged and node.has_error and (node.is_error or has_direct_error(node)):
            return self.mixed(node)
        if self.depth >= self.deepest:
            return self.too_deep(node)
        handler = self._PATTERNS.get(node.type)
        if handler is None:
            return self.expression(node)
        self.depth += 1
        lowered = handler(self, node)
        self.depth -= 1
        return lowered

    def _case_pattern(self, node: Syntax) -> Node:
        found = self.patterns(node)
        return found[0] if len(found) == 1 else Other(span_of(node), node.type, tuple(found))

    def _union_pattern(self, node: Syntax) -> Node:
        return BoolOp(span_of(node), "or", tuple(self.patterns(node)))

    def _as_pattern(self, node: Syntax) -> Node:
        parts = self.parts(node)
        return Capture(span_of(node), self.text(parts[-1]), self.pattern(parts[0]))

    def _lower_wildcard(self, node: Syntax) -> Node:
        if node.start_byte in self.fillers:
            return self.filled(span_of(node))
        return Capture(span_of(node), "_")

    def _lower_dotted_pattern(self, node: Syntax) -> Node:
        names = self.parts(node)
        if node.start_byte in self.fillers:
            return self.filled(span_of(node))
        if len(names) == 1:
            return Capture(span_of(node), self.text(node))
        return self.dotted(names)

    def dotted(self, names: list[Syntax]) -> Node:
        """`a.b.c` where the grammar has a list of names."""
        lowered: Node = self.name(names[0])
        for place, name in enumerate(names[1:], self.depth):
            if place >= self.deepest:
                self.gap(Span(name.start_byte, names[-1].end_byte), TOO_DEEP)
                break
            span = Span(names[0].start_byte, name.end_byte)
            lowered = Field(span, lowered, self.text(name), span_of(name))
        return lowered

    def _class_pattern(self, node: Syntax) -> Node:
        children = self.parts(node)
        arguments: list[Node] = []
        keywords: list[tuple[str | None, Node]] = []
        for child in children[1:]:
            inner = self.parts(child)
            if len(inner) == 1 and inner[0].type == "keyword_pattern":
                # the first identifier is the keyword, not a capture
                value = self.patterns(inner[0])[1:]
                keywords.append(
                    (self.text(self.parts(inner[0])[0]), value[0] if value else self.mixed(child))
                )
            else:
                arguments.append(self.pattern(child))
        return Call(span_of(node), self.dotted(self.parts(children[0])), tuple(arguments), tuple(keywords))

    def _dict_pattern(self, node: Syntax) -> Node:
        items: list[Item] = []
        self.depth += 1
        key: Node | None = None
        minus: Syntax | None = None
        for child in syntax_children(node):
            if child.type == "-":
                minus = child
            elif child.type == "splat_pattern":
                items.append(Item(span_of(child), None, self.pattern(child)))
            elif child.type in EXTRAS or not (child.is_named or child.type == "_"):
                continue
            elif key is None:
                key = self.pattern(child)
                if minus is not None:
                    key = _negate_literal(Span(minus.start_byte, child.end_byte), key)
                    minus = None
            else:
                items.append(Item(Span(key.span.start, child.end_byte), key, self.pattern(child)))
                key = None
        self.depth -= 1
        return Collection(span_of(node), "dict", tuple(items))

    def _sequence_pattern(self, node: Syntax) -> Node:
        self.depth += 1
        found = self.patterns(node)
        self.depth -= 1
        kind: CollectionKind = "tuple" if node.type == "tuple_pattern" else "list"
        if kind == "tuple" and len(found) == 1 and all(child.type != "," for child in node.children):
            return found[0]
        return self.sequence(kind, found, span_of(node))

    def sequence(self, kind: CollectionKind, values: list[Node], span: Span) -> Node:
        """Return a Collection of values without keys."""
        return Collection(span, kind, tuple([Item(value.span, None, value) for value in values]))

    def _splat_pattern(self, node: Syntax) -> Node:
        name = node.children[-1]
        return Star(span_of(node), Capture(span_of(name), self.text(name)))

    _PATTERNS: ClassVar[Mapping[str, Callable[[Any, Syntax], Node]]] = {
        "case_pattern": _case_pattern, "union_pattern": _union_pattern, "as_pattern": _as_pattern,
        "_": _lower_wildcard, "dotted_name": _lower_dotted_pattern, "class_pattern": _class_pattern,
        "dict_pattern": _dict_pattern, "list_pattern": _sequence_pattern,
        "tuple_pattern": _sequence_pattern, "splat_pattern": _splat_pattern,
    }  # fmt: skip


def _negate_literal(span: Span, node: Node) -> Node:
    if isinstance(node, Literal) and isinstance(node.value, int | float):
        return Literal(span, -node.value)
    return Unary(span, "-", node)
