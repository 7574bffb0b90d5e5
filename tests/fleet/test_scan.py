"""A run over a list: what the store has after it, after another, and after any kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from git_server import POINTS, commit, make_repository, serve

from fairlint.cli import main
from fairlint.fleet.engines.local import LocalEngine
from fairlint.fleet.parts import write_part
from fairlint.fleet.store import Store, open_store

ROOT = Path(__file__).parent.parent.parent
pytest.importorskip("pyarrow")


@pytest.fixture(autouse=True)
def _stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def scan(*more: str) -> int:
    return main(["fleet", "scan", "all", "--store", "store", "--jobs", "2", *more])


def rows(table: str, run: str = "*") -> list[dict[str, Any]]:
    return list(Store(Path("store")).rows(table, run))


def some_repositories(count: int) -> None:
    for number in range(count):
        make_repository(Path("all") / f"shop{number}", {"score.py": POINTS, "area.py": f"x = {number}\n"})


def test_a_run_has_a_row_for_each_repository(capsys: pytest.CaptureFixture[str]) -> None:
    some_repositories(2)
    (Path("all") / "empty").mkdir()
    make_repository(Path("all") / "ts", {"prompts/app.ts": "let a = 1\n"})
    (Path("all") / "broken.zip").write_bytes(b"no zip")
    assert scan("--run", "first") == 0
    assert capsys.readouterr().out == "run first: 4 checked, 0 unchanged, 1 not checked; 2 findings.\n"
    found = {row["repository"]: row for row in rows("repositories")}
    assert {name: row["status"] for name, row in found.items()} == {
        "broken.zip": "failed", "empty": "checked", "shop0": "checked", "shop1": "checked", "ts": "checked",
    }  # fmt: skip
    assert (found["shop0"]["files"], found["shop0"]["findings"], found["shop0"]["data_run"]) == (
        2,
        1,
        "first",
    )
    assert [row["cause"] for row in rows("errors")] == ["damaged"]
    assert [(row["repository"], row["kind"]) for row in rows("coverage")] == [("ts", "TypeScript")]
    assert sorted(row["repository"] for row in rows("uses")) == ["shop0", "shop1"]


def test_what_has_not_changed_is_not_checked_again(capsys: pytest.CaptureFixture[str]) -> None:
    some_repositories(3)
    scan("--run", "first")
    commit(Path("all") / "shop1", {"other.py": POINTS})
    capsys.readouterr()
    assert scan("--run", "second") == 0
    assert capsys.readouterr().out.startswith("run second: 1 checked, 2 unchanged, 0 not checked")
    second = {row["repository"]: row for row in rows("repositories", "second")}
    assert {name: row["data_run"] for name, row in second.items()} == {
        "shop0": "first", "shop1": "second", "shop2": "first",
    }  # fmt: skip
    assert second["shop0"]["findings"] == 1
    assert {row["repository"] for row in rows("findings", "second")} == {"shop1"}
    scan("--run", "third")
    third = {row["repository"]: row for row in rows("repositories", "third")}
    assert {name: row["data_run"] for name, row in third.items()} == {
        "shop0": "first", "shop1": "second", "shop2": "first",
    }  # fmt: skip


def test_other_settings_have_everything_checked_again(capsys: pytest.CaptureFixture[str]) -> None:
    some_repositories(2)
    scan("--run", "first")
    Path("policy.toml").write_text('[[repositories]]\npattern = "*1"\nignore = ["FL201"]\n')
    capsys.readouterr()
    assert scan("--run", "second", "--policy", "policy.toml") == 0
    assert capsys.readouterr().out.startswith("run second: 1 checked, 1 unchanged")


def test_a_suppression_that_has_ended_has_its_repository_checked_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ignored = POINTS.replace("'male':", "'male':  # fairlint: ignore[FL201] until 2030-01-31 -- agreed")
    make_repository(Path("all") / "shop", {"score.py": ignored})
    monkeypatch.setattr("fairlint.support.days.today", lambda: "2030-01-30")
    scan("--run", "first")
    (row,) = rows("repositories")
    assert (row["suppressed"], row["holds_until"]) == (1, "2030-01-31")
    capsys.readouterr()
    scan("--run", "second")
    assert capsys.readouterr().out.startswith("run second: 0 checked, 1 unchanged")
    monkeypatch.setattr("fairlint.support.days.today", lambda: "2030-02-01")
    capsys.readouterr()
    scan("--run", "third")
    assert capsys.readouterr().out.startswith("run third: 1 checked, 0 unchanged")


def test_a_repository_that_takes_too_long_is_a_row() -> None:
    some_repositories(2)
    assert scan("--time", "0.001") == 0
    assert {row["cause"] for row in rows("errors")} == {"time"}
    assert not list(Path("store/work").glob("*/*"))


def test_a_repository_that_needs_too_much_memory_does_no_harm_to_others() -> None:
    some_repositories(1)
    wide = "x = [" + "'male', " * 500_000 + "]\ndef f(p):\n    return p.gender in x\n"
    make_repository(Path("all") / "wide", {"wide.py": wide})
    assert scan("--memory", "200 MB", "--time", "60") == 0
    told = {row["cause"] for row in (*rows("errors"), *rows("coverage"))}
    assert told
    assert told <= {"memory", "died", "time"}
    assert [row["repository"] for row in rows("findings")] == ["shop0"]


def kill(process: subprocess.Popen[bytes]) -> None:
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def start(*more: str) -> subprocess.Popen[bytes]:
    command = "import sys; from fairlint.cli import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.Popen(
        [sys.executable, "-c", command, "fleet", "scan", "all", "--store", "store", "--jobs", "2", *more],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def wait_for_rows(count: int) -> None:
    """Wait until so many repositories are kept, or the run is over."""
    for _ in range(6000):
        if len(list(Path("store").glob("pending/*/*.json"))) >= count or list(
            Path("store").glob("parts/*/*")
        ):
            return
        time.sleep(0.01)
    raise AssertionError("the run keeps nothing")


@pytest.mark.skipif(os.name != "posix", reason="kills by signals")
def test_a_run_that_is_killed_goes_on_and_loses_and_doubles_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    some_repositories(12)
    for number, at in enumerate((2, 5, 9)):
        process = start("--run", "only", *(["--resume"] if number else []))
        try:
            wait_for_rows(at)
        finally:
            kill(process)
    before = len(list(Path("store").glob("pending/only/*.json")))
    assert scan("--resume") == 0
    out = capsys.readouterr().out
    assert f"{before} before" in out
    assert f"run only: {12 - before} checked" in out
    assert Counter(row["repository"] for row in rows("repositories")) == Counter(
        {f"shop{number}": 1 for number in range(12)}
    )
    assert Counter(row["repository"] for row in rows("findings")) == Counter(
        {f"shop{number}": 1 for number in range(12)}
    )
    assert list(Path("store").glob("pending/*/*.json")) == []
    assert not Path("store/work").exists()


@pytest.mark.parametrize(("busy", "status"), [(0, "checked"), (1, "checked"), (2, "checked"), (9, "failed")])
def test_a_server_that_does_not_answer_is_asked_again(
    busy: int, status: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairlint.fleet.running.FIRST_PAUSE", 0.0)
    make_repository(tmp_path / "served" / "shop", {"score.py": POINTS})
    with serve(tmp_path / "served", busy=busy) as (address, _):
        Path("list").write_text(f"{address}/shop/.git\n")
        assert main(["fleet", "scan", "list", "--store", "store", "-q"]) == 0
    assert [row["status"] for row in rows("repositories")] == [status]
    assert [row["cause"] for row in rows("errors")] == ["not reachable"][: status == "failed"]


def interrupted_run(entries: str, *more: str) -> None:
    """A run of which nothing is done yet."""
    Path("list").write_text(entries)

    def stop(*_given: Any) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(LocalEngine, "submit", stop)
        assert main(["fleet", "scan", "list", "--store", "store", *more]) == 130


def test_a_run_does_not_go_on_under_another_policy(capsys: pytest.CaptureFixture[str]) -> None:
    some_repositories(1)
    Path("policy.toml").write_text('[settings]\njurisdiction = "eu"\n')
    interrupted_run("all/shop0\n", "--policy", "policy.toml")
    capsys.readouterr()
    resumed = ["fleet", "scan", "list", "--store", "store", "--resume"]
    assert main(resumed) == 2
    assert "began under another policy" in capsys.readouterr().err
    assert rows("repositories") == []
    assert main([*resumed, "--policy", "policy.toml"]) == 0


def test_a_list_that_has_changed_is_told_where_a_run_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    some_repositories(2)
    interrupted_run("all/shop0\n")
    Path("list").write_text("all/shop1\n")
    capsys.readouterr()
    assert main(["fleet", "scan", "list", "--store", "store", "--resume"]) == 0
    assert "list has changed since run" in capsys.readouterr().err
    assert [row["repository"] for row in rows("repositories")] == ["all/shop1"]


class KilledError(BaseException):
    """Stands for a kill: nothing on the way takes it for an error."""


@pytest.mark.parametrize("step", range(5))
def test_a_kill_between_any_two_steps_of_a_part_loses_and_doubles_nothing(
    step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two parts of two and one repositories: each is made, and what was kept of them is removed."""
    some_repositories(3)
    monkeypatch.setattr("fairlint.fleet.running.PART_REPOSITORIES", 2)
    steps = 0

    def pass_step() -> None:
        nonlocal steps
        steps += 1
        if steps == step + 1:
            raise KilledError

    def write(*given: Any) -> None:
        pass_step()
        write_part(*given)

    def unlink(path: Path, *, missing_ok: bool = False) -> None:
        if path.suffix == ".json":
            pass_step()
        original(path, missing_ok=missing_ok)

    original = Path.unlink
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", unlink)
        patched.setattr("fairlint.fleet.store.write_part", write)
        with pytest.raises(KilledError):
            scan("--run", "only")
    assert scan("--resume") == 0
    assert sorted(row["repository"] for row in rows("repositories")) == ["shop0", "shop1", "shop2"]
    assert sorted(row["repository"] for row in rows("findings")) == ["shop0", "shop1", "shop2"]


def test_a_part_can_be_read_while_the_next_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    some_repositories(4)
    monkeypatch.setattr("fairlint.fleet.running.PART_REPOSITORIES", 1)
    seen: list[int] = []
    keep = Store.keep

    def kept(store: Store, *given: Any) -> Path:
        seen.append(len(rows("repositories")))
        return keep(store, *given)

    monkeypatch.setattr(Store, "keep", kept)
    scan()
    assert seen == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["all"], "--store names the folder"),
        (["none", "--store", "store"], "none: "),
        (["all", "--store", "store", "--engine", "spark"], "--engine must be one of"),
        (["all", "--store", "store", "--engine", "http://x:1"], "--engine must be one of"),
        (["all", "--store", "store", "--resume"], "there is no store"),
        (["all", "--store", "full"], "holds other"),
        (["all", "--store", "newer"], "version 99 of the tables"),
        (["all", "--store", "store", "--time", "0"], "--time must be more than 0"),
        (["all", "--store", "store", "--memory", "20 MB"], "--memory must be 200 MB or more"),
        (["all", "--store", "store", "--jobs", "two"], "--jobs takes a whole number"),
        (["all", "--store", "store", "--run", "../up"], "a run is called by"),
        (["all", "--store", "store", "--policy", "wrong.toml"], "unknown key 'ignores'; did you mean"),
    ],
)
def test_wrong_input_is_one_line_and_writes_nothing(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    some_repositories(1)
    Path("full").mkdir()
    Path("full/other").touch()
    Path("newer").mkdir()
    Path("newer/store.json").write_text(json.dumps({"store": "fairlint fleet store", "version": 99}))
    Path("wrong.toml").write_text('[settings]\nignores = ["FL201"]\n')
    assert main(["fleet", "scan", *arguments]) == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1
    assert not list(Path().glob("*/parts/*"))


def test_two_runs_do_not_write_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    some_repositories(1)
    scan()
    capsys.readouterr()
    with open_store(Path("store")).writing():
        assert scan() == 2
    assert "writes to this" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_leaves_a_run_to_resume(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    some_repositories(2)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("fairlint.fleet.store.write_part", full)
        assert scan("--run", "only") == 2
    assert "No space left on device; --resume goes on after that" in capsys.readouterr().err
    assert scan("--resume") == 0
    assert len(rows("repositories")) == 2


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
def test_a_worker_that_is_killed_costs_its_repository_alone() -> None:
    some_repositories(10)
    process = start("--run", "only")
    killed = 0
    try:
        for at in (1, 3, 5, 7):
            wait_for_rows(at)
            for task in Path(f"/proc/{process.pid}/task").glob("*/children"):
                with suppress(OSError):
                    for child in map(int, task.read_text().split()):
                        os.kill(child, signal.SIGKILL)
                        killed += 1
    finally:
        process.wait(timeout=120)
    assert process.returncode == 0
    assert killed
    found = rows("repositories")
    assert Counter(row["repository"] for row in found) == Counter({f"shop{at}": 1 for at in range(10)})
    failed = {row["repository"] for row in found if row["status"] == "failed"}
    assert {row["cause"] for row in rows("errors")} <= {"died"}
    assert {row["repository"] for row in rows("findings")} == {row["repository"] for row in found} - failed
