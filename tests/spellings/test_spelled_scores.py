"""Points are the same, group by group, however the code spells a group, an attribute or a number."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from spelled import c, python

import fairlint

NAMED = "TITLES = {'gender': 'Gender'}\n"
"""What names no attribute anywhere is not looked at: a name that is put together stands whole elsewhere."""

PYTHON: dict[str, tuple[str | int, str]] = {
    "the group": (
        "male",
        """
        def score(applicant):
            points = applicant.years
            if applicant.gender == <X>:
                points += 5
            return points
        """,
    ),
    "one of several groups": (
        "male",
        """
        def score(applicant):
            points = applicant.years
            if applicant.gender in (<X>, "man"):
                points += 5
            return points
        """,
    ),
    "the attribute": (
        "gender",
        """
        def score(applicant):
            points = applicant["years"] + len(applicant["gender"])
            if applicant[<X>] == "male":
                points += 5
            return points
        """,
    ),
    "the attribute, looked up": (
        "gender",
        """
        def score(applicant):
            points = applicant.get("years") + len(applicant.get("gender"))
            if applicant.get(<X>) == "male":
                points += 5
            return points
        """,
    ),
    "the amount": (
        5,
        """
        def score(applicant):
            points = applicant.years
            if applicant.gender == "male":
                points += <X>
            return points
        """,
    ),
    "the key of a table": (
        "male",
        """
        def score(applicant):
            points = applicant.years
            points += {<X>: 5, "female": 0}[applicant.gender]
            return points
        """,
    ),
    "an entry of a table": (
        5,
        """
        def score(applicant):
            points = applicant.years
            points += {"male": <X>, "female": 0}[applicant.gender]
            return points
        """,
    ),
    "a column": (
        "gender",
        """
        import pandas as pd
        people["score"] = 0
        people.loc[people[<X>] == "male", "score"] += 5
        """,
    ),
    "the column that is changed": (
        "score",
        """
        import pandas as pd
        people[<X>] = 0
        people.loc[people["gender"] == "male", <X>] += 5
        """,
    ),
}

GENDER = ("enum gender { UNKNOWN, MALE, FEMALE };\n", "MALE")
FIVE = ("enum amounts { FIVE = 5 };\n", "FIVE")

C: dict[str, tuple[str | int, tuple[str, str], str]] = {
    "the group": (
        "male",
        GENDER,
        """
        #include <string.h>
        struct applicant { <GENDER>; int score; };
        void rate(struct applicant *a)
        {
            if (<IS_X>)
                a->score += 5;
        }
        """,
    ),
    "the amount": (
        5,
        FIVE,
        """
        #include <string.h>
        struct applicant { const char *gender; int score; };
        void rate(struct applicant *a)
        {
            if (strcmp(a->gender, "male") == 0)
                a->score += <X>;
        }
        """,
    ),
}


def points(code: str, path: str) -> dict[str, float]:
    """The sum of all that groups get."""
    report = fairlint.check_source(code, path=path)
    assert not report.not_analysed
    return dict(report.points("gender"))


@pytest.mark.parametrize("case", PYTHON)
def test_python(case: str) -> None:
    value, code = PYTHON[case]
    code = NAMED + dedent(code).lstrip("\n")

    found = {
        name: points(setup + code.replace("<X>", written), "rate.py")
        for name, (setup, written) in python(value).items()
    }

    wanted = {"male": 5.0, "female": 0.0}
    assert {name: one for name, one in found.items() if one != wanted} == {}


@pytest.mark.parametrize("case", C)
def test_c(case: str) -> None:
    value, enum, code = C[case]
    found = {}
    for name, (setup, written) in c(value, enum).items():
        by_enum = written == enum[1] and isinstance(value, str)
        test = f"a->gender == {written}" if by_enum else f"strcmp(a->gender, {written}) == 0"
        type_ = "enum gender gender" if by_enum else "const char *gender"
        text = dedent(code).replace("<GENDER>", type_).replace("<IS_X>", test).replace("<X>", written)
        found[name] = points(setup + text, "rate.c")

    wanted = {"male": 5.0, "female": 0.0}
    assert {name: one for name, one in found.items() if one != wanted} == {}
