"""Measures what clusters of Ray and Dask cost a fleet, and kills their processes amid scans.

    python benchmarks/fleet_clusters.py overhead FOLDER [--jobs 2] [--split-files 1000] [--engines ray,dask]
    python benchmarks/fleet_clusters.py kills [--kills 30] [--seed 0] [--engines ray,dask]

`overhead` scans the checkouts below a folder with each engine in turn and compares seconds of a processor: of
all processes that a scan starts, as `/proc` has them, looked at every tenth of a second.
`kills` ends processes of scans by SIGKILL: workers (of the cluster, and those that check for them), the head
(Ray's raylet, its agents or its control store; Dask's scheduler is in the driver), and the driver. A run that
did not finish goes on with `--resume`. Then each row has to be there once. Exit status of `kills`: 0 where
all are, else 1.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from fairlint.fleet.store import Store
from fairlint.support.records import Record

ROOT = Path(__file__).resolve().parent.parent
START = "import sys; from fairlint.cli import main; sys.exit(main(sys.argv[1:]))"
PR_SET_CHILD_SUBREAPER = 36
LOOKED_EVERY = 0.1
"""Seconds between two looks at the processes of a scan."""
PATIENCE = 150.0
"""Seconds that a scan may take on a machine that is busy with other things."""
KINDS = ("worker", "driver", "worker", "head")
"""Kinds of processes to kill, in turn: mostly workers, of which a scan may lose several."""
MARKS = {
    "worker": ("fairlint.worker.__main__", "ray::IDLE", "ray::ask_own_slot", "spawn_main"),
    "head": ("raylet/raylet", "gcs_server", "ray::RuntimeEnvAgent", "ray::DashboardAgent"),
}
"""Words in the command lines of processes by their kind."""
MOST = 3
"""Times that a scan loses a worker, at most."""
FILES, SMALL, SPLIT = 240, 6, 20
"""Files of a large repository, how many small ones are beside it, and files of a shard."""


class Process(Record):
    """A process of a scan: who started it, the seconds of a processor that it took, its command line."""

    parent: int
    seconds: float
    words: str


def processes_now() -> dict[int, Process]:
    """Return all processes of this machine that live."""
    tick = os.sysconf("SC_CLK_TCK")
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if stat[0] not in "ZX":
            found[int(folder.name)] = Process(int(stat[1]), (int(stat[11]) + int(stat[12])) / tick, words)
    return found


def processes_below(root: int) -> dict[int, Process]:
    """Return the processes that one has started, directly or not."""
    everything = processes_now()
    found = {root}
    while more := {pid for pid, one in everything.items() if one.parent in found} - found:
        found |= more
    return {pid: everything[pid] for pid in found - {root} if pid in everything}


def adopt_orphans() -> None:
    """Become the parent of processes below this one whose own parent ends, as those of Ray's do."""
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise SystemExit("needs Linux: orphans cannot be adopted")


def start_scan(folder: Path, options: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a fleet scan in a folder."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, "-c", START, "fleet", "scan", *options, "-q"], cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip


def end_rest() -> None:
    """Kill what a scan has left, and wait for it."""
    until = time.monotonic() + 10
    while processes_below(os.getpid()) and time.monotonic() < until:
        time.sleep(LOOKED_EVERY)
        reap_orphans()
    for pid in processes_below(os.getpid()):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    reap_orphans()


def reap_orphans() -> None:
    """Wait for all processes that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def seconds_of_scan(folder: Path, options: Sequence[str]) -> dict[str, float]:
    """Return the seconds of a processor that all processes of a scan took, by what they are."""
    scan = start_scan(folder, options)
    seen: dict[int, Process] = {}
    while scan.poll() is None:
        seen |= processes_below(os.getpid())
        time.sleep(LOOKED_EVERY)
    seen |= processes_below(os.getpid())
    if scan.returncode:
        raise SystemExit(f"a scan ends with {scan.returncode}")
    end_rest()
    spent = dict.fromkeys(("checking", "driver", "cluster"), 0.0)
    for pid, one in seen.items():
        is_checking = MARKS["worker"][0] in one.words
        spent["checking" if is_checking else "driver" if pid == scan.pid else "cluster"] += one.seconds
    return spent


def print_overhead(folder: Path, jobs: int, split: int, engines: Sequence[str]) -> None:
    """Print the seconds of each engine, and their ratio to those of this machine's own processes."""
    with tempfile.TemporaryDirectory() as work:
        local = 0.0
        for engine in ("local", *engines):
            options = [str(folder.resolve()), "--store", f"store-{engine}", "--engine", engine]
            options += ["--jobs", str(jobs), "--split-files", str(split)]
            began = time.monotonic()
            parts = seconds_of_scan(Path(work), options)
            spent, clock = sum(parts.values()), time.monotonic() - began
            local = local or spent
            told = ", ".join(f"{name} {seconds:.1f}" for name, seconds in parts.items())
            print(
                f"{engine}: {spent:.1f} s CPU ({told}), {spent / local:.3f} of local, {clock:.0f} s",
                flush=True,
            )


def write_repositories(folder: Path) -> None:
    """Write repositories with one finding in each file."""
    for repository in ("large", *(f"small{number}" for number in range(SMALL))):
        for number in range(FILES if repository == "large" else 2):
            path = folder / repository / f"part{number % 7}" / f"f{number}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(
                f"def rate_{number}(applicant):\n    points = 0\n    if applicant.gender == 'f':\n"
                f"        points += {number + 1}\n    return points\n"
            )


def rows_of(store: Path) -> Counter[str]:
    """Return the rows of a store by what each is about."""
    found = Counter[str]()
    for row in Store(store).rows("repositories"):
        found[f"{row['repository']} {row['status']}"] += 1
    for row in Store(store).rows("findings"):
        found[f"{row['repository']} {row['path']} {row['line']} {row['rule']}"] += 1
    return found


def kill_some(scan: subprocess.Popen[bytes], kind: str, pauses: Sequence[float]) -> int:
    """Kill a process of a kind after each pause, once there is one; the result is how many."""
    kills = 0
    for pause in pauses:
        while scan.poll() is None and not victims("worker", scan.pid):
            time.sleep(LOOKED_EVERY)
        time.sleep(pause)
        found = victims(kind, scan.pid) if scan.poll() is None else []
        if found:
            with suppress(OSError):
                os.kill(random.choice(found), signal.SIGKILL)
                kills += 1
    return kills


def victims(kind: str, driver: int) -> list[int]:
    """Return the processes of a kind; of workers those that check, once there are any."""
    if kind == "driver":
        return [driver]
    below = processes_below(os.getpid())
    checking = any(MARKS["worker"][0] in one.words for one in below.values())
    if kind == "worker" and not checking:
        return []
    return [pid for pid, one in below.items() if any(mark in one.words for mark in MARKS[kind])]


def outcomes(
    kills: int, engines: Sequence[str], kinds: Sequence[str], chance: random.Random
) -> Iterator[tuple[str, int, str]]:
    """Kill until there were so many; of each scan its kind, the kills, and what came of its rows."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        write_repositories(folder / "all")
        options = ["all", "--jobs", "2", "--split-files", str(SPLIT)]
        start_scan(folder, [*options, "--store", "whole"]).communicate()
        expected = rows_of(folder / "whole")
        turns = [(one, kind) for kind in kinds for one in engines if (one, kind) != ("dask", "head")]
        number = total = 0
        while total < kills and turns:
            engine, kind = turns[number % len(turns)]
            number += 1
            times = min(MOST if kind == "worker" else 1, kills - total)
            store = f"store{number}"
            scan = start_scan(folder, [*options, "--store", store, "--run", "only", "--engine", engine])
            done = kill_some(scan, kind, [chance.uniform(0, 1.5) for _ in range(times)])
            told = outcome_of_scan(scan, folder, [*options, "--store", store], expected)
            if done:
                total += done
                yield f"{engine} {kind}", done, told


def outcome_of_scan(
    scan: subprocess.Popen[bytes], folder: Path, options: Sequence[str], expected: Counter[str]
) -> str:
    """Return what came of a scan, resumed if it did not finish: whether rows are lost or doubled."""
    store = folder / options[-1]
    try:
        scan.communicate(timeout=PATIENCE)
        words = "finished"
    except subprocess.TimeoutExpired:
        scan.kill()
        scan.communicate()
        words = "hung"
    end_rest()
    if not store.exists() or not Store(store).runs():
        return f"{words} before the run began"
    if not Store(store).runs()[-1].is_finished:
        words = "resumed" if words == "finished" else words
        again = start_scan(folder, [*options, "--resume"])
        _, errors = again.communicate(timeout=PATIENCE)
        if again.returncode:
            return f"{words}, not to be resumed: {errors.decode()[-200:]}"
    found = rows_of(store)
    failed = {name.split()[0] for name in found if name.endswith(" failed")}
    lost = sum(count for name, count in (expected - found).items() if name.split()[0] not in failed)
    doubled = sum(count - 1 for count in found.values())
    causes = Counter(str(row["cause"]) for row in Store(store).rows("errors"))
    reasons = "".join(f", {count} failed ({cause})" for cause, count in sorted(causes.items()))
    return f"{words}, {lost} lost, {doubled} doubled{reasons}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    modes = parser.add_subparsers(dest="mode", required=True)
    overhead, kills = modes.add_parser("overhead"), modes.add_parser("kills")
    overhead.add_argument("folder", type=Path)
    overhead.add_argument("--jobs", type=int, default=2)
    overhead.add_argument("--split-files", type=int, default=1000)
    kills.add_argument("--kills", type=int, default=30)
    kills.add_argument("--seed", type=int, default=0)
    kills.add_argument("--kinds", default=",".join(KINDS), help="of processes to kill, in turn")
    for mode in (overhead, kills):
        mode.add_argument("--engines", default="ray,dask")
    options = parser.parse_args(arguments)
    engines = options.engines.split(",")
    adopt_orphans()
    if options.mode == "overhead":
        print_overhead(options.folder, options.jobs, options.split_files, engines)
        return 0
    runs, counts = Counter[str](), Counter[str]()
    for kind, count, told in outcomes(
        options.kills, engines, options.kinds.split(","), random.Random(options.seed)
    ):
        print(f"{kind}: {count} killed; {told}", flush=True)
        runs[told] += 1
        counts[kind] += count
    print(f"{counts.total()} kills: {dict(counts)}; scans: {dict(runs)}")
    return int(any(" 0 lost, 0 doubled" not in told for told in runs))


if __name__ == "__main__":
    sys.exit(main())
