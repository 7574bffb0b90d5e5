"""Code that looks like what a warning tells of, each beside code in like words that is told."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import Settings, check_source

SILENT: dict[str, str] = {
    "captions of columns in a class": """
        from sklearn.linear_model import LogisticRegression

        class Insights:
            FEATURE_MAPPING = {"tenure": "Loyalty", "gender": "Customer Gender", "age": "Customer Age"}
        """,
    "captions of features in a list": """
        from sklearn.linear_model import LogisticRegression

        FEATURE_LABELS = ["Tenure", "Customer Gender"]
        """,
    "quotas of faculties that are added up": """
        class ScholarshipConfig:
            def get_quota_of_scholarship(self, config, college, scholarship_ids, gpa, recommendation):
                grand_total_quota = 0
                for sub_type_quotas in config.quotas.values():
                    grand_total_quota += sub_type_quotas.get(college, 0)
                return grand_total_quota
        """,
    "spellings of a group that is known": """
        def read(rows, gender_encoded):
            for row in rows:
                gender = row["gender"]
                if gender == "f" or gender == "female":
                    if gender_encoded:
                        pass
                    else:
                        gender = "female"
                row["gender"] = gender
        """,
    "a code that gets its word": """
        def in_words(applicant):
            if applicant.sex:
                return "male"
            else:
                return "female"
        """,
    "what is left of a service's quota": """
        import requests

        def is_limit_exceeded(key):
            answer = requests.get("https://api.genderize.io/?name[]=peter&apikey=" + key)
            return answer.headers["X-Rate-Limit-Remaining"] == "0"
        """,
    "columns that were dropped by names from elsewhere": """
        import pandas as pd

        def prepare(two_class_columns):
            people = pd.read_csv("people.csv")
            print(people["race"].value_counts())
            people = people.drop(columns=two_class_columns)
            for column in people.columns:
                people[column] = pd.Categorical(people[column]).codes
            return people
        """,
    "a validator of a preference": """
        from enum import Enum

        from pydantic import BaseModel, field_validator

        class Gender(str, Enum):
            MALE = "male"
            FEMALE = "female"

        class DatingProfile(BaseModel):
            sexuality: str
            gender_preference: list[Gender]

            @field_validator("gender_preference")
            @classmethod
            def validate_gender_preference(cls, v: list[Gender]) -> list[Gender]:
                if not v:
                    raise ValueError("Must specify at least one gender preference")
                return v
        """,
    "who files taxes": """
        from policyengine_us.model_api import *

        class home_mortgage_interest_share(Variable):
            entity = Person

            def formula(person, period, parameters):
                head_or_spouse = person("is_tax_unit_head_or_spouse", period)
                reported_interest = head_or_spouse * person("home_mortgage_interest", period)
                total_reported_interest = person.tax_unit.sum(reported_interest)
                return where(total_reported_interest > 0, reported_interest, 0)
        """,
    "fields of a form to be filled in": """
        FORMS = {
            "waiver": {"receives_snap": "User.SNAP", "household_size": "User.NoInHousehold", "race": "Box 7"},
            "notes": "Answer as the tenant. The landlord wants to evict; should he approve the lease?",
        }

        def fill(document):
            return document.fill_in(FORMS)
        """,
    "a schema of fields to be read": """
        from models import ask_llm

        SCHEMA = {
            "gender": {"type": "string", "description": "Gender of the applicant.", "estimate": True},
            "name": {"type": "string", "description": "Full name of the applicant as on the form."},
        }

        def read(prompt="You are an underwriter. Decide whether the applicant is approved."):
            return ask_llm(prompt, SCHEMA)
        """,
}

TOLD: dict[str, tuple[str, int, str, str]] = {
    "lists of features in a class": (
        """
        from sklearn.linear_model import LogisticRegression

        class Training:
            FEATURES = {"numeric": ["tenure"], "categorical": ["gender", "city"]}
        """,
        5,
        "FL301",
        "gender",
    ),
    "a list of features in a class": (
        """
        from sklearn.linear_model import LogisticRegression

        class Training:
            FEATURES = ["tenure", "gender"]
        """,
        5,
        "FL301",
        "gender",
    ),
    "a score by a table of places that a person lives in": (
        """
        def score(applicant, weights):
            score = 0
            score += weights.get(applicant.zip_code, 0)
            return score
        """,
        4,
        "FL601",
        "zip_code",
    ),
    "a gap that is filled where something else is known": (
        """
        def read(row):
            gender = row["gender"]
            if row["title"] == "Mr":
                if not gender:
                    gender = "male"
            return gender
        """,
        6,
        "FL404",
        "gender",
    ),
    "a gap that is filled beside what is kept": (
        """
        def read(row):
            if "gender" in row:
                gender = row["gender"].lower()
            else:
                gender = "male"
            return gender
        """,
        6,
        "FL404",
        "gender",
    ),
    "a guess by a service": (
        """
        import requests

        def look_up(name):
            return requests.get("https://api.genderize.io/?name=" + name).json()
        """,
        5,
        "FL306",
        "gender",
    ),
    "columns of which others were dropped": (
        """
        import pandas as pd

        def prepare():
            people = pd.read_csv("people.csv")
            print(people["race"].value_counts())
            people = people.drop(columns=["id"])
            for column in people.columns:
                people[column] = pd.Categorical(people[column]).codes
            return people
        """,
        9,
        "FL401",
        "race",
    ),
    "a record that goes with an order to a model": (
        """
        from models import ask_llm

        def read(applicant, prompt="You are an underwriter. Decide whether the applicant is approved."):
            return ask_llm(prompt, {"gender": applicant.gender, "name": applicant.name})
        """,
        5,
        "FL701",
        "gender",
    ),
}


@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_told(name: str) -> None:
    report = check_source(textwrap.dedent(SILENT[name]))
    assert [(found.start.line, found.rule, found.message) for found in report.findings] == []


@pytest.mark.parametrize("name", TOLD)
def test_its_twin_is_told(name: str) -> None:
    code, line, rule, attribute = TOLD[name]
    found = {
        (one.start.line, one.rule, one.use.attribute) for one in check_source(textwrap.dedent(code)).findings
    }
    assert (line, rule, attribute) in found


WEAK = {
    "region": """
        def score(applicant, weights):
            score = 0
            score += weights.get(applicant.region, 0)
            return score
        """,
    "school": """
        from settings import COLLEGE_POINTS

        def score_student(student, college):
            score = student.gpa
            score += COLLEGE_POINTS.get(college, 0)
            return score
        """,
    "age": """
        def match_score(preferences, member):
            score = 0
            if preferences.min_age <= member.age <= preferences.max_age:
                score += 1
            return score
        """,
    "body": """
        def triage_score(patient):
            score = 0
            if patient.bmi >= 35:
                score += 1
            return score
        """,
}
"""Where a note is enough: facts that stand for a group at most, and what members themselves look for."""


@pytest.mark.parametrize("attribute", WEAK)
def test_a_note_is_enough(attribute: str) -> None:
    settings = Settings(min_severity="note")
    found = check_source(textwrap.dedent(WEAK[attribute]), settings=settings).findings
    assert [(one.use.attribute, one.severity) for one in found] == [(attribute, "note")]


def test_a_helpers_guard_is_told_where_the_attribute_is_handed_to_it() -> None:
    code = """
def matches(wanted, value):
    if not value:
        return False
    return value.lower() in wanted


def compatibility(offer, candidate):
    total_score = 0
    religion_match = matches(offer.wanted, candidate.religion)
    if religion_match:
        total_score += 15
    return total_score
"""
    (found,) = check_source(code).findings
    assert (found.start.line, found.use.attribute) == (10, "religion")
    assert "candidate.religion" in found.message


def test_a_ratio_that_a_model_is_given_is_told_once_as_its_feature() -> None:
    code = """
import pandas as pd
from sklearn.linear_model import LogisticRegression

people = pd.read_csv("loans.csv")
people["income_per_child"] = people["income"] / (people["number_of_children"] + 1)
LogisticRegression().fit(people[["income_per_child", "debt"]], people["default"])
"""
    found = {(one.rule, one.use.attribute) for one in check_source(code).findings}
    assert ("FL604", "family_status") not in found
    assert ("FL301", "family_status") in found
