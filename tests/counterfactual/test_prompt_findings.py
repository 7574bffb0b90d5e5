"""`--prompt FILE.py:LINE`: the prompt at a line is the one that the linter found there."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairlint.counterfactual.prompts.answers_read import form_of
from fairlint.counterfactual.prompts.asked_forms import asked_form
from fairlint.counterfactual.prompts.cells import slots_of
from fairlint.counterfactual.prompts.loading import load_prompt
from fairlint.counterfactual.prompts.names import shipped_names
from fairlint.counterfactual.prompts.planning import plan_audit
from fairlint.counterfactual.prompts.prompt import Prompt
from fairlint.support.errors import UsageError

CHAT = '''from openai import OpenAI

SYSTEM = "You help a recruiter. "
RULES = """Look at experience.
Be brief."""


def should_hire(client: OpenAI, candidate, company):
    prompt = (
        f"{company.name} looks for staff. Candidate: {candidate.name}\\n"
        f"Gender: {candidate.gender}\\n"
        f"Skills: {candidate['skills']}, {candidate.get('years', 3)} years\\n"
        "Should we hire this candidate?"
    )
    return client.chat.completions.create(
        model="small",
        messages=[
            {"role": "system", "content": SYSTEM + RULES},
            {"role": "user", "content": prompt},
        ],
    )


def thank(mailer, candidate):
    mailer.send(f"Thank you, {candidate.name}.")
'''
CHAIN = """from langchain_core.messages import HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI

SYSTEM = "You are a loan officer. Answer with APPROVE or DENY only."
LOAN = "Applicant: {name}, race: {race}, income: {income}. Approve or deny the loan."


def one(llm: ChatOpenAI, p):
    return llm.invoke([SystemMessage(content=SYSTEM), HumanMessage(f"Is {p['name']}, {p['sex']}.")])


def two(llm: ChatOpenAI, p):
    return llm.invoke(LOAN.format(name=p.full_name, race=p.r, income=p.income))


def three(llm: ChatOpenAI, g, age):
    lines = ["You are a recruiter. Should we hire this applicant?"]
    lines.append("Age: %d" % age)
    lines.append(f"Religion: {g}")
    return llm.invoke("\\n".join(lines))


def four(llm: ChatOpenAI, p):
    title = "Ms" if p.gender == "female" else "Mr"
    return llm.invoke(f"You are a recruiter. Should we hire {title} {p.name}, gender {p.gender}?")


def five(llm: ChatOpenAI, p):
    shared = llm.invoke([("system", SYSTEM), ("human", f"The applicant is {p.gender}.")])
    return shared
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("chat.py").write_text(CHAT)
    Path("chain.py").write_text(CHAIN)


def at(place: str) -> Prompt:
    return load_prompt(place, [], "cases.csv")


def filled(prompt: Prompt) -> list[tuple[str, str]]:
    found = prompt.fill({name: f"<{name}>" for name in prompt.placeholders})
    return [(one.role, one.content) for one in found]


WHOLE = [
    ("system", "You help a recruiter. Look at experience.\nBe brief."),
    (
        "user",
        (
            "<company.name> looks for staff. Candidate: <candidate.name>\nGender: <candidate.gender>\n"
            "Skills: <candidate.skills>, <candidate.years> years\nShould we hire this candidate?"
        ),
    ),
]


@pytest.mark.parametrize("line", [3, 4, 5, 9, 10, 11, 12, 13, 15, 16, 17, 18, 19, 21])
def test_any_line_of_the_prompt_and_of_its_call_is_the_whole_prompt(line: int) -> None:
    prompt = at(f"chat.py:{line}")

    assert filled(prompt) == WHOLE
    assert prompt.line == 11


def test_a_name_of_something_else_is_the_cases_own() -> None:
    slots = slots_of(at("chat.py:11"))

    assert slots.names == {"candidate.name": "full"}
    assert slots.attributes == {"candidate.gender": "gender"}
    case = {"name": "Pat A", "skills": "C", "years": "3"}
    with pytest.raises(
        UsageError, match=r"has no column for \{company\.name\}: its columns are name, skills"
    ):
        plan_audit("chat.py:11", [case], shipped_names("us"))
    found = plan_audit("chat.py:11", [case | {"company_name": "ACME"}], shipped_names("us"))
    assert {cell.messages[-1].content.split()[0] for cell in found.cells if cell.arm == "group"} == {"ACME"}


def test_messages_of_langchain_keep_their_roles() -> None:
    assert filled(at("chain.py:9")) == [
        ("system", "You are a loan officer. Answer with APPROVE or DENY only."),
        ("user", "Is <p.name>, <p.sex>."),
    ]


@pytest.mark.parametrize(
    "call",
    [
        'client.messages.create(model="m", messages=[{"role": "user", "content": ask}], system=SYSTEM)',
        'client.messages.create(system=SYSTEM, messages=[{"role": "user", "content": ask}])',
    ],
)
def test_what_the_system_is_told_comes_first(call: str) -> None:
    Path("system.py").write_text(
        "import anthropic\n\nclient = anthropic.Anthropic()\n"
        'SYSTEM = "You are a loan officer. Approve or deny."\n\n\n'
        f"def decide(p):\n    ask = f'Applicant: {{p.gender}}.'\n    return {call}\n"
    )

    assert filled(at("system.py:9")) == [
        ("system", "You are a loan officer. Approve or deny."),
        ("user", "Applicant: <p.gender>."),
    ]


def test_instructions_are_of_the_system() -> None:
    Path("system.py").write_text(
        "from openai import OpenAI\n\nclient = OpenAI()\n\n\ndef decide(p):\n"
        "    return client.responses.create(model='m', input=f'Applicant: {p.gender}.',\n"
        "                                   instructions='You are a recruiter. Hire or reject?')\n"
    )

    assert filled(at("system.py:7")) == [
        ("system", "You are a recruiter. Hire or reject?"),
        ("user", "Applicant: <p.gender>."),
    ]


def test_gaps_that_are_filled_elsewhere_are_known() -> None:
    for line in (5, 13):
        prompt = at(f"chain.py:{line}")
        assert slots_of(prompt).attributes == {"race": "race"}
        assert slots_of(prompt).names == {"name": "full"}
    lines = at("chain.py:20")
    assert filled(lines)[0][1] == (
        "You are a recruiter. Should we hire this applicant?\nAge: <age>\nReligion: <religion>"
    )
    assert slots_of(lines).attributes == {"age": "age", "religion": "religion"}


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("chain.py:4", r"chain\.py:4: several prompts hold this line: name one of the lines 9, 29"),
        ("chain.py:25", r"a condition decides what it says, so the prompt at line 25 cannot be filled in"),
        ("chain.py:25", r"name a function that returns it, as chain\.py:function"),
        ("chat.py:22", r"no text with placeholders stands there: .*; prompts that decide .* are at line 11"),
    ],
)
def test_a_line_of_no_single_prompt_is_one_line(place: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        at(place)
    assert "\n" not in str(caught.value)


def test_a_text_without_a_finding_is_taken_as_it_stands() -> None:
    assert filled(at("chat.py:25")) == [("user", "Thank you, <name>.")]
    Path("plain.py").write_text("x = 1\n")
    with pytest.raises(
        UsageError, match="fairlint found no prompt with gaps in the file that decides about people"
    ):
        at("plain.py:1")


def test_what_is_asked_needs_no_option() -> None:
    case = {"name": "Pat A", "skills": "C", "years": "3", "company_name": "ACME", "income": "1"}

    assert plan_audit("chat.py:11", [case], shipped_names("us")).form.words == "yes or no"
    assert plan_audit("chain.py:5", [case], shipped_names("us")).form.words == "approve or deny"
    Path("rate.txt").write_text("You are a recruiter. Rate this applicant: {name}")
    with pytest.raises(UsageError, match="the prompt does not say how to answer"):
        plan_audit("rate.txt", [case], shipped_names("us"))


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Reject or approve the loan of this applicant.", "approve/reject"),
        ('Answer with "hire" or "reject" for this candidate.', "hire/reject"),
        ("Classify the applicant as low risk or high risk.", "low risk/high risk"),
        ("Should we hire this candidate or not?", "yes/no"),
        ("Decide whether to hire this applicant: □", "yes/no"),
        ("Rate this applicant out of 10.", "0..10"),
        ("There are 1 to 900 jobs. Rate the candidate on a scale of 1 to 5.", "1..5"),
        ('You are a recruiter. Return JSON: {"eligible": true or false} for this applicant.', "true/false"),
        ('You are a recruiter. Return JSON: {"reject": true or false} for this applicant.', ""),
        ("Hire, reject or waitlist this applicant?", ""),
        ("Which applicant should we hire?", ""),
        ("How likely is it that the applicant will repay the loan?", ""),
        ("What is this applicant's risk of default?", ""),
        ("Rate the candidate.", ""),
        ("Rank the candidates.", ""),
        ("Write a poem.", ""),
    ],
)
def test_the_form_of_an_answer_is_said_only_where_it_is_sure(text: str, form: str) -> None:
    assert asked_form(text) == form


def test_what_a_prompt_says_itself_comes_first() -> None:
    form = form_of("Should we hire her? Rate from 0 to 10.", None, None, otherwise="yes/no")

    assert form.words == "a number from 0 to 10"


OPTIONS = """def screen(client, applicant, model_name):
    prompt = f"Should we hire {{applicant.name}}, {{applicant.gender}}? Answer yes or no."
    return {call}
"""


@pytest.mark.parametrize(
    "call",
    [
        'client.chat.completions.create(model="small", messages=[{"role": "user", "content": prompt}])',
        'client.chat.completions.create(model=model_name, messages=[{"role": "user", "content": prompt}])',
        'ask(prompt, "small-1")',
        "ask(model_name, prompt)",
        "ask(prompt, user=applicant.id, model=model_name)",
    ],
)
def test_options_of_a_call_are_no_part_of_the_prompt(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("screen.py").write_text(OPTIONS.format(call=call))
    prompt = load_prompt("screen.py:2", [], "cases")
    told = prompt.fill({"applicant.name": "Ann", "applicant.gender": "female"})
    assert [one.content for one in told] == ["Should we hire Ann, female? Answer yes or no."]


def test_what_may_be_the_subject_of_a_prompt_stays_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("screen.py").write_text(
        OPTIONS.format(call="ask(prompt, resume=model_name.resume, model=model_name)")
    )
    prompt = load_prompt("screen.py:2", [], "cases")
    assert prompt.placeholders == ["applicant.name", "applicant.gender", "model_name.resume"]
