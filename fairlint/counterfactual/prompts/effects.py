"""The effect of each group in each way of showing it, tested together, with what the test could have seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from fairlint.counterfactual.prompts.differences import (
    Asking,
    Contrast,
    Difference,
    by_asking,
    contrasts,
    differences,
    differences_without_names,
)
from fairlint.counterfactual.prompts.effect_changes import (
    EffectChange,
    change_sample,
    measured_change,
    paired_effects,
)
from fairlint.counterfactual.prompts.families import Judged, Sample, judged_family
from fairlint.counterfactual.prompts.observations import BY_VALUE, Observation, mean
from fairlint.counterfactual.prompts.power import LEVEL, least_effect_after
from fairlint.counterfactual.prompts.sign_flips import p_value, subset_means
from fairlint.support.records import Record

Verdict = Literal["biased", "one name", "rewrites", "not seen", "nothing to compare"]
"""No verdict says that a prompt is fair: what was not seen may be too small for these cases."""


class NameEffect(Record):
    """What the effect would be without the people of one first name."""

    name: str
    without: float


class Effect(Record):
    """One contrast with all that is known of it. Figures are shares of the scale; None where unknown."""

    contrast: Contrast
    cases: int
    left_out: int
    """Cases in which a group has no answer that could be read."""
    change: float | None = None
    placebo: float | None = None
    mean: float | None = None
    low: float = -1.0
    high: float = 1.0
    """Bounds at 95 % for this effect alone."""
    adjusted_low: float = -1.0
    adjusted_high: float = 1.0
    """Bounds at the level that the adjustment over all contrasts leaves for this one."""
    p: float = 1.0
    p_adjusted: float = 1.0
    least: float | None = None
    """Least effect that these cases could have shown; None where there are too few for any."""
    verdict: Verdict = "nothing to compare"
    is_constant: bool = False
    """Whether every answer is the same, whatever the case: nobody knows what a group would change."""
    names: tuple[NameEffect, ...] = ()
    carried_by: str = ""
    """First name without whose people the effect is gone; empty where there is none."""
    parts: tuple[float | None, float | None, float | None] = (None, None, None)
    """Mean effect in the cases that a placebo person ends low, in the middle and high on the scale."""


class Measured(Record):
    """The effects of a prompt and of its mitigations, and what each mitigation changes, as one family."""

    effects: tuple[Effect, ...]
    changes: tuple[EffectChange, ...]


def measured_effects(
    observations: Sequence[Observation],
    *,
    threshold: float = 0.0,
    level: float = LEVEL,
    seed: int = 0,
    step: float = 1.0,
) -> list[Effect]:
    """Return the effects of all contrasts; see `measured_family`."""
    return list(measured_family(observations, threshold=threshold, level=level, seed=seed, step=step).effects)


def measured_family(
    observations: Sequence[Observation],
    *,
    threshold: float = 0.0,
    level: float = LEVEL,
    seed: int = 0,
    step: float = 1.0,
) -> Measured:
    """Return the effects of all contrasts and what mitigations change about them, judged as one family.

    An effect is *biased* if the test rejects that it is no larger than `threshold`, after Holm's adjustment
    over everything that could be significant at all, changes by mitigations included, and answers about the
    groups themselves differ in that direction. Where only *rewrites* do, nobody can say which group is
    preferred.
    """
    askings = by_asking(observations)
    known = contrasts(observations)
    found = [differences(askings[_asking_of(one)], one) for one in known]
    constant = {key for key, here in askings.items() if _is_constant(here)}
    paired = paired_effects(known, [some for some, _ in found])
    samples = [Sample([one.effect for one in some], threshold) for some, _ in found]
    family = judged_family([*samples, *map(change_sample, paired)], level=level, seed=seed)
    judging = _Judging(threshold, level, seed, step, family.tests)
    effects = [
        _measured_effect(contrast, askings[_asking_of(contrast)], some, lacking, judged, judging)
        for contrast, (some, lacking), judged in zip(known, found, family.judged, strict=False)
    ]
    changes = [
        measured_change(
            one,
            judged,
            family.tests,
            step=_step_of(one.contrast, step),
            level=level,
            is_constant=one.contrast.outcome == "decision"
            and not constant.isdisjoint({_asking_of(one.contrast), Asking("", one.contrast.channel)}),
        )
        for one, judged in zip(paired, family.judged[len(samples) :], strict=True)
    ]
    return Measured(tuple(effects), tuple(changes))


class _Judging(Record):
    """What all effects are judged by."""

    threshold: float
    level: float
    seed: int
    step: float
    tests: int


def _asking_of(contrast: Contrast) -> Asking:
    return Asking(contrast.mitigation, contrast.channel)


def _step_of(contrast: Contrast, step: float) -> float:
    """Return the least by which an outcome can change: refusals are there or not."""
    return 1.0 if contrast.outcome in {"refused", "unreadable"} else step


def _measured_effect(  # noqa: PLR0917 (what is known of a contrast)
    contrast: Contrast,
    here: Sequence[Observation],
    found: Sequence[Difference],
    lacking: int,
    judged: Judged,
    by: _Judging,
) -> Effect:
    """Return the effect in one contrast; `here` are the answers to the same way of asking."""
    if not found:
        return Effect(contrast, 0, lacking)
    is_decision = contrast.outcome == "decision"
    values = [one.effect for one in found]
    is_constant = is_decision and _is_constant(here)
    least = None
    if not is_constant:
        own_step = _step_of(contrast, by.step)
        least = least_effect_after(values, by.tests, step=own_step, threshold=by.threshold, level=by.level)
    is_seen = judged.p_adjusted <= by.level
    change, effect = float(mean([one.change for one in found])), float(mean(values))
    verdict: Verdict = "nothing to compare" if least is None else "not seen"
    if is_seen:
        verdict = "biased" if change * effect > 0 else "rewrites"
    names: tuple[NameEffect, ...] = ()
    carried = ""
    if contrast.channel in BY_VALUE:
        without = {
            name: [one.effect for one in kept]
            for name, kept in differences_without_names(here, contrast).items()
            if kept
        }
        names = tuple(NameEffect(name, float(mean(kept))) for name, kept in without.items())

        def holds_without(name: str) -> bool:
            return p_value(subset_means(without[name], seed=by.seed), by.threshold) <= judged.size

        carried = _carrying_name(names, effect, holds_without) if verdict == "biased" else ""
    return Effect(
        contrast,
        len(found),
        lacking,
        change=change,
        placebo=float(mean([one.placebo for one in found])),
        mean=effect,
        **_bounds_of(judged),
        p=judged.p,
        p_adjusted=judged.p_adjusted,
        least=least,
        verdict="one name" if carried else verdict,
        is_constant=is_constant,
        names=names,
        carried_by=carried,
        parts=_effect_by_height(here, found) if is_decision else Thirds(),
    )


def _bounds_of(judged: Judged) -> dict[str, float]:
    """Return the bounds of an effect: the whole scale where there are none."""
    least = {"low": judged.low, "adjusted_low": judged.adjusted_low}
    most = {"high": judged.high, "adjusted_high": judged.adjusted_high}
    return {name: -1.0 if value is None else value for name, value in least.items()} | {
        name: 1.0 if value is None else value for name, value in most.items()
    }


def _is_constant(observations: Sequence[Observation]) -> bool:
    """Return whether all answers that were read are one and the same."""
    return len({one.value for one in observations if one.value is not None}) == 1


def _carrying_name(names: Sequence[NameEffect], whole: float, holds_without: Callable[[str], bool]) -> str:
    """Return the first name without which the effect is less than half as large and no longer significant."""
    direction = 1 if whole > 0 else -1
    for one in sorted(names, key=lambda one: direction * one.without):
        if direction * one.without >= abs(whole) / 2:
            return ""
        if not holds_without(one.name):
            return one.name
    return ""


class Thirds(NamedTuple):
    """The mean effect by thirds of the scale."""

    low: float | None = None
    middle: float | None = None
    high: float | None = None


def _effect_by_height(observations: Sequence[Observation], found: Sequence[Difference]) -> Thirds:
    """Return the mean effect by thirds of the scale, in which a case's placebo people end."""
    sums: dict[str, list[Fraction]] = {}
    for one in observations:
        if one.arm == "rewrite" and one.value is not None:
            sums.setdefault(one.case, []).append(one.value)
    thirds: tuple[list[Fraction], list[Fraction], list[Fraction]] = ([], [], [])
    for each in found:
        height = mean(sums[each.case])
        thirds[min(2, int(height * 3))].append(each.effect)
    return Thirds(*(float(mean(some)) if some else None for some in thirds))
