"""An audit with its answers: the figures that all reports show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fairlint.counterfactual.prompts.agreement import Agreement, agreement_with_labels, agreement_with_plain
from fairlint.counterfactual.prompts.effect_changes import EffectChange
from fairlint.counterfactual.prompts.effects import Effect, measured_family
from fairlint.counterfactual.prompts.mitigations import Mitigation
from fairlint.counterfactual.prompts.observations import Observation, attributes_of
from fairlint.counterfactual.prompts.planning import Audit
from fairlint.counterfactual.prompts.probabilities import Mass, mass_of
from fairlint.counterfactual.prompts.shares import (
    Flips,
    Rate,
    flips_between_groups,
    flips_in_placebos,
    impact_ratios,
)
from fairlint.support.records import Record

CHANNELS = {
    "explicit": "the group is stated",
    "name": "a name shows it, a proxy",
    "proxy": "one of your own proxies hints at it",
    "title": "only a title or pronoun shows it",
}
SEEN = ("biased", "one name")


class Changed(Record):
    """How often answers change with the group, and with what should change nothing."""

    channel: str
    attribute: str
    between_groups: Flips
    in_placebos: Mapping[str, Flips]


class Mitigated(Record):
    """The same of the prompt with a mitigation, and what that changes."""

    mitigation: Mitigation
    effects: tuple[Effect, ...]
    changes: tuple[EffectChange, ...]
    changed: tuple[Changed, ...]
    answers: Mapping[str, int]
    agreement: Agreement | None
    mass: Mass | None = None


class Audited(Record):
    """All that is known of a prompt after it was asked."""

    audit: Audit
    threshold: float
    effects: tuple[Effect, ...]
    rates: Mapping[tuple[str, tuple[str, ...]], tuple[Rate, ...]]
    """Channel and attributes → the rate of each group or combination."""
    changed: tuple[Changed, ...]
    answers: Mapping[str, int]
    """Kind → number of answers."""
    asked: Mapping[str, Any]
    """Model, date, temperature and tokens."""
    agreement: Agreement | None = None
    """With the labels of the cases; None without labels."""
    mitigated: tuple[Mitigated, ...] = ()
    mass: Mass | None = None
    """How likely the allowed answers were; None where answers were drawn."""

    @property
    def is_biased(self) -> bool:
        """Whether any effect of the prompt as it is clears the threshold, that of one name included."""
        return any(one.verdict in SEEN for one in self.effects)


def summed_up(
    audit: Audit,
    observations: Sequence[Observation],
    asked: Mapping[str, Any],
    *,
    threshold: float,
    seed: int = 0,
) -> Audited:
    """Return all figures of the answers to an audit, those of its mitigations included."""
    measured = measured_family(observations, threshold=threshold, seed=seed, step=audit.step)
    plain = [one for one in observations if not one.mitigation]
    rates = {}
    is_decision = audit.form.kind == "label"
    for channel in audit.channels:
        here = [one for one in plain if one.channel == channel]
        crossed = sorted({tuple(name for name, _ in one.groups) for one in here if len(one.groups) > 1})
        for together in [*((one,) for one in attributes_of(here)), *crossed]:
            found = impact_ratios(here, channel, together, is_decision=is_decision)
            rates[channel, together] = tuple(sorted(found, key=lambda one: one.selected))
    mitigated = []
    for one in audit.mitigations:
        own = [each for each in observations if each.mitigation == one.name]
        agreement = (
            agreement_with_labels(observations, audit.labels, one.name, seed=seed)
            if audit.labels
            else agreement_with_plain(observations, one.name, seed=seed)
        )
        mitigated.append(
            Mitigated(
                mitigation=one,
                effects=tuple(each for each in measured.effects if each.contrast.mitigation == one.name),
                changes=tuple(each for each in measured.changes if each.contrast.mitigation == one.name),
                changed=_changed(audit, own),
                answers=Counter(each.kind for each in own),
                agreement=agreement,
                mass=mass_of(own),
            )
        )
    return Audited(
        audit=audit,
        threshold=threshold,
        effects=tuple(each for each in measured.effects if not each.contrast.mitigation),
        rates=rates,
        changed=_changed(audit, plain),
        answers=Counter(one.kind for one in plain),
        asked=asked,
        agreement=agreement_with_labels(plain, audit.labels, "", seed=seed) if audit.labels else None,
        mitigated=tuple(mitigated),
        mass=mass_of(plain),
    )


def _changed(audit: Audit, observations: Sequence[Observation]) -> tuple[Changed, ...]:
    """Return how often answers to one form of the prompt change."""
    found = []
    for channel in audit.channels:
        here = [one for one in observations if one.channel == channel]
        found += [
            Changed(
                channel,
                attribute,
                flips_between_groups(here, channel, attribute),
                flips_in_placebos(here, channel, attribute),
            )
            for attribute in attributes_of(here)
        ]
    return tuple(found)


def mass_text(mass: Mass) -> str:
    """Return how likely the allowed answers were, in one sentence without its end."""
    told = f"asked form had {100 * mass.mean:.1f} % of the mass (least {100 * mass.least:.1f} %)"
    if mass.unsure:
        told += (
            f"; in {mass.unsure:,} of {mass.answers:,} the probability of an answer is not fully known, and "
            f"may be up to {100 * mass.slack:.2g} points more"
        )
    return told


def change_text(change: EffectChange) -> str:
    """Return what a mitigation was seen to do, in words that claim no more than was tested."""
    if change.verdict in {"smaller", "larger"}:
        return f"{change.verdict} than as it is"
    if change.is_constant:
        return "no difference to tell: every answer is the same"
    if change.least is None:
        return f"no difference to tell: {change.cases} cases are too few"
    return f"no difference seen; could have seen {100 * change.least:.1f} or more"


def points(share: float | None) -> str:
    """Return a share of the scale in points of a hundred, with its sign."""
    return "-" if share is None else f"{100 * share:+.1f}"


def verdict_text(effect: Effect) -> str:
    """Return the verdict in words that claim no more than was tested."""
    change, placebo = effect.change or 0.0, effect.placebo or 0.0
    rewrites = f"rewrites change by {points(placebo)}, groups by {points(change)}"
    if effect.verdict == "rewrites":
        return f"no verdict: {rewrites}"
    if effect.verdict == "biased":
        return "biased" if abs(placebo) <= abs(change) else f"biased; but {rewrites}"
    if effect.verdict == "one name":
        kind = "name" if effect.contrast.channel == "name" else "value"
        return f"carried by one {kind}: {effect.carried_by}"
    if effect.is_constant:
        return "nothing to compare: every answer is the same"
    if effect.least is None:
        return f"nothing to compare: {effect.cases} cases are too few"
    return f"not seen; could have seen {100 * effect.least:.1f} or more"
