"""Compares the CPU time and the memory of one process of two checkouts over the same trees.

    python benchmarks/tree_cpu.py OLD_CHECKOUT NEW_CHECKOUT TREE... [--rounds N] [--kept]

The two take turns on each tree, without kept results and in one process. Copy a tree without its
`__pycache__` to measure it as a wheel is unpacked. With `--kept`, each has a copy of the tree and a cache of
its own in place of that, and four runs are measured: the first, which keeps its results, one with nothing
changed, one after a comment was added to every hundredth file, and one of a copy elsewhere, of which facts of
modules are known and no results. Exit status: 0.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

RUN = """\
import sys
sys.path.insert(0, sys.argv.pop(1))
import fairlint
assert fairlint.__file__.startswith(sys.path[0]), fairlint.__file__
from fairlint.cli import main
sys.exit(main(sys.argv[1:]))
"""
OPTIONS = ("--isolated", "--exit-zero", "-j", "1", "-q")
EVERY = 100
"""Of so many files one is changed."""


def measure(checkout: Path, tree: str, *options: str) -> tuple[float, float]:
    """Seconds of CPU, and the most MiB of memory, of one run."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(checkout), *OPTIONS, *options, tree],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{checkout}: {tree} could not be checked (exit status {process.returncode})")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def measure_kept(checkout: Path, tree: str) -> Iterator[tuple[str, float, float]]:
    """Yield what each run with a cache is, its seconds of CPU, and its MiB of memory."""
    with tempfile.TemporaryDirectory() as scratch:
        kept = ("--cache-dir", f"{scratch}/kept")
        copy = shutil.copytree(tree, f"{scratch}/one/{Path(tree).name}")
        yield "first run", *measure(checkout, copy, *kept)
        yield "nothing changed", *measure(checkout, copy, *kept)
        for path in sorted(Path(copy).rglob("*.py"))[::EVERY]:
            path.write_bytes(path.read_bytes() + b"\n# changed\n")
        yield f"1 in {EVERY} files changed", *measure(checkout, copy, *kept)
        elsewhere = shutil.copytree(tree, f"{scratch}/two/{Path(tree).name}")
        yield "facts alone", *measure(checkout, elsewhere, *kept)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each tree and round."""
    parser = argparse.ArgumentParser(description="Compare CPU time and memory of two checkouts.")
    parser.add_argument("old", type=Path, metavar="OLD_CHECKOUT")
    parser.add_argument("new", type=Path, metavar="NEW_CHECKOUT")
    parser.add_argument("trees", nargs="+", metavar="TREE")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--kept", action="store_true", help="measure runs that keep results")
    asked = parser.parse_args(arguments)
    checkouts = [one.resolve() for one in (asked.old, asked.new)]
    for tree in asked.trees:
        for _ in range(asked.rounds):
            if not asked.kept:
                _show(Path(tree).name, *(measure(one, tree, "--no-cache") for one in checkouts))
                continue
            for old, new in zip(*(measure_kept(one, tree) for one in checkouts), strict=True):
                _show(f"{Path(tree).name}, {old[0]}", old[1:], new[1:])
    return 0


def _show(name: str, before: tuple[float, float], after: tuple[float, float]) -> None:
    seconds, memory = zip(before, after, strict=True)
    ratios = " and ".join(f"{new / old:.2f} x" for old, new in (seconds, memory))
    print(
        f"{name}: {seconds[0]:.2f} and {seconds[1]:.2f} s, {memory[0]:.0f} and {memory[1]:.0f} MiB; "
        f"ratios {ratios}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
