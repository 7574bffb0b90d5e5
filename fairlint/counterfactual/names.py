"""Which column a name stands for that a program takes: `marital_status` for `marital-status`."""

from __future__ import annotations

from collections.abc import Sequence

from fairlint.config.errors import UsageError
from fairlint.counterfactual.population import Population
from fairlint.nearest import did_you_mean


def columns_of(names: Sequence[str], population: Population) -> tuple[int, ...]:
    """The place of each name's column: the one called so, else the one that is written alike but for signs.

    Raises UsageError for a name of no column, or of one that another name stands for already.
    """
    columns = [column.name for column in population.columns]
    plain = [_plain(column) for column in columns]
    found: list[int] = []
    for name in names:
        if name in columns:
            place = columns.index(name)
        elif plain.count(_plain(name)) == 1:
            place = plain.index(_plain(name))
        else:
            hint = did_you_mean(name, columns)
            raise UsageError(f"population '{population.name}' has no column for '{name}'{hint}")
        if place in found:
            raise UsageError(f"'{name}' stands for column '{columns[place]}', which another name does, too")
        found.append(place)
    return tuple(found)


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())
