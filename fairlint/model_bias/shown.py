"""What a part shows: tables, and figures as the numbers that are drawn, for terminal, page and paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from fairlint.model_bias.record_shapes import shown_fault
from fairlint.support.records import Record, field_names

Value = str | float | int | tuple[float, ...] | None
"""A cell of a table; None is shown as a dash, two bounds as an interval, and no bounds as nothing."""
LEVELS = "95 %"
"""How columns of bounds are called that belong to the column before them."""


class Table(Record):
    """A table."""

    name: str
    """Of its file, such as `stereoset`: letters, digits and dashes."""
    title: str
    note: str
    """What it says, in one sentence or two."""
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


class Heat(Record):
    """A value for each head of each layer."""

    name: str
    title: str
    note: str
    values: tuple[tuple[float, ...], ...]
    """[layers][heads]. Colours are symmetric about 0."""
    unit: str


class Dots(Record):
    """Points of two measures."""

    name: str
    title: str
    note: str
    across: str
    up: str
    points: tuple[tuple[str, float, float], ...]
    """What it is, how far across, how far up."""
    diagonal: bool = False
    """Whether to draw where both measures are equal."""
    marked: str = ""
    """Points whose names begin so bear a mark of their own."""
    unmarked: str = "others"
    """What the legend calls all others."""


class Line(Record):
    """A line of a figure, with its interval where there is one."""

    label: str
    across: tuple[float, ...]
    up: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


class Curves(Record):
    """Lines over a common axis."""

    name: str
    title: str
    note: str
    across: str
    up: str
    lines: tuple[Line, ...]
    level: float | None = None
    """Where a line says `nothing there`, as 0.5 does for a probe."""


class Bars(Record):
    """Values with intervals, one below the other."""

    name: str
    title: str
    note: str
    unit: str
    rows: tuple[tuple[str, float, float | None, float | None], ...]
    """What it is, its value, and the bounds."""
    level: float | None = None


class Dumbbells(Record):
    """Several values of the same measure for each of many things, joined by a line."""

    name: str
    title: str
    note: str
    unit: str
    ends: tuple[str, ...]
    """What the values are, such as `before`, `after`, `target`."""
    rows: tuple[tuple[str, tuple[float, ...]], ...]
    """What it is, and a value for each of `ends`."""
    level: float | None = None


Shown = Table | Heat | Dots | Curves | Bars | Dumbbells
KINDS: Mapping[str, type[Record]] = {
    "table": Table, "heat": Heat, "dots": Dots, "curves": Curves, "bars": Bars, "dumbbells": Dumbbells,
}  # fmt: skip


def as_json(one: Shown) -> dict[str, Any]:
    """Return a table or figure as JSON; `read` reads it back."""
    kind = next(name for name, made in KINDS.items() if isinstance(one, made))
    told = {name: getattr(one, name) for name in field_names(one)}
    if isinstance(one, Curves):
        told["lines"] = [
            {name: list_of(getattr(line, name)) for name in field_names(line)} for line in one.lines
        ]
    return {"kind": kind, **{name: list_of(value) for name, value in told.items()}}


def read(told: Mapping[str, Any]) -> Shown:
    """Return what `as_json` made. Raises ValueError for anything else."""
    if wrong := shown_fault(told):
        raise ValueError(f"no table or figure: {wrong}")
    made = KINDS[told["kind"]]
    given = _fields_of_record(made, told)
    if made is Curves:
        given["lines"] = tuple(Line(**_fields_of_record(Line, line)) for line in told["lines"])
    found: Any = made(**given)
    return cast("Shown", found)


def _fields_of_record(made: type[Record], told: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is said of a record's own fields."""
    return {name: tuple_of(told[name]) for name in field_names(made) if name in told}


def list_of(value: Any) -> Any:
    """Tuples as lists, at any depth."""
    return (
        [list_of(one) for one in value]
        if isinstance(value, Sequence) and not isinstance(value, str)
        else value
    )


def tuple_of(value: Any) -> Any:
    """List as tuples, at any depth."""
    return tuple(tuple_of(one) for one in value) if isinstance(value, list) else value


def as_rows(one: Shown) -> tuple[tuple[str, ...], list[tuple[Value, ...]]]:
    """Return the columns and rows of its CSV file."""
    if isinstance(one, Table):
        wide = [any(isinstance(row[place], tuple) for row in one.rows) for place in range(len(one.columns))]
        names: list[str] = []
        for place, column in enumerate(one.columns):
            of = one.columns[place - 1] if column.strip() == LEVELS else column
            names += [f"{of} low", f"{of} high"] if wide[place] else [column]
        return tuple(names), [
            tuple(each for cell, two in zip(row, wide, strict=True) for each in _cells(cell, two=two))
            for row in one.rows
        ]
    if isinstance(one, Heat):
        return ("layer", "head", one.unit), [
            (layer, head, value) for layer, heads in enumerate(one.values) for head, value in enumerate(heads)
        ]
    if isinstance(one, Dots):
        return ("what", one.across, one.up), list(one.points)
    if isinstance(one, Bars):
        return ("what", one.unit, "low", "high"), list(one.rows)
    if isinstance(one, Dumbbells):
        return ("what", *one.ends), [(label, *values) for label, values in one.rows]
    rows: list[tuple[Value, ...]] = []
    for line in one.lines:
        for place, (x, y) in enumerate(zip(line.across, line.up, strict=True)):
            low, high = (line.low[place], line.high[place]) if line.low else (None, None)
            rows.append((line.label, x, y, low, high))
    return ("line", one.across, one.up, "low", "high"), rows


def _cells(cell: Value, *, two: bool) -> tuple[Value, ...]:
    """Return what a cell is in a CSV file: two numbers of an interval."""
    if not two:
        return (cell,)
    return (cell[0], cell[1]) if isinstance(cell, tuple) and cell else (None, None)


def number(value: Value) -> str:
    """Return a cell as it is printed: three figures, whole numbers as they are, a dash for what is not there.

    >>> number(0.12345), number(-62.14), number(2106), number(None), number("gender"), number(0.00002)
    ('0.123', '−62.1', '2,106', '–', 'gender', '2.0e−05')
    >>> number((0.1, 0.25)), number(())
    ('0.100 to 0.250', '')
    """
    if value is None:
        return "–"
    if isinstance(value, tuple):
        return f"{number(value[0])} to {number(value[1])}" if value else ""
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}".replace("-", "−")
    size = abs(value)
    digits = 0 if size >= 1000 else 1 if size >= 10 else 2 if size >= 1 else 3
    text = f"{value:.1e}" if 0 < size < 0.0005 else f"{value:,.{digits}f}"
    return text.replace("-", "−")


def interval(low: float | None, high: float | None) -> tuple[float, ...]:
    """Return two bounds as a cell; empty where there are none.

    >>> interval(0.1, 0.25), interval(None, None)
    ((0.1, 0.25), ())
    """
    return () if low is None or high is None else (low, high)


def numeric(one: Table) -> list[bool]:
    """Return which columns hold nothing but numbers."""
    return [
        bool(one.rows) and not any(isinstance(row[place], str | tuple) for row in one.rows)
        for place in range(len(one.columns))
    ]


def in_text(one: Table, width: int = 110) -> str:
    """Return a table for a terminal: names to the left, numbers to the right; columns that have no room are
    cut.
    """
    cells = [tuple(map(str, one.columns)), *(tuple(map(number, row)) for row in one.rows)]
    right = numeric(one)
    widths = [max(len(row[place]) for row in cells) for place in range(len(one.columns))]
    lines = []
    for row in cells:
        padded = [
            cell.rjust(size) if is_right else cell.ljust(size)
            for cell, size, is_right in zip(row, widths, right, strict=True)
        ]
        lines.append("  ".join(padded).rstrip()[:width])
    return "\n".join([one.title, *lines, ""])
