"""The loop of docs/roll-out.md goes on after a repository that fails, and touches nothing of others."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "roll-out.md"
CODE = """\
def price(customer):
    total = 30.0
    if customer.gender == "male":
        total *= 1.2
    return total
"""


def git(*words: str, cwd: Path) -> str:
    """What git prints."""
    return subprocess.run(
        ["git", *words], cwd=cwd, check=True, capture_output=True, text=True, env=environment()
    ).stdout


def environment() -> dict[str, str]:
    """A name for commits, and no configuration of whoever runs this."""
    who = {
        f"GIT_{role}_{key}": "t@example.org" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")
    }
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    return {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PATH": path}


def repository(folder: Path) -> Path:
    """A bare repository with one finding."""
    folder.mkdir(parents=True)
    git("init", "--quiet", "--bare", "--initial-branch", "main", cwd=folder)
    work = folder.parent / f"{folder.name}-first"
    git("clone", "--quiet", str(folder), str(work), cwd=folder.parent)
    (work / "price.py").write_text(CODE)
    git("checkout", "--quiet", "-b", "main", cwd=work)
    git("add", "-A", cwd=work)
    git("commit", "--quiet", "-m", "first", cwd=work)
    git("push", "--quiet", "origin", "main", cwd=work)
    return folder


def test_one_that_is_gone_stops_and_deletes_nothing(tmp_path: Path) -> None:
    page = PAGE.read_text("utf-8")
    script, loop = re.findall(r"```sh\n(.*?)```", page[page.index("## All of them") :], re.DOTALL)[:2]
    home = tmp_path / "home" / "rollout"
    home.mkdir(parents=True)
    mine = tmp_path / "home" / "work"
    mine.mkdir()
    (mine / "thesis.txt").write_text("not to be lost")
    (home / "roll-out.sh").write_text(script)
    (home / "fairlint.toml").write_text('fail-on = "error"\n')
    first, last = repository(tmp_path / "a" / "api"), repository(tmp_path / "b" / "api")
    gone = tmp_path / "c" / "gone"
    (home / "repositories.txt").write_text(f"{first}\n{gone}\n{last}\n")
    subprocess.run(["bash", "-c", loop], cwd=home, check=True, capture_output=True, env=environment())
    assert (home / "failed.txt").read_text() == f"{gone}\n"
    assert (mine / "thesis.txt").read_text() == "not to be lost"
    assert sorted(path.name for path in home.iterdir()) == [
        "failed.txt", "fairlint.toml", "reports", "repositories.txt", "roll-out.sh",
    ]  # fmt: skip
    assert len(list((home / "reports").iterdir())) == 2
    for one in (first, last):
        assert git("ls-tree", "--name-only", "fairlint", cwd=one).split() == [
            "fairlint-baseline.jsonl", "fairlint.toml", "price.py",
        ]  # fmt: skip
