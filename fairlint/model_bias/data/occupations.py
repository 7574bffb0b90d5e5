"""The share of women in 60 occupations, out of WinoGender's table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fairlint.model_bias.data.records import Women
from fairlint.model_bias.data.rows import TAB, rows
from fairlint.model_bias.data.sources import Text, load_data_set, read
from fairlint.support.errors import UsageError

COLUMNS = ("occupation", "bls_pct_female", "bls_year", "bergsma_pct_female")
TABLE = "occupations-stats.tsv"


def shares(beside: Path | None = None) -> Mapping[str, Women]:
    """Occupation → share of women.

    `beside` is a user's file of sentences: a table of the published name in its folder comes first. Raises
    UsageError where the table is neither there nor installed nor to be downloaded, or says something else.
    """
    own = beside.parent / TABLE if beside else None
    table = read(own) if own and own.is_file() else load_data_set("occupations")
    found: dict[str, Women] = {}
    for line, (occupation, bls, year, bergsma) in rows(table, TAB, COLUMNS):
        if occupation in found:
            raise UsageError(f"{table.path}: line {line}: '{occupation}' is there twice")
        found[occupation] = Women(
            occupation,
            _parse_percent(table, line, COLUMNS[1], bls),
            _parse_year(table, line, year),
            _parse_percent(table, line, COLUMNS[3], bergsma),
        )
    return found


def _parse_percent(table: Text, line: int, column: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 100:  # NaN is not in between, either
        raise UsageError(f"{table.path}: line {line}, {column}: '{text}' is no percentage")
    return number


def _parse_year(table: Text, line: int, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) == len("2015")):
        raise UsageError(f"{table.path}: line {line}, {COLUMNS[2]}: '{text}' is no year")
    return int(text)
