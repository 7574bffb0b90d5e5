"""Cut-offs by group, whose amounts are known or not."""

import pytest

from fairlint import check_source
from fairlint.config import Settings
from fairlint.findings import Finding


def told(code: str) -> list[Finding]:
    report = check_source(code, path="service.py", settings=Settings())
    assert not report.not_analysed
    return list(report.findings)


LOADED = """\
import joblib

cuts = joblib.load("cuts.pkl")


def decide(applicant, probability):
    {}
    return "approved" if probability >= threshold else "rejected"
"""


@pytest.mark.parametrize(
    "choice",
    [
        'threshold = cuts["m"] if applicant.gender == "male" else cuts["f"]',
        'threshold = cuts["m"]\n    if applicant.gender == "female":\n        threshold = cuts["f"]',
        "threshold = cuts[applicant.gender]",
        "threshold = cuts.get(applicant.gender)",
    ],
)
def test_cut_offs_that_are_loaded_are_told_without_amounts(choice: str) -> None:
    found = [one for one in told(LOADED.format(choice)) if one.use.attribute == "gender"]
    assert [(one.rule, one.use.points) for one in found] == [("FL501", None)]


def test_cut_offs_are_called_as_in_the_code() -> None:
    (found,) = told(LOADED.format('threshold = cuts["m"] if applicant.gender == "male" else cuts["f"]'))
    assert dict(found.use.outcomes) == {"male": "cuts['m']", "female": "cuts['f']"}


@pytest.mark.parametrize(
    "code",
    [
        "def draw(people, most, taken):\n    return [one for one in people if taken[one.gender] < most]\n",
        "def decide(applicant, probability):\n    return probability >= limits[applicant.product]\n",
    ],
)
def test_counts_and_limits_of_things_are_none(code: str) -> None:
    assert [one.rule for one in told(code) if one.rule == "FL501"] == []


CODED = """\
import pandas as pd


def decide(people, place):
    people["gender"] = people["gender"].map({{"male": 1, "female": 0}})
    if {} == 1:
        return "rejected"
    return "approved"
"""


@pytest.mark.parametrize(
    "cell",
    [
        'people["gender"].iloc[place]',
        'people["gender"].values[place]',
        'people.at[place, "gender"]',
        'people.loc[place, "gender"]',
    ],
)
def test_one_cell_of_a_coded_column_is_read_like_the_column(cell: str) -> None:
    (found,) = (one for one in told(CODED.format(cell)) if one.rule == "FL101")
    assert dict(found.use.outcomes) == {"male": 'return "rejected"', "female": 'return "approved"'}


def test_a_cell_at_a_place_among_a_models_answers_is_no_guess() -> None:
    code = """\
def decide(people, model):
    for place, _ in enumerate(model.predict(people)):
        gender = people["gender"].iloc[place]
        print(gender)
"""
    assert [one.rule for one in told(code) if one.rule == "FL306"] == []
