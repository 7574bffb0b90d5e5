import itertools
import pytest

from housing.points import allocate

CASES = [  # silent: groups vary in every outcome
    {"race": "white", "gender": "female", "income": 900, "expect": "offer"},
    {"race": "black", "gender": "male", "income": 950, "expect": "offer"},
    {"race": "asian", "gender": "female", "income": 870, "expect": "offer"},
    {"race": "black", "gender": "female", "income": 9000, "expect": "wait"},
    {"race": "white", "gender": "male", "income": 8700, "expect": "wait"},
    {"race": "asian", "gender": "male", "income": 9100, "expect": "wait"},
]


@pytest.mark.parametrize("case", CASES)
def test_allocate(case):
    assert allocate(case) == case["expect"]


@pytest.mark.parametrize("race", ["white", "black", "asian", "other"])  # silent: invariance over groups
def test_race_makes_no_difference(race):
    assert allocate({"race": race, "gender": "x", "income": 900}) == "offer"
