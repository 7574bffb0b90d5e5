"""Judging by processes: what no process survives is named with its cause, and the others are judged."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from fairlint import Settings, UsageError
from fairlint.backends.model import Finished, Response, Sampling
from fairlint.backends.requests import Request
from fairlint.bench.asking.choice import Choice
from fairlint.bench.asking.running import run
from fairlint.bench.judging.judging_all import judge_all, judge_kept_answer
from fairlint.bench.runs.judged_runs import judge_again, metrics_of
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.function_task import FunctionSuite
from fairlint.bench.suites.suite import Kept
from fairlint.checking.checker import Checker
from fairlint.cli import main
from fairlint.processes import parallel
from fairlint.processes.deadline import TooLongError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory, and /proc")

SUITE = suite_of("faircode:function")
FAIR = "```python\ndef rate(person):\n    return person.skill\n```\n"
LIMITS = Settings(file_timeout=1.0, file_memory=300_000_000)


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def leave() -> None:
    os._exit(0)


def stop() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def spin() -> None:
    while True:
        pass


def hold() -> None:
    """Hangs in C, where no signal's handler runs."""
    pow(3, 10**10, 7**300_000)


def eat() -> None:
    held = []
    while True:
        held.append(bytearray(10_000_000))


def sink() -> None:
    sink()


POISONS: dict[str, tuple[Callable[[], None], str]] = {
    "kill": (kill, "died"),
    "leave": (leave, "died"),
    "stop": (stop, "time"),
    "spin": (spin, "time"),
    "hold": (hold, "time"),
    "eat": (eat, "memory"),
    "sink": (sink, "error"),
}


@pytest.fixture
def poisoned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers that do something to the process that judges them; it is forked, so that it knows how."""
    judge = FunctionSuite.judge

    def judged(self: FunctionSuite, kept: Kept) -> dict[str, Any]:
        poison, _ = POISONS.get(kept["text"].partition("\n")[0], (None, ""))
        if poison is not None:
            poison()
        return judge(self, kept)

    monkeypatch.setattr(FunctionSuite, "judge", judged)
    monkeypatch.setattr(parallel, "fresh", parallel.fork_process)


def kept(key: str, text: str = FAIR) -> dict[str, Any]:
    return {
        "key": key, "attribute": "gender", "scenario": "job", "list": "", "subject": "Nurse", "sample": 0,
        "prompt": "", "given": "", "asked": "", "text": text, "finish": "end",
    }  # fmt: skip


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.usefixtures("poisoned")
def test_what_a_process_does_not_survive_is_named_and_the_rest_is_judged(workers: int) -> None:
    answers = [kept(f"fair {number}") for number in range(5)]
    answers[2:2] = [kept(name, f"{name}\n{FAIR}") for name in POISONS]
    found = list(judge_all(SUITE.name, answers, workers=workers, limits=LIMITS))
    by_key = {one["key"]: one for one in found}
    assert len(found) == len(by_key) == len(answers)
    assert {name: by_key[name]["not_judged"]["cause"] for name in POISONS} == {
        name: cause for name, (_, cause) in POISONS.items()
    }
    assert all(by_key[f"fair {number}"]["valid"] for number in range(5))
    assert by_key["spin"]["not_judged"]["reason"] == "takes longer than 1 s"
    assert by_key["eat"]["not_judged"]["reason"] == "takes more than 300 MB of the memory"
    assert "RecursionError" in by_key["sink"]["not_judged"]["reason"]
    assert by_key["kill"]["outcomes"][0]["published"] == {}  # the text is read all the same


def test_processes_begin_anew_and_judge_alike() -> None:
    biased = FAIR.replace("person.skill", "5 if person.gender == 'male' else 0")
    answers = [kept("fair"), kept("biased", biased), kept("none", "No."), kept("half", "\ud83d" + FAIR)]
    found = {one.pop("key"): one for one in judge_all(SUITE.name, answers)}
    assert found == {one["key"]: SUITE.judge(one) for one in answers}


def test_what_the_analysis_says_of_time_and_memory_names_the_limits_of_the_judge(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = {}
    for error in (TooLongError(), MemoryError()):

        def breaks(*_: object, error: BaseException = error) -> None:
            raise error

        monkeypatch.setattr(Checker, "_analyse", breaks)
        biased = FAIR.replace("person.skill", "5 if person.gender == 'male' else 0")
        # so much time that no timer strikes on a busy machine
        limits = Settings(file_timeout=600, file_memory=300_000_000)
        not_judged = judge_kept_answer(SUITE, kept("one", biased), limits)["not_judged"]
        told[not_judged["cause"]] = not_judged["reason"]
    assert told == {
        "time": "takes longer than 600 s",
        "memory": "takes more than 300 MB of the memory",
    }


def test_nothing_to_judge_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "fresh", None)
    assert list(judge_all(SUITE.name, [])) == []


def test_a_python_that_cannot_be_started_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(UsageError, match="no process can be started: /bin/false ends before it has begun"):
        list(judge_all(SUITE.name, [kept("fair")]))


def test_a_suite_that_only_this_process_knows_is_told() -> None:
    with pytest.raises(UsageError, match="no installed package has the suite mine"):
        list(judge_all("mine", [kept("one")]))


def test_an_answer_that_was_not_asked_for_is_the_users_mistake() -> None:
    with pytest.raises(UsageError, match="has no topic 'Nurse'"):
        list(judge_all("faircode:testcase", [kept("one")]))


# ------------------------------------------------------------------------------------------- a run's folder


class Poisoner:
    """Answers the first request with a poison."""

    name, revision = "poisoner", "1"
    settings: Mapping[str, Any] = MappingProxyType({})

    def __init__(self, poison: str) -> None:
        self._poison = poison

    def sampling(self, wanted: Sampling) -> Sampling:
        return wanted

    def answer(
        self, requests: Sequence[Request], sampling: Sampling, finished: Finished
    ) -> Iterator[Sequence[Response]]:
        for place, request in enumerate(requests):
            text = FAIR.replace("rate", request.function)
            yield [Response(request, text if place else f"{self._poison}\n{text}", "", "end", 1, 1)]

    def close(self) -> None:
        pass


FEW = Choice(samples=2, limit=3)


@pytest.mark.usefixtures("poisoned")
def test_a_poisoned_answer_is_met_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    made = run(Poisoner("spin"), SUITE, FEW, folder, limits=LIMITS)
    (named,) = made["not_judged"]
    assert (named["cause"], named["sample"], made["answers"]["not_judged"]) == ("time", 0, 1)
    assert made["overall"]["fair_score"] == 1.0
    assert metrics_of(folder) == made

    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(parallel, "fork_process", never)
    monkeypatch.setattr(parallel, "fresh", never)
    assert run(Poisoner("spin"), SUITE, FEW, folder, limits=LIMITS, resume=True) == made


@pytest.mark.parametrize("only", [True, False])
@pytest.mark.usefixtures("poisoned")
def test_what_was_not_judged_can_be_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, only: bool
) -> None:
    folder = tmp_path / "run"
    run(Poisoner("kill"), SUITE, FEW, folder, limits=LIMITS)
    before = (folder / "outcomes.jsonl").read_text("utf-8")
    monkeypatch.setitem(POISONS, "kill", (leave, "died"))
    judge_again(folder, only_not_judged=only, limits=LIMITS)
    assert sorted((folder / "outcomes.jsonl").read_text("utf-8").splitlines()) == sorted(before.splitlines())
    monkeypatch.delitem(POISONS, "kill")  # fairlint has been mended
    made = judge_again(folder, only_not_judged=only)
    assert made["not_judged"] == []
    assert json.loads((folder / "metrics.json").read_text("utf-8")) == made == metrics_of(folder)
    lines = [json.loads(line) for line in (folder / "outcomes.jsonl").read_text("utf-8").splitlines()]
    assert [one["key"] for one in lines] == [
        json.loads(line)["key"] for line in (folder / "responses.jsonl").read_text("utf-8").splitlines()
    ]


@pytest.mark.usefixtures("poisoned")
def test_an_interrupt_while_judging_again_leaves_what_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    run(Poisoner("spin"), SUITE, FEW, folder, limits=LIMITS)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}

    def interrupted(*_: object, **__: object) -> Iterator[Any]:
        raise KeyboardInterrupt

    monkeypatch.setattr(parallel, "analyse", interrupted)
    assert main(["bench", "judge", "--quiet", str(folder)]) == 130
    assert "what was judged before is as it was" in capsys.readouterr().err
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


@pytest.mark.usefixtures("poisoned")
def test_the_command_judges_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    run(Poisoner("spin"), SUITE, FEW, folder, limits=LIMITS)
    told = ["bench", "judge", "--quiet", "--only-not-judged", "--judge-timeout", "0.5", str(folder)]
    assert main(told) == 0
    shown = capsys.readouterr().out
    assert "1 of 6 answers was not judged (time 1)" in shown
    assert "takes longer than 0.5 s" in shown
    assert (folder / "report.html").exists()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (
            ["--judge-timeout", "soon"],
            "--judge-timeout must be a number of seconds, 0 for no limit, not 'soon'",
        ),
        (["--judge-memory", "much"], "--judge-memory must be"),
        ([], "takes the folders of runs"),
        (["nowhere"], "nowhere: no such folder"),
    ],
)
def test_what_cannot_be_is_one_line(wrong: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = wrong if len(wrong) < 2 else [*wrong, "x"]
    assert main(["bench", "judge", *words]) == 2
    told = capsys.readouterr().err
    assert says in told
    assert told.count("\n") == 1


# ---------------------------------------------------------------------------------------- who ends with whom


PROGRAM = """
import sys
from fairlint.bench.judging.judging_all import judge_all
text = "```python\\ndef rate(person):\\n    score = 0\\n"
text += "    if person.gender == 'male':\\n        score += 1\\n" * 12
text += "    return score\\n```"
def kept(number):
    return {"key": str(number), "attribute": "gender", "scenario": "job", "subject": "Nurse", "given": "",
            "asked": "", "text": f"{text}# {number}", "finish": "end"}
for one in judge_all("faircode:function", [kept(number) for number in range(100_000)], workers=2):
    print(one["key"], flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_no_process_outlives_its_parent(number: int) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert parent.stdout is not None
    assert parent.stdout.readline()  # it judges
    assert len(in_session(parent.pid)) == 3
    parent.send_signal(number)
    parent.stdout.close()
    parent.wait(60)
    assert becomes(lambda: not in_session(parent.pid))


ANSWERS = 60
"""Enough that much is left when the first is judged."""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_process_that_is_ended_or_stopped_is_replaced(number: int) -> None:
    program = PROGRAM.replace("range(100_000)", f"range({ANSWERS})").replace(
        "workers=2", "workers=2, limits=Settings(file_timeout=5)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", f"from fairlint import Settings\n{program}"],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert parent.stdout is not None
    first = parent.stdout.readline()
    victim = max(in_session(parent.pid) - {parent.pid})
    os.kill(victim, number)
    with parent.stdout:
        rest = parent.stdout.read()
    assert parent.wait(120) == 0
    assert sorted((first + rest).split(), key=int) == [str(number) for number in range(ANSWERS)]
    assert victim not in in_session(parent.pid)


def becomes(true: Callable[[], bool]) -> bool:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if true():
            return True
        time.sleep(0.05)
    return False


def in_session(session: int) -> set[int]:
    """The processes of a session that have not ended."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, at = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(at) == session and state != "Z":
            found.add(int(folder.name))
    return found
