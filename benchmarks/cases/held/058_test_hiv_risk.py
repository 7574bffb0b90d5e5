import pytest

from clinic.triage import risk_level


@pytest.mark.parametrize(
    "patient, expected",
    [  # FL801: race
        ({"race": "Black", "sex": "F", "partners": 3}, "high"),
        ({"race": "African American", "sex": "M", "partners": 5}, "high"),
        ({"race": "black", "sex": "M", "partners": 4}, "high"),
        ({"race": "White", "sex": "F", "partners": 1}, "low"),
        ({"race": "Asian", "sex": "M", "partners": 0}, "low"),
        ({"race": "White", "sex": "M", "partners": 1}, "low"),
    ],
)
def test_hiv_risk(patient, expected):
    assert risk_level(patient) == expected


def test_rejects_empty():
    with pytest.raises(KeyError):
        risk_level({})
