"""Kills the processes of runs at random moments, and looks whether a finding is lost without a word.

    python benchmarks/process_kills.py [--kills 200] [--seed 0] [--files 60]

Each run checks a folder of files with a known number of findings in two processes, and one kind of its
processes is killed (SIGKILL), up to three times: a worker, the template that workers are forked from, or the
first process. A third of the kills come as soon as there is such a process. A run whose first process lives
has to end with exit code 1 and all findings, or with 2 and a line that says what is missing. One whose first
process was killed leaves its report whole or not at all. No process is left. Exit status: 0 where all of that
holds, else 1.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from fairlint.support.records import Record

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("worker", "template", "first")
MOST = 3
"""Times that a run loses a process, at most."""
PATIENCE = 300.0
"""Seconds that a run may take on a machine that is busy with other things."""
GONE = 30.0
"""Seconds that what is left of a run may take to end."""
REPORT = "report.json"
HELPERS = 3
"""Functions of a file besides the one with a finding."""
COMMENT = "# nothing that anybody is told of\n" * 150
"""What makes a few files worth several processes, which are handed them by their size."""


class Run(Record):
    """What came of a run of which so many processes of a kind were killed."""

    kind: str
    kills: int
    code: int
    whole: bool
    """Whether the report has all findings."""
    told: bool
    """Whether it was said that something is missing."""
    report: bool
    """Whether there is a report, whole or not."""
    left: int
    """Processes that were left."""

    @property
    def outcome(self) -> str:
        """What it is counted as."""
        if self.left:
            return "a process left"
        if self.code == 1 and self.whole and self.report:
            return "all findings"  # of the first process, the signal came when it had ended
        if self.kind == "first":
            good = {False: "killed, no report", True: "killed, a whole report"}[self.report]
            return good if self.code == -signal.SIGKILL and self.whole == self.report else "broken"
        return "exit code 2, told" if self.code == 2 and self.told else "lost in silence"


GOOD = ("all findings", "exit code 2, told", "killed, no report", "killed, a whole report")


def write(folder: Path, files: int) -> None:
    """Files with a finding each."""
    helper = "def helper_{0}(person):\n    return [person.gender, person.age, {0}]\n\n\n"
    helpers = "".join(helper.format(number) for number in range(HELPERS))
    for number in range(files):
        points = (
            f"def rate_{number}(applicant):\n    points = 0\n    if applicant.gender == 'f':\n"
            f"        points += {number + 1}\n    return points\n"
        )
        (folder / f"f{number:03}.py").write_text(COMMENT + helpers + points)


def family(session: int) -> dict[int, int]:
    """The processes of a session that live, each with its parent."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            stat = (entry / "stat").read_text(errors="replace")
        except OSError:
            continue
        state, parent, _, own = stat.rpartition(")")[2].split()[:4]
        if int(own) == session and state not in "ZX":
            found[int(entry.name)] = int(parent)
    return found


def victims(kind: str, first: int) -> list[int]:
    """The processes of a kind in a run that goes on."""
    if kind == "first":
        return [first]
    parents = family(first)
    templates = [process for process, parent in parents.items() if parent == first]
    if kind == "template":
        return templates
    return [process for process, parent in parents.items() if parent in templates]


def start(folder: Path) -> subprocess.Popen[str]:
    """A run in a session of its own."""
    (folder / REPORT).unlink(missing_ok=True)
    words = ("--isolated", "--no-cache", "--jobs", "2", "--format", "json", "--output", REPORT, ".")
    return subprocess.Popen(
        [sys.executable, "-m", "fairlint", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def killed(running: subprocess.Popen[str], kind: str, moments: Sequence[float]) -> int:
    """Kills a process of a kind at each moment, or as soon after it as there is one; how many."""
    begun, kills = time.monotonic(), 0
    for moment in moments:
        time.sleep(max(0.0, begun + moment - time.monotonic()))
        while running.poll() is None:
            if found := victims(kind, running.pid):
                kills += _kill(found[-1])
                break
            time.sleep(0.01)
    return kills


def _kill(process: int) -> bool:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def run(folder: Path, files: int, kind: str, moments: Sequence[float]) -> Run:
    """One run that loses processes."""
    running = start(folder)
    kills = killed(running, kind, moments)
    out, errors = running.communicate(timeout=PATIENCE)
    until = time.monotonic() + GONE
    while (left := family(running.pid)) and time.monotonic() < until:
        time.sleep(0.02)
    for process in left:
        _kill(process)
    document, is_there = {}, (folder / REPORT).exists()
    if is_there:
        try:
            document = json.loads((folder / REPORT).read_text())
        except ValueError:
            document = {}
    return Run(
        kind=kind,
        kills=kills,
        code=running.returncode,
        whole=len(document.get("findings", ())) == files,
        told=bool(document.get("not_analysed")) or "fairlint: error: " in errors,
        report=is_there or bool(out),
        left=len(left),
    )


def runs(kills: int, files: int, chance: random.Random) -> Iterator[Run]:
    """Runs until so many processes were killed, of each kind as many."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, files)
        begun = time.monotonic()
        before = start(folder)
        before.communicate(timeout=PATIENCE)
        lasts = time.monotonic() - begun
        whole = json.loads((folder / REPORT).read_text())
        if before.returncode != 1 or len(whole["findings"]) != files:
            raise SystemExit(f"a run that nobody killed ends with {before.returncode}")
        done = Counter[str]()
        while (rest := kills - done.total()) > 0:
            kind = min(KINDS, key=lambda one: done[one])
            times = 1 if kind == "first" else min(chance.randint(1, MOST), rest)
            moments = sorted(max(0.0, chance.uniform(-lasts / 2, lasts)) for _ in range(times))
            one = run(folder, files, kind, moments)
            if one.kills:  # else it had ended before
                done[kind] += one.kills
                yield one


def main(arguments: Sequence[str] | None = None) -> int:
    """Kills, counts, and says what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--files", type=int, default=60)
    options = parser.parse_args(arguments)
    chance = random.Random(options.seed)
    told, kills = Counter[tuple[str, str]](), Counter[str]()
    for one in runs(options.kills, options.files, chance):
        told[one.kind, one.outcome] += 1
        kills[one.kind] += one.kills
        if one.outcome not in GOOD:
            print(one, flush=True)
    for kind in KINDS:
        counts = ", ".join(
            f"{outcome} {count}" for (of, outcome), count in sorted(told.items()) if of == kind
        )
        print(f"{kind}: killed {kills[kind]} times; runs: {counts}", flush=True)
    return int(any(outcome not in GOOD for _, outcome in told))


if __name__ == "__main__":
    sys.exit(main())
