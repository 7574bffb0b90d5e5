"""Reads tables of text: the columns that are asked for, of each row, with the line for messages."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from fairlint.model_bias.data.sources import Text
from fairlint.support.errors import UsageError

TAB, COMMA = "\t", ","
"""Tables with tabs have no quotes, those with commas do."""


def columns(table: Text, separator: str) -> tuple[str, ...]:
    """Return the header, as far as it can be read; `rows` says what is wrong with the rest."""
    lines = io.StringIO(table.text, newline="")
    try:
        if separator == TAB:
            return tuple(next(csv.reader(lines, delimiter=TAB, quoting=csv.QUOTE_NONE), ()))
        return tuple(next(csv.reader(lines, delimiter=separator), ()))
    except csv.Error:
        return ()


def rows(table: Text, separator: str, columns: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the line on which each row ends, and its cells in the order of `columns`.

    Raises UsageError, with the line, for a header that lacks a column, a row of another width, and no rows.
    """
    lines = io.StringIO(table.text, newline="")
    if separator == TAB:
        reader = csv.reader(lines, delimiter=TAB, quoting=csv.QUOTE_NONE, strict=True)
    else:
        reader = csv.reader(lines, delimiter=separator, strict=True)
    try:
        header = next(reader, [])
        for name in columns:
            if name not in header:
                raise UsageError(f"{table.path}: line 1 has no column '{name}'")
        places = [header.index(name) for name in columns]
        empty = True
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                raise UsageError(
                    f"{table.path}: line {reader.line_num} has {len(cells)} cells, not {len(header)}"
                )
            empty = False
            yield reader.line_num, tuple([cells[place] for place in places])
        if empty:
            raise UsageError(f"{table.path} has no rows")
    except csv.Error as error:
        raise UsageError(f"{table.path}: line {reader.line_num}: {error}") from None
