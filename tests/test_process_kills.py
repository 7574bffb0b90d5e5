"""Processes of a run that are killed: no finding is lost without a word."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import process_kills
import pytest
from process_kills import Run

from fairlint.checking import runner
from fairlint.cli import main
from fairlint.processes import parallel, zygote

SCORE = """\
def rate(applicant):
    points = 0
    if applicant.gender == "f":
        points += 5
    return points
"""
linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")


@linux
@pytest.mark.skipif(not zygote.available(), reason="this kernel has no handles of processes")
@pytest.mark.parametrize("before", [0, 1, 2])
def test_a_template_that_is_killed_is_never_exit_code_0(
    before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is killed whenever it is asked for a process, from the first time on or later."""
    for number in range(8):
        (tmp_path / f"f{number}.py").write_text(SCORE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(runner, "ENOUGH_FOR_PROCESSES", 0)
    monkeypatch.setattr(parallel, "available", lambda **_: True)
    monkeypatch.setattr(parallel, "BATCH", 1)
    monkeypatch.setattr(parallel, "RENEWED", 1)
    start, asked = zygote.Zygote.start, list[int]()

    def killed(self: zygote.Zygote) -> Any:
        asked.append(1)
        if len(asked) > before:
            process = self._process.pid
            assert process is not None
            os.kill(process, signal.SIGKILL)
            self._process.join()
        return start(self)

    monkeypatch.setattr(zygote.Zygote, "start", killed)
    assert main(["--isolated", "--no-cache", "--jobs", "2", "--format", "concise", "."]) == 1
    told = capsys.readouterr()
    assert (told.out.count(" FL201 "), told.err) == (8, "")
    assert len(asked) > before


@linux
@pytest.mark.slow
def test_runs_whose_processes_are_killed_lose_nothing_in_silence(capsys: pytest.CaptureFixture[str]) -> None:
    code = process_kills.main(["--kills", "12"])
    assert code == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("bad", "outcome"),
    [
        (Run("worker", 1, code=0, whole=False, told=False, report=True, left=0), "lost in silence"),
        (Run("worker", 1, code=1, whole=False, told=True, report=True, left=0), "lost in silence"),
        (Run("template", 1, code=2, whole=False, told=False, report=False, left=0), "lost in silence"),
        (Run("template", 1, code=1, whole=True, told=False, report=True, left=1), "a process left"),
        (Run("first", 1, code=-9, whole=False, told=False, report=True, left=0), "broken"),
        (Run("first", 1, code=0, whole=True, told=False, report=True, left=0), "broken"),
    ],
)
def test_what_is_not_as_promised_is_told(bad: Run, outcome: str) -> None:
    assert bad.outcome == outcome
    assert outcome not in process_kills.GOOD
