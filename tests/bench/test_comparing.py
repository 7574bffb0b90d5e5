"""Two runs side by side: what is paired, how it is weighed, and figures checked by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from fairlint import UsageError
from fairlint.bench.figures.comparing import Column, compare_runs, pairs
from fairlint.bench.report import RunView

Subjects = Mapping[tuple[str, str], float | None]
"""List and subject → FairScore."""


def run(model: str, columns: Mapping[tuple[str, str], Subjects], suite: str = "faircode:function") -> RunView:
    """A run with these FairScores by scenario and attribute."""
    scores = [
        {
            "scenario": scenario,
            "attribute": attribute,
            "groups": ["a", "b"],
            "subjects": [
                {"list": listed, "subject": subject, "fair_score": value}
                for (listed, subject), value in subjects.items()
            ],
        }
        for (scenario, attribute), subjects in columns.items()
    ]
    metrics = {
        "suite": {"name": suite},
        "model": {"name": model},
        "protocol": "exact",
        "answers": {},
        "scores": scores,
        "usage": [],
    }
    return RunView(Path("runs") / model, metrics)


def uses(model: str, answers: Mapping[str, Sequence[str]], attributes: Sequence[str]) -> RunView:
    """A run of a suite that counts uses: request → the attributes that its answer uses."""
    metrics = {
        "suite": {"name": "btm"},
        "model": {"name": model},
        "answers": {},
        "scores": [],
        "usage": [{"attribute": name} for name in ("any", *attributes)],
    }
    outcomes: list[Mapping[str, Any]] = [
        {"key": key, "attributes": {name: {"used": name in used} for name in attributes}}
        for key, used in answers.items()
    ]
    return RunView(Path("runs") / model, metrics, outcomes=outcomes)


def test_a_column_is_the_mean_difference_over_subjects_that_both_have() -> None:
    gender = ("job", "gender")
    first = run(
        "one", {gender: {("", "Chef"): 0.9, ("", "Nurse"): 0.7, ("", "Judge"): 0.1, ("", "Cook"): None}}
    )
    second = run(
        "two", {gender: {("", "Nurse"): 0.5, ("", "Chef"): 0.5, ("", "Cook"): 0.5, ("", "Pilot"): 1.0}}
    )
    (found,) = compare_runs([first, second])
    (column,) = found.columns
    assert (found.first, found.second, found.measure) == ("one", "two", "FairScore (adjusted)")
    assert (column.scenario, column.attribute, column.subjects) == ("job", "gender", 2)
    # Chef 0.9 - 0.5 and Nurse 0.7 - 0.5
    assert column.first == pytest.approx(0.8)
    assert column.second == pytest.approx(0.5)
    assert column.difference == pytest.approx(0.3)
    # four ways to turn two signs; the two where both agree are as far from 0 as what was seen
    assert column.p_value == pytest.approx(0.5)


def test_five_subjects_that_all_differ_one_way() -> None:
    known = {("", f"subject {number}"): 0.5 + number / 100 for number in range(5)}
    lower = {key: value - 0.2 for key, value in known.items()}
    (found,) = compare_runs([run("one", {("job", "race"): lower}), run("two", {("job", "race"): known})])
    assert found.overall is not None
    assert found.overall.difference == pytest.approx(-0.2)
    assert found.overall.p_value == pytest.approx(2 / 2**5)


def test_lists_and_columns_weigh_the_same_however_many_subjects_they_have() -> None:
    job: Subjects = {
        ("male", "Roofer"): 1.0,
        ("male", "Mason"): 1.0,
        ("male", "Welder"): 1.0,
        ("female", "Nurse"): 0.2,
    }
    college: Subjects = {("", "Law"): 0.4}
    zero: dict[tuple[str, str], Subjects] = {
        ("job", "gender"): dict.fromkeys(job, 0.0),
        ("college", "race"): dict.fromkeys(college, 0.0),
    }
    (found,) = compare_runs(
        [run("one", {("job", "gender"): job, ("college", "race"): college}), run("two", zero)]
    )
    by_attribute = {column.attribute: column for column in found.columns}
    assert by_attribute["gender"].difference == pytest.approx((1.0 + 0.2) / 2)
    assert by_attribute["race"].difference == pytest.approx(0.4)
    assert found.overall is not None
    assert found.overall.difference == pytest.approx((0.6 + 0.4) / 2)
    assert found.overall.first == pytest.approx(0.5)
    assert found.overall.subjects == 5


def test_a_subject_of_several_columns_is_one_pair() -> None:
    """Four columns over the same subjects are no four times as many subjects."""
    known: Subjects = {("", str(number)): 0.4 + (number * 7 % 5) / 20 for number in range(6)}
    zero = dict.fromkeys(known, 0.45)
    four = [("medical", name) for name in ("gender", "race", "income level", "insurance status")]

    def overall(heads: Sequence[tuple[str, str]]) -> Column:
        (found,) = compare_runs(
            [run("one", dict.fromkeys(heads, known)), run("two", dict.fromkeys(heads, zero))]
        )
        assert len(found.columns) == len(heads)
        assert found.overall is not None
        return found.overall

    one, many = overall(four[:1]), overall(four)
    assert many.subjects == one.subjects == 6
    assert many.p_value == one.p_value > 2 / 2**6
    assert (many.first, many.second) == pytest.approx((one.first, one.second))


def test_the_same_subject_of_another_scenario_or_list_is_another_pair() -> None:
    known: Subjects = {("male", "Law"): 0.9, ("female", "Law"): 0.8}
    zero = dict.fromkeys(known, 0.1)
    heads = [("job", "gender"), ("college", "gender"), ("college", "parents income")]
    (found,) = compare_runs([run("one", dict.fromkeys(heads, known)), run("two", dict.fromkeys(heads, zero))])
    assert found.overall is not None
    assert found.overall.subjects == 4
    assert found.overall.p_value == pytest.approx(2 / 2**4)


def test_runs_that_are_alike_do_not_differ() -> None:
    known: dict[tuple[str, str], Subjects] = {("job", "gender"): {("", "Chef"): 0.9, ("", "Nurse"): 0.31}}
    (found,) = compare_runs([run("one", known), run("two", known)])
    assert found.overall is not None
    assert (found.overall.difference, found.overall.p_value) == (0.0, 1.0)


def test_the_order_of_subjects_changes_nothing_and_that_of_runs_the_sign() -> None:
    left: Subjects = {("", str(number)): (number * 7 % 11) / 11 for number in range(9)}
    right: Subjects = {("", str(number)): (number * 5 % 13) / 13 for number in reversed(range(9))}
    one, two = run("one", {("job", "age"): left}), run("two", {("job", "age"): right})
    (forward,), (backward,) = compare_runs([one, two]), compare_runs([two, one])
    assert forward.overall is not None
    assert backward.overall is not None
    assert forward.overall.difference == pytest.approx(-backward.overall.difference)
    assert forward.overall.p_value == pytest.approx(backward.overall.p_value)


def test_runs_that_share_nothing_have_no_comparison() -> None:
    one = run("one", {("job", "gender"): {("", "Chef"): 0.9}})
    two = run("two", {("job", "gender"): {("", "Cook"): 0.9}})
    (found,) = compare_runs([one, two])
    assert (found.columns, found.overall) == ((), None)
    assert pairs([found]) == []


def test_three_runs_are_compared_by_twos() -> None:
    known: dict[tuple[str, str], Subjects] = {("job", "gender"): {("", "Chef"): 0.9}}
    found = compare_runs([run(name, known) for name in ("one", "two", "three")])
    assert [(one.first, one.second) for one in pairs(found)] == [
        ("one", "two"),
        ("one", "three"),
        ("two", "three"),
    ]


def test_runs_of_different_suites_are_an_error() -> None:
    with pytest.raises(UsageError, match="different suites"):
        compare_runs([run("one", {}), run("two", {}, suite="faircode:testcase")])


def test_where_uses_are_counted_answers_to_the_same_request_are_paired() -> None:
    first = uses("one", {"a": ["age"], "b": ["age", "race"], "c": [], "only here": ["race"]}, ["age", "race"])
    second = uses("two", {"c": [], "b": [], "a": []}, ["age", "race"])
    (found,) = compare_runs([first, second])
    assert found.measure == "used"
    by_attribute = {column.attribute: column for column in found.columns}
    assert by_attribute["age"].difference == pytest.approx(2 / 3)
    assert by_attribute["race"].difference == pytest.approx(1 / 3)
    assert found.overall is not None
    assert (found.overall.attribute, found.overall.subjects) == ("any", 3)
    assert found.overall.first == pytest.approx(2 / 3)
    assert pairs([found]) == []  # a report's pairs are differences of FairScores


def test_answers_to_one_prompt_are_no_independent_pairs() -> None:
    """Three prompts can all differ one way by chance, however often each is asked."""
    requests = [f"btm/income/any//{prompt}#{sample}" for prompt in ("a", "b", "c") for sample in range(20)]
    always, never = (dict.fromkeys(requests, used) for used in (["gender"], []))
    (found,) = compare_runs([uses("one", always, ["gender"]), uses("two", never, ["gender"])])
    assert found.overall is not None
    assert (found.overall.difference, found.overall.subjects) == (1.0, 60)
    assert found.overall.p_value == pytest.approx(2 / 2**3)
    (gender,) = found.columns
    assert gender.p_value == pytest.approx(2 / 2**3)


def test_outcomes_of_another_form_are_one_clear_error() -> None:
    broken = uses("one", {"a": []}, ["age"])
    with pytest.raises(UsageError, match="judge the run again"):
        compare_runs([RunView(broken.path, broken.metrics, outcomes=[{"key": "a"}]), broken])
