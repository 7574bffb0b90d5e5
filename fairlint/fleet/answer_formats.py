"""Answers of the store as a table of text, CSV or JSON."""

from __future__ import annotations

import csv
import datetime
import io
import json
import math
from collections.abc import Iterator
from typing import Any

from fairlint.fleet.query import Answers
from fairlint.reporters.printable import printable

WIDEST = 60
"""Characters of a cell of the text; CSV and JSON have all."""
AT_ONCE = 1_000
"""Rows whose widths are alike: the text is written as rows come."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How cells begin that a spreadsheet would run."""


def text_lines(answers: Answers) -> Iterator[str]:
    """Yield the answers as a table of text."""
    rows = ([_cell_text(value) for value in row] for row in answers.rows)
    titles: list[str] | None = [printable(name) for name in answers.columns]
    while True:
        some = [row for row, _ in zip(rows, range(AT_ONCE), strict=False)]
        shown = [*([titles] if titles else []), *some]
        if not shown:
            return
        widths = [max(len(row[place]) for row in shown) for place in range(len(answers.columns))]
        for row in shown:
            yield (
                "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() + "\n"
            )
        titles = None


def csv_lines(answers: Answers) -> Iterator[str]:
    """Yield the answers as CSV; what a spreadsheet would take for a formula begins with a quote."""
    yield _csv_line(answers.columns)
    for row in answers.rows:
        yield _csv_line([_csv_cell(value) for value in row])


def json_lines(answers: Answers) -> Iterator[str]:
    """Yield the answers as a JSON list of objects."""
    first = True
    yield "["
    for row in answers.rows:
        values = dict(zip(answers.columns, map(_plain_value, row), strict=True))
        yield ("\n" if first else ",\n") + json.dumps(values, ensure_ascii=False, allow_nan=False)
        first = False
    yield "\n]\n"


FORMATS = {"text": text_lines, "csv": csv_lines, "json": json_lines}


def _cell_text(value: object) -> str:
    if value is None:
        return "-"
    text = (
        f"{value:g}"
        if isinstance(value, float)
        else value
        if isinstance(value, str)
        else str(_plain_value(value))
    )
    if isinstance(value, list):
        text = ", ".join(map(str, value))
    text = printable(" ".join(text.split()))
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"


def _csv_line(cells: Any) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerow(cells)
    return written.getvalue()


def _csv_cell(value: object) -> object:
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _plain_value(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return [_plain_value(one) for one in value]
    if isinstance(value, dict):
        return {str(key): _plain_value(one) for key, one in value.items()}
    return value if isinstance(value, str | int | float | bool | None) else str(value)
