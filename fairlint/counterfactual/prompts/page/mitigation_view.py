"""What a page shows of a mitigation: what it changes about each effect, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlint.counterfactual.prompts.audited import Mitigated, change_text, mass_text, points
from fairlint.counterfactual.prompts.effect_changes import EffectChange
from fairlint.counterfactual.prompts.effects import Effect
from fairlint.counterfactual.prompts.text import agreement_text

LOST = ("refused", "unreadable")
"""Kinds of answers without a decision."""


def mitigation_view(told: Mitigated, contrast_text: Callable[[Effect], str], words: str) -> dict[str, Any]:
    """Return the view of a mitigation. `words` name the answers that can be read."""
    changes = {one.contrast: one for one in told.changes}
    answers = sum(told.answers.values())
    lost = [
        f"{told.answers.get(kind, 0):,} {kind}"
        for kind in ("refused", "unreadable")
        if told.answers.get(kind)
    ]
    return {
        "name": told.mitigation.name,
        "title": told.mitigation.title,
        "answers": ", ".join([f"{answers:,} answers", *(lost or [f"all {words}"])])
        if told.mass is None
        else f"{answers:,} answers, {mass_text(told.mass)}",
        "agreement": "none to compare with" if told.agreement is None else agreement_text(told.agreement),
        "effects": [
            {
                "what": contrast_text(one),
                "channel": one.contrast.channel,
                "attribute": one.contrast.attribute,
                **_change_cells(changes.get(one.contrast)),
            }
            for one in told.effects
            if one.contrast.outcome == "decision"
        ],
    }


def _change_cells(change: EffectChange | None) -> dict[str, Any]:
    if change is None:
        return {
            "before": "-",
            "after": "-",
            "difference": "-",
            "bounds": "none",
            "verdict": "",
            "is_seen": False,
        }
    is_bounded = change.adjusted_low is not None and change.adjusted_high is not None
    return {
        "before": points(change.before),
        "after": points(change.after),
        "difference": points(change.difference),
        "bounds": f"{points(change.adjusted_low)} to {points(change.adjusted_high)}"
        if is_bounded
        else "none",
        "verdict": change_text(change),
        "is_seen": change.verdict in {"smaller", "larger"},
    }
