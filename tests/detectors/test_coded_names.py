"""Codes say whose attribute a name of many meanings holds; formulas say by how much a power of e is moved."""

from __future__ import annotations

import math
import textwrap

import pytest

from fairlint import check_source

TOLD: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "a limit": (
        """
        def least_marks(pupil):
            if pupil.category == "OBC":
                return 55
            if pupil.category in ["SC", "ST"]:
                return 50
            return 60

        def may_enrol(pupil):
            return pupil.marks >= least_marks(pupil)
        """,
        [("FL501", "caste")],
    ),
    "a table of fees": (
        """
        HOSTEL = {"general": 900, "obc": 500, "sc": 0, "st": 0}

        def hostel_fee(student):
            return HOSTEL.get(student["quota"].strip().lower(), 900)
        """,
        [("FL202", "caste")],
    ),
    "a French column": (
        """
        import pandas as pd
        from sklearn.tree import DecisionTreeClassifier

        gens = pd.read_csv("gens.csv")
        gens["genre"] = gens["genre"].map({"femme": 1, "homme": 0})
        DecisionTreeClassifier().fit(gens[["genre", "age", "revenu"]], gens["defaut"])
        """,
        [("FL301", "gender")],
    ),
}

SILENT: dict[str, str] = {
    "films": """
        def shelf(film, age):
            if film.genre == "comedy":
                return 1
            if film.genre in ("horror", "drama"):
                return 2
            return 0
        """,
    "tickets": """
        def desk(ticket):
            caste_desk = 4
            if ticket.category in ("SC", "IT"):
                return 1
            return 2 if ticket.category == "general" else 3
        """,
}


@pytest.mark.parametrize("case", TOLD)
def test_codes_name_the_attribute(case: str) -> None:
    code, told = TOLD[case]
    found = [(one.rule, one.use.attribute) for one in check_source(textwrap.dedent(code)).findings]
    assert found == told


@pytest.mark.parametrize("case", SILENT)
def test_other_codes_name_none(case: str) -> None:
    assert check_source(textwrap.dedent(SILENT[case])).findings == ()


@pytest.mark.parametrize("shift", [-0.17, 0.4, 1.5])
def test_what_is_added_in_a_power_of_e_is_a_factor(shift: float) -> None:
    code = f"""
    import math

    def expected_capacity(patient, height, age, race):
        is_black = 1 if race == "black" else 0
        return math.exp(-11.2 + 2.3 * math.log(height) + {shift} * is_black)
    """
    (found,) = check_source(textwrap.dedent(code)).findings
    points = found.use.points
    assert points is not None
    assert points.op == "multiply"
    assert points.by_group["black"] == pytest.approx(math.exp(shift))
    assert points.by_group["white"] == 1


def test_what_is_too_far_apart_has_no_amount() -> None:
    code = """
    import math

    def risk_score(patient):
        return math.exp(patient.dose - 25 * (patient.gender == "female"))
    """
    (found,) = check_source(textwrap.dedent(code)).findings
    assert found.use.points is None


DECODED = """
SEX = {{"A91": "male", "A92": "female", "A93": "male", "A94": "female"}}

def score(row):
    score = row["duration"]
    {test}
        score += 5
    return score
"""


@pytest.mark.parametrize(
    "test",
    [
        'if SEX[row["personal_status_sex"]] == "female":',
        'if SEX.get(row["personal_status_sex"]) == "female":',
        'sex = SEX[row["personal_status_sex"]]\n    if sex == "female":',
        'sex = "female" if row["personal_status_sex"] in ("A92", "A94") else "male"\n    if sex == "female":',
        (
            'if row["personal_status_sex"] == "A92":\n        sex = "female"\n    else:\n'
            '        sex = "male"\n'
            '    if sex == "female":'
        ),
    ],
)
def test_what_the_code_says_of_its_codes_is_told_as_it_has_it(test: str) -> None:
    (found,) = check_source(DECODED.format(test=test), path="credit.py").findings
    assert found.use.attribute == "gender"
    assert found.points is not None
    assert dict(found.points.by_group) == {"male": 0.0, "female": 5.0}


@pytest.mark.parametrize(
    ("test", "attribute"),
    [
        ('if row["personal_status_sex"] == "A92":', "marital_status"),
        (
            'sex = "female" if row["marital_status"] == "single" else "male"\n    if sex == "female":',
            "marital_status",
        ),
        (
            'band = "high" if row["personal_status_sex"] == "A92" else "low"\n    if band == "high":',
            "marital_status",
        ),
    ],
)
def test_a_code_that_the_code_does_not_explain_stays_one(test: str, attribute: str) -> None:
    found = check_source(DECODED.format(test=test), path="credit.py").findings
    assert {one.use.attribute for one in found} == {attribute}
