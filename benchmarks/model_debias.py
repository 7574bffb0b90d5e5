"""What moving a model's shares gains and costs: towards equal and real shares, and beside other methods.

    python benchmarks/model_debias.py [--model NAME] [--parts equal,world,methods] [--seeds 5]
        [--epochs 2] [--limit 60] [--code 30] [--output DIR]

Each part is a run of `fairlint model debias`, printed as a table with its processor time:

- equal, world: towards equal shares and those of the real world, `--seeds` seeds, each with its own split;
- methods: towards equal shares by kl, cda, leace and inlp on one split, with the code that each model writes;
- world-code: towards the real world on that split, with code.

Exit status: 0 where, of the parts that ran, `equal` at least halves the divergence on professions and
templates that were not taught (by the upper bound of its interval), perplexity stays within 2 %, and a seed
takes ten minutes of processor time at most; 1 where not. A part whose folder is there already goes on.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HALF, RISE, MOST_SECONDS = 0.5, 0.02, 600


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts and report."""
    parser = argparse.ArgumentParser(description="What debiasing gains and costs.")
    parser.add_argument("--model", help="as fairlint model takes it (default: the small one)")
    parser.add_argument("--parts", default="equal,world,methods,world-code")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--code", type=int, default=30)
    parser.add_argument("--output", type=Path)
    told = parser.parse_args(arguments)
    parts = {
        "equal": ["--target", "equal", "--seeds", str(told.seeds)],
        "world": ["--target", "real-world", "--seeds", str(told.seeds)],
        "methods": ["--method", "kl,cda,leace,inlp", "--code", str(told.code)],
        "world-code": ["--target", "real-world", "--code", str(told.code)],
    }
    shared = ["--epochs", str(told.epochs), "--limit", str(told.limit)]
    if told.model:
        shared += ["--model", told.model]
    with tempfile.TemporaryDirectory() as nowhere:
        folder = told.output or Path(nowhere)
        reached = [run(folder / name, name, [*parts[name], *shared]) for name in told.parts.split(",")]
    return int(not all(reached))


def run(folder: Path, name: str, options: Sequence[str]) -> bool:
    """One part; whether it reaches what is asked."""
    command = [sys.executable, "-m", "fairlint", "model", "debias", *options, "--output", str(folder)]
    begun = _seconds()
    found = subprocess.run([*command, "--resume", "--format", "json"], stdout=subprocess.PIPE, check=True)
    seconds = _seconds() - begun
    told = json.loads(found.stdout)
    trials = told["figures"]["trials"]
    print(f"\n{name}: fairlint model debias {' '.join(options)}")
    print(f"{seconds:.0f} s of processor time, {seconds / len(trials):.0f} s a trial")
    for method, figures in told["figures"]["compared"].items():
        print(f"\n| {method} | before | after (95 %) | change (95 %) |\n|---|---|---|---|")
        for figure, one in figures.items():
            print(f"| {figure} | {one['before']:.4f} | {_told(one['after'])} | {_told(one['change'])} |")
    for warning in told["warnings"]:
        print(f"warning: {warning}")
    print(told["verdict"])
    if name != "equal":
        return True
    figures = told["figures"]["compared"]["kl"]
    return _reached(figures) and seconds / len(trials) <= MOST_SECONDS


def _reached(figures: Mapping[str, Any]) -> bool:
    held, text = figures["kl.held-out"], figures["perplexity"]
    most = held["after"]["high"] if held["after"]["high"] is not None else held["after"]["value"]
    change = abs(text["after"]["value"] / text["before"] - 1)
    print(f"left of the divergence: {most / held['before']:.0%} at most; perplexity moves by {change:.1%}")
    return bool(most <= HALF * held["before"] and change <= RISE)


def _told(one: Mapping[str, float | None]) -> str:
    value, low, high = one["value"], one["low"], one["high"]
    bounds = "" if low is None or high is None else f" ({low:.4f} to {high:.4f})"
    return f"{value:.4f}{bounds}"


def _seconds() -> float:
    """Processor time of all that this process started and that has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
