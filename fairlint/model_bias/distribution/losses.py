"""What training lessens: the divergence from a target, weighted as published, and the loss of plain text.

Shrestha and Srinivasan (2025, arXiv 2510.06354, section 4). Towards equal shares it is the plain mean KL.
Towards any other target a batch, whose professions are all of one kind, weighs lambda * KL / (mu + alpha),
where mu is the kind's exponential mean of KL so far and lambda follows how large and how steady it is. As KL
is far below 1, lambda nearly always sits at its floor; how often is counted and told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairlint.support.records import Record


class Rule(Record):
    """How a kind's lambda is computed: clamp(factor * mu / (1 + variance), floor, CEILING)."""

    factor: float
    floor: float
    alpha: float


CEILING = 1.5
STRONG = Rule(factor=0.95, floor=0.8, alpha=1e-6)
WEAK = Rule(factor=1.2, floor=1.0, alpha=1e-5)


def rule_of(kind: str, *, masked: bool) -> Rule:
    """Return the rule of a kind of professions: of masked models only male-dominated ones have the strong
    one, of causal ones all but the balanced.
    """
    if masked:
        return STRONG if kind == "male" else WEAK
    return WEAK if kind in ("balanced", "all") else STRONG


class Adaptive:
    """The running mean and variance of each kind's KL; `momentum` is the mean's memory."""

    def __init__(self, momentum: float, *, masked: bool) -> None:
        self._momentum = momentum
        self._masked = masked
        self._known: dict[str, list[float]] = {}  # kind: mean, variance, professions seen
        self.steps = self.at_floor = 0

    def weight(self, kind: str, divergence: float, size: int) -> float:
        """Return what a batch's mean KL is multiplied with: lambda / (mu + alpha). `size` is how many
        professions it has.
        """
        rule = rule_of(kind, masked=self._masked)
        if kind in self._known:
            mean, variance, seen = self._known[kind]
            new = self._momentum * mean + (1 - self._momentum) * divergence
            variance = (seen * variance + (divergence - new) * (divergence - mean)) / (seen + size)
            self._known[kind] = [new, max(variance, 0.0), seen + size]
        else:
            self._known[kind] = [divergence, 0.0, float(size)]
        mean, variance, _ = self._known[kind]
        raw = rule.factor * mean / (1 + variance)
        self.steps += 1
        self.at_floor += raw <= rule.floor
        return min(max(raw, rule.floor), CEILING) / (mean + rule.alpha)

    @property
    def state(self) -> dict[str, Any]:
        """All that it remembers, as JSON."""
        return {"known": self._known, "steps": self.steps, "at_floor": self.at_floor}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a `state`."""
        self._known = {kind: list(values) for kind, values in state["known"].items()}
        self.steps, self.at_floor = state["steps"], state["at_floor"]
