"""What has to be said beside figures: notes and warnings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from fairlint.bench.figures.both_scores import score_name
from fairlint.bench.report.words import answer_count_text, name, number, percent, points, title, whole
from fairlint.bench.runs.view import (
    FORMATS,
    LOW_VALIDITY,
    RunView,
    count_answers,
    few_answers,
    is_too_small,
    labels,
    scores,
    smallest_difference,
    sound,
    sound_of,
    unjudged_answers,
    unjudged_count,
    usage,
)
from fairlint.bench.suites import known_suite

MANY_CUT = 0.1
"""The share of answers cut at the token limit from which on it is told."""

MADE_UP = 5
"""Values that are no groups of which a report tells what they get."""


def state(view: RunView) -> list[str]:
    """Return what has to be known of the answers before their figures: that some are not there, or
    were cut.
    """
    cut = view.metrics["answers"].get("cut") or 0.0
    told = f"{percent(cut)} of the answers were cut at the token limit." if cut >= MANY_CUT else ""
    return [
        one
        for one in (
            *(unfinished_note(view), unjudged_note(view), told, outdated_note(view)),
            *(singles(view), off_task_note(view), prompts_note(view)),
        )
        if one
    ]


def parsing(view: RunView) -> list[str]:
    """Return how many answers are Python as a whole, of suites that count uses."""
    first = usage(view)[0] if usage(view) else {}
    if first.get("answer_parses") is None:
        return []
    alone, together = percent(first["answer_parses"]), percent(first["parse_ok"])
    told = f"{alone} of the answers are Python as a whole once fences are off"
    return [f"{told}; together with their prompts, as the published notebook parses them, {together}."]


def outdated_note(view: RunView) -> str:
    """Return that figures are of an older form, which means something else; nothing where they are not."""
    if not scores(view) or view.metrics.get("format") == FORMATS[-1]:
        return ""
    return "These figures have an older form and depend on the number of answers: judge the run again."


def singles(view: RunView) -> str:
    """Return how many subjects are in no mean, as they have a single valid answer; nothing where all are."""
    left_out = sum(len(one["subjects"]) - one.get("counted", len(one["subjects"])) for one in scores(view))
    if not left_out:
        return ""
    were = (
        "row of a subject with a single valid answer is"
        if left_out == 1
        else ("rows of subjects with a single valid answer are")
    )
    return f"{whole(left_out)} {were} in no mean: nobody can say whether other answers would differ."


def prompts_note(view: RunView) -> str:
    """Return what is not known of the prompts that answers were given to, or is taken from names alone;
    nothing where all are known.
    """
    first: Mapping[str, Any] = next(iter(usage(view)), {})
    total, told = answer_count_text(first.get("answers", 0)), []
    if unknown := first.get("prompt_unknown"):
        told.append(
            f"Which attributes the prompts allow is not known: for {whole(unknown)} of {total} "
            f"the prompt is missing, or is not one of the suite’s own. So "
            f"both rates are shown: of any attribute, and of those that the suite’s own prompts bar."
        )
    if by_name := first.get("by_name"):
        told.append(
            f"{whole(by_name)} of {total} came without a prompt; the names of their "
            "subjects are those of the suite’s own prompts, and these are taken to have been asked."
        )
    return " ".join(told)


def off_task_note(view: RunView) -> str:
    """Return how many answers are none to the task, and what a figure is with and without them; nothing where
    there are none.
    """
    if usage(view):
        first = usage(view)[0]
        count, share = first.get("off_task") or 0, percent(first.get("used_on_task"))
        told = f"All shares count them. Of the other valid answers, {share} let {_whose(first)} decide."
    else:
        other = view.metrics.get("other") or {}
        exact = view.metrics if view.metrics["protocol"] == "exact" else other
        count = sum(one.get("off_task") or 0 for one in exact.get("scores") or ())
        told = f"{score_name('exact')} leaves them out"
        if (value := _score_with_off_task(exact)) is not None:
            told += f"; if they were refusals, it would be {number(value)}"
        told += f". {score_name('published')} counts them."
    if not count:
        return ""
    who = "1 answer is" if count == 1 else f"{whole(count)} answers are"
    return f"{who} no answer to the task: nothing that the prompt names is read. {told}"


def _score_with_off_task(exact: Mapping[str, Any]) -> float | None:
    """Return the FairScore if answers that are none to the task were refusals, also where there are no
    others; None where that is not known.
    """
    if overall := exact.get("overall"):
        return (overall.get("with_off_task") or {}).get("fair_score")
    means = [one["with_off_task"]["fair_score"] for one in exact["scores"] if one.get("with_off_task")]
    known = [value for value in means if value is not None]
    return sum(known) / len(known) if known else None


def _whose(rate: Mapping[str, Any]) -> str:
    """Return which attributes a rate counts, with an article."""
    return "a barred attribute" if rate.get("barred") else "an attribute"


def not_comparable(view: RunView) -> str:
    """Return why figures by the published protocol are no published ones: `not comparable: n = 2`; else
    nothing.
    """
    told = few(view)
    return f"not comparable: {told}" if told else ""


def few(view: RunView) -> str:
    """Return how many answers of a subject there are, where these are not as many as published figures rest
    on.
    """
    known = few_answers(view)
    if known is None:
        return ""
    return f"n = {known.least}" + (f" to {known.most}" if known.most > known.least else "")


def incomparable(view: RunView) -> str:
    """Return the same as a sentence."""
    known = few_answers(view)
    if known is None:
        return ""
    return (
        f"{title(not_comparable(view))}. FairScore (published) depends on the number of answers, "
        f"and published figures rest on {known.needed} of each subject."
    )


def unfinished_note(view: RunView) -> str:
    """Return how many answers are there, where some are not; else nothing."""
    asked, there = (int(view.metrics["answers"].get(which) or 0) for which in ("asked", "given"))
    told = f"This run is not finished: {whole(there)} of {whole(asked)} answers are there."
    return told if there < asked else ""


def unjudged_note(view: RunView) -> str:
    """Return how many answers were not judged, and of what causes; nothing where all were."""
    count = unjudged_count(view.metrics["answers"])
    if not count:
        return ""
    causes = [str(one["cause"]) for one in unjudged_answers(view)]
    told = ", ".join(f"{cause} {whole(causes.count(cause))}" for cause in dict.fromkeys(causes))
    was = "was" if count == 1 else "were"
    return (
        f"{whole(count)} of {answer_count_text(count_answers(view))} {was} not judged "
        f"({told}): no figure but the published "
        "extraction’s counts them."
    )


def unjudged_answer_text(one: Mapping[str, Any]) -> str:
    """Return an answer that was not judged, and why."""
    about = [name(str(one[field])) for field in ("subject", "scenario", "attribute") if one.get(field)]
    return (
        f"{', '.join(about)}, prompt {one['prompt']}, sample {one['sample']}: {one['cause']}: {one['reason']}"
    )


def unclear(view: RunView) -> list[str]:
    """Return what has to be said of answers that count with an entropy of 0 by rule and not by their points,
    and of points that are in no figure.
    """
    return [
        f"{title(one['scenario'])}, {name(one['attribute'])}: {told}"
        for one in scores(view)
        for told in (*_unclear_notes(one.get("unclear") or 0), *_made_up(one.get("made_up") or {}))
    ]


def _made_up(known: Mapping[str, float]) -> Iterator[str]:
    """Yield what values get that are no groups; the largest."""
    if known:
        top = sorted(known, key=lambda value: -abs(known[value]))[:MADE_UP]
        more = f" and {whole(len(known) - len(top))} more" if len(known) > len(top) else ""
        yield (
            f"answers give points to values of their own ({points({one: known[one] for one in top})}{more}), "
            "which are in no figure."
        )


def _unclear_notes(count: int) -> Iterator[str]:
    if not count:
        return
    who, does = ("1 answer decides", "counts") if count == 1 else (f"{whole(count)} answers decide", "count")
    yield f"{who} by the attribute without giving its groups points and {does} with an entropy of 0."


def notes(view: RunView) -> list[str]:
    """Return what the backend had to say about its answers."""
    found = view.metrics.get("notes")
    return [str(one) for one in found] if isinstance(found, list | tuple) else []


def small_run_note(view: RunView) -> str:
    """Return that nothing can be concluded from a run, and why; nothing where it is large enough."""
    if not is_too_small(view):
        return ""
    least = smallest_difference(view) or 1.0
    seen = "any difference" if least >= 1 else f"a difference of less than {least:.2f}"
    return (
        f"{answer_count_text(count_answers(view))}: nothing can be concluded. Two runs of this size would "
        f"not show {seen}."
    )


def tokens(view: RunView, prices: tuple[float, float] | None = None) -> str | None:
    """Return the tokens of a run and, by the prices of a million read and a million written, what they cost.

    None where nobody counted them and nobody asks for the cost. What came from an answer cache cost nothing.
    """
    if costs := view.metrics.get("costs"):
        prices = prices or (costs["read"], costs["written"])
    answers = view.metrics["answers"]
    shared = answers.get("cached") or {}
    whole = [int(answers.get(which) or 0) for which in ("prompt_tokens", "new_tokens")]
    said = f"{shared['answers']:,} of {shared['of']:,} answers from the cache; " if shared else ""
    if not any(whole):
        return f"{said}tokens: not known, and so no cost" if said or prices else None
    free = [int(shared.get(which) or 0) for which in ("prompt_tokens", "new_tokens")]
    read, written = (count - less for count, less in zip(whole, free, strict=True))
    told = f"{said}tokens: {read:,} read, {written:,} written"
    if prices is None:
        return told
    return f"{told}; cost {_money_text((read * prices[0] + written * prices[1]) / 1e6)}"


def _money_text(value: float) -> str:
    """Return two digits after the point, and more where these would hide a small amount."""
    digits = 2 if value == 0 or value >= 0.1 else 1 - math.floor(math.log10(value))
    return f"{value:,.{digits}f}"


def warnings(view: RunView, label: str | None = None, *, several: bool = False) -> list[str]:
    """Return what has to be said before any figure: of all answers, or of columns with few valid ones. Where
    `several` runs are told of, each sentence names its own.
    """
    told = warning(view, label)
    if told:
        return [told]
    return [f"{label}: {one[0].lower()}{one[1:]}" if several else one for one in _low_columns(view)]


def _low_columns(view: RunView) -> Iterator[str]:
    known = [one for one in scores(view) if sound_of(one, one["answers"]) < LOW_VALIDITY]
    if known:
        listed = "; ".join(
            f"{name(one['scenario'])}, {name(one['attribute'])} {percent(sound_of(one, one['answers']))}"
            for one in known
        )
        yield f"Less than half of the answers are valid in some columns, which say little: {listed}."


def warning(view: RunView, label: str | None = None) -> str | None:
    """Return what has to be said of all answers before any figure; None where all is well."""
    who = labels([view])[0] if label is None else label
    share = sound(view)
    if share >= LOW_VALIDITY:
        return None
    if not count_answers(view):
        return f"{who} has given no answers yet."
    if not share:
        return f"None of the answers of {who} is valid, so there are no figures to rely on."
    return f"Only {percent(share)} of the answers of {who} are valid. {_invalid_answers_note(view)}"


def _of_valid(view: RunView) -> str:
    share = usage(view)[0].get("used_of_valid")
    return f"{percent(share)} let an attribute decide"


def _invalid_answers_note(view: RunView) -> str:
    """Return what answers that are not valid do to the figures."""
    suite = str(view.metrics["suite"].get("name"))
    if usage(view):
        return (
            "The others count as well, and seldom as a use, so that the shares of what is read and used are "
            f"too low: of the valid answers alone {_of_valid(view)}. The published rate takes a mention in "
            "the prompt for a use, whatever the answer."
        )
    found = known_suite(suite)
    if found is not None and found.report is not None and found.report.invalid_note:
        return found.report.invalid_note
    if view.metrics["protocol"] == "published" and scores(view):
        return (
            "By the published protocol an answer that holds no code counts as a refusal, and so as fair: the "
            "figures below are too good."
        )
    return "The figures below rest on these few."
