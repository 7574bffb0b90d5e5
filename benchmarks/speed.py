"""Compares fairlint's time with that of an empty Python program, of bandit and ruff, or of an older fairlint.

    python benchmarks/speed.py [--rounds N] [--skip-tree] [--data FOLDER] [--against CHECKOUT]

Every ratio is of runs that took turns on this machine: seconds differ between machines, ratios hardly do.
Exit status: 0 where the targets are met, 1 where one is missed, 2 where something could not be measured.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from corpora import DEFAULT_FOLDER, lines_of, standard_library

ROOT = Path(__file__).resolve().parent.parent
RIVALS = {"bandit": "1.9.4", "ruff": "0.17.5"}

SMALL_FILE_TARGET = 6.0
TREE_TARGET = 10.0
OLDER_TARGET = 1.3
OTHER_TREES = ("django", "pandas", "scikit-learn")

FAIRLINT = "import sys; from fairlint.cli import main; sys.exit(main())"
SMALL_FILE = '''\
"""Scores applicants."""

from dataclasses import dataclass


@dataclass
class Applicant:
    """Somebody who wants to work here."""

    gender: str
    age: int
    years_of_experience: int
    skills: list[str]


def score(applicant: Applicant) -> int:
    """What an applicant is worth to us."""
    points = 3 * applicant.years_of_experience
    if applicant.gender == "male":
        points += 5
    elif applicant.gender == "female":
        points += 2
    if applicant.age > 55:
        points -= 4
    return points + len(applicant.skills)
'''


class SpeedError(Exception):
    """Why something could not be timed, in one line."""


@dataclass(frozen=True, slots=True)
class Command:
    """Something to time; `fine` are the exit codes that mean it did its work."""

    name: str
    words: tuple[str, ...]
    fine: frozenset[int] = frozenset({0})
    cwd: Path | None = None
    root: Path = ROOT
    """The checkout of fairlint that is run."""

    def seconds(self) -> float:
        """Run it once and say how long it took."""
        path = os.pathsep.join(filter(None, (str(self.root), os.environ.get("PYTHONPATH"))))
        begin = time.perf_counter()
        done = subprocess.run(
            self.words,
            cwd=self.cwd,
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        taken = time.perf_counter() - begin
        if done.returncode not in self.fine:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise SpeedError(f"{self.name} ended with {done.returncode}: {last}")
        return taken


def medians(commands: Sequence[Command], rounds: int, *, warm: int = 2) -> list[float]:
    """The median time of each command, the commands taking turns."""
    times: list[list[float]] = [[] for _ in commands]
    for number in range(warm + rounds):
        for position, command in enumerate(commands):
            taken = command.seconds()
            if number >= warm:
                times[position].append(taken)
    return [statistics.median(taken) for taken in times]


def small_file(rounds: int) -> bool:
    """Time one small file against an empty program of the same interpreter."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "score.py").write_text(SMALL_FILE)
        empty = Command("python -c pass", (sys.executable, "-c", "pass"), cwd=folder)
        lint = Command(
            "fairlint", (sys.executable, "-c", FAIRLINT, "score.py"), fine=frozenset({1}), cwd=folder
        )
        base, taken = medians([empty, lint], rounds)
    ratio = taken / base
    met = ratio <= SMALL_FILE_TARGET
    print(
        f"one small file: fairlint {taken * 1000:.0f} ms, python -c pass {base * 1000:.0f} ms, "
        f"ratio {ratio:.2f} (target <= {SMALL_FILE_TARGET:g}): {'met' if met else 'missed'}",
        flush=True,
    )
    return met


def rivals(data: Path) -> Path:
    """The folder with bandit's and ruff's commands, in an environment of their own."""
    environment = data / "rivals"
    commands = environment / ("Scripts" if os.name == "nt" else "bin")
    mark = environment / "versions.json"
    if mark.is_file() and json.loads(mark.read_text()) == RIVALS:
        return commands
    shutil.rmtree(environment, ignore_errors=True)
    venv.create(environment, with_pip=True)
    wanted = [f"{name}=={version}" for name, version in RIVALS.items()]
    done = subprocess.run(
        [commands / "python", "-m", "pip", "install", "--quiet", *wanted],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise SpeedError(f"{' and '.join(wanted)} cannot be installed: {last}")
    mark.write_text(json.dumps(RIVALS))
    return commands


def whole_tree(data: Path, rounds: int) -> bool:
    """Time the standard library against bandit and ruff."""
    tree = standard_library(data)
    files, lines = lines_of(tree, frozenset({".py"}))
    commands = rivals(data)
    with tempfile.TemporaryDirectory() as scratch:
        configuration = Path(scratch) / "fairlint.toml"
        configuration.write_text("respect-gitignore = false\nexclude = []\n")
        lint = Command(
            "fairlint",
            (sys.executable, "-c", FAIRLINT, str(tree), "--config", str(configuration), "--exit-zero"),
        )
        bandit = Command(
            "bandit",
            (str(commands / "bandit"), "-r", "-q", "-f", "json", "-o", f"{scratch}/bandit.json", str(tree)),
            fine=frozenset({0, 1}),
        )
        fresh = ("--isolated", "--no-cache", "--no-respect-gitignore")
        ruff = Command("ruff", (str(commands / "ruff"), "check", *fresh, "-q", "--exit-zero", str(tree)))
        ours, quick = medians([lint, ruff], rounds, warm=1)
        (slow,) = medians([bandit], 1, warm=0)
        seen = json.loads(Path(scratch, "bandit.json").read_text())["metrics"]["_totals"]["loc"]
        if not seen:
            raise SpeedError("bandit read no line of the tree")
    ratio = slow / ours
    met = ratio >= TREE_TARGET
    print(
        f"{tree.name}, {files} files, {lines} lines: fairlint {ours:.2f} s, bandit {slow:.1f} s, "
        f"{ratio:.1f} times faster (target >= {TREE_TARGET:g}): {'met' if met else 'missed'}"
    )
    print(
        f"for information: ruff's default rules, uncached, {quick:.2f} s, fairlint / ruff {ours / quick:.2f}"
    )
    return met


def against(older: Path, data: Path, rounds: int) -> bool:
    """Time this fairlint against another checkout, on the standard library and on other trees."""
    if not (older / "fairlint").is_dir():
        raise SpeedError(f"{older} is no checkout of fairlint")
    met = True
    trees = [standard_library(data), *(tree for name in OTHER_TREES if (tree := data / name).is_dir())]
    for tree in trees:
        words = (sys.executable, "-c", FAIRLINT, str(tree), "--isolated", "--exit-zero")
        elsewhere = tree.parent  # Python looks for modules where it is started
        commands = [
            Command("fairlint", words, cwd=elsewhere),
            Command("older", words, cwd=elsewhere, root=older),
        ]
        ours, theirs = medians(commands, rounds, warm=1)
        ratio = ours / theirs
        is_target = tree is trees[0]
        met &= ratio <= OLDER_TARGET or not is_target
        told = f" (target <= {OLDER_TARGET:g})" if is_target else ""
        print(f"{tree.name}: {ours:.2f} s, the older one {theirs:.2f} s, ratio {ratio:.2f}{told}", flush=True)
    return met


def main(arguments: Sequence[str] | None = None) -> int:
    """Time and report."""
    parser = argparse.ArgumentParser(description="Compare fairlint's time with that of other programs.")
    parser.add_argument("--rounds", type=int, default=21, help="timed runs of the small file (default 21)")
    parser.add_argument("--tree-rounds", type=int, default=3, help="timed runs of the tree (default 3)")
    parser.add_argument("--skip-tree", action="store_true", help="time the small file alone")
    parser.add_argument(
        "--data", type=Path, default=DEFAULT_FOLDER, metavar="FOLDER", help="where corpora are"
    )
    parser.add_argument(
        "--against",
        type=Path,
        metavar="CHECKOUT",
        help="time an older checkout of fairlint, and nothing else",
    )
    options = parser.parse_args(arguments)
    if options.rounds < 1 or options.tree_rounds < 1:
        parser.error("there must be one round at least")
    try:
        if options.against is not None:
            return 0 if against(options.against.resolve(), options.data, options.tree_rounds) else 1
        met = small_file(options.rounds)
        if not options.skip_tree:
            met &= whole_tree(options.data, options.tree_rounds)
    except (SpeedError, OSError, subprocess.SubprocessError) as error:
        print(f"speed: {error}", file=sys.stderr)
        return 2
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
