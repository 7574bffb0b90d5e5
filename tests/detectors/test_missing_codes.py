"""A code below zero is no group's: who asks only for that leaves out rows without a value."""

from __future__ import annotations

from textwrap import dedent

import pytest

from fairlint import check_source
from fairlint.config import Settings

NOTES = Settings(min_severity="note")


def findings(code: str, path: str = "load.py") -> list[tuple[str, str]]:
    report = check_source(dedent(code), path=path, settings=NOTES)
    return [(one.rule, one.use.attribute) for one in report.findings]


CHOSEN = """
    import pandas as pd

    def kept(path):
        people = pd.read_csv(path)
        people = people[{test}]
        return people
"""


@pytest.mark.parametrize(
    "test",
    [
        'people["race"] != -1',
        "people.race != -9",
        'people["region"] >= 0',
        'people["marital_status"] > -1',
        'people["marital_status"] >= 0',
        '0 <= people["race"]',
        '(people["race"] != -1) & (people["sex"] != -99)',
        'people["num_children"] >= 0',
        '~(people["race"] < 0)',
    ],
)
def test_rows_without_a_value_may_be_left_out(test: str) -> None:
    assert findings(CHOSEN.format(test=test)) == []


@pytest.mark.parametrize(
    ("test", "attribute"),
    [
        ('people["race"] != 1', "race"),
        ('people["race"] != 0', "race"),
        ('people["race"] >= 1', "race"),
        ('people["race"] > 0', "race"),
        ('people["marital_status"] >= 2', "marital_status"),
        ('people["sex"] != -1', "gender"),
        ('people["sex"] > 0', "gender"),
        ('people["num_children"] > 0', "family_status"),
        ('people["num_children"] - 2 < 0', "family_status"),
        ('(people["race"] != -1) & (people["race"] != 2)', "race"),
        ('(people["race"] != -9) & (people["sex"] == "female")', "gender"),
        ('(people["race"] != -9) & (people["sex"] == 1)', "gender"),
        ('(people["race"] != "unknown") & (people["sex"] == 1)', "gender"),
    ],
)
def test_codes_of_groups_are_told_apart(test: str, attribute: str) -> None:
    assert attribute in [told for _, told in findings(CHOSEN.format(test=test))]


REFUSED = """
    struct applicant {{ int race; int income; }};
    int approve(struct applicant *a)
    {{
        if ({test})
            return 0;
        return a->income > 20000;
    }}
"""


@pytest.mark.parametrize(
    ("test", "told"), [("a->race < 0", False), ("a->race == -9", False), ("a->race == 2", True)]
)
def test_the_same_in_c(test: str, told: bool) -> None:
    assert bool(findings(REFUSED.format(test=test), "loan.c")) is told


@pytest.mark.parametrize(("code", "told"), [("-9", False), ("3", True)])
def test_a_person_without_a_value_may_be_refused(code: str, told: bool) -> None:
    code = f"""
        def approve(applicant):
            if applicant.race == {code}:
                return False
            return applicant.income > 20000
    """
    assert bool(findings(code)) is told
