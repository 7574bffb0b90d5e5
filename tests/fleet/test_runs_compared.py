"""What `fleet diff` says of two runs over repositories that change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from git_server import POINTS, commit, git, make_repository

from fairlint.cli import main

pytest.importorskip("duckdb")
OTHER = POINTS.replace("score", "rate").replace("gender", "race").replace("'male'", "'white'")


@pytest.fixture(autouse=True)
def _stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def scan(run: str) -> None:
    assert main(["fleet", "scan", "all", "--store", "store", "--jobs", "1", "--run", run, "-q"]) == 0


def diff(capsys: pytest.CaptureFixture[str], *more: str) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert main(["fleet", "diff", "r1", "r2", "--store", "store", "--format", "json", *more]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def test_each_change_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    shop = Path("all") / "shop"
    new = POINTS.replace("score", "judge").replace("gender", "religion").replace("male", "hindu")
    make_repository(shop, {"a.py": POINTS, "b.py": OTHER, "c.py": POINTS.replace("score", "grade")})
    make_repository(Path("all") / "same", {"a.py": POINTS})
    scan("r1")
    commit(shop, {
        "a.py": POINTS.replace("+= 5", "+= 50"),  # grown
        "b.py": "x = 1\n",  # fixed
        "c.py": POINTS.replace("score", "grade").replace("+= 5", "+= 2"),  # shrunk
        "d.py": new,
    })  # fmt: skip
    scan("r2")
    found = {(row["change"], row["path"]): row["detail"] for row in diff(capsys)}
    assert found == {
        ("grown", "a.py"): "gap 5 before, 50 now", ("fixed", "b.py"): "",
        ("shrunk", "c.py"): "gap 5 before, 2 now", ("new", "d.py"): "",
    }  # fmt: skip
    assert main(["fleet", "diff", "previous", "latest", "--store", "store", "--fail-on-new"]) == 1
    assert "1 new, 1 grown, 1 shrunk, 1 fixed" in capsys.readouterr().err


def test_new_names_and_edits_around_a_finding_are_no_change(capsys: pytest.CaptureFixture[str]) -> None:
    shop = Path("all") / "shop"
    make_repository(shop, {"a.py": POINTS, "b.py": OTHER})
    scan("r1")
    (shop / "inner").mkdir()
    git(shop, "mv", "a.py", "inner/renamed.py")
    commit(shop, {"b.py": "import os\n\n\n" + OTHER.replace("points", "total")})
    scan("r2")
    assert [row for row in diff(capsys) if row["path"] != "b.py"] == []


def test_a_repository_that_was_not_checked_has_nothing_fixed(capsys: pytest.CaptureFixture[str]) -> None:
    make_repository(Path("all") / "shop", {"a.py": POINTS})
    make_repository(Path("all") / "other", {"a.py": POINTS})
    scan("r1")
    git(Path("all") / "shop", "update-ref", "-d", "refs/heads/main")
    (Path("all") / "other").rename("elsewhere")
    make_repository(Path("all") / "third", {"a.py": POINTS})
    scan("r2")
    assert [(row["change"], row["repository"]) for row in diff(capsys)] == [("new", "third")]
    main(["fleet", "diff", "r1", "r2", "--store", "store"])
    told = capsys.readouterr().err
    assert "1 added, 1 gone, 1 no longer checked, 0 not checked before" in told
