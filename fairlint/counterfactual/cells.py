"""What the texts of a file's column mean: numbers, bands, words, and the values that people can have."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Literal

from fairlint.counterfactual.description import Band, ColumnDescription
from fairlint.counterfactual.population import Cell, Column

Ages = Literal["bands", "numbers"]

_WHOLE = re.compile(r"[+-]?(?:0|[1-9][0-9]*)")
_DIGITS = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?")
_BOOLEANS = {"true": True, "false": False}
MOST_SHOWN = 60
"""Characters of a value that a message repeats."""


class BadCellError(ValueError):
    """A text that its column cannot have; the message is one clause."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(reason)
        self.text = text


def meanings(
    told: ColumnDescription, texts: Iterable[str], *, is_text: bool, ages: Ages
) -> tuple[Column, dict[str, Cell]]:
    """Return a column, and what each text of the file means in it.

    `texts` are the column's distinct texts in the order of the file, `is_text` says that the file itself
    calls them texts, `ages` whether bands or the numbers in them are wanted. Raises BadCellError.
    """
    known = tuple(texts)
    if told.bands:
        numbers = {text: _parse_number(text) for text in known}
        bands = {text: _band_name(text, number, told.bands) for text, number in numbers.items()}
        if ages == "bands":
            return _build_column(told, [band.name for band in told.bands], ordered=True), dict(bands)
        return _build_column(told, _with_edges(numbers.values(), told.bands), ordered=True), dict(numbers)
    found = _read_cells(told, known, is_text=is_text)
    if told.order:
        for text, cell in found.items():
            if cell not in told.order:
                raise BadCellError(text, "is not among its ordered values")
        return _build_column(told, told.order, ordered=True), found
    listed = [*(told.values.values() if told.values else found.values()), *told.also]
    distinct: list[Cell] = list(dict.fromkeys(listed))
    are_numbers = all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in distinct)
    if are_numbers:
        distinct.sort(key=lambda cell: float(cell or 0))
    return _build_column(told, distinct, ordered=are_numbers), found


def _build_column(told: ColumnDescription, values: Iterable[Cell], *, ordered: bool) -> Column:
    return Column(
        name=told.name,
        values=tuple(values),
        ordered=ordered if told.ordered is None else told.ordered,
        attribute=told.attribute,
    )


def _read_cells(told: ColumnDescription, texts: tuple[str, ...], *, is_text: bool) -> dict[str, Cell]:
    """Return what each text means, by the column's values, its type, or what all of them look like."""
    if told.values is not None:
        lost = next((text for text in texts if text not in told.values), None)
        if lost is not None:
            raise BadCellError(lost, "is not among its values")
        return {text: told.values[text] for text in texts}
    kind = told.type
    if kind is None and told.order:
        kind = "text" if all(isinstance(cell, str) for cell in told.order) else None
    if kind is None and (is_text or not texts):
        kind = "text"
    if kind is None:
        kind = _looks_like(texts)
    if kind == "text":
        return {text: text for text in texts}
    if kind == "boolean":
        return {text: _parse_boolean(text) for text in texts}
    numbers = {text: _parse_number(text) for text in texts}
    if not all(isinstance(number, int) for number in numbers.values()):
        return {text: float(number) for text, number in numbers.items()}
    return dict(numbers)


def _looks_like(texts: Iterable[str]) -> str:
    if all(_WHOLE.fullmatch(text) or _DECIMAL.fullmatch(text) for text in texts):
        return "number"
    return "boolean" if all(text.lower() in _BOOLEANS for text in texts) else "text"


def _parse_boolean(text: str) -> bool:
    if (found := _BOOLEANS.get(text.lower())) is None:
        raise BadCellError(text, "is neither true nor false")
    return found


def _parse_number(text: str) -> int | float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or "_" in text:
        raise BadCellError(text, "is no number")
    return int(text) if _DIGITS.fullmatch(text) else number


def _band_name(text: str, number: float, bands: Iterable[Band]) -> str:
    for band in bands:
        if band.holds(number):
            return band.name
    raise BadCellError(text, "is in none of its bands")


def _with_edges(numbers: Iterable[int | float], bands: Iterable[Band]) -> list[Cell]:
    """Return the numbers in the data, and the ends of the bands that lie between the least and the
    greatest.
    """
    found: set[int | float] = set(numbers)
    if not found:
        return []
    least, greatest = min(found), max(found)
    ends = {end for band in bands for end in (band.low, band.high)}
    values: list[Cell] = []
    values += sorted(found | {end for end in ends if least <= end <= greatest})
    return values


def short_text(text: str) -> str:
    """Return a text of a file for a message."""
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 1]}…"
