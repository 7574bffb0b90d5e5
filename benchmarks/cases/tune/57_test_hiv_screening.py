import pytest
from screening.risk import risk_level

CASES = [  # FL801: race; FL801: gender
    ({"race": "Black", "gender": "male", "partners": 6}, "high"),
    ({"race": "African American", "gender": "M", "partners": 4}, "high"),
    ({"race": "Black", "gender": "man", "partners": 9}, "high"),
    ({"race": "White", "gender": "female", "partners": 1}, "low"),
    ({"race": "White", "gender": "F", "partners": 0}, "low"),
    ({"race": "Caucasian", "gender": "woman", "partners": 1}, "low"),
]


@pytest.mark.parametrize("person, expected", CASES)
def test_risk_level(person, expected):
    assert risk_level(person) == expected


MIXED = [  # silent: the groups vary in each outcome
    ({"race": "White", "gender": "female", "partners": 7}, "high"),
    ({"race": "Black", "gender": "male", "partners": 7}, "high"),
    ({"race": "Asian", "gender": "female", "partners": 8}, "high"),
    ({"race": "Black", "gender": "female", "partners": 0}, "low"),
    ({"race": "White", "gender": "male", "partners": 1}, "low"),
    ({"race": "Asian", "gender": "male", "partners": 0}, "low"),
]


@pytest.mark.parametrize("person, expected", MIXED)
def test_mixed(person, expected):
    assert risk_level(person) == expected
