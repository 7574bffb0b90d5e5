"""Clusters that are really started: the rows are those of this machine, also where workers die."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from git_server import POINTS, make_repository

from fairlint.cli import main
from fairlint.fleet.engines.local import LocalEngine
from fairlint.fleet.store import Store

pytest.importorskip("pyarrow")
ROOT = Path(__file__).parent.parent.parent
RAY = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs Ray")
DASK = pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="needs Dask")
NOT_COMPARED = {"run", "data_run", "seconds", "cpu_seconds"}


@pytest.fixture(autouse=True)
def _stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def rows(store: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of all tables without what each run has of its own, in order."""
    found = {}
    for table in ("repositories", "findings", "uses", "coverage", "errors", "suppressed"):
        plain = [
            {name: value for name, value in row.items() if name not in NOT_COMPARED}
            for row in Store(Path(store)).rows(table)
        ]
        found[table] = sorted(plain, key=repr)
    return found


def some_repositories() -> None:
    for number in range(4):
        make_repository(Path("all") / f"shop{number}", {"score.py": POINTS, "app.ts": ""})
    (Path("all") / "broken.zip").write_bytes(b"no zip")


@pytest.mark.parametrize("milliseconds", [0, 1, 2, 3, 5, 8, 20, 100])
def test_work_is_cancelled_at_any_moment_also_amid_the_start_of_a_process(milliseconds: int) -> None:
    engine = LocalEngine(2, "work")
    engine.submit([{"limits": {"seconds": 60.0}, "entry": {"name": str(number)}} for number in range(4)])
    time.sleep(milliseconds / 1000)
    canceller = threading.Thread(target=engine.cancel, daemon=True)
    canceller.start()
    canceller.join(60)
    assert not canceller.is_alive()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("engine", [pytest.param("ray", marks=RAY), pytest.param("dask", marks=DASK)])
def test_rows_are_those_of_this_machine(engine: str) -> None:
    some_repositories()
    assert main(["fleet", "scan", "all", "--store", "local", "--jobs", "2", "-q"]) == 0
    assert main(["fleet", "scan", "all", "--store", engine, "--engine", engine, "--jobs", "2", "-q"]) == 0
    assert rows(engine) == rows("local")
    assert len(rows(engine)["findings"]) == 4


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kills by signals")
@pytest.mark.parametrize("engine", [pytest.param("ray", marks=RAY), pytest.param("dask", marks=DASK)])
def test_a_driver_that_is_killed_loses_and_doubles_nothing(engine: str) -> None:
    for number in range(8):
        make_repository(Path("all") / f"shop{number}", {"score.py": POINTS})
    command = "import sys; from fairlint.cli import main; sys.exit(main(sys.argv[1:]))"
    arguments = [
        "fleet",
        "scan",
        "all",
        "--store",
        "store",
        "--engine",
        engine,
        "--jobs",
        "1",
        "--run",
        "only",
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", command, *arguments], env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(9000):
            if len(list(Path("store").glob("pending/*/*.json"))) >= 2 or process.poll() is not None:
                break
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()
    if not Store(Path("store")).runs()[-1].is_finished:
        assert main(["fleet", "scan", "all", "--store", "store", "--jobs", "2", "-q", "--resume"]) == 0
    for table in ("repositories", "findings"):
        names = [row["repository"] for row in Store(Path("store")).rows(table)]
        assert sorted(names) == [f"shop{number}" for number in range(8)]


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        pytest.param("ray://127.0.0.1:9", "cannot be reached", marks=RAY),
        pytest.param("tcp://127.0.0.1:9", "cannot be reached", marks=DASK),
        pytest.param("tcp://127.0.0.1", "needs a host and a port", marks=DASK),
    ],
)
def test_a_cluster_that_is_not_there_is_told_soon(
    engine: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    some_repositories()
    began = time.monotonic()
    assert main(["fleet", "scan", "all", "--store", "store", "--engine", engine]) == 2
    assert time.monotonic() - began < 15  # importing Ray is most of it
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1
    assert not list(Path("store").glob("runs/*"))
