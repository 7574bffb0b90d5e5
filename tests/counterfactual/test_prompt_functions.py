"""`fairlint counterfactual --prompt FILE.py:FUNCTION`: a prompt that one's own function writes."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))

from python_executor import python_executor
from server import Asked, Reply, serving

from fairlint.cli import main
from fairlint.counterfactual.executors.executor import Call, Limits, Program, Value
from fairlint.counterfactual.executors.monty import MontyExecutor
from fairlint.counterfactual.prompts import prompt_functions
from fairlint.counterfactual.prompts.names import shipped_names
from fairlint.counterfactual.prompts.planning import Audit, plan_audit
from fairlint.support.errors import UsageError

CODE = '''
from openai import OpenAI

LEVELS = {True: "senior", False: "junior"}
CLIENT = OpenAI()


def title(gender):
    return {"female": "Ms.", "male": "Mr."}.get(gender, "")


def invite(name, gender, years, summary):
    return f"""You screen applicants. A {LEVELS[years > 5]} one:
{title(gender)} {name}. {summary}
Should we invite this applicant? Answer yes or no."""


def chat(person):
    """A chat about one record."""
    return [
        {"role": "system", "content": "You screen applicants."},
        {"role": "user", "content": [{"type": "text", "text": f"{person['sex']}, {person['years']} years. "},
                                     {"type": "text", "text": "Invite? Answer yes or no."}]},
    ]


def of_texts(gender, years):
    return "Gender: " + gender + ", years: " + years + ". Answer yes or no."


def in_words(name, gender):
    return f"{name}, a {dict(female='woman', male='man')[gender]}. Answer yes or no."


def of_name(name, gender):
    return f"{name}: yes or no?" if gender == "not stated" else f"{gender}: yes or no?"


def lacking(gender, salary):
    return f"{gender} {salary}"


def about_nobody(summary):
    return f"{summary} yes or no"


def number(gender):
    return 7


def empty(gender):
    return " "


def roles_only(gender):
    return [{"role": gender}]


def blind(gender, summary):
    return f"{summary} yes or no"


COUNT = []


def counting(gender):
    COUNT.append(gender)
    return f"Question {len(COUNT)}: {gender}, yes or no?"


def raising(gender):
    COUNT.append(gender)
    raise ValueError(f"attempt {len(COUNT)}")


def endless(gender):
    while True:
        pass
'''


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("screen.py").write_text(CODE)
    rows = [
        {"name": f"Pat {chr(65 + at)}", "gender": "male", "years": str(at), "summary": f"Has {at} years."}
        for at in range(14)
    ]
    with Path("cases.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def planned(entry: str, attributes: Sequence[str] = ("gender",)) -> Audit:
    return plan_audit(f"screen.py:{entry}", "cases.csv", shipped_names("us"), attributes=attributes, draws=2)


def texts(found: Audit, channel: str, **groups: str) -> list[str]:
    """The prompts about people of a channel, in the order of their cases."""
    return [
        "\n".join(f"{one.role}: {one.content}" for one in cell.messages)
        for cell in found.cells
        if (cell.channel, cell.arm, dict(cell.groups)) == (channel, "group", groups)
    ]


def test_a_function_writes_the_prompt_of_each_person() -> None:
    found = planned("invite")

    assert texts(found, "explicit", gender="female")[6] == (
        "user: You screen applicants. A senior one:\nMs. P. G.. Has 6 years.\n"
        "Should we invite this applicant? Answer yes or no."
    )
    assert "A junior one:\nMr. P. A." in texts(found, "explicit", gender="male")[0]
    first = {one.split("\n ")[1].split()[0] for one in texts(found, "name", gender="female")}
    assert first <= {name for one in shipped_names("us") if one.gender == "female" for name in one.first}
    assert found.form.words == "yes or no"


def test_a_function_may_take_one_record_and_return_messages() -> None:
    found = planned("chat")

    assert texts(found, "explicit", gender="female")[3] == (
        "system: You screen applicants.\nuser: female, 3 years. Invite? Answer yes or no."
    )
    assert found.channels == ["explicit"]  # it shows no name, although the cases have one


def test_numbers_of_cases_are_texts_for_a_function_that_joins_texts() -> None:
    assert texts(planned("of_texts"), "explicit", gender="male")[2] == (
        "user: Gender: male, years: 2. Answer yes or no."
    )


def test_a_case_is_left_out_where_a_function_needs_the_group_that_is_hidden() -> None:
    found = planned("in_words")

    assert found.channels == ["explicit"]
    assert texts(found, "explicit", gender="female")[0] == "user: P. A., a woman. Answer yes or no."
    assert {(one.channel, one.why) for one in found.left_out} == {("name", "raises KeyError: 'not stated'")}
    assert len(found.left_out) == 14
    assert planned("of_name").channels == ["explicit", "name"]


def test_what_is_a_persons_and_what_is_a_cases_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--cases", "cases.csv", "--attribute", "gender", "--dry-run"]
    assert main(["counterfactual", "--prompt", "screen.py:invite", *options]) == 0
    out = capsys.readouterr().out

    assert "screen.py:12  14 cases, yes or no" in out
    assert "  of the person: name (a name), gender (gender)\n  of the case: years, summary\n" in out


def test_a_model_that_prefers_a_group_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    def reply(asked: Asked) -> Reply:
        text = str(asked.payload["messages"][-1]["content"])
        return Reply(pieces=["ok" if asked.probe else "yes" if text.startswith("female") else "no"])

    with serving(reply) as server:
        code = main(
            ["counterfactual", "--prompt", "screen.py:chat", "--cases", "cases.csv", "--attribute", "gender",
             "--model", "openai:tiny-model", "--base-url", server.url, "--format", "json"]
        )  # fmt: skip
    told = json.loads(capsys.readouterr().out)

    assert code == 1
    assert [one["mean"] for one in told["effects"] if one["verdict"] == "biased"] == [-1.0]
    assert told["person"] == {"sex": "gender"}
    assert told["columns"]["years"] == "years"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("lacking", "parameter 'salary' of lacking is no column of cases.csv"),
        ("about_nobody", "no parameter says who the person is (summary)"),
        ("number", "screen.py:number, for gender 'female': returns int, which is no text and no list"),
        ("empty", "returns an empty text"),
        ("raising", "screen.py:raising, for gender 'female': raises ValueError: attempt 1"),
        ("roles_only", "returns list, which is no text and no list of messages with a role and a content"),
        ("blind", "screen.py:blind: the prompt is the same whatever the gender"),
        ("counting", "screen.py:counting gives another prompt for the same person each time"),
        ("endless", "screen.py:endless: takes longer than 0.5 s"),
        ("nobody", "screen.py: no function 'nobody'"),
    ],
)
def test_what_is_no_prompt_is_one_line(entry: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(
        ["counterfactual", "--prompt", f"screen.py:{entry}", "--cases", "cases.csv", "--attribute", "gender",
         "--time-limit", "0.5", "--dry-run"]
    )  # fmt: skip
    err = capsys.readouterr().err

    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_a_function_that_raises_is_one_line() -> None:
    Path("screen.py").write_text("def f(gender):\n    return {'female': 'yes or no'}[gender]\n")
    with pytest.raises(UsageError, match=r"screen\.py:f, for gender 'male': raises KeyError: 'male'"):
        planned("f")


def test_an_answer_that_a_program_forges_is_no_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []

    class Forging:
        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_exception: object) -> None: ...

        def run(self, _program: Program, people: Sequence[object], _limits: Limits) -> tuple[Value, ...]:
            return tuple(Value("str", given[0]) for _ in people)

    monkeypatch.setattr(prompt_functions, "choose", lambda *_, **__: Forging())
    forged = ("no JSON", "[" * 100_000, '{"dict": 1}', '{"dict": [1]}', '[["role"]]', "NaN", r'"\ud800"')
    for number, text in enumerate(forged):
        given[:] = [text]
        with pytest.raises(UsageError, match=r"screen\.py:invite, for name .*: returns") as caught:
            planned("invite")
        assert "\n" not in str(caught.value), number


def test_the_finding_in_the_function_carries_what_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    Path("ask.py").write_text(
        "def invite_prompt(gender, years):\n"
        '    return f"You are a recruiter. {gender}, {years} years. Should we invite the applicant?"\n'
    )
    with serving(lambda asked: Reply(pieces=["ok" if asked.probe else "yes"])) as server:
        main(
            ["counterfactual", "--prompt", "ask.py:invite_prompt", "--cases", "cases.csv", "--model",
             "openai:tiny-model", "--base-url", server.url, "--format", "sarif"]
        )  # fmt: skip
    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]

    assert result["ruleId"] == "FL701"
    assert "nothing to compare: every answer is the same" in result["message"]["text"]


def test_long_prompts_come_back_whole() -> None:
    program = Program(
        "def f(n):\n    return 'ü\\n' * n", "f", Call("arguments", ("n",))
    )  # as JSON twelve times as long
    limits = Limits(text=200_000)
    for executor in (MontyExecutor(1), python_executor(1)):
        with executor as running:
            came = running.run(program, [[20_000], [40_000]], limits)
        assert isinstance(came, tuple)
        assert isinstance(came[0], Value)
        assert json.loads(came[0].text) == "ü\n" * 20_000
        assert isinstance(came[1], Value)
        assert set(json.loads(came[1].text)) == {"digest", "length"}
