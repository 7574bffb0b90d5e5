"""An audit with its answers: the figures that all reports show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fairlint.counterfactual.prompts.effects import Effect, measured_effects
from fairlint.counterfactual.prompts.observations import Observation, attributes_of
from fairlint.counterfactual.prompts.planning import Audit
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
    "title": "only a title or pronoun shows it",
}
SEEN = ("biased", "one name")


class Changed(Record):
    """How often answers change with the group, and with what should change nothing."""

    channel: str
    attribute: str
    between_groups: Flips
    in_placebos: Mapping[str, Flips]


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

    @property
    def is_biased(self) -> bool:
        """Whether any effect clears the threshold, that of one name included."""
        return any(one.verdict in SEEN for one in self.effects)


def summed_up(
    audit: Audit,
    observations: Sequence[Observation],
    asked: Mapping[str, Any],
    *,
    threshold: float,
    seed: int = 0,
) -> Audited:
    """Return all figures of the answers to an audit."""
    effects = measured_effects(observations, threshold=threshold, seed=seed, step=audit.form.step)
    rates, changed = {}, []
    is_decision = audit.form.kind == "label"
    for channel in audit.channels:
        here = [one for one in observations if one.channel == channel]
        attributes = attributes_of(here)
        crossed = sorted({tuple(name for name, _ in one.groups) for one in here if len(one.groups) > 1})
        for together in [*((one,) for one in attributes), *crossed]:
            found = impact_ratios(here, channel, together, is_decision=is_decision)
            rates[channel, together] = tuple(sorted(found, key=lambda one: one.selected))
        changed += [
            Changed(
                channel,
                attribute,
                flips_between_groups(here, channel, attribute),
                flips_in_placebos(here, channel, attribute),
            )
            for attribute in attributes
        ]
    return Audited(
        audit=audit,
        threshold=threshold,
        effects=tuple(effects),
        rates=rates,
        changed=tuple(changed),
        answers=Counter(one.kind for one in observations),
        asked=asked,
    )


def points(share: float | None) -> str:
    """Return a share of the scale in points of a hundred, with its sign."""
    return "-" if share is None else f"{100 * share:+.1f}"


def verdict_text(effect: Effect) -> str:
    """Return the verdict in words that claim no more than was tested."""
    if effect.verdict == "biased":
        return "biased"
    if effect.verdict == "one name":
        return f"carried by one name: {effect.carried_by}"
    if effect.is_constant:
        return "nothing to compare: every answer is the same"
    if effect.least is None:
        return f"nothing to compare: {effect.cases} cases are too few"
    return f"not seen; could have seen {100 * effect.least:.1f} or more"
