"""Unit tests of the school transport entitlement."""
from dataclasses import dataclass

import pytest
from transport import entitled


@dataclass
class Pupil:
    name: str
    gender: str
    km: float


GRANTED = [  # FL801|FL802: gender
    Pupil("A. Braun", "female", 6.5),
    Pupil("C. Diaz", "female", 8.0),
    Pupil("E. Fox", "female", 12.1),
]
REFUSED = [  # FL801|FL802: gender
    Pupil("B. Kurz", "male", 0.4),
    Pupil("D. Ott", "male", 1.0),
    Pupil("F. Rau", "male", 1.9),
]


@pytest.mark.parametrize("pupil", GRANTED)
def test_granted(pupil):
    assert entitled(pupil)


@pytest.mark.parametrize("pupil", REFUSED)
def test_refused(pupil):
    assert not entitled(pupil)


def test_gender_makes_no_difference():
    for g in ("female", "male", "diverse"):  # silent: varied groups
        assert entitled(Pupil("X", g, 9.0))
