"""How groups fare as they are: selection rates, the four-fifths rule, agreement with the data's labels.

These say what a decision does to groups in these data, whatever the cause; a counterfactual says what an
attribute itself does. The figures are those that fairlearn calls `selection_rate`, `demographic_parity_ratio`
and `demographic_parity_difference`, made of the numbers of people that were counted already.
"""

from __future__ import annotations

from fractions import Fraction

from fairlint.counterfactual.measured import Changes, Crossed, Measured, Share
from fairlint.counterfactual.population import Cell
from fairlint.statistics.impact_ratios import LEAST_SHARE, Counted, impact_ratios, is_too_small
from fairlint.statistics.intervals import Interval, computable, share_bounds
from fairlint.support.records import Record

FOUR_FIFTHS = Fraction(4, 5)
"""Below this ratio of selection rates, US guidelines see adverse impact (`us-29-cfr-1607`, part 4 D)."""


class Rate(Record):
    """A group, and who of it has the favourable outcome."""

    group: Cell
    selected: Share
    """Of those whose outcome can be compared."""


class Selection(Record):
    """How the groups of a column are selected."""

    column: str
    rates: tuple[Rate, ...]
    """The groups that are large enough, from the least selection rate to the greatest."""
    left_out: int
    """Groups that are too small."""

    @property
    def ratio(self) -> Fraction | None:
        """The least selection rate by the greatest: disparate impact. None where nobody is selected, or where
        there are no two groups.
        """
        if len(self.rates) < 2 or not self.rates[-1].selected:
            return None
        return _exact_share(self.rates[0].selected) / _exact_share(self.rates[-1].selected)

    @property
    def difference(self) -> Fraction | None:
        """The greatest selection rate less the least; None where there are no two groups."""
        if len(self.rates) < 2:
            return None
        return _exact_share(self.rates[-1].selected) - _exact_share(self.rates[0].selected)

    @property
    def meets_four_fifths(self) -> bool | None:
        """Whether the ratio is four fifths or more."""
        return None if self.ratio is None else self.ratio >= FOUR_FIFTHS


def selection(changes: Changes, *, smallest: Fraction = LEAST_SHARE) -> Selection:
    """Return selection rates by a column, of groups that are at least `smallest` of all counted people."""
    groups = [one for one in changes.groups if one.answered]
    everybody = sum(one.answered for one in groups)
    large = [one for one in groups if not is_too_small(one.answered, everybody, smallest)]
    rates = (Rate(one.value, Share(one.selected, one.answered)) for one in large)
    return Selection(
        changes.column,
        tuple(sorted(rates, key=lambda one: _exact_share(one.selected))),
        len(groups) - len(large),
    )


def selections(measured: Measured) -> tuple[Selection, ...]:
    """Return selection rates by each column; none where nobody can say which outcome is the
    favourable one.
    """
    return tuple(map(selection, measured.attributes)) if _has_selected(measured) else ()


def _has_selected(measured: Measured) -> bool:
    return measured.favourable is not None or measured.score_limit is not None


class CrossedRate(Record):
    """A crossed group, such as black women, and who of it has the favourable outcome."""

    groups: tuple[Cell, Cell]
    people: int
    selected: Share
    """Of those whose outcome can be compared."""
    bounds: Interval | None
    """Of the rate, by Clopper and Pearson; None where scipy is not installed."""
    ratio: Fraction | None
    """The impact ratio: its rate by that of the group that is selected most often. None where it is too
    small to be compared, or nobody is selected."""
    is_small: bool


class CrossedSelection(Record):
    """How the groups of two columns at once are selected: sex and race, as New York City's audits have it."""

    columns: tuple[str, str]
    rates: tuple[CrossedRate, ...]
    """From the least selection rate to the greatest, small groups last."""
    left_out: int
    """Groups that were not kept; all of them are too small to be compared."""

    @property
    def compared(self) -> tuple[CrossedRate, ...]:
        """The groups that are large enough."""
        return tuple(one for one in self.rates if not one.is_small)

    @property
    def ratio(self) -> Fraction | None:
        """The least impact ratio; None where nobody is selected, or where there are no two groups."""
        return self.compared[0].ratio if len(self.compared) > 1 else None

    @property
    def meets_four_fifths(self) -> bool | None:
        """Whether that ratio is four fifths or more."""
        return None if self.ratio is None else self.ratio >= FOUR_FIFTHS


def crossed_selections(measured: Measured) -> tuple[CrossedSelection, ...]:
    """Return selection rates by each two columns; none where nobody can say which outcome is the favourable
    one.
    """
    return tuple(map(_crossed_selection, measured.crossed)) if _has_selected(measured) else ()


def _crossed_selection(crossed: Crossed) -> CrossedSelection:
    groups = {one.values: one for one in crossed.groups if one.answered}
    counted = {values: Counted(Fraction(one.selected), one.answered) for values, one in groups.items()}
    rates = [
        CrossedRate(
            values,
            groups[values].people,
            Share(groups[values].selected, one.people),
            _interval_of_share(groups[values].selected, one.people) if computable() else None,
            one.ratio,
            one.is_small,
        )
        for values, one in impact_ratios(counted, everybody=crossed.answered).items()
    ]
    rates.sort(key=lambda one: (one.is_small, _exact_share(one.selected)))
    return CrossedSelection(crossed.columns, tuple(rates), crossed.left_out)


def _interval_of_share(part: int, whole: int) -> Interval:
    """Return a share with its bounds."""
    low, high = share_bounds(part, whole)
    return Interval(part / whole, low, high)


class Accuracy(Record):
    """How often outcomes agree with the data's labels."""

    right: Share
    """Accuracy."""
    hits: Share
    """Of those with the favourable label, the selected."""
    rejections: Share
    """Of those without it, the ones that are not selected."""

    @property
    def balanced(self) -> float:
        """The mean of both: 0.5 for whoever says the same of everybody."""
        return float((_exact_share(self.hits) + _exact_share(self.rejections)) / 2)


def accuracy(measured: Measured) -> Accuracy | None:
    """Accuracy over all people whose outcome can be compared.

    None where the data have no label, or the same one for everybody, and where nobody can say which outcome
    is the favourable one.
    """
    # the groups of any column hold the same people
    groups = measured.attributes[0].groups if measured.attributes and measured.favourable is not None else ()
    answered = sum(one.answered for one in groups)
    labelled = sum(one.labelled for one in groups)
    if not 0 < labelled < answered:
        return None
    hits = sum(one.selected_labelled for one in groups)
    rejections = answered - labelled - (sum(one.selected for one in groups) - hits)
    return Accuracy(
        Share(hits + rejections, answered), Share(hits, labelled), Share(rejections, answered - labelled)
    )


def _exact_share(share: Share) -> Fraction:
    return Fraction(share.part, share.whole)
