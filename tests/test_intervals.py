"""Intervals and comparisons over subjects."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fairlint.statistics.intervals import (
    ENUMERATED,
    Figures,
    Interval,
    compare,
    holm,
    interval,
    interval_of_columns,
    p_values,
    share_bounds,
    sign_test,
)

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
def test_a_mean_lies_within_its_bounds_and_they_are_never_the_same(values: list[float]) -> None:
    found = interval(values)
    assert 0 <= found.low <= found.mean <= found.high <= 1
    assert found.mean == pytest.approx(sum(values) / len(values))
    assert found.high - found.low > 0.05
    assert found == interval(values)


def test_more_subjects_say_more() -> None:
    few, many = interval([0.0, 1.0] * 5), interval([0.0, 1.0] * 200)
    assert width(many) < width(few)
    assert width(interval([0.4])) > 0.95


@pytest.mark.parametrize(("ones", "count"), [(0, 10), (10, 10), (3, 10), (1, 40), (20, 40)])
def test_of_zeros_and_ones_the_bounds_are_those_of_clopper_and_pearson(ones: int, count: int) -> None:
    found = interval([1.0] * ones + [0.0] * (count - ones))
    assert (found.low, found.high) == pytest.approx(share_bounds(ones, count), abs=0.012)


def test_where_all_are_alike_the_bounds_are_those_of_the_rule_of_three() -> None:
    """Had one subject in k another figure, all of n would be alike with (1 - 1 / k) ** n."""
    found = interval([0.19] * 100)
    unseen = 1 - 0.025 ** (1 / 100)
    assert found.low == pytest.approx(0.19 * (1 - unseen), abs=0.001)
    assert found.high == pytest.approx(0.19 + 0.81 * unseen, abs=0.002)
    assert interval([1.0] * 100).low == pytest.approx(1 - unseen, abs=0.002)


def test_values_beyond_both_ends_have_bounds_within() -> None:
    found = interval([1.3, 1.2, 0.9, 1.4] * 5)
    assert (found.mean, found.high) == (1, 1)
    assert 0.7 < found.low < 1


def test_bounds_of_the_opposite_values_are_opposite() -> None:
    one, other = column({"": VARIED}, "job"), column({"": [1 - value for value in VARIED]}, "job")
    first, second = interval_of_columns([one]), interval_of_columns([other])
    assert first.low == pytest.approx(1 - second.high)


def test_lists_of_one_subject_each_still_vary() -> None:
    found = interval_of_columns([column({"a": [0.2], "b": [0.4], "c": [0.9]})])
    assert found.mean == pytest.approx(0.5)
    assert found.low < 0.5 < found.high


def test_a_list_keeps_its_weight() -> None:
    """However many subjects it has: the mean is over lists."""
    found = interval_of_columns(
        [column({"male": [0.0] * 50, "female": [1.0, 1.0]}), column({"": [0.5, 0.5]}, "other")]
    )
    assert found.mean == 0.5
    assert width(found) > width(interval([0.5] * 50))  # two subjects are a quarter of all


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
    alike = interval_of_columns([column({"": [0.5] * 8})])
    assert (found.mean, found.low, found.high) == pytest.approx((0.5, alike.low, alike.high))
    apart = interval_of_columns([column({"": VARIED}, "job"), column({"": opposite}, "college")])
    assert apart.mean == pytest.approx(0.5)
    assert width(apart) > 0.2  # subjects of the same name in another scenario are others


def test_the_bounds_of_a_mean_are_those_of_a_known_distribution() -> None:
    """Of 100 draws among as many zeros as ones the mean is binomial: 0.40 to 0.60 holds 95 %."""
    found = interval([0.0, 1.0] * 50)
    assert (found.low, found.high) == pytest.approx((0.40, 0.60), abs=0.012)


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
    assert interval_of_columns([alike, lone]).mean == 0.5  # who is not there is no 0
    assert interval_of_columns([rare]).mean == 0.05


def test_lists_of_one_subject_beside_columns_of_many() -> None:
    lone = column({"male": [0.2], "female": [0.9]}, "job")
    alone = interval_of_columns([lone])
    beside = interval_of_columns([lone, Figures("job", {("", name): 0.5 for name in "ab"})])
    assert (alone.mean, beside.mean) == pytest.approx((0.55, 0.525))
    assert width(beside) < width(alone)


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
    with pytest.raises(ValueError, match="unequal"):
        p_values([[0.1], [0.1, 0.2]])
    with pytest.raises(ValueError, match="no values"):
        interval_of_columns([])


def test_drawn_signs_come_to_what_all_signs_come_to() -> None:
    values = [float(one) for one in numpy.random.default_rng(5).normal(0.25, 1, ENUMERATED)]
    (exact,) = p_values([values])
    (drawn,) = p_values([[*values, 1e-9]])
    assert drawn == pytest.approx(exact, abs=0.01)


def test_a_row_has_the_p_value_that_it_has_alone() -> None:
    drawn = numpy.random.default_rng(0).normal(0.1, 1, (4, 40))
    rows = [[float(one) for one in row] for row in drawn]
    together = p_values([*rows, [0.0] * 40])
    assert together[:4] == [p_values([row])[0] for row in rows]
    assert together[4] == 1.0
    assert min(p_values([[1.0] * 40])) == pytest.approx(1e-4)  # never 0


def test_chance_is_told_a_difference_no_more_often_than_it_may_be() -> None:
    drawn = numpy.random.default_rng(1).normal(0, 1, (400, 30))
    found = p_values([[float(one) for one in row] for row in drawn])
    assert sum(one <= 0.05 for one in found) / 400 == pytest.approx(0.05, abs=0.03)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_only_raises_p_values_and_keeps_their_order(values: list[float]) -> None:
    adjusted = holm(values)
    assert all(
        one <= two <= min(1, one * len(values)) + 1e-12 for one, two in zip(values, adjusted, strict=True)
    )
    assert sorted(adjusted) == [
        adjusted[place] for place in sorted(range(len(values)), key=lambda at: values[at])
    ]


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.6]) == [1.0, 1.0]
    assert holm([]) == []


def test_a_share_of_all_or_nothing_has_a_width() -> None:
    assert share_bounds(10, 10) == pytest.approx((0.025 ** (1 / 10), 1))
    assert sign_test(6, 6) == pytest.approx(2 / 2**6)
    assert sign_test(0, 0) == 1
    with pytest.raises(ValueError, match="3 of 2"):
        share_bounds(3, 2)


@pytest.mark.parametrize(("hits", "count"), [(0, 7), (1, 9), (5, 10), (30, 34), (400, 1000)])
def test_shares_are_as_scipy_has_them(hits: int, count: int) -> None:
    known = stats.binomtest(hits, count)
    bounds = known.proportion_ci(0.95, method="exact")
    assert share_bounds(hits, count) == pytest.approx((bounds.low, bounds.high))
    assert sign_test(hits, count) == pytest.approx(known.pvalue)
