"""Intervals and comparisons over subjects."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlint.intervals import Figures, Interval, compare, interval, interval_of_columns

VARIED = [0.05, 0.3, 0.35, 0.5, 0.62, 0.8, 0.81, 0.99]


def column(lists: Mapping[str, Sequence[float]], scenario: str = "") -> Figures:
    """A column with subjects 0, 1, 2, ... in each list."""
    return Figures(
        scenario,
        {(name, str(place)): value for name, values in lists.items() for place, value in enumerate(values)},
    )


def width(found: Interval) -> float:
    return found.high - found.low


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
    found = interval_of_columns([column({"a": [0.2], "b": [0.4], "c": [0.9]})])
    assert found.mean == pytest.approx(0.5)
    assert found.low < 0.5 < found.high


def test_a_list_keeps_its_weight() -> None:
    """However many subjects it has: the mean is over lists."""
    found = interval_of_columns(
        [column({"male": [0.0] * 50, "female": [1.0, 1.0]}), column({"": [0.5, 0.5]}, "other")]
    )
    assert found == Interval(0.5, 0.5, 0.5)


def test_the_same_subjects_in_four_columns_say_no_more_than_in_one() -> None:
    one = interval_of_columns([column({"": VARIED}, "medical")])
    four = interval_of_columns([column({"": VARIED}, "medical")] * 4)
    assert (four.mean, four.low, four.high) == pytest.approx((one.mean, one.low, one.high))


def test_other_subjects_in_four_columns_say_more_than_in_one() -> None:
    one = interval_of_columns([column({"": VARIED}, "medical")])
    four = interval_of_columns([column({"": VARIED}, name) for name in "abcd"])
    assert width(four) == pytest.approx(width(one) / 2, rel=0.1)
    listed = interval_of_columns([column({name: VARIED}, "job") for name in "abcd"])
    assert width(listed) == pytest.approx(width(one) / 2, rel=0.1)


def test_columns_that_even_each_other_out_are_sure_together() -> None:
    opposite = [1 - value for value in VARIED]
    found = interval_of_columns([column({"": VARIED}), column({"": opposite})])
    assert (found.mean, found.low, found.high) == pytest.approx((0.5, 0.5, 0.5))
    apart = interval_of_columns([column({"": VARIED}, "job"), column({"": opposite}, "college")])
    assert apart.mean == pytest.approx(0.5)
    assert width(apart) > 0.2  # subjects of the same name in another scenario are others


def test_the_bounds_of_a_mean_are_those_of_a_known_distribution() -> None:
    """Of 100 draws among as many zeros as ones the mean is binomial: 0.40 to 0.60 holds 95 %."""
    found = interval([0.0, 1.0] * 50)
    assert (found.low, found.high) == pytest.approx((0.40, 0.60), abs=0.011)


def test_a_column_that_has_only_some_of_the_subjects() -> None:
    every = column({"male": VARIED, "female": VARIED[:3]})
    some = Figures("", {key: value for key, value in every.values.items() if key[1] in "02"})
    found = interval_of_columns([every, some])
    whole = (sum(VARIED) / 8 + sum(VARIED[:3]) / 3) / 2
    assert found.mean == pytest.approx((whole + (0.05 + 0.35) / 2) / 2)
    assert 0 < found.low < found.mean < found.high < 1
    rare = Figures("", {("male", "0"): 0.05})
    assert math.isfinite(width(interval_of_columns([rare, some])))
    alike = column({"male": [0.5] * 8, "female": [0.5] * 4})
    lone = Figures("", {key: 0.5 for key in alike.values if key[1] == "0"})
    assert interval_of_columns([alike, lone]) == Interval(0.5, 0.5, 0.5)  # who was not drawn is no 0
    assert interval_of_columns([rare]) == Interval(0.05, 0.05, 0.05)


def test_lists_of_one_subject_beside_columns_of_many() -> None:
    lone = column({"male": [0.2], "female": [0.9]}, "job")
    alone = interval_of_columns([lone])
    beside = interval_of_columns([lone, Figures("job", {("", name): 0.5 for name in "ab"})])
    assert (alone.low, alone.high) == pytest.approx((0.2, 0.9))
    assert (beside.low, beside.high) == pytest.approx((0.35, 0.7))


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
    with pytest.raises(ValueError, match="no values"):
        interval_of_columns([column({"": [0.5]}), Figures("", {})])
