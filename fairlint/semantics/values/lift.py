"""Functions of a collection that is one of several by group: the function of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fairlint.semantics.values.symbolic import Choice, Lookup, Table, Value
from fairlint.semantics.values.traversal import fold_value
from fairlint.support.records import replace

MOST = 200
"""Deeper choices are left alone."""

Change = Callable[[Value], Value | None]


def spread(value: Value, change: Change) -> Value | None:
    """`change` of every alternative of `value`, under the tests that choose; None if it is None for one."""
    return _spread_over_choices(value, change, {}, 0)


def _spread_over_choices(
    value: Value, change: Change, known: dict[int, Value | None], depth: int
) -> Value | None:
    if not isinstance(value, Choice | Lookup) or depth >= MOST:
        return change(value)
    if id(value) not in known:
        known[id(value)] = _spread_choice(value, change, known, depth + 1)
    return known[id(value)]


def _spread_choice(
    value: Choice | Lookup, change: Change, known: dict[int, Value | None], depth: int
) -> Value | None:
    if isinstance(value, Choice):
        then = _spread_over_choices(value.then, change, known, depth)
        otherwise = None if then is None else _spread_over_choices(value.otherwise, change, known, depth)
        return None if then is None or otherwise is None else replace(value, then=then, otherwise=otherwise)
    entries: list[tuple[Value, Value]] = []
    for key, entry in value.table.entries:
        if (found := _spread_over_choices(entry, change, known, depth)) is None:
            return None
        entries.append((key, found))
    default = None if value.default is None else _spread_over_choices(value.default, change, known, depth)
    if default is None and value.default is not None:
        return None
    table = Table(tuple(entries), value.table.node, value.table.name)
    return replace(value, table=table, default=default)


def map_alternatives(value: Value, change: Callable[[Value], Value], *, with_defaults: bool = True) -> Value:
    """`value` with `change` of every alternative in its place; what tables lack may stay as it is."""

    def inner(one: Value) -> tuple[Value, ...]:
        if isinstance(one, Choice):
            return (one.then, one.otherwise)
        if not isinstance(one, Lookup):
            return ()
        default = () if one.default is None or not with_defaults else (one.default,)
        return (*(held for _, held in one.table.entries), *default)

    def made(one: Value, found: list[Value]) -> Value:
        if isinstance(one, Choice):
            then, otherwise = found
            return Choice(one.test, then, otherwise, one.node)
        if not isinstance(one, Lookup):
            return change(one)
        keys = [key for key, _ in one.table.entries]
        table = Table(tuple(zip(keys, found, strict=False)), one.table.node, one.table.name)
        return Lookup(one.subject, table, found[-1] if len(found) > len(keys) else one.default, one.node)

    return fold_value(value, inner, made)


def leaves(value: Value) -> list[Value]:
    """Return the alternatives of `value`, each once."""
    return list(each_leaf(value))


def each_leaf(value: Value, *, with_defaults: bool = True) -> Iterator[Value]:
    """As `leaves`, one by one."""
    seen: set[int] = set()
    stack = [value]
    while stack:
        current = stack.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        match current:
            case Choice(then=then, otherwise=otherwise):
                stack.extend((otherwise, then))
            case Lookup(table=table, default=default):
                stack.extend(entry for _, entry in reversed(table.entries))
                stack.extend(() if default is None or not with_defaults else (default,))
            case _:
                yield current
