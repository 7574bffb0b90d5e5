"""How groups fare as they are: selection rates, the four-fifths rule, accuracy on the data's labels.

These say what a decision does to groups in these data, whatever the cause; a counterfactual says what an
attribute itself does. The rates are fairlearn's; it needs people one by one only as weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from fairlint.counterfactual.measured import Changes, Group, Share
from fairlint.counterfactual.population import Cell
from fairlint.records import Record

FOUR_FIFTHS = Fraction(4, 5)
"""Below this ratio of selection rates, US guidelines see adverse impact (29 CFR 1607.4 D)."""


class Selection(Record):
    """How the groups of a column are selected."""

    column: str
    rates: tuple[tuple[Cell, Share], ...]
    """Group → selected of those whose outcome can be compared."""
    ratio: float | None
    """The least selection rate by the greatest: disparate impact. None where nobody is selected, or where
    there are no two groups."""
    difference: float | None
    """The greatest selection rate less the least."""
    meets_four_fifths: bool | None
    """Whether the ratio is four fifths or more, by whole numbers."""


def selection(changes: Changes, *, smallest: int = 1) -> Selection:
    """Selection rates by fairlearn's `demographic_parity_ratio` and `..._difference`.

    Groups of fewer than `smallest` people are left out.
    """
    groups = [one for one in changes.groups if one.answered >= max(smallest, 1)]
    rates = tuple((one.value, Share(one.selected, one.answered)) for one in groups)
    shares = [Fraction(one.selected, one.answered) for one in groups]
    if len(groups) < 2:
        return Selection(changes.column, rates, None, None, None)
    ratio, difference = _of_groups(groups)
    highest = max(shares)
    return Selection(
        changes.column,
        rates,
        ratio if highest else None,
        difference,
        min(shares) / highest >= FOUR_FIFTHS if highest else None,
    )


def _of_groups(groups: Sequence[Group]) -> tuple[float, float]:
    from fairlearn.metrics import (  # noqa: PLC0415 (part of an extra)
        demographic_parity_difference,
        demographic_parity_ratio,
    )

    cells = [
        (place, outcome, people)
        for place, one in enumerate(groups)
        for outcome, people in ((1, one.selected), (0, one.answered - one.selected))
    ]
    outcomes = [outcome for _, outcome, _ in cells]
    told = {
        "y_true": outcomes,  # not looked at
        "y_pred": outcomes,
        "sensitive_features": [place for place, _, _ in cells],
        "sample_weight": [people for _, _, people in cells],
    }
    return float(demographic_parity_ratio(**told)), float(demographic_parity_difference(**told))


class Accuracy(Record):
    """How often outcomes agree with the data's labels."""

    right: Share
    """Accuracy."""
    hits: Share
    """Of those with the favourable label, the selected."""
    rejections: Share
    """Of those without it, the ones that are not selected."""

    @property
    def balanced(self) -> float | None:
        """The mean of both: 0.5 for whoever says the same of everybody. None where one side is empty."""
        if not self.hits.whole or not self.rejections.whole:
            return None
        both = Fraction(self.hits.part, self.hits.whole) + Fraction(
            self.rejections.part, self.rejections.whole
        )
        return float(both / 2)


def accuracy(changes: Changes) -> Accuracy:
    """Accuracy over all people whose outcome can be compared; any column's groups hold the same people."""
    return accuracy_of(changes.groups)


def accuracy_of(groups: Sequence[Group]) -> Accuracy:
    """Accuracy in some groups."""
    answered = sum(one.answered for one in groups)
    labelled = sum(one.labelled for one in groups)
    selected = sum(one.selected for one in groups)
    hits = sum(one.selected_labelled for one in groups)
    rejections = answered - labelled - (selected - hits)
    return Accuracy(
        Share(hits + rejections, answered), Share(hits, labelled), Share(rejections, answered - labelled)
    )
