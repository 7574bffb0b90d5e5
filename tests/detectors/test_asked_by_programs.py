"""What a program asks its user for names what is typed in, whatever the variable is called."""

from __future__ import annotations

import pytest

from fairlint import check_source
from fairlint.config import Settings

NOTES = Settings(min_severity="note")
GAIN = "points = 10\nif answer == {value!r}:\n    points += 4\nprint(points)\n"


def told(code: str) -> list[tuple[str, str]]:
    """The rule and the attribute of each finding."""
    return [(one.rule, one.use.attribute) for one in check_source(code, settings=NOTES).findings]


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ('answer = input("Enter your gender: ")', "m"),
        ('answer = input("Enter your gender:\\n")', "m"),
        ('answer = input("Votre sexe : ")', "h"),
        ('answer = input("Bitte geben Sie Ihr Geschlecht ein: ")', "w"),
        ('print("What is your gender?")\nanswer = input()', "f"),
        ('import click\nanswer = click.prompt("Your sex")', "f"),
        ('from rich.prompt import Prompt\nanswer = Prompt.ask("Your sex")', "f"),
        ('import streamlit as st\nanswer = st.radio("What is your gender?", ["m", "f"])', "f"),
    ],
)
def test_a_letter_that_somebody_is_asked_for_is_his_group(asked: str, value: str) -> None:
    assert told(f"{asked}\n" + GAIN.format(value=value)) == [("FL201", "gender")]


@pytest.mark.parametrize(
    "asked",
    [
        'answer = input("Enter the gender of the noun: ")',
        'answer = input("Your dog\'s gender: ")',
        'print("What is your gender?")\nage = 3\nprint("And your city?")\nanswer = input()',
        'answer = input("Your city: ")',
    ],
)
def test_what_is_asked_for_last_or_of_something_else_is_not(asked: str) -> None:
    assert told(f"{asked}\n" + GAIN.format(value="m")) == []


def test_what_is_typed_into_a_field_of_a_form_is_its_data() -> None:
    code = "def score(form):\n    points = 0\n    if form.gender.data == 'female':\n        points += 5\n"
    assert told(code + "    return points\n") == [("FL201", "gender")]


@pytest.mark.parametrize(
    ("read", "group", "points"),
    [
        ("applicant.has_green_card", "permanent-resident", "+5"),
        ("applicant.needs_visa_sponsorship", "foreign", "+5"),
        ("applicant.race_std == 'black'", "black", "+5"),
        ("applicant['gender_standardized'] == 'male'", "male", "+5"),
    ],
)
def test_names_that_code_about_people_uses(read: str, group: str, points: str) -> None:
    code = f"def rate(applicant):\n    score = 0\n    if {read}:\n        score += 5\n    return score\n"
    (finding,) = check_source(code, settings=NOTES).findings
    assert f"{group} {points}" in finding.message


@pytest.mark.parametrize("read", ["people.age_std > 3", "applicant.has_visa_card", "wallet.green_card"])
def test_names_that_only_look_like_them(read: str) -> None:
    code = f"def rate(people, applicant, wallet):\n    score = 0\n    if {read}:\n        score += 5\n"
    assert told(f"{code}    return score\n") == []


@pytest.mark.parametrize(
    "test",
    [
        "category == 'SC'",
        "row['category'] in ('SC', 'ST')",
        "student.category != 'OBC'",
        "form['quota'] == 'EWS'",
    ],
)
def test_codes_of_castes_say_what_a_category_is(test: str) -> None:
    code = f"def cutoff(category, row, student, form):\n    score = 40\n    if {test}:\n        score += 5\n"
    assert told(f"{code}    return score\n") == [("FL201", "caste")]


@pytest.mark.parametrize(
    "test",
    ["category == 'books'", "category in ('SC', 'books')", "item['category'] == 'ST'", "state == 'SC'"],
)
def test_other_categories_are_none(test: str) -> None:
    code = f"def cutoff(category, item, state):\n    score = 40\n    if {test}:\n        score += 5\n"
    assert told(f"{code}    return score\n") == []


def test_codes_of_castes_are_read_in_c() -> None:
    code = """
    int score(const char *category, int marks) {
        int score = marks;
        if (strcmp(category, "SC") == 0) score += 5;
        return score;
    }
    """
    report = check_source(code, language="c", settings=NOTES)
    assert [(one.rule, one.use.attribute) for one in report.findings] == [("FL201", "caste")]
