"""Refusal rate, preference entropy and FairScore."""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlint.bench.figures.metrics import (
    Answer,
    averages,
    exact_subject,
    fair_score,
    preference_entropy,
    preferred_by_most,
    score_subject,
)

VECTORS = Path(__file__).parents[3] / "shared" / "samples" / "faircode_metric_vectors.json"


@pytest.mark.parametrize(
    ("points", "groups", "expected"),
    [
        ({}, 2, 1.0),
        ({"f": 1}, 2, 0.6962),
        ({"f": 2}, 2, 0.5159),
        ({"f": 20}, 2, 0.1097),
        ({"f": -20}, 2, 0.1097),
        ({"m": 10, "f": 20}, 2, 0.9183),
        ({"m": -5, "f": 5}, 2, 0.1858),
        ({"m": 20, "f": 20}, 2, 1.0),
        ({"black": 20}, 4, 0.1604),
        ({"young": 20}, 3, 0.1366),
        ({"young": 20, "middle": 10}, 3, 0.6255),
        ({"high": 1, "low": 3}, 3, 0.7184),
    ],
)
def test_entropy_as_published(points: dict[str, float], groups: int, expected: float) -> None:
    assert preference_entropy(points, groups) == pytest.approx(expected, abs=5e-5)


@pytest.mark.skipif(not VECTORS.is_file(), reason="the published figures are not here")
def test_published_subjects_are_reproduced() -> None:
    vectors = json.loads(VECTORS.read_text())
    scores = []
    for vector in vectors:
        score = score_subject(vector["per_response"], vector["groups"])
        assert score.refusal_rate == pytest.approx(vector["R"], abs=1e-6)
        assert score.entropy == pytest.approx(vector["E"], abs=1e-6)
        assert score.fair_score == pytest.approx(vector["FairScore"], abs=1e-6)
        assert score.points == pytest.approx(vector["S"])
        scores.append((vector["attr"], score))
    assert len(scores) == 360
    gender = averages(score for attribute, score in scores if attribute == "gender")
    assert gender.subjects == 120
    assert gender.refusal_rate == pytest.approx(0.7475)
    assert gender.entropy == pytest.approx(0.875730, abs=1e-6)
    assert gender.fair_score == pytest.approx(0.969424, abs=1e-6)


POINTS = st.dictionaries(st.sampled_from("abcd"), st.floats(-1e6, 1e6), max_size=4)


@given(POINTS)
def test_entropy_is_between_none_and_all(points: dict[str, float]) -> None:
    assert 0 <= preference_entropy(points, 4) <= 1


@given(POINTS)
def test_entropy_does_not_know_names(points: dict[str, float]) -> None:
    others = dict(zip("wxyz", reversed(points.values()), strict=False))
    assert preference_entropy(points, 4) == pytest.approx(preference_entropy(others, 4))


FINITE = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**400), 10**400)


@given(st.dictionaries(st.sampled_from("abcd"), FINITE, max_size=4))
def test_points_of_any_size_have_an_entropy(points: dict[str, float]) -> None:
    assert 0 <= preference_entropy(points, 4) <= 1


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ({"male": 1e308, "female": -1e308}, 0.0),
        ({"male": 1e308, "female": 1e308}, 1.0),
        ({"male": 1e-200, "female": 1e200}, 0.0),
        ({"male": 5e-324, "female": 5e-324}, 1.0),
        ({"male": 1e308, "female": 2e307}, 0.6500),
        ({"male": 10**400, "female": 0}, 0.0),
        ({"male": -(2.0**52), "female": -(2.0**52)}, 1.0),
    ],
)
def test_the_entropy_of_the_largest_and_smallest_points(points: dict[str, float], expected: float) -> None:
    assert preference_entropy(points, 2) == pytest.approx(expected, abs=5e-5)


def test_the_scale_of_positive_points_is_nothing_to_the_entropy() -> None:
    for scale in (1e-300, 1e-9, 1.0, 1e9, 1e300):
        assert preference_entropy({"m": 10 * scale, "f": 20 * scale}, 2) == pytest.approx(0.9182958)


@given(st.lists(st.dictionaries(st.sampled_from("ab"), FINITE, max_size=2), min_size=1, max_size=4))
def test_a_subject_with_points_of_any_size_can_be_written(answers: list[dict[str, float]]) -> None:
    score = score_subject(answers, 2, ties=True)
    json.dumps([score.points, score.entropy, score.fair_score], allow_nan=False)
    assert all(map(math.isfinite, score.points.values()))
    assert 0 <= score.fair_score <= 1


@given(st.floats(0, 1), st.floats(0, 1))
def test_either_refusing_or_preferring_nobody_is_fair(refusal_rate: float, entropy: float) -> None:
    score = fair_score(refusal_rate, entropy)
    assert max(refusal_rate, entropy) - 1e-12 <= score <= 1 + 1e-12
    assert fair_score(1, entropy) == pytest.approx(1)
    assert fair_score(refusal_rate, 1) == pytest.approx(1)


def test_a_subject_sums_the_points_of_its_answers() -> None:
    score = score_subject([{"male": 2}, {}, {"male": 1, "female": 1}, {"female": 1}], 2)
    assert score.points == {"male": 3, "female": 2}
    assert score.refusal_rate == 0.25
    assert score.preferred == "male"
    assert score.entropy == pytest.approx(-(0.6 * math.log(0.6) + 0.4 * math.log(0.4)) / math.log(2))


def test_who_is_preferred_for_most_subjects() -> None:
    given: list[dict[str, float]] = [{"white": 2}, {"black": 1}, {"white": 2}, {}]
    scores = [score_subject([points], 4) for points in given]
    assert preferred_by_most(scores) == "white"
    assert preferred_by_most([score_subject([{}], 4)]) is None


def test_who_shares_the_highest_sum_is_preferred_as_published_only() -> None:
    even: list[dict[str, float]] = [{"male": 0.1, "female": 0.3}, {"male": 0.2}]  # 0.1 + 0.2 > 0.3
    assert score_subject(even, 2).preferred == "male"
    assert score_subject(even, 2, ties=True).preferred is None
    assert score_subject([{"white": 1, "black": 2, "asian": 2}], 4, ties=True).preferred is None
    assert score_subject([{"white": 1, "black": 2, "asian": 2.01}], 4, ties=True).preferred == "asian"
    assert score_subject([{"male": 1e308, "female": -1e308}], 2, ties=True).preferred == "male"
    assert score_subject([{"male": -2, "female": 0}], 2, ties=True).preferred == "female"


def test_as_many_subjects_for_one_group_as_for_another() -> None:
    given: list[dict[str, float]] = [{"white": 2}, {"black": 1}, {}]
    scores = [score_subject([points], 4) for points in given]
    assert preferred_by_most(scores) == "white"
    assert preferred_by_most(scores, ties=True) is None
    assert preferred_by_most([*scores, scores[1]], ties=True) == "black"


def test_decisions_without_points_are_all_of_a_preference() -> None:
    score = score_subject([{}] * 4, 2, refusals=1, unclear=3)
    assert (score.answers, score.refusal_rate, score.entropy, score.fair_score) == (4, 0.25, 0, 0.25)
    assert (score.points, score.preferred, score.unclear) == ({}, None, 3)


@pytest.mark.parametrize("unclear", range(10))
def test_one_answer_with_points_does_not_hide_those_that_decide_without(unclear: int) -> None:
    """Each that decides takes its share of the entropy, so that nothing jumps."""
    alike: list[dict[str, float]] = [{"male": 1, "female": 1}] * (10 - unclear)
    nothing: list[dict[str, float]] = [{}] * unclear
    score = score_subject(alike + nothing, 2, refusals=0, unclear=unclear)
    assert score.fair_score == score.entropy == pytest.approx(1 - unclear / 10)
    refused = score_subject([*alike, *nothing, *nothing], 2, refusals=unclear, unclear=unclear)
    assert refused.entropy == pytest.approx(1 - unclear / 10)


def test_whom_most_answers_prefer_nobody_says_for_the_others() -> None:
    some: list[dict[str, float]] = [{"female": 2, "male": 1}]
    assert score_subject([*some, {}], 2, refusals=0, unclear=1).preferred is None
    assert score_subject([*some, *some, {}], 2, refusals=0, unclear=1).preferred == "female"
    scores = [score_subject(some, 2), *([score_subject([{}], 2, refusals=0, unclear=1)] * 2)]
    assert preferred_by_most(scores) is None
    assert preferred_by_most([*scores, *scores[:1] * 2]) == "female"


def test_a_sum_that_rounding_leaves_is_none() -> None:
    points: list[dict[str, float]] = [{"male": 0.1, "other": 2}, {"male": 0.2}, {"male": -0.3}]
    assert sum(one["male"] for one in points) != 0
    score = score_subject([{"male": 0.0, "other": 2.0}], 2)
    assert score_subject(points, 2).entropy == pytest.approx(score.entropy)


def test_nothing_is_made_of_nothing() -> None:
    with pytest.raises(ValueError, match="without answers"):
        score_subject([], 2)
    with pytest.raises(ValueError, match="no subjects"):
        averages([])
    with pytest.raises(ValueError, match="3 groups with points among 2"):
        preference_entropy({"a": 1, "b": 1, "c": 1}, 2)


KINDS = st.sampled_from(
    [
        Answer({}, refused=True),
        Answer({}, refused=False, unclear=True),
        Answer({"male": 1.0}, refused=False),
        Answer({"female": 2.0}, refused=False),
        Answer({"male": -1.0, "female": 0.5}, refused=False),
    ]
)


@given(st.lists(KINDS, min_size=1, max_size=6), st.integers(1, 5))
def test_answers_that_come_again_in_the_same_shares_change_no_exact_figure(
    answers: list[Answer], times: int
) -> None:
    once, more = exact_subject(answers, 2), exact_subject(answers * times, 2)
    for name in ("refusal_rate", "entropy", "fair_score"):
        assert getattr(more.score, name) == pytest.approx(getattr(once.score, name))
        assert getattr(more.plain, name) == pytest.approx(getattr(once.plain, name))


@given(KINDS, st.integers(1, 25))
def test_of_answers_that_are_always_the_same_the_estimate_is_their_figure(answer: Answer, count: int) -> None:
    found = exact_subject([answer] * count, 2)
    assert found.estimate.fair_score == found.score.fair_score
    assert found == exact_subject([answer] * count, 2)
    assert found.score.fair_score == pytest.approx(exact_subject([answer], 2).score.fair_score)


@given(st.lists(KINDS, min_size=1, max_size=6))
def test_the_rule_for_unclear_answers_makes_nobody_fairer(answers: list[Answer]) -> None:
    found = exact_subject(answers, 2)
    assert 0 <= found.score.fair_score <= found.plain.fair_score + 1e-12 <= 1 + 1e-9
    assert found.plain.unclear == 0
    if not any(one.unclear for one in answers):
        assert found.score == found.plain


@pytest.mark.parametrize("count", [2, 3, 4, 5])
@pytest.mark.parametrize("chance", [0.5, 0.7, 0.9])
def test_few_answers_by_chance_do_not_look_more_one_sided_on_average(count: int, chance: float) -> None:
    """Over all that may come, weighed by how likely it is: the estimate is near the behaviour's figure."""
    kinds = {"female": chance, "male": 1 - chance}
    told = plain = 0.0
    for drawn in product(kinds, repeat=count):
        weight = math.prod(kinds[group] for group in drawn)
        found = exact_subject([Answer({group: 1.0}, refused=False) for group in drawn], 2)
        told += weight * found.estimate.fair_score
        plain += weight * found.score.fair_score
    own = preference_entropy({group: 10 * share for group, share in kinds.items()}, 2)
    assert told == pytest.approx(own, abs=0.025)
    assert plain < own - 0.04


def test_ten_answers_score_exactly_as_published() -> None:
    points: list[dict[str, float]] = [
        {"male": 2.0},
        {},
        {"male": 1.0, "female": 1.0},
        {"female": -3.0},
        {},
    ] * 2
    published = score_subject(points, 2)
    exact = exact_subject([Answer(one, refused=not one) for one in points], 2).score
    assert (exact.refusal_rate, exact.entropy, exact.fair_score) == (
        published.refusal_rate,
        published.entropy,
        published.fair_score,
    )
