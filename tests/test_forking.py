"""Processes that are forked from an early one: they know nothing of what came later, and end when told."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from fairlint import Settings, check_paths
from fairlint.checking import runner
from fairlint.processes import parallel, zygote

SCORE = """\
def rate(applicant):
    points = 0
    if applicant.gender == "f":
        points += 5
    return points
"""

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only"),
    pytest.mark.skipif(not zygote.available(), reason="this kernel has no handles of processes"),
]

HELD: list[str] = []


def says_what_it_has(line: Connection[Any, Any], parent: int) -> None:
    while True:
        line.recv()
        line.send((list(HELD), parent == os.getppid(), os.getpid()))


def test_a_process_has_what_was_there_when_the_first_began() -> None:
    HELD[:] = ["early"]
    template = zygote.Zygote(says_what_it_has)
    try:
        seen = []
        for _ in range(3):
            process = template.start()
            HELD.append("late")
            process.line.send("?")
            held, is_child, number = process.line.recv()
            seen.append(number)
            assert (held, is_child, number) == (["early"], True, process.number)
            process.end()
            with pytest.raises((EOFError, OSError)):
                process.line.recv()
        assert len(set(seen)) == 3
    finally:
        HELD.clear()
        template.end()


def test_a_process_that_has_ended_by_itself_can_be_ended() -> None:
    template = zygote.Zygote(lambda *_: None)
    try:
        process = template.start()
        with pytest.raises(EOFError):
            process.line.recv()
        process.end()
    finally:
        template.end()


def test_processes_go_when_the_first_is_killed() -> None:
    code = """
import os, sys
from fairlint.processes import zygote
def serve(line, parent):
    from fairlint.processes import signals
    signals.end_with(parent)
    line.send(os.getpid())
    line.recv()
template = zygote.Zygote(serve)
one, two = template.start().line, template.start().line
print(one.recv(), two.recv(), template._process.pid, flush=True)
sys.stdin.read()
"""
    running = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
    )
    with running:
        assert running.stdout is not None
        others = [int(word) for word in running.stdout.readline().split()]
        assert len(others) == 3
        running.kill()
    until = time.monotonic() + 60
    while any(map(_is_alive, others)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(_is_alive, others))


def _is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def _many(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(8):
        (folder / f"f{number}.py").write_text(SCORE)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(runner, "ENOUGH_FOR_PROCESSES", 0)
    monkeypatch.setattr(parallel, "available", lambda **_: True)
    monkeypatch.setattr(parallel, "_process_count", lambda: 2)
    monkeypatch.setattr(parallel, "BATCH", 1)
    monkeypatch.setattr(parallel, "RENEWED", 1)


def test_a_template_that_is_killed_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _many(tmp_path, monkeypatch)
    start = parallel.FromTemplate.__call__
    killed: list[int] = []

    def kills(self: parallel.FromTemplate, *given: Any) -> parallel.Started:
        process = self._template and self._template._process.pid
        if process and len(killed) < 2:
            killed.append(process)
            os.kill(process, signal.SIGKILL)
        return start(self, *given)

    monkeypatch.setattr(parallel.FromTemplate, "__call__", kills)
    report = check_paths(["."], Settings())
    assert killed
    assert len(report.findings) == 8
    assert not report.failed


def test_where_there_are_no_handles_processes_are_forked_from_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _many(tmp_path, monkeypatch)
    monkeypatch.setattr(zygote, "available", lambda: False)
    forked, begun = parallel.fork_process, []

    def counted(*given: Any) -> parallel.Started:
        begun.append(1)
        return forked(*given)

    monkeypatch.setattr(parallel, "fork_process", counted)
    report = check_paths(["."], Settings())
    assert len(begun) == 8
    assert len(report.findings) == 8


@pytest.mark.parametrize("before", [0, 1])
def test_a_template_that_is_always_killed_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: int
) -> None:
    """Killed before it is asked for a process for the first time, or for the second."""
    _many(tmp_path, monkeypatch)
    start, asked = zygote.Zygote.start, []

    def killed(self: zygote.Zygote) -> Any:
        asked.append(1)
        if len(asked) > before:
            process = self._process.pid
            assert process is not None
            os.kill(process, signal.SIGKILL)
            self._process.join()
        return start(self)

    monkeypatch.setattr(zygote.Zygote, "start", killed)
    report = check_paths(["."], Settings())
    assert len(asked) > parallel.TEMPLATES
    assert (len(report.findings), report.not_analysed, report.failed) == (8, (), False)


def test_a_template_that_is_stopped_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _many(tmp_path, monkeypatch)
    monkeypatch.setattr(zygote, "SLOWEST", 0.5)
    monkeypatch.setattr(zygote, "ENDING", 0.1)
    start, stopped = zygote.Zygote.start, list[int]()

    def stops(self: zygote.Zygote) -> Any:
        process = self._process.pid
        assert process is not None
        if not stopped:
            os.kill(process, signal.SIGSTOP)
            stopped.append(process)
        return start(self)

    monkeypatch.setattr(zygote.Zygote, "start", stops)
    report = check_paths(["."], Settings())
    assert stopped
    assert (len(report.findings), report.not_analysed, report.failed) == (8, (), False)


@pytest.mark.parametrize("had", [0, 1, 3])
def test_where_no_process_can_be_had_the_first_does_it_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, had: int
) -> None:
    _many(tmp_path, monkeypatch)
    start, begun = parallel.FromTemplate.__call__, []

    def refused(self: parallel.FromTemplate, *given: Any) -> parallel.Started:
        begun.append(1)
        if len(begun) > had:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return start(self, *given)

    monkeypatch.setattr(parallel.FromTemplate, "__call__", refused)
    report = check_paths(["."], Settings())
    assert len(begun) > had
    assert (len(report.findings), report.not_analysed, report.failed) == (8, (), False)


def test_a_template_that_may_not_fork_says_so() -> None:
    code = """
import resource
from fairlint.processes import zygote
template = zygote.Zygote(lambda *_: None)
template.start().end()  # it has begun
resource.prlimit(template._process.pid, resource.RLIMIT_NOFILE, (4, 4))
try:
    template.start()
except zygote.LostTemplateError:
    print("lost")
except OSError as error:
    print(error.strerror)
template.end()
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("Too many open files\n", "")
