"""Operations on values: comparing, joining, negating, calculating, looking up."""

from __future__ import annotations

import math
from collections.abc import Iterable

from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.tables import columns
from fairlint.semantics.texts import text_values
from fairlint.semantics.values.marks import marked_name
from fairlint.semantics.values.symbolic import (
    UNKNOWN,
    UNSET,
    Choice,
    Closure,
    Columns,
    Const,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Table,
    Value,
)
from fairlint.semantics.values.traversal import walk
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.comparisons import MIRRORED
from fairlint.syntax.tree import Node
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.words import singular, split_words

MAX_UNROLL = 40
"""Loops over written-out collections up to this size are followed entry by entry."""
MAX_ROUNDS = 500
"""The same for loops within loops, taken together."""


LARGEST = 1e15
"""Larger numbers are not calculated with."""
MOST_BITS = 64
"""Flags that fit into one number of C."""


TRUTHS = frozenset({"==", "<", ">=", "in", "and", "or", "not"})
"""Operators whose result is true or false."""


def combine(op: str, values: Iterable[Value], node: Node) -> Value:
    """`values` joined by `and` or `or`, simplified where a constant decides."""
    kept: list[Value] = []
    for value in values:
        if isinstance(value, Const) and isinstance(value.value, bool):
            if value.value == (op == "or"):
                return value
            continue
        kept.append(value)
    if not kept:
        return Const(op == "and")
    return kept[0] if len(kept) == 1 else Operation(op, tuple(kept), node)


def one_of_two(values: list[Value], node: Node) -> Value | None:
    """Return what `(test and "a") or "b"` gives, which is `"a" if test else "b"`; None where it is anything
    else.
    """
    match values:
        case [Operation(op="and", arguments=(*tests, Const(value=value, label="") as chosen)), *rest] if (
            value
        ):
            test, otherwise = combine("and", tests, node), combine("or", rest, node)
            return Choice(test, chosen, otherwise, node)
        case _:
            return None


def is_mask(value: Value) -> bool:
    """Return whether `value` is a test over people."""
    return mask_of(value) is not None


def mask_of(value: Value) -> Value | None:
    """`value` if it is a test over people, as in `df[df["sex"] == "F"]`."""
    if isinstance(value, Operation) and value.op in {"==", "<", ">=", "in", "and", "or", "not", "&", "|"}:
        return value
    return None


def lookup(table: Value, subject: Value, default: Value | None, node: Node, frame: Frame) -> Value:
    """Return a read of `table` by `subject`; a known key gives its entry at once."""
    is_array = frame.program.conventions.computed is not None
    if isinstance(table, Sequence):
        if isinstance(subject, Const) and isinstance(subject.value, int):
            place, first = int(subject.value), 0 if is_array else -len(table.items)
            return table.items[place] if first <= place < len(table.items) else UNKNOWN
        written = [(Const(place), item) for place, item in enumerate(table.items) if item is not UNSET]
        is_whole = len(written) == len(table.items)
        places = len(table.items) if is_array else 0
        table = Table(tuple(written), table.node, table.name, None if is_whole else UNSET, places)
    if not isinstance(table, Table):
        return Opaque(frame.text(node))
    if isinstance(subject, Const):
        for key, value in table.entries:
            if isinstance(key, Const) and (
                key.value == subject.value or (key.label and key.label == subject.label)
            ):
                return value
        return default or table.fallback or Opaque(frame.text(node))
    if type(subject) is Opaque and (read := frame.program.keyed_by(table, subject.key, node)) is not None:
        subject = read
    return Lookup(subject, table, default or table.fallback, node)


_TURNED = frozenset({">", "<="})
"""Comparisons that are told with their sides exchanged."""
OPPOSITES = {"!=": "==", "not in": "in"}
"""Comparisons that are told as the negation of another."""


def compare(op: str, left: Value, right: Value, node: Node) -> Value:
    """Return a comparison in canonical form: only `==`, `in`, `<` and `>=` remain, others become `not` or
    swap sides.
    """
    if op in OPPOSITES:
        return negate(compare(OPPOSITES[op], left, right, node), node)
    if (bounds := _of_steps(op, left, right, node)) is not None:
        return bounds
    if op in _TURNED:
        return Operation(MIRRORED[op], (right, left), node)
    found = None
    if op == "==":
        found = _simplify_equality(left, right, node)
    elif op == "in":
        found = _simplify_membership(left, right, node)
    return Operation(op, (left, right), node) if found is None else found


def _of_steps(op: str, left: Value, right: Value, node: Node) -> Value | None:
    """`age // 10 == 5`: a number between limits, 50 and 60; None for all else."""
    if op in MIRRORED and _number_and_step(left) is None:
        op, left, right = MIRRORED[op], right, left
    found = _number_and_step(left)
    if found is None:
        return None
    number, size = found
    if op == "in" and isinstance(right, Sequence):
        each = [_of_steps("==", left, one, node) for one in right.items]
        return combine("or", [one for one in each if one is not None], node) if all(each) else None
    if (
        not isinstance(right, Const)
        or isinstance(right.value, bool)
        or not isinstance(right.value, int | float)
    ):
        return None
    step, above = Const(math.ceil(right.value) * size), Const((math.floor(right.value) + 1) * size)
    match op:
        case "==" if right.value == math.floor(right.value):
            return combine(
                "and", (compare(">=", number, step, node), compare("<", number, above, node)), node
            )
        case "<" | ">=":
            return compare(op, number, step, node)
        case "<=" | ">":
            return compare("<" if op == "<=" else ">=", number, above, node)
        case _:
            return None


def _number_and_step(value: Value) -> tuple[Protected, float] | None:
    """Somebody's number, and the size of the steps in which it is counted: `age // 10`."""
    match value:
        case Operation(op="//", arguments=(Protected() as number, Const(value=int() | float() as size))) if (
            is_number(number) and size > 0 and not isinstance(size, bool)
        ):
            return number, size
        case _:
            return None


def in_whole_steps(value: Value) -> Value | None:
    """`age / 10` without its fraction is `age // 10`, as nobody's number is below 0; None for all else."""
    match value:
        case Operation(op="/", arguments=(Protected() as number, Const())) if is_number(number):
            return replace(value, op="//")
        case _:
            return None


def is_number(read: Protected) -> bool:
    """Return whether a read is a number of somebody: an age."""
    return read.mention.form == "number" and read.mention.group is None


def _simplify_equality(left: Value, right: Value, node: Node) -> Value | None:
    """`left == right` where it says less or more than that; None where it is a plain comparison."""
    if isinstance(right, Operation) and right.op == "strcmp":
        left, right = right, left
    if not isinstance(right, Const) or right.label:
        return None
    match left:
        case Operation(op=op) if op in TRUTHS and (right.value is None or right.value is False):
            return negate(left, node)
        case Operation(op=op) if op in TRUTHS and right.value in {0, 1}:
            return left if right.value else negate(left, node)
        case Operation(op="strcmp", arguments=(first, second)) if right.value == 0:
            return compare("==", first, second, node)  # equal texts compare as 0
        case Const(label=""):
            return Const(left.value == right.value)
        case _:
            return None


def _simplify_membership(left: Value, right: Value, node: Node) -> Value | None:
    """`left in right` where it is decided, or is a comparison of numbers; None where it is neither."""
    match left, right:
        case _, Operation(op="range", arguments=(low, high)):
            return combine("and", (compare(">=", left, low, node), compare("<", left, high, node)), node)
        case Const(label=""), Sequence(items=items) if _all_plain(items):
            return Const(any(isinstance(item, Const) and item.value == left.value for item in items))
        case Const(), Columns():
            known = columns.holds(right, left)
            return None if known is None else Const(known)
        case _:
            return None


def settle_test(test: Value) -> Value:
    """Return a test, decided also where it asks for a constant with a name, whose value might be changed."""
    match test:
        case Operation(op="not", arguments=(inner,)):
            return negate(settle_test(inner), test.node)
        case Operation(op="==", arguments=(Const() as left, Const() as right)):
            return Const(left.value == right.value)
        case Operation(op="in", arguments=(Const() as left, Sequence(items=items))) if all(
            isinstance(item, Const) for item in items
        ):
            return Const(any(isinstance(item, Const) and item.value == left.value for item in items))
        case _:
            return test


def _all_plain(items: tuple[Value, ...]) -> bool:
    """Return whether all of these are plain constants."""
    return all(isinstance(item, Const) and not item.label for item in items)


def negate(value: Value, node: Node) -> Value:
    """Logical negation."""
    if isinstance(value, Const) and not value.label:
        return Const(not value.value)
    if isinstance(value, Operation) and value.op == "not":
        return value.arguments[0]
    if isinstance(value, Operation) and value.op == "strcmp":
        return compare("==", value.arguments[0], value.arguments[1], node)
    return Operation("not", (value,), node)


def person_of_condition(left: Value, right: Value) -> Value | None:
    """Return the person of whom a stored condition asks: `applicant.gender == scheme.gender`."""
    match left, right:
        case Protected(mention=one), Protected(mention=other) if one.attribute == other.attribute:
            asking = [_is_condition(side.receiver) for side in (left, right)]
            return None if asking[0] == asking[1] else right if asking[0] else left
        case _:
            return None


def _is_condition(holder: str) -> bool:
    """Return whether a record is called after conditions, or after what people get under some."""
    words = split_words(holder.rpartition(".")[2])
    return bool(words) and singular(words[-1]) in word_lists("reads")["conditions"]


def arithmetic(op: str, left: Value, right: Value, node: Node) -> Value:
    """Arithmetic on two values; masks joined by `&` and `|` become logic, a year less a birth year an age."""
    if op == "+" and (text_values.may_be_text(left) or text_values.may_be_text(right)):
        return _concatenate_texts(left, right, node)
    if op == "<<" and (bit := _fold_flag_shift(left, right)) is not None:
        return bit
    if (number := _fold_constants(op, left, right, node)) is not None:
        return number
    if (joined := _with_bits(op, left, right, node) or _with_bits(op, right, left, node)) is not None:
        return joined
    if op in {"&", "|"} and (mask_of(left) or mask_of(right)) and not (_is_sum(left) or _is_sum(right)):
        return combine("and" if op == "&" else "or", (left, right), node)
    if (joined := columns.joined_names(op, left, right, node)) is not None:
        return joined
    if op == "@" and (total := product(left, right, node)) is not None:
        return total
    if op == "|" and isinstance(left, Table) and isinstance(right, Table):
        return over(left, right, node)
    if op == "-" and _is_length(left, right):
        return Opaque(marked_name(node))
    return _computed_age(op, left, right) or Operation(op, (left, right), node)


def _with_bits(op: str, test: Value, number: Value, node: Node) -> Value | None:
    """Return what the bits of a test, which is 0 or 1, and of a number come to: `sex == 'M' | 'm'` is never
    0.
    """
    if not (isinstance(test, Operation) and test.op in TRUTHS and isinstance(number, Const)):
        return None
    bits = number.value
    if isinstance(bits, bool) or not isinstance(bits, int) or bits < (1 if op == "|" else 2):
        return None
    match op:
        case "|":
            return Const(bits) if bits & 1 else Choice(test, Const(bits | 1), Const(bits), node)
        case "&":
            return test if bits & 1 else Const(0)
        case _:
            return None


def _is_sum(value: Value) -> bool:
    """Return whether a value is a number by how it is made, and no test."""
    if isinstance(value, Const):
        return isinstance(value.value, int | float) and not isinstance(value.value, bool)
    return isinstance(value, Operation) and value.op in {"+", "-", "*", "/", "//", "%", "**", "neg"}


def _computed_age(op: str, left: Value, right: Value) -> Value | None:
    """Return the age that is worked out: `today - birth_date`, less one before the birthday, days by days a
    year.
    """
    if op == "-" and isinstance(right, Protected) and right.mention.form == "date":
        return as_number(right)
    is_age = isinstance(left, Protected) and left.mention.form == "number"
    if op == "-" and is_age and is_birthday(left, right):
        return left
    return left if op in {"//", "/"} and is_age and right_is_year(right) else None


def _is_length(left: Value, right: Value) -> bool:
    """Return whether one number less another is a length of time: `age - age_at_stroke`, `100 -
    age_at_entry`.
    """
    if isinstance(left, Const | Opaque):
        return _is_of_a_moment(right)
    if not (isinstance(left, Protected) and isinstance(right, Protected)):
        return False
    is_one = left.mention.attribute == right.mention.attribute and left.mention.form == right.mention.form
    return is_one and (_is_of_a_moment(left) or _is_of_a_moment(right))


def _is_of_a_moment(value: Value) -> bool:
    """Return whether a number is what a person's was at one moment, by its name: `age_at_entry`."""
    if not isinstance(value, Protected) or value.mention.form != "number":
        return False
    words = split_words(value.mention.identifier.rpartition(".")[2])
    return not word_lists("reads")["at"].isdisjoint(words)


def _concatenate_texts(left: Value, right: Value, node: Node) -> Value:
    """Return `"a" + b`, and `text += b`."""
    match node:
        case tree.Binary(left=first, right=second):
            return text_values.join_values([(left, first), (right, second)], node)
        case tree.Assign(targets=(first, *_), value=second) if second is not None:
            return text_values.join_values([(left, first), (right, second)], node)
        case _:
            return text_values.join_values([(left, node), (right, node)], node)


def _fold_constants(op: str, left: Value, right: Value, node: Node) -> Const | None:
    """Return what two numbers that are written out come to; C's division of whole numbers is
    computed before.
    """
    if not (isinstance(left, Const) and isinstance(right, Const)):
        return None
    one, other = left.value, right.value
    if not (isinstance(one, int | float) and isinstance(other, int | float)):
        return None
    if isinstance(one, bool) or isinstance(other, bool) or max(abs(one), abs(other)) > LARGEST:
        return None
    match op:
        case "+":
            return Const(one + other, "", node)
        case "-":
            return Const(one - other, "", node)
        case "*":
            return Const(one * other, "", node)
        case "/" if other:
            return Const(one / other, "", node)
        case "//" if other:
            return Const(one // other, "", node)
        case "%" if other:
            return Const(one % other, "", node)
        case _:
            return _fold_bit_operation(op, one, other, node)


def _fold_bit_operation(op: str, one: float, other: float, node: Node) -> Const | None:
    """Bits of whole numbers that are written out, and not below 0: no language has others for those."""
    if not (isinstance(one, int) and isinstance(other, int)) or min(one, other) < 0:
        return None
    match op:
        case "&":
            return Const(one & other, "", node)
        case "|":
            return Const(one | other, "", node)
        case "^":
            return Const(one ^ other, "", node)
        case "<<" if other < MOST_BITS and one < LARGEST:
            return Const(one << other, "", node)
        case ">>":
            return Const(one >> other, "", node)
        case _:
            return None


def _fold_flag_shift(one: Value, place: Value) -> Const | None:
    """`1u << 3`, by which flags are numbered."""
    match one, place:
        case Const(value=int() as low), Const(value=int() as by) if 0 <= by < MOST_BITS and 0 <= low <= 1:
            return Const(low << by)
        case _:
            return None


def is_birthday(age: Value, less: Value) -> bool:
    """Return whether an age becomes one year less where the birthday is still to come."""
    if not (isinstance(age, Protected) and age.mention.form == "number"):
        return False
    worked_out = not word_lists("reads")["birth"].isdisjoint(age.mention.words)
    return bool(mask_of(less)) or (worked_out and isinstance(less, Const) and less.value == 1)


def as_number(value: Protected) -> Protected:
    """Return the age that a birth date stands for."""
    mention = value.mention
    number = replace(mention, form="number")
    return Protected(number, value.node, value.receiver, value.type)


def right_is_year(value: Value) -> bool:
    """Return whether a divisor turns days into years."""
    return isinstance(value, Const) and value.value in {365, 365.25, 365.2425}


def entries_of(value: Value) -> tuple[Value, ...] | None:
    """Return the entries that a loop over `value` meets, where they are written out and few.

    What is empty here may have been filled with what is not known.
    """
    match value:
        case Sequence(items=items) if 0 < len(items) <= MAX_UNROLL:
            return items
        case Table(entries=entries) if 0 < len(entries) <= MAX_UNROLL:
            return tuple(key for key, _ in entries)
        case Columns(held=held, complete=True) if len(held) <= MAX_UNROLL:
            return tuple(Const(column.name, "", column.node) for column in held)
        case _:
            return None


def over(table: Table, other: Table, node: Node) -> Table:
    """`table` with the entries of `other` put over its own, as by `{**table, **other}`."""
    keys = [key.value for key, _ in other.entries if isinstance(key, Const)]
    kept = [entry for entry in table.entries if not (isinstance(entry[0], Const) and entry[0].value in keys)]
    return Table((*kept, *other.entries), node, table.name, other.fallback or table.fallback)


def table_of(value: Value, node: Node) -> Table | None:
    """`dict(zip(groups, points))`: a table of pairs."""
    if isinstance(value, Table):
        return value
    if not isinstance(value, Sequence) or not value.items:
        return None
    pairs = [item.items for item in value.items if isinstance(item, Sequence) and len(item.items) == 2]
    if len(pairs) != len(value.items):
        return None
    return Table(tuple((key, held) for key, held in pairs), node)


def product(left: Value, right: Value, node: Node) -> Value | None:
    """Return the dot product of two arrays that are written out."""
    if not (isinstance(left, Sequence) and isinstance(right, Sequence)):
        return None
    if len(left.items) != len(right.items) or not left.items:
        return None
    terms = [Operation("*", pair, node) for pair in zip(left.items, right.items, strict=True)]
    total: Value = terms[0]
    for term in terms[1:]:
        total = Operation("+", (total, term), node)
    return total


def is_callable(value: Value) -> bool:
    """Return whether a value is a function of this file, or one of several by a test."""
    return isinstance(value, Closure) or (
        isinstance(value, Choice | Lookup) and any(isinstance(part, Closure) for part in walk(value))
    )
