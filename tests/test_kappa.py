"""Cohen's kappa and its bounds."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint.statistics.agreement import JudgedTwice, agreement_of

metrics = pytest.importorskip("sklearn.metrics")

JUDGED = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


@given(JUDGED)
def test_kappa_is_that_of_scikit_learn(pairs: list[tuple[bool, bool]]) -> None:
    found = agreement_of(JudgedTwice(place, *pair) for place, pair in enumerate(pairs))
    first, second = zip(*pairs, strict=True)
    if len({*first, *second}) == 1:
        assert found.kappa is None
        assert found.low is None
    else:
        assert found.kappa == pytest.approx(metrics.cohen_kappa_score(first, second))
    assert found.items == len(pairs)
    assert found.both + found.first_only == sum(first)
    assert found.both + found.second_only == sum(second)


def test_two_judges_who_always_agree_are_not_certain_to() -> None:
    found = agreement_of(JudgedTwice(place, place % 2 == 0, place % 2 == 0) for place in range(40))
    assert found.kappa == 1
    assert found.low is not None
    assert 0.7 < found.low < 0.95


def test_alike_answers_to_one_prompt_widen_the_bounds() -> None:
    pairs = [(place % 3 > 0, place % 3 > 0 if place % 60 < 50 else place % 3 == 0) for place in range(600)]
    alone = agreement_of(JudgedTwice(place, *pair) for place, pair in enumerate(pairs))
    by_prompt = agreement_of(JudgedTwice(place // 10, *pair) for place, pair in enumerate(pairs))
    assert alone.kappa == by_prompt.kappa
    assert None not in {alone.low, by_prompt.low}
    assert by_prompt.low < alone.low  # type: ignore[operator]


@pytest.mark.parametrize(("slip", "items"), [(0.02, 300), (0.1, 150), (0.3, 150)])
def test_bounds_hold_the_kappa_that_the_judges_have(slip: float, items: int) -> None:
    """The second judge says what the first says, but for a share of slips; 40 % of items are a yes."""
    drawn = random.Random(3)
    yes = 0.4
    second = yes * (1 - slip) + (1 - yes) * slip
    chance = yes * second + (1 - yes) * (1 - second)
    true = (1 - slip - chance) / (1 - chance)
    held = 0
    for _ in range(300):
        firsts = [drawn.random() < yes for _ in range(items)]
        found = agreement_of(
            JudgedTwice(place, one, one != (drawn.random() < slip)) for place, one in enumerate(firsts)
        )
        assert found.low is not None
        assert found.high is not None
        held += found.low <= true <= found.high
    assert held >= 0.92 * 300


def test_nothing_is_said_of_no_items() -> None:
    assert agreement_of([]).kappa is None
