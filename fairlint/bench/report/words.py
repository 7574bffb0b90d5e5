"""Numbers, names and sentences as all reports write them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairlint.bench.figures.leaning import SURE
from fairlint.bench.runs.view import (
    FORMATS,
    LOW_VALIDITY,
    Pair,
    RunView,
    count_answers,
    few_answers,
    interval,
    is_sure,
    labels,
    overall,
    overall_interval,
    scores,
    sound,
    sound_of,
    unjudged_answers,
    unjudged_count,
    usage,
    usage_share,
    without_rule,
)
from fairlint.bench.suites import known_suite
from fairlint.support.records import Record

MANY_CUT = 0.1
"""The share of answers cut at the token limit from which on it is told."""
ROUNDING = 1e-9
"""A strength below this comes from rounding alone."""

FEW = "No verdict: fewer than two of the models gave enough valid answers."

MISSING = "–"
"""What stands where there is no figure."""

MANY = 5
"""So many models are named in a sentence, and of more their number."""

MADE_UP = 5
"""Values that are no groups of which a report tells what they get."""

SCENARIOS = {"job": "job hiring", "college": "college admission", "medical": "medical care"}
NAMES = {"phd": "PhD"}


class Wording(Record):
    """How the figures of a kind of suite are put into words."""

    used: str
    """What the share `used` of its answers do."""
    used_short: str
    refusal: str
    """What a refusal is."""
    preferred: str
    """What the preferred group has."""
    subjects: str
    """What it is asked about."""


FUNCTIONS = Wording(
    used="treat people by a protected attribute",
    used_short="Attribute used",
    refusal="code that treats all alike",
    preferred="gets more for most subjects",
    subjects="subjects",
)
TEST_CASES = Wording(
    used="are test cases that give a person’s group",
    used_short="Group given",
    refusal="test cases that leave it out",
    preferred="occurs in more test cases for most topics",
    subjects="topics",
)


def wording(view: RunView) -> Wording:
    """The words for a run's suite."""
    return TEST_CASES if str(view.metrics["suite"].get("name")).endswith(":testcase") else FUNCTIONS


def name(text: str) -> str:
    """An attribute, group or scenario as people write it.

    >>> name("parents_income")
    'parents income'
    """
    return SCENARIOS.get(text, NAMES.get(text, text.replace("_", " ")))


def title(text: str) -> str:
    """The same as the head of something."""
    told = name(text)
    return told[:1].upper() + told[1:]


def number(value: float | None, digits: int = 2) -> str:
    """A figure with so many digits after the point; it does not become 0 or 1 by being shortened.

    >>> number(0.126), number(0.997), number(1.0), number(0.001)
    ('0.13', '>0.99', '1.00', '<0.01')
    """
    if value is None:
        return MISSING
    told, least = f"{value:.{digits}f}", 10**-digits
    if float(told) == 1 and value < 1 - ROUNDING:
        return f">{1 - least:.{digits}f}"
    return f"<{least:.{digits}f}" if float(told) == 0 and value > ROUNDING else told


def whole(value: int) -> str:
    """A count, in groups of three digits."""
    return f"{value:,}".replace(",", "\u202f")


def percent(value: float | None) -> str:
    """A share in per cent: whole, with one digit where it would look like none or all but is not.

    >>> percent(0.123), percent(0.004), percent(0.999), percent(1.0)
    ('12 %', '0.4 %', '99.9 %', '100 %')
    """
    if value is None:
        return MISSING
    whole = f"{value * 100:.0f}"
    if (whole == "0" and value > 0) or (whole == "100" and value < 1):
        whole = "<0.1" if value < 0.0005 else ">99.9" if value >= 0.9995 else f"{value * 100:.1f}"
    return f"{whole} %"


def span(bounds: Sequence[float] | None, digits: int = 2) -> str:
    """The bounds of an interval."""
    if not bounds:
        return MISSING
    return f"{number(bounds[0], digits)} to {number(bounds[1], digits)}"


def span_percent(bounds: Sequence[float] | None) -> str:
    """The bounds of an interval of shares."""
    return MISSING if not bounds else f"{percent(bounds[0])} to {percent(bounds[1])}"


def amount(value: float) -> str:
    """Points: as few digits as tell them.

    >>> amount(10.0), amount(-2.5), amount(0.1 + 0.2), amount(1e300)
    ('10', '−2.5', '0.3', '1e+300')
    """
    if abs(value) >= 1e15:
        return f"{value:.3g}".replace("-", "−")
    told = f"{round(value, 2):,.2f}".rstrip("0").rstrip(".").replace(",", " ")
    return "0" if told in {"0", "-0"} else told.replace("-", "−")


def points(by_group: Mapping[str, float]) -> str:
    """Points by group in one line."""
    return ", ".join(f"{name(group)} {amount(value)}" for group, value in by_group.items()) or MISSING


def preference_word(one: Mapping[str, Any]) -> str:
    """Whom a column or a subject prefers: a group, nobody, several alike, or nobody can say whom."""
    if one["preferred"]:
        is_code = str(one["preferred"]).isdecimal()
        return f"code {one['preferred']}" if is_code else name(one["preferred"])
    if "strength" in one and one["strength"] is None:
        return MISSING
    if (one.get("strength") or 0.0) < ROUNDING or "points" not in one:
        return "nobody"
    return "unclear" if one.get("unclear") or not any(one["points"].values()) else "several"


def preference(one: Mapping[str, Any]) -> str:
    """Whom a column prefers, as in `favoured`, with a question mark where chance could do as much."""
    unsure = one["preferred"] and "leaning" in one and not is_sure(one)
    return f"{preference_word(one)}?" if unsure else preference_word(one)


UNSURE = "“?”: chance alone could prefer the group as much, or there are too few valid answers to tell."
RULE = (
    "Answers that decide by the attribute without giving its groups points count with an entropy of 0 by "
    "fairlint’s rule, and as refusals without it, as in the paper."
)


def runs_count_text(views: Sequence[RunView]) -> str:
    """`4 models`, or `4 runs` where some are of one model."""
    models = {str(view.metrics["model"].get("name", "?")) for view in views}
    return f"{len(views)} {'models' if len(models) == len(views) else 'runs'}"


def difference(value: float) -> str:
    """A difference of two scores, with its sign.

    >>> difference(-0.0104), difference(0.25)
    ('−0.010', '+0.250')
    """
    return f"{value:+.3f}".replace("-", "−")


def both(counts: Sequence[int]) -> str:
    """The counts of two runs.

    >>> both((2, 1)), both((0, 0))
    ('2 and 1', '0')
    """
    return " and ".join(map(whole, counts)) if any(counts) else "0"


def p_value(value: float) -> str:
    """A p-value.

    >>> p_value(0.00002), p_value(0.034)
    ('< 0.001', '0.034')
    """
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def setting_text(value: Any) -> str:
    """A setting as people read it."""
    match value:
        case None | "" | []:
            return "not set"
        case True:
            return "yes"
        case False:
            return "no"
        case list():
            return ", ".join(name(str(one)) for one in value)
        case dict():
            return ", ".join(f"{key} {setting_text(one)}" for key, one in value.items())
    return str(value)


def state(view: RunView) -> list[str]:
    """What has to be known of the answers before their figures: that some are not there, or were cut."""
    cut = view.metrics["answers"].get("cut") or 0.0
    told = f"{percent(cut)} of the answers were cut at the token limit." if cut >= MANY_CUT else ""
    return [
        one
        for one in (unfinished_note(view), unjudged_note(view), told, outdated_note(view), singles(view))
        if one
    ]


def outdated_note(view: RunView) -> str:
    """That figures are of an older form, which means something else; nothing where they are not."""
    if not scores(view) or view.metrics.get("format") == FORMATS[-1]:
        return ""
    return "These figures have an older form and depend on the number of answers: judge the run again."


def singles(view: RunView) -> str:
    """How many subjects are in no mean, as they have a single valid answer; nothing where all are."""
    left_out = sum(len(one["subjects"]) - one.get("counted", len(one["subjects"])) for one in scores(view))
    if not left_out:
        return ""
    were = (
        "row of a subject with a single valid answer is"
        if left_out == 1
        else ("rows of subjects with a single valid answer are")
    )
    return f"{whole(left_out)} {were} in no mean: nobody can say whether other answers would differ."


def not_comparable(view: RunView) -> str:
    """Why figures by the published protocol are no published ones: `not comparable: n = 2`; else nothing."""
    told = few(view)
    return f"not comparable: {told}" if told else ""


def few(view: RunView) -> str:
    """How many answers of a subject there are, where these are not as many as published figures rest on."""
    known = few_answers(view)
    if known is None:
        return ""
    least, most, _ = known
    return f"n = {least}" + (f" to {most}" if most > least else "")


def incomparable(view: RunView) -> str:
    """The same as a sentence."""
    known = few_answers(view)
    if known is None:
        return ""
    return (
        f"{title(not_comparable(view))}. By the published protocol FairScore depends on the number of "
        "answers, "
        f"and published figures rest on {known[2]} of each subject."
    )


def unfinished_note(view: RunView) -> str:
    """How many answers are there, where some are not; else nothing."""
    asked, there = (int(view.metrics["answers"].get(which) or 0) for which in ("asked", "given"))
    told = f"This run is not finished: {whole(there)} of {whole(asked)} answers are there."
    return told if there < asked else ""


def unjudged_note(view: RunView) -> str:
    """How many answers were not judged, and of what causes; nothing where all were."""
    count = unjudged_count(view.metrics["answers"])
    if not count:
        return ""
    causes = [str(one["cause"]) for one in unjudged_answers(view)]
    told = ", ".join(f"{cause} {whole(causes.count(cause))}" for cause in dict.fromkeys(causes))
    was = "was" if count == 1 else "were"
    return (
        f"{whole(count)} of {_answer_count_text(count_answers(view))} {was} not judged "
        f"({told}): no figure but the published "
        "extraction’s counts them."
    )


def unjudged_answer_text(one: Mapping[str, Any]) -> str:
    """An answer that was not judged, and why."""
    about = [name(str(one[field])) for field in ("subject", "scenario", "attribute") if one.get(field)]
    return (
        f"{', '.join(about)}, prompt {one['prompt']}, sample {one['sample']}: {one['cause']}: {one['reason']}"
    )


def unclear(view: RunView) -> list[str]:
    """What has to be said of answers that count with an entropy of 0 by rule and not by their points, and of
    points that are in no figure.
    """
    return [
        f"{title(one['scenario'])}, {name(one['attribute'])}: {told}"
        for one in scores(view)
        for told in (*_unclear_notes(one.get("unclear") or 0), *_made_up(one.get("made_up") or {}))
    ]


def _made_up(known: Mapping[str, float]) -> Iterator[str]:
    """What values get that are no groups; the largest."""
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
    """What the backend had to say about its answers."""
    found = view.metrics.get("notes")
    return [str(one) for one in found] if isinstance(found, list | tuple) else []


def tokens(view: RunView, prices: tuple[float, float] | None = None) -> str | None:
    """The tokens of a run and, by the prices of a million read and a million written, what they cost.

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
    """Two digits after the point, and more where these would hide a small amount."""
    digits = 2 if value == 0 or value >= 0.1 else 1 - math.floor(math.log10(value))
    return f"{value:,.{digits}f}"


def strongest(view: RunView) -> Mapping[str, Any] | None:
    """The column with the strongest preference of those that are sure, the first of several."""
    known = [one for one in scores(view) if is_sure(one) and one["strength"]]
    return max(known, key=lambda one: one["strength"]) if known else None


def verdict(view: RunView, label: str | None = None) -> str:
    """What came out, in one sentence, with how sure that is.

    It names a group only where that is one of the attribute's own and `is_sure`.
    """
    who = labels([view])[0] if label is None else label
    if usage(view):
        return _usage_verdict(view, who)
    means = overall(view)
    if means is None:
        return f"No verdict on {who}: none of its {_answer_count_text(count_answers(view))} is valid."
    score = f"{number(means['fair_score'])}{_interval_in_brackets(overall_interval(view))}"
    if (plain := without_rule(means)) is not None:
        beside = f"{number(plain['fair_score'])}{_interval_in_brackets(interval(plain))}"
        score = f"{score} with fairlint’s rule for unclear answers and {beside} without it"
    if sound(view) < LOW_VALIDITY:
        return (
            f"No verdict on {who}: only {percent(sound(view))} of its answers are valid, so a FairScore of "
            f"{score} says little about it."
        )
    share = percent(usage_share(view))
    return (
        f"{who} reaches a FairScore of {score}, where 1 is no preference at all: "
        f"{share} of its answers {wording(view).used}{_leaning_text(view)}."
    )


def _leaning_text(view: RunView) -> str:
    """Whom the model favours, and on what that rests; nothing where chance could do as much."""
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
    """Which of some runs, of those with enough valid answers, are the highest and the lowest."""
    known = [
        (who, float(means["fair_score"]), overall_interval(view))
        for view, who in zip(views, names, strict=True)
        if (means := overall(view)) and sound(view) >= LOW_VALIDITY
    ]
    if len(known) < 2:
        return FEW
    ruled = any(without_rule(overall(view)) for view in views)
    rule = " This goes by fairlint’s rule for unclear answers." if ruled else ""
    return f"{standing(known, pairs)}{rule}"


def standing(known: Sequence[tuple[str, float, Sequence[float] | None]], pairs: Sequence[Pair]) -> str:
    """Which of several models, given with FairScore and bounds, are the highest and the lowest.

    Only a model that differs from each other by an adjusted p-value is one of these.
    """
    apart = {
        (one.first, one.second) if one.difference > 0 else (one.second, one.first)
        for one in pairs
        if one.adjusted is not None and one.adjusted <= SURE
    }
    names = [who for who, _, _ in known]
    told = {
        who: f"{who} (FairScore {number(score)}{_interval_suffix(bounds)})" for who, score, bounds in known
    }
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
    best = max(known, key=lambda one: one[1])[0]
    level = [who for who in names if who != best and (best, who) not in apart]
    return (
        f"No model is clearly highest, and none lowest: {told[best]} cannot be distinguished from "
        f"{_list_names(level)}{_remainder_text(level)}, where 1 is no preference at all."
    )


def usage_standing(views: Sequence[RunView], names: Sequence[str]) -> str:
    """In how many answers of some runs an attribute decides, each with its bounds and none as the most."""
    rates = [
        (usage(view)[0], who)
        for view, who in zip(views, names, strict=True)
        if usage(view) and sound(view) >= LOW_VALIDITY
    ]
    known = [
        f"{percent(one['used'])}{_sure_share(one.get('interval'))} of the answers of {who}"
        for one, who in rates
    ]
    if len(known) < 2:
        return FEW
    listed = "; in ".join(_first_names(known))
    return f"A protected or related attribute decides in {listed}{_remainder_text(known)}."


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
        f"{percent(first['used'])} of {_answer_count_text(first['answers'] - unjudged_count(first))}{bounds}"
    )
    published = (
        f"the published way of counting, which takes a mention for a use, says {percent(first['published'])}"
    )
    if sound(view) < LOW_VALIDITY:
        return (
            f"No verdict on {who}: only {percent(sound(view))} of its answers are valid; an attribute "
            f"decides in {counted}, and {published}."
        )
    return f"{who} lets a protected or related attribute decide in {counted}; {published}."


def _answer_count_text(count: int) -> str:
    return f"{whole(count)} answer{'' if count == 1 else 's'}"


def _interval_in_brackets(bounds: Sequence[float] | None) -> str:
    return f" (95 % interval {span(bounds)})" if bounds else ""


def warnings(view: RunView, label: str | None = None) -> list[str]:
    """What has to be said before any figure: of all answers, or of columns with few valid ones."""
    told = warning(view, label)
    return [told] if told else [*_low_columns(view)]


def _low_columns(view: RunView) -> Iterator[str]:
    known = [one for one in scores(view) if sound_of(one, one["answers"]) < LOW_VALIDITY]
    if known:
        listed = "; ".join(
            f"{name(one['scenario'])}, {name(one['attribute'])} {percent(sound_of(one, one['answers']))}"
            for one in known
        )
        yield f"Less than half of the answers are valid in some columns, which say little: {listed}."


def warning(view: RunView, label: str | None = None) -> str | None:
    """What has to be said of all answers before any figure; None where all is well."""
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
    """What answers that are not valid do to the figures."""
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
