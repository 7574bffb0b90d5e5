"""Fixtures for the mortgage rules."""
from mortgage import Application, decide


def new(income, dti):
    app = Application()
    app.income, app.dti = income, dti
    return app


def approved_cases():
    first = new(90_000, 0.2)
    first.race = "white"  # FL801|FL802: race
    second = new(75_000, 0.3)
    second.race = "White"
    third = new(120_000, 0.1)
    third.race = "caucasian"
    return [first, second, third]


def test_approved():
    for app in approved_cases():
        assert decide(app) == "approve"


def test_same_for_every_group():
    results = set()
    for race in ("white", "black", "asian", "native american"):  # silent: every group is tried
        app = new(80_000, 0.25)
        app.race = race
        results.add(decide(app))
    assert len(results) == 1
