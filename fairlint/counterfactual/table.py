"""What a file of people looks like to whoever reads it: columns, and rows of texts.

A row's number is what a spreadsheet shows: the header is row 1, where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

MOST_NAMED = 12
"""Columns of a file that a message names."""
Numbered = Iterator[tuple[int, tuple[str, ...]]]


class Table(Record):
    """The columns of a file, and its rows."""

    path: Path
    names: tuple[str, ...]
    """What the file calls its columns, in order."""
    texts: frozenset[str]
    """Columns that hold texts whatever these look like: a Parquet file says so."""
    rows: Callable[[Sequence[str]], Numbered]
    """The number of each row, and its cells of the columns that are asked for; may be called again.

    Raises UsageError for a row that is not like the header, and for bytes that are no text.
    """


def missing_column(table: Table, name: str) -> UsageError:
    """Return what to say where a file lacks a column."""
    hint = did_you_mean(name, table.names)
    if not hint:
        named = ", ".join(table.names[:MOST_NAMED])
        hint = f"; it has {named}{', …' if len(table.names) > MOST_NAMED else ''}"
    return UsageError(f"{table.path} has no column '{name}'{hint}")
