"""What came out of a run, or of several, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fairlint.bench.figures.both_scores import BESIDE, score_beside, score_by, score_name, score_names
from fairlint.bench.figures.leaning import SURE
from fairlint.bench.report.run_notes import not_comparable, small_run_note
from fairlint.bench.report.words import (
    answer_count_text,
    name,
    number,
    percent,
    span,
    span_percent,
    whole,
    wording,
)
from fairlint.bench.runs.view import (
    LOW_VALIDITY,
    Pair,
    RunView,
    barred_by_suite,
    count_answers,
    interval,
    is_sure,
    is_too_small,
    labels,
    overall,
    overall_interval,
    scores,
    sound,
    stand_together,
    unjudged_count,
    usage,
    usage_share,
    without_rule,
)

FEW = "No verdict: fewer than two of the models gave enough valid answers to conclude anything."

MANY = 5
"""So many models are named in a sentence, and of more their number."""


def sure_columns(view: RunView) -> list[Mapping[str, Any]]:
    """Return the columns in which a preference is sure."""
    return [one for one in scores(view) if is_sure(one) and one["strength"]]


def strongest(view: RunView) -> Mapping[str, Any] | None:
    """Return the column with the strongest preference of those that are sure, the first of several."""
    known = sure_columns(view)
    return max(known, key=lambda one: one["strength"]) if known else None


def verdict(view: RunView, label: str | None = None) -> str:
    """Return what came out, in one sentence, with how sure that is.

    It names a group only where that is one of the attribute's own and `is_sure`.
    """
    who = labels([view])[0] if label is None else label
    if usage(view):
        return _usage_verdict(view, who)
    means = overall(view)
    if means is None:
        return f"No verdict on {who}: none of its {answer_count_text(count_answers(view))} is valid."
    score = f"{number(means['fair_score'])}{_interval_in_brackets(overall_interval(view))}"
    if (plain := without_rule(means)) is not None:
        beside = f"{number(plain['fair_score'])}{_interval_in_brackets(interval(plain))}"
        score = f"{score} with fairlint’s rule for unclear answers and {beside} without it"
    first, second = f"a {score_name(view.metrics['protocol'])} of {score}", _beside_text(view)
    if sound(view) < LOW_VALIDITY:
        return (
            f"No verdict on {who}: only {percent(sound(view))} of its answers are valid, so {first}"
            f"{second} {'say' if second else 'says'} little about it."
        )
    if (small := small_run_note(view)) and strongest(view) is None:
        return f"{small} {who} comes to {first}{second}."
    share = percent(usage_share(view))
    return (
        f"{who} reaches {first}, where 1 is no preference at all{second and ','}{second}: "
        f"{share} of its answers {wording(view).used}{_leaning_text(view)}."
    )


def _beside_text(view: RunView) -> str:
    """Return the FairScore that stands beside the leading one; nothing where it is not known."""
    protocol = BESIDE[view.metrics["protocol"]]
    value = score_by(overall(view), protocol)
    if value is None:
        return ""
    few = not_comparable(view) if protocol == "published" else ""
    return f" and a {score_name(protocol)} of {number(value)}{few and f' ({few})'}"


def _leaning_text(view: RunView) -> str:
    """Return whom the model favours, and on what that rests; nothing where chance could do as much."""
    best = strongest(view)
    if best is None:
        return ""
    known = best["leaning"]
    both = known["ahead"] + known["behind"]
    return (
        f", most strongly in favour of “{name(known['group'])}” by {name(best['attribute'])} in "
        f"{name(best['scenario'])} (ahead of “{name(known['against'])}” for {whole(known['ahead'])} of "
        f"{whole(both)} {wording(view).subjects}, 95 % interval {span_percent(known['interval'])}, from "
        f"{whole(known['answers'])} valid answers)"
    )


def standing_of(views: Sequence[RunView], names: Sequence[str], pairs: Sequence[Pair]) -> str:
    """Return which of some runs, of those with enough valid answers, are the highest and the lowest."""
    known = [
        Standing(
            who,
            float(means["fair_score"]),
            overall_interval(view),
            score_beside(means, view.metrics["protocol"]),
        )
        for view, who, is_alike in zip(views, names, stand_together(views), strict=True)
        if is_alike and (means := overall(view)) and sound(view) >= LOW_VALIDITY and not is_too_small(view)
    ]
    if len(known) < 2:
        return FEW
    ruled = any(without_rule(overall(view)) for view in views)
    rule = " This goes by fairlint’s rule for unclear answers." if ruled else ""
    protocols = [view.metrics["protocol"] for view in views]
    return f"{standing(known, pairs, score_names(protocols))}{rule}"


class Standing(NamedTuple):
    """A run with both its FairScores, the leading one with its bounds."""

    who: str
    score: float
    bounds: Sequence[float] | None
    beside: float | None


def standing(known: Sequence[Standing], pairs: Sequence[Pair], titles: Sequence[str]) -> str:
    """Return which of several models, given with both FairScores, are the highest and the lowest by the
    first, whose title and the other's are `titles`.

    Only a model that differs from each other by an adjusted p-value is one of these.
    """
    apart = {
        (one.first, one.second) if one.difference > 0 else (one.second, one.first)
        for one in pairs
        if one.adjusted is not None and one.adjusted <= SURE
    }
    names = [one.who for one in known]
    told = {one.who: _standing_text(one, *titles) for one in known}
    highest = [who for who in names if all((who, other) in apart for other in names if other != who)]
    lowest = [who for who in names if all((other, who) in apart for other in names if other != who)]
    if not pairs:
        listed = ", ".join(told[who] for who in _first_names(names))
        return f"{listed}{_remainder_text(names)}. Whether they differ was not tested."
    if highest and lowest:
        first, last = told[highest[0]], told[lowest[0]]
        return f"{first} scores highest and {last} lowest, where 1 is no preference at all."
    if highest:
        return (
            f"{told[highest[0]]} scores highest, where 1 is no preference at all; no model is clearly lowest."
        )
    if lowest:
        return (
            f"{told[lowest[0]]} scores lowest, where 1 is no preference at all; no model is clearly highest."
        )
    best = max(known, key=lambda one: one.score).who
    level = [who for who in names if who != best and (best, who) not in apart]
    return (
        f"No model is clearly highest, and none lowest: {told[best]} cannot be distinguished from "
        f"{_list_names(level)}{_remainder_text(level)}, where 1 is no preference at all."
    )


def _standing_text(one: Standing, title: str, title_beside: str) -> str:
    beside = "" if one.beside is None else f"; {title_beside} {number(one.beside)}"
    return f"{one.who} ({title} {number(one.score)}{_interval_suffix(one.bounds)}{beside})"


def usage_standing(views: Sequence[RunView], names: Sequence[str]) -> str:
    """In how many answers of some runs an attribute decides, each with its bounds and none as the most."""
    rates = [
        (usage(view)[0], who)
        for view, who in zip(views, names, strict=True)
        if usage(view) and sound(view) >= LOW_VALIDITY and not is_too_small(view)
    ]
    known = [
        f"{percent(one['used'])}{_sure_share(one.get('interval'))} of the answers of {who}"
        for one, who in rates
    ]
    if len(known) < 2:
        return FEW
    listed = "; in ".join(_first_names(known))
    every = all(usage(view)[0].get("barred") for view in views if usage(view))
    which = "An attribute that the prompts bar" if every else "A protected or related attribute"
    return f"{which} decides in {listed}{_remainder_text(known)}."


def _sure_share(bounds: Sequence[float] | None) -> str:
    return f" (95 % interval {span_percent(bounds)})" if bounds else ""


def _first_names(names: Sequence[str]) -> Sequence[str]:
    return names[:MANY]


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(_first_names(names))


def _remainder_text(names: Sequence[str]) -> str:
    left = len(names) - len(_first_names(names))
    return f" and {whole(left)} more" if left else ""


def _interval_suffix(bounds: Sequence[float] | None) -> str:
    return f", 95 % interval {span(bounds)}" if bounds else ""


def _usage_verdict(view: RunView, who: str) -> str:
    first = usage(view)[0]
    bounds = _sure_share(first.get("interval"))
    counted = (
        f"{percent(first['used'])} of {answer_count_text(first['answers'] - unjudged_count(first))}{bounds}"
    )
    published = (
        f"the published way of counting, which takes a mention for a use, says {percent(first['published'])}"
    )
    which = "a protected or related attribute"
    if barred := first.get("barred"):
        which = f"an attribute that the prompts bar ({', '.join(map(name, barred))})"
        counted += f", and any, with those that they allow, in {percent(usage(view)[1]['used'])}"
    elif (beside := barred_by_suite(view)) is not None:
        counted += f", and {beside['attribute']} in {percent(beside['used'])}"
    if sound(view) < LOW_VALIDITY:
        return (
            f"No verdict on {who}: only {percent(sound(view))} of its answers are valid; {which} "
            f"decides in {counted}; {published}."
        )
    if small := small_run_note(view):
        return f"{small} {who}: {which} decides in {counted}; {published}."
    return f"{who} lets {which} decide in {counted}; {published}."


def _interval_in_brackets(bounds: Sequence[float] | None) -> str:
    return f" (95 % interval {span(bounds)})" if bounds else ""
