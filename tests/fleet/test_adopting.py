"""The patches of `fleet adopt`: they apply, and after them only new findings are reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from git_server import POINTS, git, make_repository

from fairlint.cli import main

pytest.importorskip("duckdb")
TWICE = """\
def score(person):
    points = 0
    if person.gender == 'male':
        points += 5
    if person.gender == 'male':
        points += 5
    return points


def hire(person):
    return person.race == 'white'
"""


def test_a_patch_applies_and_leaves_new_findings_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shop = tmp_path / "all" / "shop"
    make_repository(shop, {"src/a.py": POINTS, "b.py": TWICE})
    make_repository(tmp_path / "all" / "clean", {"a.py": "x = 1\n"})
    before = git(shop, "rev-parse", "HEAD")
    assert main(["fleet", "scan", "all", "--store", "store", "--jobs", "1", "-q"]) == 0
    adopt = ["fleet", "adopt", "--store", "store", "--output", "patches", "--reason", "known"]
    assert main([*adopt, "--until", "2999-12-31"]) == 0
    (patch,) = Path("patches").iterdir()
    assert (git(shop, "rev-parse", "HEAD"), git(shop, "status", "--porcelain")) == (before, "")
    git(shop, "apply", "--check", str(patch.resolve()))
    git(shop, "apply", str(patch.resolve()))
    monkeypatch.chdir(shop)
    capsys.readouterr()
    assert main(["--no-cache", "."]) == 0
    assert main(["baseline", "check", "."]) == 0
    assert "0 new, 0 stale" in capsys.readouterr().out
    (shop / "c.py").write_text(POINTS.replace("gender", "religion").replace("male", "hindu"))
    assert main(["--no-cache", "."]) == 1
    assert (shop / ".github/workflows/fairlint.yml").exists()
    with pytest.raises(Exception, match="apply"):
        git(shop, "apply", str(patch.resolve()))


def test_wrong_use_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["fleet", "adopt", "--store", "store"]) == 2
    assert main(["fleet", "adopt", "--store", "store", "--output", "out", "--until", "soon"]) == 2
    assert capsys.readouterr().err.count("\n") == 2
    assert not Path("out").exists()
