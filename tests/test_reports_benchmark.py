"""`benchmarks/reports.py`: what was reported before a fix, and what is left of it afterwards."""

import json
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BIASED = """\
def score(applicant):
    points = applicant["years"]
    if applicant["gender"] == "male":
        points += 3
    return points


def greet(applicant):
    print(applicant["name"])
    return None


def fee(applicant):
    fee = 10
    if applicant["religion"] == "sikh":
        fee += 5
    return fee
"""
FAIR = BIASED.replace('    if applicant["gender"] == "male":\n        points += 3\n', "")
LESS = BIASED.replace("points += 3", "points += 1")


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parent.parent / "benchmarks"))
    import reports as module

    return module


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def commits(mirrors: Path, *texts: str) -> list[str]:
    """A repository of one file with these texts, one after the other; its commits."""
    tree = mirrors / "someone+scores" / "repo"
    tree.mkdir(parents=True)
    git(tree, "init", "--quiet")
    found = []
    for text in texts:
        (tree / "score.py").write_text(text, encoding="utf-8")
        git(tree, "add", "--all")
        git(tree, "commit", "--quiet", "--message=all")
        found.append(git(tree, "rev-parse", "HEAD"))
    return found


def row(before: str, after: str, attribute: str) -> dict[str, Any]:
    return {
        "repo": "someone/scores",
        "issue": "https://example.org/1",
        "before": before,
        "after": after,
        "path": "score.py",
        "attributes": [attribute],
        "biased": f"points by {attribute}",
    }


def test_a_report_is_loud_before_its_fix_and_quiet_after_it(
    tmp_path: Path, benchmark: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    biased, less, fair = commits(tmp_path, BIASED, LESS, FAIR)
    rows = [row(biased, fair, "gender"), row(biased, less, "gender"), row(biased, fair, "religion")]
    listed = tmp_path / "reports.json"
    listed.write_text(json.dumps([*rows, row("0" * 40, fair, "gender")]), encoding="utf-8")

    assert benchmark.main(["--mirrors", str(tmp_path), "--reports", str(listed)]) == 0

    told = capsys.readouterr()
    assert "| error FL201 | – | loud, then quiet |" in told.out
    assert "| error FL201 | error FL201 | still there |" in told.out
    assert "| points by religion | – | – | missed |" in told.out
    assert "3 reports: 1 loud, then quiet, 1 still there, 1 missed" in told.out
    assert told.err == "not at hand: someone/scores\n"


def test_without_a_mirror_there_is_nothing_to_measure(
    tmp_path: Path, benchmark: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "reports.json"
    listed.write_text(json.dumps([row("0" * 40, "1" * 40, "gender")]), encoding="utf-8")
    assert benchmark.main(["--mirrors", str(tmp_path), "--reports", str(listed)]) == 1
    assert capsys.readouterr().err == "not at hand: someone/scores\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (["error"], [], "loud, then quiet"),
        (["warning", "note"], ["note"], "loud, then quiet"),
        (["warning"], ["error"], "still there"),
        (["note"], [], "note, then quiet"),
        (["note"], ["note"], "still there"),
        ([], ["error"], "missed"),
        ([], [], "missed"),
    ],
)
def test_what_two_sides_come_to(
    benchmark: ModuleType, before: list[str], after: list[str], expected: str
) -> None:
    sides = [[{"severity": one} for one in side] for side in (before, after)]
    assert benchmark.verdict(*sides) == expected


def test_cells_of_a_notebook_are_compared_wherever_they_stand(benchmark: ModuleType) -> None:
    before = {1: b"import x", 2: b"score = 1", 3: b"score"}
    after = {1: b"import x", 2: b"score", 3: b"rank = 2"}
    assert set(benchmark.changed(before, after)) == {2}
    assert set(benchmark.changed(after, before)) == {3}


def test_every_listed_report_is_whole(benchmark: ModuleType) -> None:
    listed = benchmark.reports()
    assert len({(one.repo, one.before, one.after, one.path) for one in listed}) == len(listed) >= 10
    for one in listed:
        assert one.issue.startswith(f"https://github.com/{one.repo}/")
        assert len(one.before) == len(one.after) == 40
        assert one.attributes
