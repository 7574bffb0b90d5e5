"""What moving a model's shares gains and costs: towards equal and real shares, and beside other methods.

    python benchmarks/model_debias.py [--model NAME] [--parts equal,world,methods,code] [--seeds 5]
        [--epochs 2] [--limit 60] [--prompts 30] [--output DIR]

Each part is printed as a table with its processor time:

- equal, world: towards equal shares and those of the real world, `--seeds` seeds, each with its own split;
- methods: towards equal shares by kl, cda, leace and inlp, on the split of seed 0;
- code: the functions that the model writes, and with the adapters of seed 0 of `equal` and `world`: answers
  to the same prompts with the same seeds, 300 tokens at most, in bfloat16.

Exit status: 0 where, of the parts that ran, `equal` at least halves the divergence on professions and
templates that were not taught (by the upper bound of its interval), perplexity stays within 2 %, and a seed
takes ten minutes of processor time at most; 1 where not. A part whose folder is there already goes on; then
its processor time is that of what was left.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HALF, RISE, MOST_SECONDS = 0.5, 0.02, 600
LESS = ("--max-new-tokens", "300", "--dtype", "bfloat16")
"""How functions are written in less time; the same for all."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts and report."""
    parser = argparse.ArgumentParser(description="What debiasing gains and costs.")
    parser.add_argument("--model", help="as fairlint model takes it (default: the small one)")
    parser.add_argument("--parts", default="equal,world,methods,code")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--prompts", type=int, default=30)
    parser.add_argument("--output", type=Path)
    told = parser.parse_args(arguments)
    model = ["--model", told.model] if told.model else []
    debias = ["model", "debias", "--epochs", str(told.epochs), "--limit", str(told.limit), *model]
    parts = {
        "equal": [*debias, "--target", "equal", "--seeds", str(told.seeds)],
        "world": [*debias, "--target", "real-world", "--seeds", str(told.seeds)],
        "methods": [*debias, "--method", "kl,cda,leace,inlp"],
    }
    bench = ["bench", "--limit", str(told.prompts), "--samples", "2", *LESS, *model]
    reached = True
    with tempfile.TemporaryDirectory() as nowhere:
        folder = told.output or Path(nowhere)
        for name in told.parts.split(","):
            if name == "code":
                write(folder, bench)
            else:
                reached = moved(folder / name, name, parts[name]) and reached
    return int(not reached)


def moved(folder: Path, name: str, options: Sequence[str]) -> bool:
    """Debias; whether that reaches what is asked."""
    told, seconds = run([*options, "--output", str(folder), "--resume", "--format", "json"])
    trials = told["figures"]["trials"]
    print(f"\n{name}: fairlint {' '.join(options)}")
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
    return _reached(told["figures"]["compared"]["kl"]) and seconds / len(trials) <= MOST_SECONDS


def write(folder: Path, options: Sequence[str]) -> None:
    """Have the model and what became of it write functions, and say what they come to."""
    print("\n| functions | FairScore (95 %) | of gender | use the attribute | valid |\n|---|---|---|---|---|")
    for name in ("base", "equal", "world"):
        adapter = folder / name / "debias" / "kl" / "seed-0" / "adapter"
        if name != "base" and not adapter.exists():
            continue
        more = ["--adapter", str(adapter)] if name != "base" else []
        place = folder / f"code-{name}"
        found, seconds = run([*options, *more, "--output", str(place), "--resume", "--format", "json"])
        [told] = found if isinstance(found, list) else [found]
        overall, scores = told["overall"] or {}, told["scores"]
        gender = [one["fair_score"] for one in scores if one["attribute"] == "gender"]
        known = [one for one in gender if one is not None]
        answers = sum(one["answers"] for one in scores)
        used = sum((one["used"] or 0) * one["answers"] for one in scores) / answers
        bounds = overall.get("interval") or (math.nan, math.nan)
        print(
            f"| {name} | {overall.get('fair_score', math.nan):.3f} ({bounds[0]:.3f} to {bounds[1]:.3f}) | "
            f"{sum(known) / len(known) if known else math.nan:.3f} | {used:.1%} | "
            f"{told['answers']['valid']:.1%} of {told['answers']['given']} |"
        )
        print(f"{seconds:.0f} s of processor time", file=sys.stderr)


def run(options: Sequence[str]) -> tuple[Any, float]:
    """What a command of fairlint tells as JSON, and its processor time in seconds."""
    begun = _seconds()
    command = [sys.executable, "-m", "fairlint", *options]
    found = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(found.stdout), _seconds() - begun


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
