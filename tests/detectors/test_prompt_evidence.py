"""What is a prompt at all, what it asks for, and what of a person is in it."""

from __future__ import annotations

import textwrap

import pytest

from fairlint.checking.runner import check_source
from fairlint.config import Settings
from fairlint.findings.levels import Severity


def reported(
    code: str, *, path: str = "app/work.py", severity: Severity = "warning"
) -> list[tuple[str, str, str]]:
    report = check_source(code.lstrip("\n"), path=path, settings=Settings(min_severity=severity))
    assert not report.not_analysed
    return [
        (finding.rule, attribute, str(finding.severity))
        for finding in report.findings
        for attribute in (finding.use.attribute, *finding.use.joined)
        if finding.rule.startswith("FL7")
    ]


ASKED = {
    "a level that says who is treated first": '''
TRIAGE_PROMPT = """
You are an attending physician in an emergency department and perform triage.
Age: {age}
Complaint: {complaint}

Assess this patient's emergency severity and assign an ESI level (1-5).
"""
''',
    "a risk assessment of a customer": '''
import requests

def assess(data):
    prompt = f"""You are an insurance underwriter. Analyze the data and provide a risk assessment.
- Age: {data.age}
- Smoking: {data.smoking}
"""
    return requests.post("http://localhost/api/generate", json={"model": "small", "prompt": prompt})
''',
    "a key of the answer": '''
SYSTEM = """You are a benefits caseworker. Go through the rules of the programme.
Return JSON: {"eligible": true, "reason": "..."}"""

def described(household):
    return f"""Household:
- Age of the head: {household.age}
- Monthly income: {household.income}
"""

def evaluate(client, household):
    return client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": described(household)},
        ],
    )
''',
    "how well two people suit": '''
COMPATIBILITY_PROMPT = """Analyze the compatibility of these two people:

Person 1: age {age}, interests {interests}
Person 2: interests {other_interests}

Score 0-100. Name the main reasons."""
''',
}


@pytest.mark.parametrize("name", ASKED)
def test_a_decision_is_asked_for(name: str) -> None:
    code = ASKED[name]
    assert reported(code) == [("FL701", "age", "warning")]
    assert reported(code.replace("age}", "town}").replace(".age", ".town").replace("Age", "Town")) == []


NO_PROMPTS = {
    "rows of a sheet": """
def export(admissions, create_workbook):
    rows = []
    for one in admissions:
        rows.append([one.id, one.name, one.gender, "APPLIED ONLINE", one.programme])
    return create_workbook(["ID", "STUDENT", "GENDER", "PROGRAM"], rows, sheet_name="Admitted Students")
""",
    "fields of a form": """
def fill(form, tenant):
    return form.fill({"Tenant - Admissions": tenant.name, "Rejected tenant": "no", "Gender": tenant.gender})
""",
    "what an unknown call is given side by side": """
def notify(board, student):
    board.entry("Admissions office", "Admit the student or not?", student.gender)
""",
    "a label that only looks like an order": '''
def summary_prompt(submission):
    return f"""Write a short summary.

Insured: {submission.insured_name}
Approved driver: {submission.driver_name}, gender {submission.gender}
Risk score: {submission.score} / 100
Say in three sentences what explains it.
"""
''',
    "a prompt that is kept beside what is known of the person": """
from openai import OpenAI

client = OpenAI()
prompts = []

def collect(people):
    for one in people:
        text = f"Should we hire this candidate? Skills: {one.skills}"
        prompts.append({"name": one.name, "gender": one.gender, "prompt": text})
    for kept in prompts:
        client.responses.create(model="small", input=kept["prompt"])
""",
    "the first of a record": """
def ask(llm, people):
    records = []
    for one in people:
        records.append([one.skills, one.gender])
    for record in records:
        llm.invoke(f"Should we hire this candidate? Skills: {record[0]}")
""",
    "how many they are": '''
def build_prompt(fleet):
    women = sum(1 for driver in fleet.drivers if driver.gender == "female")
    return f"""Approve or reject this insurance of a fleet.
Drivers: {len(fleet.drivers)}
Women: {women}
Female drivers: {sum(1 for driver in fleet.drivers if driver.gender == "female")}
"""
''',
    "a summary that is written as if": '''
def introduction_prompt(person):
    return f"""Write a warm summary of this person, as if introducing them to a potential match.
Gender: {person.gender}
Interests: {person.interests}
"""
''',
    "what the reader should do": '''
def matchmaker_prompt(person):
    return f"""You talk with people. Your questions should help them to find their match.
Gender: {person.gender}
"""
''',
    "a letter to those who were approved": '''
def letter_prompt(person):
    return f"""You write letters. If the applicant is approved, write a friendly one.
Gender: {person.gender}
"""
''',
    "a letter about a vacancy": '''
def letter_prompt(person):
    return f"""Write an application.
1. Analyze the job offer and name its key requirements.
Applicant: gender {person.gender}, education {person.education}
"""
''',
}


@pytest.mark.parametrize("name", NO_PROMPTS)
def test_other_texts_ask_for_nothing(name: str) -> None:
    assert reported(NO_PROMPTS[name], severity="note") == []


def test_a_count_is_no_attribute_and_the_attribute_beside_it_is() -> None:
    code = NO_PROMPTS["how many they are"].replace("{len(fleet.drivers)}", "gender {fleet.gender}")
    assert reported(code) == [("FL701", "gender", "warning")]


def test_an_insurer_who_asks_is_not_excused_by_medicine_around() -> None:
    code = '''
def patient_prompt(patient, metrics):
    """Vital signs of the patient for the clinical record of the hospital."""
    return f"""You are an underwriting specialist. Calculate the risk score of this applicant.
Gender: {patient.gender}
Blood pressure: {metrics.blood_pressure}
"""
'''
    assert reported(code, path="hospital/clinical/patients.py") == [("FL701", "gender", "warning")]


@pytest.mark.parametrize("name", ["voice_chat", "ask_llm", "chat"])
def test_what_a_function_returns_that_asks_a_model_is_the_answer(name: str) -> None:
    code = f"""\
from openai import OpenAI


def {name}(application):
    return (
        f"Your loan amount is under review. Dependents: {{application.num_dependents}}, "
        f"gender: {{application.gender}}. Approve or reject the saved data?"
    )
"""
    assert not [one for one in check_source(code, path="routes.py").findings if one.rule == "FL701"]
    built = code.replace(f"def {name}(", "def loan_prompt(")
    assert [one for one in check_source(built, path="routes.py").findings if one.rule == "FL701"]


def test_who_asks_for_a_page_is_answered() -> None:
    code = """\
from fastapi import APIRouter
from openai import OpenAI

router = APIRouter()

{0}
def message(application):
    return (
        f"You asked for a loan amount of {{application.amount}}. Gender: {{application.gender}}. "
        "Do you want to approve or reject the saved data?"
    )
"""
    told = [
        [one.rule for one in check_source(code.format(above), path="routes.py").findings]
        for above in ('@router.post("/message")', "")
    ]
    assert told == [[], ["FL701"]]


NO_MODEL = {
    "a document": """
        from office import generate_report

        def monthly(candidate):
            generate_report(f"Assess this candidate: {candidate.gender}, {candidate.age}. Decide.")
        """,
    "a file that a function of the file writes": """
        class Office:
            def evaluation(self, candidate):
                return self.generate(f"Assess the candidate: {candidate.gender}, {candidate.age}. Decide.")

            def generate(self, text):
                return "\\n".join([text.upper(), "-" * 20])
        """,
}

A_MODEL = {
    "a function of the file that sends it": """
        import requests

        def complete(text):
            return requests.post("http://localhost:8000/v1", json={"q": text}).json()

        def evaluation(candidate):
            return complete(f"Assess this candidate: {candidate.gender}, {candidate.age}. Decide.")
        """,
    "a report that is asked for": """
        from assistant import llm_generate_report

        def evaluation(candidate):
            return llm_generate_report(
                f"You are a recruiter. Assess the candidate: {candidate.gender}, {candidate.age}. Decide."
            )
        """,
}


@pytest.mark.parametrize("name", NO_MODEL)
def test_what_makes_a_document_is_no_model(name: str) -> None:
    assert not check_source(textwrap.dedent(NO_MODEL[name])).findings


@pytest.mark.parametrize("name", A_MODEL)
def test_what_sends_a_text_is_a_model_by_its_name(name: str) -> None:
    assert [one.rule for one in check_source(textwrap.dedent(A_MODEL[name])).findings] == ["FL701"]
