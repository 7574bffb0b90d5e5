"""Every key of a description of data: what it may hold, and what it is for.

Reading, the JSON Schema for editors and the documentation come from these tables.
"""

from __future__ import annotations

import codecs
import io
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fairlint.config.table import short_repr
from fairlint.counterfactual.population import Cell
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.records import Record

TYPES = ("text", "number", "boolean")
DEDUPLICATE = ("with-label", "without-label")
_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_CELL = {"type": ["string", "number", "boolean"]}
_CELLS = {"type": "array", "items": _CELL, "minItems": 1, "uniqueItems": True}
_SEPARATOR = {"type": "string", "pattern": r'^(whitespace|[^\r\n"])$'}
_COUNTERPARTS = {"type": "object", "additionalProperties": _CELL, "minProperties": 1}
_NUMBER = {"type": "number"}
_ONE_OR_MORE = {"anyOf": [_CELL, {"type": "array", "items": _CELL, "minItems": 1}]}


class Key(Record):
    """One key of a table."""

    name: str
    read: Callable[[object], Any]
    """Turns what TOML says into a value, or says in a ValueError why it cannot."""
    schema: Mapping[str, Any]
    about: str
    is_required: bool = False


class TextPair(Record):
    """Two values of a column that are counterparts, as a file has them."""

    one: str
    other: str


def read_table(table: Mapping[str, object], keys: Mapping[str, Key]) -> dict[str, Any]:
    """Return what a table says, by key; a ValueError names the key that is unknown, wrong or lacking."""
    found = {}
    for name, value in table.items():
        if name not in keys:
            hint = did_you_mean(name, keys) or f"; known are {', '.join(keys)}"
            raise ValueError(f"unknown key '{name}'{hint}")
        try:
            found[name] = keys[name].read(value)
        except ValueError as error:
            raise ValueError(f"'{name}' {error}") from None
    for key in keys.values():
        if key.is_required and key.name not in found:
            raise ValueError(f"'{key.name}' is not said: {key.about}")
    return found


# ------------------------------------------------------------------------------------------------- readers


def _read_text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"must be a text, not {short_repr(value)}")
    return value


def _read_texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"must be a list of texts, not {short_repr(value)}")
    if len(set(value)) < len(value):
        raise ValueError(f"must hold each text once, not {short_repr(value)}")
    return tuple(value)


def _read_boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, not {short_repr(value)}")
    return value


def _read_number(value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise ValueError(f"must be a number, not {short_repr(value)}")
    return value


def _read_cell(value: object) -> Cell:
    if not isinstance(value, str | int | float) or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError(f"must hold texts, numbers, true or false, not {short_repr(value)}")
    return value


def _read_cells(value: object) -> tuple[Cell, ...]:
    if not isinstance(value, list) or not value:
        raise ValueError(f"must be a list of values, not {short_repr(value)}")
    cells = tuple(map(_read_cell, value))
    if len(set(cells)) < len(cells):
        raise ValueError(f"must hold each value once, not {short_repr(value)}")
    return cells


def cell_text(value: Cell) -> str:
    """Return a value of TOML as a file has it."""
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)


def _read_codes(value: object) -> tuple[str, ...]:
    """Return one value or several, as a file has them."""
    return tuple(map(cell_text, _read_cells(value if isinstance(value, list) else [value])))


def _read_order(value: object) -> bool | tuple[Cell, ...]:
    return value if isinstance(value, bool) else _read_cells(value)


def _read_values(value: object) -> Mapping[str, Cell]:
    if not isinstance(value, dict) or not value:
        raise ValueError(f"must be a table of what the file has = what it means, not {short_repr(value)}")
    return {code: _read_cell(meaning) for code, meaning in value.items()}


def _read_follow(value: object) -> Mapping[str, tuple[TextPair, ...]]:
    """Return the pairs of counterparts of each column that follows."""
    if not isinstance(value, dict) or not value:
        raise ValueError(f"must be a table of column = {{ value = counterpart }}, not {short_repr(value)}")
    return {column: _read_counterparts(column, pairs) for column, pairs in value.items()}


def _read_counterparts(column: str, value: object) -> tuple[TextPair, ...]:
    """Return pairs of values, as texts; a value in two different pairs would have no one counterpart."""
    if not isinstance(value, dict) or not value:
        raise ValueError(f"→ '{column}' must be a table of value = counterpart, not {short_repr(value)}")
    partners: dict[str, str] = {}
    pairs: list[TextPair] = []
    for one, cell in value.items():
        other = cell_text(_read_cell(cell))
        if one == other:
            raise ValueError(f"→ '{column}' must give '{one}' another value as its counterpart")
        for each, partner in ((one, other), (other, one)):
            if (known := partners.setdefault(each, partner)) != partner:
                raise ValueError(
                    f"→ '{column}' must give '{each}' one counterpart, not both '{known}' and '{partner}'"
                )
        if TextPair(other, one) not in pairs:
            pairs.append(TextPair(one, other))
    return tuple(pairs)


def _read_rows(value: object) -> Mapping[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise ValueError(f"must be a table of column = [values], not {short_repr(value)}")
    return {column: _read_codes(values) for column, values in value.items()}


def _read_table(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise ValueError(f"must be a table, not {short_repr(value)}")
    return value


def _read_tables(value: object) -> Sequence[object]:
    if not isinstance(value, list) or not value:
        raise ValueError(f"must be a list of tables, not {short_repr(value)}")
    return value


def _one_of(*allowed: str) -> Callable[[object], str]:
    def read(value: object) -> str:
        if value not in allowed:
            hint = did_you_mean(value, allowed) if isinstance(value, str) else ""
            raise ValueError(f"must be one of {', '.join(allowed)}, not {short_repr(value)}{hint}")
        return str(value)

    return read


def _read_separator(value: object) -> str:
    if value == "whitespace" or (isinstance(value, str) and len(value) == 1 and value not in '\r\n"'):
        return str(value)
    raise ValueError(f"must be one character, or 'whitespace', not {short_repr(value)}")


def _read_encoding(value: object) -> str:
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=_read_text(value))  # takes encodings of texts alone
        return codecs.lookup(_read_text(value)).name
    except LookupError:
        raise ValueError(
            f"must be an encoding that Python knows, as 'latin-1', not {short_repr(value)}"
        ) from None


# -------------------------------------------------------------------------------------------------- tables


def _keys_by_name(*keys: Key) -> Mapping[str, Key]:
    return {key.name: key for key in keys}


TOP = _keys_by_name(
    Key("encoding", _read_encoding, _TEXT, "how the file's text is encoded; else UTF-8"),
    Key(
        "separator",
        _read_separator,
        _SEPARATOR,
        "what is between cells: one character, or `whitespace`; else `,`",
    ),
    Key(
        "header",
        _read_texts,
        _TEXTS,
        "the names of all columns, where the file's first line does not say them",
    ),
    Key("missing", _read_texts, _TEXTS, "texts that say that a value is missing, besides an empty cell"),
    Key("drop-missing", _read_boolean, {"type": "boolean"}, "whether rows that lack a value are left out"),
    Key("keep", _read_texts, _TEXTS, "the columns that people have, in this order; all others are left out"),
    Key("drop", _read_texts, _TEXTS, "columns of the file that people do not have; all others are kept"),
    Key(
        "drop-rows",
        _read_rows,
        {"type": "object", "additionalProperties": _ONE_OR_MORE},
        "rows that are left out: column of the file = values",
    ),
    Key(
        "deduplicate",
        _one_of(*DEDUPLICATE),
        {"enum": list(DEDUPLICATE)},
        "whether of equal rows one is kept: rows that are equal with the label, or without it",
    ),
    Key("notes", _read_texts, _TEXTS, "what a reader of figures has to know, a sentence each"),
    Key("label", _read_table, {"type": "object"}, "the column that says what was decided"),
    Key(
        "columns", _read_table, {"type": "object"}, "a table for each column of which something is to be said"
    ),
)
LABEL = _keys_by_name(
    Key("column", _read_text, _TEXT, "what the file calls it", is_required=True),
    Key(
        "favourable",
        _read_codes,
        _ONE_OR_MORE,
        "the value that people wish for, or several",
        is_required=True,
    ),
    Key("unfavourable", _read_codes, _ONE_OR_MORE, "all others, where there are more than one"),
)
COLUMN = _keys_by_name(
    Key("column", _read_text, _TEXT, "what the file calls it, where that is another name"),
    Key(
        "attribute",
        _read_text,
        _TEXT,
        "the protected attribute that it holds, as fairlint calls it: `gender`",
    ),
    Key("type", _one_of(*TYPES), {"enum": list(TYPES)}, "what it holds; else what its values look like"),
    Key(
        "values",
        _read_values,
        {"type": "object", "additionalProperties": _CELL, "minProperties": 1},
        "what each text of the file means; there may be no other",
    ),
    Key(
        "bands",
        _read_tables,
        {"type": "array", "minItems": 1},
        "ranges of numbers, in order, each with a name",
    ),
    Key(
        "ordered",
        _read_order,
        {"anyOf": [{"type": "boolean"}, _CELLS]},
        "all its values in their order; or whether they have one, which numbers have",
    ),
    Key("also", _read_cells, _CELLS, "values that people could have though nobody in the file has them"),
    Key(
        "follow",
        _read_follow,
        {"type": "object", "additionalProperties": _COUNTERPARTS, "minProperties": 1},
        "columns that follow it: column = { value = counterpart }",
    ),
)
BAND = _keys_by_name(
    Key("name", _read_text, _TEXT, "what the band is called", is_required=True),
    Key("from", _read_number, _NUMBER, "its lowest number; else it has no lower end"),
    Key("to", _read_number, _NUMBER, "its highest number; else it has no upper end"),
    Key("below", _read_number, _NUMBER, "the number that it ends before, instead of `to`"),
)
