"""Whether a function's outcome changes with an attribute, tried on people made up from what its text asks.

Nobody's data are needed: each column has the values that the code compares it with (`trial_people`). Of every
person so made, each protected column is given each other value. What is found to change does change; what is
not, may still do so for people who were not made.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from fairlint.counterfactual.calling import calls, entries
from fairlint.counterfactual.chance import may_differ
from fairlint.counterfactual.executors.executor import (
    Executor,
    Failed,
    Given,
    Limits,
    Outcome,
    Program,
    Value,
)
from fairlint.counterfactual.population import Column
from fairlint.counterfactual.questions import TEXT_TESTS
from fairlint.counterfactual.trial_people import columns_of_code, value_pools
from fairlint.counterfactual.value_flow import TAKEN_APART
from fairlint.counterfactual.value_reads import Reads, reads
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

PEOPLE = 120
"""People who are made of one function's columns at most."""
REPEATS = 5
"""How often those are asked about once more where the code could draw lots or keep something; else once."""
LIMITS = Limits(seconds=5)
PARTS_ASKED = frozenset({*TEXT_TESTS, "within"})
"""Tests that a part of a text can pass."""


class Tried(Record):
    """What execution shows of one function."""

    changes: Mapping[str, bool | None]
    """Attribute → whether an outcome changes with it. None where no two outcomes could be compared, and where
    none changed for people who may lack what the code looks for.
    """
    cause: str = ""
    """Why nothing was shown; empty where something was."""


def try_attributes(
    code: str,
    function: str,
    attributes: Sequence[str],
    executor: Executor,
    *,
    held_by: Callable[[str], str | None],
    values_of: Callable[[str, Sequence[Given]], Sequence[Given]],
    seed: int = 0,
) -> Tried:
    """Return with which attributes a function's outcome changes.

    `held_by` tells the attribute that a column of some name holds, and `values_of` which values people have
    of an attribute, by those that the code asks for. Nothing raises for what the code does.
    """
    try:
        held = {name: held_by(name) for name in columns_of_code(code)}
        lacking = [one for one in attributes if one not in held and one not in held.values()]
        given = tuple(Column(name=name, values=()) for name in (*held, *lacking))
        entry = function if function in entries(code) else None  # the last that takes a person
        calling = calls(code, given, entry, data="what it reads of a person")
        pools = value_pools(calling.program)
    except UsageError as error:
        return Tried({}, str(error))
    handed = dict(zip(pools, calling.columns, strict=True))
    columns = {
        attribute: [name for name, column in handed.items() if attribute in {column, held.get(column)}]
        for attribute in attributes
    }
    for attribute, names in columns.items():
        for name in names:
            pools[name] = tuple(values_of(attribute, pools[name]))
    return _compare_outcomes(calling.program, pools, columns, executor, seed, is_read=bool(held))


def _compare_outcomes(
    program: Program,
    pools: Mapping[str, Sequence[Given]],
    columns: Mapping[str, Sequence[str]],
    executor: Executor,
    seed: int,
    *,
    is_read: bool,
) -> Tried:
    people = list(_people(list(pools.values()), seed))
    places = {name: place for place, name in enumerate(pools)}
    asked = [
        (attribute, person, changed)
        for attribute, names in columns.items()
        for person in people
        for changed in _with_other_values(person, [places[name] for name in names], list(pools.values()))
    ]
    again = people * (REPEATS if may_differ(program) else 1)
    rows = [*people, *(changed for _, _, changed in asked), *again]
    found = executor.run(program, rows, LIMITS)
    if isinstance(found, Failed):
        return Tried({}, f"{found.cause}: {found.message}")
    protected = {name for names in columns.values() for name in names}
    others = [pool for name, pool in pools.items() if name not in protected]
    if cause := _why_nothing_is_shown(found, others, is_read=is_read):
        return Tried({}, cause)
    outcomes = _by_person(rows, found)
    if outcomes is None:
        return Tried({}, "the same person comes to different outcomes")
    found_reads = reads(program)
    changes: dict[str, bool | None] = {}
    for attribute, names in columns.items():
        pairs = [
            (outcomes[_key(one)], outcomes[_key(other)]) for name, one, other in asked if name == attribute
        ]
        changes[attribute] = _changes(pairs) if names else False
        if changes[attribute] is False and any(_asks_for_parts(found_reads, name) for name in names):
            changes[attribute] = None
    return Tried(changes)


def _by_person(
    rows: Sequence[tuple[Given, ...]], found: Sequence[Outcome]
) -> dict[tuple[Given, ...], Outcome] | None:
    """Return the outcome of each person, or None where the same person came to different ones."""
    outcomes: dict[tuple[Given, ...], Outcome] = {}
    for row, outcome in zip(rows, found, strict=True):
        if _differ(outcomes.setdefault(_key(row), outcome), outcome):
            return None
    return outcomes


def _changes(pairs: Iterable[tuple[Outcome, Outcome]]) -> bool | None:
    """Return whether the two outcomes of any pair differ, or None where no pair can be compared."""
    compared = [_differ(*pair) for pair in pairs if all(isinstance(one, Value) for one in pair)]
    return any(compared) if compared else None


def _asks_for_parts(found: Reads, column: str) -> bool:
    """Return whether code asks for a part of a value, such as its first letter: nobody knows how it spells
    what it looks for, so that people may lack it.
    """
    asked = {test.op for test in found.tests.get(column, ())}
    return TAKEN_APART in found.opaque.get(column, ()) or not asked.isdisjoint(PARTS_ASKED)


def _why_nothing_is_shown(
    outcomes: Sequence[Outcome], others: Sequence[Sequence[Given]], *, is_read: bool
) -> str:
    """Return why nobody's outcome says anything of an attribute, if so; `others` are the values of all other
    columns.

    Where something `is_read` of people and nothing is returned, it is printed or kept. Where people who
    differ in other columns, too, are all alike, nobody is near what decides.
    """
    values = {outcome for outcome in outcomes if isinstance(outcome, Value)}
    if not values:
        return "no call came to a value"
    if is_read and all(value.kind == "none" for value in values):
        return "nothing is returned of anybody"
    if len(values) == 1 and any(len(pool) > 1 for pool in others):
        return "all people come to the same value"
    return ""


def _differ(one: Outcome, other: Outcome) -> bool:
    """Return whether two calls came to different values."""
    return isinstance(one, Value) and isinstance(other, Value) and one.text != other.text


def _key(row: Sequence[Given]) -> tuple[Given, ...]:
    """Return a row as a key that tells True from 1."""
    return tuple(each for cell in row for each in (type(cell).__name__, cell))


def _people(pools: Sequence[Sequence[Given]], seed: int) -> Iterator[tuple[Given, ...]]:
    """Yield different people: two who have the first and the last value of each column, some who differ from
    them in one column, and as many by lot.
    """
    drawn = random.Random(seed)  # noqa: S311 (people, nothing to guess)
    ends = [tuple(pool[0] for pool in pools), tuple(pool[-1] for pool in pools)]
    near = [row for end in ends for row in _with_other_values(end, range(len(pools)), pools)]
    some = drawn.sample(near, min(len(near), PEOPLE // 2))
    lots = (tuple(drawn.choice(pool) for pool in pools) for _ in range(PEOPLE))
    seen: set[tuple[Given, ...]] = set()
    for row in (*ends, *some, *lots):
        if _key(row) not in seen and len(seen) < PEOPLE:
            seen.add(_key(row))
            yield row


def _with_other_values(
    person: tuple[Given, ...], places: Iterable[int], pools: Sequence[Sequence[Given]]
) -> Iterator[tuple[Given, ...]]:
    """Yield the same person with each other value in one of some columns."""
    for place in places:
        for value in pools[place]:
            if _key([value]) != _key([person[place]]):
                yield (*person[:place], value, *person[place + 1 :])
