"""Code that was run with `--executor process-unsafe` is run again only by who says so again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fairlint.cli import main
from fairlint.counterfactual.executors import process
from fairlint.counterfactual.executors.confinement import READING

GOOD = "def rate_person(person):\n    return min(10, person.age // 10)\n"


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A run that was broken off before its answers were judged."""
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"job": "cook", "attribute": "gender", "code": GOOD}) + "\n")
    path = tmp_path / "run"
    asked = ["bench", "--model", f"replay:{answers}", "--suite", "faircode:function", "--output", str(path)]
    assert main([*asked, "-q", "--utility", "--executor", "process-unsafe"]) == 0
    (path / "outcomes.jsonl").write_text("")
    capsys.readouterr()
    return path


@pytest.mark.parametrize("command", ["show", "judge"])
def test_a_run_folder_alone_runs_nothing_unsafe(
    folder: Path, command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_given: object, **_named: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(process, "_answer_of_process", never)
    assert main(["bench", command, str(folder)]) == 2
    told = capsys.readouterr().err
    assert "fairlint bench judge --executor process-unsafe" in told
    assert told.count("\n") == 1
    assert (folder / "outcomes.jsonl").read_text() == ""


def test_who_says_so_runs_it_again(folder: Path) -> None:
    assert main(["bench", "judge", "-q", "--executor", "process-unsafe", str(folder)]) == 0
    assert json.loads((folder / "metrics.json").read_text())["utility"]["overall"]["answers"] == 1


def test_it_is_told_what_does_not_hold(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {**process.lacking(), READING: "there is no Landlock here"}
    monkeypatch.setattr(process, "_missing_guarantees", lambda: found)
    assert main(["bench", "judge", "-q", "--executor", "process-unsafe", str(folder)]) == 0
    told = capsys.readouterr().err
    assert told == (
        "fairlint: warning: --executor process-unsafe runs code that this system does not hold: "
        "there is no Landlock here\n"
    )
