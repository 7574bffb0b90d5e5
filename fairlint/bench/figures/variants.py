"""How far figures move where the same is asked in another way: perturbed and mitigated runs beside the plain
one.

Each figure is taken twice, over what both runs have: subjects of a FairScore, or answers to the same prompt
with the same sample. Their difference is that of the variant less plain.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairlint.bench.figures.biased_answers import any_bias
from fairlint.bench.figures.both_scores import score_name
from fairlint.bench.figures.comparing import (
    OVERALL,
    Columns,
    column_values,
    plain_request,
    pooled_columns,
)
from fairlint.bench.judging.usage import ANY, BARRED
from fairlint.bench.report import bias
from fairlint.bench.runs.view import RunView, has_pooled_means, labels, usage
from fairlint.run_folders.jsonl import KEY
from fairlint.statistics.clusters import Bounds, paired_shares
from fairlint.statistics.intervals import Figures, computable, interval_of_columns
from fairlint.support.records import Record, field_names

Head = tuple[str, str]
"""Scenario and attribute of a column."""


class Variant(Record):
    """A setting of a suite by which its own prompts are asked in another way."""

    setting: str
    noun: str
    adjective: str


MITIGATION = Variant("mitigation", "mitigation", "mitigated")
VARIANTS = (Variant("perturb", "perturbation", "perturbed"), MITIGATION)

ASKED = ("seed", "temperature", "max_new_tokens", "top_p", "top_k", "early_stop")
"""Settings in which a variant is as its plain run."""


class MovedFigure(Record):
    """A figure of plain prompts and of a variant of them."""

    run: str
    """The plain run, as reports name it."""
    changed_run: str
    kind: Variant
    change: str
    """Which perturbation or mitigation."""
    measure: str
    scenario: str
    attribute: str
    plain: float
    changed: float
    difference: float
    """Changed less plain."""
    interval: Bounds | None
    """95 % bounds of the difference; None where nobody can say how it varies."""
    pairs: int
    """Subjects of a FairScore, or answers."""
    prompts: int


def moved_figures(views: Sequence[RunView]) -> list[MovedFigure]:
    """Return what perturbations and mitigations move, of those runs whose plain run is among them too."""
    return [one for kind in VARIANTS for one in moved_by(kind, views)]


def moved_by(kind: Variant, views: Sequence[RunView]) -> list[MovedFigure]:
    """Return what one of both moves."""
    plain: dict[str, tuple[str, RunView]] = {}
    named = list(zip(labels(views), views, strict=True))
    for label, view in named:
        if not change_of(kind, view):
            plain.setdefault(_plain_conditions(kind, view), (label, view))
    return [
        one
        for label, view in named
        if change_of(kind, view) and (known := plain.get(_plain_conditions(kind, view))) is not None
        for one in _moved_between(kind, *known, label, view)
    ]


def change_of(kind: Variant, view: RunView) -> str:
    """Return in what other way a run's prompts are put; empty for the suite's own."""
    return str((view.metrics["settings"].get("suite") or {}).get(kind.setting, ""))


def moved_document(known: Sequence[MovedFigure]) -> list[dict[str, Any]]:
    """Return figures as files have them, in words of their kind: `perturbed` or `mitigated`."""
    return [{_key_of(one.kind, name): getattr(one, name) for name in _SHOWN} for one in known]


_SHOWN = tuple(name for name in field_names(MovedFigure) if name != "kind")


def _key_of(kind: Variant, name: str) -> str:
    own = {"changed_run": f"{kind.adjective}_run", "change": kind.noun, "changed": kind.adjective}
    return own.get(name, name)


def _plain_conditions(kind: Variant, view: RunView) -> str:
    """Return what a variant shares with its plain run."""
    metrics = view.metrics
    settings = metrics["settings"]
    own = {name: one for name, one in (settings.get("suite") or {}).items() if name != kind.setting}
    model = (metrics["model"].get("name"), metrics["model"].get("revision"))
    asked = [settings.get(name) for name in ASKED]
    return json.dumps([metrics["suite"].get("name"), metrics["protocol"], model, own, asked], sort_keys=True)


def _moved_between(
    kind: Variant, label: str, view: RunView, other_label: str, other: RunView
) -> Iterator[MovedFigure]:
    has_rates = bool(usage(view) or usage(other))
    is_bias = bool(view.metrics.get("bias") or other.metrics.get("bias"))
    moved = _moved_shares if has_rates or is_bias else _moved_scores
    measure = (
        "used"
        if has_rates
        else bias.report_of(view).measure
        if is_bias
        else score_name(view.metrics["protocol"])
    )
    if (known := _moved_validity(view, other)) is not None:
        yield MovedFigure(label, other_label, kind, change_of(kind, other), "valid", **known)
    for told in moved(view, other):
        yield MovedFigure(label, other_label, kind, change_of(kind, other), measure, **told)


# ----------------------------------------------------------------------------------------------------- shares


def _moved_shares(view: RunView, other: RunView) -> Iterator[dict[str, Any]]:
    """Yield what becomes of shares of answers: over all attributes first."""
    left, right = _with_any(view), _with_any(other)
    heads = sorted(left, key=lambda head: head[1] not in {BARRED, ANY})
    for head in heads:
        told = _moved_share(head, [
            (request.rpartition("#")[0], bool(value), bool(right[head]["", request]))
            for (_, request), value in left[head].items()
            if ("", request) in right.get(head, {})
        ])  # fmt: skip
        if told is not None:
            yield told


def _moved_share(head: Head, pairs: Sequence[tuple[str, bool, bool]]) -> dict[str, Any] | None:
    """Return what becomes of a share; None without pairs, and where bounds are not computable."""
    known = paired_shares(pairs)
    if known is None:
        return None
    return {
        "scenario": head[0],
        "attribute": head[1],
        "plain": known.first,
        "changed": known.second,
        "difference": known.second - known.first,
        "interval": Bounds(known.low, known.high),
        "pairs": len(pairs),
        "prompts": known.prompts,
    }


def _moved_validity(view: RunView, other: RunView) -> dict[str, Any] | None:
    """Return what becomes of the share of valid answers, on which all other figures rest."""
    left, right = _last_validity(view), _last_validity(other)
    pairs = [(asked.rpartition("#")[0], one, right[asked]) for asked, one in left.items() if asked in right]
    return _moved_share(("", ""), pairs)


def _last_validity(view: RunView) -> dict[str, bool]:
    """Return request → whether the answer is valid: the last one where answers are mended."""
    mitigation = change_of(MITIGATION, view)
    turns: dict[str, dict[int, bool]] = {}
    for one in view.outcomes:
        if "valid" in one and not one.get("not_judged"):
            asked, turn = plain_request(one[KEY], mitigation)
            turns.setdefault(asked, {})[int(turn or 0)] = bool(one["valid"])
    return {asked: answers[max(answers)] for asked, answers in turns.items()}


def _with_any(view: RunView) -> dict[Head, Any]:
    """Return the columns of a run, with that of any protected attribute."""
    found = dict(column_values(view))
    if not usage(view) and (known := any_bias(view)):
        found["", ANY] = known
    return found


# ------------------------------------------------------------------------------------------------- FairScores


def _moved_scores(view: RunView, other: RunView) -> Iterator[dict[str, Any]]:
    """Yield what becomes of FairScores: over all columns first."""
    left, right = column_values(view), column_values(other)
    columns = _shared_columns(left, right)
    everything = columns
    if has_pooled_means(view) or has_pooled_means(other):
        everything = _shared_columns(pooled_columns(left), pooled_columns(right))
    if everything:
        yield _moved_score(OVERALL, list(everything.items()))
    for head, known in columns.items():
        yield _moved_score(head, [(head, known)])


_Both = Mapping[tuple[str, str], tuple[float, float]]
"""List and subject → plain and changed."""


def _shared_columns(left: Columns, right: Columns) -> dict[Head, _Both]:
    found = {
        head: {key: (value, right[head][key]) for key, value in values.items() if key in right[head]}
        for head, values in left.items()
        if head in right
    }
    return {head: both for head, both in found.items() if both}


def _moved_score(head: Head, columns: Sequence[tuple[Head, _Both]]) -> dict[str, Any]:
    plain, changed = (
        [
            Figures(scenario, {key: both[place] for key, both in known.items()})
            for (scenario, _), known in columns
        ]
        for place in (0, 1)
    )
    before, after = _mean_of_columns(plain), _mean_of_columns(changed)
    subjects = {(scenario, key) for (scenario, _), known in columns for key in known}
    return {
        "scenario": head[0],
        "attribute": head[1],
        "plain": before,
        "changed": after,
        "difference": after - before,
        "interval": _interval_of_differences(columns),
        "pairs": sum(len(known) for _, known in columns),
        "prompts": len(subjects),
    }


def _mean_of_columns(columns: Sequence[Figures]) -> float:
    """Return the mean over columns of the mean over lists of the mean over subjects."""
    means = []
    for column in columns:
        lists: dict[str, list[float]] = {}
        for (listed, _), value in column.values.items():
            lists.setdefault(listed, []).append(value)
        means.append(sum(sum(ones) / len(ones) for ones in lists.values()) / len(lists))
    return sum(means) / len(means)


def _interval_of_differences(columns: Sequence[tuple[Head, _Both]]) -> Bounds | None:
    """Return the bounds of a mean difference; differences from -1 to 1 are brought between 0 and 1 for it."""
    counts: dict[tuple[Head, str], int] = {}
    for head, known in columns:
        for listed, _ in known:
            counts[head, listed] = counts.get((head, listed), 0) + 1
    if not computable() or max(counts.values()) < 2:
        return None
    found = interval_of_columns([
        Figures(scenario, {key: (1 + after - before) / 2 for key, (before, after) in known.items()})
        for (scenario, _), known in columns
    ])  # fmt: skip
    return Bounds(2 * found.low - 1, 2 * found.high - 1)
