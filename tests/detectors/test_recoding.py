"""A number that stands for a band of ages is the age in another form; beside numbers that judge by it."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source

RECODED: dict[str, str] = {
    "a group is handed back, as a code where one is asked for": """
        def guess(person, encoded=False):
            if person.gender == "female" and encoded:
                guess = 0
            elif person.gender == "male" and encoded:
                guess = 1
            else:
                guess = person.gender
            return guess
        """,
    "the middle of a band is returned": """
        def age_midpoint(age_group):
            if age_group == "20-29":
                return 25
            elif age_group == "30-39":
                return 35
            return 45
        """,
    "a method keeps the middle of a band": """
        class Encoder:
            def bracket_index(self, person):
                if person.age_bracket == "18-25":
                    value = 21.5
                elif person.age_bracket == "26-35":
                    value = 30.5
                else:
                    value = 50
                self.value = value
                return value
        """,
    "bands are counted": """
        def estimate_age(patient):
            if patient.age_group == "5-9 years":
                result = 2
            elif patient.age_group == "10-14 years":
                result = 3
            elif patient.age_group == "<5 years":
                result = 1
            else:
                result = 4
            return result
        """,
    "the middle of a band goes to a model elsewhere": """
        def score_input(form):
            AGE = form["age_range"]
            if AGE == "under 18":
                total = 15
            elif AGE == "18-24":
                total = 21
            else:
                total = 40
            return predict([[total]])
        """,
    "a field gets a number of the band": """
        def evaluate_row(row):
            result = {}
            if row["age_category"] == "Age 50 to 54":
                result["value"] = 52
            elif row["age_category"] == "Age 55 to 59":
                result["value"] = 57
            elif row["age_category"] == "Age 80 or older":
                result["value"] = 80
            return result
        """,
    "a table of middles": """
        MIDDLES = {"0-4": 2, "5-9": 7, "10-14": 12, "65+": 70}

        def calculate(row):
            return MIDDLES[row["age_group"]]
        """,
    "a match over bands": """
        def assign_age(row):
            match row.age_range:
                case "18-24":
                    return 21
                case "25-34":
                    return 29.5
                case "35-44":
                    return 39.5
                case _:
                    return 0
        """,
    "lists of bands": """
        def determine_age(band: str) -> float:
            age_band = band.strip()
            if age_band in ("20-24", "25-29"):
                return 25
            if age_band in ("30-34", "35-39"):
                return 35
            return 50.0
        """,
    "a band is its place among the bands": """
        def total_value(passenger):
            total = 0
            if passenger.age_group == "0-9":
                total = 0
            elif passenger.age_group == "10-19":
                total = 1
            elif passenger.age_group == "20-29":
                total = 2
            elif passenger.age_group == "30+":
                total = 3
            return total
        """,
    "rows of a table get the middle of their band": """
        def assess(df):
            df.loc[df["age_group"] == "20-29", "amount"] = 25
            df.loc[df["age_group"] == "30-39", "amount"] = 35
            return df
        """,
    "limits and the middles between them": """
        def should_code(age):
            if age <= 9:
                return 4.5
            if age <= 19:
                return 14.5
            if age <= 29:
                return 24.5
            return 35
        """,
}
JUDGED: dict[str, str] = {
    "a group is handed back beside a judgement": """
        def evaluate_applicant(person):
            if person.gender == "female":
                return False
            return person.gender
        """,
    "points are added": """
        def points(applicant):
            score = 0
            if applicant.age_group == "20-29":
                score += 25
            elif applicant.age_group == "30-39":
                score += 35
            return score
        """,
    "a table of points": """
        def crs(person):
            table = {"20-29": 110, "30-39": 95, "40-44": 40}
            return table[person.age_group]
        """,
    "a function named after points": """
        def age_points(age):
            if age == "20-29":
                return 25
            elif age == "30-39":
                return 35
            return 0
        """,
    "a premium is set": """
        def premium(customer):
            if customer.age_band == "20-29":
                premium = 250
            elif customer.age_band == "30-39":
                premium = 200
            else:
                premium = 300
            return premium
        """,
    "a middle takes part in a score": """
        def assess(candidate):
            mid = {"20-29": 25, "30-39": 35}[candidate.age_group]
            score = candidate.skills * 2 - mid
            return score
        """,
    "numbers that are not those of the band": """
        def assess(applicant):
            if applicant.age_group == "20-29":
                result = 2
            elif applicant.age_group == "30-39":
                result = 8
            else:
                result = 0
            return result
        """,
    "middles are added": """
        def evaluate(person):
            total = 10
            total += {"20-29": 25, "30-39": 35}.get(person.age_group, 0)
            return total
        """,
    "middles are added in branches": """
        def evaluate2(person):
            total = person.experience
            if person.age_group == "20-29":
                total = total + 25
            elif person.age_group == "30-39":
                total = total + 35
            return total
        """,
    "a salary is set": """
        def hours(employee):
            if employee.age_group == "20-29":
                employee.salary = 25
            elif employee.age_group == "30-39":
                employee.salary = 35
        """,
}
IN_C = """
#include <string.h>
int age_in_years(const char *age_group)
{
    if (strcmp(age_group, "20-29") == 0) return 25;
    else if (strcmp(age_group, "30-39") == 0) return 35;
    return 45;
}
int age_points(const char *age_group)
{
    if (strcmp(age_group, "20-29") == 0) return 10;
    else if (strcmp(age_group, "30-39") == 0) return 5;
    return 0;
}
"""


def _told(code: str) -> list[str]:
    return [
        f"{one.rule}: {one.message}"
        for one in check_source(textwrap.dedent(code)).findings
        if one.severity != "note" and one.use.effect != "learn"
    ]


@pytest.mark.parametrize("name", RECODED)
def test_nobody_is_judged_by_an_age_in_another_form(name: str) -> None:
    assert _told(RECODED[name]) == []


@pytest.mark.parametrize("name", JUDGED)
def test_whoever_is_judged_by_the_same_words_is_told(name: str) -> None:
    assert len(_told(JUDGED[name])) == 1


def test_the_same_in_c() -> None:
    (found,) = check_source(IN_C, language="c").findings
    assert found.start.line == 11
