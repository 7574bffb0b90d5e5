"""Columns that follow another: which group each of two counterparts belongs to, by the people who have it.

A description says that Husband and Wife are counterparts; that a Husband is a man is read off the data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import nlargest
from itertools import product

from fairlint.counterfactual.description import ColumnDescription
from fairlint.counterfactual.keys import TextPair, cell_text
from fairlint.counterfactual.population import Cell, Column, Counterparts, Follower
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.errors import UsageError
from fairlint.support.records import Record, replace

Rows = Sequence[tuple[Cell, ...]]


class Followed(Record):
    """Columns with what follows them, and what a reader has to know."""

    columns: tuple[Column, ...]
    notes: tuple[str, ...]


def add_followers(
    columns: Sequence[Column],
    descriptions: Sequence[ColumnDescription],
    rows: Rows,
    weights: Sequence[int],
    where: str,
) -> Followed:
    """Return the columns of people with those that follow them.

    A counterpart that nobody has becomes a value that people could have. Raises UsageError, which calls the
    data `where`, for a column that people lack, and for counterparts that the data do not tell apart.
    """
    known = {column.name: place for place, column in enumerate(columns)}
    found = list(columns)
    notes: list[str] = []
    for described in descriptions:
        followers = []
        for name, pairs in described.follow.items():
            place = f"{where}: 'columns' → '{described.name}' → 'follow' → '{name}'"
            if name not in known:
                raise UsageError(f"{place}: people have no such column{did_you_mean(name, known)}")
            owner, other = known[described.name], known[name]
            found[other] = _with_counterparts(found[other], pairs, place)
            cells = {cell_text(value): value for value in found[other].values if value is not None}
            counts: Counter[tuple[Cell, Cell]] = Counter()
            for row, weight in zip(rows, weights, strict=True):
                counts[row[other], row[owner]] += weight
            values = found[owner].values
            told = [
                _place_counterparts(cells[pair.one], cells[pair.other], values, counts, place)
                for pair in pairs
            ]
            notes += _lacking_values(name, pairs, counts)
            followers.append(Follower(name, tuple(one for one in told if one is not None)))
        if followers:
            owner = known[described.name]
            found[owner] = replace(found[owner], followers=tuple(followers))
    return Followed(tuple(found), tuple(notes))


def _with_counterparts(column: Column, pairs: Sequence[TextPair], where: str) -> Column:
    """Return a column that can have all values of the pairs."""
    known = {cell_text(value) for value in column.values if value is not None}
    lacking = [text for pair in pairs for text in (pair.one, pair.other) if text not in known]
    if lacking and column.ordered:
        raise UsageError(
            f"{where}: '{lacking[0]}' is not among its ordered values{did_you_mean(lacking[0], known)}"
        )
    return replace(column, values=(*column.values, *lacking)) if lacking else column


def _lacking_values(
    name: str, pairs: Sequence[TextPair], counts: Counter[tuple[Cell, Cell]]
) -> Iterator[str]:
    """Yield a sentence for each value of the pairs that nobody has."""
    there = dict.fromkeys(cell_text(cell) for cell, _ in counts)
    for text in (text for pair in pairs for text in (pair.one, pair.other) if text not in there):
        hint = did_you_mean(text, there) or "."
        yield f"Nobody has '{text}' in `{name}`, which is to follow another column{hint}"


def _place_counterparts(
    one: Cell, other: Cell, groups: Sequence[Cell], counts: Counter[tuple[Cell, Cell]], where: str
) -> Counterparts | None:
    """Return two values with two different groups: those in which the most people have them.

    None where nobody has either value. Raises UsageError where two ways are as likely.
    """
    likely = product(_largest_groups(one, groups, counts), _largest_groups(other, groups, counts))
    ways = [
        (counts[one, mine] + counts[other, theirs], mine, theirs) for mine, theirs in likely if mine != theirs
    ]
    best, *others = nlargest(2, ways, key=lambda way: way[0]) or [(0, None, None)]
    if not best[0]:
        return None
    if others and others[0][0] == best[0]:
        raise UsageError(
            f"{where}: the data do not say which group has '{cell_text(one)}' and which has "
            f"'{cell_text(other)}': {'; '.join(_groups_text(cell, groups, counts) for cell in (one, other))}"
        )
    return Counterparts(one, best[1], other, best[2])


def _largest_groups(cell: Cell, groups: Sequence[Cell], counts: Counter[tuple[Cell, Cell]]) -> list[Cell]:
    """Return the groups in which the most people have a value: three, the best two ways are among them."""
    return nlargest(3, groups, key=lambda group: counts[cell, group])


def _groups_text(cell: Cell, groups: Sequence[Cell], counts: Counter[tuple[Cell, Cell]]) -> str:
    """Return how many people of which groups have a value."""
    largest = _largest_groups(cell, groups, counts)
    told = ", ".join(f"{counts[cell, group]:,} of {group}" for group in largest if counts[cell, group])
    return f"'{cell_text(cell)}' has {told or 'nobody'}"
