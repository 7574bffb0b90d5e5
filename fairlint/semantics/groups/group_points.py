"""How many points, or which factor, the amounts of a comparison give to each group."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice

from fairlint.findings.uses import GroupPoints, PointsOp
from fairlint.semantics.groups.comparison import Comparison, compare_groups
from fairlint.semantics.groups.group_terms import SCALE, GroupTerms
from fairlint.semantics.groups.number_ranges import LARGEST, hashable_form
from fairlint.semantics.groups.path_search import PathCondition
from fairlint.semantics.groups.specialization import Specialization
from fairlint.semantics.values import amounts
from fairlint.semantics.values.amounts import Amount
from fairlint.semantics.values.symbolic import Const, Operation, Value
from fairlint.semantics.values.traversal import walk
from fairlint.support.records import replace

MOST_FACTORS = 40
"""How many numbers are tried as the factor that all groups share."""
MOST_PARTS = 2_000
"""How many parts of a value are looked through for numbers."""


def amount_distance(answers: list[Amount | None]) -> float:
    """Return how far apart amounts are: the widest range of any one term. One that is missing is apart from
    all.
    """
    present = [answer for answer in answers if answer is not None and not amounts.is_missing(answer)]
    keys = {key for answer in present for key in answer}
    apart = max(
        (_spread_of_values([answer.get(key, 0.0) for answer in present]) for key in keys), default=0.0
    )
    lost = bool(present) and any(answer is not None and amounts.is_no_value(answer) for answer in answers)
    return max(apart, 1.0) if lost else apart


def compare_amounts(
    naming: GroupTerms,
    ask: Callable[[Specialization], Amount | None],
    written: Iterable[Value],
    *,
    cost: int = 1,
    ways: Callable[[], Iterable[PathCondition]] = tuple,
) -> Comparison[Amount | None]:
    """Return the amounts of all groups, which the `written` values come to.

    A limit of the law excuses none of them, but where nobody gets an amount below it, that is a no. Where
    they do not differ, it counts that an unknown amount is kept below or above a known one for some.
    """
    asked = naming.for_amounts() if naming.attribute.bands else naming
    found = compare_groups(asked, ask, amount_distance, cost=cost, ways=ways)
    if asked is not naming and naming.lawful and found.differs and _gives_nothing(found):
        return compare_groups(naming, ask, amount_distance, cost=cost, ways=ways)
    if not found.tells and _has_bounds(written):
        bounded = compare_groups(replace(asked, by_bounds=True), ask, amount_distance, cost=cost)
        return bounded if bounded.differs else found
    return found


def _has_bounds(values: Iterable[Value]) -> bool:
    held = islice(walk(*values), MOST_PARTS)
    return any(isinstance(part, Operation) and part.op in {"min", "max"} for part in held)


def _gives_nothing(comparison: Comparison[Amount | None]) -> bool:
    """Return whether the first range gets nothing or zero, and others what is worked out."""
    first, *others = comparison.told.values()
    if first is None or (repr(None),) in first:
        return first is not None
    worked_out = [one for one in others if one is not None and amounts.known_number(one) is None]
    return amounts.known_number(first) == 0.0 and (comparison.varies or bool(worked_out))


def _spread_of_values(values: list[float]) -> float:
    return round(max(values) - min(values), 10)


def group_points(
    comparison: Comparison[Amount | None], *, plain_op: PointsOp = "add", written: Iterable[Value] = ()
) -> GroupPoints | None:
    """Return the table of points that amounts per group amount to, or None where nobody can say.

    A term that differs decides: the known number gives `add` (`set` where nothing of the old value is
    left), the old value's factor or that of one unknown term gives `multiply`. Anything else has no table.
    `written` are the values that lead there, as the code has them: a factor that all groups share is no
    part of theirs.
    """
    if comparison.turns:
        return None
    points = _group_points(comparison, comparison.told, plain_op, written)
    if points is None:
        return None
    if any(amount is not None and amounts.is_no_value(amount) for amount in comparison.told.values()):
        points = replace(points, missing=True)
    are_all_told = len(points.by_group) > 1 and not points.missing and not _others_keep(points, comparison)
    if not points.gap and are_all_told:
        return None
    if comparison.varies and comparison.hangs_on_others:
        return None  # what a group gets in the end is not known here
    if points.op == "set" and not points.gap:
        if gives_several(comparison):
            return None  # it is one of them, each under conditions of its own
        varies = any(_is_given_at_times(answers) for answers in comparison.met)
        comparison = replace(comparison, varies=comparison.varies or varies)
    if not (comparison.by_range or comparison.varies):
        return points
    by_band = _group_points(comparison, comparison.by_group, plain_op, written)
    bands = by_band.by_group if by_band is not None and comparison.by_range else {}
    return replace(points, by_band=bands, at_most=comparison.varies)


def gives_several(comparison: Comparison[Amount | None]) -> bool:
    """Return whether known numbers of more than one size are given, to whomever and in whichever world."""
    return len({_known_amount(one) for answers in comparison.met for one in answers} - {None}) > 1


def _is_given_at_times(answers: Iterable[Amount | None]) -> bool:
    """Return whether somebody is given a known number in some worlds, and fares otherwise in others."""
    several = [*answers]
    return len({*map(hashable_form, several)}) > 1 and any(_known_amount(one) is not None for one in several)


def _known_amount(amount: Amount | None) -> float | None:
    """Return the number that somebody is given in place of what was there, if it is known."""
    return None if _present_amount(amount) is None or amount is None else amounts.known_number(amount)


def _others_keep(points: GroupPoints, comparison: Comparison[Amount | None]) -> bool:
    """Return whether some groups are given an amount, and others keep what they have: `if country in ("AE",
    "OM"): bonus["fit"] = 20`.
    """
    other = [comparison.other] if comparison.is_open and not comparison.others_end else []
    rest = [
        amount for amount in map(_present_amount, [*comparison.told.values(), *other]) if amount is not None
    ]
    keep = any((amounts.OLD_KEY,) in amount for amount in rest)
    return points.op == "set" and keep and not comparison.leaves_out


def _group_points(
    comparison: Comparison[Amount | None],
    answers: Mapping[str, Amount | None],
    plain_op: PointsOp,
    written: Iterable[Value],
) -> GroupPoints | None:
    found = {group: _present_amount(amount) for group, amount in answers.items()}
    present = {group: amount for group, amount in found.items() if amount is not None}
    other = None if comparison.others_end else _present_amount(comparison.other)
    old = (amounts.OLD_KEY,)
    others = [other] if other is not None and (comparison.is_open or comparison.leaves_out) else []
    differing = _differing_terms([*present.values(), *others])
    is_scale = comparison.by_scale or any(SCALE in part for key in differing for part in key)
    if not present or is_scale:
        return None
    if differing <= {()}:
        replaces = all(set(amount) <= {()} for amount in present.values())
        op: PointsOp = "set" if replaces and plain_op == "set" else "add"
        return _points_of_term(op, (), present, other)
    if differing == {(), old}:
        return _set_for_some(present, other)
    if len(differing) == 1:
        return _by_factor(next(iter(differing)), present, other, plain_op, written)
    if _are_multiples([*present.values(), *([] if other is None else [other])], differing):
        term = max(differing - {()}, key=lambda one: (one == old, one))
        return _drop_shared_factor(_points_of_term("multiply", term, present, other), written)
    return None


def _by_factor(
    term: tuple[str, ...],
    present: Mapping[str, Amount],
    other: Amount | None,
    plain_op: PointsOp,
    written: Iterable[Value],
) -> GroupPoints | None:
    """Amounts that differ in how often one thing is in them; what is 0 is 0 times what was there."""
    is_old = term == (amounts.OLD_KEY,)
    nothing = [amount for amount in present.values() if is_old and amounts.known_number(amount) == 0.0]
    if nothing and plain_op == "set":
        return _set_for_some(present, other)
    if not all(term in amount or amount in nothing for amount in present.values()):
        return None
    if other is not None and term not in other:
        differ = bool(_differing_terms(list(present.values())))
        is_none_of_it = amounts.known_number(other) == 0.0 and (is_old or differ)
        if not (is_none_of_it or differ):
            return None  # nobody knows how much the one thing is
        other = other if is_none_of_it else None
    points = _points_of_term("multiply", term, present, other)
    return points if is_old else _drop_shared_factor(points, written)


def _are_multiples(present: Sequence[Amount], differing: Collection[tuple[str, ...]]) -> bool:
    """Return whether amounts are one sum times a number each: of `(50 + x) * 0.9` and `50 + x`."""
    first = present[0]
    if any(amount.keys() != first.keys() for amount in present) or set(differing) != first.keys():
        return False
    ratios = [{round(amount[key] / first[key], 9) for key in first} for amount in present]
    return all(len(one) == 1 for one in ratios)


def _set_for_some(present: Mapping[str, Amount], other: Amount | None) -> GroupPoints | None:
    """Return what some groups are given in place of what they had, where that is a number."""
    old = (amounts.OLD_KEY,)
    replacing = {group: amount for group, amount in present.items() if old not in amount}
    if replacing and all(set(amount) <= {()} for amount in replacing.values()):
        return _points_of_term(
            "set", (), replacing, other if other is not None and old not in other else None
        )
    return None


def _drop_shared_factor(points: GroupPoints, written: Iterable[Value]) -> GroupPoints:
    """Factors without what all groups are multiplied by: of `141 * x * 1.159` and `141 * x`, 1.159 and 1.

    What is left of all of them stands in the code, or is 1, or what the code divides by. Where that cannot
    be had, those of whom nothing is said have 1.
    """
    amounts_ = [*points.by_group.values(), *([] if points.other is None else [points.other])]
    numbers, divisors = _numbers_in(written)
    shared = dict.fromkeys([1.0, *amounts_, *(amounts_[0] / number for number in (*numbers, *divisors))])
    plain = {round(number, 9) for number in (1.0, *numbers)}
    inverse = {round(1 / number, 9) for number in divisors}
    # What those of whom nothing is said have is shared most likely.
    first = [(factor, plain | inverse) for factor in (1.0, points.other or 1.0)]
    rest = [(factor, known) for known in (plain, plain | inverse) for factor in islice(shared, MOST_FACTORS)]
    for factor, known in (*first, *rest):
        if factor and all(round(amount / factor, 9) in known for amount in amounts_):
            return _divide_points(points, factor)
    return _divide_points(points, points.other) if points.other else points


def _divide_points(points: GroupPoints, factor: float) -> GroupPoints:
    if factor == 1.0:
        return points
    by_group = {group: round(amount / factor, 9) for group, amount in points.by_group.items()}
    return GroupPoints(points.op, by_group, None if points.other is None else round(points.other / factor, 9))


def _numbers_in(values: Iterable[Value]) -> tuple[list[float], list[float]]:
    """Return the numbers in values, each once, and those that something is divided by; of many the first."""
    found: dict[float, None] = {}
    divisors: dict[float, None] = {}
    for value in values:
        dividing: set[int] = set()
        for part in islice(walk(value), MOST_PARTS):
            if isinstance(part, Operation) and part.op in {"/", "//"}:
                dividing.update(map(id, part.arguments[1:]))
            number = part.value if isinstance(part, Const) else None
            if isinstance(number, int | float) and 0 < abs(number) < LARGEST:
                (divisors if id(part) in dividing else found).setdefault(float(number))
    return list(found), list(divisors)


def _present_amount(amount: Amount | None) -> Amount | None:
    return None if amount is None or amounts.is_missing(amount) else amount


def _differing_terms(present: Collection[Amount]) -> set[tuple[str, ...]]:
    """Return the terms in which amounts differ."""
    keys = {key for amount in present for key in amount}
    return {key for key in keys if _spread_of_values([amount.get(key, 0.0) for amount in present]) > 0}


def _points_of_term(
    op: PointsOp, term: tuple[str, ...], present: Mapping[str, Amount], other: Amount | None
) -> GroupPoints:
    by_group = {group: amount.get(term, 0.0) for group, amount in present.items()}
    if op == "set" and other is not None and (amounts.OLD_KEY,) in other:
        other = None  # they keep what they have, whatever that is
    return GroupPoints(op, by_group, None if other is None else other.get(term, 0.0))
