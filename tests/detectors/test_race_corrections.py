"""Corrections by race in medicine: the same finding whatever the code calls race."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source
from fairlint.config import Settings

NAMES = {
    "race": 'race == "black"',
    "ethnicity": 'ethnicity == "black"',
    "ethnic_group": 'ethnic_group == "Black"',
    "ethrisk": 'ethrisk == "black"',
    "african_american": "african_american",
    "is_black": "is_black",
    "isBlack": "isBlack",
}
"""What a parameter is called -> the test of it."""

FORMULAS: dict[str, tuple[str, str, str]] = {
    "filtration of the kidney": (
        "FL204",
        "×1.19",
        """
        def egfr(scr, age, sex, NAME):
            rate = 180 * scr ** -1.12 * age ** -0.21
            if sex == "f":
                rate *= 0.75
            return rate * 1.19 if TEST else rate
        """,
    ),
    "volume of the lungs": (
        "FL204",
        "×0.87",
        """
        def reference_fvc(height, age, sex, NAME):
            litres = 0.058 * height - 0.026 * age - 4.34
            if sex == "female":
                litres -= 0.65
            if TEST:
                litres *= 0.87
            return litres
        """,
    ),
    "birth after a caesarean": (
        "FL201",
        "-0.67",
        """
        from math import exp

        def vbac_chance(mothers_age, bmi, NAME, born_before):
            logit = 3.7 - 0.04 * mothers_age - 0.06 * bmi + 0.9 * born_before
            if TEST:
                logit -= 0.67
            return exp(logit) / (1 + exp(logit))
        """,
    ),
    "a kidney that is given": (
        "FL201",
        "+0.18",
        """
        from math import exp

        def donor_risk(donor_age, NAME, creatinine, hypertension):
            index = 0.013 * (donor_age - 40) + 0.22 * (creatinine - 1) + 0.13 * hypertension
            if TEST:
                index += 0.18
            return exp(index)
        """,
    ),
    "a stone": (
        "FL201",
        "+3",
        """
        def stone_score(sex, NAME, hours, hematuria):
            points = 2 if sex == "male" else 0
            if hours < 6:
                points += 3
            if not (TEST):
                points += 3
            return points + 3 * hematuria
        """,
    ),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("formula", FORMULAS)
def test_a_correction_by_race_is_the_same_finding_whatever_race_is_called(formula: str, name: str) -> None:
    rule, amount, code = FORMULAS[formula]
    code = textwrap.dedent(code).replace("NAME", name).replace("TEST", NAMES[name])
    found = check_source(code, path="formula.py", settings=Settings(min_severity="note")).findings
    (told,) = (one for one in found if one.use.attribute in {"race", "ethnicity"})
    assert (told.rule, told.severity, told.use.context.name) == (rule, "error", "")
    assert amount in told.message
    others = {one.use.context.name for one in found if one is not told}
    assert others <= {"clinical"}


@pytest.mark.parametrize("name", NAMES)
def test_a_drug_by_race_is_an_outcome(name: str) -> None:
    code = (
        f"def first_drug(patient_age, {name}):\n"
        f"    if {NAMES[name]}:\n"
        '        return "diuretic"\n'
        '    return "ACE inhibitor"\n'
    )
    (told,) = check_source(code, path="pressure.py").findings
    assert (told.rule, told.severity) == ("FL101", "warning")


@pytest.mark.parametrize(
    "head",
    [
        "def value(piece, is_black, rank):",
        "def contrast(pixel, is_black, height):",
        "def ink(is_black, page):",
    ],
)
def test_a_colour_is_no_race(head: str) -> None:
    code = f"{head}\n    score = 4.0\n    if is_black:\n        score -= 2\n    return score\n"
    assert not check_source(code, path="board.py", settings=Settings(min_severity="note")).findings


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (
            "stroke.py",
            """
            import math

            def one_year(age, ethrisk, sbp):
                by_group = [0, 0.21, 0.43, -0.17]
                total = sbp * 0.01
                total += by_group[ethrisk]
                risk = 100 * (1 - math.pow(0.97, math.exp(total)))
                return risk
            """,
        ),
        (
            "stroke.c",
            """
            #include <math.h>

            double one_year(int age, int ethrisk, double sbp)
            {
                double by_group[4] = {0, 0.21, 0.43, -0.17};
                double total = sbp * 0.01;
                total += by_group[ethrisk];
                double risk = 100 * (1 - pow(0.97, exp(total)));
                return risk;
            }
            """,
        ),
    ],
)
def test_what_is_raised_to_a_power_still_reaches_the_risk(path: str, code: str) -> None:
    found = check_source(textwrap.dedent(code), path=path, settings=Settings(min_severity="note")).findings
    assert [one.rule for one in found if one.use.attribute == "ethnicity"] == ["FL202"]


@pytest.mark.parametrize(
    ("points", "told"),
    [
        ("pow(3, 2) / 2", "+4.5"),
        ("floor(9.7) / 2", "+4.5"),
        ("fabs(-9) / 2", "+4.5"),
        ("abs(-9) / 2", "+4"),
        ('atoi("9") / 2', "+4"),
    ],
)
def test_what_gives_a_double_in_c_is_divided_with_its_fraction(points: str, told: str) -> None:
    code = f"""\
#include <math.h>
struct person {{ char sex; }};

double score(struct person *p)
{{
    double score = 1;
    if (p->sex == 'M')
        score += {points};
    return score;
}}
"""
    (found,) = check_source(code, path="points.c").findings
    assert f"male {told}," in found.message
