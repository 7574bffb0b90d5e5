"""Names that show a group: lists with their sources, and one's own."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from fairlint.support.documents import read_toml
from fairlint.support.errors import UsageError
from fairlint.support.files import LARGEST_SETTINGS, NotReadableError, read_file
from fairlint.support.records import Record

SHIPPED = Path(__file__).parent / "names.toml"
OWN_COLUMNS = ("gender", "race", "first", "last")


class Source(Record):
    """Where a list of names comes from."""

    title: str
    year: int
    url: str
    licence: str
    note: str = ""


class Names(Record):
    """The first and last names of people of one sex and race."""

    gender: str
    race: str
    first: tuple[str, ...]
    last: tuple[str, ...]
    sources: tuple[Source, ...] = ()

    def full_name(self, place: int) -> tuple[str, str]:
        """Return the first and last name at a place; every pair comes before any is repeated."""
        turn = place // math.lcm(len(self.first), len(self.last))
        return self.first[place % len(self.first)], self.last[(place + turn) % len(self.last)]


@cache
def shipped_names(country: str) -> tuple[Names, ...]:
    """Return the lists of a country. Raises UsageError where there are none."""
    told = read_toml(SHIPPED.read_text("utf-8"))
    sources = {key: Source(**one) for key, one in told["sources"].items()}
    lists = [one for one in told["lists"] if one["country"] == country]
    if not lists:
        known = ", ".join(sorted({one["country"] for one in told["lists"]}))
        raise UsageError(
            f"--names-of {country}: there are lists of {known} only; give your own with --names FILE.csv"
        )
    return tuple(
        Names(
            one["gender"],
            one["race"],
            tuple(one["first"]),
            tuple(one["last"]),
            (sources[one["first_source"]], sources[one["last_source"]]),
        )
        for one in lists
    )


def own_names(path: str) -> tuple[Names, ...]:
    """Return the names of a CSV file with the columns gender, race, first and last, one person a line.

    Raises UsageError in one line for a file that cannot be read or has no two groups.
    """
    try:
        text = read_file(path, LARGEST_SETTINGS).decode("utf-8-sig")
    except (NotReadableError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from None
    rows = list(csv.DictReader(io.StringIO(text)))
    if not rows or not set(OWN_COLUMNS) <= set(rows[0]):
        raise UsageError(f"{path}: a list of names has the columns {', '.join(OWN_COLUMNS)}")
    held: dict[tuple[str, str], tuple[dict[str, None], dict[str, None]]] = {}
    for row in rows:
        first, last = held.setdefault((row["gender"], row["race"]), ({}, {}))
        first[row["first"]] = None
        last[row["last"]] = None
    if len(held) < 2:
        raise UsageError(f"{path}: names of one group only; an effect is a difference between groups")
    return tuple(Names(*groups, tuple(first), tuple(last)) for groups, (first, last) in held.items())


def groups_with_names(lists: Sequence[Names], attribute: str) -> Mapping[str, list[Names]]:
    """Return the lists of each group of an attribute, `gender` or `race`, in their order."""
    found: dict[str, list[Names]] = {}
    for one in lists:
        found.setdefault(one.gender if attribute == "gender" else one.race, []).append(one)
    return found
