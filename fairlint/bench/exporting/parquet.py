"""Answers as a Parquet file, a row each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from fairlint.backends.extras import need
from fairlint.bench.exporting.runs import NUMBERS, TEXTS, Exported
from fairlint.run_folders.jsonl import batches

AT_A_TIME = 1_000
"""Rows that are written together."""


def write(runs: Sequence[Exported], place: Path) -> None:
    """Write the answers of runs as one file. Raises ModelError where pyarrow is missing."""
    write_rows(chain.from_iterable(run.rows() for run in runs), place)


def write_rows(rows: Iterable[Mapping[str, Any]], place: Path) -> int:
    """Write rows as a file; the result is how many there were."""
    arrow, parquet = need("pyarrow", "export"), need("pyarrow.parquet", "export")
    schema = _answers_schema(arrow)
    count = 0
    with parquet.ParquetWriter(place, schema, compression="zstd") as writer:
        for some in batches(rows, AT_A_TIME):
            count += len(some)
            writer.write_table(
                arrow.Table.from_pylist([_replace_surrogates_in_row(row) for row in some], schema=schema)
            )
    return count


def _answers_schema(arrow: Any) -> Any:
    turn = arrow.struct([("role", arrow.string()), ("content", arrow.string())])
    fields = [(name, arrow.string()) for name in ("model", "revision", "suite", *TEXTS)]
    fields += [(name, arrow.int64()) for name in NUMBERS]
    fields += [("messages", arrow.list_(turn)), ("valid", arrow.bool_())]
    fields += [("not_judged", arrow.string()), ("outcome", arrow.string())]
    return arrow.schema(fields)


def _replace_surrogates_in_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row whose texts are UTF-8: broken tokens may have left half of a surrogate pair."""
    turns = [{name: _replace_surrogates(text) for name, text in turn.items()} for turn in row["messages"]]
    texts = {
        name: _replace_surrogates(value) if isinstance(value, str) else value for name, value in row.items()
    }
    return {**texts, "messages": turns}


def _replace_surrogates(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
