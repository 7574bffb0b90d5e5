"""Where a run was asked about data of somebody's own, its folder alone has no file read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("pydantic_monty")

from fairlint.bench.judging import decisions
from fairlint.cli import main

DATA = "sex,hours,paid\nf,10,no\nf,50,yes\nm,10,no\nm,50,yes\n"
CONFIG = """
[label]
column = "paid"
favourable = "yes"
unfavourable = "no"
[columns.sex]
attribute = "gender"
"""
CODE = "def predict(sex, hours):\n    return 1 if sex == 'm' or hours > 40 else 0\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A run that was broken off before its answers were judged."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "staff.csv").write_text(DATA)
    (tmp_path / "staff.toml").write_text(CONFIG)
    answer = {"scenario": "staff", "subject": "selected", "attribute": "gender", "sample": 0, "code": CODE}
    (tmp_path / "answers.jsonl").write_text(f"{json.dumps(answer)}\n")
    asked = ["bench", "--model", "replay:answers.jsonl", "--suite", "counterfactual", "--output", "run", "-q"]
    more = ["--data", "staff.csv", "--data-config", "staff.toml", "--subjects", "selected"]
    assert main([*asked, *more, "--samples", "1"]) == 0
    (tmp_path / "run" / "outcomes.jsonl").write_text("")
    capsys.readouterr()
    return tmp_path / "run"


@pytest.mark.parametrize("words", [["show"], ["judge"], ["judge", "--data", "staff.csv"]])
def test_a_run_folder_alone_has_no_file_read(
    folder: Path, words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_given: object, **_named: object) -> None:
        raise AssertionError("a file of people was read")

    monkeypatch.setattr(decisions, "measure_function", never)
    assert main(["bench", words[0], str(folder), *words[1:]]) == 2
    told = capsys.readouterr().err
    assert "fairlint bench judge --data" in told
    assert "--data-config" in told
    assert told.count("\n") == 1
    assert (folder / "outcomes.jsonl").read_text() == ""


def test_who_names_the_files_has_them_read(folder: Path) -> None:
    for name in ("staff.csv", "staff.toml"):
        (folder.parent / "elsewhere").mkdir(exist_ok=True)
        Path(name).rename(folder.parent / "elsewhere" / name)
    named = ["--data", "elsewhere/staff.csv", "--data-config", "elsewhere/staff.toml"]
    assert main(["bench", "judge", "-q", str(folder), *named]) == 0
    (outcome,) = map(json.loads, (folder / "outcomes.jsonl").read_text().splitlines())
    assert outcome["attributes"]["gender"]["cip"] == 0.5


def test_what_was_judged_needs_no_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = ["--data", "staff.csv", "--data-config", "staff.toml"]
    assert main(["bench", "judge", "-q", str(folder), *named]) == 0
    Path("staff.csv").unlink()
    assert main(["bench", "show", str(folder)]) == 0
    assert "CBS" in capsys.readouterr().out


def test_a_run_about_other_people_takes_none(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = json.loads((folder / "run.json").read_text())
    del settings["options"]["suite"]
    (folder / "run.json").write_text(json.dumps(settings))
    assert main(["bench", "judge", "-q", str(folder), "--data", "staff.csv"]) == 2
    assert "was asked without --data" in capsys.readouterr().err
