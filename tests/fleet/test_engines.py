"""Clusters that are really started: the rows are those of this machine, also where workers die."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def served_cluster(engine: str) -> Iterator[str]:
    """The address of a cluster of two workers that is there for as long as the block."""
    port = free_port()
    folder = tempfile.mkdtemp(prefix="rc")  # short, for Ray makes sockets below it
    if engine == "ray":
        address = f"ray://127.0.0.1:{port}"
        words = ["-m", "ray.scripts.scripts", "start", "--head", "--block", "--num-cpus=2"]
        words += ["--include-dashboard=false", "--disable-usage-stats", f"--temp-dir={folder}"]
        words += [f"--port={free_port()}", f"--ray-client-server-port={port}"]
    else:
        address = f"tcp://127.0.0.1:{port}"
        words = ["-c", DASK_CLUSTER, str(port)]
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    process = subprocess.Popen(
        [sys.executable, *words], env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(1200):
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", port)) == 0 or process.poll() is not None:
                    break
            time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(60)
        shutil.rmtree(folder, ignore_errors=True)


DASK_CLUSTER = """
import signal, sys
from distributed import LocalCluster
if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    with LocalCluster(
        n_workers=2, threads_per_worker=1, scheduler_port=int(sys.argv[1]), dashboard_address=None
    ):
        signal.pause()
"""


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


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with many files and of a git repository, and the store of their whole rows."""
    folder = tmp_path_factory.mktemp("packages")
    ignored = shutil.ignore_patterns("__pycache__", "*.so")
    for package in ("fairlearn", "sklearn"):
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            pytest.skip(f"needs {package}")
        shutil.copytree(Path(spec.origin).parent, folder / "all" / package, ignore=ignored)
    shutil.copytree(ROOT / "fixtures", folder / "all" / "fairlearn" / "fixtures")
    many = {f"part{number}/score.py": POINTS for number in range(90)}
    make_repository(folder / "all" / "shop", many)
    store = str(folder / "whole")
    scan = ["fleet", "scan", str(folder / "all"), "--jobs", "2", "--split-files", "0", "-q"]
    assert main([*scan, "--store", store]) == 0
    return folder


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(os.name != "posix", reason="ends clusters by signals")
@pytest.mark.parametrize("is_served", [False, True], ids=["started", "served"])
@pytest.mark.parametrize("engine", [pytest.param("ray", marks=RAY), pytest.param("dask", marks=DASK)])
def test_shards_on_a_cluster_have_the_rows_of_whole_repositories(
    engine: str, is_served: bool, packages: Path
) -> None:
    scan = ["fleet", "scan", str(packages / "all"), "--store", "split", "--split-files", "40", "-q"]
    if is_served:
        if engine == "ray":
            pytest.importorskip("grpc", reason="needs the client of Ray")
        with served_cluster(engine) as address:
            assert main([*scan, "--engine", address]) == 0
    else:
        assert main([*scan, "--engine", engine, "--jobs", "2"]) == 0
    assert rows("split") == rows(str(packages / "whole"))
    assert [row["status"] for row in rows("split")["repositories"]] == ["checked"] * 3
    assert len(rows("split")["findings"]) > 90
    assert not Path("split", "work").exists()


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


@RAY
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
def test_a_cluster_that_is_lost_ends_a_run_that_goes_on_later(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(8):
        make_repository(Path("all") / f"shop{number}", {"score.py": POINTS})
    keep = Store.keep
    killed: list[int] = []

    def keep_and_kill(*given: Any) -> Path:
        path = keep(*given)
        for folder in Path("/proc").glob("[0-9]*") if not killed else ():
            with suppress(OSError):
                words = (folder / "cmdline").read_bytes()
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                if b"raylet/raylet" in words.split(b"\0")[0] and parent == os.getpid():
                    os.kill(int(folder.name), signal.SIGKILL)
                    killed.append(int(folder.name))
        return path

    monkeypatch.setattr(Store, "keep", keep_and_kill)
    scan = ["fleet", "scan", "all", "--store", "store", "--jobs", "1", "-q"]
    assert main([*scan, "--engine", "ray"]) == 2
    assert killed
    assert "the same command with --resume continues" in capsys.readouterr().err
    assert main([*scan, "--resume"]) == 0
    for table in ("repositories", "findings"):
        names = [row["repository"] for row in rows("store")[table]]
        assert names == [f"shop{number}" for number in range(8)]
    assert rows("store")["errors"] == []


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
