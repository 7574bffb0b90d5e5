"""Which of two results is less, under a hypothesis about the group; the limits that laws set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairlint.semantics.groups.arithmetic import amount_of_result
from fairlint.semantics.groups.group_terms import SCALE
from fairlint.semantics.groups.results import AttributeNumber, AttributeValue, Result, is_scale
from fairlint.semantics.values import amounts
from fairlint.semantics.values.amounts import Amount
from fairlint.semantics.values.symbolic import Const, Lookup, Value

if TYPE_CHECKING:
    from fairlint.semantics.groups.specialization import Specialization


LAST_OF_AGE = 21.0
"""Nowhere does the law ask anybody to be older to count as grown up."""

JUST_ABOVE = 1e-6
"""Tells `x > 5` from `x >= 5` where only `<` is asked."""


def is_less(hypothesis: Specialization, op: str, left: Result, right: Result) -> bool:
    """Return whether `left < right`, or for `>=` whether it is not."""
    if (ordered := _group_ranks(hypothesis, left, right)) is not None:
        first, second = ordered
        return first < second if op == "<" else first >= second
    first_amount, second_amount = amount_of_result(hypothesis, left), amount_of_result(hypothesis, right)
    if amounts.is_no_value(first_amount) or amounts.is_no_value(second_amount):
        return False
    difference = amounts.add(first_amount, amounts.scale(second_amount, -1.0))
    attribute_key = (f"{SCALE}{hypothesis.naming.attribute.name}",)
    if (
        hypothesis.number is not None
        and attribute_key in difference
        and set(difference) <= {attribute_key, ()}
    ):
        factor = difference[attribute_key]
        cut = round(-difference.get((), 0.0) / factor, 6)
        if cut >= hypothesis.naming.nobody_from:
            number = min(hypothesis.number, cut - 1)
        else:
            number = _beyond_lawful(hypothesis, cut, cut if factor > 0 else cut + 1)
            # `number > cut` and `number >= cut` part company at the cut itself.
            hypothesis.naming.cuts.update((cut, cut + 1))
        below = factor * (number - cut) < 0
        return below if op == "<" else not below
    if (plain := amounts.known_number(difference)) is not None:
        return plain < 0 if op == "<" else plain >= 0
    if any(is_scale(part) for product in difference for part in product):
        return hypothesis.ask_scale(f"{hypothesis.key(left)} < {hypothesis.key(right)}") == (op == "<")
    # A count kept by group (`taken[gender] < limit`) is compared with one limit for all.
    return _unknown_less(hypothesis, difference, f"{hypothesis.key(left)} < {hypothesis.key(right)}") == (
        op == "<"
    )


def _unknown_less(hypothesis: Specialization, difference: Amount, condition: str) -> bool:
    """Return whether an amount that nobody knows is negative, in this world.

    Amounts that differ in nothing but a number and a factor, as `debt - high + 3` and `debt - high + 2`,
    are one amount that is compared with several limits.
    """
    terms = sorted(product for product in difference if product)
    if not terms:
        return hypothesis.world.ask(condition.replace(SCALE, ""))
    factor = difference[terms[0]]
    limit = round(-difference.get((), 0.0) / factor, 6)
    subject = amounts.readable({term: round(difference[term] / factor, 9) for term in terms})
    subject = hypothesis.naming.short(subject.replace(SCALE, ""))
    if factor > 0:
        return hypothesis.world.ask_below(subject, limit)
    return not hypothesis.world.ask_below(subject, limit + JUST_ABOVE)


def past_table(hypothesis: Specialization, arguments: tuple[Value, ...]) -> bool | None:
    """Return whether the left side is past the right one, where one is the person's number and the other a
    table of limits that laws set, as for a drink in each country.
    """
    left, right = arguments
    if _is_legal(hypothesis, right) and isinstance(hypothesis.evaluate(left), AttributeNumber):
        return True
    return (
        False
        if _is_legal(hypothesis, left) and isinstance(hypothesis.evaluate(right), AttributeNumber)
        else None
    )


def _is_legal(hypothesis: Specialization, value: Value) -> bool:
    if not isinstance(value, Lookup) or not value.table.entries or hypothesis.has_attribute(value):
        return False
    limits = [entry for _, entry in value.table.entries]
    if value.default is not None:
        limits.append(value.default)
    known = [limit.value for limit in limits if isinstance(limit, Const)]
    numbers = [limit for limit in known if isinstance(limit, int | float) and limit <= LAST_OF_AGE]
    return len(numbers) == len(limits) and not hypothesis.naming.lawful.isdisjoint(numbers)


def _beyond_lawful(hypothesis: Specialization, cut: float, least: float) -> float:
    """Return the person's number; at a limit that the law sets, one that is past it.

    `age > 17` asks for the same `least` number as `age >= 18`.
    """
    assert hypothesis.number is not None
    if cut in hypothesis.naming.lawful or least in hypothesis.naming.lawful:
        hypothesis.naming.excused.add(least)
        return max(hypothesis.number, cut + 2)
    return hypothesis.number


def _group_ranks(hypothesis: Specialization, left: Result, right: Result) -> tuple[int, int] | None:
    """Return the places of two groups in an ordered attribute, as in `degree >= "bachelor"`."""
    order = hypothesis.naming.attribute.core_groups if hypothesis.naming.attribute.ordered else ()
    places: list[int] = []
    for result in (left, right):
        if isinstance(result, AttributeValue):
            group: str | None = hypothesis.group
        elif isinstance(result, Const) and isinstance(result.value, str):
            group = hypothesis.naming.group_of(result)
        else:
            return None
        if group not in order:
            return None
        places.append(order.index(group))
    return (places[0], places[1])
