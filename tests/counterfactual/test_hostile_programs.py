"""Programs that mean harm are contained: the next one runs, and nothing outside is touched."""

from __future__ import annotations

import gc
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile_programs import PROGRAMS
from python_executor import HOLDS, needs_process

from fairlint.counterfactual.executors.confinement import HIDING
from fairlint.counterfactual.executors.executor import Call, Executor, Failed, Limits, Program, Value
from fairlint.counterfactual.executors.monty import MontyExecutor
from fairlint.counterfactual.executors.process import ProcessExecutor, lacking

CALL = Call("arguments", ("age", "sex"))
LIMITS = Limits(seconds=0.4, memory=256 * 2**20, depth=200, output=10**6)
BY_PATH = ("look for a file", "look at a link")
"""Programs that are refused where paths are hidden."""
MOST_MEMORY = 300 * 2**20
"""Bytes that this process may grow by; the programs ask for far more."""


class Place:
    """What programs may not reach: a folder, and a port that listens."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "kept").write_text("kept")
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.setblocking(False)
        self.before = self.state()

    def state(self) -> dict[str, tuple[str, int]]:
        return {each.name: (each.read_text(), each.stat().st_mode) for each in self.folder.iterdir()}

    def said(self, text: str) -> str:
        port = self.listener.getsockname()[1]
        return text.replace("CANARY", str(self.folder)).replace("PORT", str(port))

    def is_untouched(self) -> bool:
        with pytest.raises(BlockingIOError):
            self.listener.accept()
        return self.state() == self.before


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    made = Place(tmp_path_factory.mktemp("canary"))
    yield made
    made.listener.close()


@pytest.fixture(scope="module", params=[MontyExecutor, ProcessExecutor], ids=["monty", "process"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    if request.param is ProcessExecutor and not HOLDS:
        pytest.skip("without seccomp and Landlock these would do harm here")
    with request.param() as started:
        yield started


@pytest.fixture(scope="module", autouse=True)
def small_search_for_garbage() -> Iterator[None]:
    """Leave what other modules have loaded out of the many searches here, which would walk all of it."""
    gc.freeze()
    yield
    gc.unfreeze()


def memory() -> int:
    """The bytes that this process has in memory."""
    gc.collect()
    path = Path("/proc/self/statm")
    return int(path.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if path.exists() else 0


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_hostile_program_is_contained(executor: Executor, place: Place, name: str) -> None:
    if name in BY_PATH and executor.name == "process" and lacking()[HIDING]:
        pytest.skip(lacking()[HIDING])
    before = memory()
    start = time.monotonic()
    found = executor.run(Program(place.said(PROGRAMS[name]), "f", CALL), [(30, "x"), (20, "y")], LIMITS)
    took = time.monotonic() - start
    assert isinstance(found, Failed) or len(found) == 2
    assert not isinstance(found, Failed) or "\n" not in found.message
    assert "escaped" not in repr(found)
    assert place.is_untouched()
    assert took < 30
    assert memory() - before < MOST_MEMORY
    fine = Limits(seconds=20)
    found = executor.run(Program("def f(age, sex): return age > 25", "f", CALL), [(30, ""), (20, "")], fine)
    assert found == (Value("bool", "1"), Value("bool", "0"))


def test_there_are_sixty_and_more() -> None:
    assert len(PROGRAMS) >= 60


@needs_process
def test_no_process_is_left(place: Place) -> None:
    """Every child of the process executor has ended with its batch, even one that tried to leave."""
    before = children()
    with ProcessExecutor() as executor:
        for name in ("fork", "daemon", "threads", "endless", "leave the session"):
            executor.run(Program(place.said(PROGRAMS[name]), "f", CALL), [(30, "x")], LIMITS)
    assert children() <= before


def children() -> set[int]:
    path = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    return set(map(int, path.read_text().split())) if path.exists() else set()


@needs_process
def test_nothing_is_left_in_the_folder_of_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with ProcessExecutor() as executor:
        for name in ("a file in the cwd", "exit", "endless"):
            executor.run(Program(PROGRAMS[name], "f", CALL), [(30, "x")], LIMITS)
    assert list(tmp_path.iterdir()) == []
