"""Comprehensions over what is written out: what each round gives, and by which test it is let through."""

from __future__ import annotations

from fairlint.semantics.interpreter import operations
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.values.symbolic import Const, Opaque, Value
from fairlint.support.records import Record
from fairlint.syntax import tree


class Round(Record):
    """One round of a comprehension: `element` is what it gives if `test` holds."""

    test: Value
    element: Value


def of_entries(node: tree.Comprehension, frame: Frame) -> list[Round] | None:
    """Return the rounds over entries that are written out, and few; None over anything else."""
    if len(node.generators) != 1:
        return None
    generator = node.generators[0]
    entries = operations.entries_of(frame.evaluate(generator.iterable))
    return (
        None
        if entries is None
        else [_comprehension_round(node, generator, entry, frame) for entry in entries]
    )


def that_are_alike(node: tree.Comprehension, frame: Frame) -> Round | None:
    """Return the round of a comprehension over anything whose rounds all give the same, if there is any."""
    if len(node.generators) != 1:
        return None
    generator = node.generators[0]
    bound = {name.id for name in tree.walk(generator.target) if isinstance(name, tree.Name)}
    asked = [part for each in (node.element, *generator.conditions) for part in tree.walk(each)]
    if any(isinstance(part, tree.Name) and part.id in bound for part in asked):
        return None
    found = _comprehension_round(node, generator, Opaque(frame.text(generator.target)), frame)
    is_any = Opaque(frame.text(generator.iterable))
    return Round(operations.combine("and", (is_any, found.test), node), found.element)


def _comprehension_round(
    node: tree.Comprehension, generator: tree.Generator, entry: Value, frame: Frame
) -> Round:
    inner = frame.inlined(frame.function, frame.owner, frame.variables)
    inner.calls, inner.types = frame.calls, frame.types
    inner.bind(generator.target, entry)
    tests = [inner.evaluate(condition) for condition in generator.conditions]
    test = operations.combine("and", tests, node) if tests else Const(True)
    return Round(test, inner.evaluate(node.element))
