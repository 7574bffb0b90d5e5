"""Counterfactuals the plain way: each person by themselves, with each value of each attribute.

`fairlint.counterfactual.measuring` must come to the same numbers with far fewer calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from fairlint.counterfactual.executors.executor import Executor, Failed, Limits, Outcome, Program, Value
from fairlint.counterfactual.population import Cell, Population

BATCH = 50_000


@dataclass
class Plain:
    """What becomes of people when one column has another value."""

    compared: int = 0
    changed: int = 0
    steps: dict[int, int] = field(default_factory=dict)
    moved: dict[Cell, tuple[int, int]] = field(default_factory=dict)
    """Value → people it changes, people asked."""
    pairs: dict[tuple[Cell, Cell], tuple[int, int]] = field(default_factory=dict)


def plain(
    program: Program,
    population: Population,
    executor: Executor,
    attributes: Sequence[str],
    limits: Limits | None = None,
) -> tuple[dict[str, Plain], int]:
    """Each attribute's numbers, and how many calls were made. The program must take all columns."""
    names = [column.name for column in population.columns]
    people = [
        row for row, weight in zip(population.rows, population.weights, strict=True) for _ in range(weight)
    ]
    own = list(_outcomes(program, executor, people, limits or Limits()))
    calls = len(people)
    found = {}
    for attribute in attributes:
        place = names.index(attribute)
        column = population.columns[place]
        others = {}
        for value in column.values:
            moved = [(*row[:place], value, *row[place + 1 :]) for row in people]
            others[value] = list(_outcomes(program, executor, moved, limits or Limits()))
            calls += len(moved)
        found[attribute] = _counted(people, place, column.values, own, others, ordered=column.ordered)
    return found, calls


Pair = tuple[Cell, Cell, Cell, Cell]
"""A value of a column with its group, and its counterpart with the other group."""


def plain_followed(
    program: Program,
    population: Population,
    executor: Executor,
    attribute: str,
    pairs: Mapping[str, Sequence[Pair]],
) -> tuple[Plain, int]:
    """The numbers where other columns follow an attribute, and the people who would be impossible alone."""
    names = [column.name for column in population.columns]
    people = [
        row for row, weight in zip(population.rows, population.weights, strict=True) for _ in range(weight)
    ]
    place = names.index(attribute)
    column = population.columns[place]
    moved = {
        value: [_moved(row, names, attribute, value, pairs) for row in people] for value in column.values
    }
    impossible = sum(
        any(
            any(moved[value][number][names.index(other)] != row[names.index(other)] for other in pairs)
            for value in column.values
            if value != row[place]
        )
        for number, row in enumerate(people)
    )
    own = list(_outcomes(program, executor, people, Limits()))
    others = {value: list(_outcomes(program, executor, rows, Limits())) for value, rows in moved.items()}
    return _counted(people, place, column.values, own, others, ordered=column.ordered), impossible


def plain_crossed(
    people: Sequence[tuple[tuple[Cell, Cell], bool | None]],
) -> dict[tuple[Cell, Cell], tuple[Fraction, int, Fraction | None]]:
    """Rate, people and impact ratio of each crossed group, one person at a time.

    `people` have their groups and whether they are selected, None where there is no outcome. The ratio is
    None of groups below 2 %, and where nobody is selected.
    """
    answered = [(groups, selected) for groups, selected in people if selected is not None]
    rates = {}
    for groups in dict.fromkeys(groups for groups, _ in answered):
        outcomes = [selected for other, selected in answered if other == groups]
        rates[groups] = (Fraction(sum(outcomes), len(outcomes)), len(outcomes))
    large = [groups for groups, (_, count) in rates.items() if 100 * count >= 2 * len(answered)]
    best = max((rates[groups][0] for groups in large), default=Fraction(0))
    return {
        groups: (rate, count, rate / best if groups in large and best else None)
        for groups, (rate, count) in rates.items()
    }


def _moved(
    row: tuple[Cell, ...],
    names: Sequence[str],
    attribute: str,
    value: Cell,
    pairs: Mapping[str, Sequence[Pair]],
) -> tuple[Cell, ...]:
    person = dict(zip(names, row, strict=True))
    person[attribute] = value
    for other, known in pairs.items():
        for one, group, counterpart, other_group in known:
            has = row[names.index(other)]
            if has == one and value == other_group:
                person[other] = counterpart
            if has == counterpart and value == group:
                person[other] = one
    return tuple(person[name] for name in names)


def _counted(
    people: Sequence[tuple[Cell, ...]],
    place: int,
    values: Sequence[Cell],
    own: Sequence[Outcome],
    others: dict[Cell, list[Outcome]],
    *,
    ordered: bool,
) -> Plain:
    told = Plain()
    for number, row in enumerate(people):
        before, value = own[number], row[place]
        nearest = None
        all_told = isinstance(before, Value)
        for other in values:
            after = others[other][number]
            if other == value:
                continue
            if not isinstance(after, Value):
                all_told = False
                continue
            if not isinstance(before, Value):
                continue
            differs = before.text != after.text
            _add(told.moved, other, differs)
            _add(told.pairs, (value, other), differs)
            steps = abs(values.index(other) - values.index(value)) if ordered else 1
            if differs and (nearest is None or steps < nearest):
                nearest = steps
        if all_told:
            told.compared += 1
            if nearest is not None:
                told.changed += 1
                told.steps[nearest] = told.steps.get(nearest, 0) + 1
    return told


def _add(counts: dict, key: object, differs: bool) -> None:  # type: ignore[type-arg]
    part, whole = counts.get(key, (0, 0))
    counts[key] = (part + differs, whole + 1)


def _outcomes(
    program: Program, executor: Executor, people: Sequence[Sequence[Cell]], limits: Limits
) -> Iterator[Outcome]:
    for start in range(0, len(people), BATCH):
        came = executor.run(program, people[start : start + BATCH], limits)
        if isinstance(came, Failed):
            raise RuntimeError(f"{came.cause}: {came.message}")
        yield from came
