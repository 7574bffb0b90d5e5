"""Comparisons, `and` and `or`: what is compared with a group is a read of its attribute."""

from __future__ import annotations

from collections.abc import Iterable

from fairlint.semantics.interpreter import operations, typed_numbers, whole_tests
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.interpreter.reads import group_constant
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import UNKNOWN, Const, Opaque, Operation, Protected, Sequence, Value
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.model import Mention


def evaluate_comparison(node: tree.Compare, frame: Frame) -> Value:
    """Return the value of a comparison: a test, or what is known of it."""
    if (known := typed_numbers.truth(node, frame)) is not None:
        return known
    left, right = frame.evaluate(node.left), frame.evaluate(node.right)
    frame.note(node, UNKNOWN, (left, right))
    if node.op in {"==", "!=", "in", "not in"}:
        left, right = _sample_in_comparison(left, right), _sample_in_comparison(right, left)
    if node.op in {"==", "!="}:
        left = _compared_with_group(left, right, node.left, frame)
        right = _compared_with_group(right, left, node.right, frame)
        if (person := operations.person_of_condition(left, right)) is not None:
            test = Operation("asks", (person,), node)
            return test if node.op == "==" else operations.negate(test, node)
    if node.op in {"==", "!=", "in", "not in"}:
        left, right = _named_group(left, right, frame), _named_group(right, left, frame)
    asked = _asked_by_length(node.left, right, node, frame) or _asked_by_length(node.right, left, node, frame)
    if asked is not None:
        return asked
    left, right = (
        typed_numbers.wrap_comparison_side(left, node, frame),
        typed_numbers.wrap_comparison_side(right, node, frame),
    )
    return whole_tests.compare_whole(node.op, left, right, node, frame)


_LENGTHS = range(2, 21)
"""Characters that a group's name may be asked for: more are a limit for what somebody types."""


def _asked_by_length(side: Node, other: Value, node: tree.Compare, frame: Frame) -> Value | None:
    """`len(person.race) == 5`: groups are told apart by how long their names are.

    Whether there is a name at all, or more than a letter or two, tells none apart.
    """
    match side, other:
        case (
            tree.Call(function=tree.Name(id="len"), arguments=(tree.Field(value=tree.Name()) as read,)),
            Const(value=int() as length),
        ) if length in (_LENGTHS if node.op in {"==", "!="} else _LENGTHS[2:]):
            value = frame.evaluate(read)
        case _:
            return None
    if not isinstance(value, Protected) or value.mention.group is not None or value.mention.form != "value":
        return None
    groups = frame.program.vocabulary.attribute(value.mention.attribute).core_groups
    return Operation("asks", (value,), node) if len(groups) > 1 and "no" not in groups else None


def _sample_in_comparison(value: Value, other: Value) -> Value:
    """Return what a record that is written out holds, where it is compared with somebody: a row of rules."""
    if not (isinstance(value, Protected) and value.sample is not None and value.of is not None):
        return value
    asked = other.items if isinstance(other, Sequence) else (other,)
    is_asked = any(
        isinstance(one, Protected) and one.sample is None and one.mention.attribute == value.mention.attribute
        for one in asked
    )
    return value.sample if is_asked else value


def _as_written_beside(value: Value, values: Iterable[Value], frame: Frame) -> Value:
    """Return the same where its bare truth stands beside such a test: `row["sex"] and row["sex"] !=
    person.sex`.
    """
    if isinstance(value, Operation) and value.op == "not":
        asked = _as_written_beside(value.arguments[0], (one for one in values if one is not value), frame)
        return value if asked is value.arguments[0] else operations.negate(asked, value.node)
    if not (isinstance(value, Protected) and value.sample is not None and value.of is not None):
        return value
    attributes = frame.program.dependence.attributes
    others = (one for one in values if not isinstance(one, Protected))
    is_asked = any(value.mention.attribute in attributes(one) for one in others)
    return value.sample if is_asked else value


def _compared_with_group(value: Value, other: Value, node: Node, frame: Frame) -> Value:
    """Return what is compared with the constant of a group (`s == MALE`) holds the attribute, whatever its
    name; so does what a function that nobody knows makes of it (`clean(person.gender) == "female"`).
    """
    if not isinstance(value, Opaque):
        return value
    if isinstance(node, tree.Call) and len(node.arguments) == 1 and isinstance(other, Const):
        return _in_another_form(frame.evaluate(node.arguments[0]), other, frame) or value
    if path_of(node) is None:
        return value
    flag = group_constant(other, frame)
    if flag is None or flag.group is None:
        return value
    mention = Mention(flag.attribute, frame.text(node), flag.words, "ambiguous", "value")
    return Protected(mention, node)


def _in_another_form(given: Value, other: Const, frame: Frame) -> Value | None:
    """Return the attribute that a function is given, where what it makes of it is compared with a group of
    it.
    """
    if not isinstance(given, Protected) or given.mention.form != "value" or not isinstance(other.value, str):
        return None
    vocabulary, attribute = frame.program.vocabulary, given.mention.attribute
    group = vocabulary.group_of(attribute, other.value)
    return None if group is None or vocabulary.is_missing(attribute, group) else given


def _named_group(value: Value, other: Value, frame: Frame) -> Value:
    """Return the groups that constants of an unread class are called after: `race == Race.OTHER_HISPANIC`.

    Of a list only its own items are looked at: one that is put into itself has no end.
    """
    if not isinstance(other, Protected):
        return value
    if not isinstance(value, Sequence):
        return _group_of_class(value, other.mention.attribute, frame)
    items = tuple(_group_of_class(item, other.mention.attribute, frame) for item in value.items)
    is_same = all(new is old for new, old in zip(items, value.items, strict=True))
    return value if is_same else replace(value, items=items)


def _group_of_class(value: Value, attribute: str, frame: Frame) -> Value:
    if not isinstance(value, Opaque):
        return value
    holder, _, name = value.key.rpartition(".")
    if not holder.isidentifier() or not frame.program.conventions.is_constant(name):
        return value
    is_of_class = holder[:1].isupper() and any(
        mention.attribute == attribute for mention in frame.program.vocabulary.mentions(holder)
    )
    return Const(name, label=name) if is_of_class else value


def evaluate_bool_op(node: tree.BoolOp, frame: Frame) -> Value:
    """Return the value of `and` or `or`."""
    if (known := typed_numbers.truth(node, frame)) is not None:
        return known
    values = [typed_numbers.as_truth(frame.evaluate(value), value, frame) for value in node.values]
    values = [_as_written_beside(value, values, frame) for value in values]
    if node.op == "or" and isinstance(values[0], Protected) and all(map(_is_empty, values[1:])):
        return values[0]  # `gender or ""`: of whom nothing is known is of no group either way
    chosen = None
    if node.op == "or" and frame.program.conventions.or_gives_value:
        chosen = operations.one_of_two(values, node)
    return chosen or operations.combine(node.op, values, node)


def _is_empty(value: Value) -> bool:
    return isinstance(value, Const) and not value.label and value.value in {"", None}
