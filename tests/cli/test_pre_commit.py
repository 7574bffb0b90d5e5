"""The hook, tried with the real `pre-commit`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "*_cache", "__pycache__", ".hypothesis", "build", "dist")

UNFAIR = """\
def rate_applicant(applicant):
    score = applicant.years_experience
    if applicant.gender == "male":
        score += 5
    return score
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("pre_commit") is None, reason="pre-commit is not installed"),
]


def ran(*command: str | Path, cwd: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def repository(folder: Path, environment: dict[str, str]) -> None:
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all", "--no-verify"]):
        done = ran("git", *command, cwd=folder, environment=environment)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A git and a pre-commit that know nothing of this machine's user."""
    own = {name: text for name, text in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))}
    identity = {
        f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    return {
        **own,
        **identity,
        "PRE_COMMIT_HOME": str(tmp_path / "pre-commit"),
        "HOME": str(tmp_path),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }


@pytest.fixture
def tool(tmp_path: Path, environment: dict[str, str]) -> Path:
    """A copy with a history of its own: a checkout may have no commit, or files not committed yet."""
    copied = tmp_path / "tool"
    shutil.copytree(ROOT, copied, ignore=LEFT_OUT)
    repository(copied, environment)
    return copied


def test_the_manifest_is_valid(tmp_path: Path, environment: dict[str, str]) -> None:
    manifest = ROOT / ".pre-commit-hooks.yaml"
    command = (sys.executable, "-m", "pre_commit", "validate-manifest", str(manifest))
    done = ran(*command, cwd=tmp_path, environment=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_hook_finds_what_is_committed_and_passes_what_is_clean(
    tool: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "rate.py").write_text(UNFAIR)
    (project / "readme.txt").write_text("gender\n")
    repository(project, environment)

    def tried(*files: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pre_commit", "try-repo", str(tool), "fairlint", "--color", "never"]
        return ran(*command, "--files", *files, cwd=project, environment=environment)

    unfair = tried("rate.py", "readme.txt")
    assert unfair.returncode == 1, unfair.stdout + unfair.stderr
    assert "error[FL201]" in unfair.stdout
    assert "rate.py:3:8" in unfair.stdout
    clean = tried("readme.txt")
    assert clean.returncode == 0, clean.stdout + clean.stderr
    assert re.search(r"fairlint\.+.*Skipped", clean.stdout)


def test_the_hook_for_changes_passes_what_was_there_before(
    tool: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "rate.py").write_text(UNFAIR)
    repository(project, environment)
    command = [
        sys.executable,
        "-m",
        "pre_commit",
        "try-repo",
        str(tool),
        "fairlint-changed",
        "--color",
        "never",
    ]

    def tried(added: str) -> subprocess.CompletedProcess[str]:
        (project / "rate.py").write_text(UNFAIR + added)
        ran("git", "add", "rate.py", cwd=project, environment=environment)
        return ran(*command, cwd=project, environment=environment)

    old = tried("\n\nLIMIT = 3\n")
    assert old.returncode == 0, old.stdout + old.stderr
    new = tried("\n\ndef may_rent(person):\n    return person.age > 45\n")
    assert new.returncode == 1, new.stdout + new.stderr
    assert "FL102" in new.stdout
    assert "FL201" not in new.stdout
