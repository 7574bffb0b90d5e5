"""Issues that a program of the user's opens: what it is given, and that it is given none twice."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from git_server import POINTS, commit, git, make_repository

from fairlint.cli import main

pytest.importorskip("duckdb")
HOOK = """\
import json, os, pathlib, signal, sys
text = sys.stdin.read()
with open("given.jsonl", "a") as file:
    file.write(text + "\\n")
count = len(open("given.jsonl").readlines())
mode = pathlib.Path("mode").read_text().split() if pathlib.Path("mode").exists() else []
if str(count) in mode:
    if "kill" in mode:
        os.kill(os.getppid(), signal.SIGKILL)
    if "die" in mode:
        os.kill(os.getpid(), signal.SIGKILL)
    sys.exit("no such project\\nmore")
print(f"https://example.org/issues/{count}")
"""


@pytest.fixture(autouse=True)
def _shop(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("hook.py").write_text(HOOK)
    other = POINTS.replace("gender", "religion").replace("male", "hindu")
    make_repository(Path("all/shop"), {"a.py": POINTS, "b.py": other, "CODEOWNERS": "a.py @acme/risk @ann\n"})
    scan()


def scan() -> None:
    assert main(["fleet", "scan", "all", "--store", "store", "--jobs", "1", "-q"]) == 0


def words(*more: str) -> list[str]:
    hook = f"{shlex.quote(sys.executable)} hook.py"
    return ["fleet", "export", "--to", "issues", "--store", "store", "--hook", hook, *more]


def given() -> list[dict[str, Any]]:
    path = Path("given.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_without_yes_it_is_said_and_not_done(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words()) == 0
    told = capsys.readouterr()
    assert told.out.splitlines() == [
        "open shop: FL201 points-by-group: gender in a.py",
        "open shop: FL201 points-by-group: religion in b.py",
    ]
    assert "2 to do, 0 open already; --yes runs" in told.err
    assert (given(), Path("store/issues.jsonl").exists()) == ([], False)


def test_each_issue_is_given_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words("--yes")) == 0
    assert capsys.readouterr().err.endswith("fairlint: 2 opened, 0 closed, 0 were open already\n")
    first, second = given()
    assert (first["action"], first["repository"], first["owner"], first["owners"]) == (
        "open", "shop", "@acme/risk", ["@acme/risk", "@ann"],
    )  # fmt: skip
    assert (second["owner"], first["labels"]) == ("", ["fairlint", "error"])
    assert first["fingerprint"] in first["body"]
    git(Path("all/shop"), "mv", "a.py", "moved.py")
    commit(Path("all/shop"), {"c.py": POINTS.replace("gender", "race").replace("male", "white")})
    scan()
    assert main(words("--yes")) == 0
    assert capsys.readouterr().err.endswith("fairlint: 1 opened, 0 closed, 2 were open already\n")
    assert [one["path"] for one in given()] == ["a.py", "b.py", "c.py"]


def test_a_failure_ends_it_and_the_next_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mode").write_text("1")
    assert main(words("--yes")) == 2
    told = capsys.readouterr().err
    assert "failed for" in told
    assert "no such project; 2 left, which the same command goes on with" in told
    assert main(words("--yes")) == 0
    assert [one["path"] for one in given()] == ["a.py", "a.py", "b.py"]


def test_what_a_kill_leaves_in_doubt_is_not_opened_again_unasked(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mode").write_text("kill 2")
    done = subprocess.run(
        [sys.executable, "-m", "fairlint", *words("--yes")], capture_output=True, check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert len(given()) == 2
    capsys.readouterr()
    assert main(words("--yes")) == 0
    told = capsys.readouterr().err
    assert f"not known whether open, as a command was killed: {given()[1]['fingerprint']} (--again" in told
    assert "0 opened, 0 closed, 1 were open already" in told
    assert len(given()) == 2
    assert main(words("--yes", "--again")) == 0
    assert [one["path"] for one in given()] == ["a.py", "b.py", "b.py"]
    assert main(words("--yes", "--again")) == 0
    assert len(given()) == 3


def test_a_program_that_is_killed_leaves_a_doubt(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mode").write_text("die 1")
    assert main(words("--yes")) == 2
    assert "was killed; whether" in capsys.readouterr().err
    assert main(words("--yes")) == 0
    assert [one["path"] for one in given()] == ["a.py", "b.py"]


def test_an_unfinished_line_of_the_store_opens_nothing_twice() -> None:
    assert main(words("--yes")) == 0
    path = Path("store/issues.jsonl")
    path.write_bytes(path.read_bytes()[:-20])
    assert main(words("--yes")) == 0
    assert len(given()) == 2


def test_issues_of_findings_that_are_gone_are_closed_and_opened_anew(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(words("--yes")) == 0
    shop = Path("all/shop")
    commit(shop, {"a.py": "x = 1\n"})
    scan()
    assert main(words("--yes")) == 0
    assert len(given()) == 2
    assert main(words("--close-fixed")) == 0
    assert "close shop: FL201 points-by-group: gender in a.py" in capsys.readouterr().out
    assert main(words("--yes", "--close-fixed")) == 0
    assert main(words("--yes", "--close-fixed")) == 0
    assert {key: given()[2][key] for key in ("action", "told", "fingerprint")} == {
        "action": "close", "told": "https://example.org/issues/1", "fingerprint": given()[0]["fingerprint"],
    }  # fmt: skip
    assert len(given()) == 3
    commit(shop, {"a.py": POINTS})
    scan()
    assert main(words("--yes")) == 0
    assert [one["action"] for one in given()] == ["open", "open", "close", "open"]


def test_issues_of_a_repository_that_was_not_checked_stay_open() -> None:
    assert main(words("--yes")) == 0
    Path("all/shop").rename("elsewhere")
    make_repository(Path("all/other"), {"a.py": "x = 1\n"})
    scan()
    assert main(words("--yes", "--close-fixed")) == 0
    assert len(given()) == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--to", "csv", "--hook", "x"], "--hook goes with --to issues"),
        (["--to", "issues", "--yes", "--output", "plan.json"], "--yes goes with --hook"),
        (["--to", "issues", "--hook", "x", "--output", "plan.json"], "name one of them"),
        (["--to", "issues", "--hook", "'"], "is no command"),
        (["--to", "issues", "--hook", " "], "names no command"),
        (["--to", "issues", "--hook", "./none", "--yes"], "./none cannot be run: No such file"),
        (["--to", "issues", "--hook", "x", "--store", "s3://bucket/x"], "needs a store in a folder"),
    ],
)
def test_wrong_use_is_one_line(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fleet", "export", "--store", "store", *arguments]) == 2
    assert told in capsys.readouterr().err.splitlines()[-1]
