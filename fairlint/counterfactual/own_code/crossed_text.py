"""Who is selected by two attributes at once, for people to read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from fairlint.counterfactual.group_metrics import CrossedRate, CrossedSelection, crossed_selections
from fairlint.counterfactual.measured import Measured
from fairlint.counterfactual.own_code.aligning import align_columns, percent_text, ratio_text, shorten_text
from fairlint.counterfactual.population import Cell
from fairlint.reporters.printable import printable
from fairlint.reporters.style import Style

MOST_PAIRS = 6
"""Pairs of attributes that are listed."""
MOST_CROSSINGS = 1
"""Pairs of attributes of which it lists all groups."""
MOST_GROUPS = 16
"""Groups of a pair that it lists."""
LONGEST_GROUP = 20
"""Characters of each of two groups."""


def crossed_lines(measured: Measured, style: Style) -> Iterator[str]:
    """Yield who is selected by two attributes at once: gender and race first, then the least ratios."""
    kinds = {one.column: one.attribute for one in measured.attributes}
    crossed = sorted(
        (one for one in crossed_selections(measured) if len(one.compared) > 1),
        key=lambda one: (
            {kinds[name] for name in one.columns} != {"gender", "race"},
            1 if one.ratio is None else one.ratio,
        ),
    )
    if crossed:
        yield ""
        yield from _headed_lines(
            [
                ("two attributes", "least", "", "most", "", "ratio", ""),
                *map(_summary_row, crossed[:MOST_PAIRS]),
            ],
            {2, 4, 5},
            style,
        )
    if (others := len(crossed) - MOST_PAIRS) > 0:
        yield f"{others} more {'pair' if others == 1 else 'pairs'} of attributes (--format json)"
    for both in crossed[:MOST_CROSSINGS]:
        yield ""
        yield from _group_lines(both, style)
    if lost := measured.crossed_left_out:
        what = "pair of attributes is" if lost == 1 else "pairs of attributes are"
        yield f"{lost:,} {what} not crossed, as there are too many"


def _headed_lines(rows: Sequence[Sequence[str]], right: Collection[int], style: Style) -> Iterator[str]:
    """Yield the lines of a table, of which the first is its head."""
    for number, line in enumerate(align_columns(rows, right=right)):
        yield line if number else style("dim", line)


def _summary_row(both: CrossedSelection) -> Sequence[str]:
    """Return the row of a pair of attributes: its lowest and its highest rate."""
    least, most = both.compared[0], both.compared[-1]
    return (
        _crossed_text(both.columns, " × "),
        _crossed_text(least.groups),
        percent_text(least.selected),
        _crossed_text(most.groups),
        percent_text(most.selected),
        ratio_text(both.ratio),
        "below four fifths" if both.meets_four_fifths is False else "",
    )


def _group_lines(both: CrossedSelection, style: Style) -> Iterator[str]:
    """Yield a line for each group of a pair of attributes, the compared ones first."""
    head = (_crossed_text(both.columns, " × "), "selected", "of people", "rate", "95 % bounds", "ratio", "")
    shown = both.rates[:MOST_GROUPS]
    yield from _headed_lines([head, *map(_group_row, shown)], {1, 2, 3, 4, 5}, style)
    lost = len(both.rates) - len(shown) + both.left_out
    if lost:
        small = sum(one.is_small for one in both.rates[MOST_GROUPS:]) + both.left_out
        groups = "group" if lost == 1 else "groups"
        yield f"{lost:,} more {groups}, {small:,} of them below 2 % (--format json)"


def _group_row(rate: CrossedRate) -> Sequence[str]:
    bounds = rate.bounds
    return (
        _crossed_text(rate.groups),
        f"{rate.selected.part:,}",
        f"{rate.selected.whole:,}",
        percent_text(rate.selected),
        "" if bounds is None else f"{100 * bounds.low:.1f}–{100 * bounds.high:.1f} %",
        "" if rate.is_small else ratio_text(rate.ratio),
        "below 2 %, not compared" if rate.is_small else "",
    )


def _crossed_text(values: Sequence[Cell], between: str = ", ") -> str:
    return between.join(shorten_text(printable(str(value)), LONGEST_GROUP) for value in values)
