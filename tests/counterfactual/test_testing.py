"""The assertion for one's own tests."""

from __future__ import annotations

import pytest

from fairlint import UsageError
from fairlint.testing import assert_counterfactual_fair

LIMIT = 30
PEOPLE: list[dict[str, str | int | float | bool | None]] = [
    {"income": 40, "gender": "male"},
    {"income": 40, "gender": "female"},
    {"income": 20, "gender": "female"},
]


def approve(person: dict[str, object]) -> bool:
    return int(str(person["income"])) >= LIMIT


def prefers_men(income: int, gender: str) -> bool:
    return income >= LIMIT and gender == "male"


class Applicant:
    def __init__(self, income: int, gender: str) -> None:
        self.income = income
        self.gender = gender

    def invited(self) -> str:
        return "yes" if self.gender == "male" else "no"


def test_a_fair_decision_passes_and_says_what_was_measured() -> None:
    measured = assert_counterfactual_fair(approve, PEOPLE, "gender")
    assert measured.people == 3
    assert measured.attributes[0].cip.value == 0


def test_an_unfair_one_fails_with_a_person() -> None:
    with pytest.raises(AssertionError) as error:
        assert_counterfactual_fair(prefers_men, PEOPLE, "gender")
    assert "66.7 % of 3 people" in str(error.value)
    assert "{'income': 40, 'gender': 'male'}: True; with 'female': False" in str(error.value)


def test_a_share_may_be_allowed() -> None:
    assert_counterfactual_fair(prefers_men, PEOPLE, "gender", threshold=2 / 3)
    with pytest.raises(AssertionError, match="allowed: 50 %"):
        assert_counterfactual_fair(prefers_men, PEOPLE, "gender", threshold=0.5)


def test_a_method_is_tried_on_objects_of_its_class() -> None:
    with pytest.raises(AssertionError, match=r"100\.0 % of 3 people"):
        assert_counterfactual_fair(Applicant.invited, PEOPLE, "gender")


def test_a_function_within_a_test_is_found() -> None:
    def decide(person: dict[str, object]) -> bool:
        return person["gender"] != "male"

    with pytest.raises(AssertionError, match="decide"):
        assert_counterfactual_fair(decide, PEOPLE, "gender")


def test_what_fails_for_everybody_is_no_fairness() -> None:
    def decide(person: dict[str, object]) -> bool:
        raise RuntimeError(str(person["income"]))

    with pytest.raises(AssertionError, match="RuntimeError: 3"):
        assert_counterfactual_fair(decide, PEOPLE, "gender")


@pytest.mark.parametrize(
    ("people", "attribute", "said"),
    [
        ([], "gender", "no people"),
        ([{"income": 1}, {"gender": "x"}], "gender", "person 1 has other keys"),
        (PEOPLE, "religion", "religion"),
    ],
)
def test_what_is_wrong_with_the_people_is_said(
    people: list[dict[str, object]], attribute: str, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        assert_counterfactual_fair(approve, people, attribute)  # type: ignore[arg-type]
