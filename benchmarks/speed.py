"""Compares fairlint's time with that of an empty Python program, of bandit and ruff, or of an older fairlint.

    python benchmarks/speed.py [--rounds N] [--skip-tree] [--data FOLDER] [--against CHECKOUT [--tree FOLDER]]

Every ratio is of runs that took turns on this machine: seconds differ between machines, ratios hardly do.
Python's byte code is kept in a folder of the run, whatever the environment says: so it is where fairlint is
installed.
Nothing that fairlint keeps from run to run is used, but where a second run is timed.
Exit status: 0 where the targets are met, 1 where one is missed, 2 where something could not be measured.
"""

from __future__ import annotations

import argparse
import atexit
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
from functools import cache
from pathlib import Path

from corpora import DEFAULT_FOLDER, lines_of, standard_library

ROOT = Path(__file__).resolve().parent.parent
RIVALS = {"bandit": "1.9.4", "ruff": "0.17.5"}

SMALL_FILE_TARGET = 6.0
TREE_TARGET = 10.0
OLDER_TARGETS = {"django": 0.8, "pandas": 0.8, "scikit-learn": 0.8}
OLDER_TARGET_OF_LIBRARY = 0.9
OLDER_TARGET_OF_IMPORTS = 0.8
SECOND_RUN_TARGET = 0.25
"""What a second run over an unchanged tree may take of a first one."""
MODULES = 600
IMPORTS = 6
"""Modules of the tree that imports itself, and from how many others each imports."""

FAIRLINT = (sys.executable, "-m", "fairlint")
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


MODULE = '''\
"""Part {number} of a program."""

{imports}

LIMIT_{number} = {number}
COLUMNS_{number} = ["income", "debt", "{column}"]


def total_{number}(row, factor=LIMIT_{number}):
    """What a row comes to."""
    amount = row.income * factor - row.debt
    return amount + {calls}


def train_{number}(frame, model):
    """Teaches a model."""
    return model.fit(frame[COLUMNS_{number} + COLUMNS_{other}], frame["repaid"])
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
        return self.times()[0]

    def times(self) -> tuple[float, float]:
        """Run it once; its wall time and its CPU time, that of its processes included."""
        path = os.pathsep.join(filter(None, (str(self.root), os.environ.get("PYTHONPATH"))))
        before = os.times()
        begin = time.perf_counter()
        done = subprocess.run(
            self.words,
            cwd=self.cwd,
            env={**_environment(), "PYTHONPATH": path},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        taken = time.perf_counter() - begin
        after = os.times()
        if done.returncode not in self.fine:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise SpeedError(f"{self.name} ended with {done.returncode}: {last}")
        worked = after.children_user + after.children_system - before.children_user - before.children_system
        return taken, worked


@cache
def _environment() -> dict[str, str]:
    """This environment, with byte code that is kept for the length of the run."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    folder = tempfile.mkdtemp(prefix="fairlint-speed-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return {**kept, "PYTHONPYCACHEPREFIX": folder}


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
        lint = Command("fairlint", (*FAIRLINT, "--no-cache", "score.py"), fine=frozenset({1}), cwd=folder)
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
            (*FAIRLINT, str(tree), "--config", str(configuration), "--exit-zero", "--no-cache"),
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


def importing_tree(folder: Path) -> Path:
    """A made-up program whose modules all import from each other; one in twenty names something protected."""
    tree = folder / "importing" / "program"
    tree.mkdir(parents=True)
    (tree / "__init__.py").write_text("")
    for number in range(MODULES):
        others = sorted({(number * 7 + step * 31) % MODULES for step in range(1, IMPORTS + 1)} - {number})
        lines = [
            f"from program.part_{other} import COLUMNS_{other}, total_{other}, train_{other}"
            for other in others
        ]
        text = MODULE.format(
            number=number,
            imports="\n".join(lines),
            column="gender" if number % 20 == 0 else f"field_{number}",
            calls=" + ".join(f"total_{other}(row)" for other in others[:2]),
            other=others[0],
        )
        (tree / f"part_{number}.py").write_text(text)
    return tree.parent


def against(older: Path, data: Path, rounds: int, only: Path | None = None) -> bool:
    """Time this fairlint against another checkout: one small file, the standard library, and other trees, or
    on the tree `only`, where second runs are timed, too.
    """
    if not (older / "fairlint").is_dir():
        raise SpeedError(f"{older} is no checkout of fairlint")
    if only is not None:
        return _beside(older, only, None, rounds) and _second_beside(older, only, rounds)
    met = True
    with tempfile.TemporaryDirectory() as scratch:
        small = Path(scratch) / "small"
        small.mkdir()
        (small / "score.py").write_text(SMALL_FILE)
        trees = {
            standard_library(data): OLDER_TARGET_OF_LIBRARY,
            **{data / name: target for name, target in OLDER_TARGETS.items() if (data / name).is_dir()},
            importing_tree(Path(scratch)): OLDER_TARGET_OF_IMPORTS,
            small: None,
        }
        for tree, target in trees.items():
            met &= _beside(older, tree, target, rounds)
    return met


def _beside(older: Path, tree: Path, target: float | None, rounds: int) -> bool:
    """Time both on one tree; whether the target, if there is one, is met by the wall time."""
    words = (*FAIRLINT, str(tree), "--isolated", "--exit-zero")
    elsewhere = tree.parent  # Python looks for modules where it is started
    commands = [
        Command("fairlint", (*words, "--no-cache"), cwd=elsewhere),
        Command("older", (*words, *_without_cache(older)), cwd=elsewhere, root=older),
    ]
    taken: list[list[tuple[float, float]]] = [[], []]
    for number in range(rounds + 1):
        for command, times in zip(commands, taken, strict=True):
            times.append(command.times())
            if number == 0:  # writes byte code
                times.clear()
    (ours, our_work), (theirs, their_work) = (
        map(statistics.median, zip(*times, strict=True)) for times in taken
    )
    ratio = ours / theirs
    told = "" if target is None else f" (target <= {target:g}): {'met' if ratio <= target else 'missed'}"
    print(
        f"{tree.name}: {ours:.2f} s, the older one {theirs:.2f} s, ratio {ratio:.2f}{told};"
        f" CPU time {our_work / their_work:.2f}",
        flush=True,
    )
    return target is None or ratio <= target


def _second_beside(older: Path, tree: Path, rounds: int) -> bool:
    """Print the CPU time of a second run over an unchanged tree, compared with that of the other checkout."""
    words = (*FAIRLINT, str(tree), "--isolated", "--exit-zero")
    taken: list[list[float]] = [[], []]
    with tempfile.TemporaryDirectory() as scratch:
        commands = [
            Command(name, (*words, "--cache-dir", f"{scratch}/{name}"), cwd=tree.parent, root=root)
            for name, root in (("fairlint", ROOT), ("older", older))
        ]
        for command in commands:
            command.times()  # keeps its results
        for _ in range(rounds):
            for command, times in zip(commands, taken, strict=True):
                times.append(command.times()[1])
    ours, theirs = map(statistics.median, taken)
    print(
        f"{tree.name}, a second run: CPU time {ours:.2f} s, the older one {theirs:.2f} s, {ours / theirs:.2f}"
    )
    return True


def _without_cache(checkout: Path) -> tuple[str, ...]:
    """The option by which a fairlint finds everything anew, if it knows one."""
    return ("--no-cache",) if (checkout / "fairlint" / "cache").is_dir() else ()


def second_runs(data: Path, rounds: int) -> bool:
    """Time a second run over trees that have not changed against the first, and one after one change."""
    met = True
    with tempfile.TemporaryDirectory() as scratch:
        names = [name for name in OLDER_TARGETS if (data / name).is_dir()]
        trees: list[str | Path] = [
            importing_tree(Path(scratch)),
            *(shutil.copytree(data / name, f"{scratch}/{name}") for name in names),
        ]
        for tree in trees:
            met &= _twice(Path(tree), Path(scratch, ".kept"), rounds)
    return met


def _twice(tree: Path, kept: Path, rounds: int) -> bool:
    """Time both runs over one tree; whether the target is met by the CPU time."""
    words = (*FAIRLINT, str(tree), "--isolated", "--exit-zero")
    anew = Command("anew", (*words, "--no-cache"), cwd=tree.parent)
    keeping = Command("keeping", (*words, "--cache-dir", str(kept)), cwd=tree.parent)
    some = max(tree.rglob("*.py"), key=lambda path: path.stat().st_size)
    taken: dict[str, list[tuple[float, float]]] = {
        name: [] for name in ("anew", "first", "second", "changed")
    }
    anew.times()  # writes byte code
    for number in range(rounds):
        shutil.rmtree(kept, ignore_errors=True)
        taken["anew"].append(anew.times())
        taken["first"].append(keeping.times())
        taken["second"].append(keeping.times())
        some.write_text(f"{some.read_text()}# {number}\n")
        taken["changed"].append(keeping.times())
    wall, work = (
        {name: statistics.median(one[at] for one in times) for name, times in taken.items()} for at in (0, 1)
    )
    size = sum(path.stat().st_size for path in kept.iterdir()) / 1e6
    ratio = work["second"] / work["anew"]
    files = sum(1 for _ in tree.rglob("*.py"))
    print(
        f"{tree.name}, {files} files; 1 is the CPU time (wall time) of a run that keeps nothing, "
        f"{work['anew']:.1f} s"
    )
    for name in ("first", "second", "changed"):
        print(f"  {name:8} {work[name] / work['anew']:.3f} ({wall[name] / wall['anew']:.3f})")
    met = ratio <= SECOND_RUN_TARGET
    print(
        f"  second: target <= {SECOND_RUN_TARGET:g} {'met' if met else 'missed'}; {size:.1f} MB are kept",
        flush=True,
    )
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
    parser.add_argument(
        "--tree", type=Path, metavar="FOLDER", help="with --against: the one tree to time, second runs too"
    )
    parser.add_argument("--second-runs", action="store_true", help="time second runs, and nothing else")
    options = parser.parse_args(arguments)
    if options.rounds < 1 or options.tree_rounds < 1:
        parser.error("there must be one round at least")
    try:
        if options.against is not None:
            tree = options.tree and options.tree.resolve()
            return 0 if against(options.against.resolve(), options.data, options.tree_rounds, tree) else 1
        if options.second_runs:
            return 0 if second_runs(options.data, options.tree_rounds) else 1
        met = small_file(options.rounds)
        if not options.skip_tree:
            met &= whole_tree(options.data, options.tree_rounds)
    except (SpeedError, OSError, subprocess.SubprocessError) as error:
        print(f"speed: {error}", file=sys.stderr)
        return 2
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
