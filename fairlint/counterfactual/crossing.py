"""People by two columns at once, and which of them a program selects as they are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, islice

import numpy

from fairlint.counterfactual.coded import Coded, Numbers
from fairlint.counterfactual.measured import Crossed, CrossedGroup

MOST_CROSSED = 1_000
"""Groups of two columns that are kept, the largest ones. Those of 2 % and more are 50 at most."""
MOST_CROSSINGS = 105
"""Pairs of columns that are crossed: those of 15 columns."""


def crossings(
    people: Coded, places: Sequence[int], own: Numbers, is_selected: Numbers
) -> tuple[Crossed, ...]:
    """Return people by each two columns; `own` are their outcomes, `is_selected` says which are good."""
    pairs = islice(combinations(places, 2), MOST_CROSSINGS)
    return tuple(_crossing(people, pair, own, is_selected) for pair in pairs)


def _crossing(people: Coded, pair: tuple[int, int], own: Numbers, is_selected: Numbers) -> Crossed:
    one, other = (people.columns[place] for place in pair)
    joined = one.codes.astype(numpy.int64) * len(other.cells) + other.codes
    keys, group = numpy.unique(joined, return_inverse=True)
    is_answered = own >= 0
    counts = numpy.zeros((3, len(keys)), dtype=numpy.int64)
    for count, mask in zip(counts, (numpy.ones(len(own), dtype=bool), is_answered, is_selected), strict=True):
        numpy.add.at(count, group, people.weights * mask)
    largest = numpy.argsort(-counts[1], kind="stable")
    return Crossed(
        columns=(one.column.name, other.column.name),
        groups=tuple(
            CrossedGroup(
                (one.cells[keys[place] // len(other.cells)], other.cells[keys[place] % len(other.cells)]),
                *counts[:, place].tolist(),
            )
            for place in largest[:MOST_CROSSED].tolist()
        ),
        answered=int(counts[1].sum()),
        left_out=max(0, len(keys) - MOST_CROSSED),
    )
