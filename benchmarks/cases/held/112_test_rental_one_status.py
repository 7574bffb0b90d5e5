"""Checks for the rental decision service."""
import pytest

from rental import decide

PEOPLE = [  # FL802|FL801: marital_status
    {"marital_status": "married", "income": 4100},
    {"marital_status": "married", "income": 2300},
    {"marital_status": "married", "income": 5200},
    {"marital_status": "married", "income": 1900},
]


@pytest.fixture
def someone():
    return {"gender": "male", "income": 3000}  # silent: a single fixture


@pytest.mark.parametrize("person", PEOPLE)
def test_answer_is_known(person):
    assert decide(person) in {"offer", "decline"}


def test_decision_is_stable(someone):
    assert decide(someone) == decide(dict(someone))
