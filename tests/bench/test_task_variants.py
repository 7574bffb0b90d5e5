"""Differences between variants of the same tasks: by brute force, and how often chance makes one."""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from statistics import fmean

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import variant_differences as drawn

from fairlint.bench.figures.task_variants import (
    VariantAnswer,
    difference_rows,
    is_seen,
    planned_difference,
    variant_rows,
)
from fairlint.statistics.intervals import holm
from fairlint.support.records import replace

TASKS = [f"task {number}" for number in range(9)]


def answers(
    rates: dict[str, dict[str, float]], samples: int, seed: int, lost: float = 0.1
) -> list[VariantAnswer]:
    """Answers that are hits at the rate of their variant and measure; some say nothing or are not judged."""
    random = Random(seed)
    return [
        VariantAnswer(
            "here",
            "wording",
            variant,
            task,
            sample,
            {
                measure: None if random.random() < lost else int(random.random() < rate * (1 + place) / 9)
                for measure, rate in measures.items()
            },
            random.random() >= lost / 2,
        )
        for variant, measures in rates.items()
        for place, task in enumerate(TASKS)
        for sample in range(samples)
    ]


def effects_by_hand(known: list[VariantAnswer], variant: str, measure: str) -> list[Fraction]:
    """The mean difference of the pairs of each task that has any."""
    found = []
    for task in TASKS:
        pairs = [
            (one.values[measure], other.values[measure])
            for one in known
            for other in known
            if (one.variant, other.variant, one.task, other.task) == (variant, "a", task, task)
            if one.sample == other.sample and one.is_judged and other.is_judged
        ]
        known_pairs = [Fraction(one - other) for one, other in pairs if one is not None and other is not None]
        if known_pairs:
            found.append(sum(known_pairs, Fraction(0)) / len(known_pairs))
    return found


def p_by_hand(effects: list[Fraction]) -> float:
    """The share of all signs of the tasks with a sum at least as far up, or down; both sides together."""
    whole = sum(effects)
    sums = [
        sum(s * one for s, one in zip(signs, effects, strict=True))
        for signs in product((1, -1), repeat=len(effects))
    ]
    up, down = sum(one >= whole for one in sums), sum(one <= whole for one in sums)
    return min(1.0, 2 * min(up, down) / len(sums))


@pytest.mark.parametrize("seed", range(6))
def test_differences_are_those_of_a_brute_force_over_all_signs(seed: int) -> None:
    rates = {
        "a": {"hit": 0.9, "other": 0.5},
        "b": {"hit": 0.3, "other": 0.5},
        "c": {"hit": 0.8, "other": 0.1},
    }
    known = answers(rates, 3, seed)
    rows = difference_rows(known, {"hit": True, "other": True})
    assert [(row["variant"], row["against"], row["measure"]) for row in rows] == [
        (variant, "a", measure) for variant in "bc" for measure in ("hit", "other")
    ]
    by_hand = [effects_by_hand(known, row["variant"], row["measure"]) for row in rows]
    tested = [place for place, effects in enumerate(by_hand) if sum(map(bool, effects)) >= 6]
    adjusted = dict(zip(tested, holm([p_by_hand(by_hand[place]) for place in tested]), strict=True))
    for place, (row, effects) in enumerate(zip(rows, by_hand, strict=True)):
        assert row["difference"] == pytest.approx(float(sum(effects) / len(effects)))
        assert row["tasks"] == len(effects)
        assert row["first"] - row["second"] == pytest.approx(row["difference"])
        assert row["adjusted"] == pytest.approx(adjusted.get(place, 1.0))
        if row["interval"] is not None:
            low, high = row["interval"]
            assert low <= row["difference"] <= high
            assert is_seen(row) == (not low <= 0 <= high), "bounds and p-values say the same"


def test_answers_to_one_task_are_never_taken_for_independent() -> None:
    """Five tasks cannot show anything at 5 %, however often they are asked."""
    known = [
        VariantAnswer("here", "wording", variant, task, sample, {"hit": int(variant == "b")})
        for variant in "ab"
        for task in TASKS[:5]
        for sample in range(200)
    ]
    (row,) = difference_rows(known, {"hit": True})
    assert (row["difference"], row["interval"], row["least"]) == (1.0, None, None)
    assert not is_seen(row)
    assert planned_difference(5, 200, 1) is None


def test_pairs_that_say_nothing_are_left_out_and_counted() -> None:
    known = [
        VariantAnswer("here", "wording", "a", "one", 0, {"hit": 1}),
        VariantAnswer("here", "wording", "b", "one", 0, {"hit": 0}),
        VariantAnswer("here", "wording", "a", "one", 1, {"hit": None}),
        VariantAnswer("here", "wording", "b", "one", 1, {"hit": 1}),
        VariantAnswer("here", "wording", "a", "two", 0, {"hit": 1}, is_judged=False),
        VariantAnswer("here", "wording", "b", "two", 0, {"hit": 1}),
        VariantAnswer("here", "wording", "b", "three", 0, {"hit": 1}),
    ]
    (row,) = difference_rows(known, {"hit": True})
    assert (row["tasks"], row["pairs"], row["difference"], row["unlike"]) == (1, 1, -1.0, 1.0)
    first, second = variant_rows(known, ["hit"])
    assert (first["variant"], first["answers"], first["not_judged"], first["hit"]) == ("a", 3, 1, 1.0)
    assert (second["answers"], second["hit"]) == (4, fmean((0, 1, 1, 1)))


def test_answers_that_never_differ_have_no_bounds_of_no_width() -> None:
    known = [
        VariantAnswer("here", "wording", variant, task, 0, {"hit": 1}) for variant in "ab" for task in TASKS
    ]
    (row,) = difference_rows(known, {"hit": True})
    assert (row["difference"], row["interval"], row["adjusted"]) == (0.0, None, 1.0)
    assert row["least"] > 0.5
    assert not is_seen(row)
    always = [replace(one, values={"hit": int(one.variant == "b")}) for one in known]
    (row,) = difference_rows(always, {"hit": True})
    assert (row["difference"], row["interval"]) == (1.0, None)
    assert is_seen(row)


def test_more_tasks_and_fewer_tests_show_smaller_differences() -> None:
    assert planned_difference(100, 4, 4) < planned_difference(30, 4, 4) < planned_difference(30, 4, 20)  # type: ignore[operator]


@pytest.mark.parametrize("suite", ["code-review", "parallel-prompts"])
def test_chance_alone_names_a_difference_in_one_of_twenty_runs_at_most(suite: str) -> None:
    runs = 60
    ((_, named, _),) = drawn.rows_of_plans(runs, [drawn.Plan(suite)])
    assert named <= 0.05 * runs


@pytest.mark.parametrize(
    "plan",
    [
        drawn.Plan("code-review", "female", 0.3),
        drawn.Plan("code-review", "female", -0.3),
        drawn.Plan("parallel-prompts", "zh", -0.6),
    ],
)
def test_a_planted_difference_is_found_in_its_direction(plan: drawn.Plan) -> None:
    runs = 10
    ((_, _, right),) = drawn.rows_of_plans(runs, [plan])
    assert right >= 0.8 * runs
