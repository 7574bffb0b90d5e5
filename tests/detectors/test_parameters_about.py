"""A number that is called after an attribute is a parameter about it, and no read of a person."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source
from fairlint.config import Settings


def told(code: str) -> list[str]:
    report = check_source(
        textwrap.dedent(code).lstrip("\n"),
        path="points.py",
        language="python",
        settings=Settings(min_severity="note"),
    )
    assert not report.not_analysed
    return [f"{one.start.line} {one.rule} {one.severity}: {one.message}" for one in report.findings]


@pytest.mark.parametrize(
    "code",
    [
        """
        def most_points():
            bonus_disability = 0.2
            points_tests = 3
            total_score = 0
            total_score += bonus_disability
            total_score += points_tests
            return total_score
        """,
        """
        W_AGE = 0.3

        def rate(applicant, factor_race=1.2):
            score = applicant.tests * W_AGE
            score *= factor_race
            return score
        """,
        """
        def rate(applicant):
            race = 0.25
            score = applicant.tests + race
            return score
        """,
    ],
    ids=["a sum of weights", "a constant and a default", "a share"],
)
def test_a_number_called_after_an_attribute_reads_nobody(code: str) -> None:
    assert told(code) == []


def test_what_such_a_number_is_worth_is_told_with_the_test_that_it_hangs_on() -> None:
    (found,) = told(
        """
        def rate(applicant, points_religion=6):
            score = applicant.tests
            if applicant.religion == "christian":
                score += points_religion * 0.5
            elif applicant.religion == "muslim":
                score -= points_religion
            return score
        """
    )
    assert found.startswith(
        "3 FL201 error: `score` depends on religion: christian +3; muslim -6; jewish, hindu"
    )


def test_a_group_that_a_script_begins_with_is_still_a_read() -> None:
    (found,) = told(
        """
        gender = "female"
        score = 0
        if gender == "female":
            score += 3
        print(score)
        """
    )
    assert found.startswith("3 FL201")
