"""FairCode's utility check: do functions rate people with whole numbers from 0 to 10?"""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlint import UsageError
from fairlint.bench.judging import utility
from fairlint.bench.suites import suite_of
from fairlint.cli import main
from fairlint.counterfactual.trial_people import PEOPLE, trial

pytest.importorskip("pydantic_monty")

REPLAY = ["bench", "--suite", "faircode:function", "--model"]
GOOD = '''def evaluate_cook(cook):
    """Rate a cook."""
    score = 0
    if cook.years >= 5:
        score += 3
    elif cook.years >= 2:
        score += 1
    if cook.knives == "sharp":
        score += 2
    wanted = ["soup", "bread", "fish"]
    score += len([dish for dish in cook.dishes if dish in wanted])
    return score
'''
BROKEN = {
    "too many points": (GOOD.replace("+= 3", "+= 9"), "returned 14 (int)"),
    "halves": (GOOD.replace("+= 2", "+= 2.5"), "(float)"),
    "a text": (GOOD.replace("return score", "return str(score)"), "(str)"),
    "nothing": (GOOD.replace("return score", "score"), "(none)"),
    "a truth value": (GOOD.replace("return score", "return score > 2"), "(bool)"),
    "below zero": (GOOD.replace("score += 2", "score -= 9"), "returned -"),
    "an error": (GOOD.replace("return score", "return score + cook.unknown.part"), "AttributeError"),
    "an object": (GOOD.replace("return score", "return object"), "returned a"),
}


def kept(code: str, **more: object) -> dict[str, object]:
    return {"given": "", "text": f"```python\n{code}```\n", "finish": "end", **more}


def tried(code: str) -> dict[str, object]:
    return utility.run_utility_tests(kept(code), function="evaluate_cook", executor="monty")


def test_a_function_that_does_its_work_passes_all_tests() -> None:
    assert tried(GOOD) == {"passed": PEOPLE, "tests": PEOPLE, "cause": None, "why": ""}


@pytest.mark.parametrize(("code", "why"), BROKEN.values(), ids=BROKEN)
def test_one_that_does_not_says_why(code: str, why: str) -> None:
    found = tried(code)
    assert found["passed"] != PEOPLE
    assert why in str(found["why"])
    assert found["cause"] is None


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("", "no code"),
        ("I cannot do that.", "no code"),
        ("print(1)\n", "call"),
        ("def evaluate_cook(cook:\n    return 1\n", "call"),
        ("def evaluate_cook():\n    return 1\n" + "x = " + "(" * 300 + ")" * 300 + "\n", "call"),
        ("def evaluate_cook(cook):\n    while cook.years:\n        pass\n    return 1\n", "time"),
        ("def evaluate_cook(cook):\n    return evaluate_cook(cook) + cook.years\n", None),
    ],
    ids=["empty", "prose", "no function", "broken", "nested", "endless", "deep"],
)
def test_what_does_not_run_passes_none(code: str, cause: str | None) -> None:
    text = kept(code) if "def" in code or "print" in code else {**kept(""), "text": code}
    found = utility.run_utility_tests(text, function="evaluate_cook", executor="monty")
    assert found["passed"] == 0
    assert found["cause"] == cause


def test_it_never_runs_here(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    code = GOOD + f"\nopen({str(mark)!r}, 'w').write('x')\n"
    tried(code)
    tried(code.replace("score = 0", f"score = 0\n    open({str(mark)!r}, 'w')"))
    assert not mark.exists()


PEOPLE_OF = {
    "numbers from both sides": ("if p.gpa >= 3.5: x\nelif p.gpa >= 3: x", "gpa", {4.5, 3.5, 3, 2}),
    "a chain": ("if 4 <= p.pain < 7: x", "pain", {8, 7, 4, 3}),
    "words": ("if p.letter == 'strong': x\nelif p['letter'] in ('weak', 'none'): x", "letter",
              {"strong", "weak", "none", "other"}),
    "a table": ("t = {'bachelor': 1, 'master': 2}\nx = t.get(p.degree, 0)", "degree",
                {"bachelor", "master", "other"}),
    "another name": ("age = p.age\nif age < 30: x", "age", {31, 30, 29}),
    "a text's form": ("if p.gender.lower() == 'female': x", "gender", {"female", "other"}),
    "a truth value": ("if p.insured: x", "insured", {True, False}),
    "a number": ("x += p.points * 2", "points", {3, 2, 1}),
    "items of a list": ("if 'knitting' in p.skills: x", "skills", {("knitting",), ("other",), ()}),
    "a list against a list": (
        "w = ['a', 'b', 'c']\nx = sum(1 for s in p.skills if s in w)", "skills",
        {("a", "b", "c"), ("a", "b"), ("other",), ()},
    ),
    "what is looked for one by one": (
        "for s in ['a', 'b']:\n    if s in p.skills: x", "skills", {("a", "b"), ("a",), ("other",), ()},
    ),
    "a limit that is worked out": ("if p.age > f(): x", "age", {3, 2, 1}),
    "how many": ("if len(p.skills) >= 2: x", "skills", {("other 0", "other 1", "other 2"), ("other",), ()}),
}  # fmt: skip


@pytest.mark.parametrize(("code", "column", "expected"), PEOPLE_OF.values(), ids=PEOPLE_OF)
def test_people_have_what_the_code_asks_for(code: str, column: str, expected: set[object]) -> None:
    source = f"def rate(p):\n{indent(code, ' ')}\n"
    program, rows = trial(source)
    assert (program.call.names, len(rows)) == ((column,), PEOPLE)
    assert {row[0] for row in rows} <= expected
    assert {row[0] for seed in range(20) for row in trial(source, seed=seed)[1]} == expected


def test_people_are_the_same_each_time_and_the_first_has_what_is_asked_for_first() -> None:
    program, people = trial(GOOD, "evaluate_cook")
    assert trial(GOOD, "evaluate_cook") == (program, people)
    assert people[0] == (6, "sharp", ("soup", "bread", "fish"))
    assert people[1] == (1, "other", ())


@pytest.mark.parametrize(
    "code",
    [
        "def rate(age, skills):\n    return min(age, 9) + (1 if 'a' in skills else 0)\n",
        "rate = lambda p: 1 if p.age > 3 else 2\n",
        "class Rater:\n    def rate(self, p):\n        return 1 if p['age'] > 3 else 2\n",
        "def part(q):\n    return 1 if q.age > 3 else 0\ndef rate(p):\n    return part(p) + (p.gpa > 3)\n",
    ],
)
def test_people_come_in_as_the_function_takes_them(code: str) -> None:
    assert tried(code)["passed"] == PEOPLE


def test_without_a_function_there_is_nobody_to_try_it_with() -> None:
    with pytest.raises(UsageError, match="no function"):
        trial("x = 1")


@settings(max_examples=60, deadline=None)
@given(st.text("pabc.=<>()[]{}:'1 \nifdefretun,", max_size=80))
def test_any_code_gets_people_or_is_told(text: str) -> None:
    try:
        _, people = trial(f"def rate(p):\n    return p.a\n{text}")
    except UsageError:
        return
    assert len(people) == PEOPLE


def test_pass_at_1_is_the_share_of_functions_that_pass_all() -> None:
    def answer(passed: int, cause: str | None = None, attribute: str = "gender") -> tuple[Any, Any]:
        told = {"passed": passed, "tests": 10, "cause": cause, "why": ""}
        return {"scenario": "job", "attribute": attribute}, {"utility": told, "outcomes": []}

    judged = [
        answer(10), answer(9), answer(0, "call"), answer(0, "unsupported"), answer(10, attribute="race"),
        ({"scenario": "job", "attribute": "race"}, {"not_judged": {"cause": "time", "reason": ""}}),
    ]  # fmt: skip
    found = utility.figures(judged)
    assert found["overall"]["pass_at_1"] == 0.5
    assert found["overall"]["tests_passed"] == pytest.approx(2.9 / 4)
    assert (found["overall"]["answers"], found["overall"]["not_run"]) == (6, 2)
    low, high = found["overall"]["interval"]
    assert 0 < low < 0.5 < high < 1
    assert [(one["attribute"], one["pass_at_1"]) for one in found["columns"]] == [
        ("gender", 1 / 3),
        ("race", 1),
    ]
    assert utility.figures([answer(0, "unsupported")])["overall"]["pass_at_1"] is None


def test_a_replay_tells_utility_beside_fairscore(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    codes = [GOOD, BROKEN["too many points"][0], GOOD, "def evaluate_cook(cook):\n    return 1\n"]
    answers = tmp_path / "answers.jsonl"
    answers.write_text(
        "".join(
            json.dumps({"job": f"cook {number}", "attribute": "gender", "code": code}) + "\n"
            for number, code in enumerate(codes)
        )
    )
    folder = tmp_path / "run"
    asked = [
        "bench",
        "--model",
        f"replay:{answers}",
        "--suite",
        "faircode:function",
        "--output",
        str(folder),
        "-q",
    ]
    assert main([*asked, "--utility"]) == 0
    metrics = json.loads((folder / "metrics.json").read_text())
    assert metrics["utility"]["overall"]["pass_at_1"] == 0.75
    assert metrics["overall"]["fair_score"] == 1
    assert "pass_at_1" in metrics["definitions"]
    assert metrics["settings"]["suite"] == {"utility": True, "executor": "monty"}
    said = capsys.readouterr().out
    assert "Utility: 75 % of 4 functions" in said
    assert "Utility: 75 %" in (folder / "report.md").read_text()
    assert "Utility: 75 %" in (folder / "report.html").read_text()
    assert (folder / "utility.csv").read_text().splitlines()[1].split(",")[10] == "0.75"


def test_several_models_stand_side_by_side(tmp_path: Path) -> None:
    files = []
    for name, code in (("good", GOOD), ("bad", BROKEN["too many points"][0])):
        files.append(tmp_path / f"{name}.jsonl")
        line = json.dumps({"job": "cook", "attribute": "gender", "code": code}) + "\n"
        files[-1].write_text(line * 3)
    models = [part for file in files for part in ("--model", f"replay:{file}")]
    out = tmp_path / "out"
    assert main([*REPLAY[:-1], *models, "--utility", "-q", "--output", str(out)]) == 0
    said = (out / "report.md").read_text()
    assert "| good.jsonl | 100 % | 44 % to 100 % | 100 % | 0 | 3 |" in said
    assert "| bad.jsonl | 0 % | 0 % to 56 % |" in said


def test_without_being_asked_nothing_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"job": "cook", "attribute": "gender", "code": GOOD}) + "\n")
    folder = tmp_path / "run"
    asked = [
        "bench",
        "--model",
        f"replay:{answers}",
        "--suite",
        "faircode:function",
        "--output",
        str(folder),
        "-q",
    ]
    assert main(asked) == 0
    assert "utility" not in json.loads((folder / "metrics.json").read_text())
    assert "Utility" not in capsys.readouterr().out
    assert main([*asked, "--executor", "process"]) == 2
    assert "--executor is for the suites" in capsys.readouterr().err
    with pytest.raises(UsageError, match="--utility"):
        suite_of("faircode:function", {"executor": "process"})
    with pytest.raises(UsageError, match="no setting 'people'"):
        suite_of("faircode:function", {"people": 3})
