"""Rows in which two facts about one person cannot both be true."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source
from fairlint.config import Settings

CLEANING = [
    "staff = staff[staff.age - staff.years_employed >= 14]",
    'staff = staff[staff["years_of_experience"] <= staff["age"] - 16]',
    'staff = staff[staff["age"] > staff["tenure"]]',
    'staff = staff[~(staff["age"] - staff["experience"] < 15)]',
    'staff = staff[(staff["age"] - 18 >= staff["driving_years"]) & (staff["age"] > staff["tenure"])]',
]
DECIDING = [
    "staff = staff[staff.age - staff.years_employed < 30]",
    'staff = staff[staff["age"] - staff["experience"] >= 35]',
    'staff = staff[(staff["age"] > staff["tenure"]) & (staff["age"] < 40)]',
    'staff = staff[staff["age"] >= staff["rank"]]',
    'staff = staff[~(staff["age"] - staff["experience"] >= 15)]',
]
READ = 'import pandas as pd\n\nstaff = pd.read_csv("employees.csv")\n'


@pytest.mark.parametrize("line", CLEANING)
def test_rows_with_more_years_than_an_age_allows_are_cleaned(line: str) -> None:
    assert not check_source(f"{READ}{line}\n", settings=Settings(min_severity="note")).findings


@pytest.mark.parametrize("line", DECIDING)
def test_any_other_limit_stays_one(line: str) -> None:
    assert check_source(f"{READ}{line}\n", settings=Settings(min_severity="note")).findings


def test_who_is_refused_for_two_facts_that_do_not_fit_is_told() -> None:
    code = """\
        def decide(applicant):
            if applicant.age - applicant.experience < 15:
                return "rejected"
            return "accepted"
        """
    assert check_source(textwrap.dedent(code)).findings
