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


def adopt(*more: str) -> int:
    return main(["fleet", "adopt", "--store", "store", *more])


def scan_all() -> None:
    assert main(["fleet", "scan", "all", "--store", "store", "--jobs", "1", "-q"]) == 0


def test_a_patch_extends_a_file_of_pre_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shop = tmp_path / "all" / "shop"
    before = "repos:\n- repo: https://example.org/x\n  rev: v1\n  hooks:\n  - id: x  # ours"
    make_repository(shop, {"a.py": POINTS, ".pre-commit-config.yaml": before})
    scan_all()
    assert adopt("--output", "patches", "--no-ci") == 0
    (patch,) = Path("patches").iterdir()
    git(shop, "apply", str(patch.resolve()))
    after = (shop / ".pre-commit-config.yaml").read_text()
    assert after.startswith(f"{before}\n- repo: local\n")
    assert not (shop / ".github").exists()
    assert adopt("--output", "others", "--no-pre-commit") == 0
    assert "pre-commit" not in next(Path("others").iterdir()).read_text()


def test_a_file_of_pre_commit_that_is_not_understood_is_left_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("shop", "till"):
        make_repository(tmp_path / "all" / name, {"a.py": POINTS, ".pre-commit-config.yaml": "repos: []\n"})
    scan_all()
    assert adopt("--output", "patches") == 0
    told = capsys.readouterr().err.splitlines()
    why = "it has no list of 'repos', a line each"
    assert told == [
        "fairlint: wrote 2 patches to patches",
        f"fairlint: shop and 1 more: .pre-commit-config.yaml is left as it is: {why}",
    ]
    assert not any("pre-commit" in path.read_text() for path in Path("patches").iterdir())


def test_a_branch_has_all_and_touches_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Hooks and programs that the repository configures are not run; a bare one gets its branch, too."""
    monkeypatch.chdir(tmp_path)
    shop, ran = tmp_path / "all" / "shop", tmp_path / "ran"
    made = make_repository(shop, {"a.py": POINTS, "web/b.py": POINTS, ".gitattributes": "* filter=evil\n"})
    git(tmp_path / "all", "clone", "-q", "--bare", "shop", "till.git")
    script = f"#!/bin/sh\ntouch {ran}\n"
    for hook in ("reference-transaction", "post-commit", "pre-commit", "post-index-change"):
        path = shop / ".git" / "hooks" / hook
        path.write_text(script)
        path.chmod(0o755)
    for key in ("core.fsmonitor", "filter.evil.clean", "gpg.program", "core.editor"):
        git(shop, "config", key, f"{shop}/.git/hooks/pre-commit")
    git(shop, "config", "commit.gpgsign", "true")
    (shop / "a.py").write_text("x = 1\n")
    (shop / "new.py").write_text("x = 1\n")
    ran.unlink(missing_ok=True)
    scan_all()
    index = (shop / ".git" / "index").read_bytes()
    before = {path: path.read_bytes() for path in shop.rglob("*.py")}
    capsys.readouterr()
    assert adopt("--branches") == 0
    assert capsys.readouterr().err == "fairlint: wrote 2 branches 'fairlint-adopt'\n"
    assert not ran.exists()
    assert (shop / ".git" / "index").read_bytes() == index
    assert {path: path.read_bytes() for path in shop.rglob("*.py")} == before
    files = [".github/workflows/fairlint.yml", ".pre-commit-config.yaml", "fairlint-baseline.jsonl"]
    for folder in (shop, tmp_path / "all" / "till.git"):
        quiet = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")
        assert git(folder, *quiet, "rev-parse", "HEAD", "fairlint-adopt^").split() == [made, made]
        told = git(folder, *quiet, "diff", "--name-status", made, "fairlint-adopt")
        assert told.splitlines() == [f"A\t{name}" for name in files]
    git(tmp_path, "clone", "-q", "-b", "fairlint-adopt", str(tmp_path / "all" / "till.git"), "adopted")
    monkeypatch.chdir(tmp_path / "adopted")
    assert main(["--no-cache", "."]) == 0


def test_a_branch_or_a_file_that_is_there_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    made = make_repository(tmp_path / "all" / "shop", {"a.py": POINTS})
    git(tmp_path / "all" / "shop", "branch", "fairlint-adopt")
    make_repository(tmp_path / "all" / "till", {"a.py": POINTS, "fairlint-baseline.jsonl": ""})
    (tmp_path / "all" / "plain").mkdir()
    (tmp_path / "all" / "plain" / "a.py").write_text(POINTS)
    scan_all()
    capsys.readouterr()
    assert adopt("--branches") == 0
    assert capsys.readouterr().err.splitlines() == [
        "fairlint: wrote 0 branches 'fairlint-adopt'",
        "fairlint: till: no branch: it has fairlint-baseline.jsonl already",
        "fairlint: plain: no branch: it is no git repository on this machine",
        "fairlint: shop: no branch: there is a branch 'fairlint-adopt' already",
    ]
    assert git(tmp_path / "all" / "shop", "rev-parse", "fairlint-adopt") == made
    assert adopt("--branches", "--output", "patches") == 2
