"""A run about a change tells what stands on its lines, and nothing else."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from programs import AGE, POINTS, git

from fairlint import check_paths
from fairlint.changed_lines import in_diff, only, since
from fairlint.cli import main
from fairlint.config import UsageError
from fairlint.findings import Report


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with an old finding."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.py").write_text(POINTS)
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "scores")
    return tmp_path


def told(report: Report) -> list[str]:
    """The rules of what is told."""
    return [finding.rule for finding in report.findings]


def changed(revision: str = "HEAD") -> Report:
    """What is told of a change."""
    return only(check_paths(["."]), since(revision))


def test_nothing_changed_and_nothing_is_told(here: Path) -> None:
    del here
    report = changed()
    assert told(report) == []
    assert report.unchanged == 1


def test_only_what_stands_on_changed_lines_is_told(here: Path) -> None:
    (here / "scores.py").write_text(POINTS + AGE)
    assert told(changed()) == ["FL102"]
    (here / "scores.py").write_text("import math\n\n\n" + POINTS)
    assert told(changed()) == []
    (here / "scores.py").write_text(POINTS.replace("-= 5", "-= 6"))
    assert told(changed()) == ["FL201"]


def test_a_file_that_git_does_not_know_is_new(here: Path) -> None:
    (here / "new file ü.py").write_text(AGE)
    assert told(changed()) == ["FL102"]
    git("add", ".")
    assert told(changed()) == ["FL102"]
    git("commit", "-qm", "new")
    assert told(changed()) == []
    assert told(changed("HEAD~1")) == ["FL102"]


def test_any_station_of_a_finding_counts(here: Path) -> None:
    code = "\n".join(
        (
            "def points(applicant):",
            "    group = applicant.gender",
            *("    applicant.log()" for _ in range(20)),
            '    is_woman = group == "female"',
            *("    applicant.log()" for _ in range(20)),
            "    score = applicant.score",
            "    if is_woman:",
            "        score -= 5",
            "    return score\n",
        )
    )
    (here / "far.py").write_text(code)
    git("add", ".")
    git("commit", "-qm", "far")
    (here / "far.py").write_text(code.replace("group = applicant.gender", "group = applicant.gender.lower()"))
    report = changed()
    assert told(report) == ["FL201"]
    assert report.findings[0].start.line > 20


def test_lines_beside_what_is_only_removed_count(here: Path) -> None:
    code = POINTS.replace("        score -= 5\n", "        log()\n        score -= 5\n")
    (here / "scores.py").write_text(code)
    git("commit", "-qam", "log")
    (here / "scores.py").write_text(POINTS)
    assert told(changed()) == ["FL201"]


def test_a_folder_below_the_repository(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "src").mkdir()
    (here / "src" / "rent.py").write_text(AGE)
    monkeypatch.chdir(here / "src")
    assert told(changed()) == ["FL102"]


@pytest.mark.parametrize("crlf", [False, True])
def test_a_diff_that_is_given(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, crlf: bool
) -> None:
    text = POINTS + AGE
    (here / "scores.py").write_bytes((text.replace("\n", "\r\n") if crlf else text).encode())
    if crlf:
        git("commit", "-qam", "line ends")
        (here / "scores.py").write_bytes(text.replace("45", "46").replace("\n", "\r\n").encode())
    diff = git("diff")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(diff.encode())))
    assert main(["--isolated", "--format", "concise", "--diff-file", "-", "."]) == 1
    output = capsys.readouterr().out
    assert "FL102" in output
    assert "FL201" not in output
    assert "1 on unchanged lines" in output


def test_everything_is_new_before_the_first_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.py").write_text(POINTS)
    git("init", "-q")
    git("add", ".")
    (tmp_path / "rent.py").write_text(AGE)
    assert told(changed()) == ["FL102", "FL201"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--diff", "nowhere", "."), "--diff nowhere: git knows no revision 'nowhere'"),
        (("--diff=--output=x", "."), "--diff needs a revision"),
        (("--diff", "HEAD", "--diff-file", "x", "."), "exclude each other"),
        (("--diff-file", "missing.diff", "."), "missing.diff: cannot be read"),
        (("--diff-file", "-", "-"), "standard input is either"),
    ],
)
def test_wrong_use_is_one_line(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    assert main(["--isolated", *arguments]) == 2
    errors = capsys.readouterr().err
    assert message in errors
    assert errors.count("\n") == 1
    assert not (here / "x").exists()


def test_what_is_no_diff_is_told(here: Path) -> None:
    with pytest.raises(UsageError, match="the diff cannot be read"):
        in_diff(b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n", str(here))


def test_outside_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(UsageError, match="--diff HEAD: git"):
        since("HEAD")
