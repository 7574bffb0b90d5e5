"""Measures a fleet over packages of the index that pip is set up for, or over a folder that is there.

    python benchmarks/fleet.py --packages requests,flask,django [--jobs 2] [--engine local]
    python benchmarks/fleet.py --folder CHECKOUTS

It downloads wheels once, unpacks them into folders, and runs: plain `fairlint` over all of them, a fleet
scan, and a second scan without changes. CPU time is that of the processes and what they have started.
`--rows N` adds the time of each ready question over so many rows of findings, made of the real ones;
`--store DIR --rows N` measures nothing but that, with the findings of an earlier scan.
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
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from fairlint.fleet.parts import part_folders
from fairlint.fleet.query import MEMORY, ask_with_names, open_views
from fairlint.fleet.questions import QUESTIONS
from fairlint.fleet.running import PART_REPOSITORIES
from fairlint.fleet.store import Run, Store, open_store
from fairlint.fleet.tables import TABLES

ROOT = Path(__file__).resolve().parent.parent
DAY = "2026-01-01"
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


def write_copies(store: Store, run: str, part: int, tables: Mapping[str, Any], numbers: range) -> None:
    """Write a part in which each repository is there so many times, under a name of its own each time."""
    arrow, compute, parquet = (import_module(f"pyarrow{name}") for name in ("", ".compute", ".parquet"))
    folder = store.parts / f"run={run}" / f"date={DAY}" / f"part-{part:06}"
    folder.mkdir(parents=True)
    for name, table in tables.items():
        copies = []
        for number in numbers:
            names = compute.binary_join_element_wise(table["repository"], f"{number:06}", "-")
            copy = table.set_column(0, table.schema.field(0), names)
            if name == "repositories":
                of_run = arrow.array([run] * len(table))
                copy = copy.set_column(copy.schema.get_field_index("data_run"), "data_run", of_run)
            copies.append(copy)
        made = arrow.concat_tables(copies).sort_by("repository")
        parquet.write_table(made, folder / f"{name}.parquet", compression="zstd")


def measure_questions(store: Store, count: int, memory: str) -> None:
    """Print the seconds of each question over so many findings, half in each of two runs, which repeat
    those of a store.
    """
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    real = {
        name: arrow.concat_tables(
            parquet.ParquetFile(part / f"{name}.parquet").read() for part in part_folders(store.parts)
        )
        for name in TABLES
    }
    findings = len(real["findings"])
    if not findings:
        print("no findings to make more of")
        return
    large = open_store(store.folder.with_name("large"), is_new=True)
    copies = max(count // (2 * findings), 1)
    at_once = max(PART_REPOSITORIES // len(real["repositories"]), 1)
    for run in ("r1", "r2"):
        large.write_run(Run(run, DAY, run, is_finished=True))
        for part, at in enumerate(range(0, copies, at_once)):
            write_copies(large, run, part, real, range(at, min(at + at_once, copies)))
    repositories = copies * len(real["repositories"])
    print(
        f"{2 * copies * findings:,} rows of findings of {repositories:,} repositories in two runs, "
        f"{len(part_folders(large.parts)):,} parts, {size_of(large.parts) / 1e6:.0f} MB"
    )
    with open_views(large, memory) as connection:
        connection.execute("SELECT 1")
        for name, question in QUESTIONS.items():
            began, before = time.monotonic(), time.process_time()
            values = {"run": "r2", "before": "r1", "days": 90}
            rows = sum(1 for _ in ask_with_names(connection.cursor(), question.sql, values).rows)
            seconds, spent = time.monotonic() - began, time.process_time() - before
            print(f"{name:20} {seconds:6.2f} s {spent:6.2f} s CPU {rows:>8} rows")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(f"{peak:.0f} MB at most")


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
    parser.add_argument("--store", type=Path, help="of an earlier scan: only the questions are measured")
    parser.add_argument("--memory", default=MEMORY)
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="fairlint-fleet-bench-"))
    try:
        if options.store:
            shutil.copytree(options.store, work / "store")
            measure_questions(open_store(work / "store"), options.rows, options.memory)
            return 0
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
            measure_questions(store, options.rows, options.memory)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
