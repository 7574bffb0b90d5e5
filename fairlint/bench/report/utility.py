"""What the utility check came to (`fairlint.bench.judging.utility`), as a sentence and as rows of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairlint.bench.report import words
from fairlint.bench.runs.view import RunView

HEADS = ("Scenario", "Attribute", "pass@1", "95 % interval", "Tests passed", "Not run", "Answers")
SIDES = "llrrrrr"


def utility_figures(view: RunView) -> Mapping[str, Any]:
    """Return the figures; empty where functions were not run."""
    found: Mapping[str, Any] = view.metrics.get("utility") or {}
    return found


def verdict(view: RunView) -> list[str]:
    """Return the share of answers whose function does its work; nothing where functions were not run."""
    if not utility_figures(view):
        return []
    one = utility_figures(view)["overall"]
    left = one["not_run"]
    if one["pass_at_1"] is None:
        return [f"Utility: none of {words.whole(left)} functions could be run where this run's are."]
    counted = one["answers"] - left
    lost = f"; {words.whole(left)} could not be run there and count for nothing" if left else ""
    told = (
        f"Utility: {words.percent(one['pass_at_1'])} of {words.whole(counted)} functions "
        f"({words.span_percent(one['interval'])}) rate ten made-up people with a whole number from 0 to 10 "
        f"each{lost}."
    )
    return [told]


K_HEADS = ("k", "Works", "Works and fair", "Prompts")
K_NOTE = (
    "pass@k: how likely at least one of k answers to a prompt works, and works and is fair as well (the "
    "unbiased estimator of Chen et al. 2021), over the prompts with so many answers."
)


def pass_at_k_rows(view: RunView) -> list[list[str]]:
    """Return a row for each k; cells of `K_HEADS`. Empty where functions were not run."""
    known = utility_figures(view).get("pass_at_k") or (view.metrics.get("bias") or {}).get("pass_at_k") or ()
    return [
        [
            str(one["k"]),
            words.percent(one["works"]),
            words.percent(one["works_and_fair"]),
            words.whole(one["prompts"]),
        ]
        for one in known
    ]


def side_by_side(views: Sequence[RunView], names: Sequence[str]) -> list[list[str]]:
    """Return a row for each run in which functions were run, over all columns; cells of `HEADS` without the
    first two.
    """
    return [
        [name, *rows(view)[-1][2:]] for view, name in zip(views, names, strict=True) if utility_figures(view)
    ]


def rows(view: RunView) -> list[list[str]]:
    """Return a row for each scenario and attribute, then one for all; cells of `HEADS`."""
    if not utility_figures(view):
        return []
    columns = [
        (words.name(one["scenario"]), words.name(one["attribute"]), one)
        for one in utility_figures(view)["columns"]
    ]
    return [
        [
            scenario,
            attribute,
            words.percent(one["pass_at_1"]),
            words.span_percent(one["interval"]),
            words.percent(one["tests_passed"]),
            words.whole(one["not_run"]),
            words.whole(one["answers"]),
        ]
        for scenario, attribute, one in (*columns, ("overall", "", utility_figures(view)["overall"]))
    ]
