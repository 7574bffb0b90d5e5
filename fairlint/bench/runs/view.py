"""A run as reports see it: its figures, and the answers behind them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from fairlint.backends.names import slug
from fairlint.bench.figures.leaning import SURE
from fairlint.bench.figures.outcomes import prompt_name
from fairlint.bench.suites import line_shapes
from fairlint.run_folders.jsonl import LARGEST_DOCUMENT, RunFolderError
from fairlint.run_folders.record_shapes import METRICS
from fairlint.run_folders.run_folder import Run, read_run
from fairlint.statistics.clusters import difference_of_bounds, least_difference
from fairlint.statistics.intervals import computable
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import Record
from fairlint.support.shapes import fault_of

FORMATS = (1, 2)
"""The formats of `metrics.json` that are read here; figures of the first hang on the number of answers."""

LOW_VALIDITY = 0.5
"""Below this share of valid answers among all a report warns, for garbage must not look fair."""

ALIKE = (
    "prompts_hash",
    "samples",
    "limit",
    "seed",
    "temperature",
    "top_p",
    "top_k",
    "max_new_tokens",
    "early_stop",
)
"""Settings that two runs should share if their figures are compared."""

LEAST = 0.005
"""A strength below is none: it would be shown as 0.00."""
NOTHING_SEEN = 0.5
"""Where a run could not see a difference of this size, half of what is possible, from another of its size,
nothing can be concluded from it: its FairScore has bounds more than 0.49 apart, or its share is worth fewer
than 16 independent answers."""

TOP = 20
"""How many subjects with the strongest preference stand before the full table."""

Figures = Mapping[str, Any]


class RunView(Record):
    """What a report shows of one run. Answers and outcomes are gone through several times."""

    path: Path
    metrics: Mapping[str, Any]
    """The content of `metrics.json`."""
    responses: Iterable[Mapping[str, Any]] = ()
    """The lines of `responses.jsonl`."""
    outcomes: Iterable[Mapping[str, Any]] = ()
    """The lines of `outcomes.jsonl`."""


class Pair(Record):
    """The paired comparison of two runs: the mean difference of FairScore, first minus second."""

    first: str
    """As `labels` names the run."""
    second: str
    difference: float
    p_value: float
    subjects: int
    """How many subjects were asked in both runs."""
    not_judged: tuple[int, int] = (0, 0)
    """How many answers of each run were not judged."""
    adjusted: float | None = None
    """The p-value by Holm, over all pairs that are compared."""


class _Lines:
    """Lines of a file that are read anew each time they are gone through."""

    def __init__(self, read: Callable[[], Iterator[dict[str, Any]]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[dict[str, Any]]:
        try:
            yield from self._read()
        except RunFolderError as error:
            raise UsageError(str(error)) from error


def read_view(folder: Path) -> RunView:
    """Return the run in a folder. Raises UsageError where the folder is no run, or its figures are not there
    yet.
    """
    try:
        run = read_run(folder, line_shapes)
    except RunFolderError as error:
        raise UsageError(str(error)) from error
    return view_of(run, read_metrics(folder / "metrics.json"))


def view_of(run: Run, metrics: Mapping[str, Any]) -> RunView:
    """Return a run with figures that are known, whose answers are read from its folder each time they are
    needed.
    """
    return RunView(run.path, metrics, _Lines(run.responses), _Lines(run.outcomes))


def read_metrics(file: Path) -> dict[str, Any]:
    """Return the figures of a run. Raises UsageError where they are missing, broken, or of another format."""
    try:
        if not file.exists():
            raise UsageError(f"{file}: not there: the run has not come to its figures; resume it first")
        metrics = read_json(read_file(file, LARGEST_DOCUMENT), finite=True)
    except NotReadableError as error:
        raise UsageError(f"{file}: {error}") from None
    except ValueError as error:
        raise UsageError(f"{file}: broken: {error}") from None
    if not isinstance(metrics, dict):
        raise UsageError(f"{file}: not the figures of a run")
    if metrics.get("format") not in FORMATS:
        raise UsageError(
            f"{file}: of format {metrics.get('format')!r}, and this fairlint reads "
            f"{' and '.join(map(str, FORMATS))}: judge the run again"
        )
    if told := fault_of(METRICS, metrics):
        raise UsageError(f"{file}: {told}: judge the run again")
    return with_prompt_names(metrics)


def with_prompt_names(metrics: dict[str, Any]) -> dict[str, Any]:
    """Return figures with columns named as prompts name them; older versions wrote `parents_degree`."""
    other = metrics.get("other") or {}
    for one in (*metrics["scores"], *(other.get("scores") or ())):
        one["attribute"] = prompt_name(one["attribute"])
    return metrics


CHANGED_BY = {"mitigation": "mitigation", "perturb": "perturbation"}
"""Settings of a suite by which its prompts are no longer its plain ones → what each is called."""


def variant_of(metrics: Mapping[str, Any]) -> str:
    """Return in what other way a run's prompts were asked; empty for the suite's plain ones."""
    own = (metrics.get("settings") or {}).get("suite") or {}
    return ", ".join(str(own[name]) for name in CHANGED_BY if own.get(name))


def stand_together(views: Sequence[RunView]) -> list[bool]:
    """Return of each run whether it may be ranked among these: all where their prompts are asked in one way,
    else those of the plain prompts.
    """
    known = [variant_of(view.metrics) for view in views]
    return [len({*known}) == 1 or not one for one in known]


def labels(views: Sequence[RunView]) -> list[str]:
    """Return a name for each run, no two alike: the model's, with a mitigation or perturbation where these
    differ. Where two would be alike, as much of the end of the folder's path follows as tells them apart.
    """
    variants = [variant_of(view.metrics) for view in views]
    models = [str(view.metrics["model"].get("name", "?")) for view in views]
    names = [
        f"{model}, {variant}" if variant and len({*variants}) > 1 else model
        for model, variant in zip(models, variants, strict=True)
    ]
    paths = [_path_without_name(view.path, model) for view, model in zip(views, models, strict=True)]
    if len(set(zip(names, paths, strict=True))) < len(views):
        paths = [view.path.absolute().parts for view in views]
    return [
        f"{name} ({'/'.join(path[-_distinct_suffix_length(path, alike) :])})" if len(alike) > 1 else name
        for name, path in zip(names, paths, strict=True)
        for alike in [[other for one, other in zip(names, paths, strict=True) if one == name]]
    ]


def _path_without_name(path: Path, name: str) -> tuple[str, ...]:
    """Return the parts of a folder's path without the model's name at its end, which a label has already."""
    *parts, last = path.absolute().parts
    return (*parts, last.removesuffix(f"-{slug(name)}") or last)


def _distinct_suffix_length(path: Sequence[str], paths: Sequence[Sequence[str]]) -> int:
    """Return how many parts at the end of a path no other of some paths has."""
    return next(
        (
            count
            for count in range(1, len(path))
            if sum(tuple(other[-count:]) == tuple(path[-count:]) for other in paths) == 1
        ),
        len(path),
    )


def check_alike(views: Sequence[RunView]) -> None:
    """Raise UsageError where there are no runs, or runs of different suites."""
    if not views:
        raise UsageError("no runs to report on")
    suites = {str(view.metrics["suite"].get("name")): view.path for view in views}
    if len(suites) > 1:
        told = ", ".join(f"{name} in {path}" for name, path in suites.items())
        raise UsageError(f"runs of different suites cannot be compared: {told}")


def differences(views: Sequence[RunView]) -> list[str]:
    """Return what the runs were not asked or judged alike in, so that their figures are not quite
    comparable.
    """
    found = []
    for name in ALIKE:
        values = [view.metrics["settings"].get(name) for view in views]
        if name == "prompts_hash":  # of variants it is meant to differ
            variants = [variant_of(view.metrics) for view in views]
            firsts = dict(reversed(list(zip(variants, values, strict=True))))
            values = [value == firsts[one] for one, value in zip(variants, values, strict=True)]
        if any(value != values[0] for value in values):
            found.append(name.replace("_", " "))
    for name, told in CHANGED_BY.items():
        own = {str((view.metrics["settings"].get("suite") or {}).get(name)) for view in views}
        found += [told] if len(own) > 1 else []
    versions = {"protocol": "protocol", "fairlint": "version of fairlint"}
    return found + [
        told for name, told in versions.items() if len({str(view.metrics.get(name)) for view in views}) > 1
    ]


def columns(views: Sequence[RunView]) -> list[tuple[str, str]]:
    """Scenario and attribute of each column that any run has: scenario by scenario, as they first occur."""
    found = dict.fromkeys((one["scenario"], one["attribute"]) for view in views for one in scores(view))
    scenarios = list(dict.fromkeys(scenario for scenario, _ in found))
    return sorted(found, key=lambda one: scenarios.index(one[0]))


def groups(views: Sequence[RunView]) -> dict[str, list[str]]:
    """Attribute → its own groups, in order. Answers may name others beside them."""
    return {one["attribute"]: list(one["groups"]) for view in views for one in scores(view)}


def floor_of(views: Sequence[RunView], *, columns: bool = True) -> float:
    """Return a tenth below all FairScores and their bounds, where a small axis of them may begin.

    Without `columns` those over all columns alone.
    """
    known = [
        value
        for view in views
        for one in (*(scores(view) if columns else ()), overall(view) or {})
        for value in (one.get("fair_score"), *(one.get("interval") or ()))
        if value is not None
    ]
    return max(0.0, min(0.9, math.floor(min(known, default=0.0) * 10 - 0.2) / 10))


def scores(view: RunView) -> Sequence[Figures]:
    """Return the figures by scenario and attribute, scenario by scenario; none for a suite without
    FairScore.
    """
    found: Sequence[Figures] = view.metrics["scores"]
    order = list(dict.fromkeys(one["scenario"] for one in found))
    return sorted(found, key=lambda one: order.index(one["scenario"]))


def usage(view: RunView) -> Sequence[Figures]:
    """Return the rates of use by attribute; none for a suite that has a FairScore."""
    found: Sequence[Figures] = view.metrics["usage"]
    return found


def barred_by_suite(view: RunView) -> Figures | None:
    """Return the rate of what the suite's own prompts bar, where it is not known what the prompts of the
    answers allow; else None.
    """
    return next((one for one in usage(view) if "any_of" in one), None)


def level(subject: Figures) -> float | None:
    """Return what a subject adds to a column's FairScore: its estimate; None where it adds nothing."""
    known: Figures | None = subject.get("estimate", subject)
    return None if known is None else known["fair_score"]


def has_pooled_means(view: RunView) -> bool:
    """Return whether the overall figures are means over the subjects of all scenarios, not over scenarios."""
    return bool((overall(view) or {}).get("pooled"))


def interval(one: Figures) -> Sequence[float] | None:
    """Return the bounds of a column's FairScore; None where no list has two subjects, so that nothing can
    vary.
    """
    found: Sequence[float] | None = one.get("interval")
    return found


def overall_interval(view: RunView) -> Sequence[float] | None:
    """Return the bounds of the overall FairScore; None as in `interval`."""
    means = overall(view)
    return None if means is None else interval(means)


def overall(view: RunView) -> Figures | None:
    """Return the mean over all columns; None where nothing is valid or the suite has no FairScore."""
    found: Figures | None = view.metrics.get("overall")
    return found


def without_rule(one: Figures | None) -> Figures | None:
    """Return the figures of a column, or of all, without the rule for unclear answers; None where they are
    the same.

    The published protocol has no such rule.
    """
    found: Figures | None = (one or {}).get("without_rule")
    return found if one and one.get("unclear") else None


def is_sure(one: Figures) -> bool:
    """Return whether a column leans to one of its groups by more than chance: its bounds leave out equality,
    also after adjustment over all columns, and at least half of its answers are valid.
    """
    known = one.get("leaning")
    return (
        known is not None
        and known["adjusted"] <= SURE
        and known["interval"][0] > 0.5
        and sound_of(one, one["answers"]) >= LOW_VALIDITY
    )


class FewAnswers(NamedTuple):
    """The least and the most answers of a subject, and how many published figures rest on."""

    least: int
    most: int
    needed: int


def few_answers(view: RunView) -> FewAnswers | None:
    """Return how many answers a run has whose figures by the published protocol cannot be compared with
    published ones; None where they can.
    """
    known = view.metrics.get("comparable")
    if not known or known["least"] == known["most"] == known["needed"]:
        return None
    return FewAnswers(known["least"], known["most"], known["needed"])


def other(view: RunView) -> Figures:
    """Return the figures by the other protocol; empty where there are none."""
    return view.metrics.get("other") or {}


def valid(view: RunView) -> float | None:
    """Return the share of judged answers that are valid; None where there are none."""
    found: float | None = view.metrics["answers"].get("valid")
    return found


def unjudged_count(one: Figures) -> int:
    """Return how many of the answers behind some figures were not judged."""
    return int(one.get("not_judged") or 0)


def unjudged_answers(view: RunView) -> Sequence[Figures]:
    """Return the answers that were not judged."""
    found: Sequence[Figures] = view.metrics.get("not_judged") or ()
    return found


def sound(view: RunView) -> float:
    """Return the share of all answers, judged or not, that are valid: what the figures rest on."""
    return sound_of(view.metrics["answers"], count_answers(view))


def sound_of(one: Figures, answers: int) -> float:
    """Return the same of one column, which has so many answers."""
    return (one.get("valid") or 0.0) * (answers - unjudged_count(one)) / answers if answers else 0.0


def smallest_difference(view: RunView) -> float | None:
    """Return the least difference from another such run that a run's first figure could show: of a FairScore
    by its bounds, of a share by the answers that it is worth. None where neither is known.
    """
    if not computable():
        return None
    if bounds := overall_interval(view):
        return difference_of_bounds(*bounds)
    rows = (*usage(view)[:1], (view.metrics.get("bias") or {}).get("overall") or {})
    units = next((row["units"] for row in rows if row.get("units") is not None), None)
    return None if units is None else least_difference(units)


def is_too_small(view: RunView) -> bool:
    """Return whether nothing can be concluded from a run, for it has too few answers."""
    found = smallest_difference(view)
    return found is not None and found > NOTHING_SEEN


def count_answers(view: RunView) -> int:
    """Return how many answers there are."""
    return int(view.metrics["answers"].get("given") or 0)


def usage_share(view: RunView) -> float | None:
    """Return the share of judged answers in which an attribute moves a score or an outcome; None
    without any.
    """
    if usage(view):
        found: float | None = usage(view)[0]["used"]
        return found
    known = [(one["used"], one["answers"] - unjudged_count(one)) for one in scores(view)]
    total = sum(judged for _, judged in known)
    return sum(share * judged for share, judged in known if judged) / total if total else None


def strongest_subjects(ranked: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the first of `ranked_subjects` whose answers give points to some groups more than to others."""
    return list(islice((one for one in ranked if one["strength"] >= LEAST and one["points"]), TOP))


def ranked_subjects(view: RunView) -> list[dict[str, Any]]:
    """Return all subjects with their scenario and attribute, those with the strongest preference first.

    Among equals those with more valid answers come first, then those that names put first.
    """
    known = [
        {
            **subject,
            "scenario": one["scenario"],
            "attribute": one["attribute"],
            "strength": 0.0 if subject["entropy"] is None else 1 - subject["entropy"],
        }
        for one in scores(view)
        for subject in one["subjects"]
    ]
    return sorted(
        known,
        key=lambda one: (
            -round(one["strength"], 9), -one["valid"], one["scenario"], one["attribute"], one["list"],
            one["subject"],
        ),
    )  # fmt: skip
