"""Looks for inputs that break fairlint, take too long or too much memory, or are told differently twice.

    python benchmarks/fuzz.py [--seed N] [--minutes M] [--inputs N] [--start N] [--kinds KIND,…] [--cores N]

Inputs are made from the texts of this checkout and of the standard library: changed, spliced, amplified.
Input number N of a seed is always the same, so that a run goes on with `--start`. What breaks is made small
and written to the folder `--cases`, with a line in its `manifest.jsonl`; in `tests/fuzz_cases/` it is a test.
Exit status: 0 where all holds, 1 where something does not. Only on Linux, which counts an input's memory.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fuzz_minimiser import EnoughError, smallest
from fuzz_mutations import Made, make
from fuzz_seeds import KINDS, Seeds, gather
from fuzz_worker import Plan, Result, Task, Worker

BATCH = 3_000
"""Inputs that one process judges, with one seed of Python's hashes."""
TWICE = 40
"""Of so many inputs, one is judged a second time with another seed of hashes."""
ATTEMPTS = 1_500
"""How often an input is judged to make it small."""
SUFFIXES = {
    "python": ".py",
    "c": ".c",
    "answer": ".txt",
    "notebook": ".ipynb",
    "rule-page": ".md",
    "ignore-file": ".gitignore",
    "prompts-file": ".jsonl",
}
MANIFEST = "manifest.jsonl"
MUTATED_AMPLIFIED = (("mutated", "spliced"), ("amplified", "bomb"))
DIFFERS = "differs by hash seed"


@dataclass(slots=True)
class Tally:
    """What came of all inputs of a kind."""

    inputs: dict[str, int] = field(default_factory=dict)
    """By what was done to the seeds."""
    problems: int = 0
    seconds: float = 0.0
    slowest: tuple[float, int] = (0.0, 0)
    """Seconds of CPU, and the input's number."""
    largest: tuple[float, int] = (0.0, 0)
    """Megabytes, as above."""


@dataclass(slots=True)
class Case:
    """An input that breaks something; its line in the manifest."""

    file: str
    kind: str
    problem: str
    seed: int
    input: int
    mode: str
    note: str = ""
    detail: str = ""


@dataclass(slots=True)
class Fuzzing:
    """A run: what was seen so far. `over` ends it."""

    plan: Plan
    folder: Path
    seeds: Seeds
    starts: Iterator[int]
    """The first inputs of the batches that nobody has."""
    at: dict[int, int] = field(default_factory=dict)
    """The first input of a batch that is not finished → the one it is at."""
    ended: int = 0
    """Where the last of the finished batches ended."""
    tallies: dict[str, Tally] = field(default_factory=dict)
    cases: dict[str, Case] = field(default_factory=dict)
    """The first case of each problem."""
    over: threading.Event = field(default_factory=threading.Event)
    began: float = field(default_factory=time.monotonic)
    said: float = field(default_factory=time.monotonic)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def next(self) -> int:
        """All inputs before this number are judged."""
        return min(self.at.values(), default=max(self.ended, self.plan.start))

    def is_late(self) -> bool:
        """Whether the time is up."""
        minutes = self.plan.minutes
        return minutes is not None and time.monotonic() - self.began > 60 * minutes


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs and reports."""
    options = _parser().parse_args(arguments)
    kinds = tuple(options.kinds.split(","))
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        print(f"fuzz: no such kind: {unknown[0]}; there are {', '.join(KINDS)}", file=sys.stderr)
        return 2
    samples = Path(options.samples) if options.samples else None
    inputs = options.inputs if options.inputs or options.minutes else 1_000
    plan = Plan(options.seed, options.start, inputs, options.minutes, kinds, options.cores, samples)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where it was started in the background
    run = fuzz(plan, options.cases)
    record(run)
    print("\n".join(table(run)))
    return 1 if run.cases else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Look for inputs that break fairlint.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, metavar="N", help="the number of the first input")
    parser.add_argument("--inputs", type=int, metavar="N", help="how many; 1,000 without --minutes")
    parser.add_argument("--minutes", type=float, metavar="M")
    parser.add_argument("--kinds", default=",".join(KINDS), metavar="KIND,…", help="default: %(default)s")
    parser.add_argument("--cores", type=int, default=1, metavar="N")
    parser.add_argument("--samples", default=os.environ.get("FAIRLINT_SAMPLES"), metavar="FOLDER",
                        help="kept answers of models as *.jsonl (FAIRLINT_SAMPLES)")  # fmt: skip
    parser.add_argument("--cases", type=Path, default=Path(".benchmarks-data/fuzz"), metavar="FOLDER",
                        help="where what breaks is kept, default: %(default)s")  # fmt: skip
    return parser


def fuzz(plan: Plan, folder: Path) -> Fuzzing:
    """Judges all inputs of a plan; an interrupt ends it early."""
    last = plan.start + (plan.inputs if plan.inputs is not None else sys.maxsize)
    run = Fuzzing(plan, folder, gather(plan.samples), iter(range(plan.start, last, BATCH)))
    helpers = [threading.Thread(target=_work, args=(run, last)) for _ in range(plan.cores - 1)]
    try:
        for helper in helpers:
            helper.start()
        _work(run, last)
        for helper in helpers:
            helper.join()
    except KeyboardInterrupt:
        run.over.set()
    _say(run, "stopped" if run.over.is_set() else "done")
    return run


def _work(run: Fuzzing, last: int) -> None:
    """Judges one batch after the other."""
    while not (run.over.is_set() or run.is_late()):
        with run.lock:
            start = next(run.starts, None)
            if start is None:
                return
            run.at[start] = start
        end = min(start + BATCH, last)
        _batch(run, start, end)
        with run.lock:
            if run.at[start] == end:
                run.ended = max(run.ended, run.at.pop(start))


def _batch(run: Fuzzing, start: int, end: int) -> None:
    worker, twin = Worker(run.plan, start), Worker(run.plan, start + 1)
    again: list[Result] = []
    try:
        for number in range(start, end):
            if run.over.is_set() or run.is_late():
                break
            result = worker.judge(Task(number))
            _take(run, result)
            if number % TWICE == 0 and not result.problem:
                again.append(result)
            run.at[start] = number + 1
        worker.end()
        for result in again:
            if not run.over.is_set() and twin.judge(Task(result.number)).digest != result.digest:
                result.problem = DIFFERS
                _take(run, result, is_new=False)
    finally:
        worker.end()
        twin.end()


def _take(run: Fuzzing, result: Result, *, is_new: bool = True) -> None:
    """Counts a result; the first of a problem becomes a case."""
    made = None
    if not result.kind:  # its process did not live to say
        made = make(run.plan.seed, result.number, run.seeds, run.plan.kinds)
        result.kind, result.mode, result.size = made.kind, made.mode, len(made.data)
    with run.lock:
        tally = run.tallies.setdefault(result.kind, Tally())
        if is_new:
            tally.inputs[result.mode] = tally.inputs.get(result.mode, 0) + 1
        tally.seconds += result.seconds
        tally.slowest = max(tally.slowest, (result.seconds, result.number))
        tally.largest = max(tally.largest, (result.megabytes, result.number))
        tally.problems += bool(result.problem)
        key = f"{result.kind}: {result.problem}"
        is_first = bool(result.problem) and key not in run.cases
        if is_first:
            run.cases[key] = Case("", result.kind, result.problem, run.plan.seed, result.number, result.mode)
        if time.monotonic() - run.said > (5 if sys.stderr.isatty() else 60):
            _say(run, "so far")
    if is_first:
        made = made or make(run.plan.seed, result.number, run.seeds, run.plan.kinds)
        _keep(run, run.cases[key], made, result.detail)


def _keep(run: Fuzzing, case: Case, made: Made, detail: str) -> None:
    """Makes a case small and writes it down."""
    plan = run.plan
    workers = [Worker(plan, made.number + more) for more in ((1, 2) if case.problem == DIFFERS else (1,))]
    until = time.monotonic() + plan.patience

    def breaks(data: bytes) -> bool:
        if run.over.is_set() or time.monotonic() > until:
            raise EnoughError
        task = Task(made.number, Made(made.number, made.kind, made.mode, data))
        results = [worker.judge(task) for worker in workers]
        if case.problem == DIFFERS:
            return len({result.digest for result in results}) > 1
        return _cause(results[0].problem) == _cause(case.problem)

    data = made.data
    try:
        if breaks(data):
            data = smallest(data, breaks, ATTEMPTS)
        else:
            case.note = "not by itself in a new process"
    except (EnoughError, KeyboardInterrupt) as error:
        case.note = "not tried by itself"
        if isinstance(error, KeyboardInterrupt):
            run.over.set()
    finally:
        for worker in workers:
            worker.end()
    case.detail = detail
    case.file = f"{case.kind}-{hashlib.sha256(data).hexdigest()[:8]}{SUFFIXES.get(case.kind, '.toml')}"
    with run.lock:
        run.folder.mkdir(parents=True, exist_ok=True)
        (run.folder / case.file).write_bytes(data)
        with (run.folder / MANIFEST).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(case), ensure_ascii=False) + "\n")
        print(
            f"\n{case.kind}, input {case.input}: {case.problem}: {case.file}, {len(data)} bytes",
            file=sys.stderr,
        )


def _cause(problem: str) -> str:
    """What has to stay while a case becomes small: where the time goes may change."""
    return "cpu" if problem.startswith("cpu") else problem


# ------------------------------------------------------------------------------------------------ telling


def _say(run: Fuzzing, word: str) -> None:
    run.said = time.monotonic()
    count = sum(sum(tally.inputs.values()) for tally in run.tallies.values())
    seconds = sum(tally.seconds for tally in run.tallies.values())
    each = 1000 * seconds / max(1, count)
    begins, ends = ("\r", "") if sys.stderr.isatty() and word == "so far" else ("", "\n")
    told = (
        f"{word}: {count:,} inputs, {each:.1f} ms each, {len(run.cases)} problems; --start {run.next} goes on"
    )
    print(f"{begins}{told}", end=ends, file=sys.stderr, flush=True)


def record(run: Fuzzing) -> None:
    """Adds a line on the run to the folder: what was judged, so that runs can be summed up."""
    run.folder.mkdir(parents=True, exist_ok=True)
    told = {"seed": run.plan.seed, "start": run.plan.start, "next": run.next}
    kinds = {kind: asdict(tally) for kind, tally in run.tallies.items()}
    with (run.folder / "runs.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({**told, "kinds": kinds}) + "\n")


def table(run: Fuzzing) -> Iterator[str]:
    """What a run came to, a line a kind, and its cases."""
    yield f"{'kind':14} {'mutated':>8} {'amplified':>10} {'problems':>9} {'slowest s':>10} {'largest MB':>11}"
    mutated = amplified = 0
    for kind in (kind for kind in KINDS if kind in run.tallies):
        tally = run.tallies[kind]
        told = [sum(tally.inputs.get(mode, 0) for mode in modes) for modes in MUTATED_AMPLIFIED]
        (seconds, slowest), (megabytes, largest) = tally.slowest, tally.largest
        most = f"{seconds:10.2f} {megabytes:11.0f}   inputs {slowest}, {largest}"
        yield f"{kind:14} {told[0]:8,} {told[1]:10,} {tally.problems:9} {most}"
        mutated, amplified = mutated + told[0], amplified + told[1]
    yield f"{'all':14} {mutated:8,} {amplified:10,}"
    for case in run.cases.values():
        yield f"{case.file}: {case.problem} (input {case.input}) {case.note}"


if __name__ == "__main__":
    sys.exit(main())
