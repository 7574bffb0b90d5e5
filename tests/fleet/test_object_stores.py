"""Stores in object storage: a server of it that runs on this machine, and servers that do not answer."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from git_server import POINTS, commit, make_repository

from fairlint.cli import main

pytest.importorskip("duckdb")
needs_server = pytest.mark.skipif(importlib.util.find_spec("moto") is None, reason="needs moto[server]")
PLACE = "s3://reports/fleet/main"


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name, value in (("ACCESS_KEY_ID", "test"), ("SECRET_ACCESS_KEY", "test"), ("REGION", "us-east-1")):
        monkeypatch.setenv(f"AWS_{name}", value)


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The file system of a server with an empty bucket."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 120
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)
        from pyarrow.fs import S3FileSystem

        files = S3FileSystem(endpoint_override=address, allow_bucket_creation=True)
        files.create_dir("reports")
        yield files
    finally:
        server.kill()
        server.wait()


def keys(files: Any) -> list[str]:
    from pyarrow.fs import FileSelector

    found = files.get_file_info(FileSelector("reports/fleet/main", recursive=True, allow_not_found=True))
    return sorted(one.path.removeprefix("reports/fleet/main/") for one in found if one.is_file)


def scan(*more: str) -> int:
    return main(["fleet", "scan", "all", "--store", PLACE, "--jobs", "1", "-q", *more])


def answers(capsys: pytest.CaptureFixture[str], *words: str, store: str = PLACE) -> str:
    capsys.readouterr()
    assert main(["fleet", *words, "--store", store]) == 0
    return capsys.readouterr().out


COUNT = ("query", "SELECT run, repository, path FROM findings ORDER BY ALL", "--format", "csv")


@pytest.mark.slow
@needs_server
def test_a_run_is_published_and_read_on_another_machine(
    storage: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_repository(Path("all") / "shop", {"a.py": POINTS})
    make_repository(Path("all") / "bank", {"a.py": POINTS})
    assert scan("--run", "r1") == 0
    there = keys(storage)
    assert {"store.json", "runs/r1.json"} < set(there)
    assert len([name for name in there if name.startswith("parts/run=r1/")]) == 6
    first = answers(capsys, *COUNT)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    assert answers(capsys, *COUNT) == first
    assert first.count("\n") == 3
    commit(Path("all") / "shop", {"b.py": POINTS})
    assert scan("--run", "r2") == 0
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    told = answers(capsys, "query", "SELECT status FROM repositories WHERE run = 'r2' ORDER BY ALL")
    assert told.split() == ["status", "checked", "unchanged"]
    assert "b.py" in answers(capsys, "diff", "previous", "latest")
    assert main(["fleet", "export", "--to", "csv", "--store", PLACE, "--output", "out.csv"]) == 0
    assert Path("out.csv").read_text().count("\n") == 4


@pytest.mark.slow
@needs_server
def test_nobody_sees_a_run_before_all_of_it_is_there(
    storage: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from fairlint.fleet.object_stores import ObjectStore

    make_repository(Path("all") / "shop", {"a.py": POINTS})
    assert scan("--run", "r1") == 0
    before = answers(capsys, *COUNT)
    send, sent = ObjectStore._send, []

    def send_some(store: ObjectStore, path: str) -> None:
        sent.append(path)
        if len(sent) == at:
            raise OSError("broken off")
        send(store, path)

    commit(Path("all") / "shop", {"b.py": POINTS})
    for at in (1, 3, 6, 7, 8):
        sent.clear()
        with monkeypatch.context() as patched:
            patched.setattr(ObjectStore, "_send", send_some)
            assert scan(*(["--run", "r2"] if at == 1 else [])) == 2
        assert capsys.readouterr().err == f"fairlint: error: {PLACE}: broken off\n"
        with monkeypatch.context() as patched:
            patched.setenv("XDG_CACHE_HOME", str(tmp_path / f"other{at}"))
            assert answers(capsys, *COUNT) == before
    assert sent[-1] == "runs/r2.json"
    assert scan("--run", "r3") == 0
    assert {"runs/r2.json", "runs/r3.json"} < set(keys(storage))
    with monkeypatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(tmp_path / "last"))
        after = answers(capsys, *COUNT)
    assert [line for line in after.splitlines() if line.startswith("r2")] == ["r2,shop,a.py", "r2,shop,b.py"]


@pytest.mark.slow
@needs_server
def test_an_interrupted_run_goes_on_where_it_began(storage: Any) -> None:
    from fairlint.fleet.engines.local import LocalEngine

    def stop(*_given: Any) -> None:
        raise KeyboardInterrupt

    make_repository(Path("all") / "shop", {"a.py": POINTS})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(LocalEngine, "submit", stop)
        assert scan("--run", "r1") == 130
    assert keys(storage) == []
    assert scan("--resume") == 0
    assert "runs/r1.json" in keys(storage)


@pytest.mark.slow
@needs_server
def test_runs_that_were_taken_away_are_forgotten_and_strangers_are_left_alone(
    storage: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    make_repository(Path("all") / "shop", {"a.py": POINTS})
    scan("--run", "r1")
    commit(Path("all") / "shop", {"b.py": POINTS})
    scan("--run", "r2")
    storage.delete_file("reports/fleet/main/runs/r2.json")
    with storage.open_output_stream("reports/fleet/main/parts/run=r1/../../../x.parquet") as stream:
        stream.write(b"no table")
    assert answers(capsys, *COUNT).splitlines()[1:] == ["r1,shop,a.py"]
    with storage.open_output_stream("reports/other/notes.txt") as stream:
        stream.write(b"mine")
    assert main(["fleet", "scan", "all", "--store", "s3://reports/other", "-q"]) == 2
    assert "holds notes.txt: name a new or empty prefix of reports" in capsys.readouterr().err
    assert main(["fleet", "query", "--ask", "trend", "--store", "s3://reports/none"]) == 2
    assert "s3://reports/none: there is no store" in capsys.readouterr().err
    assert main(["fleet", "scan", "all", "--store", "s3://nobody/none", "-q"]) == 2
    assert "s3://nobody/none: there is no bucket nobody" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("http://reports/fleet", "--store takes a folder, s3://BUCKET/PREFIX or gs://BUCKET/PREFIX"),
        ("s3://key:secret@reports/fleet", "an address with a name or a password"),
        ("s3:///fleet", "is no address of a store"),
    ],
)
def test_what_is_no_store_is_said_in_one_line(
    place: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    make_repository(Path("all") / "shop", {"a.py": POINTS})
    assert main(["fleet", "scan", "all", "--store", place]) == 2
    told = capsys.readouterr().err
    assert words in told
    assert "secret" not in told
    assert told.count("\n") == 1


def answer_all(server: socket.socket, answer: bytes) -> None:
    """Give one answer to whatever is asked."""
    with suppress(OSError):
        while True:
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer)


@pytest.mark.parametrize("answer", ["refuses", "is silent", "denies"])
def test_storage_that_cannot_be_reached_is_one_line_and_soon(answer: str) -> None:
    """In a process of its own, whose end must not wait either."""
    denial = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        if answer == "refuses":
            server.close()
        if answer == "denies":
            threading.Thread(target=answer_all, args=(server, denial), daemon=True).start()
        command = "import sys; from fairlint.cli import main; sys.exit(main(sys.argv[1:]))"
        done = subprocess.run(
            [sys.executable, "-c", command, "fleet", "query", "--ask", "trend", "--store", PLACE],
            env={**os.environ, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}"},
            capture_output=True, text=True, check=False, timeout=60,  # it gives up after five
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(f"fairlint: error: {PLACE}: ")
    assert done.stderr.count("\n") == 1
