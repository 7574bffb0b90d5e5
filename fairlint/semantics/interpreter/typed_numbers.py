"""Numbers of a language whose names have types: what constants come to, and what variables keep of them."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from itertools import islice

from fairlint.semantics.interpreter import instances, operations, whole_tests
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.values.lift import each_leaf, map_alternatives
from fairlint.semantics.values.symbolic import (
    OLD,
    UNSET,
    Choice,
    Const,
    Lookup,
    Opaque,
    Operation,
    Sequence,
    Table,
    Value,
)
from fairlint.semantics.values.whole_numbers import is_number
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.constants import Defined, NoNumberError, Typed
from fairlint.syntax.tree import Node

LONGEST = 400
"""Bytes of an expression that is computed as a constant."""
_BINDS = {
    "or": 1, "and": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
"""How tightly operators bind, where macros are put in without brackets."""
MOST_PARTS = 60
"""Parts of a quotient that are asked for their types."""
MOST_ENDS = 100
"""Numbers that a value may be by one test or another, of which it is asked whether a type keeps them."""
FLOATING = frozenset({"float", "double"})
_CALCULATE = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
_SUMS = frozenset({"+", "-"})
_COMPOUND = (tree.Binary, tree.Compare, tree.BoolOp, tree.Conditional, tree.Assign)


# ---------------------------------------------------------------------------------------------- constants


def constant(node: Node, frame: Frame, *, with_names: bool = True) -> Value | None:
    """Return what a constant expression comes to, with its types; None for all else, and where names have no
    types.

    What hangs on the machine, or leaves its type, is something unknown.
    """
    compute = frame.program.conventions.computed
    if compute is None or node.span.end - node.span.start > LONGEST:
        return None
    known: dict[str, Defined | Typed | None] = {}

    def named(name: str) -> Defined | Typed | None:
        if name not in known:
            known[name] = _constant_by_name(name, node, frame)
        return known[name]

    try:
        found = compute(frame.program.source.text(node.span), named if with_names else _no_name)
    except NoNumberError:
        return Opaque(frame.text(node))
    if found is None:
        return None
    return Opaque(frame.text(node)) if _is_of_letters(node, frame) else Const(found.value, "", node)


def _no_name(_name: str) -> None:
    return None


def _is_of_letters(node: Node, frame: Frame) -> bool:
    """Return whether the bits of letters are joined, as by mistake for one letter or another: `('M'
    | 'm')`.
    """
    stack = [node]
    while stack:
        match part := stack.pop():
            case tree.Binary(op="|" | "&" | "^", left=left, right=right):
                stack += (left, right)
            case _ if part is node or not is_letter(part, frame):
                return False
    return True


def truth(node: Node, frame: Frame) -> Value | None:
    """Return the same for a test. One of names stays open: their values may be changed."""
    found = constant(node, frame, with_names=False)
    if found is None and isinstance(found := constant(node, frame), Const):
        if found.value not in {0, 1}:  # a macro without brackets: the test is of a part of it
            return found
        return Operation("==", (Const(int(bool(found.value)), frame.text(node)), Const(1)), node)
    return replace(found, value=bool(found.value)) if isinstance(found, Const) else found


def as_truth(value: Value, node: Node, frame: Frame) -> Value:
    """Return what `&&` and `||` make of an operand where they give no operand, but 0 or 1."""
    if frame.program.conventions.computed is None:
        return value
    match value:
        case Const(value=int() | float() as number, label="") if not isinstance(number, bool):
            return Const(number != 0)
        case Const(value=int() | float() as number) if not isinstance(number, bool):
            return Operation("==", (Const(int(number != 0), value.label), Const(1)), node)
        case Operation() if (asked := whole_tests.truth(value, node, frame)) is not value:
            return asked
        case Operation(op=op) if op not in operations.TRUTHS and op not in {"asks", "strcmp"}:
            return operations.negate(operations.compare("==", value, Const(0), node), node)
        case _:
            return value


def of_macro(node: tree.Call, frame: Frame) -> Value | None:
    """Return what a macro comes to that is called like a function; None where it is to be followed
    as one is.
    """
    name = node.function.id if isinstance(node.function, tree.Name) else ""
    function = frame.program.definitions.functions.get(name)
    if function is None or not function.is_macro:
        return None
    if (known := constant(node, frame)) is not None:
        return known
    gives_value = len(function.body) == 1 and isinstance(function.body[0], tree.Return)
    is_open = gives_value and frame.program.is_open(name)
    return Opaque(frame.text(node)) if is_open or _tears_apart(function, node, frame) else None


def _constant_by_name(name: str, node: Node, frame: Frame) -> Defined | Typed | None:
    """Return what a name stands for in a constant expression.

    A variable has to be in the tree, too: where a loop is followed row by row, its counter is written there.
    """
    program = frame.program
    held = frame.variables.get(name)
    written = frame.types.get(name, "")
    if held is None:
        held, written = program.globals.get(name), program.types.get(name, "")
    if held is not None:
        type_ = program.number_type(written)
        is_read = any(isinstance(part, tree.Name) and part.id == name for part in tree.walk(node))
        if not (type_ and is_read and isinstance(held, Const) and is_number(held.value)):
            return None
        return Typed(type_, held.value)
    if (member := program.definitions.members.get(name)) is not None:
        return Typed("int", member.value) if is_number(member.value) else None
    return program.defined(name)


# ------------------------------------------------------------------------------------------------- macros


def falls_apart(node: Node, op: str, frame: Frame, *, is_left: bool) -> bool:
    """Return whether an operand is a macro without brackets of which an operator around it takes
    only a part.
    """
    found = _macro_replacement(node, frame)
    if not isinstance(found, _COMPOUND) or _in_brackets(found, frame) or _in_brackets(node, frame):
        return False
    own = "" if isinstance(found, tree.Conditional) else found.op or ""
    inner, outer = _BINDS.get(own, 0), _BINDS.get(op, 0)
    return not (inner > outer or (inner == outer and (is_left or (op == "+" and own in _SUMS))))


def _macro_replacement(node: Node, frame: Frame) -> Node | None:
    """Return what a macro is replaced with that is one expression; None for what is no macro."""
    definitions, found = frame.program.definitions, None
    for _ in range(len(definitions.macros) + 1):
        match found or node:
            case tree.Name(id=name) if name in definitions.macros:
                found = definitions.macros[name]
            case tree.Call(function=tree.Name(id=name)) if name in definitions.functions:
                function = definitions.functions[name]
                match function.body:
                    case (tree.Return(value=value),) if function.is_macro and value is not None:
                        return value
                    case _:
                        return found
            case _:
                return found
    return found


def _tears_apart(function: tree.Function, node: tree.Call, frame: Frame) -> bool:
    """Return whether a macro puts an argument without brackets beside an operator: `#define
    TWICE(x) x * 2`.
    """
    torn = {
        parameter.name
        for parameter, given in zip(function.parameters, node.arguments, strict=False)
        if isinstance(given, _COMPOUND) and not _in_brackets(given, frame)
    }
    if not torn:
        return False
    for statement in function.body:
        for part in tree.walk(statement):
            if not isinstance(part, (tree.Binary, tree.Compare, tree.Unary, tree.Cast, tree.BoolOp)):
                continue
            for operand in tree.children(part):
                if isinstance(operand, tree.Name) and operand.id in torn and not _in_brackets(operand, frame):
                    return True
    return False


def _in_brackets(node: Node, frame: Frame) -> bool:
    """Return whether an expression stands in brackets of its own, and not in those of a call."""
    data = frame.program.source.data
    before = data[max(0, node.span.start - LONGEST) : node.span.start].rstrip()
    after = data[node.span.end : node.span.end + LONGEST].lstrip()
    if not (before.endswith(b"(") and after.startswith(b")")):
        return False
    caller = before[:-1]
    if b"define" in caller.rpartition(b"\n")[2]:
        return caller != caller.rstrip() or not caller[-1:].isalnum()
    caller = caller.rstrip()
    return not (caller[-1:].isalnum() or caller[-1:] in (b"_", b")", b"]"))


def is_letter(node: Node | None, frame: Frame) -> bool:
    """Return whether a character is written, which is a number to an operator."""
    data, typed = frame.program.source.data, frame.program.conventions.computed is not None
    return typed and isinstance(node, tree.Literal) and data[node.span.start : node.span.start + 1] == b"'"


def of_letter(node: Node, value: Value, frame: Frame) -> Value:
    """Return what an operand is to an operator."""
    return (constant(node, frame) or value) if is_letter(node, frame) else value


def divide_in_type(node: tree.Binary | tree.Assign, found: Value, frame: Frame) -> Value:
    """Return a quotient, without its fraction where whole numbers are divided, or may be."""
    is_quotient = isinstance(found, Operation) and found.op == "/" and frame.program.conventions.divides_whole
    if not is_quotient:
        return found
    sides = (node.left, node.right) if isinstance(node, tree.Binary) else (node.targets[0], node.value)
    if any(side is not None and is_floating(side, frame) for side in sides):
        return found
    return Operation("trunc", (found,), node)


def is_floating(node: Node, frame: Frame) -> bool:
    """Return whether a number has a fraction by its type, as far as that is known."""
    return any(type_ in FLOATING for type_ in _types_in(node, frame))


def _types_in(node: Node, frame: Frame) -> Iterator[str]:
    """Yield the types of the numbers that an expression calculates with, as far as they are known."""
    program = frame.program
    stack = [node]
    for _ in range(MOST_PARTS):
        if not stack:
            return
        match part := stack.pop():
            case tree.Literal(value=value):
                written = "double" if isinstance(value, float) else _literal_type(part, frame)
            case tree.Cast(type=written):
                pass
            case tree.Binary(left=left, right=right):
                stack += (left, right)
                continue
            case tree.Unary(operand=operand):
                stack.append(operand)
                continue
            case tree.Conditional(then=then, otherwise=otherwise):
                stack += (then, otherwise)
                continue
            case tree.Call(function=tree.Name(id=name)) if name in program.definitions.functions:
                written = program.definitions.functions[name].returns
            case tree.Call() if (met := program.found.get(id(part))) is not None:
                written = met[1].entry.returns.rpartition(".")[2]
            case tree.Name(id=name) if name in program.definitions.macros and name not in frame.variables:
                stack.append(program.definitions.macros[name])
                continue
            case tree.Name() | tree.Field() | tree.Index():
                written = type_of(part, frame)
            case _:
                written = ""
        if type_ := program.number_type(written):
            yield type_


def _literal_type(node: tree.Literal, frame: Frame) -> str:
    """Return the type that the letters behind a whole number name: `18u`."""
    if not is_number(node.value if isinstance(node.value, int) else None):
        return ""
    letters = frame.text(node).lower()
    return "" if "u" not in letters else "unsigned long" if "l" in letters else "unsigned"


def type_of(target: Node, frame: Frame) -> str:
    """Return the type of what holds a number, as written, where the language keeps numbers by their types."""
    if frame.program.conventions.computed is None:
        return ""
    if isinstance(target, tree.Name) and target.id not in frame.types:
        return frame.program.types.get(target.id, "")
    written = instances.type_of(target, frame)
    if isinstance(target, tree.Index) and isinstance(target.value, tree.Name) and not written:
        written = frame.program.types.get(target.value.id, "")
    if not isinstance(target, tree.Index):
        return written
    return written.removesuffix("[]").strip().removesuffix("*").strip()


# -------------------------------------------------------------------------------------------------- types


def convert_to_type(value: Value, written: str, frame: Frame) -> Value:
    """Return what a variable of a type, as written, keeps of a value."""
    conventions = frame.program.conventions
    if not written or conventions.computed is None:
        return value
    if written.endswith("[]"):
        return _convert_entries(value, written.removesuffix("[]").strip(), frame)
    type_ = frame.program.number_type(written)
    if not type_:
        return value

    def one(end: Value) -> Value:
        if isinstance(end, Operation):
            return _cut_off(end) if isinstance(conventions.stored(0.5, type_), int) else end
        if not isinstance(end, Const) or not is_number(end.value) or end is UNSET:
            return end
        number = conventions.stored(end.value, type_)
        if number is None:
            return Opaque(f"({written}){end.value}")
        return end if type(number) is type(end.value) and number == end.value else replace(end, value=number)

    if not isinstance(value, Choice | Lookup):
        return one(value)
    ends = islice(each_leaf(value), MOST_ENDS)
    return map_alternatives(value, one) if any(one(end) is not end for end in ends) else value


def wrap_difference(value: Value, written: str, frame: Frame) -> Value:
    """Return a difference in a type without a sign: `(unsigned)(age - 18) < 9` is no small number
    below 18.
    """
    conventions = frame.program.conventions
    if not (isinstance(value, Operation) and value.op in {"-", "neg"}) or conventions.computed is None:
        return value
    type_ = frame.program.number_type(written)
    if not type_ or conventions.stored(-1, type_) == -1:
        return value
    return _without_sign(value, type_, frame)


def wrap_comparison_side(value: Value, node: tree.Compare, frame: Frame) -> Value:
    """Return one side of a comparison: a difference has no sign where C compares numbers that have none."""
    if not (isinstance(value, Operation) and value.op == "-") or frame.program.conventions.computed is None:
        return value
    types = {type_ for side in (node.left, node.right) for type_ in _types_in(side, frame)}
    has_none = "unsigned long" in types or ("unsigned" in types and "long" not in types)
    return _without_sign(value, "unsigned", frame) if has_none and not types & FLOATING else value


def _without_sign(value: Operation, type_: str, frame: Frame) -> Operation:
    """Return a difference in a type without a sign, with the greatest number that it holds, or one that is
    less.
    """
    stored = frame.program.conventions.stored
    most = stored(-1, type_) or stored(-1, "unsigned")
    return Operation("wraps", (value, Const(most)), value.node)


def _convert_entries(value: Value, written: str, frame: Frame) -> Value:
    """Return the entries of an array, each as the array's type keeps it."""
    if not frame.program.number_type(written):
        return value
    match value:
        case Sequence(items=items):
            return replace(value, items=tuple(convert_to_type(item, written, frame) for item in items))
        case Table(entries=entries):
            return replace(
                value, entries=tuple((key, convert_to_type(one, written, frame)) for key, one in entries)
            )
        case _:
            return value


def kept_of_change(change: Value, before: Value, written: str, frame: Frame) -> Value:
    """Return what a variable keeps of a new value over the old one: of `score += 2.9`, 2 more than a whole
    number, of 300 more than 0 as `unsigned char`, 44.

    Where the old value is known, so is what is added, also below 0.
    """
    match change, before:
        case Operation(op="+" | "-" as op, arguments=(old, Const(value=int() | float() as added))), Const(
            value=int() | float() as known
        ) if old is OLD:
            sum_ = known + added if op == "+" else known - added
            new = convert_to_type(Const(sum_), written, frame)
            if isinstance(new, Opaque):
                return new
            number = new.value if isinstance(new, Const) else None
            if is_number(number) and isinstance(number, int) and number != sum_:
                return Operation("+", (OLD, Const(number - known)), change.node)
        case _:
            pass
    return convert_to_type(change, written, frame)


def calculate_change(value: Value, written: str, frame: Frame) -> Value:
    """Return what a variable of a type keeps of a change whose numbers are all known: of `b *= 1.5`
    on 5, 7.
    """
    if not frame.program.number_type(written):
        return value
    number = _computed_number(value)
    return value if number is None else convert_to_type(Const(number), written, frame)


def _computed_number(value: Value) -> int | float | None:
    """Return the number that an operation on written ones gives."""
    match value:
        case Operation(op="trunc", arguments=(Operation() as inner,)):
            whole = _computed_number(inner)
            return None if whole is None else math.trunc(whole)
        case Operation(op=op, arguments=(Const(value=left), Const(value=right))) if (
            op in _CALCULATE and is_number(left) and is_number(right) and (right or op != "/")
        ):
            found: int | float = _CALCULATE[op](left, right)
            return found if math.isfinite(found) else None
        case _:
            return None


def _cut_off(value: Operation) -> Value:
    """Return a sum with a fraction in it, of which a whole number is kept."""
    stack: list[Value] = [value]
    for _ in range(LONGEST):
        if not stack:
            return value
        match stack.pop():
            case Operation(op="+" | "-" | "neg" | "*", arguments=arguments):
                stack += arguments
            case Const(value=float() as number) if value.op in _SUMS and not number.is_integer():
                return Operation("trunc", (value,), value.node)
            case _:
                pass
    return value
