"""numpy: what no entry of `numpy.toml` can say."""

from __future__ import annotations

from fairlint.library_models.bisect import place_among, plain_numbers
from fairlint.semantics.interpreter import operations
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.values.symbolic import (
    Choice,
    Const,
    Operation,
    Sequence,
    Value,
)


def digitized(call: Invocation) -> Value | None:
    """`np.digitize(age, limits)`: the limits may rise or fall."""
    number, limits = call.given("argument", 0, "x"), call.given("argument", 1, "bins")
    if number is None or limits is None:
        return None
    right = _truth_argument(call, "right", 2, usual=False)
    numbers = plain_numbers(limits.items) if isinstance(limits, Sequence) else None
    falls = numbers is not None and numbers != sorted(numbers)
    ops = {(False, False): "<", (True, False): "<=", (False, True): ">=", (True, True): ">"}
    return place_among(call, limits, number, op="" if right is None else ops[right, falls])


def searched(call: Invocation) -> Value | None:
    """`np.searchsorted(limits, age)`, `limits.searchsorted(age)`."""
    first = 0 if call.entry.is_method else 1
    limits = call.base if call.entry.is_method else call.given("argument", 0, "a")
    number = call.given("argument", first, "v", "value")
    if limits is None or number is None:
        return None
    side = call.given("argument", first + 1, "side") or Const("left")
    in_order = call.given("argument", first + 2, "sorter") is None and isinstance(side, Const)
    ops = {"left": "<=", "right": "<"}
    op = ops.get(str(side.value), "") if in_order and isinstance(side, Const) else ""
    return place_among(call, limits, number, op=op)


def _truth_argument(call: Invocation, name: str, place: int, *, usual: bool) -> bool | None:
    """Return a truth value that a call is given; None where nobody can say which."""
    given = call.given("argument", place, name)
    if given is None:
        return usual
    return bool(given.value) if isinstance(given, Const) else None


def select(call: Invocation) -> Value | None:
    """`np.select(conditions, choices, default)`."""
    conditions, choices = call.given("argument", 0, "condlist"), call.given("argument", 1, "choicelist")
    value: Value = call.given("argument", 2, "default") or Const(0)
    if not (isinstance(conditions, Sequence) and isinstance(choices, Sequence)):
        return None
    for test, choice in reversed(list(zip(conditions.items, choices.items, strict=False))):
        value = Choice(test, choice, value, call.node)
    return value


def chosen(call: Invocation) -> Value | None:
    """`np.choose(codes, choices)`: the choice at the place that a code says."""
    codes, choices = call.given("argument", 0, "a"), call.given("argument", 1, "choices")
    if codes is None or not isinstance(choices, Sequence):
        return None
    if not call.frame.program.dependence.on_any(codes):
        return None
    if call.given("argument", 3, "mode") is not None:
        return Operation(call.name, (codes,), call.node)
    return operations.lookup(choices, codes, None, call.node, call.frame)


def dot(call: Invocation) -> Value | None:
    """`np.dot(weights, values)` of arrays that are written out."""
    node, arguments = call.node, call.arguments
    return operations.product(arguments[0], arguments[1], node) if len(arguments) == 2 else None
