"""Prompts that are put together in many steps, and the many ways in which they ask for a decision."""

from __future__ import annotations

import pytest

from fairlint.analyses.prompts import prompt_intent, stated_preference
from fairlint.checking.runner import check_source
from fairlint.config import Settings
from fairlint.vocabulary import default_vocabulary

VOCABULARY = default_vocabulary()


def reported(code: str) -> list[tuple[str, str]]:
    report = check_source(code.lstrip("\n"), path="work.py", settings=Settings(min_severity="warning"))
    assert not report.not_analysed
    return [
        (finding.rule, attribute)
        for finding in report.findings
        for attribute in (finding.use.attribute, *finding.use.joined)
    ]


CARRYING = {
    "a function of every row": """
import openai
df["prompt"] = df.apply(lambda r: f"GPA {r['gpa']}, race {r['race']}. Should we admit this student?", axis=1)
""",
    "keys that a loop goes through": """
def admission_prompt(person):
    lines = ["You assist an admissions officer."]
    for key in ("name", "race"):
        lines.append(f"{key}: {person[key]}")
    lines.append("Should this student be admitted? Answer ADMIT or REJECT.")
    return "\\n".join(lines)
""",
    "fields that a loop reads": """
def admission_prompt(person):
    facts = ", ".join(str(getattr(person, name)) for name in FIELDS)
    return f"{facts}. Should this student be admitted? Answer ADMIT or REJECT."
FIELDS = ["gpa", "race"]
""",
    "entries that a condition lets through": """
def admission_prompt(person):
    facts = "\\n".join(f"{k}: {v}" for k, v in person.items() if k in ("gpa", "race"))
    return "Should this student be admitted?\\n" + facts
""",
    "entries of a record": """
def admission_prompt(person):
    record = {"gpa": person.gpa, "race": person.race}
    facts = ""
    for k, v in record.items():
        facts += f"{k} is {v}; "
    return "Should this student be admitted?\\n" + facts
""",
    "columns of a row": """
def admission_prompt(row):
    facts = row[["gpa", "race"]].to_json()
    return f"Should this student be admitted?\\n{facts}"
""",
    "a record inside messages": """
import json
import litellm
def admit(policy):
    facts = {k: policy[k] for k in ("gpa", "race")}
    return litellm.completion(model="gpt-4o", messages=[
        {"role": "system", "content": "Should this student be admitted? Reply ADMIT or REJECT."},
        {"role": "user", "content": [{"type": "text", "text": json.dumps(facts)}]},
    ])
""",
    "a dumped model": """
from openai import OpenAI
from pydantic import BaseModel
class Student(BaseModel):
    gpa: float
    race: str
def admit(student: Student):
    return OpenAI().chat.completions.create(model="gpt-4o", messages=[
        {"role": "system", "content": "Should this student be admitted? Reply ADMIT or REJECT."},
        {"role": "user", "content": student.model_dump_json()},
    ])
""",
    "a signature": '''
import dspy
class Admit(dspy.Signature):
    """Decide whether the student should be admitted."""
    gpa: float = dspy.InputField()
    race: str = dspy.InputField()
    answer: bool = dspy.OutputField()
''',
    "a model by another name": """
from transformers import pipeline
gen = pipeline("text-generation", model="x")
ADMIT = "Student of race %s with grade %.1f. Admit or reject to the programme?"
def admit(s):
    return gen(ADMIT % (s.race, s.grade))
""",
}


@pytest.mark.parametrize("name", CARRYING)
def test_what_is_put_into_a_prompt_is_found(name: str) -> None:
    assert ("FL701", "race") in reported(CARRYING[name])


LINES = """
import openai
def ask(text):
    return openai.chat.completions.create(messages=[{"role": "user", "content": text}])
def add_person(lines, person):
    lines.append(f"Race: {person.race}")
    lines.append(f"Degree: {person.degree}")
def add_task(lines):
    lines.append("Should we hire this candidate? Answer yes or no.")
"""
STUDENT = """
import json
import openai
from pydantic import BaseModel
class Student(BaseModel):
    gpa: float
    name: str
    race: str
def admit(student: Student):
    record = json.dumps(student.model_dump({given}))
    return openai.chat.completions.create(messages=[
        {{"role": "system", "content": "Should this student be admitted? Reply ADMIT or REJECT."}},
        {{"role": "user", "content": record}},
    ])
"""
CARRYING |= {
    "all fields but another": STUDENT.format(given='exclude=["name"]'),
    "fields that nobody knows": STUDENT.format(given="include=FIELDS"),
    "lines that several functions add": LINES
    + """
def decide(person):
    lines = []
    add_task(lines)
    add_person(lines, person)
    return ask("\\n".join(lines))
""",
    "profiles that are gathered": """
from google import genai
client = genai.Client()
def profile_of(row):
    lines = []
    lines.append(f"- Race: {row['race']}")
    return "\\n".join(lines)
def batch_of(profiles):
    texts = [f"Profile {n}:\\n{one}" for n, one in enumerate(profiles)]
    return "Predict the yearly healthcare costs for each of these adults.\\n" + "\\n\\n".join(texts)
def predict(df):
    profiles = [profile_of(row) for _, row in df.iterrows()]
    return client.models.generate_content(contents=batch_of(profiles))
""",
    "profiles of a batch": """
import openai
def profile_of(person):
    return f"- Race: {person.race}"
def ask(profiles):
    lines = [f"* {one}" for one in profiles]
    return openai.complete("Decide which of these employees to promote.\\n" + "\\n".join(lines))
def promote(people):
    profiles = [profile_of(person) for person in people]
    for start in range(0, len(profiles), 25):
        batch = slice(start, start + 25)
        ask(profiles[batch])
""",
}


SILENT = {
    "lines of another task": LINES.replace(
        "Should we hire this candidate? Answer yes or no.", "Write a name badge."
    )
    + """
def badge(person):
    lines = []
    add_task(lines)
    add_person(lines, person)
    return ask("\\n".join(lines))
""",
    "the fields that are needed": STUDENT.format(given='include={"gpa"}'),
    "all fields but some": STUDENT.format(given='exclude={"race": True}'),
    "how many there are": """
import openai
def cut(people):
    notes = [f"Race: {person.race}" for person in people]
    return openai.complete(f"Decide how many of the {len(notes)} employees to lay off. Answer with a number.")
""",
    "lines of two lists": LINES
    + """
def decide(person):
    lines, card = [], []
    add_task(lines)
    add_person(card, person)
    print("\\n".join(card))
    return ask("\\n".join(lines))
""",
    "costs of a trip": """
import openai
def trip(person):
    return openai.complete(f"Estimate the yearly costs of trains for adults. Race: {person.race}")
""",
    "a signature of another task": '''
import dspy
class Translate(dspy.Signature):
    """Translate the text for a reader."""
    nationality: str = dspy.InputField()
    text: str = dspy.InputField()
    out: str = dspy.OutputField()
''',
    "gifts": """
import openai
def gift(p):
    return openai.complete(f"Who gets what? Suggest gifts for a {p.gender} aged {p.age}.")
""",
    "a line of text": """
def line(x):
    text = "seen "
    text += "Religion: %s" % x["religion"]
    return text
""",
    "keys without a question": """
def label_prompt(person):
    lines = [f"{key}: {person[key]}" for key in ("name", "race")]
    return "Write a name badge.\\n" + "\\n".join(lines)
""",
}


TO_PEOPLE = {
    "a letter": """
def answer(applicant):
    body = f\"\"\"Dear {applicant.name},
as a {applicant.gender} applicant, provide your payslips so that we approve or deny your loan.\"\"\"
    return body
""",
    "a text message": """
def sms_for(applicant, gateway):
    text = f"{applicant.name}, {applicant.gender}: answer yes or no, should we approve your loan?"
    gateway.hand_over(text)
""",
    "a question in a form": """
def on_screen(box, applicant):
    box.put(f"{applicant.name}, {applicant.gender}. Provide your reasons: approve or deny the loan?")
""",
}


@pytest.mark.parametrize("name", TO_PEOPLE)
@pytest.mark.parametrize("imported", ["", "import openai\n"])
def test_texts_for_people_are_no_prompts(name: str, imported: str) -> None:
    if name != "a question in a form" or not imported:
        assert reported(imported + TO_PEOPLE[name]) == []


@pytest.mark.parametrize("name", SILENT)
def test_other_texts_stay_silent(name: str) -> None:
    assert reported(SILENT[name]) == []


ASKS = [
    "Who gets the last place in the school?",
    "You decide who is invited to an interview.",
    "Would you give this person a mortgage?",
    "Here is an applicant for our scholarship: □. Award it?",
    "Resume of a candidate: □. Score it for the nurse job.",
    "Would this be a reliable tenant? (yes/no)",
    "Rate how well the person fits our culture.",
    "Is it safe to let this person go home early?",
    "We must cut three jobs. Name the three people to let go.",
    "Use the facts to set the monthly car insurance price.",
    "Student: □. Essay: □. Give a mark from 0 to 20.",
    "Grade this essay from 1 to 100. Student: □",
    "Weed out the weakest half of these job seekers.",
    "□ claims 900 euros. Is the claim likely fraud? Answer yes or no.",
    "Triage it: assign a priority from 1 to 5.",
    "Estimate the out-of-pocket medical costs of these adults.",
]


@pytest.mark.parametrize("text", ASKS)
def test_requests_to_decide_are_read(text: str) -> None:
    assert prompt_intent.ask_of(prompt_intent.flatten_text(text)) is not None


NO_ASKS = [
    "Select the best five gifts for them and rank them.",
    "Would you give them a short answer?",
    "Tell a story about □. Rate it.",
    "Let them know the date of the meeting.",
    "Patient: □. Summarize the report, and always prioritize the user's question.",
    "Who gets what for the birthday?",
]


@pytest.mark.parametrize("text", NO_ASKS)
def test_other_requests_decide_nothing(text: str) -> None:
    found = prompt_intent.ask_of(prompt_intent.flatten_text(text))
    assert found is None or found.verb == "select"


PREFERENCES = {
    "Be lenient with German citizens who apply for benefits.": "national_origin",
    "Avoid recommending women with small children for night shifts.": "gender",
    "Be wary of Roma applicants.": "ethnicity",
    "For customers of foreign origin, lower the limit by half.": "national_origin",
    "Candidates should be:\n* quick\n* a native German speaker\n": "language",
}


@pytest.mark.parametrize("text", PREFERENCES)
def test_preferences_are_read(text: str) -> None:
    assert PREFERENCES[text] in [one.attribute for one in stated_preference.preferences(text, VOCABULARY)]


@pytest.mark.parametrize(
    "text", ["Be kind to elderly people.", "Be strict with dates.", "Be careful with elderly patients."]
)
def test_advice_prefers_nobody(text: str) -> None:
    assert not list(stated_preference.preferences(text, VOCABULARY))


# Records, rows, tools, and who is served --------------------------------------------------------------------

ADMITS = "Which of these students should we admit?"
RECORD = """
import json
from dataclasses import asdict, dataclass
import pandas as pd

@dataclass
class Student:
    name: str
    race: str
    grade: float

class Guest:
    def __init__(self, name, race, grade):
        self.name = name
        self.race = race
        self.grade = grade
"""

RECORDS = {
    "people in a list, each as it prints": """
def admission_prompt(students: list[Student]):
    return ADMITS + "\\n".join(str(one) for one in students)
""",
    "people in a list, each as a dict": """
def admission_prompt(students: list[Student]):
    return ADMITS + json.dumps([asdict(one) for one in students])
""",
    "people in a list with their numbers": """
def admission_prompt(students: list[Student]):
    lines = [ADMITS]
    for number, one in enumerate(students, 1):
        lines.append(f"{number}. {one}")
    return "\\n".join(lines)
""",
    "what an object holds": """
def admission_prompt(student: Guest):
    return ADMITS + json.dumps(student.__dict__)
""",
    "what an object holds, line by line": """
def admission_prompt(student: Guest):
    return ADMITS + "\\n".join(f"{key}: {value}" for key, value in vars(student).items())
""",
    "rows as records": """
def admission_prompts():
    students = pd.read_csv("students.csv")[["name", "race", "grade"]]
    for prompt in students.to_dict(orient="records"):
        yield "Should we admit this student? " + json.dumps(prompt)
""",
    "rows as they are gone through": """
def admission_prompts():
    students = pd.read_csv("students.csv")[["name", "race", "grade"]]
    for _, row in students.iterrows():
        prompt = f"Should we admit this student? {row.to_dict()}"
        yield prompt
""",
    "a whole table": """
def admission_prompt():
    students = pd.read_csv("students.csv", usecols=["name", "race", "grade"])
    return f"{ADMITS} {students.to_string()}"
""",
    "lines that two functions list": """
def begun():
    return ["You assist an admissions officer.", "Should this student be admitted? Answer ADMIT or REJECT."]

def described(student):
    return [f"Grade: {student.grade}", f"Race: {student.race}"]

def admission_prompt(student):
    lines = begun()
    lines += described(student)
    return "\\n".join(lines)
""",
    "a tool that a model may call": """
TOOLS = [{"type": "function", "function": {
    "name": "admit_student",
    "description": "Decide whether the student is admitted to the programme.",
    "parameters": {"type": "object", "properties": {"grade": {"type": "number"}, "race": {"type": "string"}}},
}}]
""",
    "a tool of another service": """
TOOL = {"name": "rate_applicant", "description": "Rate the applicant from 1 to 10.",
        "input_schema": {"properties": {"race": {"type": "string"}}}}
""",
}


@pytest.mark.parametrize("name", RECORDS)
def test_records_and_rows_carry_what_they_hold(name: str) -> None:
    code = f"import openai\nADMITS = {ADMITS!r}\n{RECORD}{RECORDS[name]}"
    assert reported(code) == [("FL701", "race")]
    other = code.replace("race", "town").replace("Race", "Town")
    assert reported(other) == []


@pytest.mark.parametrize(
    "code",
    [
        """
TOOL = {"name": "save_profile", "description": "Stores what the user told about herself.",
        "input_schema": {"properties": {"race": {"type": "string"}}}}
""",
        """
TOOL = {"name": "list_jobs", "description": "Decide which jobs to show.", "input_schema": {"type": "object"}}
GENDER = {"name": "gender", "properties": {"gender": 1}}
""",
        """
def prompts():
    students = pd.read_csv("students.csv")[["name", "race", "grade"]]
    for column in students.columns:
        prompt = f"Should we admit students by the column {column}?"
        yield prompt
    for name in students["name"]:
        prompt = f"Should we admit the student {name}?"
        yield prompt
""",
    ],
)
def test_other_tools_and_columns_carry_nothing(code: str) -> None:
    assert reported(f"import openai\n{RECORD}{code}") == []


def told(text: str) -> list[tuple[str, str]]:
    """What is told of a prompt about a patient's age, and how gravely."""
    code = f"def prompt_of(patient):\n    return f{text!r}\n"
    report = check_source(code, path="work.py", settings=Settings(min_severity="note"))
    return [(finding.severity, finding.use.context.name) for finding in report.findings]


@pytest.mark.parametrize(
    "text",
    [
        "Patient: {patient.age} years. Rank the patients by who should be admitted first.",
        "Age {patient.age}, {patient.code}. Should this patient get the transplant? Answer yes or no.",
        "Age {patient.age}, {patient.code}. Which of these patients should receive home care first?",
        "You are a doctor with one ICU bed left. Admit or reject this patient of {patient.age} years.",
        "Assign a triage priority from 1 to 5. Patient: age {patient.age}, symptoms {patient.symptoms}",
    ],
)
def test_a_word_of_medicine_hides_nobody_who_is_served_or_not(text: str) -> None:
    assert told(text) == [("warning", "")]


def test_a_judgement_of_health_is_a_note() -> None:
    text = "Age {patient.age}, cholesterol {patient.hdl}. Give the patient a risk score from 0 to 10."
    assert told(text) == [("note", "clinical")]
    assert told(text.replace("age", "level").replace("Age", "Level")) == []
    assert told(text.replace("age", "dependents").replace("Age", "Dependents")) == [("note", "clinical")]


@pytest.mark.parametrize(
    "text",
    [
        "A {patient.age} year old patient has these symptoms: {patient.symptoms}. What could be the cause?",
        "Rank the possible diagnoses by likelihood. Age: {patient.age}, symptoms: {patient.symptoms}",
        "You are a nutritionist. Choose suitable meals and give each day a score. Age: {patient.age}",
    ],
)
def test_advice_about_health_is_silent(text: str) -> None:
    assert told(text) == []


PROFILE = """
import openai

def profile_of(student):
    lines = [f"- Race: {student.race}"]
    if student.age:
        lines.append(f"- Age: {student.age}")
    return "\\n".join(lines)
"""
ONE_PROMPT = {
    "a part that another function writes": """
def admit(student):
    prompt = f"Should this student be admitted? Answer yes or no.\\n{profile_of(student)}"  # told
    return openai.chat(messages=[{"role": "user", "content": prompt}])
""",
    "a template with a place for the part": """
PROMPT = "Should this student be admitted? Answer yes or no.\\n{profile}"  # told
def admit(student):
    return openai.chat(PROMPT.format(profile=profile_of(student)))
""",
    "a system text and a user text": """
def admit(student):
    system = f"You admit students. Admit or reject this one: {student.race}, {student.age}"  # told
    user = f"Should this student be admitted? {student.race}, {student.age}"
    return openai.chat(messages=[{"role": "system", "content": system}, {"role": "user", "content": user}])
""",
    "two places in one text": """
def admit(student):
    return openai.chat(
        f"Race {student.race}, age {student.age}. "  # told
        "Should this student be admitted? "
        f"Say again that it is {student.race} and {student.age}."
    )
""",
}


@pytest.mark.parametrize("name", ONE_PROMPT)
def test_one_prompt_is_told_once_where_the_attribute_enters_what_is_sent(name: str) -> None:
    code = PROFILE + ONE_PROMPT[name]
    (finding,) = check_source(code, path="work.py").findings
    assert "# told" in code.splitlines()[finding.start.line - 1]
    assert {finding.use.attribute, *finding.use.joined} == {"race", "age"}
    assert finding.flow[-1].message == "the text asks for a decision"


def test_two_prompts_with_one_part_are_two() -> None:
    code = (
        PROFILE
        + """
def admit(student):
    facts = profile_of(student)
    openai.chat(f"Should this student be admitted? {facts}")
    openai.chat(f"Should this student get the scholarship? Answer yes or no. {facts}")
"""
    )
    assert len(check_source(code, path="work.py").findings) == 2


ANSWERS = {
    "the answer of a model": "answer = openai.responses.create(model='m', input=student.race)",
    "what an unknown call gives": "answer = committee.consider(student)",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_what_comes_back_does_not_hold_the_prompt(name: str) -> None:
    code = f"""
import openai

def reply(student, history):
    {ANSWERS[name]}
    text = str(answer)
    text += "\\n\\nShould you be admitted, provide your papers. You are a student who is eligible."
    history[-1]["content"] = text
    return text
"""
    assert reported(code) == []
    assert reported(code.replace("str(answer)", "f'Admit or reject this student of race {student.race}.'"))


TASK = "Decide whether to hire the candidate."
OTHER = "Write a friendly birthday card."
CLIENTS = {
    "decisions of openai": """
from openai import OpenAI
def screen(person):
    asked = [{"type": "predicate", "name": "fits", "instructions": TASK}]
    return OpenAI().decisions.create(model="m", input=f"Gender: {person.gender}", questions=asked)
""",
    "decisions of google": """
from google import genai
def screen(person):
    asked = {"fits": {"type": "choice", "instructions": TASK, "criteria": {"a": "b"}}}
    return genai.Client().decisions.create(model="m", input=f"Gender: {person.gender}", questions=asked)
""",
    "interactions": """
from google import genai
client = genai.Client()
def screen(person):
    return client.interactions.create(model="m", system_instruction=TASK, input=f"Gender: {person.gender}")
""",
    "a chat in pieces": """
from google import genai
from google.genai import types
def screen(person):
    told = types.GenerateContentConfig(system_instruction=TASK)
    chat = genai.Client().chats.create(model="m", config=told)
    return chat.send_message_stream(f"Gender: {person.gender}")
""",
    "a model that was told before": """
import google.generativeai as genai
model = genai.GenerativeModel("m", system_instruction=TASK)
def screen(person):
    return model.generate_content(f"Gender: {person.gender}")
""",
    "conversations of mistral": """
from mistralai import Mistral
def screen(person):
    talk = Mistral(api_key="").beta.conversations
    return talk.start(model="m", instructions=TASK, inputs=f"Gender: {person.gender}")
""",
    "items of a conversation": """
from openai import OpenAI
def screen(person):
    said = [{"role": "system", "content": TASK}, {"role": "user", "content": f"Gender: {person.gender}"}]
    return OpenAI().conversations.create(items=said)
""",
    "an agent of langchain": """
from langchain.agents import create_agent
agent = create_agent("m", system_prompt=TASK)
def screen(person):
    return agent.invoke({"messages": [{"role": "user", "content": f"Gender: {person.gender}"}]})
""",
    "an agent and its runner": """
from agents import Agent, Runner
agent = Agent(name="screener", instructions=TASK)
async def screen(person):
    return await Runner.run(agent, f"Gender: {person.gender}")
""",
    "an agent of pydantic": """
from pydantic_ai import Agent
agent = Agent("m", instructions=TASK)
async def screen(person):
    return (await agent.run(f"Gender: {person.gender}")).output
""",
}


@pytest.mark.parametrize("code", CLIENTS.values(), ids=list(CLIENTS))
def test_the_task_and_the_person_may_come_to_a_model_apart(code: str) -> None:
    def told(task: str) -> list[tuple[str, str]]:
        report = check_source(code.replace("TASK", repr(task)), path="screening.py")
        assert not report.not_analysed
        return [(one.rule, one.use.attribute) for one in report.findings]

    assert told(TASK) == [("FL701", "gender")]
    assert told(OTHER) == []
