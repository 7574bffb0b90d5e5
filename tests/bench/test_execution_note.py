"""Reports say whether the code in answers was run: of every suite, what happened to it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("pydantic_monty")
sys.path.insert(0, str(Path(__file__).parent))

from talking_models import SUITES, Speaking, answering, fenced

from fairlint.backends.requests import Request
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import run
from fairlint.bench.report import RunView, html, write_reports
from fairlint.bench.report.execution import execution_note
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.solar import stub, texts
from fairlint.cli import bench
from fairlint.counterfactual.executors.monty import MontyExecutor
from fairlint.processes import parallel
from fairlint.support.records import replace

READ, RAN = "The code was read and not run.", "The code was run in a sandbox."
PEOPLE = "sex,hours\nf,10\nm,50\n"
DESCRIPTION = '[columns.sex]\nattribute = "gender"\n'


def settings_of(name: str, folder: Path) -> dict[str, Any]:
    if name != "counterfactual":
        return {}
    (folder / "people.csv").write_text(PEOPLE, "utf-8")
    (folder / "people.toml").write_text(DESCRIPTION, "utf-8")
    return {"data": str(folder / "people.csv"), "config": str(folder / "people.toml")}


def answer(request: Request) -> str:
    """Code that can be run, where the suite runs any."""
    if request.suite == "counterfactual":
        return fenced("def predict(sex, hours):\n    return 1 if sex == 'm' else 0\n")
    if request.suite == "solar":
        return fenced(f"{stub(texts().tasks[request.subject])}\n        return self.gender == 'male'\n")
    if request.suite == "parallel-prompts":
        return fenced(f"def {request.subject}(*given):\n    return 1\n")
    return answering(request)


def view_of(name: str, folder: Path, **settings: Any) -> RunView:
    suite = suite_of(name, {**settings_of(name, folder), **settings})
    run(Speaking(answer), suite, Choice(samples=1, limit=1), folder / "run")
    return write_reports(folder / "run")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many calls of functions each batch has that is run; judging stays in this process."""
    made: list[int] = []
    run_really = MontyExecutor.run

    def counted(self: MontyExecutor, program: Any, people: Any, limits: Any) -> Any:
        made.append(len(people))
        return run_really(self, program, people, limits)

    monkeypatch.setattr(MontyExecutor, "run", counted)
    monkeypatch.setattr(parallel, "can_be_fresh", lambda: False)
    return made


@pytest.mark.parametrize("name", SUITES)
def test_the_page_says_that_code_was_read_only_where_none_was_run(
    name: str, tmp_path: Path, calls: list[int]
) -> None:
    page = html([view_of(name, tmp_path)])
    assert (RAN in page, READ in page) == (bool(calls), not calls)


def test_it_is_run_for_utility(tmp_path: Path, calls: list[int]) -> None:
    page = html([view_of("faircode:function", tmp_path, utility=True, executor="monty")])
    assert calls
    assert (RAN in page, READ in page) == (True, False)


def test_of_several_runs_it_is_said_of_how_many(tmp_path: Path, calls: list[int]) -> None:
    for name in ("ran", "read"):
        (tmp_path / name).mkdir()
    ran = view_of("faircode:function", tmp_path / "ran", utility=True, executor="monty")
    read = view_of("faircode:function", tmp_path / "read")
    assert calls
    assert execution_note([ran, read]) == "The code of 1 of 2 runs was run in a sandbox."
    assert execution_note([read, read]) == READ


def test_code_without_a_sandbox_is_not_said_to_have_one(tmp_path: Path, calls: list[int]) -> None:
    one = view_of("solar", tmp_path)
    settings = {**one.metrics["settings"], "suite": {"executor": "process-unsafe"}}
    unsafe = replace(one, metrics={**one.metrics, "settings": settings})
    assert calls
    told = "run with --executor process-unsafe: without a sandbox where the system has none."
    assert execution_note([unsafe]) == f"The code was {told}"
    assert execution_note([unsafe, one]).startswith(
        "The code was run, of 1 of them, with --executor process-unsafe:"
    )


def test_the_help_names_every_suite_that_runs_code() -> None:
    (sentence,) = [one for one in bench.COMMAND.description.split(". ") if "sandbox" in one]
    assert {name for name in SUITES if suite_of(name).runs_code} == {
        name for name in SUITES if name in sentence.split()
    }
