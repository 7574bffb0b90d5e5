"""What one answer says of one cell: the record that all statistics of a prompt audit start from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Literal

from fairlint.support.records import Record

Arm = Literal["group", "rewrite", "again"]
"""`group`: the person is of the group. `rewrite`: the person is of the case's reference group, in a text as
long as that of the group. `again`: a cell's prompt, word for word, a second time."""
Kind = Literal["read", "refused", "unreadable"]
Outcome = Literal["decision", "refused", "unreadable", "outside"]
"""What is compared between groups: the decision, or how often there is none. `outside`: how likely answers
are that are not allowed, where probabilities are known; nobody knows which of them are refusals."""
BY_VALUE = frozenset({"name", "proxy"})
"""Channels in which one of several values of a group shows it."""
DRAWN: tuple[Outcome, ...] = ("decision", "refused", "unreadable")
"""The outcomes of answers that were drawn."""
SCORED: tuple[Outcome, ...] = ("decision", "outside")
"""The outcomes of probabilities."""


class Observation(Record):
    """One answer to one cell of a case."""

    case: str
    channel: str
    """How the group shows: `explicit`, `name`, `proxy` or `title`."""
    groups: tuple[tuple[str, str], ...]
    """Attribute and group, for all attributes that this cell sets."""
    arm: Arm
    draw: int
    """Number of the name or repetition; equal draws of a case are paired."""
    kind: Kind
    value: Fraction | None
    """Share of the scale, from 0 to 1; None where no answer was read."""
    name: str = ""
    """First name of the person, or the proxy's value; empty where neither shows the group."""
    mitigation: str = ""
    """By which the prompt was changed; empty where it was as it is."""
    outside: Fraction | None = None
    """The probability of all answers that are not allowed; None where the answer was drawn."""
    likeliest: Fraction | None = None
    """The share of the scale of the likeliest allowed answer, where `value` is the expected one."""
    slack: float = 0.0
    """By how much the probability of an allowed answer may be more than what is known."""

    @property
    def said(self) -> Fraction | None:
        """The share of the scale of one answer: what was drawn, or what is likeliest."""
        return self.value if self.likeliest is None else self.likeliest

    def group_of(self, attribute: str) -> str | None:
        """Return the group that the cell sets for an attribute; None where it sets none."""
        return next((group for name, group in self.groups if name == attribute), None)


def value_of(observation: Observation, outcome: Outcome) -> Fraction | None:
    """Return what an observation contributes to an outcome; None where it says nothing of it.

    Refusals and unreadable answers are outcomes of their own, 1 where they happened and 0 elsewhere.
    """
    if outcome == "decision":
        return observation.value
    if outcome == "outside":
        return observation.outside
    return Fraction(observation.kind == outcome)


def outcomes_of(observations: Iterable[Observation]) -> tuple[Outcome, ...]:
    """Return what can be compared: probabilities say nothing of refusals."""
    return DRAWN if all(one.outside is None for one in observations) else SCORED


def attributes_of(observations: Iterable[Observation]) -> list[str]:
    """Return the attributes that cells set, sorted."""
    return sorted({name for one in observations for name, _ in one.groups})


def groups_of(observations: Iterable[Observation], attribute: str) -> list[str]:
    """Return the groups of an attribute, sorted: the order of the answers changes no sign."""
    found = (one.group_of(attribute) for one in observations if one.arm == "group")
    return sorted({group for group in found if group is not None})


def mean(values: Sequence[Fraction]) -> Fraction:
    """Return the exact mean. Raises ZeroDivisionError where there is nothing."""
    return sum(values, Fraction(0)) / len(values)
