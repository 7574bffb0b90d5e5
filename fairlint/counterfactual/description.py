"""What a file of people holds, as a TOML file says it: columns, bands, label, and what is left out.

Every key is in a table (`keys.py`) that checks it; what is wrong is a UsageError of one line that names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from fairlint.config.toml_files import read_toml_file
from fairlint.counterfactual.keys import BAND, COLUMN, LABEL, TOP, Key, TextPair, read_table
from fairlint.counterfactual.population import Cell
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

__all__ = ["SHIPPED", "Band", "ColumnDescription", "Description", "Label", "read_description", "schema"]

SHIPPED = ("adult", "german", "compas")
"""Data sets that fairlint has a description of, in `data/`."""
_MISSING = ("?", "na", "n/a", "nan", "null")
MISSING = (*dict.fromkeys((*_MISSING, *map(str.upper, _MISSING))), "NaN")
"""What says that a value is missing, besides an empty cell, where a description does not say it."""
WHITESPACE = "whitespace"
RIVALS = {"bands": ("values", "ordered", "type", "also"), "values": ("type",)}
"""Keys of a column that say the same of it."""


class Band(Record):
    """A range of numbers with a name: `low` is in it; `high` is, too, unless the band is `open`."""

    name: str
    low: float
    high: float
    open: bool = False

    def holds(self, number: float) -> bool:
        """Return whether a number is in it."""
        return self.low <= number and (number < self.high if self.open else number <= self.high)


class ColumnDescription(Record):
    """What is said of one column."""

    name: str
    source: str
    """What the file calls it."""
    attribute: str | None = None
    type: str | None = None
    """`text`, `number` or `boolean`; None where the data say it."""
    values: Mapping[str, Cell] | None = None
    """What stands for each text of the file."""
    bands: tuple[Band, ...] = ()
    order: tuple[Cell, ...] = ()
    """All values, in their order; empty where none is said."""
    ordered: bool | None = None
    """Whether values have an order; None where their type says it."""
    also: tuple[Cell, ...] = ()
    """Values that counterfactual people can have though nobody in the file has them."""
    follow: Mapping[str, tuple[TextPair, ...]] = {}
    """Columns that follow this one → pairs of their values that are counterparts of each other."""


class Label(Record):
    """The column that says what was decided, and which of its texts are favourable."""

    source: str
    favourable: tuple[str, ...]
    unfavourable: tuple[str, ...] = ()


class Description(Record):
    """What is said of a file. Without one, all columns are kept as they are."""

    columns: Mapping[str, ColumnDescription]
    """By name, in the order in which they are written."""
    keep: tuple[str, ...] = ()
    """The names of the columns that people have, in order; empty for all that the file has."""
    drop: tuple[str, ...] = ()
    """The file's columns that people do not have."""
    label: Label | None = None
    header: tuple[str, ...] = ()
    """The names of the columns, where the file does not say them in its first line."""
    separator: str = ","
    """One character, or `whitespace`."""
    encoding: str = "utf-8"
    missing: tuple[str, ...] = MISSING
    drop_missing: bool = False
    drop_rows: Mapping[str, tuple[str, ...]] = {}
    deduplicate: str | None = None
    """`with-label` or `without-label`: what tells two equal rows apart; None where all are kept."""
    notes: tuple[str, ...] = ()


def read_description(path: str | Path) -> Description:
    """Return the description in a TOML file, or the shipped one of that name (`adult`, `german`, `compas`).

    Raises UsageError for a file that cannot be read or is no description.
    """
    if str(path) in SHIPPED:
        return shipped_description(str(path))
    return parse_description(read_toml_file(Path(path)), str(path))


@cache
def shipped_description(name: str) -> Description:
    """Return the description of a shipped data set."""
    return read_description(Path(__file__).parent / "data" / f"{name}.toml")


def parse_description(table: Mapping[str, object], where: str) -> Description:
    """Return the description that a TOML table is; `where` is what errors call it."""
    try:
        return _build_description(read_table(table, TOP))
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from None


def _build_description(top: dict[str, Any]) -> Description:
    columns = {
        name: _read_column(name, _read_nested_table(entry, COLUMN, "columns", name))
        for name, entry in top.pop("columns", {}).items()
    }
    label = top.pop("label", None)
    found = Description(
        columns=columns,
        label=None if label is None else Label(**_rename_keys(_read_nested_table(label, LABEL, "label"))),
        **_rename_keys(top),
    )
    _check_consistency(found)
    return found


def _rename_keys(table: Mapping[str, Any]) -> dict[str, Any]:
    return {"source" if key == "column" else key.replace("-", "_"): value for key, value in table.items()}


def _read_nested_table(entry: object, keys: Mapping[str, Key], *place: str) -> dict[str, Any]:
    where = " → ".join(f"'{part}'" for part in place)
    if not isinstance(entry, dict):
        raise ValueError(f"{where} must be a table of {', '.join(keys)}")
    try:
        return read_table(entry, keys)
    except ValueError as error:
        raise ValueError(f"{where} → {error}") from None


def _read_column(name: str, entry: dict[str, Any]) -> ColumnDescription:
    ordered = entry.get("ordered")
    bands = tuple(
        _read_band(_read_nested_table(band, BAND, "columns", name, "bands", f"band {number}"), name)
        for number, band in enumerate(entry.get("bands", ()), 1)
    )
    for before, after in pairwise(bands):
        if after.low < before.high or (after.low == before.high and not before.open):
            raise ValueError(
                f"'columns' → '{name}' → 'bands': '{after.name}' must begin above the end of '{before.name}'"
            )
    if len({band.name for band in bands}) < len(bands):
        raise ValueError(f"'columns' → '{name}' → 'bands': each name must be there once")
    for one, rivals in RIVALS.items():
        if one in entry and (rival := next((key for key in rivals if key in entry), None)):
            raise ValueError(f"'columns' → '{name}': '{one}' and '{rival}' cannot both be said")
    return ColumnDescription(
        name=name,
        source=entry.get("column", name),
        attribute=entry.get("attribute"),
        type=entry.get("type"),
        values=entry.get("values"),
        bands=bands,
        order=ordered if isinstance(ordered, tuple) else (),
        ordered=None if ordered is None else bool(ordered),
        also=entry.get("also", ()),
        follow=entry.get("follow", {}),
    )


def _read_band(entry: dict[str, Any], column: str) -> Band:
    if "name" not in entry:
        raise ValueError(f"'columns' → '{column}' → 'bands': each band must have a 'name'")
    if "to" in entry and "below" in entry:
        raise ValueError(f"'columns' → '{column}' → 'bands': '{entry['name']}' has both 'to' and 'below'")
    low = entry.get("from", float("-inf"))
    high = entry.get("to", entry.get("below", float("inf")))
    if low > high or (low == high and "below" in entry):
        raise ValueError(f"'columns' → '{column}' → 'bands': '{entry['name']}' ends before it begins")
    return Band(entry["name"], low, high, "below" in entry)


def _check_consistency(found: Description) -> None:
    """Raise ValueError where two keys do not go together."""
    if found.keep and found.drop:
        raise ValueError("'keep' and 'drop' cannot both be said: what 'keep' does not name is dropped")
    if found.keep and (lost := next((name for name in found.columns if name not in found.keep), None)):
        hint = did_you_mean(lost, found.keep)
        raise ValueError(f"'columns' → '{lost}' is described, but 'keep' does not name it{hint}")
    if found.deduplicate == "with-label" and found.label is None:
        raise ValueError("'deduplicate' is 'with-label', but there is no 'label'")
    if not any(column.attribute for column in found.columns.values()):
        raise ValueError(
            'no column is protected: say which holds what, as in [columns.sex] attribute = "gender"'
        )
    for column in found.columns.values():
        _check_followers(column, found)
    if found.label is not None:
        for column in found.columns.values():
            if column.source == found.label.source:
                raise ValueError(f"'columns' → '{column.name}' is the label's column")
        if not found.label.favourable:
            raise ValueError("'label' → 'favourable' must name a value")


def _check_followers(column: ColumnDescription, found: Description) -> None:
    where = f"'columns' → '{column.name}' → 'follow'"
    if column.follow and column.bands:
        raise ValueError(f"{where}: no column can follow one with 'bands'")
    for name in column.follow:
        if name == column.name:
            raise ValueError(f"{where} → '{name}': no column can follow itself")
        if name in found.columns and found.columns[name].bands:
            raise ValueError(f"{where} → '{name}': a column with 'bands' cannot follow another")


def schema() -> Mapping[str, Any]:
    """Return the JSON Schema of descriptions, for editors."""

    def of(keys: Mapping[str, Key]) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {key.name: {**key.schema, "description": key.about} for key in keys.values()},
            "required": [key.name for key in keys.values() if key.is_required],
            "additionalProperties": False,
        }

    column = of(COLUMN)
    column["properties"]["bands"]["items"] = of(BAND)
    top = of(TOP)
    top["properties"]["columns"]["additionalProperties"] = column
    top["properties"]["label"].update(of(LABEL))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "fairlint's description of data",
        "description": "what --data-config names",
        **top,
    }
