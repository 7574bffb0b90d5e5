"""Measures a program on a population: for whom each column changes the outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb

import numpy

from fairlint.counterfactual import counterfactuals, favourable
from fairlint.counterfactual.calls import NOT_CALLED, Calls
from fairlint.counterfactual.chance import may_differ
from fairlint.counterfactual.changes import Selected, changes_of, joint_of, selected_of, unread
from fairlint.counterfactual.coded import Coded, Numbers, encode_population
from fairlint.counterfactual.counterfactuals import Change, Handed, Table, group_cells
from fairlint.counterfactual.crossing import MOST_CROSSINGS, crossings
from fairlint.counterfactual.dead_tests import dead_tests, extra_values
from fairlint.counterfactual.executors.executor import Executor, Limits, Program
from fairlint.counterfactual.followed import class_moves, followed_of
from fairlint.counterfactual.independence import independent
from fairlint.counterfactual.measured import (
    Changes,
    DeadTest,
    Followed,
    Joint,
    Measured,
    Outcomes,
    Read,
    Steadiness,
)
from fairlint.counterfactual.population import Cell, Population
from fairlint.counterfactual.value_classes import value_classes
from fairlint.counterfactual.value_reads import Reads, reads, unknown
from fairlint.support.errors import UsageError

REPEATED = 20_000
"""Calls that are made once more to find out whether they come to the same."""
SHOWN_OUTCOMES = 10
"""Of different outcomes, the most frequent ones are told."""


def measure(
    program: Program,
    population: Population,
    executor: Executor,
    *,
    columns: Sequence[str] | None = None,
    attributes: Sequence[str] | None = None,
    joint: bool = False,
    limits: Limits | None = None,
    seed: int = 0,
    favourable_outcome: Cell = None,
    by_classes: bool = True,
    follow: bool = True,
    cross: bool = True,
) -> Measured:
    """Return what becomes of each person's outcome when each attribute has each other value.

    `columns` are the columns that the program's names stand for, as `calling` says; without them, those that
    the names mean.
    `attributes` are columns or fairlint's names of what they hold; without them, all columns that hold an
    attribute. With `joint`, each two of them are changed together, too. `seed` chooses the order in which
    calls are repeated. `favourable_outcome` is the value that is good for a person, where that is known.
    With `by_classes=False` each value is tried by itself, whatever the program's text says of it; with
    `follow=False` no column follows another, and with `cross=False` no two are crossed.

    Raises UsageError for an attribute that the population lacks, or a name that the program takes and no
    column has. Whatever the program does is in the record.
    """
    people = encode_population(population)
    asked = _columns_to_change(people, attributes)
    names = people.places(program.call.names if columns is None else columns)
    run = _Run(
        people,
        program,
        Calls(executor, limits or Limits()),
        asked,
        names,
        by_classes=by_classes,
        follow=follow,
    )
    tables = run.tables(joint=joint, seed=seed)
    kinds = run.kinds()
    good = favourable.favourable(kinds, favourable_outcome)
    limit = favourable.median_score(kinds) if good is None else None
    is_selected = run.selected(good, limit)
    selections = {
        place: selected_of(people.columns[place], people.weights, people.favourable, run.own, is_selected)
        for place in asked
    }
    return Measured(
        population=population.name,
        people=population.people,
        answered=int(people.weights[run.own >= 0].sum()),
        unanswered=run.calls.unanswered(run.own, people.weights),
        failed=None if run.calls.failed is None else (run.calls.failed.cause, run.calls.failed.message),
        steadiness=run.steadiness,
        repeated=run.repeated,
        differed=run.differed,
        decision=favourable.decision(kinds),
        outcomes=kinds[:SHOWN_OUTCOMES],
        different=len(kinds),
        favourable=good,
        attributes=tuple(run.changes(place, tables, selections[place]) for place in asked),
        joint=tuple(
            found for pair in combinations(asked, 2) if (found := run.joint(pair, tables)) is not None
        ),
        calls=run.calls.made,
        batches=run.calls.batches,
        plain_calls=population.people
        * (1 + sum(people.columns[place].size - 1 for place in (*asked, *run.followed_places))),
        crossed=crossings(people, asked, run.own, is_selected) if cross else (),
        score_limit=limit,
        crossed_left_out=max(0, comb(len(asked), 2) - MOST_CROSSINGS) if cross else 0,
    )


def _columns_to_change(people: Coded, attributes: Sequence[str] | None) -> tuple[int, ...]:
    """Return the places of the columns that are to be changed."""
    if attributes is None:
        columns = enumerate(people.population.columns)
        asked = [place for place, column in columns if column.attribute is not None]
    else:
        asked = list(dict.fromkeys(people.places(attributes)))
    for place in asked:
        column = people.columns[place]
        if len(column.cells) > column.size:
            raise UsageError(
                f"column '{column.column.name}' has a row with {column.cells[column.size]!r}, which is not "
                "among the values that it can have"
            )
    return tuple(asked)


class _Run:
    """The calls for one program, and what they came to."""

    def __init__(
        self,
        people: Coded,
        program: Program,
        calls: Calls,
        asked: Sequence[int],
        names: Sequence[int],
        *,
        by_classes: bool,
        follow: bool,
    ) -> None:
        self.people, self.program, self.calls = people, program, calls
        self.reads = reads(program)
        self.asked = asked
        self.places = names
        self.names: dict[int, tuple[str, ...]] = {}
        for place, name in zip(names, program.call.names, strict=True):
            self.names[place] = (*self.names.get(place, ()), name)
        self.dead = {place: self._dead_tests_at(place) for place in asked}
        told = self.reads if by_classes else unknown(program)
        self.handed = [self._handed_values(place, told) for place in self.names]
        columns = {
            name: people.population.columns[place]
            for place, name in zip(names, program.call.names, strict=True)
            if place in asked
        }
        self.proved = frozenset() if may_differ(program) else independent(program.source, self.reads, columns)
        self.own: Numbers = numpy.full(
            len(people.population.rows), calls.other(NOT_CALLED), dtype=numpy.int32
        )
        self.followed_places = tuple(
            place for place in asked if follow and people.columns[place].column.followers
        )
        self.followed: dict[int, Followed] = {}
        self.steadiness: Steadiness = "not tried"
        self.repeated = self.differed = 0

    def _dead_tests_at(self, place: int) -> tuple[DeadTest, ...]:
        cells = self.people.columns[place].cells
        found = [dead_tests(self.reads, name, cells) for name in self.names.get(place, ())]
        return tuple(dict.fromkeys(one for each in found for one in each))

    def _handed_values(self, place: int, told: Reads) -> Handed:
        cells = self.people.columns[place].cells
        cells = (*cells, *extra_values(self.dead.get(place, ())))
        return group_cells(place, cells, [value_classes(told, name, cells) for name in self.names[place]])

    def tables(self, *, joint: bool, seed: int) -> dict[tuple[int, ...], Table]:
        """Make all calls: the outcomes by the population's columns that are changed, alone and together."""
        varied = {one.place: number for number, one in enumerate(self.handed) if one.count > 1}
        alone = [place for place in self.asked if place in varied]
        sets = [*((place,) for place in alone), *(combinations(alone, 2) if joint else ())]
        asking = counterfactuals.Asking(self.program, self.handed, self.places, self.calls)
        found: dict[tuple[int, ...], Table] = {}
        following = self._following_changes(varied)
        changes = [Change(tuple(varied[place] for place in one)) for one in sets] + [*following]
        for count, (plan, covered) in enumerate(counterfactuals.plans(self.people, self.handed, changes)):
            outcomes = counterfactuals.outcome_numbers(plan, asking)
            if not count:
                self.own = counterfactuals.own_outcomes(plan, outcomes)
            if self.calls.failed is not None:
                break
            if not count:
                self.steadiness, self.repeated, self.differed = counterfactuals.check_repeatability(
                    plan, asking, outcomes, self.people.weights, seed=seed, most=REPEATED
                )
            for one in covered:
                changed = [self.handed[number] for number in one.columns]
                places = tuple(each.place for each in changed)
                if one.moves is not None:
                    column = following[one]
                    came = counterfactuals.moved_outcomes(self.people, plan, outcomes, changed, one.moves)
                    self.followed[column] = followed_of(
                        self.people, self.people.columns[column], self.own, came
                    )
                elif changed:
                    found[places] = counterfactuals.table(self.people, plan, outcomes, changed)
        return found

    def _following_changes(self, varied: Mapping[int, int]) -> dict[Change, int]:
        """Return changes of columns together with those that follow them, each with the column's place."""
        handed = {place: self.handed[number] for place, number in varied.items()}
        found = {}
        for place in self.followed_places:
            moves = class_moves(self.people, self.people.columns[place], place, handed)
            found[Change(tuple(varied[one] for one in moves.places), moves.classes)] = place
        return found

    def kinds(self) -> tuple[Outcomes, ...]:
        """Return the outcomes of people as they are, the most frequent first."""
        counts = numpy.zeros(len(self.calls.values), dtype=numpy.int64)
        is_answered = self.own >= 0
        numpy.add.at(counts, self.own[is_answered], self.people.weights[is_answered])
        told = zip(self.calls.values, counts.tolist(), strict=True)
        found = [Outcomes(value.kind, value.text, number) for value, number in told if number]
        return tuple(sorted(found, key=lambda one: -one.people))

    def selected(self, text: str | None, limit: float | None) -> Numbers:
        """Return for each row whether its outcome is the favourable one, or a score above a limit."""
        values = self.calls.values
        good = [
            value.text == text
            if limit is None
            else (score := favourable.score_of(value.kind, value.text)) is not None and score > limit
            for value in (values if text is not None or limit is not None else ())
        ]
        return numpy.isin(self.own, numpy.flatnonzero(good))

    def changes(self, place: int, tables: Mapping[tuple[int, ...], Table], selected: Selected) -> Changes:
        """Return what becomes of people when one column has another value."""
        column, names = self.people.columns[place], self.names.get(place, ())
        is_opaque, is_read = any(map(self.reads.is_opaque, names)), any(map(self.reads.is_read, names))
        read: Read = "opaque" if is_opaque else "compared" if is_read else "never"
        proved = self.proved.issuperset(names)
        people = self.people.population.people
        dead = self.dead[place]
        followed = self.followed.get(place)
        if followed is None and place in self.followed_places:
            followed = followed_of(self.people, column, self.own, None)  # nothing could be called
        if (place,) in tables:
            return changes_of(
                column,
                tables[(place,)],
                read=read,
                proved=proved,
                people=people,
                dead=dead,
                selected=selected,
                followed=followed,
            )
        return unread(
            column,
            self.people.weights,
            self.own,
            read=read,
            proved=proved,
            people=people,
            dead=dead,
            selected=selected,
            followed=followed,
        )

    def joint(self, pair: tuple[int, int], tables: Mapping[tuple[int, ...], Table]) -> Joint | None:
        """Return what becomes of people when two columns have other values; None where not both are read."""
        if pair not in tables:
            return None
        return joint_of((self.people.columns[pair[0]], self.people.columns[pair[1]]), tables[pair])
