"""What a mitigation changes about an effect, case by case.

An effect is smaller with it where (before - after) and (before + after) are on the same side of 0, since
their product is the difference of the squares. Both have to be shown, so an effect that is turned round and
as large as before is not called smaller; the one that is less sure decides (Berger 1982, Technometrics 24).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from fairlint.counterfactual.prompts.differences import Contrast, Difference
from fairlint.counterfactual.prompts.families import Judged, Sample
from fairlint.counterfactual.prompts.observations import mean
from fairlint.counterfactual.prompts.power import LEVEL, least_effect_after
from fairlint.support.records import Record, replace

ChangeVerdict = Literal["smaller", "larger", "not seen", "nothing to compare"]


class PairedEffects(Record):
    """The effect in each case that has one in both, as the prompt is and with a mitigation."""

    contrast: Contrast
    """That with the mitigation."""
    before: tuple[Fraction, ...]
    after: tuple[Fraction, ...]


class EffectChange(Record):
    """What a mitigation changes about one contrast. Figures are shares of the scale; None where unknown."""

    contrast: Contrast
    cases: int
    before: float | None = None
    """Mean effect of the prompt as it is, in the cases that have one in both."""
    after: float | None = None
    difference: float | None = None
    """`after` less `before`."""
    low: float | None = None
    high: float | None = None
    """Bounds of the difference at 95 %, for this one alone."""
    adjusted_low: float | None = None
    adjusted_high: float | None = None
    """Bounds at the level that the adjustment leaves for this one."""
    p: float = 1.0
    p_adjusted: float = 1.0
    least: float | None = None
    """Least difference that these cases could have shown; None where there are too few for any."""
    verdict: ChangeVerdict = "nothing to compare"
    is_constant: bool = False
    """Whether every answer is the same, before or after: nobody knows what a group would change."""


def paired_effects(known: Sequence[Contrast], found: Sequence[Sequence[Difference]]) -> list[PairedEffects]:
    """Return the effects of all contrasts with a mitigation, paired with those of the prompt as it is."""
    by_contrast = {
        contrast: {one.case: one.effect for one in some} for contrast, some in zip(known, found, strict=True)
    }
    pairs = []
    for contrast, after in by_contrast.items():
        before = by_contrast.get(replace(contrast, mitigation=""))
        if contrast.mitigation and before is not None:
            cases = [case for case in after if case in before]
            pairs.append(
                PairedEffects(
                    contrast, tuple(before[case] for case in cases), tuple(after[case] for case in cases)
                )
            )
    return pairs


def change_sample(one: PairedEffects) -> Sample:
    """Return what the test is about: the difference and, as both have to be shown, the sum."""
    pairs = list(zip(one.before, one.after, strict=True))
    return Sample(
        [after - before for before, after in pairs], also=[after + before for before, after in pairs]
    )


def measured_change(
    one: PairedEffects,
    judged: Judged,
    tests: int,
    *,
    step: float = 1.0,
    level: float = LEVEL,
    is_constant: bool = False,
) -> EffectChange:
    """Return what is known of a change, as judged in a family of so many tests."""
    if not one.before:
        return EffectChange(one.contrast, 0)
    before, after = mean(one.before), mean(one.after)
    sample = change_sample(one)
    least = None if is_constant else least_effect_after(sample.values, tests, step=step, level=level)
    verdict: ChangeVerdict = "nothing to compare" if least is None else "not seen"
    if judged.p_adjusted <= level and not is_constant:
        verdict = "smaller" if abs(after) < abs(before) else "larger"
    return EffectChange(
        one.contrast,
        len(one.before),
        before=float(before),
        after=float(after),
        difference=float(after - before),
        low=judged.low,
        high=judged.high,
        adjusted_low=judged.adjusted_low,
        adjusted_high=judged.adjusted_high,
        p=judged.p,
        p_adjusted=judged.p_adjusted,
        least=least,
        verdict=verdict,
        is_constant=is_constant,
    )
