"""Says as data what JSON of others has to look like, and finds in one clause what in a value is not so.

A shape says which types a value may have, and what is looked at in a value of such a type. Keys that no shape
names are passed over: a later version may have more of them. All shapes are made of the few below.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any

from fairlint.support.records import Record

Fault = tuple[str, str]
"""Where in a value something is wrong, as `.answers.asked` or `[3]`, and what is there and what is wanted."""
MOST = 2**53
"""Whole numbers up to this one, and down to its negative, are the same in all programs that read JSON."""
LARGEST_FLOAT = sys.float_info.max
LONGEST_SHOWN = 40
"""Characters of a text that a message repeats."""
_INFINITY = float("inf")
MOST_PLANS = 1_000
"""Combinations of types that a table remembers."""


class Shape(Record):
    """What a value has to be."""

    kinds: frozenset[type]
    wanted: str
    """For the message: `a text`."""
    look: Callable[[Any], Fault | None] | None = None
    """Finds what is wrong with a value that is of one of the types, and not null."""
    bounds: tuple[float, float] | None = None
    """Of a number: the least and the most. Then `look` finds nothing else."""


def fault_of(shape: Shape, value: Any) -> str:
    """Return what is wrong with a value, in one clause; empty where nothing is.

    >>> fault_of(table({"asked": whole()}), {"asked": "x"})
    '`asked` is "x", not a whole number from 0 on'
    """
    found = _find_fault(shape, value)
    if found is None:
        return ""
    place, told = found
    return f"`{place.removeprefix('.')}` {told}" if place else f"it {told}"


def check(shape: Shape, value: Any) -> None:
    """Raise ValueError, with the clause of `fault_of`, for a value that is not of a shape."""
    if told := fault_of(shape, value):
        raise ValueError(told)


def _find_fault(shape: Shape, value: Any) -> Fault | None:
    if type(value) not in shape.kinds:
        return "", f"is {_value_text(value)}, not {shape.wanted}"
    return None if shape.look is None or value is None else shape.look(value)


def _value_text(value: Any) -> str:
    import json  # noqa: PLC0415 (start-up: only what is wrong is shown)

    if isinstance(value, str):
        return json.dumps(value if len(value) <= LONGEST_SHOWN else f"{value[:LONGEST_SHOWN]}…")
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, int) and abs(value) > MOST and not isinstance(value, bool):
        return "a whole number of more than 15 digits"
    return json.dumps(value)


# ------------------------------------------------------------------------------------------------ one value

ANYTHING = Shape(frozenset({dict, list, str, int, float, bool, type(None)}), "JSON")
FLAG = Shape(frozenset({bool}), "true or false")


def text(*, longest: int | None = None, least: int = 0) -> Shape:
    """Return a text, of so many characters."""
    wanted = "a text" if longest is None else f"a text of {least} to {longest:,} characters"

    def look(value: str) -> Fault | None:
        if longest is not None and not least <= len(value) <= longest:
            return "", f"has {len(value):,} characters, not {least} to {longest:,}"
        return None

    return Shape(frozenset({str}), wanted, None if longest is None else look)


TEXT = text()


def one_of(*words: Any) -> Shape:
    """Return one of some texts or numbers."""
    wanted = " or ".join(map(_value_text, words))
    return matching(frozenset(map(type, words)), wanted, words.__contains__)


def matching(kinds: frozenset[type], wanted: str, test: Callable[[Any], bool]) -> Shape:
    """Return a value of some types that passes a test; `wanted` says which do."""

    def look(value: Any) -> Fault | None:
        return None if test(value) else ("", f"is {_value_text(value)}, not {wanted}")

    return Shape(kinds, wanted, look)


def whole(least: int | None = 0, most: int | None = MOST) -> Shape:
    """Return a whole number within bounds; None is none."""
    wanted = "a whole number"
    if least is not None and most is not None:
        wanted += f" from {least:,} to {most:,}" if most < MOST else f" from {least:,} on"

    low, high = -_INFINITY if least is None else least, _INFINITY if most is None else most
    return _bounded_shape(frozenset({int}), wanted, low, high)


def number(least: float = -LARGEST_FLOAT, most: float = LARGEST_FLOAT, *, slack: float = 0.0) -> Shape:
    """Return a number within bounds, or so little beyond them: never NaN or infinite."""
    is_free = least == -LARGEST_FLOAT and most == LARGEST_FLOAT
    wanted = "a finite number" if is_free else f"a number from {least:g} to {most:g}"
    return _bounded_shape(frozenset({int, float}), wanted, least - slack, most + slack)


def _bounded_shape(kinds: frozenset[type], wanted: str, least: float, most: float) -> Shape:
    one = matching(kinds, wanted, lambda value: least <= value <= most)
    return Shape(kinds, wanted, one.look, (least, most))


def maybe(shape: Shape) -> Shape:
    """Return the same, or null."""
    return Shape(shape.kinds | {type(None)}, f"{shape.wanted} or null", shape.look, shape.bounds)


# ------------------------------------------------------------------------------------------ lists and objects


def several(shape: Shape, least: int = 0, most: int | None = None) -> Shape:
    """Return a list of values that are all alike, and of so many."""
    wanted = "a list" if not least and most is None else f"a list of {least if least == most else 'so many'}"

    def look(values: list[Any]) -> Fault | None:
        if len(values) < least or (most is not None and len(values) > most):
            bounds = (
                f"{least:,}" if least == most else f"{least:,} to {'any' if most is None else f'{most:,}'}"
            )
            return "", f"has {len(values):,} entries, not {bounds}"
        for place, value in enumerate(values):
            if (found := _find_fault(shape, value)) is not None:
                return f"[{place}]{found[0]}", found[1]
        return None

    return Shape(frozenset({list}), wanted, look)


def row(*shapes: Shape, also: Callable[[list[Any]], Fault | None] | None = None) -> Shape:
    """Return a list of values each of which is of a shape of its own; `also` as in `table`."""

    def look(values: list[Any]) -> Fault | None:
        if len(values) != len(shapes):
            return "", f"has {len(values):,} entries, not {len(shapes)}"
        for place, (shape, value) in enumerate(zip(shapes, values, strict=True)):
            if (found := _find_fault(shape, value)) is not None:
                return f"[{place}]{found[0]}", found[1]
        return None if also is None else also(values)

    return Shape(frozenset({list}), f"a list of {len(shapes)}", look)


def mapping_of_shape(shape: Shape) -> Shape:
    """Return an object of any keys whose values are all alike."""

    def look(values: dict[str, Any]) -> Fault | None:
        for name, value in values.items():
            if (found := _find_fault(shape, value)) is not None:
                short = name[:LONGEST_SHOWN]
                return f".{short if short.isprintable() else _value_text(name)}{found[0]}", found[1]
        return None

    return Shape(frozenset({dict}), "an object", look)


def table(
    needed: Mapping[str, Shape],
    optional: Mapping[str, Shape] | None = None,
    *,
    also: Callable[[dict[str, Any]], Fault | None] | None = None,
) -> Shape:
    """Return an object with keys of its own, of which some may be missing. `also` says what must hold between
    them.

    Lines of one file have the same keys and types again and again, so what these leave to look at is found
    once.
    """
    shapes = {**needed, **(optional or {})}
    plans: dict[tuple[object, ...], _Plan] = {}

    def look(values: dict[str, Any]) -> Fault | None:
        kind = (*values, *map(type, values.values()))
        plan = plans.get(kind)
        if plan is None:
            plan = _check_plan(shapes, values, needed)
            if len(plans) < MOST_PLANS:
                plans[kind] = plan
        missing, bounded, others = plan
        if missing:
            return f".{missing}", "is missing"
        for name, least, most in bounded:
            if not least <= values[name] <= most:
                return _fault_at(name, shapes, values)
        for name in others:
            if (fault := _fault_at(name, shapes, values)) is not None:
                return fault
        return None if also is None else also(values)

    return Shape(frozenset({dict}), "an object", look)


_Plan = tuple[str, list[tuple[str, float, float]], list[str]]
"""The first key that is missing, numbers with their bounds, and whatever else types do not settle."""


def _check_plan(shapes: Mapping[str, Shape], values: Mapping[str, Any], needed: Collection[str]) -> _Plan:
    bounded: list[tuple[str, float, float]] = []
    others: list[str] = []
    for name in values.keys() & shapes.keys():
        shape, value = shapes[name], values[name]
        if type(value) not in shape.kinds:
            others.append(name)
        elif value is not None and shape.bounds is not None:
            bounded.append((name, *shape.bounds))
        elif value is not None and shape.look is not None:
            others.append(name)
    return next((name for name in needed if name not in values), ""), sorted(bounded), sorted(others)


def _fault_at(name: str, shapes: Mapping[str, Shape], values: Mapping[str, Any]) -> Fault | None:
    fault = _find_fault(shapes[name], values[name])
    return None if fault is None else (f".{name}{fault[0]}", fault[1])
