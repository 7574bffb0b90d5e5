"""Python's operators, from tree-sitter to the shared nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tree_sitter import Node as Syntax

from fairlint.syntax.python.syntax_nodes import EXTRAS, span_of
from fairlint.syntax.tree import BoolOp, Broken, Compare, CompareOp, Conditional, Node, Other, Span, Unary

if TYPE_CHECKING:
    from fairlint.syntax.python.expressions import Expressions


_WORTH_SHARING = 60
"""An operand in the middle of a chained comparison belongs to two Compares; chains inside chains would
make a walk explode."""

_COMPARE_OPS: Mapping[str, CompareOp] = {
    "<": "<", "<=": "<=", "==": "==", "!=": "!=", ">=": ">=", ">": ">", "<>": "!=",
    "in": "in", "not in": "not in", "is": "==", "is not": "!=",
}  # fmt: skip


def lower_unary(lowerer: Expressions, node: Syntax) -> Node:
    """Return `-x`, `+x` or `~x`."""
    operator = node.child_by_field_name("operator")
    operand = lowerer.field(node, "argument")
    if operator is not None and operator.type == "+":
        return Unary(span_of(node), "+", operand)
    return Unary(span_of(node), "~" if operator is not None and operator.type == "~" else "-", operand)


def lower_not(lowerer: Expressions, node: Syntax) -> Node:
    """Return `not x`."""
    return Unary(span_of(node), "not", lowerer.field(node, "argument"))


def lower_bool_op(lowerer: Expressions, node: Syntax) -> Node:
    """Return `a and b and c` as one node."""
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
        node = lowerer.unwrap_expression(left)
    operands.append(node)
    op = "and" if is_and else "or"
    values: list[Node] = []
    for operand in reversed(operands):
        value = lowerer.expression(operand)
        if isinstance(value, BoolOp) and value.op == op:
            values.extend(value.values)
        else:
            values.append(value)
    return BoolOp(span, "and" if is_and else "or", tuple(values))


def lower_comparison(lowerer: Expressions, node: Syntax) -> Node:
    """Return a comparison; a chain of them is joined by `and`."""
    operands: list[Syntax] = []
    operators: list[CompareOp] = []
    for child in node.children:
        kind = child.type
        if not child.is_named and kind in _COMPARE_OPS:
            operators.append(_COMPARE_OPS[kind])
        elif kind not in EXTRAS:
            operands.append(child)
    values = [lowerer.expression(operand) for operand in operands]
    if len(values) != len(operators) + 1 or not operators:
        return Broken(span_of(node), tuple(values))
    if any(operand.descendant_count > _WORTH_SHARING for operand in operands[1:-1]):
        return Other(span_of(node), node.type, tuple(values))
    pairs = [
        Compare(Span(operands[at].start_byte, operands[at + 1].end_byte), op, values[at], values[at + 1])
        for at, op in enumerate(operators)
    ]
    return pairs[0] if len(pairs) == 1 else BoolOp(span_of(node), "and", tuple(pairs))


def lower_conditional(lowerer: Expressions, node: Syntax) -> Node:
    """Return `a if test else b`."""
    values = lowerer.expressions(node)
    if len(values) != 3:
        return Broken(span_of(node), values)
    then, test, otherwise = values
    return Conditional(span_of(node), test, then, otherwise)
