"""Reads the rows of a CSV file, or of one whose cells are separated by whitespace."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any

from fairlint.counterfactual.description import WHITESPACE, Description
from fairlint.counterfactual.table import Numbered, Table
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, opened_file

LONGEST_LINE = 1 << 20
OTHER_SEPARATORS = ";\t|"


def open_csv(path: Path, beginning: bytes, description: Description) -> Table:
    """Return the table of a CSV file that begins with these bytes, as a description says how it is written.

    Raises UsageError where it has no header that tells its columns apart.
    """
    encoding = description.encoding
    if beginning.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif encoding == "utf-8":
        encoding = "utf-8-sig"
    separator, header = description.separator, description.header

    def lines() -> Iterator[tuple[int, Sequence[str]]]:
        with _as_text(path, encoding) as text:
            if separator == WHITESPACE:
                yield from enumerate(map(str.split, _limited_lines(path, text)), 1)
            else:
                reader = csv.reader(
                    _limited_lines(path, text), delimiter=separator, skipinitialspace=True, strict=True
                )
                yield from enumerate(reader, 1)

    def read() -> Iterator[tuple[int, Sequence[str]]]:
        number = 0
        try:
            for number, cells in lines():
                if cells:
                    yield number, cells
        except csv.Error as error:
            raise UsageError(f"{path}: row {number + 1} is not CSV: {error}") from None

    if header:
        names = header
    else:
        first = next(read(), None)
        if first is None:
            raise UsageError(f"{path} is empty")
        names = tuple(name.strip() for name in first[1])
        _check_header(path, names, separator)

    def rows(wanted: Sequence[str]) -> Numbered:
        first: dict[str, int] = {}
        for place, name in enumerate(names):
            first.setdefault(name, place)
        pick = _cell_picker([first[name] for name in wanted])
        asked = frozenset(wanted)
        twins = [
            (name, first[name], place)
            for place, name in enumerate(names)
            if name in asked and place != first[name]
        ]
        width = len(names)
        found = read()
        if not header:
            next(found)
        for number, cells in found:
            if len(cells) != width:
                raise UsageError(f"{path}: row {number} has {_cell_count_text(len(cells))}, not {width}")
            for name, one, other in twins:
                if cells[one] != cells[other]:
                    raise UsageError(
                        f"{path}: there are two columns '{name}', and in row {number} they differ: "
                        f"'{cells[one]}' and '{cells[other]}'"
                    )
            yield number, pick(cells)

    return Table(path, names, frozenset(), rows)


def _limited_lines(path: Path, text: io.TextIOWrapper) -> Iterator[str]:
    """Yield the lines of a text, none of which may fill the memory."""
    while line := text.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE:
            raise UsageError(f"{path} has a line of {LONGEST_LINE:,} characters or more: it is no table")
        yield line


def _cell_count_text(number: int) -> str:
    return f"{number} cell" if number == 1 else f"{number} cells"


@contextmanager
def _as_text(path: Path, encoding: str) -> Iterator[io.TextIOWrapper]:
    try:
        with (
            opened_file(path) as (file, _),
            io.TextIOWrapper(file, encoding=encoding, newline="") as text,
        ):
            try:
                yield text
            except UnicodeError as error:
                raise _not_text(path, encoding, error) from None
    except NotReadableError as error:
        raise UsageError(f"{path}: {error}") from None


def _cell_picker(places: Sequence[int]) -> Callable[[Any], tuple[str, ...]]:
    if len(places) > 1:
        return itemgetter(*places)
    if places:
        return lambda cells: (cells[places[0]],)
    return lambda _cells: ()


def _check_header(path: Path, names: Sequence[str], separator: str) -> None:
    if len(names) == 1:
        other = next((mark for mark in OTHER_SEPARATORS if mark in names[0] and mark != separator), None)
        if other is not None:
            raise UsageError(
                f"{path} has one column, '{names[0][:60]}': if cells are separated by {other!r}, say "
                f'separator = "{repr(other)[1:-1]}" in its description'
            )
    if "\0" in names[0]:
        raise UsageError(
            f'{path} looks like UTF-16: say encoding = "utf-16-le" or "utf-16-be" in its description'
        )
    if "" in names:
        raise UsageError(f"{path}: column {names.index('') + 1} has no name in the header")


def _not_text(path: Path, encoding: str, error: UnicodeError) -> UsageError:
    if encoding == "utf-8-sig":
        row = _bad_line(path)
        return UsageError(
            f"{path}: line {row} is not UTF-8 text: say its encoding in a description, as encoding = "
            f'"latin-1" or "cp1252" (Western European), or save it as UTF-8'
        )
    reason = getattr(error, "reason", str(error))
    return UsageError(f"{path} is not {encoding} text ({reason}): say its encoding in the description")


def _bad_line(path: Path) -> int:
    """Return the first line that is not UTF-8."""
    with opened_file(path) as (file, _):
        for number, line in enumerate(file, 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return 1
