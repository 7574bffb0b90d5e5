"""Tables of C that say where their entries belong: `{5, [MALE] = 3, [FEMALE] = 2}`, `{.male = 5}`."""

from __future__ import annotations

from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.values.symbolic import UNSET, Const, Table, Value
from fairlint.syntax import tree

MOST_PLACES = 256
"""Places that one entry may be for, and places of a table that are asked whether they are left out."""
MOST_FILLED = 64
"""Places behind the last entry of a table that are filled with 0."""


def fill_with_zeros(node: tree.Collection, items: list[Value]) -> list[Value]:
    """Return the entries of an array, with 0 in the places of its declaration that are left out
    behind them.
    """
    lacking = min(node.places, MOST_FILLED) - len(items)
    is_flat = not any(isinstance(item.value, tree.Collection) for item in node.items)
    return [*items, *[UNSET] * lacking] if lacking > 0 and is_flat else items


def table(node: tree.Collection, frame: Frame) -> Table:
    """Return the entries by their places; the last one for a place counts, and what is left out is 0.

    An entry without a place comes behind the one before it. Where it cannot be told which place that is,
    nothing is said of what is left out.
    """
    entries: dict[object, tuple[Value, Value]] = {}
    following: int | None = 0
    is_known = True
    for item in node.items:
        value = frame.evaluate(item.value)
        keys = [Const(following)] if item.key is None else _designated_keys(item.key, frame)
        if item.key is None and following is None:
            is_known = False
            continue
        for key in keys:
            place = key.value if isinstance(key, Const) else id(key)
            is_known = is_known and isinstance(key, Const)
            entries.pop(place, None)
            entries[place] = key, value
        last = keys[-1].value if keys and isinstance(keys[-1], Const) else None
        following = last + 1 if isinstance(last, int) else None
    found = tuple(entries.values())
    places = [key.value for key, _ in found if isinstance(key, Const)]
    numbers = [place for place in places if isinstance(place, int)]
    size = max(node.places, max(numbers, default=-1) + 1)
    if not is_known or (len(numbers) == len(found) and len(set(numbers)) == size):
        return Table(found, node, places=size if is_known else 0)
    return Table(
        (*found, *_remaining_members(found, numbers, size, frame)), node, fallback=UNSET, places=size
    )


def _designated_keys(key: tree.Node, frame: Frame) -> list[Value]:
    """Return the places that a designator selects."""
    if not isinstance(key, tree.Slice):
        return [frame.evaluate(key)]
    first, last = frame.evaluate(key.lower), frame.evaluate(key.upper)
    match first, last:
        case Const(value=int() as low), Const(value=int() as high) if 0 <= high - low < MOST_PLACES:
            return [Const(place) for place in range(low, high + 1)]
        case _:
            return [frame.evaluate(key)]


def _remaining_members(
    found: tuple[tuple[Value, Value], ...], places: list[int], size: int, frame: Frame
) -> list[tuple[Value, Value]]:
    """Return the places that are left out and that other members of the same enum stand for."""
    labels = {key.label for key, _ in found if isinstance(key, Const) and key.label}
    for members in frame.program.definitions.enums.values():
        if labels and labels <= {member.label for member in members}:
            return [
                (member, UNSET)
                for member in members
                if isinstance(member.value, int) and member.value not in places and member.value < size
            ]
    return []
