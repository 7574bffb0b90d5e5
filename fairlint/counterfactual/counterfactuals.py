"""Which calls say everything about a program on a population, and what they came to.

People whom the program cannot tell apart are called once. A *context* is what is left of a person when some
columns are taken away, by classes of values; with each class of those columns it is one call.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy

from fairlint.counterfactual.calls import NOT_CALLED, Calls
from fairlint.counterfactual.chance import may_differ
from fairlint.counterfactual.coded import Coded, Numbers
from fairlint.counterfactual.executors.executor import Program
from fairlint.counterfactual.measured import Steadiness
from fairlint.counterfactual.population import Cell
from fairlint.support.records import Record

KEYS = 2**62
"""A call is known by one number below this."""
FEW = 64
"""Repetitions of a call at most, and of all calls at least: a coin that differs once in ten passes 64 with a
chance of 0.001."""
MANY = 4096
"""Repetitions by turns, and of people by lot, of a program that may differ: of these, 200 are for 5 % of
people."""


class Handed(Record, eq=False):
    """A column as the program gets it."""

    place: int
    """Among the population's columns."""
    cells: tuple[Cell, ...]
    """All that is tried: the column's cells, then values of dead tests."""
    classes: Numbers
    """For each cell the number of its class, from 0."""
    first: tuple[int, ...]
    """For each class its first cell, which stands for all of them."""

    @property
    def count(self) -> int:
        """How many classes there are."""
        return len(self.first)


def group_cells(place: int, cells: Sequence[Cell], alike: Sequence[Sequence[int]]) -> Handed:
    """`alike` has what tells the class of each cell, by each of the names that the column comes under."""
    classes = list(zip(*alike, strict=True))
    first: dict[tuple[int, ...], int] = {}
    for cell, one in enumerate(classes):
        first.setdefault(one, cell)
    number = {one: count for count, one in enumerate(first)}
    numbers = numpy.array([number[one] for one in classes], dtype=numpy.int64)
    return Handed(place, tuple(cells), numbers, tuple(first.values()))


class Table(Record, eq=False):
    """Outcomes by context and by the classes of the columns that were taken away.

    `rows` are distinct people as the program sees them with what they really have in those columns: `context`
    is the row of `outcomes`, `cells[i]` their cell in the i-th column.
    """

    columns: tuple[Handed, ...]
    outcomes: Numbers
    """One row a context, one column for each combination of classes, the last column's fastest."""
    context: Numbers
    cells: tuple[Numbers, ...]
    weights: Numbers


class Change(Record, eq=False):
    """Columns that are changed together, by their numbers among the handed ones."""

    columns: tuple[int, ...]
    moves: tuple[tuple[Numbers, ...], ...] | None = None
    """What is tried: for each move, and each of the columns, the class that each of its cells becomes. None
    where every combination of classes is."""


class Plan(Record, eq=False):
    """All calls for some columns that are taken away, each by itself, and for people as they are.

    A call's key is `context * product + sum(class * stride)` over the columns that are taken away.
    """

    base: tuple[Handed, ...]
    """The columns that are never taken away."""
    contexts: tuple[Numbers, ...]
    """For each of `base`, its class in each context."""
    varied: tuple[Handed, ...]
    strides: tuple[int, ...]
    own: Numbers
    """Each population row's key."""
    keys: Numbers
    """All calls, in order."""


def plans(
    people: Coded, columns: Sequence[Handed], changes: Sequence[Change]
) -> Iterator[tuple[Plan, list[Change]]]:
    """Plan that cover all `changes`, with those that each covers.

    One plan for all, but where the numbers of the calls would grow too large for one number.
    """
    rows = len(people.population.rows)
    left = list(changes) or [Change(())]
    while left:
        taken: list[int] = []
        product = 1
        covered: list[Change] = []
        later: list[Change] = []
        for one in left:
            new = [place for place in one.columns if place not in taken]
            grown = product * int(numpy.prod([columns[place].count for place in new], dtype=object))
            if covered and grown * (rows + 1) >= KEYS:
                later.append(one)
                continue
            product, covered = grown, [*covered, one]
            taken += new
        left = later
        yield _build_plan(people, columns, taken, covered), covered


def _build_plan(
    people: Coded, columns: Sequence[Handed], taken: Sequence[int], changes: Sequence[Change]
) -> Plan:
    base = tuple(one for place, one in enumerate(columns) if place not in taken and one.count > 1)
    varied = tuple(columns[place] for place in taken)
    context, first = _number_contexts(people, base)
    strides: list[int] = []
    product = 1
    for one in reversed(varied):
        strides.insert(0, product)
        product *= one.count
    own = context * product
    for one, stride in zip(varied, strides, strict=True):
        own += _row_classes(people, one) * stride
    plan = Plan(
        base,
        tuple(_row_classes(people, one)[first] for one in base),
        varied,
        tuple(strides),
        own,
        numpy.unique(own),
    )
    asked = [plan.keys]
    for change in changes:
        names = [columns[place] for place in change.columns]
        if change.moves is not None:
            asked += [numpy.unique(keys) for keys in _moved_keys(people, plan, names, change.moves)]
            continue
        asked.append(
            (
                _distinct_cleared_keys(plan, plan.keys, names)[:, None] + _key_offsets(plan, names)[None, :]
            ).ravel()
        )
    return Plan(plan.base, plan.contexts, varied, plan.strides, own, numpy.unique(numpy.concatenate(asked)))


def _row_classes(people: Coded, one: Handed) -> Numbers:
    return one.classes[people.columns[one.place].codes]


def _number_contexts(people: Coded, base: Sequence[Handed]) -> tuple[Numbers, Numbers]:
    """Return each row's context by number, and for each context one row that has it."""
    rows = len(people.population.rows)
    number = numpy.zeros(rows, dtype=numpy.int64)
    first = numpy.zeros(min(rows, 1), dtype=numpy.int64)
    for one in base:  # renumbered each time, so that numbers stay below rows * classes
        number = number * one.count + _row_classes(people, one)
        _, first, number = numpy.unique(number, return_index=True, return_inverse=True)
    return number, first


def _stride_of_column(plan: Plan, one: Handed) -> int:
    return plan.strides[[known.place for known in plan.varied].index(one.place)]


def _distinct_cleared_keys(plan: Plan, keys: Numbers, columns: Sequence[Handed]) -> Numbers:
    """Return the distinct keys with the first class in some columns."""
    return numpy.unique(_clear_columns(plan, keys, columns))


def _clear_columns(plan: Plan, keys: Numbers, columns: Sequence[Handed]) -> Numbers:
    for one in columns:
        stride = _stride_of_column(plan, one)
        keys = keys - (keys // stride % one.count) * stride
    return keys


def _key_offsets(plan: Plan, columns: Sequence[Handed]) -> Numbers:
    """Return what each combination of classes adds to a key, the last column's classes fastest."""
    offsets = numpy.zeros(1, dtype=numpy.int64)
    for one in columns:
        steps = numpy.arange(one.count, dtype=numpy.int64) * _stride_of_column(plan, one)
        offsets = (offsets[:, None] + steps[None, :]).ravel()
    return offsets


def _moved_keys(
    people: Coded, plan: Plan, columns: Sequence[Handed], moves: Iterable[Sequence[Numbers]]
) -> Iterator[Numbers]:
    """Yield the key of each population row after each move."""
    cleared = _clear_columns(plan, plan.own, columns)
    for move in moves:
        keys = cleared.copy()
        for one, classes in zip(columns, move, strict=True):
            keys += classes[people.columns[one.place].codes] * _stride_of_column(plan, one)
        yield keys


def people_of(plan: Plan, keys: Numbers, asking: Asking) -> list[tuple[Cell, ...]]:
    """Return the people that calls are made with: a cell for each name that the program takes."""
    if not asking.places:
        return [()] * len(keys)
    product = int(numpy.prod([one.count for one in plan.varied], dtype=object))
    context = keys // product
    cells = {one.place: [one.cells[one.first[0]]] * len(keys) for one in asking.columns}
    for one, known in zip(plan.base, plan.contexts, strict=True):
        cells[one.place] = _representative_cells(one, known[context])
    for one, stride in zip(plan.varied, plan.strides, strict=True):
        cells[one.place] = _representative_cells(one, keys // stride % one.count)
    return list(zip(*(cells[place] for place in asking.places), strict=True))


def _representative_cells(one: Handed, classes: Numbers) -> list[Cell]:
    standing = [one.cells[place] for place in one.first]
    return [standing[number] for number in classes.tolist()]


class Asking(Record, eq=False):
    """A program, and the columns that it gets."""

    program: Program
    columns: Sequence[Handed]
    """Each once."""
    places: Sequence[int]
    """Of the population's columns, by the names that the program takes: one may be there twice."""
    calls: Calls


def outcome_numbers(plan: Plan, asking: Asking) -> Numbers:
    """Return the outcome number of each of the plan's keys; where nothing runs at all, `asking.calls` says
    why.
    """
    own = numpy.searchsorted(plan.keys, numpy.unique(plan.own))
    return asking.calls.outcomes(
        asking.program, len(plan.keys), own, lambda chosen: people_of(plan, plan.keys[chosen], asking)
    )


class Repeatability(NamedTuple):
    """Whether calls come to the same once more: how many were repeated, and how many differed."""

    steadiness: Steadiness
    repeated: int
    differed: int


def check_repeatability(
    plan: Plan, asking: Asking, outcomes: Numbers, weights: Numbers, *, seed: int, most: int
) -> Repeatability:
    """Return whether calls come to the same once more.

    Up to `most` calls are repeated in a fresh run in another order that `seed` makes; then, as people who
    cannot be told apart are called once, again and again (`_repetitions`), each person as often as `weights`
    says.
    """
    made: list[int] = numpy.flatnonzero(outcomes != asking.calls.other(NOT_CALLED)).tolist()
    draw = random.Random(seed)  # noqa: S311 (no secret)
    shuffled = draw.sample(made, min(most, len(made)))
    if shuffled == sorted(shuffled):
        shuffled.reverse()
    alike = made if (outcomes[made] >= 0).any() else []
    repeated = differed = 0
    for order in (shuffled, _repetitions(plan, asking, alike, weights, draw)):
        again = _repeat_calls(plan, asking, order) if order else None
        if again is None:
            continue
        repeated += len(order)
        differed = int((outcomes[order] != again).sum())
        if differed:
            return Repeatability(_kind_of_difference(plan, asking, order), repeated, differed)
    return Repeatability("steady" if repeated else "not tried", repeated, 0)


def _kind_of_difference(plan: Plan, asking: Asking, order: list[int]) -> Steadiness:
    """Chance, or what is kept between calls: this is the same in each run of the same calls in one order."""
    longer = order * -(-FEW // len(order))
    first, *others = (_repeat_calls(plan, asking, longer) for _ in range(3))
    same = first is not None and all(other is not None and bool((first == other).all()) for other in others)
    return "state" if same else "random"


def _repetitions(
    plan: Plan, asking: Asking, made: list[int], weights: Numbers, draw: random.Random
) -> list[int]:
    """Return calls to make many times over: few where the text speaks against chance, else all of them by
    turns and people by lot.
    """
    unsteady = may_differ(asking.program)
    if not made or (len(made) >= FEW and not unsteady):
        return []
    turns = min(FEW, -(-(MANY if unsteady else FEW) // len(made)))
    found = [*made[:MANY]] * turns
    if unsteady:
        places: Numbers = numpy.searchsorted(plan.keys, plan.own)
        known = numpy.isin(places, made)
        if known.any():
            found += draw.choices(places[known].tolist(), weights[known].tolist(), k=MANY)
    draw.shuffle(found)
    return found


def _repeat_calls(plan: Plan, asking: Asking, order: list[int]) -> Numbers | None:
    return asking.calls.once(asking.program, people_of(plan, plan.keys[order], asking))


def table(people: Coded, plan: Plan, outcomes: Numbers, columns: Sequence[Handed]) -> Table:
    """Return the outcomes of a plan by what is left of people without some columns."""
    cleared = _clear_columns(plan, plan.own, columns)
    contexts, context = numpy.unique(cleared, return_inverse=True)
    places = numpy.searchsorted(plan.keys, contexts[:, None] + _key_offsets(plan, columns)[None, :])
    cells = tuple(people.columns[one.place].codes for one in columns)
    # rows that are alike in their context and in these columns count together
    joined = context.astype(numpy.int64)
    for one, codes in zip(columns, cells, strict=True):
        joined = joined * len(one.cells) + codes
    _, first, inverse = numpy.unique(joined, return_index=True, return_inverse=True)
    weights = numpy.zeros(len(first), dtype=numpy.int64)
    numpy.add.at(weights, inverse, people.weights)
    return Table(
        tuple(columns), outcomes[places], context[first], tuple(codes[first] for codes in cells), weights
    )


def moved_outcomes(
    people: Coded,
    plan: Plan,
    outcomes: Numbers,
    columns: Sequence[Handed],
    moves: Iterable[Sequence[Numbers]],
) -> Iterator[Numbers]:
    """Yield the outcome number of each population row after each move."""
    for keys in _moved_keys(people, plan, columns, moves):
        yield outcomes[numpy.searchsorted(plan.keys, keys)]


def own_outcomes(plan: Plan, outcomes: Numbers) -> Numbers:
    """Return the outcome number of each population row as it is."""
    return outcomes[numpy.searchsorted(plan.keys, plan.own)]
