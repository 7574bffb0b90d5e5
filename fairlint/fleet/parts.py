"""Parts of a store: folders with one Parquet file a table, each there as a whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.backends.extras import need
from fairlint.fleet.tables import TABLES, VERSION
from fairlint.support import whole_files

EXTRA = "fleet"
FORMAT_KEY, TABLE_KEY = b"fairlint.fleet.version", b"fairlint.fleet.table"
"""What the metadata of each file say under."""


def need_store() -> None:
    """Raise a UsageError with the command that installs what a store needs, where that is missing."""
    for module in ("pyarrow.parquet", "filelock"):
        need(module, EXTRA)


def write_part(folder: Path, rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Write rows of all tables as a new part; a reader sees all of it or nothing. May raise OSError."""
    arrow, parquet = need("pyarrow", EXTRA), need("pyarrow.parquet", EXTRA)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with whole_files.folder_for(folder) as made:
        for name in TABLES:
            table = arrow.Table.from_pylist(list(rows.get(name, ())), schema=_table_schema(arrow, name))
            parquet.write_table(table, Path(made) / f"{name}.parquet", compression="zstd")


def part_folders(folder: Path, run: str = "*") -> list[Path]:
    """Return the parts of a run, or of all, in the order of runs; drafts are none."""
    return sorted(path for path in folder.glob(f"run={run}/date=*/part-*") if path.suffix != ".draft")


def part_rows(part: Path, table: str, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table in a part."""
    parquet = need("pyarrow.parquet", EXTRA)
    with parquet.ParquetFile(part / f"{table}.parquet") as file:
        for batch in file.iter_batches(columns=None if columns is None else list(columns)):
            yield from batch.to_pylist()


def are_columns_alike(parts: Iterable[Path], table: str) -> bool:
    """Return whether a table has the same columns in all runs; all parts of one run have the same."""
    parquet = need("pyarrow.parquet", EXTRA)
    one_of_each = {part.parent.parent: part for part in parts}
    return (
        len({tuple(parquet.read_schema(one / f"{table}.parquet").names) for one in one_of_each.values()}) < 2
    )


def part_version(part: Path) -> str:
    """Return the version of the tables that a part was written with."""
    schema = need("pyarrow.parquet", EXTRA).read_schema(part / "repositories.parquet")
    return str((schema.metadata or {}).get(FORMAT_KEY, b"").decode("ascii", "replace"))


def _table_schema(arrow: Any, name: str) -> Any:
    types = {
        "text": arrow.string(),
        "texts": arrow.list_(arrow.string()),
        "whole": arrow.int64(),
        "number": arrow.float64(),
    }
    fields = [
        arrow.field(column.name, types[column.type], metadata={"about": column.about})
        for column in TABLES[name]
    ]
    return arrow.schema(fields, metadata={FORMAT_KEY: str(VERSION), TABLE_KEY: name})
