"""The share of groups among people in occupations: a user's CSV, a table of the BLS, or WinoGender's.

The BLS table is *Employed persons by detailed occupation, sex, race, and Hispanic or Latino ethnicity*
(number 11 of the annual averages of the Current Population Survey), saved as CSV: titles, then a header over
several lines, then an occupation a line with percentages. Hispanic people are of any race there, so that
groups of a race do not sum to 1. Where a group of occupations and one of them have the same name, the later
line counts.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from fairlint.model_bias.data.occupations import shares as women_shares
from fairlint.model_bias.data.records import FEMALE, MALE
from fairlint.model_bias.data.rows import COMMA, columns, rows
from fairlint.model_bias.data.sources import Text, read
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

WINOGENDER = "winogender"
OCCUPATION = "occupation"
WOMEN = "women"
BLS_GROUPS = {
    WOMEN: FEMALE, "white": "white", "black or african american": "black", "asian": "asian",
    "hispanic or latino": "hispanic",
}  # fmt: skip
"""Header of the BLS table → group."""
NO_FIGURE = frozenset({"", "-", "–", "—", "n/a", "na"})
"""Cells of the BLS where too few people are employed."""


class Employed(Record):
    """Occupation → group → share."""

    source: str
    shares: Mapping[str, Mapping[str, float]]


def load(name: str) -> Employed:
    """Return the shares of a file, or those of women by WinoGender's table (`winogender`).

    A plain CSV has the column `occupation` and one for each group, with shares from 0 to 1; cells may be
    empty. Raises UsageError, with the line, for what is neither that nor a table of the BLS.
    """
    if name == WINOGENDER:
        known = {one.occupation: _both_sexes(one.bls / 100) for one in women_shares().values()}
        return Employed("WinoGender's table (BLS)", known)
    table = read(Path(name).expanduser())
    plain = OCCUPATION in columns(table, COMMA)
    found: dict[str, Mapping[str, float]] = {}
    for row in _plain_rows(table) if plain else _bls_rows(table):
        if plain and row.occupation in found:
            raise UsageError(f"{table.path}: line {row.line}: '{row.occupation}' is there twice")
        found[row.occupation] = row.shares
    return Employed(f"{table.path.name}{'' if plain else ' (BLS)'}", found)


class _Row(NamedTuple):
    line: int
    occupation: str
    shares: Mapping[str, float]


def _both_sexes(women: float) -> dict[str, float]:
    return {FEMALE: women, MALE: 1 - women}


def _plain_rows(table: Text) -> Iterator[_Row]:
    groups = [name for name in columns(table, COMMA) if name != OCCUPATION]
    if not groups:
        raise UsageError(f"{table.path}: line 1 has no column of a group beside '{OCCUPATION}'")
    for line, (occupation, *cells) in rows(table, COMMA, (OCCUPATION, *groups)):
        told = {
            group.strip().casefold(): _parse_share(table, line, group, cell, 1)
            for group, cell in zip(groups, cells, strict=True)
            if cell.strip()
        }
        yield _Row(line, occupation.strip(), told)


def _bls_rows(table: Text) -> Iterator[_Row]:
    reader = csv.reader(io.StringIO(table.text, newline=""))
    places: dict[int, str] = {}
    empty = True
    try:
        for cells in reader:
            words = [" ".join(cell.split()).casefold() for cell in cells]
            if not places:
                if WOMEN in words:
                    places = {at: BLS_GROUPS[word] for at, word in enumerate(words) if word in BLS_GROUPS}
                continue
            occupation = " ".join(cells[0].split()) if cells else ""
            figures = {group: words[at] for at, group in places.items() if at < len(words)}
            if not occupation or all(cell in NO_FIGURE for cell in figures.values()):
                continue
            empty = False
            told = {
                group: _parse_share(table, reader.line_num, group, cell, 100)
                for group, cell in figures.items()
                if cell not in NO_FIGURE
            }
            both = _both_sexes(told[FEMALE]) if FEMALE in told else {}
            yield _Row(reader.line_num, occupation, {**told, **both})
    except csv.Error as error:
        raise UsageError(f"{table.path}: line {reader.line_num}: {error}") from None
    if not places:
        raise UsageError(
            f"{table.path}: has neither a column '{OCCUPATION}' in line 1 nor, as the table of the BLS, "
            "a line with the column 'Women'"
        )
    if empty:
        raise UsageError(f"{table.path} has no occupations behind its header")


def _parse_share(table: Text, line: int, group: str, cell: str, whole: int) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = -1.0
    if not 0 <= number <= whole:  # NaN is not in between, either
        what = "percentage" if whole > 1 else "share between 0 and 1"
        raise UsageError(f"{table.path}: line {line}, {group}: '{cell.strip()}' is no {what}")
    return number / whole
