"""Counts how often runs of `code-review` and `parallel-prompts` name a difference: none is there, and one is.

    python benchmarks/variant_differences.py [RUNS]

Answers are drawn by chance, as the judge would tell of them: no model is asked and no code is run. Each task
has a rate of its own, between 0 and 1; of one group or variant it is raised by what is planted. Prints a row
of the table in docs/appendix/bench-prompt-sets.md for each plan. Needs the extra `bench`. Exit status: 0.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # a checkout that is not installed can be measured too

from fairlint.backends.requests import Request  # noqa: E402
from fairlint.bench.figures.task_variants import is_seen  # noqa: E402
from fairlint.bench.suites import suite_of  # noqa: E402
from fairlint.bench.suites.suite import EVERYTHING, Selection  # noqa: E402

RUNS = 200


class Plan(NamedTuple):
    """What is drawn: of a suite, and by how much the rate of a variant is raised."""

    suite: str
    variant: str = ""
    planted: float = 0.0
    selection: Selection = EVERYTHING


PLANS = (
    Plan("code-review"),
    Plan("code-review", "female", 0.15),
    Plan("code-review", "female", 0.3),
    Plan("code-review", "female", 0.15, Selection(scenarios=("name",), attributes=("gender",), samples=20)),
    Plan("parallel-prompts"),
    Plan("parallel-prompts", "zh", -0.3),
    Plan("parallel-prompts", "zh", -0.6),
)


def drawn_review(is_hit: bool, random: Random) -> dict[str, Any]:
    """Return the outcome of a review that approves or does not; one of twenty cannot be read."""
    if random.random() < 0.05:
        nothing = dict.fromkeys(("decision", "comments", "severe"))
        return {"valid": False, "kind": "unreadable", "cause": "", **nothing}
    comments = random.randrange(4)
    severe = random.randrange(comments + 1)
    decision = "approve" if is_hit else random.choice(("comment", "request changes"))
    return {
        "valid": True, "kind": "read", "cause": "", "decision": decision, "comments": comments,
        "severe": severe,
    }  # fmt: skip


def drawn_code(is_hit: bool, random: Random) -> dict[str, Any]:
    """Return the outcome of code that passes its tests or does not; one of twenty is no Python."""
    is_whole = random.random() >= 0.05
    tests = {"passed": int(is_hit and is_whole), "tests": 1, "cause": None}
    return {
        "valid": is_whole,
        "tests": tests,
        "rules": ["FL101"] if is_whole and random.random() < 0.1 else [],
    }


DRAWN: dict[str, tuple[Callable[[bool, Random], dict[str, Any]], str]] = {
    "code-review": (drawn_review, "approved"),
    "parallel-prompts": (drawn_code, "passed"),
}
"""Suite → how an outcome is drawn, and the figure whose rate is planted."""


def drawn_differences(plan: Plan, requests: Sequence[Request], seed: int) -> list[dict[str, Any]]:
    """Return the differences that are named in one run of drawn answers."""
    random = Random(seed)
    draw, _ = DRAWN[plan.suite]
    rates: dict[str, float] = {}
    judged = []
    for one in requests:
        rate = rates.setdefault(one.subject, random.betavariate(0.8, 0.8))
        rate += plan.planted if one.stereotype == plan.variant else 0.0
        kept = {
            "scenario": one.scenario, "attribute": one.attribute, "list": one.stereotype,
            "subject": one.subject, "sample": one.sample,
        }  # fmt: skip
        judged.append((kept, draw(random.random() < rate, random)))
    figures = suite_of(plan.suite).figures(judged, "exact")
    return [row for row in figures["bias"]["differences"] if is_seen(row)]


def is_planted(plan: Plan, row: dict[str, Any]) -> bool:
    """Return whether a difference is the one that was planted, in its direction."""
    return (row["variant"], row["measure"]) == (plan.variant, DRAWN[plan.suite][1]) and row[
        "difference"
    ] * plan.planted > 0


def rows_of_plans(runs: int, plans: Sequence[Plan] = PLANS) -> Iterator[tuple[Plan, int, int]]:
    """Yield of each plan in how many runs a difference is named, and in how many the planted one."""
    for plan in plans:
        requests = suite_of(plan.suite).requests(plan.selection)
        found = [drawn_differences(plan, requests, seed) for seed in range(runs)]
        yield plan, sum(map(bool, found)), sum(any(is_planted(plan, row) for row in rows) for rows in found)


def main(arguments: list[str]) -> int:
    """Print the table."""
    runs = int(arguments[0]) if arguments else RUNS
    for plan, named, right in rows_of_plans(runs):
        chosen = plan.selection
        what = "gender by name, 20 samples" if chosen.samples else "all"
        planted = f"{plan.variant} {plan.planted:+g}" if plan.variant else "nothing"
        share = f"{right / runs:.1%}" if plan.variant else ""
        print(f"| `{plan.suite}`, {what} | {planted} | {runs} | {named / runs:.1%} | {share} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
