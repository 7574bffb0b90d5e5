"""Times how fast model answers are judged.

    python benchmarks/judging.py ANSWERS.jsonl [--answers 9550] [--attribute gender]

ANSWERS.jsonl holds one object a line with `text` or `code`; the answers are repeated until there are as many
as the full function task has, each with a comment of its own in the first function, so that no two are alike
and nothing is remembered from one to the next. Exit status: 0 where the target is met, 1 where not, 2 for a
wrong file.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from fairlint.bench.judging.judging_all import judge_all

FULL_TASK = 9_550
FUNCTION = re.compile(r"^([ \t]*def \w+\(.*)", re.MULTILINE)
TARGET = 60.0
"""Seconds for the full task on two cores."""


def answers_in(path: Path) -> list[dict[str, str]]:
    """The answers' texts, and what they were asked where the file says it."""
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    return [
        {
            "text": entry.get("text") or entry["code"],
            "given": entry.get("given", ""),
            "asked": entry.get("asked", ""),
            "scenario": entry.get("scenario", ""),
        }
        for entry in entries
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge and report."""
    parser = argparse.ArgumentParser(description="Time how fast model answers are judged.")
    parser.add_argument("file", type=Path, metavar="ANSWERS.jsonl")
    parser.add_argument("--answers", type=int, default=FULL_TASK, help=f"how many (default {FULL_TASK})")
    parser.add_argument("--attribute", default="gender", help="what is asked of each (default gender)")
    options = parser.parse_args(arguments)
    try:
        known = answers_in(options.file)
    except (OSError, ValueError, KeyError, AttributeError) as error:
        print(f"judging: {options.file}: {error}", file=sys.stderr)
        return 2
    if not known:
        print(f"judging: {options.file} holds no answers", file=sys.stderr)
        return 2
    answers = [
        {
            "key": str(place),
            "attribute": options.attribute,
            **known[place % len(known)],
            "text": FUNCTION.sub(rf"\1  # {place}", known[place % len(known)]["text"], count=1),
        }
        for place in range(options.answers)
    ]
    begin = time.perf_counter()
    outcomes = list(judge_all("faircode:function", answers, workers=0))
    taken = time.perf_counter() - begin
    met = taken * FULL_TASK / len(answers) <= TARGET
    valid = sum(one["valid"] for one in outcomes) / len(outcomes)
    print(
        f"{len(answers)} answers, made of {len(known)}, judged in {taken:.1f} s "
        f"on {os.cpu_count()} cores; {valid:.3f} valid: {'met' if met else 'missed'}"
    )
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
