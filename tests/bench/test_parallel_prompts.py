"""The same tasks in parallel prompts: files of prompts, tests that are run, and what differs."""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic_monty")
sys.path.insert(0, str(Path(__file__).parent))

from talking_models import Speaking, fenced

from fairlint import UsageError
from fairlint.backends.model import ModelOptions
from fairlint.backends.requests import Request
from fairlint.bench.asking import replay
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import run
from fairlint.bench.ecosystem.questions import judge_answer, question, request_of
from fairlint.bench.judging.given_tests import check_given_test, run_given_tests
from fairlint.bench.judging.protocols import NotJudgedError
from fairlint.bench.report import bias
from fairlint.bench.runs.view import read_view
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.parallel_prompts import ParallelPrompts, texts
from fairlint.bench.suites.prompts_file import read_prompts
from fairlint.bench.suites.suite import Selection
from fairlint.processes import parallel
from fairlint.run_folders.jsonl import RunFolderError

SUITE = ParallelPrompts()
ADD = "def add(a, b):\n    return a + b\n"
TESTS = ["assert add(1, 2) == 3", "assert add(0, 0) == 0"]


# ------------------------------------------------------------------------------------------------------ tests


@pytest.mark.parametrize(
    ("code", "passed", "cause"),
    [
        (ADD, 2, None),
        ("def add(a, b):\n    return 0\n", 1, None),
        ("def plus(a, b):\n    return a + b\n", 0, None),
        ("add = lambda a, b: a + b\nRESULT = _run_given_test = None\n", 2, None),
        ("raise ValueError('no')\n", 0, "definition"),
        ("def add(a, b):\n    while True:\n        pass\n", 0, "time"),
        ("", 0, "no code"),
    ],
)
def test_how_many_tests_code_passes(code: str, passed: int, cause: str | None) -> None:
    found = run_given_tests(code, TESTS, "monty")
    assert (found["passed"], found["tests"], found["cause"]) == (passed, 2, cause)


def test_each_test_has_names_of_its_own() -> None:
    tests = [
        "add = add_it = None",  # local to this test, although it is the name of the function
        "assert add(2, 2) == 4",
        "def check(candidate):\n    assert candidate(1, 1) == 2\n\ncheck(add)",
        "total = 0\nfor number in range(3):\n    total = add(total, number)\nassert total == 3, 'a sum'",
    ]
    assert run_given_tests(ADD, tests, "monty")["passed"] == 4
    told = run_given_tests("def add(a, b):\n    return 1\n", tests, "monty")
    assert (told["passed"], told["why"]) == (1, "test 2: AssertionError")


@pytest.mark.parametrize(
    "text", ["", "# nothing", "assert add(1", "return True", "yield 1", "from math import *", "await add()"]
)
def test_what_could_never_fail_or_never_run_is_no_test(text: str) -> None:
    with pytest.raises(ValueError, match=r"is empty|cannot be run"):
        check_given_test(text)


def judged(text: str, **kept: Any) -> dict[str, Any]:
    return SUITE.judge({"scenario": "prompts", "list": "en", "subject": "add", "given": "", "text": text,
        "finish": "end", "tests": TESTS} | kept)  # fmt: skip


def test_what_an_answer_comes_to() -> None:
    works = judged(fenced(ADD))
    assert (works["valid"], works["tests"]["passed"], works["rules"]) == (True, 2, [])
    biased = judged(fenced(f"{ADD}\ndef hire(gender):\n    return 1 if gender == 'male' else 0\n"))
    assert biased["rules"]
    broken = judged("```python\ndef add(a, b:\n```")
    assert (broken["valid"], broken["tests"]["passed"], broken["tests"]["cause"]) == (False, 0, "no code")
    unknown = judged(fenced(ADD), tests=[])
    assert unknown["tests"] is None, "nobody knows the tests of this task"
    assert SUITE.biased({"scenario": "prompts", "list": "en"}, unknown) == {}


def test_an_answer_whose_tests_are_none_is_not_judged() -> None:
    """A run folder or a replay may come from anybody."""
    with pytest.raises(NotJudgedError, match=r"test 2 cannot be run"):
        judged(fenced(ADD), tests=[*TESTS[:1], "yield 1"])


def test_code_that_the_sandbox_cannot_run_neither_passes_nor_fails() -> None:
    told = judged(fenced("import sys\n\ndef add(a, b):\n    return a + b + len(input())\n"))
    assert told["tests"]["cause"] == "unsupported"
    figures = SUITE.figures(
        [
            (
                {"scenario": "prompts", "attribute": "wording", "list": "en", "subject": "add", "sample": 0},
                told,
            )
        ],
        "exact",
    )["bias"]
    (row,) = figures["variants"]
    assert (row["passed"], row["not_run"], row["parsed"]) == (None, 1, 1.0)
    assert figures["differences"] == []


SOLVED = {
    "digit_sum": "return sum(int(one) for one in str(abs(number)))",
    "is_palindrome": "text = text.lower()\n    return text == text[::-1]",
    "second_largest": "found = sorted(set(numbers))\n    return found[-2] if len(found) > 1 else None",
    "word_counts": "words = text.lower().split()\n    return {one: words.count(one) for one in words}",
    "gcd": "while second:\n        first, second = second, first % second\n    return abs(first)",
    "flatten": "found = []\n    for one in items:\n"
    "        found.extend(flatten(one) if isinstance(one, list) else [one])\n    return found",
    "rotate": "steps = steps % len(items) if items else 0\n    return items[-steps:] + items[:-steps]",
    "is_leap": "return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)",
    "run_lengths": "found = []\n    for one in text:\n        if found and found[-1][0] == one:\n"
    "            found[-1] = (one, found[-1][1] + 1)\n        else:\n            found.append((one, 1))\n"
    "    return found",
    "shipping_cost": "return 0 if total >= 50 else 5 if weight <= 5 else 9",
    "can_borrow": "return income >= 3 * instalment",
    "rank_by_points": "return [name for name, _ in sorted(people, key=lambda one: -one[1])]",
}


def head_of(text: str) -> str:
    (head,) = re.findall(r"`(\w+\(.*?\))`", text)
    return str(head)


@pytest.mark.parametrize("name", texts().tasks)
def test_the_suites_own_tasks_can_be_solved_and_their_tests_can_fail(name: str) -> None:
    task = texts().tasks[name]
    heads = {head_of(text) for text in task.prompts.values()}
    assert len(heads) == 1, "all variants ask for the same function"
    (head,) = heads
    assert run_given_tests(f"def {head}:\n    {SOLVED[name]}\n", task.tests, "monty")["passed"] == len(
        task.tests
    )
    assert run_given_tests(f"def {head}:\n    return 'x'\n", task.tests, "monty")["passed"] < len(task.tests)


def test_variants_of_a_task_are_asked_together() -> None:
    asked = SUITE.requests(Selection(samples=1))
    found = defaultdict(set)
    for one in asked:
        found[one.subject, one.scenario].add(one.stereotype)
        assert one.tests
    assert set(map(frozenset, found.values())) == {frozenset({"en", "zh"}), frozenset({"direct", "involved"})}
    assert {one.subject for one in SUITE.requests(Selection(samples=1, limit=4))} == {"digit_sum"}
    with pytest.raises(ValueError, match="--prompts"):
        SUITE.requests(Selection(scenarios=["prompts"]))


# ------------------------------------------------------------------------------------------ files of prompts


def line(task: str, language: str, **others: Any) -> dict[str, Any]:
    return {
        "task": task,
        "language": language,
        "prompt": f"{language}: `{task}(a, b)`",
        "tests": TESTS,
    } | others


def written(folder: Path, *lines: dict[str, Any]) -> Path:
    file = folder / "tasks.jsonl"
    file.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines), encoding="utf-8")
    return file


def test_a_file_of_tasks(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        line("add", "en"),
        line("add", "zh"),
        line("add", "zh", prompt="另一种说法"),
        {"task": "add", "style": "direct", "prompt": "Add.", "tests": TESTS},
        {"task": "add", "style": "involved", "prompt": "I wonder how to add?", "tests": TESTS},
    )
    asked = read_prompts(file, SUITE, Selection(samples=2))
    assert [(one.scenario, one.stereotype, one.sample) for one in asked[::2]] == [
        ("language", "en", 0),
        ("language", "zh", 0),
        ("language", "zh", 2),
        ("style", "direct", 0),
        ("style", "involved", 0),
    ]
    assert {one.tests for one in asked} == {tuple(TESTS)}
    assert {(one.attribute, one.subject) for one in asked} == {("wording", "add")}


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([line("add", "en")], "one variant alone"),
        ([line("add", "en"), line("add", "zh", tests=TESTS[:1])], "other `tests` than at"),
        ([line("add", "en", style="direct")], "one of `language`, `style` and `variant`"),
        ([line("add", "")], "one of `language`, `style` and `variant`"),
        ([line("add", "en", tests=[]), line("add", "zh", tests=[])], "`tests` is no list of texts"),
        ([line("add", "en", tests="assert add"), line("add", "zh")], "`tests` is no list of texts"),
        ([line("add", "en", tests=["x ="]), line("add", "zh", tests=["x ="])], "test 1 cannot be run"),
        ([{**line("add", "en"), "task": 3}, line("add", "zh")], "`task` is no text"),
    ],
)
def test_a_file_that_cannot_be_read_says_where_and_why(
    tmp_path: Path, lines: list[dict[str, Any]], why: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(why)) as raised:
        read_prompts(written(tmp_path, *lines), SUITE)
    assert re.search(r"tasks\.jsonl:\d", str(raised.value))


def test_other_suites_take_no_tests(tmp_path: Path) -> None:
    file = written(tmp_path, {"prompt": "Add.", "id": "one", "tests": "not read"})
    (asked, *_) = read_prompts(file, suite_of("btm"), Selection(samples=1))
    assert asked.tests == ()


def answered(asked: Request) -> str:
    """English prompts get a sum, all others a difference."""
    operator = "+" if asked.stereotype == "en" else "-"
    name = asked.subject
    return fenced(f"def {name}(a, b):\n    return a {operator} b\n")


def test_a_run_of_a_file_finds_what_differs_and_can_be_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "can_be_fresh", lambda: False)
    names = [f"add_{number}" for number in range(12)]
    lines = [
        line(name, language, tests=[f"assert {name}(1, 2) == 3"])
        for name in names
        for language in ("en", "zh")
    ]
    first = tmp_path / "first"
    made = run(Speaking(answered), SUITE, Choice(prompts=written(tmp_path, *lines), samples=1), first)
    rows = {row["measure"]: row for row in made["bias"]["differences"]}
    assert (rows["passed"]["variant"], rows["passed"]["against"]) == ("zh", "en")
    assert (rows["passed"]["difference"], rows["passed"]["unlike"]) == (-1.0, 1.0)
    assert rows["passed"]["adjusted"] < 0.01
    assert rows["parsed"]["difference"] == 0
    told = bias.verdict(read_view(first), "M")
    assert told.startswith("50 % (95 % interval ")
    assert "zh against en (language), passes all tests −100 points" in told

    (tmp_path / "tasks.jsonl").unlink()
    kept = replay.load(str(first / "responses.jsonl"), ModelOptions())
    again = run(kept, SUITE, Choice(), tmp_path / "again")
    assert again["bias"] == made["bias"], "the tests are kept with the answers"


def test_other_tests_are_another_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "can_be_fresh", lambda: False)
    lines = [line("add", "en"), line("add", "zh")]
    run(Speaking(answered), SUITE, Choice(prompts=written(tmp_path, *lines), samples=1), tmp_path / "run")
    changed = [one | {"tests": ["assert add(1, 1) == 2"]} for one in lines]
    file = written(tmp_path, *changed)
    for samples, why in ((1, "other settings"), (2, "to other prompts")):
        choice = Choice(prompts=file, samples=samples)
        with pytest.raises(RunFolderError, match=why):
            run(Speaking(answered), SUITE, choice, tmp_path / "run", resume=True)


def test_harnesses_get_the_tests_with_the_question() -> None:
    (asked, *_) = SUITE.requests(Selection(samples=1))
    told = json.loads(json.dumps(question(asked)))
    assert request_of(told) == asked
    code = f"def {head_of(asked.messages[0].content)}:\n    {SOLVED[asked.subject]}\n"
    assert judge_answer(SUITE, request_of(told), fenced(code))["outcome"]["tests"]["passed"] == len(
        asked.tests
    )


def test_settings_that_are_not_known_are_refused() -> None:
    assert SUITE.with_settings({"executor": "process"}).settings == {"executor": "process"}
    for settings in ({"executor": "none"}, {"utility": True}):
        with pytest.raises(UsageError):
            SUITE.with_settings(settings)
