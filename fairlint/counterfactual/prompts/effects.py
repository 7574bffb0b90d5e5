"""The effect of each group in each way of showing it, tested together, with what the test could have seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from fairlint.counterfactual.prompts.differences import Contrast, Difference, contrasts, differences
from fairlint.counterfactual.prompts.observations import Observation, mean
from fairlint.counterfactual.prompts.power import LEVEL, fewest_cases, least_effect_after
from fairlint.counterfactual.prompts.sign_flips import bounds, p_value, subset_means
from fairlint.statistics.intervals import holm
from fairlint.support.records import Record

Verdict = Literal["biased", "one name", "not seen", "nothing to compare"]
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


def measured_effects(
    observations: Sequence[Observation],
    *,
    threshold: float = 0.0,
    level: float = LEVEL,
    seed: int = 0,
    step: float = 1.0,
) -> list[Effect]:
    """Return the effects of all contrasts, judged as one family.

    An effect is *biased* if the test rejects that it is no larger than `threshold`, after Holm's adjustment
    over all contrasts that could be significant at all. How many cases have no difference is the same for
    all signs, so leaving out contrasts by it costs nothing.
    """
    known = contrasts(observations)
    pairs = [differences(observations, one) for one in known]
    effects = [[one.effect for one in found] for found, _ in pairs]
    tested = [place for place, some in enumerate(effects) if _is_testable(some, threshold, level)]
    family = max(1, len(tested))
    subsets = {place: subset_means(effects[place], seed=seed, tests=family) for place in tested}
    p_values = {place: p_value(subsets[place], threshold) for place in tested}
    adjusted = dict(zip(tested, holm([p_values[place] for place in tested]), strict=True))
    ranks = {place: rank for rank, place in enumerate(sorted(tested, key=lambda place: p_values[place]))}
    results = []
    for place, (contrast, (found, lacking)) in enumerate(zip(known, pairs, strict=True)):
        some = effects[place]
        if not found:
            results.append(Effect(contrast, 0, lacking))
            continue
        own_step = step if contrast.outcome == "decision" else 1.0
        least = least_effect_after(some, family, step=own_step, threshold=threshold, level=level)
        told: dict[str, object] = {
            "change": float(mean([one.change for one in found])),
            "placebo": float(mean([one.placebo for one in found])),
            "mean": float(mean(some)),
            "least": least,
            "parts": _effect_by_height(observations, contrast, found) if contrast.outcome == "decision" else
            Thirds(),
        }  # fmt: skip
        if place in subsets:
            own_level = 1 - level / (family - ranks[place])
            told["low"], told["high"] = bounds(subsets[place], 1 - level)
            told["adjusted_low"], told["adjusted_high"] = bounds(subsets[place], own_level)
            told["p"], told["p_adjusted"] = p_values[place], adjusted[place]
        elif not any(some):
            told["low"] = told["high"] = told["adjusted_low"] = told["adjusted_high"] = 0.0
        is_seen = adjusted.get(place, 1.0) <= level
        if contrast.outcome == "decision" and _is_constant(observations, contrast.channel):
            told["is_constant"], told["least"] = True, None
        is_known = told["least"] is not None
        told["verdict"] = "biased" if is_seen else "not seen" if is_known else "nothing to compare"
        if contrast.channel == "name":
            names = _without_each_name(observations, contrast)
            told["names"] = names
            if is_seen:
                size = level / (family - ranks[place])

                def holds_without(name: str, contrast: Contrast = contrast, size: float = size) -> bool:
                    kept, _ = differences(observations, contrast, without_name=name)
                    return p_value(subset_means([one.effect for one in kept], seed=seed), threshold) <= size

                carried = _carrying_name(names, float(mean(some)), holds_without)
                told["carried_by"] = carried
                if carried:
                    told["verdict"] = "one name"
        results.append(Effect(contrast, len(found), lacking, **told))  # type: ignore[arg-type]
    return results


def _is_constant(observations: Sequence[Observation], channel: str) -> bool:
    """Return whether all answers that were read are one and the same."""
    return len({one.value for one in observations if one.channel == channel and one.value is not None}) == 1


def _is_testable(effects: Sequence[Fraction], threshold: float, level: float) -> bool:
    """Return whether the signs of these effects can be significant at all, alone in a family."""
    count = len(effects) if threshold else sum(map(bool, effects))
    return any(effects) and count >= fewest_cases(1, level=level)


def _without_each_name(observations: Sequence[Observation], contrast: Contrast) -> tuple[NameEffect, ...]:
    """Return the mean effect without each first name in turn."""
    names = dict.fromkeys(
        one.name
        for one in observations
        if one.channel == contrast.channel and one.arm == "group" and one.name
        and one.group_of(contrast.attribute) is not None
    )  # fmt: skip
    found = []
    for name in names:
        kept, _ = differences(observations, contrast, without_name=name)
        if kept:
            found.append(NameEffect(name, float(mean([one.effect for one in kept]))))
    return tuple(found)


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


def _effect_by_height(
    observations: Sequence[Observation], contrast: Contrast, found: Sequence[Difference]
) -> Thirds:
    """Return the mean effect by thirds of the scale, in which a case's placebo people end."""
    sums: dict[str, list[Fraction]] = {}
    for one in observations:
        if one.channel == contrast.channel and one.arm == "rewrite" and one.value is not None:
            sums.setdefault(one.case, []).append(one.value)
    thirds: tuple[list[Fraction], list[Fraction], list[Fraction]] = ([], [], [])
    for each in found:
        height = mean(sums[each.case])
        thirds[min(2, int(height * 3))].append(each.effect)
    return Thirds(*(float(mean(some)) if some else None for some in thirds))
