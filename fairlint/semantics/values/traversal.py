"""Going through values: their parts, folding them, and whether two are alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any, TypeVar

from fairlint.semantics.values.symbolic import (
    UNKNOWN,
    Choice,
    Const,
    Elementwise,
    Filtered,
    Instance,
    Lookup,
    Opaque,
    Operation,
    Placeholder,
    Sequence,
    Sorted,
    Table,
    Text,
    Value,
    Within,
)


def parts(value: Value) -> tuple[Value, ...]:
    """Return the values that `value` is directly made of."""
    made = _MADE_OF.get(type(value))
    return () if made is None else made(value)


def _of_lookup(value: Lookup) -> tuple[Value, ...]:
    tail = () if value.default is None else (value.default,)
    return (value.subject, value.table, *tail)


def _of_table(value: Table) -> tuple[Value, ...]:
    flat = tuple([part for entry in value.entries for part in entry])
    return flat if value.fallback is None else (*flat, value.fallback)


def _of_each(value: Elementwise) -> tuple[Value, ...]:
    return (value.element,) if value.key is None else (value.element, value.key)


def _of_within(value: Within) -> tuple[Value, ...]:
    return (value.group,)


def _of_instance(value: Instance) -> tuple[Value, ...]:
    return tuple(value.fields.values())


def _of_text(value: Text) -> tuple[Value, ...]:
    return tuple([piece.value for piece in value.pieces if isinstance(piece, Placeholder)])


_MADE_OF: dict[type[Value], Callable[[Any], tuple[Value, ...]]] = {
    Operation: attrgetter("arguments"),
    Choice: attrgetter("test", "then", "otherwise"),
    Lookup: _of_lookup,
    Table: _of_table,
    Sequence: attrgetter("items"),
    Sorted: attrgetter("people", "key"),
    Filtered: attrgetter("people", "test"),
    Within: _of_within,
    Elementwise: _of_each,
    Instance: _of_instance,
    Text: _of_text,
}
"""A kind of value -> its parts; all others have none, which is asked most often."""


def walk(*values: Value, into: Callable[[Value], tuple[Value, ...]] = parts) -> Iterator[Value]:
    """Yield each of some values and every value below it, each once, parents first; `into` says what is
    below.
    """
    seen: set[int] = set()
    stack = list(reversed(values))
    while stack:
        current = stack.pop()
        number = id(current)
        if number in seen:
            continue
        seen.add(number)
        yield current
        below = into(current)
        if below:
            stack += below[::-1]


Found = TypeVar("Found")


def fold_value(
    value: Value, inner: Callable[[Value], Iterable[Value]], made: Callable[[Value, list[Found]], Found]
) -> Found:
    """Return what `made` gives for a value and what it gave for each of the value's `inner` ones.

    Values hold one another as deep as a file has lines, so this goes without a call within a call, and once
    through what several share.
    """
    known: dict[int, Found] = {}
    stack: list[tuple[Value, tuple[Value, ...] | None]] = [(value, None)]
    while stack:
        current, below = stack.pop()
        if id(current) in known:
            continue
        if below is None:
            below = tuple(inner(current))
            stack.append((current, below))
            stack.extend((part, None) for part in reversed(below) if id(part) not in known)
        else:
            known[id(current)] = made(current, [known[id(part)] for part in below])
    return known[id(value)]


def either(value: Value, is_end: Callable[[Choice], bool] = lambda _: False) -> Iterator[Value]:
    """Yield what a value is by one test or another: the ends of a chain of choices."""
    seen: set[int] = set()
    stack = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, Choice) and id(current) in seen:
            continue
        seen.add(id(current))
        if isinstance(current, Choice) and not is_end(current):
            stack.extend((current.otherwise, current.then))
        else:
            yield current


_MOST_HELD = 5
ALIKE = 6
"""So deep values are compared; what goes deeper counts as different."""


def alike(left: Value, right: Value, depth: int = ALIKE) -> bool:
    """Return whether two values come to the same, wherever they are written: `score + 1` in two branches."""
    if left is right:
        return True
    if depth == 0 or type(left) is not type(right):
        return False
    match left, right:
        case Const(), Const():
            same = type(left.value) is type(right.value) and left.value == right.value
            return same and left.label == right.label
        case Operation(), Operation():
            pairs = zip(left.arguments, right.arguments, strict=False)
            same = left.op == right.op and len(left.arguments) == len(right.arguments)
            return same and all(alike(one, other, depth - 1) for one, other in pairs)
        case _:
            return False


def form_of(value: Value, depth: int = ALIKE) -> str | None:
    """Return how a value is made, wherever it is written: equal for values that come to the same.

    None where it goes too deep, or is made of more than numbers, texts and what is unknown.
    """
    match value:
        case Const(value=known, label=label):
            return f"{type(known).__name__} {known!r} {label}"
        case _ if type(value) is Opaque:
            return f"? {value.key}" if value is not UNKNOWN else None
        case Operation(op=op, arguments=held):
            pass
        case Choice(test=test, then=then, otherwise=otherwise):
            op, held = "?", (test, then, otherwise)
        case _:
            return None
    forms = [form_of(part, depth - 1) for part in held] if depth and len(held) < _MOST_HELD else [None]
    return None if None in forms else f"({op} {', '.join(filter(None, forms))})"
