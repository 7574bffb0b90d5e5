"""itertools: what no entry of `itertools.toml` can say."""

from __future__ import annotations

from fairlint.semantics.interpreter import container_elements, operations
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.names.known_calls import of_value
from fairlint.semantics.values.symbolic import (
    Closure,
    Const,
    Filtered,
    Opaque,
    Sequence,
    Value,
)
from fairlint.support.records import replace


def kept(call: Invocation) -> Value | None:
    """`takewhile(test, people)`."""
    return _by_test(call, keep_when=True)


def left(call: Invocation) -> Value | None:
    """`filterfalse(test, people)` and `dropwhile(test, people)`."""
    return _by_test(call, keep_when=False)


def _by_test(call: Invocation, *, keep_when: bool) -> Value | None:
    node, arguments, frame = call.node, call.arguments, call.frame
    if len(arguments) != 2 or not isinstance(arguments[0], Closure):
        return None
    about = frame.text(node.arguments[1])
    one = container_elements.element(arguments[1]) or Opaque(f"{about}[]")
    test = frame.inline(arguments[0], node, (one,), about)
    return Filtered(arguments[1], test if keep_when else operations.negate(test, node), node)


def compress(call: Invocation) -> Value | None:
    """`compress(people, mask)`."""
    node, arguments = call.node, call.arguments
    if len(arguments) != 2 or (mask := operations.mask_of(arguments[1])) is None:
        return None
    return Filtered(arguments[0], mask, node)


def chain(call: Invocation) -> Value | None:
    """`chain(first, second)`: the entries of both."""
    node, arguments = call.node, call.arguments
    if not arguments or not all(isinstance(argument, Sequence) for argument in arguments):
        return None
    return Sequence(tuple(item for one in arguments if isinstance(one, Sequence) for item in one.items), node)


def product(call: Invocation) -> Value | None:
    """`product(races, sexes)`: every entry of one with every entry of the other."""
    rows: list[tuple[Value, ...]] = [()]
    for argument in call.arguments:
        entries = operations.entries_of(argument)
        if entries is None or len(rows) * len(entries) > operations.MAX_UNROLL:
            return None
        rows = [(*row, entry) for row in rows for entry in entries]
    return Sequence(tuple(Sequence(tuple(map(_its_own, row)), call.node) for row in rows), call.node)


def _its_own(entry: Value) -> Value:
    """Return what stands in several rows is a value of each."""
    return replace(entry) if isinstance(entry, Const) else entry


def starmap(call: Invocation) -> Value | None:
    """`starmap(function, rows)`."""
    node, arguments, frame = call.node, call.arguments, call.frame
    rows = operations.entries_of(arguments[1]) if len(arguments) == 2 else None
    if not rows or not all(isinstance(row, Sequence) for row in rows):
        return None
    items = []
    for row in rows:
        parts = row.items if isinstance(row, Sequence) else ()
        found = of_value(arguments[0], node, parts, frame)
        items.append(found or frame.apply(arguments[0], node, parts))
    return Sequence(tuple(items), node)
