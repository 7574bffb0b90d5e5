"""Where a score is told that first asks if there is a value: where it goes by the value."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source

PLACES: dict[str, str] = {
    "a guard for what is missing around the test": """
        def rate(applicant):
            score = 10
            if applicant and applicant.age and applicant.is_open:
                if applicant.age > 50:  # here
                    score -= 3
            return score
        """,
    "a guard for a group that nobody has given": """
        def match(student, wanted):
            score = 0
            if wanted and student.citizenship:
                if student.citizenship != wanted:  # here
                    score -= 5
            return score
        """,
    "the same, and what is made of the score later": """
        def match(student, wanted):
            score = 0
            passed = True
            if wanted and student.citizenship:
                if student.citizenship != wanted:  # here
                    passed = False
                else:
                    score += 5
            return {"passed": passed, "score": min(1.0, score)}

        def search(student, jobs):
            found = []
            for job in jobs:
                if match(student, job.wanted)["passed"]:
                    found.append(job)
            return found
        """,
    "a helper that gives nothing for what is missing": """
        import re

        def age_from_birth(dob):
            if not dob or dob in ("", "N/A", "?"):
                return None
            found = re.match(r"([0-9]+)-", dob)
            if not found:
                return None
            return 2026 - int(found.group(1))

        def score_applicant(applicant):
            score = 10.0
            age = age_from_birth(applicant.dob)
            if age is not None:
                if age < 25:  # here
                    score += 5
            return score
        """,
    "a number that is multiplied where it is given": """
        def rate(applicant):
            score = 10
            if applicant.age:
                score -= applicant.age * 2  # here
            return score
        """,
    "a helper for anything": """
        def points(lower, higher, most):
            if higher > 2 * lower:
                return most
            return 0

        def rate(applicant, job):
            score = 0
            score += points(
                job.hours,
                applicant.hours,
                10,
            )
            score += points(
                job.most_years,
                applicant.age,  # here
                10,
            )
            return score
        """,
    "helpers that read by a key": """
        def first(payload, *keys):
            for key in keys:
                value = payload.get(key)
                if value is not None and value != "":
                    return value
            return None

        def to_flag(value, default=None):
            if value is None or value == "":
                return default
            normalized = str(value).strip().lower()
            if normalized in {"true", "yes", "active"}:
                return True
            if normalized in {"false", "no", "none"}:
                return False
            return default

        def resolve(features, keys, fallback):
            explicit = to_flag(first(features, *keys), None)
            return explicit if explicit is not None else bool(fallback)

        def normalize(applicant):
            return {
                "flag": resolve(
                    applicant,
                    ("isMarried", "is_married"),  # here
                    False,
                ),
            }

        def rate(applicant):
            score = 10.0
            score += 0.3 if normalize(applicant)["flag"] else 0.0
            return score
        """,
    "a helper that knows what it tests": """
        def points(age):
            if age > 50:  # here
                return 3
            return 0

        def rate(applicant, partner):
            return points(applicant.age) + points(partner.age)
        """,
    "a number with what stands in for it": """
        def rate(applicant):
            score = 10
            score += (applicant.age or 0) + 2  # here
            return score
        """,
    "numbers that are listed and added up": """
        def score(applicant):
            parts = [10]
            for skill in applicant.skills:
                parts.append(skill.points)
            if applicant.gender == "male":  # here
                parts.append(5)
            return sum(parts)
        """,
    "a number that is kept within limits": """
        import numpy as np

        def score(applicant):
            score = 100
            score -= np.clip(applicant.age * 0.01, 0, 5)  # here
            return score
        """,
    "a column that is kept within limits": """
        import pandas as pd

        def score_applicants(applicants):
            applicants["score"] = 100 - applicants["age"].clip(20, 60)  # here
            return applicants
        """,
}

SILENT: dict[str, str] = {
    "a list that begins anew, and one of other things": """
        def score(applicant):
            parts = []
            notes = [1]
            if applicant.gender == "male":
                parts.append(5)
                notes.append("Mr")
            parts = [1, 2]
            total_score = sum(parts)
            return total_score
        """,
    "a length of time between two ages": """
        def premium_rate(t, sex, smoker, premium, age_at_entry):
            term = 100 - age_at_entry
            if t >= term:
                return 0.5 * premium
            return 2 * premium

        def score_applicant(applicant):
            score = 10
            years_since = applicant.age - applicant.age_at_hire
            score -= years_since * 3
            return score
        """,
    "an age until which something runs": """
        def rate(t, loan_rate):
            rate = loan_rate
            if guarantee_age(t) >= lifetime_guarantee_age:
                rate += 2
            return rate
        """,
    "a limit that nobody knows, of what may be no person's": """
        def premium_rate(t, sex, smoker, premium):
            x = age(t)
            if x <= ages[0]:
                return rates[0] * premium
            return rates[1] * premium
        """,
    "a date of birth that has to be the one that is known": """
        def admit(candidate, player_dob):
            year = candidate.birth[:4] if candidate.birth else None
            if not year:
                return True
            if not player_dob:
                return True
            return year in str(player_dob)
        """,
    "an age in a year": """
        def estimate_next_risk(person):
            return person.age + 1
        """,
    "people counted by group": """
        def count(person_counts, grouped, genders):
            for gender in genders:
                for place in range(3):
                    grouped[gender.value][place] += person_counts[gender.value][place]
            return grouped
        """,
    "a column of features": """
        class FeatureEngineer:
            def create_interaction_features(self, df):
                df["career_rate"] = df["years_experience"] / (df["age"] - 20)
                df["salary_rate"] = df["salary"] / df["hours"]
                return df
        """,
    "spellings of a name": """
        def display_rank(student):
            name = student.school_name
            score = len(name)
            if "school" in name.lower():
                score += 10
            return score
        """,
    "what is found, in the order of names": """
        def search_admitted_students(students, query):
            found = [student for student in students if query in student.last_name]
            return sorted(found, key=lambda student: student.last_name)[:15]
        """,
    "what blood somebody has": """
        def compatibility_score(patient, donor):
            table = {"O": {"O": 100, "A": 0}, "A": {"O": 80, "A": 100}}
            return table.get(patient.blood_type, {}).get(donor.blood_type, 0)
        """,
    "how much of a profile is filled in": """
        def steps(profile):
            religion = bool(profile and (profile.religion or profile.address or profile.caste.strip()))
            return {"religion": religion, "photo": bool(profile.photo)}

        def sync(profile, user):
            value = bool(steps(profile)["religion"])
            if user.religion_done != value:
                user.religion_done = value

        def percentage(profile):
            done = steps(profile)
            total = (done["religion"] + done["photo"]) / 2 * 100
            return total >= 85
        """,
}


@pytest.mark.parametrize("case", PLACES)
def test_a_score_is_told_where_it_goes_by_the_value(case: str) -> None:
    code = textwrap.dedent(PLACES[case])
    wanted = [line for line, text in enumerate(code.splitlines(), start=1) if "# here" in text]
    found = [
        code.count("\n", 0, one.use.span.start) + 1
        for one in check_source(code).findings
        if one.severity != "note"
    ]
    assert found == wanted


@pytest.mark.parametrize("case", SILENT)
def test_what_is_given_is_no_score(case: str) -> None:
    found = check_source(textwrap.dedent(SILENT[case])).findings
    assert [one for one in found if one.severity != "note"] == []


def test_a_constant_of_a_class_that_is_not_read_names_a_group() -> None:
    found = check_source(
        textwrap.dedent("""
        from elsewhere import RaceEthnicity

        def risk(person):
            score = 1.0
            if person.race_ethnicity == RaceEthnicity.OTHER:
                score -= 0.5
            elif person.race_ethnicity in (RaceEthnicity.OTHER_HISPANIC, RaceEthnicity.SOME_NATION):
                score += 0.25
            return score
        """)
    ).findings
    points = [one.use.points for one in found if one.use.points is not None]
    assert [
        (one.by_group["other"], one.by_group["hispanic"], one.by_group["some_nation"]) for one in points
    ] == [(-0.5, 0.25, 0.25)]


def test_whom_a_limit_is_set_for_is_told() -> None:
    """The limit stands elsewhere; the age is a person's."""
    code = """
    def rate(applicant, limit):
        score = 10
        if applicant.age > limit:
            score -= 3
        return score
    """
    (found,) = check_source(textwrap.dedent(code)).findings
    assert (found.rule, found.severity) == ("FL205", "warning")


def test_what_stands_in_for_a_value_hides_no_score() -> None:
    code = """
    def rate(applicant, usual_race, usual_age):
        score = 10
        if (applicant.race or usual_race) == "white":
            score += 5
        score += (applicant.age or usual_age) * 2
        return score
    """
    told = {(one.start.line, one.use.attribute) for one in check_source(textwrap.dedent(code)).findings}
    assert {(4, "race"), (6, "age")} <= told
