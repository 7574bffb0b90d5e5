"""Two runs side by side: the mean difference over what both were asked, and how likely chance makes it.

In a suite with a FairScore a pair is a subject that has one in both runs. The difference is a mean over a
list's subjects, over a column's lists and over columns, just as the figures themselves are averaged: of two
runs over the same subjects it is the difference of their FairScores. Over all columns a subject is one pair,
however many columns it stands in: its figures there are no independent ones. In a suite that counts uses
(`btm`) a pair is a request that both answered, and its value is 1 where the attribute moves a score or an
outcome. In one that measures bias a pair is a sample of a prompt, with whatever mitigation, and its value is
1 where the answer is biased by the attribute; over all, the mean over attributes. Tests take all answers to
a prompt as one: what differs by chance are prompts. Runs whose functions were run beside being read are
compared by what that shows, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

from fairlint.bench.figures.biased_answers import biased_answers, protected_names
from fairlint.bench.figures.both_scores import FAIR_SCORE, score_beside, score_names
from fairlint.bench.figures.executed import is_biased_by
from fairlint.bench.judging.usage import ANY, BARRED
from fairlint.bench.report import bias
from fairlint.bench.runs.view import (
    Pair,
    RunView,
    check_alike,
    columns,
    has_pooled_means,
    labels,
    level,
    overall,
    scores,
    unjudged_count,
    usage,
)
from fairlint.bench.suites.prompt_mitigations import asks_again
from fairlint.run_folders.jsonl import KEY
from fairlint.statistics.intervals import holm, p_values
from fairlint.support.errors import UsageError
from fairlint.support.records import Record, replace

IN_KEY = 4
"""Slashes in the key of a request, before its subject."""
OVERALL = ("", "overall")
"""The scenario and attribute of what is over all columns."""

EXECUTED = ("CBS by execution", "CBS by execution, of those shown")
"""Measures of runs whose functions were run: over all answers, and over those that show something in both."""
SHOWN_ALONE = EXECUTED[1]

_Head = tuple[str, str]
"""Scenario and attribute of a column."""
_Values = Mapping[tuple[str, str], float]
"""Of one column of one run: list and subject (or nothing and a request) → value."""
Columns = Mapping[_Head, _Values]
"""Column → what it holds of one run."""
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
    """Two-sided, of a paired permutation test over subjects or prompts."""
    subjects: int
    not_judged: tuple[int, int]
    """How many answers of each run were not judged: no pair has them."""
    beside: tuple[float | None, float | None] = (None, None)
    """The FairScores of both by the other protocol, over all that each was asked; nothing is tested by
    them.
    """
    adjusted: float = 1.0
    """The p-value by Holm: of `overall` over all pairs of runs, of a column over all columns of all pairs."""


class _Asked(Record):
    """What two runs were both asked, by column and over all, before anything is tested."""

    measure: str
    columns: Mapping[_Head, _Weighted]
    lost: Mapping[_Head, tuple[int, int]]
    overall: _Head
    everything: _Weighted
    lost_in_all: tuple[int, int]
    are_answers: bool = False
    """Whether pairs are single answers, of which one prompt has several."""


class Compared(Record):
    """Two runs side by side."""

    first: str
    """As reports name the run."""
    second: str
    measure: str
    """`FairScore (adjusted)` or `FairScore (published)`, as the runs' protocol has it; `used` where uses are
    counted, and `CBS` where bias is; one of EXECUTED.
    """
    columns: tuple[Column, ...]
    overall: Column | None
    """Over all columns; None where the runs share nothing."""


def compare_runs(views: Sequence[RunView], *, by_column: bool = True) -> list[Compared]:
    """Return each two of the runs; without `by_column` over all columns only.

    All tests of a column share their draws, so that 190 pairs of twenty runs take seconds. Raises UsageError
    for runs of different suites.
    """
    check_alike(views)
    named = list(zip(labels(views), views, strict=True))
    found = _compare_by(named, _column_reader(views), _shared_questions, by_column=by_column)
    tried = [(name, view) for name, view in named if view.metrics.get("executed")]
    if len(tried) > 1:
        for measure in EXECUTED:
            read = partial(_executed_columns, shown_alone=measure == SHOWN_ALONE)
            shared = partial(_shared_executions, measure)
            found += _compare_by(tried, read, shared, by_column=by_column)
    return found


def _compare_by(
    named: Sequence[tuple[str, RunView]],
    read: Callable[[RunView], Columns],
    shared: Callable[[RunView, Columns, RunView, Columns], _Asked],
    *,
    by_column: bool,
) -> list[Compared]:
    """Return each two of the runs by one measure; p-values are adjusted among these."""
    views = [view for _, view in named]
    names = [name for name, _ in named]
    known = [(view, read(view)) for view in views]
    asked = [shared(*first, *second) for first, second in combinations(known, 2)]
    are_answers = any(one.are_answers for one in asked)
    all_of_each = [(one.overall, one.everything, one.lost_in_all) for one in asked]
    wholes = _test_differences(all_of_each, are_answers=are_answers)
    heads = dict.fromkeys(head for one in asked for head in one.columns) if by_column else {}
    by_head: dict[_Head, list[Column | None]] = {}
    for head in heads:
        there = [(head, one.columns.get(head, {}), one.lost.get(head, (0, 0))) for one in asked]
        by_head[head] = _test_differences(there, are_answers=are_answers)
    wholes = _adjust_p_values(wholes)
    places = [(place, head) for head in heads for place in range(len(asked))]
    tested = iter(_adjust_p_values([by_head[head][place] for place, head in places]))
    found: list[list[Column]] = [[] for _ in asked]
    for place, _ in places:
        column = next(tested)
        if column is not None:
            found[place].append(column)
    return [
        Compared(
            first,
            second,
            one.measure,
            tuple(_with_scores_beside(row, *both) for row in rows),
            whole and _with_scores_beside(whole, *both),
        )
        for (first, second), both, one, rows, whole in zip(
            combinations(names, 2), combinations(views, 2), asked, found, wholes, strict=True
        )
    ]


def _with_scores_beside(column: Column, first: RunView, second: RunView) -> Column:
    """Return a column with what its runs have by the other protocol."""
    return replace(column, beside=(_score_beside(column, first), _score_beside(column, second)))


def _score_beside(column: Column, view: RunView) -> float | None:
    head = (column.scenario, column.attribute)
    rows = [one for one in scores(view) if (one["scenario"], one["attribute"]) == head]
    if head == OVERALL:
        rows = [overall(view) or {}]
    return score_beside(rows[0], view.metrics["protocol"]) if rows else None


def pairs(known: Sequence[Compared]) -> list[Pair]:
    """Return what a report shows of comparisons: of FairScores, over all columns."""
    return [
        Pair(
            one.first,
            one.second,
            one.overall.difference,
            one.overall.p_value,
            one.overall.subjects,
            one.overall.not_judged,
            one.overall.adjusted,
        )
        for one in known
        if one.overall is not None and one.measure.startswith(FAIR_SCORE)
    ]


def column_values(view: RunView) -> Columns:
    """Return scenario and attribute → list and subject, or nothing and a request → what it adds to the
    figure of that column.
    """
    return _column_reader([view])(view)


def _column_reader(views: Sequence[RunView]) -> Callable[[RunView], Columns]:
    """Return what reads the columns of each of the runs."""
    if any(usage(view) for view in views):
        return _usage_columns
    if any(view.metrics.get("bias") for view in views):
        return _bias_columns
    return _fair_scores


def _shared_questions(one: RunView, left: Columns, other: RunView, right: Columns) -> _Asked:
    if usage(one) or usage(other):
        return _shared_uses(one, left, other, right)
    if one.metrics.get("bias") or other.metrics.get("bias"):
        return _shared_biases(one, left, other, right)
    heads = columns([one, other])
    shared = _shared_columns(heads, left, right)
    if has_pooled_means(one) or has_pooled_means(other):
        attributes = list(dict.fromkeys(("", attribute) for _, attribute in heads))
        everything = _by_subject(_shared_columns(attributes, pooled_columns(left), pooled_columns(right)))
    else:
        everything = _by_subject(shared)
    lost = {head: (_unjudged_in_column(one, head), _unjudged_in_column(other, head)) for head in shared}
    measure = score_names(view.metrics["protocol"] for view in (one, other))[0]
    return _Asked(measure, shared, lost, OVERALL, everything, _lost_in_all(one, other))


def _shared_columns(heads: Sequence[_Head], left: Columns, right: Columns) -> dict[_Head, _Weighted]:
    found = {head: _pair_values(left.get(head, {}), right.get(head, {})) for head in heads}
    return {head: weighted for head, weighted in found.items() if weighted}


def pooled_columns(columns: Columns) -> Columns:
    """Return the columns of all scenarios as one an attribute."""
    found: dict[_Head, dict[tuple[str, str], float]] = {}
    for (_, attribute), values in columns.items():
        found.setdefault(("", attribute), {}).update(values)
    return found


def _unjudged_in_column(view: RunView, head: tuple[str, str]) -> int:
    """Return how many answers of a column were not judged."""
    return sum(unjudged_count(one) for one in scores(view) if (one["scenario"], one["attribute"]) == head)


def _lost_in_all(one: RunView, other: RunView) -> tuple[int, int]:
    return unjudged_count(one.metrics["answers"]), unjudged_count(other.metrics["answers"])


def _by_subject(columns: Mapping[_Head, _Weighted]) -> _Weighted:
    """Return the pairs of columns that weigh the same, as one a subject: its values are weighted means."""
    found: dict[tuple[str, ...], list[tuple[float, float, float]]] = {}
    for (scenario, _), weighted in columns.items():
        for key, (weight, left, right) in weighted.items():
            found.setdefault((scenario, *key), []).append((weight / len(columns), left, right))
    merged: dict[tuple[str, ...], tuple[float, float, float]] = {}
    for subject, known in found.items():
        total = math.fsum(weight for weight, _, _ in known)
        first = math.fsum(weight * left for weight, left, _ in known) / total
        second = math.fsum(weight * right for weight, _, right in known) / total
        merged[subject] = (total, first, second)
    return merged


def _fair_scores(view: RunView) -> Columns:
    """Return what the subjects of each column add to its FairScore."""
    found: dict[_Head, dict[tuple[str, str], float]] = {}
    for one in scores(view):
        known = found.setdefault((one["scenario"], one["attribute"]), {})
        for subject in one["subjects"]:
            value = level(subject)
            if value is not None:
                known[subject["list"], subject["subject"]] = value
    return found


def _pair_values(first: _Values, second: _Values) -> _Weighted:
    """Return the pairs that both have: all lists weigh the same, and within one all subjects."""
    both = [key for key in first if key in second]
    sizes: dict[str, int] = {}
    for listed, _ in both:
        sizes[listed] = sizes.get(listed, 0) + 1
    return {key: (1 / (len(sizes) * sizes[key[0]]), first[key], second[key]) for key in both}


def _test_differences(
    known: Sequence[tuple[_Head, _Weighted, tuple[int, int]]], *, are_answers: bool
) -> list[Column | None]:
    """Return the weighted means of each two runs and the test of their difference; None where they share
    nothing.

    Swapping the two of a pair, as the test does, turns the sign of its weighted difference. Answers to one
    prompt are alike, so that all pairs of a prompt are swapped together.
    """
    units = {key: _prompt_of(key) if are_answers else key for _, one, _ in known for key in one}
    places = {unit: place for place, unit in enumerate(dict.fromkeys(units.values()))}
    rows = []
    for _, weighted, _ in known:
        row = [0.0] * len(places)
        for key, (weight, left, right) in weighted.items():
            row[places[units[key]]] += weight * (left - right)
        rows.append(row)
    return [
        Column(
            *head,
            first=_clamped_mean(weight * left for weight, left, _ in weighted.values()),
            second=_clamped_mean(weight * right for weight, _, right in weighted.values()),
            difference=math.fsum(row),
            p_value=p_value,
            subjects=len(weighted),
            not_judged=lost,
        )
        if weighted
        else None
        for (head, weighted, lost), row, p_value in zip(known, rows, p_values(rows), strict=True)
    ]


def _prompt_of(key: tuple[str, ...]) -> tuple[str, ...]:
    """Return the key of a pair of answers without the sample."""
    prompt, mark, sample = key[-1].rpartition("#")
    return (*key[:-1], prompt if mark else sample)


def _clamped_mean(weighted: Iterable[float]) -> float:
    """Return a mean of estimates, which may be a little outside, between 0 and 1."""
    return max(0.0, min(1.0, math.fsum(weighted)))


def _adjust_p_values(known: Sequence[Column | None]) -> list[Column | None]:
    """Return the same with p-values that are adjusted for all of them."""
    adjusted = iter(holm([one.p_value for one in known if one is not None]))
    return [None if one is None else replace(one, adjusted=next(adjusted)) for one in known]


def _shared_uses(one: RunView, left: Columns, other: RunView, right: Columns) -> _Asked:
    return _shared_shares("used", (one, usage(one), left), (other, usage(other), right))


def _shared_executions(measure: str, one: RunView, left: Columns, other: RunView, right: Columns) -> _Asked:
    rows, others = one.metrics["executed"], other.metrics["executed"]
    return _shared_shares(measure, (one, rows, left), (other, others, right))


def _shared_shares(
    measure: str, first: tuple[RunView, Rows, Columns], second: tuple[RunView, Rows, Columns]
) -> _Asked:
    """Return what both were asked, of shares by attribute; over all it is what prompts bar, or any."""
    (one, rows, left), (other, others, right) = first, second
    shared = _shared_columns([("", figures["attribute"]) for figures in rows], left, right)
    whole = shared.pop(("", ANY), {})
    barred = shared.pop(("", BARRED), None)
    lost = {("", name): both for name, both in _unjudged_by_attribute(rows, others).items()}
    head = ("", ANY if barred is None else BARRED)
    return _Asked(measure, shared, lost, head, barred or whole, _lost_in_all(one, other), are_answers=True)


def _shared_biases(one: RunView, left: Columns, other: RunView, right: Columns) -> _Asked:
    """Return what both were asked: each sample of a prompt about the same data, whatever the mitigation. Over
    all are the protected attributes: columns that have nothing to do with the task are none.
    """
    shared = _shared_columns(list(left), left, right)
    names = protected_names(one)
    protected = {head: known for head, known in shared.items() if head[1] in names}
    lost = _lost_in_all(one, other)
    return _Asked(
        bias.report_of(one).measure,
        shared,
        dict.fromkeys(shared, lost),
        OVERALL,
        _by_subject(protected or shared),
        lost,
        are_answers=True,
    )


def _bias_columns(view: RunView) -> Columns:
    """Attribute → request → 1.0 where the answer that a conversation came to is biased by it."""
    found: dict[_Head, dict[tuple[str, str], float]] = {}
    for request, _, biased in biased_answers(view):
        for name, is_biased in biased.items():
            found.setdefault(("", name), {})["", request] = float(is_biased)
    return found


Rows = Sequence[Mapping[str, Any]]


def _unjudged_by_attribute(one: Rows, other: Rows) -> Mapping[str, tuple[int, int]]:
    """Attribute → how many answers of each run were not judged."""
    there = {told["attribute"]: unjudged_count(told) for told in other}
    return {told["attribute"]: (unjudged_count(told), there.get(told["attribute"], 0)) for told in one}


def _usage_columns(view: RunView) -> Columns:
    """Attribute → request → 1.0 where its answer uses the attribute; also for any of them.

    A request is the same whatever the mitigation, and of a conversation the last answer counts. Answers that
    were not judged are left out.
    """
    named = {BARRED: usage(view)[0].get("barred", ())}
    named |= {row["attribute"]: row["any_of"] for row in usage(view) if "any_of" in row}
    found: dict[_Head, dict[tuple[str, str], float]] = {}
    try:
        for asked, _, uses in _counted_uses(view):
            together = {ANY: any(uses.values())}
            for which, names in named.items():
                if names:
                    together[which] = any(uses.get(name) for name in names)
            for name, used in {**uses, **together}.items():
                found.setdefault(("", name), {})["", asked] = float(used)
    except (KeyError, TypeError, AttributeError):
        raise UsageError(f"{view.path}: its outcomes cannot be read: judge the run again") from None
    return found


def _executed_columns(view: RunView, *, shown_alone: bool) -> Columns:
    """Return attribute → request → 1.0 where an outcome changes with it; also for any, and for those that
    prompts bar. Answers of which execution shows nothing are 0, or left out.
    """
    heads = [row["attribute"] for row in view.metrics["executed"]]
    found: dict[_Head, dict[tuple[str, str], float]] = {}
    try:
        for asked, told, _ in _counted_uses(view):
            parts = {ANY: list(told["attributes"]), BARRED: list(told.get("barred", ()))}
            for head in heads:
                biased = is_biased_by(told, parts.get(head, [head]))
                if biased is not None or not shown_alone:
                    found.setdefault(("", head), {})["", asked] = float(bool(biased))
    except (KeyError, TypeError, AttributeError):
        raise UsageError(f"{view.path}: its outcomes cannot be read: judge the run again") from None
    return found


class _CountedUses(NamedTuple):
    """A judged answer that counts."""

    request: str
    outcome: Mapping[str, Any]
    uses: Mapping[str, bool]
    """Attribute → whether it is used."""


def _counted_uses(view: RunView) -> Iterator[_CountedUses]:
    """Yield each judged answer that counts."""
    mitigation = (view.metrics.get("settings", {}).get("suite") or {}).get("mitigation", "")
    for told in view.outcomes:
        if told.get("not_judged"):
            continue
        uses = {name: bool(usage["used"]) for name, usage in told["attributes"].items()}
        asked, turn = plain_request(told[KEY], mitigation)
        if asks_again(mitigation) and not turn and any(uses.values()):
            continue  # it is to be mended, and what comes of that counts
        yield _CountedUses(asked, told, uses)


class AskedTurn(NamedTuple):
    """A request as the plain run has it, and the turn that a key is of."""

    request: str
    turn: str


def plain_request(key: str, mitigation: str) -> AskedTurn:
    """Return a request's key without a run's mitigation and its turn, and the turn, empty for the first; see
    `requests.key_of`.
    """
    if not mitigation or key.count("/") < IN_KEY:
        return AskedTurn(key, "")
    *before, listed, subject = key.split("/", IN_KEY)
    subject, _, sample = subject.rpartition("#")
    sample, _, turn = sample.partition(".")
    listed = listed.removesuffix(mitigation).removesuffix(", ")
    return AskedTurn("/".join((*before, listed, f"{subject}#{sample}")), turn)
