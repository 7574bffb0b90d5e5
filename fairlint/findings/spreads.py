"""Whether a finding sets groups further apart than it did before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from fairlint.findings.uses import GroupPoints, PointsOp
from fairlint.support.numbers import digits_of, format_number
from fairlint.support.records import Record, field
from fairlint.support.shapes import TEXT, Shape, mapping_of_shape, number, one_of, several, whole

if TYPE_CHECKING:
    from fairlint.findings.finding import Finding

OTHERS = ""
"""Stands for the groups that nobody names."""
ROUNDING = 1e-9
"""What two amounts may differ by and still be one: sums of decimals depend on their order."""
_SIGNS: Mapping[PointsOp, str] = {"add": "gap ", "multiply": "gap ×", "set": "gap "}


class Spread(Record):
    """The groups that a finding names and what each of them gets, as far as that is known."""

    groups: tuple[str, ...] = ()
    """Sorted."""
    op: PointsOp | None = None
    """How the amounts are applied; None where nobody can say them."""
    amounts: Mapping[str, float] = field(default_factory=dict)
    places: int = 0
    """At how many places of the code; 0 where nobody counted."""

    @property
    def gap(self) -> float:
        """The largest amount less the smallest."""
        return max(self.amounts.values()) - min(self.amounts.values()) if self.amounts else 0.0


def spread(groups: Iterable[str], points: GroupPoints | None, places: int) -> Spread:
    """Return what is compared of a finding that is told of so many places."""
    named = tuple(sorted({*groups}))
    if points is None:
        return Spread(named, places=places)
    amounts = {**points.by_group, **({} if points.other is None else {OTHERS: points.other})}
    if not amounts or not all(map(isfinite, amounts.values())):
        return Spread(named, places=places)
    return Spread(named, points.op, {group: float(amounts[group]) for group in sorted(amounts)}, places)


def spread_of(finding: Finding) -> Spread:
    """Return what is compared of a finding."""
    return spread(finding.use.groups, finding.points, 1 + len(finding.places))


KEPT: Mapping[str, Shape] = {
    "groups": several(TEXT),
    "op": one_of("add", "multiply", "set"),
    "amounts": mapping_of_shape(number()),
    "places": whole(1),
}
"""The keys under which files keep a spread, any of which may be missing, and what they hold."""


def spread_object(one: Spread) -> dict[str, Any]:
    """Return a spread as files keep it; what is not known is left out."""
    values: dict[str, Any] = {"groups": list(one.groups)} if one.groups or one.op else {}
    if one.op:
        values |= {"op": one.op, "amounts": dict(one.amounts)}
    return values | ({"places": one.places} if one.places else {})


def restore_spread(values: Mapping[str, Any]) -> Spread:
    """Return the inverse of `kept`, of values that are of these shapes."""
    amounts = {group: float(amount) for group, amount in values.get("amounts", {}).items()}
    op = values.get("op") if amounts else None
    return Spread(tuple(sorted(values.get("groups", ()))), op, amounts, values.get("places", 0))


def growth_message(before: Spread, now: Spread) -> str:
    """Return how a finding is more than it was: "gap 10 before, 400 now"; empty where it is not.

    It is more if the gap is larger, if the order of two groups is the reverse, if it names more groups or is
    told of more places, or if its amounts were known and are not. What was not known before says nothing.
    """
    if before.op is not None:
        sign = _SIGNS[before.op]
        first, second = _formatted_gaps(before, now)
        was = f"{sign}{first} before"
        if now.op is None:
            return f"{was}, amounts not known now"
        if now.op != before.op or now.gap > before.gap + ROUNDING:
            return f"{was}, {_SIGNS[now.op] if now.op != before.op else ''}{second} now"
        if turned := _reversed_groups(before, now):
            more, less = turned
            return f"{more} had more than {less} before, and has less now"
    if (added := [one for one in now.groups if one not in before.groups]) and before.groups:
        return f"not about {', '.join(added)} before"
    if 0 < before.places < now.places:
        return f"{before.places} place{'s' if before.places > 1 else ''} before, {now.places} now"
    return ""


def shrunk(before: Spread, now: Spread) -> str:
    """Return how a finding is less than it was; empty where it is not, or where it is also more."""
    if before.op is None or now.op != before.op or growth_message(before, now):
        return ""
    sign = _SIGNS[before.op]
    is_less = now.gap < before.gap - ROUNDING
    first, second = _formatted_gaps(before, now)
    return f"{sign}{first} before, {second} now" if is_less else ""


def _formatted_gaps(before: Spread, now: Spread) -> tuple[str, str]:
    """Return both gaps, in as many digits as show that they differ."""
    digits = digits_of((before.gap, now.gap))
    return format_number(before.gap, digits), format_number(now.gap, digits)


def _reversed_groups(before: Spread, now: Spread) -> tuple[str, str] | None:
    """Return two groups of which the first got more than the second, and gets less now."""
    both = [group for group in before.amounts if group in now.amounts]
    highest = max(both, key=lambda group: before.amounts[group], default=None)
    for other in both:
        if highest is None or before.amounts[highest] <= before.amounts[other] + ROUNDING:
            continue
        if now.amounts[highest] < now.amounts[other] - ROUNDING:
            return highest or "others", other or "others"
    return None
