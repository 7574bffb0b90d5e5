"""Compares the memory and the time of a run over much code with one over little.

    python benchmarks/memory.py [--small MB] [--large MB] [--data FOLDER] [--code FOLDER ...]

The code is the standard library, or the folders that are named, linked under other names until it is enough.
Memory is the most that one process had at a time: of the first, and of those that it starts. Time is what all
processes took of the processor.
Exit status: 0 where the targets are met, 1 where one is missed, 2 where something could not be measured.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpora import DEFAULT_FOLDER, standard_library

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = {".py", ".pyi", ".c", ".h"}
MB = 1_000_000
MORE_MEMORY = 1.20
"""Memory over much code against that over little."""
MORE_TIME = 1.15
"""The same for the time a megabyte takes, both ways."""
OFTEN = 0.05
"""Seconds between two looks at the processes."""


@dataclass
class Measured:
    """One run: bytes of code, seconds, and the bytes that a process had at most."""

    size: int
    files: int
    findings: int
    seconds: float
    first: int = 0
    others: int = 0

    @property
    def seconds_a_megabyte(self) -> float:
        """Time by code."""
        return self.seconds / (self.size / MB)


def code_of(folders: Sequence[Path]) -> list[tuple[Path, Path]]:
    """All files with code: where each is, and its place in the folder that was named."""
    return [
        (path, Path(folder.name) / path.relative_to(folder))
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.suffix in SUFFIXES and path.is_file() and not path.is_symlink()
    ]


def repeated(files: Sequence[tuple[Path, Path]], wanted: int, root: Path) -> int:
    """Fills a folder with whole copies of the files until there is enough code; gives its size."""
    own = sum(path.stat().st_size for path, _ in files)
    first = root / "copy000"
    for path, place in files:
        (first / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, first / place)
    copies = max(1, round(wanted / own))
    for number in range(1, copies):
        shutil.copytree(first, root / f"copy{number:03}", copy_function=os.link)
    return own * copies


def measure(files: Sequence[tuple[Path, Path]], wanted: int) -> Measured:
    """Checks so many bytes of code."""
    with tempfile.TemporaryDirectory(prefix="fairlint-memory-") as scratch:
        tree = Path(scratch) / "tree"
        size = repeated(files, wanted, tree)
        report = Path(scratch) / "report.json"
        command = [sys.executable, "-m", "fairlint", "--isolated", "--no-gitignore", "--file-timeout", "600"]
        running = subprocess.Popen(
            [*command, "--exit-zero", "--quiet", "--format", "json", "--output", str(report), str(tree)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        first = others = 0
        while (ended := os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)) is None:
            first = max(first, most_memory(running.pid))
            others = max(others, *map(most_memory, children(running.pid)), 0)
            time.sleep(OFTEN)
        _, _, usage = os.wait4(running.pid, 0)
        if ended.si_status:
            raise SystemExit(2)
        told = json.loads(report.read_text(encoding="utf-8"))
    seconds = usage.ru_utime + usage.ru_stime
    return Measured(size, told["summary"]["files"], told["summary"]["findings"], seconds, first, others)


def children(process: int) -> Iterator[int]:
    """The processes that a process has started, in whatever thread, and those that they have."""
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            for child in map(int, (thread / "children").read_text().split()):
                yield child
                yield from children(child)


def most_memory(process: int) -> int:
    """The bytes that a process has had in memory at most; 0 where it is gone."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Measures both and compares them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", type=int, default=100, metavar="MB")
    parser.add_argument("--large", type=int, default=1_000, metavar="MB")
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER)
    parser.add_argument("--code", type=Path, nargs="+", metavar="FOLDER")
    options = parser.parse_args(argv)
    if sys.platform != "linux":
        print("only Linux says how much memory its processes have", file=sys.stderr)
        return 2
    files = code_of(options.code or [standard_library(options.data)])
    runs = []
    for wanted in (options.small, options.large):
        runs.append(one := measure(files, wanted * MB))
        print(
            f"{one.size / MB:,.0f} MB, {one.files:,} files, {one.findings:,} findings: "
            f"{one.seconds:,.0f} s, {one.seconds_a_megabyte:.3f} s a MB; "
            f"memory: first process {one.first / MB:,.0f} MB, others {one.others / MB:,.0f} MB at most",
            flush=True,
        )
    small, large = runs
    ratios = {
        "memory of the first process": (large.first / small.first, 0.0, MORE_MEMORY),
        "memory of the others": (large.others / max(small.others, 1), 0.0, MORE_MEMORY),
        "time a MB": (large.seconds_a_megabyte / small.seconds_a_megabyte, 2 - MORE_TIME, MORE_TIME),
    }
    for name, (ratio, least, most) in ratios.items():
        print(f"{name}: {ratio:.2f} × ({'met' if least <= ratio <= most else 'missed'})")
    return 0 if all(least <= ratio <= most for ratio, least, most in ratios.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
