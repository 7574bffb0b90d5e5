"""Consistency: what is asked of a person is whether two facts about them can both be true."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fairlint.semantics.groups.sites import Site
from fairlint.semantics.names.effects import lexicon
from fairlint.semantics.values.events import Event
from fairlint.semantics.values.symbolic import Const, Opaque, Operation, Protected, Value
from fairlint.vocabulary.words import split_words

_ORDERS = {">": 1, ">=": 1, "<": -1, "<=": -1}
"""Whether a comparison becomes true as what stands on its left grows, or false."""
_MOST_PARTS = 60
_OLDEST = 25
"""Nobody begins anything at an age that is certain to be wrong above this one."""


def is_consistency(site: Site, events: Iterable[Event]) -> bool:
    """Return whether rows are left out in which a person has more years of something than their age allows.

    `row.years_worked <= row.age - 16`: who is kept would be at any greater age, and nobody of any age is
    meant.
    """
    asked = [found for event in events for found in _iter_comparisons(event.value, 1, site, [0])]
    return bool(asked) and all(_is_of_years(one, way, site) for one, way in asked)


def _iter_comparisons(
    value: Value | None, way: int, site: Site, seen: list[int]
) -> Iterator[tuple[Value, int]]:
    """Yield what is asked of the attribute, and whether it has to be true or false."""
    seen[0] += 1
    if value is None or seen[0] > _MOST_PARTS or not site.asks(value):
        return
    match value:
        case Operation(op="not", arguments=(inner,)):
            yield from _iter_comparisons(inner, -way, site, seen)
        case Operation(op="and" | "or", arguments=parts):
            for part in parts:
                yield from _iter_comparisons(part, way, site, seen)
        case _:
            yield value, way


def _is_of_years(asked: Value, way: int, site: Site) -> bool:
    if not (isinstance(asked, Operation) and asked.op in _ORDERS and len(asked.arguments) == 2):
        return False
    left, right = (list(_iter_terms(one, 1, [0])) for one in asked.arguments)
    terms = [*left, *((part, -sign) for part, sign in right)]
    ages = [
        (part, sign)
        for part, sign in terms
        if isinstance(part, Protected) and part.mention.attribute == site.attribute
    ]
    if len(ages) != 1 or ages[0][1] * _ORDERS[asked.op] * way < 0:
        return False
    age, sign = ages[0]
    years = [part for part, other in terms if other == -sign and _counts_years(part, age)]
    limits = [part.value for part, _ in terms if isinstance(part, Const)]
    return (
        len(years) == 1
        and len(terms) == 2 + len(limits)
        and all(isinstance(one, int | float) and abs(one) <= _OLDEST for one in limits)
    )


def _iter_terms(value: Value, sign: int, seen: list[int]) -> Iterator[tuple[Value, int]]:
    """Yield what a sum is made of, each with its sign."""
    seen[0] += 1
    match value:
        case Operation(op="+", arguments=(left, right)) if seen[0] < _MOST_PARTS:
            yield from _iter_terms(left, sign, seen)
            yield from _iter_terms(right, sign, seen)
        case Operation(op="-", arguments=(left, right)) if seen[0] < _MOST_PARTS:
            yield from _iter_terms(left, sign, seen)
            yield from _iter_terms(right, -sign, seen)
        case _:
            yield value, sign


def _counts_years(value: Value, age: Protected) -> bool:
    """Return whether something is a number of years of whoever has this age, by its name."""
    if not (isinstance(value, Opaque) and age.receiver and value.key.startswith(age.receiver)):
        return False
    rest = value.key[len(age.receiver) :]
    return rest[:1] in {".", "["} and not lexicon()["years_of"].isdisjoint(split_words(rest))
