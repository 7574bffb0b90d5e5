"""A study of published Python packages: what of people they mention, and by what they decide.

    python benchmarks/corpus_study.py --store DIR [--packages FILE] [--jobs 2] [--page FILE]
    python benchmarks/corpus_study.py --store DIR --sample 100 --seed 1 --folder SAMPLE
    python benchmarks/corpus_study.py --store DIR --labels benchmarks/corpus/labels.csv [--page FILE]
    python benchmarks/corpus_study.py --measure [--packages FILE] [--first 300]

The first scans the packages of a list, which pip fetches from the index that it is set up for; it keeps
notes, too, and checks nothing twice. Then it prints the tables, or puts them into a page. The second
draws findings for a reader and, where there are too few, uses that are said to decide. The third joins what
the reader says with the store. The last compares a fleet with a plain run over the same files unpacked, by
seconds of a processor; some packages with all, by memory; and a scan without changes with the first.
Exit status: 0, or 1 where `--measure` misses a target, or 2 for what cannot be read.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import corpus_sample
from corpus_tables import precision_tables, replace_tables, tables_of
from memory import children, most_memory

from fairlint.fleet.checkouts import make_checkout
from fairlint.fleet.entries import PACKAGES, parse_entry
from fairlint.fleet.limits import Limits, NotCheckedError
from fairlint.fleet.query import ask, open_views
from fairlint.fleet.store import open_store

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "benchmarks/corpus/packages.txt"
PEOPLE = ROOT / "benchmarks/corpus/people.txt"
TABLES, LABELLED = "corpus tables", "corpus precision"
"""What the marks of the page are called."""
POLICY = '[settings]\nmin-severity = "note"\n'
START = "import sys; from fairlint.cli import main; sys.exit(main(sys.argv[1:]))"
MORE_TIME, AGAIN, MORE_MEMORY = 1.15, 0.05, 1.20
"""Targets: fleet against plain by time of a processor, a second scan against the first, all against some."""
OFTEN = 0.2
"""Seconds between two looks at the processes."""


class Spent(NamedTuple):
    """What a command took: seconds of a processor with all that it started, and bytes of memory at most."""

    seconds: float
    first: int
    """Of the process itself."""
    largest: int
    """Of one process that it started."""


def packages_of(path: Path) -> list[str]:
    """Return the packages of a list, as NAME==VERSION."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def run_fairlint(arguments: Sequence[str], folder: Path) -> Spent:
    """Run fairlint of this checkout and measure it; SystemExit where it fails."""
    running = subprocess.Popen(
        [sys.executable, "-c", START, *arguments],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    first = largest = 0
    while (ended := os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)) is None:
        first = max(first, most_memory(running.pid))
        largest = max(largest, *map(most_memory, children(running.pid)), 0)
        time.sleep(OFTEN)
    _, _, usage = os.wait4(running.pid, 0)
    if ended.si_status not in {0, 1}:
        raise SystemExit(2)
    return Spent(usage.ru_utime + usage.ru_stime, first, largest)


def scan_packages(packages: Sequence[str], store: Path, jobs: int) -> Spent:
    """Scan packages with the engine of this machine, notes among what is kept."""
    with tempfile.TemporaryDirectory(prefix="fairlint-corpus-") as work:
        (Path(work) / "packages.txt").write_text("".join(f"{PACKAGES}{name}\n" for name in packages))
        (Path(work) / "policy.toml").write_text(POLICY)
        options = ["--store", str(store.resolve()), "--engine", "local", "--jobs", str(jobs)]
        return run_fairlint(
            ["fleet", "scan", "packages.txt", "--policy", "policy.toml", "-q", *options], Path(work)
        )


def rows_of(store: Path, sql: str) -> list[dict[str, Any]]:
    """Return the answers of a store as records."""
    with open_views(open_store(store)) as connection:
        answers = ask(connection, sql)
        return [dict(zip(answers.columns, row, strict=True)) for row in answers.rows]


def unpack_packages(packages: Sequence[str], folder: Path) -> int:
    """Write the files of packages that a fleet checks, each into a folder of its own; return their bytes."""
    folder.mkdir()
    for name in packages:
        try:
            make_checkout(parse_entry(f"{PACKAGES}{name}"), "", _new_folder(folder, name), Limits())
        except NotCheckedError as error:
            print(f"{name}: {error}", file=sys.stderr)
    for wheel in folder.rglob("*.whl"):
        wheel.unlink()
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _new_folder(folder: Path, name: str) -> Path:
    made = folder / name.partition("==")[0]
    made.mkdir()
    return made


def measure(packages: Sequence[str], some: int, jobs: int) -> bool:
    """Print what a fleet takes against a plain run, and all packages against some; return whether targets are
    met.
    """
    with tempfile.TemporaryDirectory(prefix="fairlint-corpus-") as name:
        work = Path(name)
        drawn = random.Random(len(packages)).sample(list(packages), min(some, len(packages)))
        few = scan_packages(drawn, work / "few", jobs)
        fleet = scan_packages(packages, work / "store", jobs)
        again = scan_packages(packages, work / "store", jobs)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        size = unpack_packages(packages, work / "all")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        pip = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        plain = run_fairlint(
            [
                "--isolated",
                "--no-cache",
                "--no-gitignore",
                "--min-severity",
                "note",
                "--jobs",
                str(jobs),
                ".",
            ],
            work / "all",
        )
    for title, spent in (("some", few), ("fleet", fleet), ("again", again), ("plain", plain)):
        print(
            f"{title:6} {spent.seconds:8.1f} s of a processor, {spent.first / 1e6:6.0f} MB itself, "
            f"{spent.largest / 1e6:6.0f} MB the largest process below"
        )
    by_size = f"fleet {fleet.seconds / size * 1e9:.0f} s/GB, plain {plain.seconds / size * 1e9:.0f} s/GB"
    print(f"{size / 1e9:.2f} GB: {by_size}")
    print(f"pip takes {pip:.1f} s of a processor to fetch all: without it {fleet.seconds - pip:.1f} s")
    ratios = (
        ("fleet / plain, time", fleet.seconds / plain.seconds, MORE_TIME),
        ("fleet without pip / plain, time", (fleet.seconds - pip) / plain.seconds, MORE_TIME),
        ("again / fleet, time", again.seconds / fleet.seconds, AGAIN),
        ("all / some, memory of the process itself", fleet.first / few.first, MORE_MEMORY),
        ("all / some, memory of the largest below", fleet.largest / few.largest, MORE_MEMORY),
    )
    for title, ratio, most in ratios:
        print(f"{title}: {ratio:.3f} ({'met' if ratio <= most else 'missed'}: {most})")
    return all(ratio <= most for _, ratio, most in ratios)


def write_tables(page: Path | None, name: str, tables: Sequence[str]) -> None:
    """Print tables, or put them into a page."""
    if page:
        replace_tables(page, name, tables)
    else:
        print("\n".join(tables))


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", type=Path, action="append", help="for --labels more than once")
    parser.add_argument("--packages", type=Path, default=LIST)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--page", type=Path, help="put the tables into this page, between its marks")
    parser.add_argument("--sample", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--folder", type=Path, default=Path("corpus-sample"), help="where a sample is written"
    )
    parser.add_argument("--labels", type=Path)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--first", type=int, default=300, help="packages that all are compared with")
    options = parser.parse_args(arguments)
    if options.measure:
        return 0 if measure(packages_of(options.packages), options.first, options.jobs) else 1
    if not options.store or (len(options.store) > 1 and not options.labels):
        parser.error("--store is needed, and more than one with --labels alone")
    if options.sample:
        rows = rows_of(options.store[0], corpus_sample.CLAIMS)
        drawn = corpus_sample.draw_claims(rows, options.sample, options.seed)
        corpus_sample.write_sample(drawn, options.folder)
        print(f"{len(drawn)} of {len(rows)} findings and uses: {options.folder}")
    elif options.labels:
        try:
            labels = corpus_sample.read_labels(options.labels)
        except ValueError as error:
            parser.error(str(error))
        rows = [row for store in options.store for row in rows_of(store, corpus_sample.CLAIMS)]
        joined, gone = corpus_sample.join_labels(labels, rows)
        people = set(packages_of(PEOPLE))
        for label in joined:
            chosen = f"{label['package']}=={label['version']}" in people
            label["list"] = "packages about people" if chosen else "all of the index"
        write_tables(options.page, LABELLED, list(precision_tables(joined, len(gone))))
    else:
        scan_packages(packages_of(options.packages), options.store[0], options.jobs)
        with open_views(open_store(options.store[0])) as connection:
            write_tables(options.page, TABLES, list(tables_of(connection)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
