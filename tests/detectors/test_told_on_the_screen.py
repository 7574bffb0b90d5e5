"""What a program tells whoever sits at it, what people are given, and what is no person's or no outcome."""

from __future__ import annotations

import textwrap

import pytest

from fairlint import check_source
from fairlint.config import Settings

NOTES = Settings(min_severity="note")


def told(code: str) -> list[tuple[str, str, str]]:
    """The rule, the attribute and the severity of each finding."""
    found = check_source(textwrap.dedent(code), settings=NOTES).findings
    return [(one.rule, one.use.attribute, one.severity) for one in found]


TOLD: dict[str, str] = {
    "what each may do": """
        gender = input("Gender of the guest: ")
        if gender == "female":
            print("You are permitted on the upper deck")
        else:
            print("You have to stay on the lower deck")
        """,
    "what each is given": """
        gender = input("Gender: ")
        if gender == "female":
            print("Berth reserved (ladies)")
        else:
            print("Berth waiting (general)")
        """,
    "what is denied": """
        sexo = input("Digite o sexo (M/F): ")
        if sexo == "M":
            print("Viaja de graça")
        else:
            print("Não viaja de graça")
        """,
    "what joins a list of what people get": """
        def plans_for(pupil):
            grants = []
            if pupil["gender"] == "Male":
                grants.append("Sports camp")
            return grants
        """,
}


@pytest.mark.parametrize("name", TOLD)
def test_what_a_group_is_told_or_given_is_an_outcome_and_no_error(name: str) -> None:
    assert told(TOLD[name]) == [("FL101", "gender", "warning")]


@pytest.mark.parametrize("level", ["high", "urgent"])
def test_a_score_in_words_is_an_outcome(level: str) -> None:
    code = f"""
        age = int(input("Enter your age: "))
        if age >= 62:
            priority = "{level}"
        else:
            priority = "normal"
        print("Queue:", priority)
        """
    assert [one[:2] for one in told(code)] == [("FL102", "age")]


def test_what_somebody_may_do_may_be_anything_and_is_a_note() -> None:
    code = """
        gender = input("Gender: ")
        if gender == "female":
            print("You can use the upper deck")
        else:
            print("You can use the lower deck")
        """
    assert told(code) == [("FL101", "gender", "note")]


QUIET: dict[str, str] = {
    "input that is wrong": """
        gender = input("Gender: ")
        if gender not in ("male", "female"):
            print("You can only type male or female, try again")
        else:
            print("You are registered")
        """,
    "forms of address": """
        gender = input("Gender: ")
        if gender == "male":
            print("Welcome, Sir")
        else:
            print("Welcome, Madam")
        """,
    "a choice that has not been made": """
        import streamlit as st

        gender = st.selectbox("Your gender", ["Select...", "Male", "Female"])
        salary = st.number_input("Salary")
        if gender == "Select...":
            st.warning("Please select your gender.")
        else:
            premium = salary * 0.1
            st.success(f"Premium: {premium}")
        """,
    "an age that cannot be": """
        def submit(form):
            age = int(form["age"])
            if not (18 <= age <= 100):
                return redirect("/again")
            return render_template("result.html", income=form["income"])
        """,
    "whom a scheme is for": """
        def evaluate(applicant, rules):
            score = 0
            if rules.get("woman") == True:
                score += 15
            if rules.get("income") == applicant["income"]:
                score += 5
            return score + applicant["years"]
        """,
}


@pytest.mark.parametrize("name", QUIET)
def test_what_moves_nobody_stays_silent(name: str) -> None:
    assert told(QUIET[name]) == []


def test_a_code_that_a_script_sets_is_its_sex() -> None:
    code = "age = 40\nsex = 1\nsmoker = 0\ninsurance_cost = 250 * age - 128 * sex + 24000 * smoker\n"
    assert {("FL205", "age"), ("FL205", "gender")} == {one[:2] for one in told(code)}


def test_what_a_function_elsewhere_is_only_handed_is_no_error() -> None:
    handed = "def settle(patient, ward):\n    approve(patient.gender, ward)\n"
    assert [one[2] for one in told(handed)] in ([], ["note"])
    chosen = 'def settle(patient):\n    approve(patient, "yes" if patient.gender == "male" else "no")\n'
    assert [one[2] for one in told(chosen)] == ["error"]


def test_whom_a_job_in_a_loop_asks_for_is_no_search() -> None:
    code = """
        def open_to(person, jobs):
            candidates = []
            for job in jobs:
                if job.age_min:
                    if person.age < job.age_min:
                        continue
                candidates.append(job)
            return candidates
        """
    assert [one[:2] for one in told(code)] == [("FL102", "age")]


def test_whom_somebody_would_like_to_meet_is_a_note() -> None:
    code = """
        from sqlalchemy import select

        def next_profiles(viewer_prefs):
            stmt = select(Profile)
            if viewer_prefs.gender_preferences:
                stmt = stmt.where(Profile.gender.in_(viewer_prefs.gender_preferences))
            return stmt
        """
    assert told(code) == [("FL106", "gender", "note")]
