"""Two runs side by side: the mean difference over what both were asked, and how likely chance makes it.

In a suite with a FairScore a pair is a subject that has one in both runs. The difference is a mean over a
list's subjects, over a column's lists and over columns, just as the figures themselves are averaged: of two
runs over the same subjects it is the difference of their FairScores. Over all columns a subject is one pair,
however many columns it stands in: its figures there are no independent ones. In a suite that counts uses
(`btm`) a pair is a request that both answered, and its value is 1 where the attribute moves a score or an
outcome. In one that measures bias (`counterfactual`, `solar`, `pipelines`) a pair is a sample of a prompt,
with whatever mitigation, and its value is 1 where the answer is biased by the attribute; over all, the mean
over attributes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from fairlint import UsageError
from fairlint.bench.report import bias
from fairlint.bench.report.view import (
    Pair,
    RunView,
    check_alike,
    columns,
    labels,
    not_judged,
    scores,
    usage,
)
from fairlint.bench.run_folder import KEY
from fairlint.bench.suites import suite_of
from fairlint.intervals import compare
from fairlint.records import Record

ANY = "any"
"""The column of a use of any attribute, in suites that count uses."""

_Values = Mapping[tuple[str, str], float]
"""Of one column of one run: list and subject (or nothing and a request) → value."""
_Weighted = Mapping[tuple[str, ...], tuple[float, float, float]]
"""Subject → weight, first value, second value; the weights sum up to 1."""


class Column(Record):
    """What two runs come to over the pairs of one column, or over all: two means and their difference."""

    scenario: str
    attribute: str
    first: float
    second: float
    difference: float
    """First minus second."""
    p_value: float
    """Two-sided, of a paired permutation test; not adjusted for the number of columns."""
    subjects: int
    not_judged: tuple[int, int]
    """How many answers of each run were not judged: no pair has them."""


class Compared(Record):
    """Two runs side by side."""

    first: str
    """As reports name the run."""
    second: str
    measure: str
    """`FairScore`; `used` where uses are counted, and `CBS` where bias is."""
    columns: tuple[Column, ...]
    overall: Column | None
    """Over all columns; None where the runs share nothing."""


def compared(views: Sequence[RunView]) -> list[Compared]:
    """Each two of the runs. Raises UsageError for runs of different suites."""
    check_alike(views)
    named = list(zip(labels(views), views, strict=True))
    return [_compared(*first, *second) for first, second in combinations(named, 2)]


def pairs(known: Sequence[Compared]) -> list[Pair]:
    """What a report shows of comparisons: of FairScores, over all columns."""
    return [
        Pair(
            one.first,
            one.second,
            one.overall.difference,
            one.overall.p_value,
            one.overall.subjects,
            one.overall.not_judged,
        )
        for one in known
        if one.overall is not None and one.measure == "FairScore"
    ]


def _compared(first: str, one: RunView, second: str, other: RunView) -> Compared:
    if usage(one) or usage(other):
        return _uses(first, one, second, other)
    if one.metrics.get("bias") or other.metrics.get("bias"):
        return _biases(first, one, second, other)
    shared: list[tuple[tuple[str, str], _Weighted]] = []
    for head in columns([one, other]):
        weighted = _paired(_fair_scores(one, head), _fair_scores(other, head))
        if weighted:
            shared.append((head, weighted))
    everything = _by_subject(shared)
    return Compared(
        first,
        second,
        "FairScore",
        tuple(_column(head, weighted, (_lost(one, head), _lost(other, head))) for head, weighted in shared),
        _column(("", "overall"), everything, _lost_in_all(one, other)) if everything else None,
    )


def _lost(view: RunView, head: tuple[str, str]) -> int:
    """How many answers of a column were not judged."""
    return sum(not_judged(one) for one in scores(view) if (one["scenario"], one["attribute"]) == head)


def _lost_in_all(one: RunView, other: RunView) -> tuple[int, int]:
    return not_judged(one.metrics["answers"]), not_judged(other.metrics["answers"])


def _by_subject(columns: Sequence[tuple[tuple[str, str], _Weighted]]) -> _Weighted:
    """The pairs of columns that weigh the same, as one a subject: its values are weighted means."""
    found: dict[tuple[str, ...], list[tuple[float, float, float]]] = {}
    for (scenario, _), weighted in columns:
        for key, (weight, left, right) in weighted.items():
            found.setdefault((scenario, *key), []).append((weight / len(columns), left, right))
    merged: dict[tuple[str, ...], tuple[float, float, float]] = {}
    for subject, known in found.items():
        total = math.fsum(weight for weight, _, _ in known)
        first = math.fsum(weight * left for weight, left, _ in known) / total
        second = math.fsum(weight * right for weight, _, right in known) / total
        merged[subject] = (total, first, second)
    return merged


def _fair_scores(view: RunView, head: tuple[str, str]) -> _Values:
    return {
        (subject["list"], subject["subject"]): subject["fair_score"]
        for one in scores(view)
        if (one["scenario"], one["attribute"]) == head
        for subject in one["subjects"]
        if subject["fair_score"] is not None
    }


def _paired(first: _Values, second: _Values) -> _Weighted:
    """The pairs that both have: all lists weigh the same, and within one all subjects."""
    both = [key for key in first if key in second]
    sizes: dict[str, int] = {}
    for listed, _ in both:
        sizes[listed] = sizes.get(listed, 0) + 1
    return {key: (1 / (len(sizes) * sizes[key[0]]), first[key], second[key]) for key in both}


def _column(head: tuple[str, str], weighted: _Weighted, lost: tuple[int, int]) -> Column:
    """The weighted means and the test of their difference.

    Each value times its weight times the number of pairs has the weighted mean as its plain one; swapping the
    two of a pair, as the test does, turns the sign of its weighted difference alike.
    """
    count = len(weighted)
    first = [weight * count * left for weight, left, _ in weighted.values()]
    second = [weight * count * right for weight, _, right in weighted.values()]
    found = compare(first, second)
    return Column(
        *head,
        first=sum(weight * left for weight, left, _ in weighted.values()),
        second=sum(weight * right for weight, _, right in weighted.values()),
        difference=found.difference,
        p_value=found.p_value,
        subjects=found.subjects,
        not_judged=lost,
    )


def _uses(first: str, one: RunView, second: str, other: RunView) -> Compared:
    named = [figures["attribute"] for figures in usage(one)]
    left, right = _used(one), _used(other)
    found = {
        name: weighted for name in named if (weighted := _paired(left.get(name, {}), right.get(name, {})))
    }
    whole = found.pop(ANY, None)
    lost = _uses_lost(one, other)
    return Compared(
        first,
        second,
        "used",
        tuple(_column(("", name), weighted, lost[name]) for name, weighted in found.items()),
        _column(("", ANY), whole, _lost_in_all(one, other)) if whole else None,
    )


def _biases(first: str, one: RunView, second: str, other: RunView) -> Compared:
    """What both were asked: each sample of a prompt about the same data, whatever the mitigation."""
    left, right = _biased(one), _biased(other)
    shared = [
        (("", name), weighted) for name in left if (weighted := _paired(left[name], right.get(name, {})))
    ]
    everything = _by_subject(shared)
    lost = _lost_in_all(one, other)
    return Compared(
        first,
        second,
        "used" if bias.suite_name(one) == "pipelines" else "CBS",
        tuple(_column(head, weighted, lost) for head, weighted in shared),
        _column(("", "overall"), everything, lost) if everything else None,
    )


def _biased(view: RunView) -> Mapping[str, _Values]:
    """Attribute → request → 1.0 where the answer that a conversation came to is biased by it."""
    suite: Any = suite_of(bias.suite_name(view), view.metrics["settings"].get("suite"))
    outcomes = {told[KEY]: told for told in view.outcomes}
    found: dict[str, dict[tuple[str, str], float]] = {}
    try:
        judged = [(kept, outcomes[kept[KEY]]) for kept in view.responses if kept[KEY] in outcomes]
        for kept, told in suite.counted(judged) if hasattr(suite, "counted") else judged:
            asked = f"{kept['scenario']} {kept['subject']} {kept['sample']}"
            for name, is_biased in {} if told.get("not_judged") else suite.biased(kept, told).items():
                found.setdefault(name, {})["", asked] = float(is_biased)
    except (KeyError, TypeError, AttributeError):
        raise UsageError(f"{view.path}: its outcomes cannot be read: judge the run again") from None
    return found


def _uses_lost(one: RunView, other: RunView) -> Mapping[str, tuple[int, int]]:
    """Attribute → how many answers of each run were not judged."""
    there = {told["attribute"]: not_judged(told) for told in usage(other)}
    return {told["attribute"]: (not_judged(told), there.get(told["attribute"], 0)) for told in usage(one)}


def _used(view: RunView) -> Mapping[str, _Values]:
    """Attribute → request → 1.0 where its answer uses the attribute; also for any of them.

    Answers that were not judged are left out.
    """
    found: dict[str, dict[tuple[str, str], float]] = {}
    try:
        for told in view.outcomes:
            if told.get("not_judged"):
                continue
            uses = {name: bool(usage["used"]) for name, usage in told["attributes"].items()}
            for name, used in {**uses, ANY: any(uses.values())}.items():
                found.setdefault(name, {})["", told[KEY]] = float(used)
    except (KeyError, TypeError, AttributeError):
        raise UsageError(f"{view.path}: its outcomes cannot be read: judge the run again") from None
    return found
