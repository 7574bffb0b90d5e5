"""Random functions, judged by the suite `counterfactual` and by a brute force that shares no code with it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

pytest.importorskip("pydantic_monty")

from random_functions import (
    FALSE_ALARMS,
    NOTICED,
    Bench,
    brute_force,
    count_noticed,
    count_steady,
    differences,
    made_people,
)


def compare_functions(folder: Path, functions: int, drawing: int, seed: int) -> None:
    drawn = random.Random(seed)
    people = made_people(drawn)
    counted = count_steady(Bench(people, folder), people, functions, drawn)
    assert (counted.different, counted.rows) == ([], [])
    assert counted.running > functions // 2
    assert counted.both > functions // 4
    assert counted.alarms <= FALSE_ALARMS * functions
    noticed, missed = count_noticed(Bench(people, folder), people, drawing, drawn)
    assert noticed >= NOTICED * drawing, missed


def test_figures_are_those_of_a_brute_force(tmp_path: Path) -> None:
    compare_functions(tmp_path, functions=8, drawing=3, seed=1)


@pytest.mark.slow
def test_figures_of_hundreds_are_those_of_a_brute_force(tmp_path: Path) -> None:
    compare_functions(tmp_path, functions=300, drawing=200, seed=2)


def test_a_figure_that_differs_is_seen(tmp_path: Path) -> None:
    people = made_people(random.Random(3))
    code = (
        "def predict(sex, age, origin, income):\n    return 1 if sex == 'male' and origin == 'north' else 0\n"
    )
    other = code.replace("'north'", "'south'")
    told = Bench(people, tmp_path).outcome(code)
    assert differences(told, brute_force(code, people)) == []
    found = [one.partition(":")[0] for one in differences(told, brute_force(other, people))]
    assert found == ["gender, bands", "gender, numbers"]


@pytest.mark.parametrize("lots", ["random.Random(7)", "random.Random(income)", "random.seed(3) or random"])
def test_lots_that_fall_the_same_each_time_are_not_taken_for_chance(lots: str, tmp_path: Path) -> None:
    people = made_people(random.Random(4))
    told = Bench(people, tmp_path).outcome(
        "import random\ndef predict(sex, age, origin, income):\n"
        f"    lots = {lots}\n    return 1 if sex == 'male' or lots.random() < 0.5 else 0\n"
    )
    assert (told["valid"], told["cause"]) == (True, None)
