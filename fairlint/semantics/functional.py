"""Functions of functions and of collections: `reduce`, `partial`, `filterfalse`, `ChainMap`, dot products."""

from __future__ import annotations

from collections.abc import Callable

from fairlint.records import replace
from fairlint.semantics import container_elements, instances, library_calls, operations
from fairlint.semantics.frame import Frame
from fairlint.semantics.values import (
    Choice,
    Closure,
    Const,
    Filtered,
    Instance,
    Maker,
    Opaque,
    Sequence,
    Table,
    Value,
)
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

LONGEST_JSON = 4000
"""Longer texts are data, and no rules."""

Function = Callable[[tree.Call, tuple[Value, ...], Frame], Value | None]


def known(node: tree.Call, name: str, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """The value of a well-known function of functions or collections; None for any other."""
    function = _FUNCTIONS.get(name)
    return None if function is None else function(node, arguments, frame)


def by_operator(callee: Value, node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`OPS["<"](age, 40)`, where a table holds the functions of the module `operator`."""
    if not isinstance(callee, Opaque) or "operator" not in frame.program.definitions.imports:
        return None
    module, _, name = (callee.name or callee.key).rpartition(".")
    return library_calls.operator(node, name, arguments, frame) if module in {"", "operator", "op"} else None


def _partial(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    if not arguments or not isinstance(arguments[0], Closure):
        return None
    given = {name: frame.evaluate(value) for name, value in node.keywords if name is not None}
    function = arguments[0]
    return replace(function, given=(*function.given, *arguments[1:]), named={**function.named, **given})


def _reduce(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    if len(arguments) < 2:
        return None
    entries = operations.entries_of(arguments[1])
    if not entries:
        return None
    value, *rest = (*arguments[2:3], *entries)
    for entry in rest:
        pair = (value, entry)
        done = by_operator(arguments[0], node, pair, frame)
        if done is None and not operations.is_callable(arguments[0]):
            return None
        value = done or frame.apply(arguments[0], node, pair)
    return value


def _kept_by(keep_when: bool) -> Function:
    def evaluate(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
        if len(arguments) != 2 or not isinstance(arguments[0], Closure):
            return None
        about = frame.text(node.arguments[1])
        one = container_elements.element(arguments[1]) or Opaque(f"{about}[]")
        test = frame.inline(arguments[0], node, (one,), about)
        return Filtered(arguments[1], test if keep_when else operations.negate(test, node), node)

    return evaluate


def _compress(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del frame
    if len(arguments) != 2 or (mask := operations.mask_of(arguments[1])) is None:
        return None
    return Filtered(arguments[0], mask, node)


def _chain(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del frame
    if not arguments or not all(isinstance(argument, Sequence) for argument in arguments):
        return None
    return Sequence(tuple(item for one in arguments if isinstance(one, Sequence) for item in one.items), node)


def _starmap(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    rows = operations.entries_of(arguments[1]) if len(arguments) == 2 else None
    if not rows or not all(isinstance(row, Sequence) for row in rows):
        return None
    items = []
    for row in rows:
        parts = row.items if isinstance(row, Sequence) else ()
        found = by_operator(arguments[0], node, parts, frame)
        items.append(found or frame.apply(arguments[0], node, parts))
    return Sequence(tuple(items), node)


def _first_table_wins(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del frame
    tables = [argument for argument in arguments if isinstance(argument, Table)]
    if not tables or len(tables) != len(arguments):
        return None
    merged = tables[-1]
    for table in reversed(tables[:-1]):
        merged = operations.over(merged, table, node)
    return merged


def _same(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del node, frame
    return arguments[0] if len(arguments) == 1 and isinstance(arguments[0], Table) else None


def _dot(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    del frame
    return operations.product(arguments[0], arguments[1], node) if len(arguments) == 2 else None


def _place_among(right: bool, numbers_first: bool = True) -> Function:
    """How many of some limits are passed: `bisect(limits, age)`, `np.digitize(age, limits)`."""

    def evaluate(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
        if len(arguments) < 2:
            return None
        limits, number = arguments[:2] if numbers_first else (arguments[1], arguments[0])
        if not isinstance(limits, Sequence) or not frame.program.dependence.on_any(number):
            return None
        place: Value = Const(len(limits.items))
        for count, limit in reversed(list(enumerate(limits.items))):
            test = operations.compare("<" if right else "<=", number, limit, node)
            place = Choice(test, Const(count), place, node)
        return place

    return evaluate


def _loads(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`json.loads('[{"field": "age", ...}]')`: what is written out in the text."""
    del frame
    text = arguments[0] if len(arguments) == 1 else None
    if not isinstance(text, Const) or not isinstance(text.value, str) or len(text.value) > LONGEST_JSON:
        return None
    import json  # noqa: PLC0415 (only where such a text is met)

    try:
        return _written_out(json.loads(text.value), text.node or node)
    except (ValueError, RecursionError):
        return None


def _written_out(held: object, node: Node) -> Value:
    match held:
        case dict():
            entries = ((Const(str(key), "", node), _written_out(value, node)) for key, value in held.items())
            return Table(tuple(entries), node)
        case list():
            return Sequence(tuple(_written_out(item, node) for item in held), node)
        case str() | int() | float() | bool() | None:
            return Const(held, "", node)
        case _:
            return Const(None)


def _namedtuple(node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """`namedtuple("Rule", "field value points")`: calling it makes records."""
    match arguments[1:2]:
        case (Const(value=str() as text),):
            names = tuple(text.replace(",", " ").split())
        case (Sequence(items=items),):
            names = tuple(str(item.value) for item in items if isinstance(item, Const))
        case _:
            return None
    return Maker(frame.text(node), names=names)


def record(maker: Maker, node: tree.Call, arguments: tuple[Value, ...], frame: Frame) -> Instance:
    """One record of a type that `namedtuple` made."""
    given = {name: frame.evaluate(value) for name, value in node.keywords if name is not None}
    return instances.record("", node, {**dict(zip(maker.names, arguments, strict=False)), **given}, frame)


_FUNCTIONS: dict[str, Function] = {
    "namedtuple": _namedtuple,
    "bisect": _place_among(right=True),
    "bisect_right": _place_among(right=True),
    "bisect_left": _place_among(right=False),
    "searchsorted": _place_among(right=False),
    "digitize": _place_among(right=True, numbers_first=False),
    "loads": _loads,
    "partial": _partial,
    "reduce": _reduce,
    "filterfalse": _kept_by(keep_when=False),
    "takewhile": _kept_by(keep_when=True),
    "dropwhile": _kept_by(keep_when=False),
    "compress": _compress,
    "chain": _chain,
    "starmap": _starmap,
    "ChainMap": _first_table_wins,
    "MappingProxyType": _same,
    "deepcopy": _same,
    "dot": _dot,
    "inner": _dot,
    "vdot": _dot,
    "sumprod": _dot,
}
