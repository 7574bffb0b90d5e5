"""Norms: figures of somebody's own group, by which people are measured against the same group alone."""

from __future__ import annotations

from itertools import islice

from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names.effects import any_word, lexicon
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    Choice,
    Const,
    Elementwise,
    Filtered,
    Lookup,
    Operation,
    Protected,
    Sorted,
    Table,
    Value,
    Within,
)
from fairlint.semantics.values.traversal import walk
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, inside

MOST_PARTS = 60
"""Parts of a value in which a norm is looked for."""
SIZES = frozenset({"len", "count", "size"})
"""What says how many there are, and nothing else of them."""


def asked_of_two(test: Value) -> Protected | None:
    """Return what two people have to have in common by a test: `a.race == b.race`, perhaps among other
    things.
    """
    stack = [test]
    while stack:
        match stack.pop():
            case Operation(op="and", arguments=arguments):
                stack.extend(reversed(arguments))
            case Operation(op="==", arguments=(Protected() as one, Protected() as other), node=node):
                is_same = one.mention.attribute == other.mention.attribute
                if is_same and one.mention.group is None and _are_two(one.node, other.node, node):
                    return one
            case _:
                pass
    return None


def _are_two(one: Node, other: Node, test: Node) -> bool:
    """Return whether two reads are of two records: under different names, or one was handed on to
    the test.
    """
    if not (isinstance(one, tree.Field | tree.Index) and isinstance(other, tree.Field | tree.Index)):
        return False
    if not (inside(one, test) and inside(other, test)):
        return True
    return path_of(one.value) != path_of(other.value)


def own_group(people: Value) -> Filtered | None:
    """Return the selection of those who are of somebody's own group, of which some people are, or
    are a part.
    """
    while isinstance(people, Filtered | Sorted | Elementwise):
        if isinstance(people, Filtered) and asked_of_two(people.test) is not None:
            return people
        people = people.element if isinstance(people, Elementwise) else people.people
    return None


def kept_as(people: Value, name: Value | None, frame: Frame) -> None:
    """People who were chosen by a figure of their own group are put into a file, whose name says what they
    are: what else chooses people is told where it is given a name.
    """
    if not (isinstance(people, Filtered) and isinstance(name, Const) and isinstance(name.value, str)):
        return
    attributes = frame.program.dependence.attributes(people.test)
    if any(compares(people.test, one) for one in attributes):
        from pathlib import PurePath  # noqa: PLC0415 (start-up: few sources come here)

        frame.emit("filter", people.node, people.test, PurePath(name.value).stem)


def compares(test: Value, attribute: str) -> bool:
    """Return whether a test holds a figure of somebody's own group against a limit."""
    parts = (part for part in islice(walk(test), MOST_PARTS) if isinstance(part, Operation))
    return any(
        norm_in(side, attribute) is not None
        for part in parts
        if part.op in {"<", ">="}
        for side in part.arguments
    )


def part(people: Value, key: Value, frame: Frame) -> Value:
    """Return the people of one of the groups that a key tells apart, as a value of their own."""
    if not frame.program.dependence.on_any(key):
        return people
    found = replace(people)
    frame.program.group_parts[id(found)] = found, key
    return found


def key_of(people: Value | None, frame: Frame) -> Value | None:
    """Return what tells the group of which some people all are, where they are a group's."""
    known = frame.program.group_parts
    while known and isinstance(people, Sorted):
        people = people.people
    return known[id(people)][1] if id(people) in known else None


def first_of(people: Value, key: Value, count: Value, node: Node) -> Filtered:
    """So many of each group."""
    return Filtered(people, Operation("<", (Within(key, node, "places"), count), node), node)


def figure_of(called: str, given: tuple[Value, ...]) -> Within | None:
    """Return what a function gives that works something out of people of somebody's own group."""
    for value in given:
        if (found := own_group(value)) is not None:
            own = asked_of_two(found.test)
            assert own is not None
            return Within(own, found.node, "size" if called in SIZES else "figure")
    return None


def norm_in(value: Value, attribute: str) -> Within | None:
    """Return the figure of somebody's own group, by an attribute, that takes part in a value.

    A rank or a mean goes before the mere size of the group. A table by group of means that are taken off is
    one, by its name; what is counted by hand of those who have
    something in common is one, too.
    """
    found: Within | None = None
    for part in islice(walk(value), MOST_PARTS):
        match part:
            case Within() if attribute in _group_attributes(part):
                if part.figure != "size":
                    return part
                found = found or part
            case Operation(op="-" | "/", arguments=(_, Lookup(table=Table(entries=()) as table) as read)) if (
                _is_of(read.subject, attribute) and any_word(table.name, lexicon()["norm"])
            ):
                return Within(read.subject, read.node)
            case Operation(op="/" | "//", arguments=(above, below)):
                counted = [_count_within_group(side, attribute) for side in (above, below)]
                if counted[0] is not None and counted[1] is not None:
                    return counted[0]
            case _:
                pass
    return found


def _is_of(value: Value, attribute: str) -> bool:
    return isinstance(value, Protected) and value.mention.attribute == attribute


def _count_within_group(value: Value, attribute: str) -> Within | None:
    """Return a number that grows where two people have something in common: `if one.race == other.race: n +=
    1`.
    """
    for part in islice(walk(value), MOST_PARTS):
        if isinstance(part, Choice):
            own = asked_of_two(part.test)
            if own is not None and own.mention.attribute == attribute:
                return Within(own, part.node)
    return None


def _group_attributes(value: Within) -> set[str]:
    return {part.mention.attribute for part in walk(value.group) if isinstance(part, Protected)}
