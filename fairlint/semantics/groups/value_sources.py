"""What inside a value tells groups apart: a branch, a table, a test or a sum, the outermost of several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from fairlint.semantics.groups.asking import asks_directly, asks_presence, is_told_behind
from fairlint.semantics.groups.dependencies import Dependence
from fairlint.semantics.values.symbolic import RAISES, Choice, Lookup, Operation, Protected, Value
from fairlint.semantics.values.traversal import parts
from fairlint.support.records import Record
from fairlint.syntax.tree import Node, Switch


class Place(Record):
    """A branch or table, where a finding points, and the test."""

    node: Node
    start: Node
    test: Value


def source_place(value: Value, attribute: str, dependence: Dependence) -> Place | None:
    """Return what inside `value` tells the groups apart: a branch or table that asks for the attribute
    itself.

    Of several it is the outermost. A branch that asks for something which depends on the attribute
    (`score > 3`) only passes on what another has decided, and is taken where there is nothing else.
    """
    if attribute not in dependence.attributes(value):
        return None
    found = next(filter(None, _outermost_sources(value, attribute, dependence)), None)
    return None if found is None else found[1]


def _outermost_sources(value: Value, attribute: str, dependence: Dependence) -> _Sources:
    """Return the sources in `value`, found once for each value that it is made of."""
    memo = dependence.memo
    stack = [value]
    while stack:
        current = stack[-1]
        key = (id(current), attribute)
        if key in memo:
            stack.pop()
            continue
        inner = [
            part
            for part in _told_in(current, attribute, dependence)
            if attribute in dependence.attributes(part)
        ]
        unknown = [part for part in inner if (id(part), attribute) not in memo]
        if unknown:
            stack.extend(unknown)
            continue
        below = [
            (cast("_Sources", memo[id(part), attribute]), _is_continuation(current, part)) for part in inner
        ]
        memo[key] = tuple(
            (0, own)
            if own is not None
            else _nearest_source([(sources[sort], same) for sources, same in below])
            for sort, own in enumerate(_own_sources(current, attribute, dependence))
        )
    return cast("_Sources", memo[id(value), attribute])


def _told_in(value: Value, attribute: str, dependence: Dependence) -> Iterable[Value]:
    """Return the parts of a value in which its sources are looked for: no test that asks if there
    is a value.
    """
    if isinstance(value, Choice) and is_told_behind(value, attribute, dependence):
        return (value.then, value.otherwise)
    return parts(value)


_Sources = tuple[tuple[int, Place] | None, ...]
"""Of a value, what asks for the attribute itself, a sum it takes part in, and what passes it on: each with
how deep it stands.
"""


def _is_continuation(joined: Value, part: Value) -> bool:
    """Return whether a part is more of the same: `a and b and c` is made of two."""
    return isinstance(joined, Operation) and isinstance(part, Operation) and joined.op == part.op == "and"


def _nearest_source(found: list[tuple[tuple[int, Place] | None, bool]]) -> tuple[int, Place] | None:
    """Return the outermost source of one sort, the first of several, seen from one level above; what is more
    of the same stands on the same level.
    """
    known = [(source[0] + (not same), source[1]) for source, same in found if source is not None]
    return min(known, key=lambda source: source[0], default=None)


def _own_sources(part: Value, attribute: str, dependence: Dependence) -> tuple[Place | None, ...]:
    """Return what a value is itself: a source, a term of a sum or product, or a test of something that
    depends.
    """
    match part:
        case Operation() if asks_presence(part, attribute, dependence):
            return (None, None, None)
        case Choice() if is_told_behind(part, attribute, dependence):
            return (None, None, None)
        case Choice(test=test, node=node) if attribute in dependence.attributes(test):
            place = Place(node, _test_node(test) or node, test)
            return (place, None, None) if asks_directly(test, attribute, dependence) else (None, None, place)
        case Lookup(default=default) if default is RAISES:
            return (None, None, None)  # a member of an enumeration is the group itself, in another form
        case Lookup(subject=subject, node=node) if attribute in dependence.attributes(subject):
            return (Place(node, node, subject), None, None)
        case Operation(node=node) if asks_directly(part, attribute, dependence):
            return (Place(node, node, part), None, None)
        case Operation(arguments=arguments, node=node) if any(
            isinstance(argument, Protected) and argument.mention.attribute == attribute
            for argument in arguments
        ):
            return (None, Place(node, node, part), None)
        case _:
            return (None, None, None)


def _test_node(test: Value) -> Node | None:
    """Return the place where a test is written."""
    match test:
        case Operation(node=Switch(subject=subject)):
            return subject
        case Operation(node=node) | Choice(node=node) | Lookup(node=node) | Protected(node=node):
            return node
        case _:
            return None
