"""What runs of fuzz.py have judged: kept batch by batch, and added up for one state of the program.

A state is what the program consists of (`fairlint/`, `rules/`), byte for byte. Batches of several states are
not added up, and neither are inputs that were judged twice.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from fuzz_seeds import KINDS, ROOT

RUNS = "runs.jsonl"
MUTATED_AMPLIFIED = (("mutated", "spliced"), ("amplified", "bomb"))
PROGRAM = ("fairlint", "rules")
COMPILED = ("__pycache__", "compiled_data.bin")
"""What Python and a run make for themselves: how the names of such files and folders begin."""
MAKING = "benchmarks/fuzz_*.py"
TAKEN = ("benchmarks/bombs.py", "benchmarks/expectations.py")
"""What the inputs are made by, beside what matches `MAKING`."""
FROM = ("fixtures", "docs", "tests", "benchmarks/cases", "benchmarks/pipelines", "rules")
"""What the inputs are made from."""


class MixedStatesError(Exception):
    """What was judged cannot be added up."""


@dataclass(slots=True)
class Tally:
    """What came of all inputs of a kind."""

    inputs: dict[str, int] = field(default_factory=dict)
    """By what was done to the seeds."""
    problems: int = 0
    errors: int = 0
    """Problems that are no matter of time or memory."""
    seconds: float = 0.0
    """CPU, that of making the inputs included."""
    slowest: tuple[float, int] = (0.0, 0)
    """Seconds of CPU of a stage, and the input's number."""
    largest: tuple[float, int] = (0.0, 0)
    """Megabytes, as above."""
    twice: int = 0
    """Inputs that were judged again, with another seed of hashes."""

    @property
    def count(self) -> int:
        """All inputs."""
        return sum(self.inputs.values())

    def add(self, other: Tally) -> None:
        """Adds what came of others."""
        for mode, count in other.inputs.items():
            self.inputs[mode] = self.inputs.get(mode, 0) + count
        self.problems += other.problems
        self.errors += other.errors
        self.seconds += other.seconds
        self.twice += other.twice
        self.slowest = max(self.slowest, other.slowest)
        self.largest = max(self.largest, other.largest)


@dataclass(frozen=True, slots=True)
class State:
    """Which program was asked, and which inputs were made."""

    program: str
    """The digest of all that the program consists of."""
    inputs: str
    """That of all that the inputs are made by and from."""
    commit: str = ""
    """Its commit, with a plus sign where something was changed since; empty where there is no git."""


@dataclass(slots=True)
class Batch:
    """The inputs from `start` to `end`, as one process has judged them."""

    state: State
    seed: int
    kinds: tuple[str, ...]
    start: int
    end: int
    tallies: dict[str, Tally] = field(default_factory=dict)

    @property
    def numbering(self) -> tuple[int, tuple[str, ...], str]:
        """What an input is made from beside its number."""
        return self.seed, self.kinds, self.state.inputs


def state_of(root: Path = ROOT) -> State:
    """The state of a checkout."""
    making = [*sorted(root.glob(MAKING)), *(root / name for name in TAKEN)]
    made_from = [path for folder in FROM for path in _files(root / folder)]
    program = _digest(root, (path for folder in PROGRAM for path in _files(root / folder)))
    return State(program, _digest(root, [*making, *made_from]), _commit(root))


def _files(folder: Path) -> list[Path]:
    """What somebody wrote: nothing that Python or a run compiles for itself."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any(part.startswith(COMPILED) for part in path.parts)
    ]


def _digest(root: Path, paths: Iterable[Path]) -> str:
    found = hashlib.blake2b(digest_size=12)
    for path in paths:
        data = path.read_bytes() if path.is_file() else b""
        found.update(f"{path.relative_to(root).as_posix()} {len(data)}\n".encode())
        found.update(data)
    return found.hexdigest()


def _commit(root: Path) -> str:
    def git(*arguments: str) -> str:
        ran = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False)
        return ran.stdout.strip() if ran.returncode == 0 else ""

    try:
        commit = git("rev-parse", "HEAD")
        return f"{commit}+" if commit and git("status", "--porcelain", "--untracked-files=no") else commit
    except OSError:
        return ""


# ------------------------------------------------------------------------------------------- keeping


def keep(folder: Path, batch: Batch) -> None:
    """Adds a batch to those of a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / RUNS).open("a+b") as file:
        file.seek(max(0, file.seek(0, 2) - 1))
        is_cut = file.read() not in {b"", b"\n"}  # a run was killed while it wrote
        file.write(b"\n" * is_cut + json.dumps(asdict(batch)).encode() + b"\n")


def batches_in(folder: Path) -> list[Batch]:
    """The batches of a folder; a line that was not written to its end is none."""
    path = folder / RUNS
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return [batch for line in lines if (batch := _batch(line)) is not None]


def _batch(line: str) -> Batch | None:
    try:
        told: dict[str, Any] = json.loads(line)
        tallies = {kind: _tally(values) for kind, values in told.pop("tallies").items()}
        return Batch(State(**told.pop("state")), kinds=tuple(told.pop("kinds")), tallies=tallies, **told)
    except (ValueError, TypeError, KeyError):
        return None


def _tally(values: dict[str, Any]) -> Tally:
    (seconds, slowest), (megabytes, largest) = values.pop("slowest"), values.pop("largest")
    return Tally(**values, slowest=(seconds, slowest), largest=(megabytes, largest))


def judged(batches: Iterable[Batch], like: Batch) -> list[tuple[int, int]]:
    """The ranges of inputs that some batches of the same state and numbering have judged, in order."""
    return sorted(
        (one.start, one.end)
        for one in batches
        if one.state.program == like.state.program and one.numbering == like.numbering
    )


def left(first: int, last: int, size: int, done: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The batches of a size at most between two numbers, without what is done."""
    at = first
    for start, end in [*done, (last, last)]:
        while at < min(start, last):
            stop = min(at + size - at % size, start, last)
            yield at, stop
            at = stop
        at = max(at, end)


# ----------------------------------------------------------------------------------------- adding up


def summary(batches: Sequence[Batch]) -> dict[str, Any]:
    """What batches of one state came to; a MixedStatesError where there are several, or none."""
    states = {one.state.program: one.state for one in batches}
    if len(states) != 1:
        named = ", ".join(one.commit or one.program for one in states.values()) or "none"
        raise MixedStatesError(f"these are runs of {len(states)} states of the program: {named}")
    ranges: dict[tuple[int, tuple[str, ...], str], list[tuple[int, int]]] = {}
    tallies: dict[str, Tally] = {}
    for one in batches:
        ranges.setdefault(one.numbering, []).append((one.start, one.end))
        for kind, tally in one.tallies.items():
            tallies.setdefault(kind, Tally()).add(tally)
    runs = []
    for (seed, kinds, inputs), found in ranges.items():
        found.sort()
        for (_, before), (start, _) in pairwise(found):
            if start < before:
                raise MixedStatesError(f"input {start} of seed {seed} was judged more than once")
        whole: list[list[int]] = []
        for start, end in found:
            if whole and whole[-1][1] == start:
                whole[-1][1] = end
            else:
                whole.append([start, end])
        runs.append({"seed": seed, "kinds": len(kinds), "texts": inputs, "inputs": whole})
    (state,) = states.values()
    return {
        "state": {"commit": state.commit, "program": state.program},
        "inputs": sum(tally.count for tally in tallies.values()),
        "amplified": sum(_counts(tally)[1] for tally in tallies.values()),
        "judged twice": sum(tally.twice for tally in tallies.values()),
        "problems": sum(tally.problems for tally in tallies.values()),
        "errors": sum(tally.errors for tally in tallies.values()),
        "seconds of CPU": round(sum(tally.seconds for tally in tallies.values())),
        "slowest, s of CPU": round(max(tally.slowest[0] for tally in tallies.values()), 2),
        "largest, MB": round(max(tally.largest[0] for tally in tallies.values())),
        "kinds": {kind: _told(tallies[kind]) for kind in KINDS if kind in tallies},
        "runs": runs,
    }


def _counts(tally: Tally) -> list[int]:
    return [sum(tally.inputs.get(mode, 0) for mode in modes) for modes in MUTATED_AMPLIFIED]


def _told(tally: Tally) -> dict[str, Any]:
    mutated, amplified = _counts(tally)
    return {
        "mutated": mutated,
        "amplified": amplified,
        "problems": tally.problems,
        "seconds": round(tally.seconds),
        "slowest": [round(tally.slowest[0], 2), tally.slowest[1]],
        "largest": [round(tally.largest[0]), tally.largest[1]],
    }


def table(tallies: Mapping[str, Tally]) -> Iterator[str]:
    """What runs came to, a line a kind."""
    yield (
        f"{'kind':14} {'mutated':>8} {'amplified':>10} {'problems':>9} {'ms each':>8} {'slowest s':>10}"
        f" {'largest MB':>11}"
    )
    whole = Tally()
    for kind in (kind for kind in KINDS if kind in tallies):
        tally = tallies[kind]
        (seconds, slowest), (megabytes, largest) = tally.slowest, tally.largest
        most = f"{seconds:10.2f} {megabytes:11.0f}   inputs {slowest}, {largest}"
        yield f"{_row(kind, tally)} {most}"
        whole.add(tally)
    yield _row("all", whole)


def _row(name: str, tally: Tally) -> str:
    mutated, amplified = _counts(tally)
    each = 1000 * tally.seconds / max(1, tally.count)
    return f"{name:14} {mutated:8,} {amplified:10,} {tally.problems:9} {each:8.1f}"
