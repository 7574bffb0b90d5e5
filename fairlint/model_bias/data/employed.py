"""The share of groups among people in occupations: a user's CSV, a table of the BLS, or WinoGender's.

The BLS table is *Employed persons by detailed occupation, sex, race, and Hispanic or Latino ethnicity*
(number 11 of the annual averages of the Current Population Survey), saved as CSV: titles, then a header over
several lines, then an occupation a line with percentages. It is known by heads that no plain CSV has
(OWN_HEADS); where no percentage is above 1, the file is refused as one of shares. Hispanic people are of any
race there, so that groups of a race do not sum to 1. Where a group of occupations and one of them have the
same name, the later line counts.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from fairlint.model_bias.data.occupations import shares as women_shares
from fairlint.model_bias.data.records import FEMALE, MALE
from fairlint.model_bias.data.rows import COMMA, TAB, columns, rows
from fairlint.model_bias.data.sources import Text, read
from fairlint.support.errors import UsageError
from fairlint.support.plain_names import plain_name
from fairlint.support.records import Record

WINOGENDER = "winogender"
OCCUPATION = "occupation"
WOMEN = "women"
BLS_GROUPS = {
    WOMEN: FEMALE, "white": "white", "black or african american": "black", "asian": "asian",
    "hispanic or latino": "hispanic",
}  # fmt: skip
"""Header of the BLS table → group."""
OWN_HEADS = frozenset({WOMEN, "black or african american", "hispanic or latino"})
"""Heads that only the table of the BLS has, in one line."""
SEPARATORS = (COMMA, ";", TAB)
APART = ((FEMALE, MALE), ("white", "black", "asian"))
"""Groups of which nobody is in two. Hispanic people are of any race."""
ROUNDING = 0.015
"""What shares of two digits may sum to above 1, three of them."""
NO_FIGURE = frozenset({"", "-", "–", "—", "n/a", "na"})
"""Cells of the BLS where too few people are employed."""


class Employed(Record):
    """Occupation → group → share."""

    source: str
    shares: Mapping[str, Mapping[str, float]]


def load(name: str) -> Employed:
    """Return the shares of a file, or those of women by WinoGender's table (`winogender`).

    A plain CSV has the column `occupation` and one for each group, with shares from 0 to 1, and commas,
    semicolons or tabs between them; cells may be empty. Raises UsageError, with the line, for what is neither
    that nor a table of the BLS.
    """
    if name == WINOGENDER:
        known = {one.occupation: _both_sexes(one.bls / 100) for one in women_shares().values()}
        return Employed("WinoGender's table (BLS)", known)
    table = read(Path(name).expanduser())
    is_bls = any(set(_plain_words(cells)) >= OWN_HEADS for _, cells in _lines_of(table))
    found: dict[str, Mapping[str, float]] = {}
    lines: dict[str, int] = {}
    for row in _bls_rows(table) if is_bls else _plain_rows(table):
        if not is_bls:
            _check_sums(table, row)
            before = lines.setdefault(plain_name(row.occupation), row.line)
            if before != row.line:
                raise UsageError(
                    f"{table.path}: line {row.line}: '{row.occupation}' is in line {before}, too (case and "
                    "plural do not count)"
                )
        found[row.occupation] = row.shares
    return Employed(f"{table.path.name}{' (BLS)' if is_bls else ''}", found)


class _Line(NamedTuple):
    number: int
    """Of the line on which the row ends."""
    cells: list[str]


class _Row(NamedTuple):
    line: int
    occupation: str
    shares: Mapping[str, float]


def _both_sexes(women: float) -> dict[str, float]:
    return {FEMALE: women, MALE: 1 - women}


def _plain_words(cells: Sequence[str]) -> list[str]:
    """Return cells in small letters and with single spaces."""
    return [" ".join(cell.split()).casefold() for cell in cells]


def _plain_rows(table: Text) -> Iterator[_Row]:
    separator = _separator_of(table)
    heads = columns(table, separator)
    words = _plain_words(heads)
    for place, word in enumerate(words):
        if word in words[:place]:
            raise UsageError(f"{table.path}: line 1 has the column '{word}' twice")
    named = {word: head for word, head in zip(words, heads, strict=True) if word and word != OCCUPATION}
    if not named:
        raise UsageError(f"{table.path}: line 1 has no column of a group beside '{OCCUPATION}'")
    wanted = (heads[words.index(OCCUPATION)], *named.values())
    for line, (occupation, *cells) in rows(table, separator, wanted):
        told = {
            group: _parse_share(table, line, group, cell, 1)
            for group, cell in zip(named, cells, strict=True)
            if cell.strip()
        }
        yield _Row(line, occupation.strip(), told)


def _separator_of(table: Text) -> str:
    """Return what separates the columns of a plain file.

    Raises UsageError, with the columns that are wanted, where none of them is `occupation`.
    """
    for separator in SEPARATORS:
        if OCCUPATION in _plain_words(columns(table, separator)):
            return separator
    given = ", ".join(f"'{head}'" for head in columns(table, COMMA)) or "nothing"
    raise UsageError(
        f"{table.path}: line 1 has {given}: a plain CSV has there '{OCCUPATION}' and a column for each group "
        f"('{FEMALE}', '{MALE}', 'white', 'black'...), and table 11 of the BLS has a line with "
        "'Women', 'Black or African American' and 'Hispanic or Latino'"
    )


def _lines_of(table: Text) -> Iterator[_Line]:
    """Yield the rows of a file with commas. Raises UsageError for what is no CSV."""
    reader = csv.reader(io.StringIO(table.text, newline=""))
    try:
        for cells in reader:
            yield _Line(reader.line_num, cells)
    except csv.Error as error:
        raise UsageError(f"{table.path}: line {reader.line_num}: {error}") from None


def _bls_rows(table: Text) -> Iterator[_Row]:
    places: dict[int, str] = {}
    found: list[_Row] = []
    for line, cells in _lines_of(table):
        words = _plain_words(cells)
        if not places:
            if set(words) >= OWN_HEADS:
                places = {at: BLS_GROUPS[word] for at, word in enumerate(words) if word in BLS_GROUPS}
            continue
        occupation = " ".join(cells[0].split()) if cells else ""
        figures = {group: words[at] for at, group in places.items() if at < len(words)}
        if not occupation or all(cell in NO_FIGURE for cell in figures.values()):
            continue
        told = {
            group: _parse_share(table, line, group, cell, 100)
            for group, cell in figures.items()
            if cell not in NO_FIGURE
        }
        found.append(_Row(line, occupation, told))
    if not found:
        raise UsageError(f"{table.path} has no occupations behind its header")
    if max(share for row in found for share in row.shares.values()) <= 1 / 100:
        raise UsageError(
            f"{table.path}: line {found[0].line}: no percentage from here on is above 1; shares from 0 to 1 "
            f"belong in a plain CSV with the columns '{OCCUPATION}', '{FEMALE}', '{MALE}'..."
        )
    for row in found:
        both = _both_sexes(row.shares[FEMALE]) if FEMALE in row.shares else {}
        yield row._replace(shares={**row.shares, **both})


def _check_sums(table: Text, row: _Row) -> None:
    """Raise UsageError where groups of which nobody is in two have more than all people."""
    for groups in APART:
        shares = [row.shares[group] for group in groups if group in row.shares]
        if sum(shares) > 1 + ROUNDING:
            named = " + ".join(f"{group} {row.shares[group]:g}" for group in groups if group in row.shares)
            raise UsageError(f"{table.path}: line {row.line}: {named} is more than 1")


def _parse_share(table: Text, line: int, group: str, cell: str, whole: int) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = -1.0
    if not 0 <= number <= whole:  # NaN is not in between, either
        what = "percentage" if whole > 1 else "share between 0 and 1"
        raise UsageError(f"{table.path}: line {line}, {group}: '{cell.strip()}' is no {what}")
    return number / whole
