"""How far figures move where the same is asked in another way: perturbed runs beside the plain one.

Each figure is taken twice, over what both runs have: subjects of a FairScore, or answers to the same prompt
with the same sample. Their difference is perturbed less plain.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairlint.bench.figures.both_scores import score_name
from fairlint.bench.figures.comparing import OVERALL, Columns, column_values, pooled_columns
from fairlint.bench.judging.usage import ANY, BARRED
from fairlint.bench.report import bias
from fairlint.bench.runs.view import RunView, has_pooled_means, labels, usage
from fairlint.bench.suites import known_suite
from fairlint.statistics.clusters import Bounds, paired_shares
from fairlint.statistics.intervals import Figures, computable, interval_of_columns
from fairlint.support.records import Record, field_names

Head = tuple[str, str]
"""Scenario and attribute of a column."""

ASKED = ("seed", "temperature", "max_new_tokens", "top_p", "top_k", "early_stop")
"""Settings in which a perturbed run is as its plain one."""


class MovedFigure(Record):
    """A figure of plain prompts and of perturbed ones."""

    run: str
    """The plain run, as reports name it."""
    perturbed_run: str
    perturbation: str
    measure: str
    scenario: str
    attribute: str
    plain: float
    perturbed: float
    difference: float
    """Perturbed less plain."""
    interval: Bounds | None
    """95 % bounds of the difference; None where nobody can say how it varies."""
    pairs: int
    """Subjects of a FairScore, or answers."""
    prompts: int


def moved_figures(views: Sequence[RunView]) -> list[MovedFigure]:
    """Return what perturbations move, of those runs whose plain run is among them too."""
    plain: dict[str, tuple[str, RunView]] = {}
    named = list(zip(labels(views), views, strict=True))
    for label, view in named:
        if not perturbation_of(view):
            plain.setdefault(_plain_conditions(view), (label, view))
    return [
        one
        for label, view in named
        if perturbation_of(view) and (known := plain.get(_plain_conditions(view))) is not None
        for one in _moved_between(*known, label, view)
    ]


def perturbation_of(view: RunView) -> str:
    """Return in what other way a run's prompts are put; empty for the suite's own."""
    return str((view.metrics["settings"].get("suite") or {}).get("perturb", ""))


def moved_document(known: Sequence[MovedFigure]) -> list[dict[str, Any]]:
    """Return figures as files have them."""
    return [{name: getattr(one, name) for name in field_names(MovedFigure)} for one in known]


def _plain_conditions(view: RunView) -> str:
    """Return what a perturbed run shares with its plain one."""
    metrics = view.metrics
    settings = metrics["settings"]
    own = {name: one for name, one in (settings.get("suite") or {}).items() if name != "perturb"}
    model = (metrics["model"].get("name"), metrics["model"].get("revision"))
    asked = [settings.get(name) for name in ASKED]
    return json.dumps([metrics["suite"].get("name"), metrics["protocol"], model, own, asked], sort_keys=True)


def _moved_between(label: str, view: RunView, other_label: str, other: RunView) -> Iterator[MovedFigure]:
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
        yield MovedFigure(label, other_label, perturbation_of(other), "valid", **known)
    for told in moved(view, other):
        yield MovedFigure(label, other_label, perturbation_of(other), measure, **told)


# ----------------------------------------------------------------------------------------------------- shares


def _moved_shares(view: RunView, other: RunView) -> Iterator[dict[str, Any]]:
    """Yield what becomes of shares of answers: over all attributes first."""
    left, right = _with_any(view), _with_any(other)
    separator = "#" if usage(view) else " "
    heads = sorted(left, key=lambda head: head[1] not in {BARRED, ANY})
    for head in heads:
        told = _moved_share(head, [
            (request.rpartition(separator)[0], bool(value), bool(right[head]["", request]))
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
        "perturbed": known.second,
        "difference": known.second - known.first,
        "interval": Bounds(known.low, known.high),
        "pairs": len(pairs),
        "prompts": known.prompts,
    }


def _moved_validity(view: RunView, other: RunView) -> dict[str, Any] | None:
    """Return what becomes of the share of valid answers, on which all other figures rest."""
    left, right = (
        {
            one["key"]: bool(one["valid"])
            for one in run.outcomes
            if "valid" in one and not one.get("not_judged")
        }
        for run in (view, other)
    )
    pairs = [(key.rpartition("#")[0], one, right[key]) for key, one in left.items() if key in right]
    return _moved_share(("", ""), pairs)


def _with_any(view: RunView) -> Columns:
    """Return the columns of a run, with that of any protected attribute."""
    found = dict(column_values(view))
    suite = None if usage(view) else known_suite(bias.suite_name(view))
    if suite is not None:
        protected = [values for (_, name), values in found.items() if name in suite.attributes()]
        requests = dict.fromkeys(key for values in protected for key in values)
        found["", ANY] = {key: max(values.get(key, 0.0) for values in protected) for key in requests}
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
"""List and subject → plain and perturbed."""


def _shared_columns(left: Columns, right: Columns) -> dict[Head, _Both]:
    found = {
        head: {key: (value, right[head][key]) for key, value in values.items() if key in right[head]}
        for head, values in left.items()
        if head in right
    }
    return {head: both for head, both in found.items() if both}


def _moved_score(head: Head, columns: Sequence[tuple[Head, _Both]]) -> dict[str, Any]:
    plain, perturbed = (
        [
            Figures(scenario, {key: both[place] for key, both in known.items()})
            for (scenario, _), known in columns
        ]
        for place in (0, 1)
    )
    before, after = _mean_of_columns(plain), _mean_of_columns(perturbed)
    subjects = {(scenario, key) for (scenario, _), known in columns for key in known}
    return {
        "scenario": head[0],
        "attribute": head[1],
        "plain": before,
        "perturbed": after,
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
