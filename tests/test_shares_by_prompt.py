"""Shares whose answers belong to prompts, against a plain reimplementation and against draws."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairlint.statistics.clusters import (
    clustered_share,
    design_effect,
    least_difference,
    paired_shares,
    planned_units,
    share_by_prompt,
    wilson_bounds,
)

PROMPTS = st.lists(
    st.integers(1, 12).flatmap(lambda count: st.tuples(st.integers(0, count), st.just(count))),
    min_size=1,
    max_size=12,
)


def plain_bounds(prompts: list[tuple[int, int]]) -> tuple[float, float, float]:
    """The same, step by step from single answers: low, high, and the answers that the share is worth."""
    answers = [
        (prompt, 1.0 if number < hits else 0.0)
        for prompt, (hits, count) in enumerate(prompts)
        for number in range(count)
    ]
    n = len(answers)
    p = sum(value for _, value in answers) / n
    residuals: dict[int, float] = {}
    for prompt, value in answers:
        residuals[prompt] = residuals.get(prompt, 0.0) + value - p
    groups = len(residuals)
    effect = 1.0
    if groups > 1 and 0 < p < 1:
        robust = groups / (groups - 1) * sum(one * one for one in residuals.values()) / n / n
        simple = sum((value - p) ** 2 for _, value in answers) / n / (n - 1)
        effect = max(1.0, robust / simple)
    units = n / effect
    worth = units
    if 1 < groups < n:
        worth = units * (stats.t(n - 1).ppf(0.975) / stats.t(groups - 1).ppf(0.975)) ** 2
    # Wilson: where |p - bound| is 1.96 standard deviations of the bound
    z = stats.norm.ppf(0.975)
    a, b, c = 1 + z * z / worth, -(2 * p + z * z / worth), p * p
    root = math.sqrt(max(0.0, b * b - 4 * a * c))
    return (-b - root) / (2 * a), (-b + root) / (2 * a), units


@given(PROMPTS)
def test_bounds_are_those_of_a_plain_reimplementation(prompts: list[tuple[int, int]]) -> None:
    found = clustered_share(prompts)
    low, high, units = plain_bounds(prompts)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-7)
    assert found.units == pytest.approx(units)
    assert 0 <= found.low <= found.share <= found.high <= 1


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_of_one_answer_to_each_prompt_they_are_wilsons(flags: list[bool]) -> None:
    found = share_by_prompt(enumerate(flags))
    assert found is not None
    bounds = stats.binomtest(sum(flags), len(flags)).proportion_ci(0.95, method="wilson")
    assert (found.low, found.high) == pytest.approx((bounds.low, bounds.high), abs=1e-9)
    assert found.units == pytest.approx(len(flags))


def test_twenty_answers_that_repeat_a_prompt_are_one() -> None:
    alike = clustered_share([(20, 20), (0, 20)] * 5)
    mixed = clustered_share([(10, 20)] * 10)
    assert alike.share == mixed.share == 0.5
    assert alike.units == pytest.approx(200 / design_effect([(20, 20), (0, 20)] * 5))
    assert 9 < alike.units < 11
    assert mixed.units == 200
    assert alike.high - alike.low > 2 * (mixed.high - mixed.low)


def test_of_a_single_prompt_they_are_of_its_own_answers() -> None:
    found = clustered_share([(3, 15)])
    assert (found.low, found.high, found.prompts) == (*wilson_bounds(0.2, 15), 1)
    with pytest.raises(ValueError, match="no answers"):
        clustered_share([(0, 0)])
    assert share_by_prompt([]) is None


@pytest.mark.parametrize(("prompts", "answers", "spread"), [(6, 20, 2.0), (15, 10, 1.0), (43, 5, 0.3)])
def test_they_hold_the_share_where_prompts_differ(prompts: int, answers: int, spread: float) -> None:
    """Each prompt draws its own rate, around 0.3: bounds that take answers as independent hold far less."""
    random_numbers = random.Random(5)
    rates = (0.3 / spread, 0.7 / spread)
    times = 400
    held = naive = 0
    for _ in range(times):
        drawn = []
        for _ in range(prompts):
            rate = random_numbers.betavariate(*rates)
            drawn.append((sum(random_numbers.random() < rate for _ in range(answers)), answers))
        found = clustered_share(drawn)
        held += found.low <= 0.3 <= found.high
        low, high = wilson_bounds(found.share, prompts * answers)
        naive += low <= 0.3 <= high
    assert held / times >= 0.9
    assert naive < held


def test_the_least_difference_is_the_one_that_a_test_sees_in_four_of_five_cases() -> None:
    """Two runs of 100 answers, one at half of the difference below a half and one above."""
    difference = least_difference(100)
    low, high = 0.5 - difference / 2, 0.5 + difference / 2
    deviation = math.sqrt((low * (1 - low) + high * (1 - high)) / 100)
    seen = stats.norm.sf(stats.norm.ppf(0.975) - difference / deviation)
    assert 0.79 < seen < 0.83
    assert least_difference(400) == pytest.approx(difference / 2)
    assert least_difference(0) == least_difference(1) == 1.0
    assert least_difference(15.6) > 0.5 > least_difference(16)


def test_a_plan_is_worth_between_its_prompts_and_its_answers() -> None:
    assert planned_units(43, 4300, 0.0) == 4300
    assert planned_units(43, 4300, 1.0) == pytest.approx(43)
    assert 43 < planned_units(43, 4300, 0.1) < 4300
    assert planned_units(0, 0, 0.5) == 0


# ------------------------------------------------------------------------------------ paired differences

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.booleans()), min_size=1, max_size=40)


@given(PAIRS)
def test_the_bounds_of_a_paired_difference_hold_it_and_turn_with_it(
    pairs: list[tuple[int, bool, bool]],
) -> None:
    found = paired_shares(pairs)
    turned = paired_shares([(prompt, other, one) for prompt, one, other in pairs])
    assert found is not None
    assert turned is not None
    difference = found.second - found.first
    assert -1 <= found.low <= difference <= found.high <= 1
    assert found.high > found.low
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))


def newcombe(both: int, first: int, second: int, neither: int) -> tuple[float, float]:
    """Method 10 of Newcombe (1998), step by step, of pairs that are independent: second less first."""
    count = both + first + second + neither
    shares = (both + first) / count, (both + second) / count
    (low_1, high_1), (low_2, high_2) = (wilson_bounds(share, count) for share in shares)
    spread = (both + first) * (second + neither) * (both + second) * (first + neither)
    top = both * neither - first * second
    phi = 0.0
    if spread and top > 0:
        phi = max(top - count / 2, 0) / math.sqrt(spread)
    elif spread:
        phi = top / math.sqrt(spread)
    down_1, up_1, down_2, up_2 = shares[0] - low_1, high_1 - shares[0], shares[1] - low_2, high_2 - shares[1]
    difference = shares[1] - shares[0]
    return (
        difference - math.sqrt(down_2**2 - 2 * phi * down_2 * up_1 + up_1**2),
        difference + math.sqrt(up_2**2 - 2 * phi * up_2 * down_1 + down_1**2),
    )


@pytest.mark.parametrize(
    "cells", [(36, 12, 2, 0), (0, 0, 0, 30), (20, 3, 9, 18), (1, 40, 0, 9), (14, 8, 4, 0)]
)
def test_one_answer_to_each_prompt_has_the_bounds_of_newcombe(cells: tuple[int, int, int, int]) -> None:
    both, first, second, neither = cells
    kinds = [(True, True)] * both + [(True, False)] * first + [(False, True)] * second
    kinds += [(False, False)] * neither
    found = paired_shares([(place, *kind) for place, kind in enumerate(kinds)])
    assert found is not None
    assert (found.low, found.high) == pytest.approx(newcombe(*cells))


@pytest.mark.parametrize(("prompts", "samples"), [(6, 20), (15, 10), (43, 5), (100, 1)])
def test_the_bounds_of_a_paired_difference_hold_the_true_one(prompts: int, samples: int) -> None:
    draw = random.Random(7)
    held = 0
    for _ in range(200):
        rates = [draw.betavariate(1.5, 3) for _ in range(prompts)]
        pairs = [
            (prompt, draw.random() < rate, draw.random() < rate * 0.7 + 0.15)
            for prompt, rate in enumerate(rates)
            for _ in range(samples)
        ]
        found = paired_shares(pairs)
        assert found is not None
        held += found.low <= 0.7 / 3 + 0.15 - 1 / 3 <= found.high
    assert held >= 184
