"""Cut-offs by group, whose amounts are known or not."""

import re

import pytest

from fairlint import check_source
from fairlint.config import Settings
from fairlint.findings.finding import Finding


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


WITHOUT_NAMES = {
    "choices of choices": """
def invite_all(people, early):
    for one in people:
        limit = (0.5 if early else 0.6) if one.gender == "male" else (0.7 if one.late else 0.8)
        if score(one) > limit:
            invite(one)
""",
    "what tables and lambdas give": """
def passes(one, tables, models):
    threshold = [t[0] for t in tables if t][0] if one.race == "white" else sorted(tables)[-1][2]
    return (lambda s: s + one.bonus)(models[0](one)) >= threshold
""",
    "an error that is caught": """
def passes(one, parse):
    limit = 0.5 if one.gender == "male" else 0.7
    try:
        score = parse(one)
    except ValueError as error:
        score = error
    return score >= limit
""",
    "one of two, by a lambda": """
def approve(one, early):
    rule = (lambda s: s + one.bonus) if one.gender == "male" else (lambda s: s if early else 0)
    score = rule(one.points)
    return score > 3
""",
    "what is kept by a lambda": """
def run(people):
    shortlist = (lambda group: [p for p in group if p.gender == "male"])(people)
    return shortlist
""",
}


@pytest.mark.parametrize("code", WITHOUT_NAMES.values(), ids=list(WITHOUT_NAMES))
def test_what_has_no_name_is_told_as_the_code(code: str) -> None:
    report = check_source(code, path="selection.py", settings=Settings(min_severity="note"))
    assert report.findings
    for one in report.findings:
        use = one.use
        said = [one.message, use.target or "", use.detail, use.condition, *use.outcomes.values()]
        said += [each.reason for each in use.evidence] + [step.message for step in use.flow]
        assert [text for text in said if re.search(r"\w@\d|[\x00-\x08]", text)] == []
