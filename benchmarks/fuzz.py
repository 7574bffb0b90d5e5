"""Looks for inputs that break fairlint, take too long or too much memory, or are told differently twice.

    python benchmarks/fuzz.py [--seed N] [--minutes M] [--inputs N] [--start N] [--kinds KIND,…] [--cores N]
    python benchmarks/fuzz.py --summary FILE [--cases FOLDER]

Inputs are made from the texts of this checkout and of the standard library: changed, spliced, amplified.
Input number N of a seed is always the same. A run goes on with `--start`, or with `--resume`, which leaves
out what was judged in this state of the program. What breaks is made small and written to the folder
`--cases`, with a line in its `manifest.jsonl`; in `tests/fuzz_cases/` it is a test. Each batch is a line in
the folder's `runs.jsonl`; `--summary` judges nothing and adds up those of this state.
Exit status: 0 where all holds, 1 where something does not, 2 where nothing can be judged or added up. Only on
Linux, which counts an input's memory.
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
from fuzz_runs import (
    Batch,
    MixedStatesError,
    State,
    Tally,
    batches_in,
    judged,
    keep,
    left,
    state_of,
    summary,
    table,
)
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
    "suppressions": ".txt",
    "query": ".py",
    "diff": ".diff",
    "baseline": ".jsonl",
    "statistics": ".json",
}
MANIFEST = "manifest.jsonl"
DIFFERS = "differs by hash seed"
LIMITS = frozenset({"cpu", "memory"})
"""Problems that are no errors: they begin with these words."""


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
    state: State
    batches: Iterator[tuple[int, int]]
    """The first and the last inputs of the batches that nobody has."""
    at: dict[int, int] = field(default_factory=dict)
    """The first input of a batch that is not finished → the one it is at."""
    ended: int = 0
    """Where the last of the finished batches ended."""
    tallies: dict[str, Tally] = field(default_factory=dict)
    """What came of the batches that are over."""
    count: int = 0
    seconds: float = 0.0
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
    options = parser().parse_args(arguments)
    kinds = tuple(options.kinds.split(","))
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        print(f"fuzz: no such kind: {unknown[0]}; there are {', '.join(KINDS)}", file=sys.stderr)
        return 2
    samples = Path(options.samples) if options.samples else None
    inputs = options.inputs if options.inputs or options.minutes else 1_000
    plan = Plan(options.seed, options.start, inputs, options.minutes, kinds, options.cores, samples)
    if options.summary:
        return sum_up(options.cases, options.summary)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where it was started in the background
    run = fuzz(plan, options.cases, resume=options.resume)
    print("\n".join((*table(run.tallies), *told_cases(run))))
    if state_of().program != run.state.program:
        print("fuzz: the program was changed while it was judged; nothing of this counts", file=sys.stderr)
        return 2
    return 1 if run.cases else 0


def sum_up(folder: Path, file: Path) -> int:
    """Writes what the batches of this state of the program came to; the exit status."""
    state, batches = state_of(), batches_in(folder)
    own = [one for one in batches if one.state.program == state.program]
    if others := len(batches) - len(own):
        print(
            f"fuzz: {others} of {len(batches)} batches are left out: they are of other states",
            file=sys.stderr,
        )
    try:
        told = summary(own)
    except MixedStatesError as error:
        print(f"fuzz: {error}", file=sys.stderr)
        return 2
    text = json.dumps(told, indent=1, ensure_ascii=False)
    file.write_text(f"{text}\n", encoding="utf-8")
    print(text)
    return 1 if told["problems"] else 0


def parser() -> argparse.ArgumentParser:
    """What can be asked for."""
    made = argparse.ArgumentParser(description="Look for inputs that break fairlint.")
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--start", type=int, default=0, metavar="N", help="the number of the first input")
    made.add_argument("--resume", action="store_true", help="leave out what was judged in this state")
    made.add_argument("--summary", type=Path, metavar="FILE",
                        help="judge nothing; add up what was judged in this state")  # fmt: skip
    made.add_argument("--inputs", type=int, metavar="N", help="how many; 1,000 without --minutes")
    made.add_argument("--minutes", type=float, metavar="M")
    made.add_argument("--kinds", default=",".join(KINDS), metavar="KIND,…", help="default: %(default)s")
    made.add_argument("--cores", type=int, default=1, metavar="N")
    made.add_argument("--samples", default=os.environ.get("FAIRLINT_SAMPLES"), metavar="FOLDER",
                        help="kept answers of models as *.jsonl (FAIRLINT_SAMPLES)")  # fmt: skip
    made.add_argument("--cases", type=Path, default=Path(".benchmarks-data/fuzz"), metavar="FOLDER",
                        help="where what breaks is kept, default: %(default)s")  # fmt: skip
    return made


def fuzz(plan: Plan, folder: Path, *, resume: bool = False) -> Fuzzing:
    """Judges all inputs of a plan; an interrupt ends it early."""
    last = plan.start + (plan.inputs if plan.inputs is not None else sys.maxsize)
    state = state_of()
    like = Batch(state, plan.seed, plan.kinds, plan.start, plan.start)
    done = judged(batches_in(folder), like) if resume else []
    run = Fuzzing(plan, folder, gather(plan.samples), state, left(plan.start, last, BATCH, done))
    helpers = [threading.Thread(target=_work, args=(run,)) for _ in range(plan.cores - 1)]
    try:
        for helper in helpers:
            helper.start()
        _work(run)
        for helper in helpers:
            helper.join()
    except KeyboardInterrupt:
        run.over.set()
    _say(run, "stopped" if run.over.is_set() else "done")
    return run


def _work(run: Fuzzing) -> None:
    """Judges one batch after the other."""
    while not (run.over.is_set() or run.is_late()):
        with run.lock:
            start, end = next(run.batches, (0, 0))
            if start == end:
                return
            run.at[start] = start
        batch = Batch(run.state, run.plan.seed, run.plan.kinds, start, start)
        try:
            _judge(run, batch, end)
        finally:
            with run.lock:
                if batch.end > start:
                    keep(run.folder, batch)
                for kind, tally in batch.tallies.items():
                    run.tallies.setdefault(kind, Tally()).add(tally)
                if run.at[start] == end:
                    run.ended = max(run.ended, run.at.pop(start))


def _judge(run: Fuzzing, batch: Batch, end: int) -> None:
    """Judges the inputs of a batch up to `end`, unless the time is up before."""
    worker, twin = Worker(run.plan, batch.start), Worker(run.plan, batch.start + 1)
    again: list[Result] = []
    try:
        for number in range(batch.start, end):
            if run.over.is_set() or run.is_late():
                break
            result = worker.judge(Task(number))
            _take(run, batch, result)
            if number % TWICE == 0 and not result.problem:
                again.append(result)
            batch.end = run.at[batch.start] = number + 1
        worker.end()
        for result in again:
            if run.over.is_set():
                break
            other = twin.judge(Task(result.number))
            batch.tallies[result.kind].twice += 1
            batch.tallies[result.kind].seconds += other.cpu
            if other.digest != result.digest:
                result.problem = DIFFERS
                _take(run, batch, result, is_new=False)
    finally:
        worker.end()
        twin.end()


def _take(run: Fuzzing, batch: Batch, result: Result, *, is_new: bool = True) -> None:
    """Counts a result; the first of a problem becomes a case."""
    made = None
    if not result.kind:  # its process did not live to say
        made = make(run.plan.seed, result.number, run.seeds, run.plan.kinds)
        result.kind, result.mode, result.size = made.kind, made.mode, len(made.data)
    problem = bool(result.problem)
    own = Tally(problems=problem, errors=problem and result.problem.split()[0] not in LIMITS)
    if is_new:
        own.inputs[result.mode] = 1
        own.seconds = result.cpu
        own.slowest, own.largest = (result.seconds, result.number), (result.megabytes, result.number)
    with run.lock:
        batch.tallies.setdefault(result.kind, Tally()).add(own)
        run.count += is_new
        run.seconds += own.seconds
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
    each = 1000 * run.seconds / max(1, run.count)
    begins, ends = ("\r", "") if sys.stderr.isatty() and word == "so far" else ("", "\n")
    told = f"{word}: {run.count:,} inputs, {each:.1f} ms each, {len(run.cases)} problems"
    told += f"; --start {run.next} goes on"
    print(f"{begins}{told}", end=ends, file=sys.stderr, flush=True)


def told_cases(run: Fuzzing) -> Iterator[str]:
    """What has broken, a line each."""
    for case in run.cases.values():
        yield f"{case.file}: {case.problem} (input {case.input}) {case.note}"


if __name__ == "__main__":
    sys.exit(main())
