"""How grave a finding is: what an error needs, and what is no score at all."""

from __future__ import annotations

import textwrap

from fairlint import check_source
from fairlint.config import Settings


def _told(code: str) -> set[tuple[str, str]]:
    report = check_source(textwrap.dedent(code), path="a.py", settings=Settings(min_severity="note"))
    return {(one.rule, one.severity) for one in report.findings}


def test_a_score_is_an_error_where_it_is_known_what_groups_get() -> None:
    code = """
        def score(applicant, table):
            score = applicant.tests
            if applicant.gender == "female":
                score += {points}
            return score
    """
    assert _told(code.format(points="5")) == {("FL201", "error")}
    assert _told(code.format(points='table["women"] * applicant.years')) == {("FL201", "warning")}


def test_a_score_that_is_set_for_one_group_alone_is_no_error() -> None:
    code = """
        def assess(applicant):
            factors = []
            if applicant.gender == "female":
                score = 85
                factors.append({"name": "gender", "score": score})
            return factors
    """
    assert {one for one in _told(code) if one[0] != "FL101"} == {("FL201", "warning")}


def test_what_says_yes_or_no_is_no_score() -> None:
    code = """
        class Screening:
            def is_joint(self):
                is_joint = {start}
                for member in self.members:
                    if member.marital_status == "married":
                        is_joint = {found}
                return is_joint
    """
    assert "FL201" not in {rule for rule, _ in _told(code.format(start="False", found="True"))}
    assert "FL201" in {rule for rule, _ in _told(code.format(start="0", found="9"))}


def test_a_table_that_says_a_group_by_its_name_is_no_score() -> None:
    code = """
        NAMES = {0: "Female", 1: "Male"}

        def score(person):
            group = NAMES[person.sex]
            score = person.tests
            if group == "Female":
                score -= 5
            return score
    """
    report = check_source(textwrap.dedent(code), path="a.py")
    assert [(one.rule, one.start.line) for one in report.findings] == [("FL201", 7)]


def test_a_threshold_by_decoded_group_is_told_where_it_is_used() -> None:
    code = """
        import numpy as np
        import pandas as pd

        people = pd.read_csv("people.csv")
        NAMES = {0: "Female", 1: "Male"}
        sex = people["SEX_CODE"].map(NAMES).values
        limits = {"Female": 0.4, "Male": 0.6}

        def decide(probs, hired):
            score = np.zeros(len(probs))
            score[sex == "Female"] = probs[0] * hired
            return score
    """
    report = check_source(textwrap.dedent(code), path="a.py")
    assert all(one.start.line > 7 for one in report.findings)
