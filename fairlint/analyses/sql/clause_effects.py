"""What a clause gives each group, told by group or by band of ages. Loads sqlglot."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import pairwise

from sqlglot import exp

from fairlint.analyses.sql.conditions import Person
from fairlint.analyses.sql.constants import constant
from fairlint.analyses.sql.nodes import Sql
from fairlint.analyses.sql.texts import HOLE
from fairlint.findings.uses import GroupPoints, PointsOp
from fairlint.support.records import Record
from fairlint.vocabulary.model import Attribute

_ENDS = (exp.Connector, exp.Where, exp.Having, exp.Qualify, exp.Join, exp.Select, exp.Not)
MOST_RANGES = 12
"""Ranges of ages that are told one by one; of more, the bands are told."""
MOST_NODES = 40
"""Nodes of a test that is shown as a whole."""


def spread(answers: Mapping[Person, bool]) -> int:
    """Return how far people are told apart: how many fare as the fewer do."""
    kept = sum(answers.values())
    return min(kept, len(answers) - kept)


def inclusion_by_group(answers: Mapping[Person, bool], attribute: Attribute) -> dict[str, str]:
    """Group → whether it is kept or left out."""
    texts = {person: "kept" if answer else "left out" for person, answer in answers.items()}
    return results_by_group(texts, attribute)


def results_by_group(answers: Mapping[Person, str], attribute: Attribute) -> dict[str, str]:
    """Group → what becomes of it; ages by bands."""
    ages = {age: text for age, text in answers.items() if isinstance(age, float)}
    if not ages:
        return {person: text for person, text in answers.items() if isinstance(person, str)}
    found = {}
    for band, (low, high) in attribute.bands.items():
        inside = list(dict.fromkeys(text for age, text in ages.items() if low <= age <= high))
        if inside:
            found[band] = inside[0] if len(inside) == 1 else f"{inside[0]} in part"
    return found


def points(
    op: PointsOp, amounts: Mapping[Person, float], attribute: Attribute, *, lacking: Collection[Person] = ()
) -> GroupPoints:
    """Return what each group gets.

    A band answers for most of its ages; where that would hide a cut, for the others. Those who are `lacking`
    get NULL.
    """
    ages = {age: value for age, value in amounts.items() if isinstance(age, float)}
    if not ages:
        by_group = {person: value for person, value in amounts.items() if isinstance(person, str)}
        other = amounts.get(None)
        complete = set(attribute.core_groups) == {"yes", "no"}
        return GroupPoints(op, by_group, None if complete else other)
    by_band: dict[str, float] = {}
    fits = True
    rare: dict[str, float] = {}
    for band, (low, high) in attribute.bands.items():
        inside = [value for age, value in ages.items() if low <= age <= high]
        if inside:
            ranked = sorted(set(inside), key=lambda value: (-inside.count(value), inside.index(value)))
            by_band[band], rare[band] = ranked[0], ranked[-1]
            fits = (
                fits
                and len(ranked) == 1
                and not any(isinstance(age, float) and low <= age <= high for age in lacking)
            )
    if len(set(by_band.values())) < 2:
        hidden = next((band for band, value in by_band.items() if rare[band] != value), None)
        if hidden is not None:
            by_band[hidden] = rare[hidden]
    none = {age: None for age in lacking if isinstance(age, float)}
    ranges = {} if fits else _amounts_by_age_range({**ages, **none})
    return GroupPoints(op, ranges, None, by_band=by_band) if ranges else GroupPoints(op, by_band, None)


def _amounts_by_age_range(ages: Mapping[float, float | None]) -> dict[str, float]:
    """Return what neighbouring ages get, where the query cuts them; nothing where it cuts them often."""
    ordered = sorted(ages)
    starts = [ordered[0], *(age for before, age in pairwise(ordered) if ages[before] != ages[age])]
    if len(starts) > MOST_RANGES:
        return {}
    found: dict[str, float | None] = {}
    for low, following in pairwise(starts):
        name = f"{low:g}–{following - 1:g}" if following - low > 1 else f"exactly {low:g}"
        found[f"under {following:g}" if low == ordered[0] else name] = ages[low]
    found[f"{starts[-1]:g} and over"] = ages[starts[-1]]
    return {name: value for name, value in found.items() if value is not None}


class Application(Record):
    """How an amount enters what is around it: the outermost part that is still the amount, the operator,
    and a factor.
    """

    whole: Sql
    op: PointsOp
    factor: float


def application_of_amount(node: Sql) -> Application:
    """Return how an amount enters what is around it."""
    op: PointsOp = "set"
    sign = 1.0
    while (up := node.parent) is not None:
        if isinstance(up, exp.Paren | exp.Cast | exp.Round | exp.Coalesce):
            node = up
            continue
        if isinstance(up, exp.Mul) and op == "set":
            other = up.expression if up.this is node else up.this
            value = constant(other)
            if isinstance(value, int | float) and not isinstance(value, bool):
                sign *= value
                node = up
                continue
            op = "multiply"
        elif isinstance(up, exp.Add) and op == "set":
            op = "add"
        elif isinstance(up, exp.Sub) and op == "set":
            op = "add"
            sign = -sign if up.expression is node else sign
        elif not isinstance(up, exp.Add | exp.Sub | exp.Mul | exp.Div):
            break
        node = up
    return Application(node, op, sign)


def target(node: Sql) -> tuple[str, str]:
    """Return what an amount becomes, and in which part of the statement it stands."""
    beside = node.find_all(exp.Column) if isinstance(node, exp.Binary) else ()
    column = next(
        (column.name for column in beside if isinstance(column.parent, exp.Add | exp.Sub | exp.Mul)), ""
    )
    up: Sql | None = node
    while up is not None:
        if isinstance(up, exp.Alias):
            return str(up.alias), "AS"
        if isinstance(up, exp.Ordered):
            return column, "ORDER BY"
        if isinstance(up, exp.EQ) and isinstance(up.parent, exp.Update):
            return str(up.this.name), "SET"
        if isinstance(up, exp.Where | exp.Having | exp.Qualify):
            return column, "WHERE"
        if isinstance(up, exp.Select | exp.Insert):
            return column, "SELECT"
        up = up.parent
    return column, ""


def deed(pairs: list[exp.EQ], target: str) -> str:
    """Return what is done to a person, as the query says it."""
    pair = next((pair for pair in pairs if pair.this.name == target), None)
    text = "" if pair is None else f"{target} = {pair.expression.sql()}"
    return text if text and len(text) <= 60 and not HOLE.search(text) else f"{target} changed".strip()


def update_points(
    pair: exp.EQ, outcomes: Mapping[str, str], groups: tuple[str, ...], *, cut: bool
) -> GroupPoints | None:
    """Return the points that those who are picked get: `score = score + 5`."""
    value = pair.expression
    if not isinstance(value, exp.Add | exp.Sub | exp.Mul) or not outcomes:
        return None
    left, right = value.this, value.expression
    if isinstance(right, exp.Column) and not isinstance(value, exp.Sub):
        left, right = right, left
    amount = constant(right.unnest() if isinstance(right, exp.Paren) else right)
    if not (isinstance(left, exp.Column) and left.name == pair.this.name):
        return None
    if isinstance(amount, bool) or not isinstance(amount, int | float):
        return None
    op: PointsOp = "multiply" if isinstance(value, exp.Mul) else "add"
    gain = -float(amount) if isinstance(value, exp.Sub) else float(amount)
    nothing = 1.0 if op == "multiply" else 0.0
    if any(text not in {"kept", "left out"} for text in outcomes.values()):
        return None
    by_group = {group: gain if text == "kept" else nothing for group, text in outcomes.items()}
    turned = bool(groups) and all(outcomes.get(group) != "kept" for group in groups)
    return GroupPoints(op, by_group, None if cut else gain if turned else nothing)


def condition(column: exp.Column, *, bare: bool) -> str:
    """Return the test that a column stands in, or the column alone, as SQL."""
    node: Sql = column
    up = node.parent
    while not bare and up is not None and not isinstance(up, _ENDS) and len(list(up.walk())) < MOST_NODES:
        node, up = up, up.parent
        if isinstance(node, exp.Predicate):
            if isinstance(up, exp.Not):
                node = up
            break
    return " ".join(str(node.sql()).split())
