"""Orders: who comes first, by what key."""

from __future__ import annotations

from fairlint.semantics.interpreter import container_elements, norms, operations, reads
from fairlint.semantics.interpreter.arguments import keyword
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.interpreter.orm import ordering
from fairlint.semantics.interpreter.selections import model
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.names.qualified_names import qualified_name
from fairlint.semantics.tables.libraries import has_tables, may_be, may_do
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    UNKNOWN,
    Choice,
    Closure,
    Const,
    Filtered,
    Opaque,
    Operation,
    Protected,
    Sorted,
    Value,
)
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

FIRST = "first"
"""The form of what gives the first in an order, and not all."""
IN_PLACE = "in place"
"""The form of what orders the very list that it is called on."""


def rank_people(people: Value, key: Value, node: Node, frame: Frame) -> Value:
    """People in the order of a key. A key that has nothing to do with an attribute changes no selection."""
    if isinstance(people, Filtered) and not frame.program.dependence.on_any(key):
        return people
    return Sorted(people, key, node)


def cut_off(people: Value, key: Value, node: Node, about: str, frame: Frame) -> Value:
    """Return the first of some people in the order of a key."""
    if isinstance(people, Filtered) and not frame.program.dependence.on_any(key):
        return people
    frame.emit("rank", node, Sorted(people, key, node), about)
    return Opaque(frame.text(node))


def by_key(call: Invocation, key: Node) -> Value:
    """`sorted(people, key=...)`, `max(people, key=...)`, `nlargest(n, people, key=...)`."""
    node, arguments, frame = call.node, call.arguments, call.frame
    people = arguments[-1] if arguments else UNKNOWN
    about = frame.text(node.arguments[-1]) if node.arguments else ""
    value = key_value(key, about, frame, people)
    if call.entry.given.get("form") == FIRST:
        return cut_off(people, value, node, about, frame)
    return rank_people(people, value, node, frame)


def key_value(key: Node, about: str, frame: Frame, people: Value = UNKNOWN) -> Value:
    """Return what people are ordered by: what a function gives for one of them."""
    inside = container_elements.element(people)
    if isinstance(key, tree.Call):
        names = [item.value for item in key.arguments if isinstance(item, tree.Literal)]
        if not names or "makes getter" not in may_do(key, qualified_name(key.function, frame), frame.program):
            return UNKNOWN
        if inside is not None:
            place = names[0] if isinstance(names[0], str | int) else None
            found = operations.lookup(inside, Const(place), None, key, frame)
            if not isinstance(found, Opaque):
                return found
        named = reads.read_by_identifier(names[0], key, frame, about) if isinstance(names[0], str) else None
        return named or UNKNOWN
    if isinstance(key, tree.Field) and key.name in {"get", "__getitem__"}:
        table = frame.evaluate(key.value)  # `sorted(scores, key=scores.get)`
        return container_elements.element(table) or UNKNOWN
    callee = frame.evaluate(key)
    element = inside or Opaque(f"{about}[]")
    return frame.inline(callee, key, (element,), about) if isinstance(callee, Closure) else UNKNOWN


def sort(node: tree.Call, function: tree.Field, base: Value, frame: Frame) -> Value:
    """`people.sort(key=...)`, `df.sort_values("age")`, `people.objects.order_by("-age")`."""
    about = model(function.value, frame)
    known = may_be(node, qualified_name(function, frame), frame.program)
    forms = {found.entry.given.get("form") for found in known if "orders" in found.entry.does}
    first = FIRST in forms
    key_node = keyword(node, "key") or keyword(node, "by") or keyword(node, "columns")
    key: Value = UNKNOWN
    if key_node is not None and not isinstance(key_node, tree.Literal | tree.Collection):
        key = key_value(key_node, about, frame, base)
    elif (inside := container_elements.element(base)) is not None and not node.arguments:
        key = inside  # `scored.sort()` of pairs that begin with the score
    else:
        place = 1 if first else 0
        column = key_node or (node.arguments[place] if len(node.arguments) > place else None)
        if isinstance(column, tree.Collection) and column.items:
            column = column.items[0].value
        if isinstance(column, tree.Literal) and isinstance(column.value, str):
            named = reads.read_by_identifier(column.value.lstrip("-"), column, frame, about)
            key = named or _norm_of_column(function.value, column, frame)
        elif column is not None:
            key = _attribute_of_column(column, about, frame)
    if first:
        return cut_off(base, key, node, about, frame)
    found = rank_people(base, key, node, frame)
    if IN_PLACE in forms and (path := path_of(function.value)) is not None:
        frame.variables[path] = found
    return found


def _norm_of_column(table: Node, column: tree.Literal, frame: Frame) -> Value:
    """Return a column in which people are measured against their own group; what else is made of an attribute
    is told where it is made.
    """
    if not has_tables(frame):
        return UNKNOWN
    held = frame.evaluate(tree.Index(column.span, table, column))
    attributes = frame.program.dependence.attributes(held)
    return held if any(norms.norm_in(held, one) is not None for one in attributes) else UNKNOWN


def _attribute_of_column(node: Node, about: str, frame: Frame) -> Value:
    """Return the attribute that a query builder's column holds: `Applicant.age.desc()`, `F("age")`."""
    column = ordering(node)
    if isinstance(column, tree.Literal) and isinstance(column.value, str):
        return reads.read_by_identifier(column.value.lstrip("-"), column, frame, about) or UNKNOWN
    is_test = isinstance(column, tree.Compare | tree.BoolOp | tree.Call) and has_tables(frame)
    if not (isinstance(column, tree.Field | tree.Index) or is_test):
        return UNKNOWN
    found = frame.evaluate(column)  # `pl.col("gender") == "male"`
    return found if isinstance(found, Protected) or (is_test and operations.is_mask(found)) else UNKNOWN


# ------------------------------------------------------------------------------------------------ C


def qsort(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`qsort(list, n, size, compare)` by an attribute, where a part of the people is taken afterwards."""
    if len(arguments) < 4 or not isinstance(arguments[3], Closure):
        return None
    people = path_of(node.arguments[0]) or frame.text(node.arguments[0])
    compared = frame.inline(arguments[3], node, (Opaque(f"{people}[a]"), Opaque(f"{people}[b]")), people)
    key = _ordering_attribute(compared)
    if key is None:
        return None
    if _takes_some(node, people, frame):
        frame.emit("rank", node, Sorted(arguments[0], key, node), people)
    return Const(None)


def _ordering_attribute(value: Value) -> Protected | None:
    """Return the attribute by which a comparator decides before anything else."""
    stack = [value]
    seen: set[int] = set()
    while stack:
        one = stack.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        match one:
            case Protected():
                return one
            case Choice(test=first) | Operation(op="not" | "neg" | "and" | "or" | "*", arguments=(first, *_)):
                stack.append(first)
            case Operation(op="-" | "strcmp" | "<" | ">=" | "==", arguments=arguments):
                stack.extend(reversed(arguments))
            case _:
                pass
    return None


def _takes_some(node: tree.Call, people: str, frame: Frame) -> bool:
    """Return whether the function then takes some of the people: by a fixed place, or up to another bound."""
    function = frame.program.definitions.functions.get(frame.function)
    count = frame.text(node.arguments[1])
    for part in tree.walk(function) if function is not None else ():
        if part.span.start < node.span.end:
            continue
        match part:
            case tree.Index(value=base, index=tree.Literal()) if path_of(base) == people:
                return True
            case tree.Loop(test=test, body=body) if test is not None and _goes_through(body, people):
                bounds = [
                    _larger_operand(inner) for inner in tree.walk(test) if isinstance(inner, tree.Compare)
                ]
                if any(frame.text(bound) != count for bound in bounds):
                    return True
                if any(isinstance(inner, tree.Break) for statement in body for inner in tree.walk(statement)):
                    return True
            case _:
                pass
    return False


def _larger_operand(test: tree.Compare) -> Node:
    return test.left if test.op in {">", ">="} else test.right


def _goes_through(body: tuple[Node, ...], people: str) -> bool:
    return any(
        isinstance(part, tree.Index) and path_of(part.value) == people
        for statement in body
        for part in tree.walk(statement)
    )
