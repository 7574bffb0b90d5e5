"""What each file that `fairlint model` left has to hold, which somebody else may have written since.

As `fairlint.run_folders.record_shapes` does for runs of the bench; a part's `run.json` is that of a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairlint.run_folders.record_shapes import COUNT, FIGURE, FILE_NAME, NAMES, OBJECT
from fairlint.support.shapes import (
    ANYTHING,
    FLAG,
    LARGEST_FLOAT,
    TEXT,
    Fault,
    Shape,
    fault_of,
    mapping_of_shape,
    matching,
    maybe,
    number,
    one_of,
    row,
    several,
    table,
    whole,
)

MOST_ROWS = 10_000
"""Rows, points and lines of one figure: it would be as many inches high."""

CELL = matching(
    frozenset({str, int, float, list, type(None)}),
    "a text, a finite number, null, or two bounds",
    lambda value: isinstance(value, str) or (_are_bounds if isinstance(value, list) else _is_finite)(value),
)


def _is_finite(value: float) -> bool:
    return -LARGEST_FLOAT <= value <= LARGEST_FLOAT


def _are_bounds(value: list[Any]) -> bool:
    return len(value) in {0, 2} and all(type(one) in {int, float} and _is_finite(one) for one in value)


_HEAD: Mapping[str, Shape] = {"kind": TEXT, "name": FILE_NAME, "title": TEXT, "note": TEXT}
_LEVEL: Mapping[str, Shape] = {"level": maybe(FIGURE)}
_BOUND = maybe(FIGURE)


def _row_length_fault(told: Mapping[str, Any]) -> Fault | None:
    """Rows of a heat map are as long as the first."""
    first = len(told["values"][0])
    short = next((place for place, one in enumerate(told["values"]) if len(one) != first), None)
    return None if short is None else (f".values[{short}]", f"has not {first} entries, as the first has")


def _as_wide(told: Mapping[str, Any]) -> Fault | None:
    """Rows have a cell for each column."""
    count = len(told["columns"])
    short = next((place for place, one in enumerate(told["rows"]) if len(one) != count), None)
    return None if short is None else (f".rows[{short}]", f"has not {count} entries, one for each column")


def _all_ends(told: Mapping[str, Any]) -> Fault | None:
    """Rows have a value for each end."""
    count = len(told["ends"])
    short = next((place for place, (_, one) in enumerate(told["rows"]) if len(one) != count), None)
    return None if short is None else (f".rows[{short}][1]", f"has not {count} entries, one for each end")


def _as_long(told: Mapping[str, Any]) -> Fault | None:
    """Return a line has as many heights as places, and as many bounds where it has any."""
    count = len(told["across"])
    for name in ("up", "low", "high"):
        size = len(told.get(name) or ())
        if size != count and (name == "up" or size or told.get("low") or told.get("high")):
            return f".{name}", f"has {size} entries, and `across` {count}"
    return None


_POINTS = several(FIGURE, most=MOST_ROWS)
_LINE = table(
    {"label": TEXT, "across": _POINTS, "up": _POINTS}, {"low": _POINTS, "high": _POINTS}, also=_as_long
)
SHOWN: Mapping[str, Shape] = {
    "table": table({**_HEAD, "columns": NAMES, "rows": several(several(CELL))}, also=_as_wide),
    "heat": table(
        {**_HEAD, "values": several(several(FIGURE, 1, MOST_ROWS), 1, MOST_ROWS), "unit": TEXT},
        also=_row_length_fault,
    ),
    "dots": table(
        {**_HEAD, "across": TEXT, "up": TEXT, "points": several(row(TEXT, FIGURE, FIGURE))},
        {"diagonal": FLAG, "marked": TEXT, "unmarked": TEXT},
    ),
    "curves": table({**_HEAD, "across": TEXT, "up": TEXT, "lines": several(_LINE, most=MOST_ROWS)}, _LEVEL),
    "bars": table(
        {**_HEAD, "unit": TEXT, "rows": several(row(TEXT, FIGURE, _BOUND, _BOUND), most=MOST_ROWS)}, _LEVEL
    ),
    "dumbbells": table(
        {
            **_HEAD,
            "unit": TEXT,
            "ends": several(TEXT, 1, MOST_ROWS),
            "rows": several(row(TEXT, _POINTS), most=MOST_ROWS),
        },
        _LEVEL,
        also=_all_ends,
    ),
}
"""Kind of a table or figure → what it holds (`fairlint.model_bias.shown`)."""
_KIND = table({"kind": one_of(*SHOWN)})


def shown_fault(told: Any) -> str:
    """Return what is wrong with a table or figure; empty where nothing is."""
    return fault_of(_KIND, told) or fault_of(SHOWN[told["kind"]], told)


PART = table({
    "format": COUNT,
    "fairlint": TEXT,
    "part": TEXT,
    "model": table({"name": TEXT, "revision": TEXT, "device": TEXT, "dtype": TEXT}),
    "settings": OBJECT,
    "data": several(OBJECT),
    "definitions": mapping_of_shape(TEXT),
    "figures": OBJECT,
    "verdict": TEXT,
    "warnings": NAMES,
    "shown": several(OBJECT),
    "examples": NAMES,
    "skipped": several(table({"id": ANYTHING, "reason": TEXT})),
})  # fmt: skip
"""The `metrics.json` of a part."""

_INTERVAL = table(dict.fromkeys(("value", "low", "high"), maybe(number())))
_HISTORY = table({
    "epochs": several(table(dict.fromkeys(("train", "valid", "text"), number()))),
    "best": whole(-1),
    "steps": COUNT,
    "at_floor": maybe(number()),
})  # fmt: skip
LINES: Mapping[str, Shape] = {
    "score": table({"answer": several(several(number()))}),
    "locate": table({"data": TEXT, "id": TEXT, "exact": mapping_of_shape(number())}),
    "ablate": table({
        "tables": several(
            table({
                "data": TEXT,
                "clusters": several(TEXT),
                "items": COUNT,
                "sums": several(several(number())),
            })
        )
    }),
    "probe": table({
        "readings": several(
            table({
                "layer": COUNT,
                "kept_together": TEXT,
                **dict.fromkeys(("accuracy", "control", "selectivity"), _INTERVAL),
            })
        )
    }),
    "debias": table(
        {
            "figures": OBJECT,
            "shares": mapping_of_shape(mapping_of_shape(mapping_of_shape(several(number())))),
        },
        {"history": _HISTORY}
    ),
}  # fmt: skip
"""Part → a line of its `responses.jsonl`, beside the key, as a run that goes on reads it."""
