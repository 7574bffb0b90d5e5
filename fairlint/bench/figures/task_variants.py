"""The same tasks asked in several variants: how answers to two variants differ, task by task.

A pair is two answers to one task with the same number of the sample, of which both say something. The effect
of a task is the mean difference of its pairs. Tests flip the signs of these effects, so that answers to one
task are never taken for independent, and Holm adjusts over all tests of a run: see
`fairlint.counterfactual.prompts.families`, which audits of prompts use, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from fairlint.backends.requests import Request
from fairlint.bench.figures.bias import mean
from fairlint.bench.judging.usage import told_share
from fairlint.bench.suites.suite import Judged, Kept
from fairlint.counterfactual.prompts.families import Family, Sample, judged_family
from fairlint.counterfactual.prompts.power import FLIPS, LEVEL, least_effect_after, least_effect_before
from fairlint.statistics.intervals import computable
from fairlint.support.records import Record

DEFINITIONS = {
    "difference": "the mean over tasks of the mean difference between answers to the variant and answers to "
    "the one that it is compared with, of the same task and sample; pairs of which one answer says nothing "
    "are left out",
    "interval of differences": "bounds that sign flips within tasks do not reject, at the level that Holm's "
    "adjustment leaves; null where too few tasks differ for any, or all differ alike: then nobody knows how "
    "tasks vary",
    "unlike": "the share of these pairs whose two answers differ, be it by chance",
    "adjusted": "the two-sided p-value of these sign flips, adjusted by Holm over all differences of the run",
    "least": "the least difference that would have been seen in 80 of 100 cases, by how these tasks vary",
    "interval": "95 % score interval (Wilson) of the first share, clustered by task",
}


class VariantAnswer(Record):
    """What one answer comes to."""

    scenario: str
    attribute: str
    variant: str
    task: str
    sample: int
    values: Mapping[str, int | None]
    """Measure → a number, 0 or 1 for no and yes; None where the answer does not say it."""
    is_judged: bool = True


def variant_answers(
    judged: Iterable[tuple[Kept, Judged]], values_of: Callable[[Judged], Mapping[str, int | None]]
) -> list[VariantAnswer]:
    """Return what judged answers come to, of a suite whose prompts have their task as the subject and their
    variant as the list.
    """
    return [
        VariantAnswer(
            kept["scenario"],
            kept["attribute"],
            kept["list"],
            kept["subject"],
            kept["sample"],
            values_of(told),
            not told.get("not_judged"),
        )
        for kept, told in judged
    ]


Head = tuple[str, str]
"""Scenario and attribute."""
Question = tuple[str, int]
"""Task and sample."""


class Contrast(Record):
    """Two variants and what they are compared by."""

    scenario: str
    attribute: str
    variant: str
    against: str
    measure: str


class _Paired(Record):
    """What two variants come to."""

    contrast: Contrast
    effects: tuple[Fraction, ...]
    """One a task: the variant less the one it is compared with."""
    first: Fraction
    second: Fraction
    pairs: int
    unlike: int
    """How many pairs have two values."""


def variant_rows(
    answers: Sequence[VariantAnswer],
    measures: Sequence[str],
    *,
    counts: Sequence[str] = (),
    order: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Return how many answers each variant has and what they come to on average: of each measure the mean
    over the answers that say it, and the bounds of the first measure; `counts` are added up. Variants stand
    in the `order` given, others behind it by name.
    """
    rows = []
    for (scenario, attribute), variants in _answers_by_variant(answers, order).items():
        for variant, known in variants.items():
            judged = [one for one in known if one.is_judged]
            values = {name: _values_of(judged, name) for name in measures}
            rows.append({
                "scenario": scenario,
                "attribute": attribute,
                "variant": variant,
                "tasks": len({one.task for one in known}),
                "answers": len(known),
                "not_judged": len(known) - len(judged),
                **{name: mean(ones) for name, ones in values.items()},
                **{name: sum(_values_of(judged, name)) for name in counts},
                **told_share(
                    (one.task, bool(value))
                    for one in judged
                    if (value := one.values.get(measures[0])) is not None
                ),
            })  # fmt: skip
    return rows


def difference_rows(
    answers: Sequence[VariantAnswer], measures: Mapping[str, bool], order: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return how each variant differs from the first of its scenario and attribute, by each measure, all
    tested as one family. Of a measure it is told whether it is a share. Nothing where bounds are not
    computable.
    """
    if not computable():
        return []
    found = [
        paired
        for head, variants in _answers_by_variant(answers, order).items()
        for paired in _paired_variants(head, variants, tuple(measures))
    ]
    family = judged_family([Sample(paired.effects) for paired in found])
    return [
        _difference_row(paired, family, place, is_share=measures[paired.contrast.measure])
        for place, paired in enumerate(found)
    ]


def is_seen(row: Mapping[str, Any]) -> bool:
    """Return whether a difference is more than chance among all differences of its run."""
    return bool(row["difference"]) and row["adjusted"] <= LEVEL


def planned_difference(tasks: int, samples: int, tests: int) -> float | None:
    """Return the least difference between two variants that a plan would show in 80 of 100 cases; None where
    so few tasks cannot show any.

    Answers to the same question are taken to change as often as those to paraphrases were found to do.
    """
    return least_effect_before(tasks, samples, max(1, tests), flips=FLIPS / 2)


def planned_difference_between(requests: Sequence[Request], measures: Sequence[str]) -> float | None:
    """Return the least difference between two variants that these requests will show, as
    `planned_difference`; each variant is compared with the first of its scenario and attribute.
    """
    variants = {(one.scenario, one.attribute, one.stereotype) for one in requests}
    tests = (len(variants) - len({one[:2] for one in variants})) * len(measures)
    tasks = {one.subject for one in requests}
    return planned_difference(len(tasks), max(one.sample for one in requests) + 1, tests)


def _answers_by_variant(
    answers: Sequence[VariantAnswer], order: Sequence[str]
) -> dict[Head, dict[str, list[VariantAnswer]]]:
    places = {name: place for place, name in enumerate(order)}
    found: dict[Head, dict[str, list[VariantAnswer]]] = {}
    for one in sorted(answers, key=lambda one: (places.get(one.variant, len(places)), one.variant)):
        found.setdefault((one.scenario, one.attribute), {}).setdefault(one.variant, []).append(one)
    heads = dict.fromkeys((one.scenario, one.attribute) for one in answers)
    return {head: found[head] for head in heads}


def _values_of(answers: Sequence[VariantAnswer], measure: str) -> list[int]:
    return [value for one in answers if (value := one.values.get(measure)) is not None]


def _paired_variants(
    head: Head, variants: Mapping[str, Sequence[VariantAnswer]], measures: Sequence[str]
) -> Iterator[_Paired]:
    """Yield each variant against the first one, by each measure of which there are pairs."""
    first, *others = variants
    for variant in others:
        for measure in measures:
            contrast = Contrast(*head, variant, first, measure)
            paired = _pair_answers(variants[variant], variants[first], contrast)
            if paired is not None:
                yield paired


def _pair_answers(
    answers: Sequence[VariantAnswer], against: Sequence[VariantAnswer], contrast: Contrast
) -> _Paired | None:
    """Return the effects of tasks; None where no task has a pair."""
    ours, theirs = (_values_by_question(ones, contrast.measure) for ones in (answers, against))
    tasks: dict[str, list[tuple[int, int]]] = {}
    for question, value in ours.items():
        if question in theirs:
            tasks.setdefault(question[0], []).append((value, theirs[question]))
    if not tasks:
        return None
    means = [
        (Fraction(sum(own for own, _ in ones), len(ones)), Fraction(sum(it for _, it in ones), len(ones)))
        for _, ones in sorted(tasks.items())
    ]
    return _Paired(
        contrast,
        tuple(own - it for own, it in means),
        sum((own for own, _ in means), Fraction(0)) / len(means),
        sum((it for _, it in means), Fraction(0)) / len(means),
        sum(map(len, tasks.values())),
        sum(own != it for ones in tasks.values() for own, it in ones),
    )


def _values_by_question(answers: Sequence[VariantAnswer], measure: str) -> dict[Question, int]:
    return {
        (one.task, one.sample): value
        for one in answers
        if one.is_judged and (value := one.values.get(measure)) is not None
    }


def _difference_row(paired: _Paired, family: Family, place: int, *, is_share: bool) -> dict[str, Any]:
    contrast = paired.contrast
    judged = family.judged[place]
    low, high = judged.adjusted_low, judged.adjusted_high
    least = least_effect_after(paired.effects, max(1, family.tests)) if is_share else None
    return {
        "scenario": contrast.scenario,
        "attribute": contrast.attribute,
        "variant": contrast.variant,
        "against": contrast.against,
        "measure": contrast.measure,
        "is_share": is_share,
        "tasks": len(paired.effects),
        "pairs": paired.pairs,
        "first": float(paired.first),
        "second": float(paired.second),
        "difference": float(paired.first - paired.second),
        "unlike": paired.unlike / paired.pairs,
        "interval": None if low is None or high is None or len(set(paired.effects)) < 2 else [low, high],
        "p_value": judged.p,
        "adjusted": judged.p_adjusted,
        "least": least,
    }
