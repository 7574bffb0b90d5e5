"""Which columns are protected, where nobody says it: fairlint is asked about code that reads them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import fairlint
from fairlint.counterfactual.population import Column
from fairlint.support.errors import UsageError
from fairlint.support.records import replace

MOST_GUESSED = 1_000
"""Columns of which it is guessed what they hold, as each is asked of the analysis."""


def guess_attributes(columns: Sequence[Column], where: str) -> tuple[tuple[Column, ...], str]:
    """Return the columns, with the attributes that fairlint knows by their names, and a note that says so.

    Raises UsageError where it knows none, and where there are too many to ask; `where` is what that calls
    the data.
    """
    if len(columns) > MOST_GUESSED:
        raise UsageError(
            f"{where}: {len(columns):,} columns are too many to guess which are protected (at most "
            f"{MOST_GUESSED:,}): describe the data in a TOML file, and name it with --data-config"
        )
    known = tuple(replace(column, attribute=attribute_of(column)) for column in columns)
    protected = [f"{column.name} ({column.attribute})" for column in known if column.attribute]
    if not protected:
        names = ", ".join(column.name for column in known)[:200]
        raise UsageError(
            f"{where}: no column is known to be protected ({names}): describe the data in a TOML "
            "file, and name it with --data-config"
        )
    return known, (
        f"Which columns are protected is guessed by their names: {', '.join(protected)}. A description "
        "(--data-config) says it for sure."
    )


def unknown_attributes(columns: Iterable[Column]) -> tuple[str, ...]:
    """Return a sentence for each attribute that fairlint has no rules for."""
    told = []
    for column in columns:
        try:
            fairlint.Report().points(column.attribute or "age")
        except KeyError:
            meant = attribute_of(replace(column, name=column.attribute))
            hint = f"; `{meant}` is one" if meant else ""
            told.append(f"`{column.attribute}` is no attribute that fairlint itself knows{hint}.")
    return tuple(told)


def alone(columns: Iterable[Column]) -> tuple[str, ...]:
    """Return a sentence for each protected column in which there is one value: nobody can be given
    another.
    """
    return tuple(
        f"`{column.name}` has one value, {str(column.values[0])!r}: nobody is compared with another group, "
        "and 0 % says nothing about it. A description (--data-config) can name the others."
        for column in columns
        if column.attribute and len(column.values) == 1
    )


def attribute_of(column: Column, settings: fairlint.Settings | None = None) -> str | None:
    """Return the protected attribute that a decision by a column would be about."""
    value = next((value for value in column.values if value is not None), "")
    code = (
        "def decide(person):\n"
        f"    if person[{column.name!r}] == {value!r}:\n"
        "        return True\n"
        "    return False\n"
    )
    report = fairlint.check_source(code, path="decision.py", settings=settings)
    return next((use.attribute for _, use in report.uses), None)
