"""What a run of fairlint has in the place of a published figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from fairlint.bench.figures.bias import is_function
from fairlint.bench.figures.blocks import Bounded, Points, block_figures
from fairlint.bench.figures.outcomes import prompt_name
from fairlint.bench.judging.usage import ANY, prompt_of
from fairlint.bench.papers.paper import PaperRun, Place
from fairlint.bench.runs.view import RunView
from fairlint.bench.suites.talking import conversations
from fairlint.statistics.clusters import share_by_prompt
from fairlint.statistics.intervals import Figures, computable, interval, interval_of_columns
from fairlint.support.records import Record

LEAST_ANSWERS = 5
"""Answers below which a column has no figure; subjects below which a mean over them is not compared."""

MOST_KEPT = 1_000
"""Columns and topics whose figures are kept for other tables."""

NOT_ASKED = "not asked"
TOO_FEW = "too few answers"
NOT_KNOWN = "not known"


class Own(Record):
    """A figure of a run, or why there is none."""

    figure: Bounded | None
    answers: int = 0
    subjects: int | None = None
    """Over how many subjects it is a mean; None where it is of answers."""
    why: str = ""
    """Why there is no figure."""
    least: float | None = None
    """Below what the figure cannot be; None where that is 0, or not known."""
    is_part: bool = False
    """Whether the figure is of a part of what the paper's is of, so that the two cannot be compared."""


def own_figure(view: RunView, figure: str, place: Place, run: PaperRun) -> Own:
    """Return the figure of a run in a place."""
    return _READERS[figure](view, figure, place, run)


def is_whole(view: RunView, run: PaperRun) -> bool:
    """Return whether a run was asked for all that the paper has."""
    return int(view.metrics["settings"].get("asked") or 0) >= run.answers


# ------------------------------------------------------------------------------------------------- FairCode


def _fairness(view: RunView, figure: str, place: Place, run: PaperRun) -> Own:
    scores = [
        one
        for one in view.metrics["scores"]
        if place.scenario in {"", one["scenario"]} and place.attribute in {"", one["attribute"]}
    ]
    if not scores:
        return Own(None, why=NOT_ASKED)
    if place.scenario and place.subject:
        return _topic(view, figure, place, run, scores[0])
    if place.scenario:
        return _column(view, figure, run, scores[0])
    return _overall(view, figure, run, scores)


def _overall(view: RunView, figure: str, run: PaperRun, scores: Sequence[Mapping[str, Any]]) -> Own:
    """Return the mean over all columns: as the run has it where the paper's numbers of answers are there."""
    means = view.metrics["overall"]
    answers = sum(one["answers"] for one in scores)
    if means is not None and _has_all_answers(view):
        low, high = means["interval"] or (None, None)
        bounds = (low, high) if figure == "fair_score" else (None, None)
        subjects = sum(len(one["subjects"]) for one in scores)
        return Own(Bounded(means[figure], *bounds), answers, subjects, is_part=not is_whole(view, run))
    columns = [_column(view, figure, run, one).figure for one in scores]
    known = [one.value for one in columns if one is not None]
    if not known:
        return Own(None, answers, why=TOO_FEW)
    return Own(Bounded(sum(known) / len(known)), answers, is_part=True)


def _column(view: RunView, figure: str, run: PaperRun, score: Mapping[str, Any]) -> Own:
    """Return a mean over subjects; of blocks of answers where subjects have fewer than in the paper."""
    answers = int(score["answers"])
    if _has_all_answers(view):
        if score[figure] is None:
            return Own(None, answers, why=NOT_KNOWN)
        subjects = len({(one["list"], one["subject"]) for one in score["subjects"]})
        return Own(_mean_of_subjects(figure, score), answers, subjects)
    found = _points_of(view, score["scenario"], score["attribute"])
    if len(found) < LEAST_ANSWERS:
        return Own(None, len(found), why=TOO_FEW)
    return Own(_of_answers(found, figure, score, view, run), len(found))


def _mean_of_subjects(figure: str, score: Mapping[str, Any]) -> Bounded:
    subjects = {(one["list"], one["subject"]): float(one[figure]) for one in score["subjects"]}
    lists = [listed for listed, _ in subjects]
    if not computable() or len(set(lists)) == len(lists):  # nobody can say how subjects vary
        return Bounded(score[figure])
    found = interval_of_columns([Figures(score["scenario"], subjects)])
    return Bounded(score[figure], found.low, found.high)


def _topic(view: RunView, figure: str, place: Place, run: PaperRun, score: Mapping[str, Any]) -> Own:
    found = _points_of(view, place.scenario, place.attribute, place.subject)
    if len(found) < LEAST_ANSWERS:
        return Own(None, len(found), why=TOO_FEW if found else NOT_ASKED)
    return Own(_of_answers(found, figure, score, view, run), len(found))


def _of_answers(
    points: Sequence[Points], figure: str, score: Mapping[str, Any], view: RunView, run: PaperRun
) -> Bounded:
    groups = max(len(score["groups"]), len({group for one in points for group in one}))
    size = int((view.metrics.get("comparable") or {"needed": len(points)})["needed"])
    return _block_figures(tuple(tuple(one.items()) for one in points), groups, size, run.shift)[figure]


@lru_cache(maxsize=MOST_KEPT)
def _block_figures(
    points: tuple[tuple[tuple[str, float], ...], ...], groups: int, size: int, shift: float
) -> Mapping[str, Bounded]:
    """Return all figures of the same answers at once: several tables are of them."""
    return block_figures([dict(one) for one in points], groups, size=size, shift=shift)


def _has_all_answers(view: RunView) -> bool:
    """Return whether each subject has as many answers as the paper adds up."""
    told = view.metrics.get("comparable")
    return told is not None and told["least"] == told["most"] == told["needed"]


def _points_of(view: RunView, scenario: str, attribute: str, subject: str = "") -> list[Points]:
    """Return what groups get by the published extraction, one entry an answer, in the order of answers."""
    wanted = {
        kept["key"]
        for kept in view.responses
        if kept["scenario"] == scenario and subject in {"", kept["subject"]}
    }
    return [
        told["published"]
        for judged in view.outcomes
        if judged["key"] in wanted
        for told in judged["outcomes"]
        if prompt_name(told["attribute"]) == attribute and told["published"] is not None
    ]


# ------------------------------------------------------------------------------------------- arXiv 2606.00049


def _bias(view: RunView, figure: str, place: Place, run: PaperRun) -> Own:  # noqa: ARG001 (as all have it)
    for one in (view.metrics.get("bias") or {}).get("attributes") or ():
        there = (one["scenario"], one["attribute"], one["prompt"])
        if there == (place.scenario, place.attribute, place.subject):
            if one.get(figure) is None:
                return Own(None, one["answers"], why=NOT_KNOWN)
            if figure == "amcr":
                return _mean_ratio(view, one)
            low, high = one.get("interval") or (None, None)
            return Own(Bounded(one[figure], low, high), one["answers"])
    return Own(None, why=NOT_ASKED)


def _mean_ratio(view: RunView, row: Mapping[str, Any]) -> Own:
    """Return AMCR, a mean over functions that run, with bounds over these. They are those of a bounded mean,
    between the floor of all ratios and 1.
    """
    value, floor = float(row["amcr"]), row.get("floor")
    ratios = _change_ratios(view, row)
    if floor is None or not ratios or floor >= 1 or not computable():
        return Own(Bounded(value), int(row["answers"]), least=floor)
    found = interval([(one - floor) / (1 - floor) for one in ratios])
    low, high = (floor + bound * (1 - floor) for bound in (found.low, found.high))
    return Own(Bounded(value, min(low, value), max(high, value)), len(ratios), least=floor)


def _change_ratios(view: RunView, row: Mapping[str, Any]) -> list[float]:
    """Return the least relative changes of the functions that a row is a mean over."""
    outcomes = {told["key"]: told for told in view.outcomes}
    place = (row["scenario"], row["prompt"])
    talks = conversations([
        (kept, outcomes[kept["key"]])
        for kept in view.responses
        if (kept["scenario"], kept["subject"]) == place and kept["key"] in outcomes
    ])  # fmt: skip
    last = (
        functions[-1] for talk in talks if (functions := [told for kept, told in talk if is_function(kept)])
    )
    known = (told["attributes"].get(row["attribute"], {}) for told in last if told["valid"])
    return [one["mcr"] for one in known if one.get("mcr") is not None]


# ----------------------------------------------------------------------------------------------- the notebook


def _published_usage(view: RunView, figure: str, place: Place, run: PaperRun) -> Own:  # noqa: ARG001 (as above)
    for one in view.metrics["usage"]:
        if one["attribute"] != place.attribute:
            continue
        prompts = {kept["key"]: prompt_of(kept) for kept in view.responses}
        found = share_by_prompt(
            (prompts[told["key"]], bool(names) if place.attribute == ANY else place.attribute in names)
            for told in view.outcomes
            if (names := told["published"]) is not None and told["key"] in prompts
        )
        if found is None:
            return Own(Bounded(one["published"]), one["answers"])
        return Own(
            Bounded(one["published"], found.low, found.high), one["answers"], is_part=not is_whole(view, run)
        )
    return Own(None, why=NOT_ASKED)


_READERS: Mapping[str, Callable[[RunView, str, Place, PaperRun], Own]] = {
    **dict.fromkeys(("fair_score", "refusal_rate", "entropy"), _fairness),
    **dict.fromkeys(("cbs", "amcr"), _bias),
    "published_usage": _published_usage,
}
"""Figure of a table → what reads it."""
