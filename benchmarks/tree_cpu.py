"""Compares the CPU time and the memory of one process of two checkouts over the same trees.

    python benchmarks/tree_cpu.py OLD_CHECKOUT NEW_CHECKOUT TREE... [--rounds N]

The two take turns on each tree, without kept results and in one process. Copy a tree without its
`__pycache__` to measure it as a wheel is unpacked. Exit status: 0.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

RUN = """\
import sys
sys.path.insert(0, sys.argv.pop(1))
import fairlint
assert fairlint.__file__.startswith(sys.path[0]), fairlint.__file__
from fairlint.cli import main
sys.exit(main(sys.argv[1:]))
"""
OPTIONS = ("--isolated", "--no-cache", "--exit-zero", "-j", "1", "-q")


def measure(checkout: Path, tree: str) -> tuple[float, float]:
    """Seconds of CPU, and the most MiB of memory, of one run."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(checkout), *OPTIONS, tree],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{checkout}: {tree} could not be checked (exit status {process.returncode})")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each tree and round."""
    parser = argparse.ArgumentParser(description="Compare CPU time and memory of two checkouts.")
    parser.add_argument("old", type=Path, metavar="OLD_CHECKOUT")
    parser.add_argument("new", type=Path, metavar="NEW_CHECKOUT")
    parser.add_argument("trees", nargs="+", metavar="TREE")
    parser.add_argument("--rounds", type=int, default=2)
    asked = parser.parse_args(arguments)
    for tree in asked.trees:
        for _ in range(asked.rounds):
            before, after = (measure(one.resolve(), tree) for one in (asked.old, asked.new))
            told = [f"{before[0]:.2f} and {after[0]:.2f} s", f"{before[1]:.0f} and {after[1]:.0f} MiB"]
            ratios = (f"{new / old:.2f} x" for old, new in zip(before, after, strict=True))
            print(f"{Path(tree).name}: {', '.join(told)}; ratios {' and '.join(ratios)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
