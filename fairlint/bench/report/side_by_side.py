"""Runs of a suite that measures bias, side by side: each figure beside the same figure of the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairlint.bench.report import bias, words
from fairlint.bench.runs.view import RunView, valid
from fairlint.statistics.clusters import clustered_share
from fairlint.statistics.intervals import computable
from fairlint.support.records import Record

Places = Mapping[tuple[str, str, str], Mapping[str, Any]]


class Shown(Record):
    """One figure of one run."""

    run: int
    """Which of the runs."""
    figure: str
    value: float | None
    bounds: Sequence[float] | None
    valid: float | None
    not_judged: int
    answers: int


def side_by_side(views: Sequence[RunView]) -> list[Shown]:
    """Figures of runs, those that are alike one below the other.

    Of functions that are run it is CBS by data and attribute, over prompts that all runs asked: some runs
    measure each function by all attributes and others by one, so that "by any" says other things of them.
    """
    if all(bias.suite_name(view) == "counterfactual" for view in views):
        found = list(_by_attribute([_places_of(view) for view in views]))
        if found:
            return found
    return [
        Shown(
            number,
            *bias.headline(view),
            valid(view),
            int(view.metrics["answers"].get("not_judged", 0)),
            view.metrics["answers"]["given"],
        )
        for number, view in enumerate(views)
        if bias.bias(view)
    ]


def _places_of(view: RunView) -> Places:
    """Return data, prompt and attribute → the figures."""
    rows = bias.bias(view).get("attributes") or ()
    return {(str(row["scenario"]), str(row["prompt"]), str(row["attribute"])): row for row in rows}


def _bounds_by_prompt(rows: Sequence[Mapping[str, Any]]) -> Sequence[float] | None:
    """Return the bounds of a share over the prompts of some rows, one row a prompt."""
    prompts = [
        (int(row.get("biased") or 0), int(row["answers"]) - int(row.get("not_judged") or 0)) for row in rows
    ]
    if not any(count for _, count in prompts) or not computable():
        return None
    found = clustered_share(prompts)
    return found.low, found.high


def _by_attribute(runs: Sequence[Places]) -> Iterator[Shown]:
    shared = [place for place in runs[0] if all(place in each for each in runs)]
    for scenario, attribute in dict.fromkeys((place[0], place[2]) for place in shared):
        chosen = [place for place in shared if (place[0], place[2]) == (scenario, attribute)]
        for number, known in enumerate(runs):
            rows = [known[place] for place in chosen]
            answers, lost = (
                sum(int(row.get(name) or 0) for row in rows) for name in ("answers", "not_judged")
            )
            biased, judged = sum(int(row.get("biased") or 0) for row in rows), answers - lost
            sound = sum(
                (row.get("valid") or 0) * (row["answers"] - (row.get("not_judged") or 0)) for row in rows
            )
            yield Shown(
                number,
                f"CBS, {words.name(scenario)}, {words.name(attribute)}",
                biased / judged if judged else None,
                _bounds_by_prompt(rows),
                sound / judged if judged else None,
                lost,
                answers,
            )
