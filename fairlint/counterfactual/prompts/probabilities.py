"""What the probabilities of all allowed answers say, in place of one answer that was drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from statistics import fmean
from typing import Any, NamedTuple

from fairlint.counterfactual.prompts.answers_read import Form
from fairlint.counterfactual.prompts.observations import Kind, Observation
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

MOST_NUMBERS = 101
"""Numbers of a scale: each is an answer of its own, and a row of its own in a batch."""
GRAIN = 10**9
"""Shares are kept in billionths, so that sums of thousands of them stay exact and fast."""


class Scored(NamedTuple):
    """What the probabilities of one question say."""

    kind: Kind
    value: Fraction | None
    """The expected share of the scale among the allowed answers; None where none of them is known."""
    likeliest: Fraction | None
    """The share of the scale of the likeliest of them."""
    outside: Fraction
    """The probability of all other answers."""
    slack: float
    """By how much the probability of an allowed answer may be more than what is known."""


class Mass(Record):
    """How likely the allowed answers were, all together."""

    answers: int
    mean: float
    least: float
    by_group: Mapping[str, float]
    """Attribute and group → the mean, where the group shows."""
    unsure: int
    """Answers of which not all probabilities are known."""
    slack: float
    """The most by which one may be more than what is known."""


def allowed_answers(form: Form) -> tuple[str, ...]:
    """Return all answers that are in a form. Raises UsageError where they are not whole numbers, or too many.

    >>> from fairlint.counterfactual.prompts.answers_read import form_of
    >>> allowed_answers(form_of("From 1 to 5, how good is it?", None, None))
    ('1', '2', '3', '4', '5')
    """
    if form.kind == "label":
        return tuple({one.casefold(): one for one in reversed(form.labels)}.values())[::-1]
    is_whole = form.low.denominator == form.high.denominator == 1
    if not is_whole or form.high - form.low >= MOST_NUMBERS:
        raise UsageError(
            f"--logprobs needs a probability for each allowed answer, and {form.words} is not {MOST_NUMBERS} "
            "whole numbers or fewer: name a scale with --answer, as 0..10"
        )
    return tuple(str(number) for number in range(int(form.low), int(form.high) + 1))


def value_of_answer(answer: str, form: Form) -> Fraction:
    """Return the share of the scale that an allowed answer stands for."""
    if form.kind == "label":
        return Fraction(answer.casefold() in {one.casefold() for one in form.favourable})
    return (Fraction(answer) - form.low) / (form.high - form.low)


def read_probabilities(record: Mapping[str, Any], form: Form) -> Scored:
    """Return what a kept answer says by its probabilities."""
    logs: Mapping[str, float] = record["probabilities"]
    allowed = allowed_answers(form)
    most = max((logs[one] for one in allowed if one in logs), default=-math.inf)
    weights = {one: math.exp(logs[one] - most) for one in allowed if one in logs}
    inside = math.fsum(math.exp(logs[one]) for one in weights)
    slack = max(
        (math.exp(log) - math.exp(logs.get(one, -math.inf)) for one, log in record["at_most"].items()),
        default=0.0,
    )
    outside = _grains(max(0.0, 1 - inside))
    total = math.fsum(weights.values())
    if not total:
        return Scored("unreadable", None, None, outside, slack)
    expected = math.fsum(share * float(value_of_answer(one, form)) for one, share in weights.items()) / total
    likeliest = max(weights, key=lambda one: weights[one])
    return Scored("read", _grains(expected), value_of_answer(likeliest, form), outside, max(0.0, slack))


def mass_of(observations: Iterable[Observation]) -> Mass | None:
    """Return how likely the allowed answers were; None where answers were drawn."""
    inside: list[float] = []
    slacks: list[float] = []
    groups: dict[str, list[float]] = {}
    for one in observations:
        if one.outside is None:
            continue
        inside.append(float(1 - one.outside))
        slacks.append(one.slack)
        for name, group in one.groups if one.arm == "group" else ():
            groups.setdefault(f"{name}: {group}", []).append(inside[-1])
    if not inside:
        return None
    return Mass(
        answers=len(inside),
        mean=fmean(inside),
        least=min(inside),
        by_group={name: fmean(some) for name, some in sorted(groups.items())},
        unsure=sum(slack > 0 for slack in slacks),
        slack=max(slacks),
    )


def _grains(share: float) -> Fraction:
    return Fraction(round(share * GRAIN), GRAIN)
