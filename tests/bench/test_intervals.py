"""Intervals and comparisons over subjects."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlint.bench.intervals import Interval, compare, interval, interval_of_lists


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_a_mean_lies_within_its_bounds(values: list[float]) -> None:
    found = interval(values)
    assert min(values) - 1e-9 <= found.low <= found.mean + 1e-9
    assert found.mean - 1e-9 <= found.high <= max(values) + 1e-9
    assert found == interval(values)


def test_more_subjects_say_more() -> None:
    few, many = interval([0.0, 1.0] * 5), interval([0.0, 1.0] * 200)
    assert many.high - many.low < few.high - few.low
    assert (interval([0.4]).low, interval([0.4]).high) == (0.4, 0.4)


def test_lists_of_one_subject_each_still_vary() -> None:
    found = interval_of_lists([[[0.2], [0.4], [0.9]]])
    assert found.mean == pytest.approx(0.5)
    assert found.low < 0.5 < found.high


def test_a_list_keeps_its_weight() -> None:
    """However many subjects it has: the mean is over lists."""
    found = interval_of_lists([[[0.0] * 50, [1.0, 1.0]], [[0.5, 0.5]]])
    assert found == Interval(0.5, 0.5, 0.5)


def test_a_difference_that_is_one() -> None:
    first = [0.9, 0.8, 0.7, 0.95, 0.6, 0.8]
    second = [0.5, 0.4, 0.6, 0.5, 0.3, 0.2]
    found = compare(first, second)
    assert found.difference == pytest.approx(0.375)
    assert found.p_value == pytest.approx(2 / 2**6)  # all signs one way, or the other
    assert compare(second, first).p_value == pytest.approx(found.p_value)


def test_no_difference() -> None:
    assert compare([0.5] * 4, [0.5] * 4).p_value == 1.0


def test_one_pair_says_nothing() -> None:
    found = compare([0.9], [0.2])
    assert (round(found.difference, 9), found.p_value, found.subjects) == (0.7, 1.0, 1)


def test_what_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="2 and 1 values"):
        compare([1, 2], [1])
    with pytest.raises(ValueError, match="no values"):
        interval([])
