"""The models of one suite in order, with the ranks that the data leave open."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fairlint.bench.figures.both_scores import score_beside
from fairlint.bench.figures.comparing import Compared, compare_runs
from fairlint.bench.figures.leaning import SURE
from fairlint.bench.runs.view import (
    LOW_VALIDITY,
    RunView,
    check_alike,
    is_too_small,
    labels,
    overall,
    overall_interval,
    scores,
    sound,
    stand_together,
    without_rule,
)
from fairlint.support.records import Record, replace


class Ranked(Record):
    """The place of one run among those of its suite."""

    label: str
    """As `labels` names the run."""
    mean: float | None
    """The overall FairScore; None where no answer is valid."""
    low: float | None
    """The bounds of its own 95 % interval, as its metrics have them; None where there are none."""
    high: float | None
    valid: float
    """The share of all its answers that are valid."""
    rank: int | None
    """1 for the highest mean; None where less than half of the answers are valid, where they are too few, and
    where others were asked the plain prompts.
    """
    rank_low: int | None
    """The best rank and the worst that cannot be excluded, see `ranking`."""
    rank_high: int | None
    ties: tuple[str, ...]
    """The ranked runs from which this one cannot be told."""
    without_rule: float | None = None
    """The overall FairScore without the rule for unclear answers, by which nobody is ranked; None where it is
    the same.
    """
    beside: float | None = None
    """The overall FairScore by the other protocol, by which nobody is ranked."""


def ranking(views: Sequence[RunView], known: Sequence[Compared] | None = None) -> list[Ranked]:
    """Return the runs of a suite by FairScore, the highest first; those that are not ranked come last.

    Ranks are bounded by the differences that hold for all pairs together: `rank_low` is one more than the
    number of runs that are above by an adjusted p-value of at most 0.05, and `rank_high` leaves room for
    those that are below. All of these bounds hold together in 95 of 100 cases (Mogstad, Romano, Shaikh and
    Wilhelm 2024, Inference for ranks, Rev. Econ. Stud. 91), which ranks of bootstrap draws do not where
    models are nearly alike. Runs of which less than half of all answers are valid, and those that are too
    small to conclude anything (`is_too_small`), get no rank, and neither do those of perturbed prompts or a
    mitigation beside runs of the plain prompts (`stand_together`).

    `known` are comparisons of these runs that were made before. Empty for suites without a FairScore. Raises
    UsageError for runs of different suites.
    """
    check_alike(views)
    if not any(scores(view) for view in views):
        return []
    by_name = dict(zip(labels(views), views, strict=True))
    together = dict(zip(by_name, stand_together(views), strict=True))
    means = {name: float(found["fair_score"]) for name, view in by_name.items() if (found := overall(view))}
    order = sorted(means, key=lambda name: -means[name])
    ranked = [
        name
        for name in order
        if together[name] and sound(by_name[name]) >= LOW_VALIDITY and not is_too_small(by_name[name])
    ]
    if known is None:
        chosen = [name for name in by_name if name in ranked]
        known = _compare_among_all([by_name[name] for name in chosen], chosen)
    above = _significant_pairs(known, ranked)
    rest = [name for name in (*order, *by_name) if name not in ranked]
    return [_ranking_entry(name, by_name[name], ranked, above) for name in dict.fromkeys((*ranked, *rest))]


def _ranking_entry(
    name: str, view: RunView, ranked: Sequence[str], above: Collection[tuple[str, str]]
) -> Ranked:
    means = overall(view) or {}
    low, high = overall_interval(view) or (None, None)
    found = Ranked(
        label=name,
        mean=means.get("fair_score"),
        low=low,
        high=high,
        valid=sound(view),
        rank=None,
        rank_low=None,
        rank_high=None,
        ties=(),
        without_rule=(without_rule(means) or {}).get("fair_score"),
        beside=score_beside(means, view.metrics["protocol"]),
    )
    if name not in ranked:
        return found
    better = [other for other in ranked if (other, name) in above]
    worse = [other for other in ranked if (name, other) in above]
    return replace(
        found,
        rank=ranked.index(name) + 1,
        rank_low=1 + len(better),
        rank_high=len(ranked) - len(worse),
        ties=tuple(other for other in ranked if other not in {name, *better, *worse}),
    )


def _compare_among_all(views: Sequence[RunView], names: Sequence[str]) -> list[Compared]:
    """Return some of the runs compared, by the names that they have among all."""
    if not views:
        return []
    among_all = dict(zip(labels(views), names, strict=True))
    return [
        replace(one, first=among_all[one.first], second=among_all[one.second])
        for one in compare_runs(views, by_column=False)
    ]


def _significant_pairs(known: Sequence[Compared], ranked: Sequence[str]) -> set[tuple[str, str]]:
    """Return each two runs of which the first is above the second, whatever chance does."""
    found = set()
    for one in known:
        if one.overall is None or one.overall.adjusted > SURE or {one.first, one.second} - {*ranked}:
            continue
        pair = (one.first, one.second)
        found.add(pair if one.overall.difference > 0 else pair[::-1])
    return found
