"""What is in collections that are filled one by one: `scores.append(x)`, `scores[name] = x`."""

from __future__ import annotations

from collections.abc import Iterable

from fairlint.semantics.interpreter import norms, operations, reads
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.tables import column_names
from fairlint.semantics.tables.libraries import has_tables
from fairlint.semantics.texts import text_values
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    UNKNOWN,
    Choice,
    Closure,
    Columns,
    Const,
    Elementwise,
    Filtered,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Sorted,
    Table,
    TypedParameter,
    Value,
)
from fairlint.semantics.values.traversal import either, fold_value
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

ANSWERS = frozenset({"==", "<", ">=", "in", "and", "or", "not"})


def element(value: Value | None) -> Value | None:
    """Return what is in a collection, as far as it was seen to be filled; None where it was not."""
    return None if value is None else fold_value(value, _elements_by, _element_of_value)


def _elements_by(value: Value) -> tuple[Value, ...]:
    """Return the collections whose elements are those of `value`."""
    match value:
        case Filtered(people=Sequence() | Table(), node=tree.Comprehension()):
            return ()
        case Sorted(people=people) | Filtered(people=people):
            return (people,)
        case Choice(then=then, otherwise=otherwise):
            return (then, otherwise)
        case _:
            return ()


def _element_of_value(value: Value, elements: list[Value | None]) -> Value | None:
    match value:
        case Elementwise(element=inside):
            return None if inside is UNKNOWN else inside
        case Filtered(people=inside) if not elements:
            return inside
        case Choice(test=test, node=node):
            first, second = elements
            if first is None or second is None or first is second:
                return first or second
            return Choice(test, first, second, node)
        case _:
            return elements[0] if elements else None


def fill(collection: Node, value: Value, node: Node, frame: Frame) -> None:
    """Note that a value joins a collection: it is kept in mind where it depends on a group."""
    path = path_of(collection)
    if path is None or not frame.program.dependence.on_any(value):
        return
    if isinstance(value, Columns | Filtered | Sorted | Elementwise):
        return
    if isinstance(value, Operation) and value.op in ANSWERS and isinstance(node, tree.Assign):
        return  # `approved[i] = test(p)`: the decision is made here, and counted later
    before = frame.variables.get(path)
    empty = isinstance(before, Table | Sequence) and not frame.program.dependence.on_any(before)
    if before is None or empty or isinstance(before, Opaque) or element(before) is not None:
        frame.variables[path] = Elementwise(value, node)


SUM = "sum of "
"""What the name begins with under which the numbers in a list are kept added up."""


def begin_sum(path: str, value: Value, node: Node | None, frame: Frame) -> None:
    """Note that a list that is written out is given to a variable: what its numbers come to is kept beside
    it.
    """
    items = value.items if isinstance(value, Sequence) and isinstance(node, tree.Collection) else None
    if node is not None and items is not None and all(map(_is_number, items)):
        frame.variables[SUM + path] = _sum_of_items(items, node)
    elif SUM + path in frame.variables:
        del frame.variables[SUM + path]


def add_to_sum(collection: Node, value: Value, node: Node, frame: Frame) -> None:
    """`parts.append(5)`: what has become of the sum of its numbers; nobody knows where it is no number."""
    path = path_of(collection)
    before = None if path is None else frame.variables.get(SUM + path)
    if path is None or before is None:
        return
    if _is_number(value):
        frame.variables[SUM + path] = operations.arithmetic("+", before, value, node)
    else:
        del frame.variables[SUM + path]


def _is_number(value: Value) -> bool:
    """Return whether a value may be a number, for all one can see."""
    return all(
        isinstance(one.value, int | float)
        if isinstance(one, Const)
        else isinstance(one, Operation | Protected | Opaque) and not text_values.may_be_text(one)
        for one in either(value)
    )


def _sum_of_items(items: Iterable[Value], node: Node) -> Value:
    total: Value = Const(0)
    for item in items:
        total = operations.arithmetic("+", total, item, node)
    return total


def extend_list(function: tree.Field, base: Value, arguments: tuple[Value, ...], frame: Frame) -> None:
    """`names.append("sex")`, `lines.extend([...])`, `names.remove("income")` on texts or messages."""
    path = path_of(function.value)
    if path is None or not isinstance(base, Sequence) or not arguments:
        return
    given = arguments[-1]
    is_list = isinstance(given, Sequence) and function.name == "extend"
    several = given.items if is_list and isinstance(given, Sequence) else (given,)
    if len(base.items) + len(several) > column_names.MOST_ITEMS:
        return
    if not (
        several
        and all(_is_text_or_message(value, frame) for value in (*base.items[:1], *base.items[-1:], *several))
    ):
        return
    match function.name:
        case "append" | "extend":
            frame.variables[path] = replace(base, items=(*base.items, *several))
        case "insert":
            frame.variables[path] = replace(base, items=(*several, *base.items))
        case "remove" if not frame.conditional:
            gone = {name.value for name in several if isinstance(name, Const)}
            kept = tuple(item for item in base.items if not (isinstance(item, Const) and item.value in gone))
            frame.variables[path] = replace(base, items=kept)
        case _:
            pass


def _is_text_or_message(value: Value, frame: Frame) -> bool:
    """Return whether a value is a text, a chat message, a function, an object that tells something, or a
    person written out.
    """
    program = frame.program
    if isinstance(value, Closure):
        return True
    if text_values.may_be_text(value) or text_values.is_message(value) or program.is_made_of(value):
        return True
    if isinstance(value, Table | Sequence):
        return program.tells(value) and not program.dependence.on_any(value)
    call = program.facts.call_of(value)
    return call is not None and any(map(text_values.is_prose, (*call.arguments, *call.keywords.values())))


def fill_by_group(collection: Node, frame: Frame) -> None:
    """`by_gender[person.gender].append(person)`: the keys of the collection are groups."""
    match collection:
        case tree.Index(value=base, index=key):
            pass
        case tree.Call(function=tree.Field(name="setdefault", value=base), arguments=(key, *_)):
            pass
        case _:
            return
    path, subject = path_of(base), frame.evaluate(key)
    if path is None or not isinstance(subject, Protected):
        return
    before = frame.variables.get(path)
    if before is None or isinstance(before, Opaque) or (isinstance(before, Table) and not before.entries):
        people = norms.part(Opaque(frame.text(collection)), subject, frame)
        frame.variables[path] = Elementwise(people, collection, subject)


def push_on_heap(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value:
    """`heapq.heappush(queue, (priority, patient))` puts its second argument into its first."""
    frame.emit("append", node, arguments[1], frame.text(node.arguments[0]))
    fill(node.arguments[0], arguments[1], node, frame)
    return Const(None)


def pop_from_heap(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`heapq.heappop(queue)` takes the first."""
    inside = element(arguments[0])
    if inside is not None:
        frame.emit("rank", node, Sorted(arguments[0], inside, node), frame.text(node.arguments[0]))
    return inside


def pairs(value: Value, node: Node) -> Value | None:
    """`scores.items()` and `enumerate(scores)` of a collection that was filled."""
    inside = value if isinstance(value, TypedParameter) else element(value)
    if isinstance(value, Elementwise) and value.key is not None:
        return Elementwise(Sequence((value.key, inside or UNKNOWN), node), node)
    return None if inside is None else Elementwise(Sequence((UNKNOWN, inside), node), node)


def zip_elements(node: Node, arguments: tuple[Value, ...]) -> Value | None:
    """`zip(scores, people)`: pairs of what is in both."""
    known = [element(argument) for argument in arguments]
    if all(one is None for one in known):
        return None
    return Elementwise(Sequence(tuple(one or UNKNOWN for one in known), node), node)


def element_of(people: Value, target: Node, frame: Frame) -> Value:
    """Return what a loop variable stands for."""
    if (inside := element(people)) is not None:
        return inside
    if (
        isinstance(people, Protected)
        and isinstance(people.node, tree.Index | tree.Field)
        and has_tables(frame)
    ):
        return people  # each value of a column
    name = path_of(target)
    if name is None:
        return UNKNOWN
    found = reads.read_by_identifier(name, target, frame)
    found = found or (
        TypedParameter(name, of=people.of) if isinstance(people, TypedParameter) else Opaque(name)
    )
    frame.program.facts.origins[id(found)] = found, people
    return found
