"""Runs what the pages show: writes their files, runs their commands, compares what these say.

    python benchmarks/pages.py [PAGE ...] [--write]

A line that is only a name in code, such as `` `rent.py`: ``, says where the next block of code goes. A block
of kind `console` holds commands behind `$ ` and what they say; `...` on a line of its own stands for any
lines. All blocks of a page run in one folder, one after the other. `--write` puts what commands say into the
page instead.
Exit status: 1 where something else is said than is shown.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("docs/tutorial.md", "docs/roll-out.md")
BLOCK = re.compile(r"^```(?P<kind>[\w-]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`(?P<name>[\w./-]+)`[^\n`]*:\n\n\Z")
ELIDED = "...\n"
WHEN = "2026-03-02T09:00:00Z"
SECONDS = 120


class Said(NamedTuple):
    """What one block of commands shows, and what it says when it runs."""

    start: int
    """Where the block's text begins in the page."""
    shown: str
    said: str


def played(page: str) -> Iterator[Said]:
    """Writes the files of a page and runs its commands, in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        environment = _environment(home)
        project = home / "project"
        project.mkdir()
        for block in BLOCK.finditer(page):
            if block["kind"] == "console":
                yield Said(block.start("text"), block["text"], _said(block["text"], project, environment))
                continue
            file = FILE.search(page, 0, block.start())
            if file:
                path = project / file["name"]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block["text"], encoding="utf-8")


def agrees(said: Said) -> bool:
    """Whether what is said is what is shown."""
    pieces = [
        re.escape(piece) for piece in re.split(rf"^{re.escape(ELIDED)}", said.shown, flags=re.MULTILINE)
    ]
    return re.fullmatch("(?:.*\n)*?".join(pieces), said.said) is not None


def _environment(home: Path) -> dict[str, str]:
    """That of a user of git, with fairlint installed."""
    (home / "bin").mkdir()
    tool = home / "bin" / "fairlint"
    tool.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -P -m fairlint "$@"\n')
    tool.chmod(0o755)
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL") if name in os.environ}
    who = {f"GIT_{role}_{what}": of for role in ("AUTHOR", "COMMITTER") for what, of in (
        ("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", WHEN),
    )}  # fmt: skip
    path = os.pathsep.join([str(home / "bin"), os.environ["PATH"]])
    return {**kept, **who, "PATH": path, "HOME": str(home), "GIT_CONFIG_GLOBAL": os.devnull, "TZ": "UTC"}


def _said(text: str, folder: Path, environment: dict[str, str]) -> str:
    """The commands of a block with what they say."""
    pieces = []
    for line in text.splitlines(keepends=True):
        if not line.startswith("$ "):
            continue
        command = re.sub(r"\s{2,}# .*", "", line[2:])
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        pieces += [line, done.stdout]
    return "".join(pieces)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="*", default=[str(ROOT / name) for name in PAGES])
    parser.add_argument("--write", action="store_true", help="put what commands say into the page")
    options = parser.parse_args()
    if shutil.which("git") is None:
        parser.error("the pages need git")
    different = 0
    for name in options.pages:
        page = Path(name).read_text(encoding="utf-8")
        for said in reversed([one for one in played(page) if not agrees(one)]):
            different += 1
            page = page[: said.start] + said.said + page[said.start + len(said.shown) :]
            print(f"{name}:\n{said.said}")
        if options.write:
            Path(name).write_text(page, encoding="utf-8")
    return 1 if different and not options.write else 0


if __name__ == "__main__":
    sys.exit(main())
