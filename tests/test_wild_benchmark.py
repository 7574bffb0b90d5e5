import json
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

UNFAIR = """\
import pandas as pd


def score(applicant):
    points = applicant["years"]
    print(applicant["gender"])

    if applicant["gender"] == "male":
        points += 3
    return points
"""
SILENT = "int race(int lap) { return lap + 1; }\n"


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def repository(mirrors: Path, name: str, files: dict[str, str]) -> str:
    tree = mirrors / "trees" / name.replace("/", "+")
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text, encoding="utf-8")
    git(tree, "init", "--quiet")
    git(tree, "add", "--all", "--force")
    git(tree, "commit", "--quiet", "--message=all")
    git(mirrors, "clone", "--quiet", "--bare", str(tree), str(mirrors / name.replace("/", "+") / "repo"))
    return git(tree, "rev-parse", "HEAD")


def label(repo: str, line: str, wanted: str, **more: str) -> dict[str, str]:
    row = {"repo": repo, "commit": "", "path": "a.py", "line": line, "kind": "score", "attribute": "gender"}
    return row | {"wanted": wanted, "context": "none", "why": "made up"} | more


@pytest.fixture
def wild(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parent.parent / "benchmarks"))
    import wild as module

    return module


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    notebook = {
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": ["text"]},
            {"cell_type": "code", "metadata": {}, "source": UNFAIR, "outputs": [], "execution_count": None},
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    ours = {"a.py": UNFAIR, "b.ipynb": json.dumps(notebook), "data.csv": "a,b\n", ".gitignore": "*.py\n"}
    commits = [
        {
            "name": "one/tune",
            "commit": repository(tmp_path, "one/tune", ours),
            "part": "tune",
            "kind": "hiring",
        },
        {
            "name": "two/held",
            "commit": repository(tmp_path, "two/held", {"race.c": SILENT}),
            "part": "held",
            "kind": "lookalike",
        },
        {"name": "three/gone", "commit": "0" * 40, "part": "held", "kind": "credit"},
    ]
    labels = [
        label("one/tune", "9", "loud"),
        label("one/tune", "c2:8", "loud", path="b.ipynb"),
        label("one/tune", "8", "loud", attribute="age", kind="decision"),
        label("one/tune", "6", "quiet"),
        label("two/held", "1", "quiet", path="race.c", attribute="race"),
        label("three/gone", "1", "loud"),
    ]
    (tmp_path / "commits.json").write_text(json.dumps(commits), encoding="utf-8")
    (tmp_path / "labels.json").write_text(json.dumps(labels), encoding="utf-8")
    options = {"mirrors": tmp_path, "commits": tmp_path / "commits.json", "labels": tmp_path / "labels.json"}
    return [f"--{name}={value}" for name, value in options.items()]


def rows(output: str) -> dict[tuple[str, ...], str]:
    split = [line.split() for line in output.splitlines() if " of " in line and ":" not in line]
    return {tuple(words[:3]): " ".join(words[3:6]) for words in split}


def test_what_is_told_is_counted_by_part_and_kind(
    wild: ModuleType, arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert wild.main([*arguments, f"--write={tmp_path / 'all.json'}"]) == 0
    output = capsys.readouterr().out
    assert rows(output) == {
        ("tune", "loud", "all"): "2 of 3",
        ("tune", "loud", "score"): "2 of 2",
        ("tune", "loud", "decision"): "0 of 1",
        ("tune", "quiet", "all"): "0 of 1",
        ("held", "quiet", "all"): "0 of 1",
    }
    assert "not at hand: three/gone" in output
    assert "held: no findings; 1 of 1 look-alikes silent" in output
    written = json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))
    assert {finding["path"] for finding in written["one/tune"]} == {"a.py", "b.ipynb"}
    assert written["two/held"] == []


def test_a_file_that_the_mirror_lacks_stays_away(wild: ModuleType, tmp_path: Path) -> None:
    commit = repository(
        tmp_path, "a/b", {"here.py": "x = 1\n", "gone.py": "y = 2\n", "ö/é.c": SILENT, "no.csv": ""}
    )
    mirror = wild.git_directory(tmp_path, "a/b")
    blob = git(mirror, "rev-parse", f"{commit}:gone.py")
    (mirror / "objects" / blob[:2] / blob[2:]).unlink()
    into = tmp_path / "into"
    assert wild.check_out(wild.Repository("a/b", commit, "tune", "hiring"), mirror, into)
    found = {str(path.relative_to(into)): path.read_text() for path in into.rglob("*") if path.is_file()}
    assert found == {"here.py": "x = 1\n", "ö/é.c": SILENT}
    assert not wild.check_out(wild.Repository("a/b", "0" * 40, "tune", "hiring"), mirror, into)


def test_missed_places_are_listed_of_the_tune_part_only(
    wild: ModuleType, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        wild.main([*arguments, "--list=missed"])
    assert wild.main([*arguments, "--list=missed", "--part=tune"]) == 0
    output = capsys.readouterr().out
    assert "one/tune/a.py:8: loud decision of age (none): made up" in output
    assert "a.py:9:" not in output
    assert "a.py:6:" not in output


@pytest.mark.parametrize(
    ("wanted", "severity", "line", "attributes"),
    [
        ("loud", "warning", 4, ["race"]),
        ("note", "note", 4, ["race"]),
        ("note", "error", 6, ["age", "ethnicity"]),
        ("quiet", "warning", 5, ["age"]),
        ("loud but told by a note", "note", 4, ["race"]),
        ("note but too far", "error", 7, ["race"]),
        ("loud but of another attribute", "error", 5, ["age"]),
        ("quiet but on the next line", "warning", 4, ["race"]),
        ("quiet but told by a note", "note", 5, ["race"]),
    ],
)
def test_a_place_is_told(
    wild: ModuleType, wanted: str, severity: str, line: int, attributes: list[str]
) -> None:
    wanted, _, but = wanted.partition(" but ")
    place = wild.Place("a/b", "x.py", "5", "score", "race", wanted, "none", "")
    finding = {"path": "x.py", "line": line, "severity": severity, "attributes": attributes, "flow": []}
    assert place.told_by(finding) is not bool(but)


def test_a_step_of_the_flow_tells_a_place(wild: ModuleType) -> None:
    place = wild.Place("a/b", "x.py", "c3:5", "score", "race", "loud", "none", "")
    steps = [{"path": "x.py", "cell": cell, "line": 5} for cell in (2, 3)]
    finding = {"path": "y.py", "line": 5, "severity": "error", "attribute": "race"}
    assert not place.told_by(finding | {"flow": steps[:1]})
    assert place.told_by(finding | {"flow": steps})


def test_the_labels_are_of_the_repositories(wild: ModuleType) -> None:
    for part, commits in wild.COMMITS.items():
        known = {each.name: each for each in wild.repositories(wild.HERE / commits)}
        placed = wild.places([wild.HERE / f"labels-{part}.json"])
        assert {known[place.repo].part for place in placed} == {part}
        has_quiet = part in {"tune", "held", "fifth-tune", "fifth", "sixth", "seventh", "rules-tune", "rules"}
        wanted = {"loud", "note", "quiet"} if has_quiet else {"loud", "note"}
        assert {place.wanted for place in placed} == wanted
        assert all(place.spot[2] > 0 for place in placed)
