"""Rehearses a roll-out on real repositories: a policy, a baseline, and then one biased function in each.

    python benchmarks/roll_out.py --mirrors DIR [--repositories N]

DIR holds bare repositories, named OWNER+NAME, as benchmarks/wild/README.md says; taken are those of our own
harvest that may be tuned on and hold most code. Each goes the way of docs/roll-out.md: the policy of the
company, an installed package, is extended, what is there becomes the baseline, and both are committed. Then a
function that treats people by a protected attribute is added to the largest file. Told are the seconds that
the way took, how many findings the baseline holds, whether a run over everything was silent before, and what
a whole run, a run over the change and the hook tell after. The hook is that of `.pre-commit-hooks.yaml`, as
`pre-commit` installs it from a copy of this checkout and runs it when somebody commits.
Exit status: 1 where anything but that one function is told, or a repository takes longer than `SLOWEST`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from wild import Repository, check_out, git_directory, repositories

ROOT = Path(__file__).resolve().parent.parent
SLOWEST = 600.0
"""Seconds from nothing to green."""
POLICY = 'jurisdiction = "eu"\nfail-on = "warning"\n'
PACKAGE = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "company-policy"
version = "1.0"
"""
WHO = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.autocrlf=false")
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "*_cache", "__pycache__", ".hypothesis", "build", "dist")
OWN = 'extends = ["company_policy:fairlint.toml"]\n'
NAME = "levy_of_new_tenant"
FUNCTION = f"""

def {NAME}(tenant):
    levy = 40
    if tenant.religion == "muslim":
        levy += 7
    return levy
"""
LARGEST = 400_000
"""Bytes of a file that a person would still add a function to."""
ASIDE = re.compile(r"(?i)test|demo|example|fair|bias|audit|simul|synthe|seed|mock|generat")
"""Where a difference by group may be meant, and is a note."""


class Rehearsed(NamedTuple):
    """How it went for one repository."""

    name: str
    seconds: float
    kept: int
    """Findings in the baseline."""
    green: bool
    told: tuple[tuple[str, ...], ...]
    """What is told after the change: by a whole run, by changed lines, by the hook."""


class Hook(NamedTuple):
    """What a repository needs so that pre-commit runs fairlint's own hook in it."""

    tool: Path
    """A repository of this checkout."""
    revision: str
    policy: Path
    """The policy, as a package that can be installed."""
    home: Path
    """Where pre-commit keeps the environments that it makes."""

    @classmethod
    def made(cls, folder: Path) -> Hook:
        """A hook in a folder that is there as long as it is needed."""
        tool = folder / "tool"
        shutil.copytree(ROOT, tool, ignore=LEFT_OUT)
        _git(tool, "init", "-q")
        _commit(tool, "fairlint")
        revision = _git(tool, "rev-parse", "HEAD").strip()
        return cls(tool, revision, _policy(folder).parent, folder / "pre-commit")

    def install(self, project: Path) -> None:
        """Has it run at each commit in a repository."""
        settings = {
            "repo": str(self.tool),
            "rev": self.revision,
            "hooks": [
                {
                    "id": "fairlint-changed",
                    "args": ["--format", "concise", "--quiet"],
                    "additional_dependencies": [str(self.policy)],
                }
            ],
        }
        (project / ".pre-commit-config.yaml").write_text(json.dumps({"repos": [settings]}))
        _commit(project, "fairlint: the hook")
        self._ran(
            project, sys.executable, "-m", "pre_commit", "install", "--install-hooks"
        ).check_returncode()

    def told(self, project: Path) -> tuple[str, ...]:
        """What it tells of a commit of all that is there; nothing where the commit is made."""
        done = self._ran(project, "git", *WHO, "commit", "-qm", "A levy")
        if done.returncode == 0:
            return ()
        lines = re.findall(r"^(\S+:\d+):\d+: (FL\d+) (.*)", done.stdout + done.stderr, re.MULTILINE)
        found = tuple(NAME if "`levy`" in text else f"{rule} {place}" for place, rule, text in lines)
        return found or (f"exit status {done.returncode}: {(done.stdout + done.stderr).strip()[-200:]}",)

    def _ran(self, project: Path, *command: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "PRE_COMMIT_HOME": str(self.home),
            "GITHUB_ACTIONS": "",
            "PYTHONPATH": "",
        }
        return subprocess.run(
            command, cwd=project, env=environment, capture_output=True, text=True, check=False
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Rehearses a roll-out on real repositories.")
    parser.add_argument("--mirrors", type=Path, required=True, metavar="DIR")
    parser.add_argument("--repositories", type=int, default=10, metavar="N")
    options = parser.parse_args(arguments)
    done = []
    print(f"{'repository':44} {'seconds':>8} {'baseline':>9}  green  whole run / changed lines / hook")
    kept = tempfile.TemporaryDirectory()
    hook = Hook.made(Path(kept.name))
    for one in wanted(options.mirrors, options.repositories):
        with tempfile.TemporaryDirectory() as folder:
            found = rehearsed(one, options.mirrors, Path(folder), hook)
        done.append(found)
        told = " / ".join(", ".join(several) or "nothing" for several in found.told)
        green = "yes" if found.green else "NO"
        print(f"{found.name:44} {found.seconds:8.1f} {found.kept:9,}  {green:5}  {told}", flush=True)
    good = done and all(
        one.green and one.seconds < SLOWEST and all(several == (NAME,) for several in one.told)
        for one in done
    )
    return 0 if good else 1


def wanted(mirrors: Path, number: int) -> list[Repository]:
    """The repositories that may be tuned on and are here, those with most code first."""
    sized = []
    for one in repositories(ROOT / "benchmarks" / "wild" / "repositories.json"):
        git = git_directory(mirrors, one.name) if one.part == "tune" else None
        if git is not None:
            with tempfile.TemporaryDirectory() as folder:
                check_out(one, git, Path(folder))
                size = sum(path.stat().st_size for path in Path(folder).rglob("*.py"))
            sized.append((size, one))
    return [one for _, one in sorted(sized, key=lambda pair: (-pair[0], pair[1].name))[:number]]


def rehearsed(repository: Repository, mirrors: Path, folder: Path, hook: Hook) -> Rehearsed:
    """One repository on the way of the page."""
    git = git_directory(mirrors, repository.name)
    assert git is not None
    project = folder / "project"
    project.mkdir()
    check_out(repository, git, project)
    _policy(folder)
    _git(project, "init", "-q")
    _commit(project, "as it was")

    begun = time.monotonic()
    (project / "fairlint.toml").write_text(OWN)
    _fairlint(folder, project, "baseline", "create", ".")
    _commit(project, "fairlint: policy and baseline")
    hook.install(project)
    green = _fairlint(folder, project, ".").returncode == 0
    seconds = time.monotonic() - begun

    baseline = project / "fairlint-baseline.jsonl"
    kept = len(baseline.read_text().splitlines()) if baseline.exists() else 0
    sizes = {path: path.stat().st_size for path in project.rglob("*.py") if not ASIDE.search(path.as_posix())}
    largest = max((size, path) for path, size in sizes.items() if size < LARGEST)[1]
    with largest.open("a", encoding="utf-8") as file:
        file.write(FUNCTION)
    asked = ((".",), ("--diff", "HEAD", "."))
    told = [_told(_fairlint(folder, project, "--format", "json", *words)) for words in asked]
    _git(project, "add", "-f", largest.relative_to(project).as_posix())
    return Rehearsed(repository.name, seconds, kept, green, (*told, hook.told(project)))


def _policy(folder: Path) -> Path:
    """The policy as an installed package of the company."""
    package = folder / "packages" / "company_policy"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "fairlint.toml").write_text(POLICY)
    (package.parent / "pyproject.toml").write_text(PACKAGE)
    return package


def _told(done: subprocess.CompletedProcess[str]) -> tuple[str, ...]:
    """What is told: the added function by its name, all else by its place."""
    if done.returncode > 1:
        return (f"exit status {done.returncode}: {done.stderr.strip()[:80]}",)
    findings = json.loads(done.stdout)["findings"]
    return tuple(
        NAME if one["message"].startswith("`levy`") else f"{one['rule']} {one['path']}:{one['line']}"
        for one in findings
    )


def _fairlint(folder: Path, project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(ROOT), str(folder / "packages")])
    return subprocess.run(
        [sys.executable, "-P", "-m", "fairlint", *words],
        cwd=project,
        env={**os.environ, "PYTHONPATH": paths, "GITHUB_ACTIONS": ""},
        capture_output=True,
        text=True,
        check=False,
    )


def _commit(project: Path, message: str) -> None:
    _git(project, "add", "-A", "-f")
    _git(project, "commit", "-qm", message, "--no-verify")


def _git(project: Path, *words: str) -> str:
    done = subprocess.run(["git", *WHO, *words], cwd=project, check=True, capture_output=True, text=True)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
