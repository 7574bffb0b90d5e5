"""Audits of prompts that are killed and go on: no answer is lost, and none that was kept is asked again."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))

from server import Asked, Reply, Server, serving

CASES, AT_ONCE = 10, 4
QUESTIONS = CASES * (2 + 2 + 1) + CASES * (2 * 2 + 2 * 2 + 1)
"""Groups, rewrites and one again of the stated group, and the same of two names each."""
PATIENCE = 120.0
"""Seconds for a process to come to where it is killed, on a busy machine."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="nothing ends a process at once here"),
]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("screen.py").write_text(
        'def invite(name, gender, years):\n    return f"{name}, {gender}, {years} years. Invite? yes or no"\n'
    )
    with Path("cases.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "gender", "years"])
        writer.writerows(["Pat A", "male", str(at)] for at in range(CASES))


class _Killer:
    """A server's answers; at a question of one's choice, the process that asks is killed first."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None
        self.at = 0
        self.count = 0

    def __call__(self, asked: Asked) -> Reply:
        if asked.probe:
            return Reply(pieces=["ok"])
        self.count += 1
        if self.count == self.at:
            assert self.process is not None
            os.kill(self.process.pid, signal.SIGKILL)
        text = str(asked.payload["messages"][-1]["content"])
        says = ("yes", "no", "I cannot judge people.")[hashlib.sha256(text.encode()).digest()[0] % 3]
        return Reply(pieces=[says])


def started(url: str, run: str, *options: str) -> subprocess.Popen[str]:
    command = [
        sys.executable, "-m", "fairlint", "counterfactual", "--prompt", "screen.py:invite",
        "--cases", "cases.csv", "--attribute", "gender", "--draws", "2",
        "--model", "openai:tiny-model", "--base-url", url,
        "--concurrency", str(AT_ONCE), "--run", run, "--format", "json", *options,
    ]  # fmt: skip
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode in {0, 1}, err
    told: dict[str, Any] = json.loads(out)
    told["asked"].pop("date")
    return told


def kept(run: str) -> list[str]:
    """The keys of the answers that a folder holds."""
    path = Path(run, "responses.jsonl")
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    return [json.loads(line)["key"] for line in lines if line.endswith(b"\n")]


def wait_for(happens: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + PATIENCE
    while not happens():
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.002)


def kill_at_question(server: Server, killer: _Killer, number: int, *options: str) -> None:
    """Start the audit and kill it when it asks for so many answers more."""
    killer.at, killer.count = number, 0
    killer.process = started(server.url, "killed", *options)
    killer.process.communicate(timeout=PATIENCE)
    killer.at = 0
    assert killer.process.returncode == -signal.SIGKILL


def test_an_audit_that_is_killed_at_any_moment_goes_on_where_it_was() -> None:
    killer = _Killer()
    with serving(killer) as server:
        whole = finished(started(server.url, "whole"))
        assert sum(whole["answers"].values()) == len(server.real) == QUESTIONS

        kill_at_question(server, killer, 1)
        assert kept("killed") == []
        so_far: list[str] = []
        for number in (1, 11, 3, 30, 50):
            before = len(server.real)
            kill_at_question(server, killer, number, "--resume")
            now = kept("killed")
            assert now[: len(so_far)] == so_far  # nothing that was kept is lost or changed
            assert len(server.real) - before < len(now) - len(so_far) + AT_ONCE + 1
            so_far = now
        assert 0 < len(so_far) < QUESTIONS

        before = len(server.real)
        resumed = finished(started(server.url, "killed", "--resume"))
        assert len(server.real) - before == QUESTIONS - len(so_far)
        assert sorted(kept("killed")) == sorted(kept("whole"))
        assert len(set(kept("killed"))) == QUESTIONS

        before = len(server.real)
        again = finished(started(server.url, "killed", "--resume"))
        assert len(server.real) == before
    assert resumed == again == whole


@pytest.mark.parametrize("file", ["run.json", "requests.jsonl", "responses.jsonl"])
def test_an_audit_that_is_killed_while_its_folder_is_made_goes_on(file: str) -> None:
    killer = _Killer()
    with serving(killer) as server:
        whole = finished(started(server.url, "whole"))
        process = started(server.url, "killed")
        wait_for(Path("killed", file).exists, process)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=PATIENCE)
        so_far, before = kept("killed"), len(server.real)
        resumed = finished(started(server.url, "killed", "--resume"))

        assert len(server.real) - before == QUESTIONS - len(so_far)
    assert resumed == whole


def test_an_audit_that_is_killed_after_its_last_answer_asks_nothing_more() -> None:
    killer = _Killer()
    with serving(killer) as server:
        whole = finished(started(server.url, "whole"))
        process = started(server.url, "killed")
        wait_for(lambda: len(kept("killed")) == QUESTIONS, process)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=PATIENCE)
        before = len(server.real)
        resumed = finished(started(server.url, "killed", "--resume"))

        assert len(server.real) == before
    assert resumed == whole
