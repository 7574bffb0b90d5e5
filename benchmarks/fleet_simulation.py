"""What a fleet of very many repositories would take, reckoned from the times of a real scan.

    python benchmarks/fleet_simulation.py STORE [--repositories 1000000] [--workers 64,256,1024] [--link 1250]
    python benchmarks/fleet_simulation.py STORE --check SECONDS --jobs 2

STORE is that of a scan. Repositories are drawn from its rows, with replacement, and put into a queue. Each
worker takes the next one: it waits for its download, which all share (`--link`, MB a second), then checks it
for as long as a processor took. One with more files than `--split-files` is checked by several workers. A
share of the downloads fails and is asked for again at the end of the queue, and a worker that dies begins its
repository again. What is assumed and not measured are `--link`, `--packed`, `--failing`, `--deaths` and
`--joining`. With `--check`, the scan itself is simulated, by the seconds that each repository took there, and
compared with those that it took in all. Prices are yours (`--price-hour`, of one processor).
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fairlint.fleet.query import open_views
from fairlint.fleet.store import open_store

RETRIES = 3
MOST_OF_ONE_LINK = 25.0
"""MB a second that one download gets at most."""


@dataclass(frozen=True)
class Repository:
    """One that was scanned."""

    megabytes: float
    files: int
    seconds: float
    cpu: float


@dataclass
class Outcome:
    """What a simulated fleet took."""

    hours: float = 0.0
    busy: float = 0.0
    waiting: float = 0.0
    """Hours of workers for downloads."""
    lost: float = 0.0
    """Hours of workers for what was begun and not ended."""
    gone: int = 0
    """Repositories that could not be had."""


@dataclass
class Fleet:
    """What it has, and how often something goes wrong."""

    workers: int
    link: float
    failing: float = 0.0
    deaths: float = 0.0
    """Of a worker, in an hour of work."""
    start: float = 0.0
    """Seconds of a processor that a repository takes besides what was measured."""
    drawn: random.Random = field(default_factory=lambda: random.Random(0))


def simulate(jobs: Sequence[tuple[float, float]], fleet: Fleet) -> Outcome:
    """Return what a fleet takes for jobs, each with the megabytes of its download and the seconds of its
    check, in their order: whoever is free takes the next one.
    """
    free = [0.0] * fleet.workers
    queue = deque((megabytes, seconds, RETRIES) for megabytes, seconds in jobs)
    link = last = 0.0
    found = Outcome()
    while queue:
        megabytes, seconds, tries = queue.popleft()
        now = heapq.heappop(free)
        began = now
        if megabytes:
            link = max(link, now) + megabytes / fleet.link
            now = max(link, now + megabytes / MOST_OF_ONE_LINK)
            found.waiting += now - began
            if fleet.failing and fleet.drawn.random() < fleet.failing:
                if tries:
                    queue.append((megabytes, seconds, tries - 1))
                else:
                    found.gone += 1
                heapq.heappush(free, now)
                last = max(last, now)
                continue
        seconds += fleet.start
        if fleet.deaths and (dies := fleet.drawn.expovariate(fleet.deaths / 3600)) < seconds:
            found.lost += dies
            queue.append((megabytes, seconds - fleet.start, tries))
            heapq.heappush(free, now + dies)
            continue
        found.busy += seconds
        heapq.heappush(free, now + seconds)
        last = max(last, now + seconds)
    found.hours, found.busy = last / 3600, found.busy / 3600
    found.waiting, found.lost = found.waiting / 3600, found.lost / 3600
    return found


def jobs_of(drawn: Sequence[Repository], split: int, joining: float) -> Iterator[tuple[float, float]]:
    """Yield the download and the check of each repository, or of each of its shards: the first downloads.

    All shards take a share of `joining` more than the repository at once.
    """
    for one in drawn:
        shards = max(1, math.ceil(one.files / split)) if split else 1
        seconds = one.cpu * (1 + joining * (shards > 1)) / shards
        for number in range(shards):
            yield (0.0 if number else one.megabytes, seconds)


def repositories_of(store: Path, run: str | None) -> list[Repository]:
    """Return those that were checked in a run of a store; the first run where none is named."""
    with open_views(open_store(store)) as views:
        rows = views.execute(
            "SELECT bytes, files, seconds, cpu_seconds FROM repositories WHERE status = 'checked' "
            "AND run = coalesce(?, (SELECT min(run) FROM repositories))",
            [run],
        ).fetchall()
    return [Repository(size / 1e6, files, seconds, cpu) for size, files, seconds, cpu in rows]


def show(found: Outcome, workers: int, price: float | None) -> None:
    """Print what a fleet of so many workers took."""
    whole = workers * found.hours
    parts = {"checks": found.busy, "waits for downloads": found.waiting, "is lost": found.lost}
    parts["is idle"] = whole - sum(parts.values())
    told = ", ".join(f"{100 * hours / whole:.1f} % {name}" for name, hours in parts.items())
    print(
        f"{workers:,} workers: {found.hours:,.1f} h, {whole:,.0f} h in all; {told}; {found.gone:,} never came"
    )
    if price is not None:
        print(f"    costs {whole * price:,.0f}")


def main() -> int:
    """Print what fleets of several sizes would take, or how far the simulation agrees with a real scan."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store", type=Path)
    parser.add_argument("--run")
    parser.add_argument("--repositories", type=int, default=1_000_000)
    parser.add_argument("--workers", default="64,256,1024")
    parser.add_argument("--link", type=float, default=1_250.0, help="MB a second, of all workers together")
    parser.add_argument("--packed", type=float, default=0.3, help="size of a download to that of its files")
    parser.add_argument("--start", type=float, default=0.0, help="processor seconds besides those measured")
    parser.add_argument("--split-files", type=int, default=1_000)
    parser.add_argument("--failing", type=float, default=0.01, help="share of downloads that fail")
    parser.add_argument("--deaths", type=float, default=0.01, help="of a worker, in an hour")
    parser.add_argument("--joining", type=float, default=0.05, help="more time for shards, as a share")
    parser.add_argument("--price-hour", type=float, help="what an hour of a processor costs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--check", type=float, metavar="SECONDS", help="what the scan took in all")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    known = repositories_of(asked.store, asked.run)
    if not known:
        sys.exit(f"{asked.store}: no repository was checked")
    cpu, size = sum(one.cpu for one in known), sum(one.megabytes for one in known)
    rate = 1000 * cpu / size
    print(f"{len(known):,} repositories, {size:,.0f} MB, {cpu:,.0f} s of processors: {rate:.0f} s a GB")
    if asked.check is not None:
        seconds = 3600 * simulate([(0.0, one.seconds) for one in known], Fleet(asked.jobs, asked.link)).hours
        print(f"simulated {seconds:,.0f} s, real {asked.check:,.0f} s: {seconds / asked.check:.2f} x")
        return 0
    drawn = random.Random(asked.seed)
    many = drawn.choices(known, k=asked.repositories)
    jobs = [
        (megabytes * asked.packed, seconds)
        for megabytes, seconds in jobs_of(many, asked.split_files, asked.joining)
    ]
    terabytes = sum(megabytes for megabytes, _ in jobs) / 1e6
    print(f"{asked.repositories:,} repositories, {len(jobs):,} jobs, {terabytes:,.1f} TB to download")
    for workers in map(int, asked.workers.split(",")):
        fleet = Fleet(
            workers, asked.link, asked.failing, asked.deaths, asked.start, random.Random(asked.seed)
        )
        show(simulate(jobs, fleet), workers, asked.price_hour)
    return 0


if __name__ == "__main__":
    sys.exit(main())
