"""Regression tests of the pre-trial tool, one person object per case."""
from pretrial import Person, decide_release


def _case(race, priors, want):  # silent: helper without a group of its own
    p = Person()
    p.race = race
    p.priors = priors
    return p, want


DETAINED = [_case("black", 0, "detain"), _case("African-American", 2, "detain"), _case("Black", 5, "detain")]  # FL801|FL802: race
RELEASED = [  # silent: groups are mixed
    _case("white", 0, "release"),
    _case("black", 1, "release"),
    _case("asian", 0, "release"),
]


def test_detained():
    for person, want in DETAINED:
        assert decide_release(person) == want


def test_released():
    for person, want in RELEASED:
        assert decide_release(person) == want
