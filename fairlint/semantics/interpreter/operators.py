"""Operators with one operand and with two."""

from __future__ import annotations

from fairlint.semantics.interpreter import loaded_data, operations, typed_numbers, whole_tests
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.interpreter.reads import group_constant
from fairlint.semantics.tables import gradients
from fairlint.semantics.texts import text_filling, text_values
from fairlint.semantics.values import whole_numbers
from fairlint.semantics.values.lift import leaves, map_alternatives
from fairlint.semantics.values.symbolic import (
    Choice,
    Const,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Table,
    Value,
)
from fairlint.syntax import tree
from fairlint.syntax.tree import Node


def evaluate_unary(node: tree.Unary, frame: Frame) -> Value:
    """Return the value of an operator with one operand."""
    decided = typed_numbers.truth if node.op == "not" else typed_numbers.constant
    if (known := decided(node, frame)) is not None:
        return known
    operand = frame.evaluate(node.operand)
    match node.op:
        case "not":
            return operations.negate(whole_tests.truth(operand, node, frame), node)
        case "~" if (
            isinstance(operand, Const)
            and type(operand.value) is int
            and frame.program.conventions.computed is None  # of what type it is in C, nobody knows here
        ):
            return Const(~operand.value)
        case "~":
            return (
                operations.negate(operand, node) if operations.mask_of(operand) else Opaque(frame.text(node))
            )
        case "-":
            if isinstance(operand, Const) and isinstance(operand.value, int | float):
                return Const(-operand.value)
            return Operation("neg", (operand,), node)
        case "+" if isinstance(operand, Operation) and operand.op in operations.TRUTHS:
            return frame.program.facts.counted(operand)
        case _:
            return operand


def evaluate_binary(node: tree.Binary, frame: Frame) -> Value:
    """Return the value of an operator with two operands; a chain of them is gone through in a loop."""
    spine: list[tree.Binary] = []
    left: Node = node
    known: Value | None = None
    while known is None and isinstance(left, tree.Binary):
        known = typed_numbers.constant(left, frame)
        if known is None:
            spine.append(left)
            left = left.left
    if known is not None and not spine:
        return known
    value = _evaluate_operand(left, spine[-1].op, frame, is_left=True) if known is None else known
    for part in reversed(spine):
        right = _evaluate_operand(part.right, part.op, frame)
        flag = group_constant(right, frame) or group_constant(value, frame) if part.op == "&" else None
        if flag is not None and not (operations.mask_of(value) or operations.mask_of(right)):
            value = Protected(flag, part, frame.text(part.left))  # `flags & FLAG_FEMALE`
        elif part.op == "%" and text_values.is_text(value):
            value = _percent_format(value, right, part)
        else:
            if part.op == "@":
                gradients.product(part, frame)
            found = loaded_data.below(part, value, right, frame) or _whole_division(part, value, right, frame)
            found = found or whole_tests.mask_test(part, value, right, frame)
            found = found or operations.arithmetic(part.op, value, right, part)
            value = typed_numbers.divide_in_type(part, found, frame)
    return value


def _evaluate_operand(node: Node, op: str, frame: Frame, *, is_left: bool = False) -> Value:
    """Return the value of an operand; a macro without brackets is other operands there than the value that it
    is.
    """
    if typed_numbers.falls_apart(node, op, frame, is_left=is_left):
        return Opaque(frame.text(node))
    return typed_numbers.of_letter(node, frame.evaluate(node), frame)


def _whole_division(node: tree.Binary, left: Value, right: Value, frame: Frame) -> Value | None:
    """Return what comes of whole numbers where the language cuts off what is left over; None for all else."""
    if node.op not in {"/", "%"} or not frame.program.conventions.divides_whole:
        return None
    if typed_numbers.is_floating(node.left, frame) or typed_numbers.is_floating(node.right, frame):
        return None
    divide = whole_numbers.quotient if node.op == "/" else whole_numbers.remainder
    if not isinstance(left, Choice | Lookup):
        return divide(left, right)
    if not all(divide(end, right) is not None for end in leaves(left)):
        return None
    return map_alternatives(left, lambda end: divide(end, right) or end)


def _percent_format(form: Value, given: Value, node: tree.Binary) -> Value:
    """`form % given`: of a tuple, of a dict by its keys, or of one value."""
    match given:
        case Table(entries=entries):
            named = {
                key.value: (value, text_values.place_of(value) or node.right)
                for key, value in entries
                if isinstance(key, Const) and isinstance(key.value, str)
            }
            return text_filling.printed_by_name(form, named, node)
        case Sequence(items=items) if isinstance(node.right, tree.Collection):
            written = [item.value for item in node.right.items]
            return text_filling.percent_format(form, zip(items, written, strict=False), node)
        case Sequence(items=items):
            return text_filling.percent_format(
                form, [(item, text_values.place_of(item) or node.right) for item in items], node
            )
        case _:
            return text_filling.percent_format(form, [(given, node.right)], node)
