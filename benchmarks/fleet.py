"""Measures a fleet over packages of the index that pip is set up for, or over a folder that is there.

    python benchmarks/fleet.py --packages requests,flask,django [--jobs 2] [--engine local]
    python benchmarks/fleet.py --folder CHECKOUTS

It downloads wheels once, unpacks them into folders, and runs: plain `fairlint` over all of them, a fleet
scan, and a second scan without changes. CPU time is that of the processes and what they have started.
`--rows N` adds the time of each ready question over so many rows of findings, made of the real ones.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

from fairlint.fleet.parts import part_folders, part_rows, write_part
from fairlint.fleet.query import ask_with_names, open_views
from fairlint.fleet.questions import QUESTIONS
from fairlint.fleet.store import Run, Store, open_store

ROOT = Path(__file__).resolve().parent.parent
START = "import sys; from fairlint.cli import main; sys.exit(main(sys.argv[1:]))"


def measure(arguments: Sequence[str], folder: Path) -> tuple[float, float, float]:
    """Run fairlint: seconds on the clock, seconds of the processor, and the most megabytes of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", START, *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        check=False,
    )
    seconds = time.monotonic() - began
    if done.returncode not in {0, 1}:
        raise SystemExit(f"fairlint {' '.join(arguments)}: exit code {done.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, spent, after.ru_maxrss / 1000


def unpack_wheels(names: Sequence[str], folder: Path) -> None:
    """Download wheels and unpack each into a folder of its own; those without one are left out."""
    wheels = folder.with_name("wheels")
    wheels.mkdir()
    for name in names:
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d",
             wheels, name],
            check=False, capture_output=True,
        )  # fmt: skip
    for wheel in wheels.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder / wheel.name.partition("-")[0])


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def measure_questions(store: Store, count: int) -> None:
    """Print the seconds of each question over so many findings, which repeat those of a store."""
    real = [row for part in part_folders(store.parts) for row in part_rows(part, "findings")]
    repositories = [row for part in part_folders(store.parts) for row in part_rows(part, "repositories")]
    if not real:
        print("no findings to make more of")
        return
    large = open_store(store.folder.with_name("large"), is_new=True)
    copies = max(count // (2 * len(real)), 1)
    for run in ("r1", "r2"):
        large.write_run(Run(run, "2026-01-01", run, is_finished=True))
        for at in range(0, copies, 200):
            some = range(at, min(at + 200, copies))
            write_part(large.parts / f"run={run}" / "date=2026-01-01" / f"part-{at:06}", {
                "repositories": [
                    {**row, "repository": f"{row['repository']}-{copy}", "data_run": run}
                    for copy in some for row in repositories if row["findings"]
                ],
                "findings": [
                    {**row, "repository": f"{row['repository']}-{copy}"} for copy in some for row in real
                ],
            })  # fmt: skip
    print(f"{2 * copies * len(real):,} rows of findings, {size_of(large.parts) / 1e6:.0f} MB")
    with open_views(large) as connection:
        connection.execute("SELECT 1")
        for name, question in QUESTIONS.items():
            began = time.monotonic()
            values = {"run": "r2", "before": "r1", "days": 90}
            rows = sum(1 for _ in ask_with_names(connection.cursor(), question.sql, values).rows)
            print(f"{name:20} {time.monotonic() - began:6.2f} s {rows:>8} rows")


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--packages", default="")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--engine", default="local")
    parser.add_argument("--rows", type=int, default=0)
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="fairlint-fleet-bench-"))
    try:
        folder = options.folder.resolve() if options.folder else work / "all"
        if not options.folder:
            folder.mkdir()
            unpack_wheels([name for name in options.packages.split(",") if name], folder)
        count = sum(1 for path in folder.iterdir() if path.is_dir())
        size = size_of(folder)
        print(f"{count} repositories, {size / 1e6:.1f} MB")
        plain = measure(["--isolated", "--no-cache", "--no-gitignore", "--jobs", options.jobs, "."], folder)
        print(f"plain       {plain[0]:7.1f} s  {plain[1]:7.1f} s CPU  {plain[2]:6.0f} MB")
        scan = ["fleet", "scan", str(folder), "--store", str(work / "store"), "--jobs", options.jobs,
                "--engine", options.engine, "-q"]  # fmt: skip
        first = measure(scan, work)
        print(f"fleet       {first[0]:7.1f} s  {first[1]:7.1f} s CPU  {first[2]:6.0f} MB")
        second = measure(scan, work)
        print(f"again       {second[0]:7.1f} s  {second[1]:7.1f} s CPU  {second[2]:6.0f} MB")
        store = open_store(work / "store")
        findings = sum(1 for _ in store.rows("findings"))
        kept = size_of(store.parts)
        print(f"fleet/plain {first[1] / plain[1]:.2f} by CPU; again/fleet {second[1] / first[1]:.3f} by CPU")
        print(f"{60 * count / first[0]:.0f} repositories a minute, {first[1] / count:.2f} s CPU each")
        print(
            f"store {kept / 1e3:.0f} kB in all, {findings} findings: {kept / max(findings, 1):.0f} bytes each"
        )
        if options.rows:
            measure_questions(store, options.rows)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
