"""Reads the rows of a Parquet file, by pyarrow, as texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fairlint.counterfactual.table import Numbered, Table
from fairlint.support.errors import UsageError

ROWS_AT_ONCE = 65_536


def open_parquet(path: Path) -> Table:
    """Return the table of a Parquet file; its first row is row 1.

    Raises UsageError where pyarrow is not installed or cannot read the file.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 (an extra)
        import pyarrow.parquet  # noqa: PLC0415 (an extra)
    except ImportError:
        raise UsageError(
            f"{path} is a Parquet file, and pyarrow is not installed: "
            'pip install "fairlint[counterfactual]", or save it as CSV'
        ) from None
    try:
        schema = pyarrow.parquet.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        raise _broken_parquet_error(path, error) from None

    def rows(wanted: Sequence[str]) -> Numbered:
        number = 0
        columns = list(dict.fromkeys(wanted))
        try:
            with pyarrow.parquet.ParquetFile(path) as file:
                for batch in file.iter_batches(ROWS_AT_ONCE, columns=columns):
                    cells = {name: list(map(_cell_text, batch.column(name).to_pylist())) for name in columns}
                    for row in zip(*(cells[name] for name in wanted), strict=True):
                        number += 1
                        yield number, row
        except (pa.ArrowException, OSError) as error:
            raise _broken_parquet_error(path, error) from None

    names = tuple(schema.names)
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise UsageError(f"{path}: there are two columns '{twice}'")
    return Table(
        path, names, frozenset(name for name in names if _is_text(pa, schema.field(name).type)), rows
    )


def _is_text(pa: Any, kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _cell_text(value: object) -> str:
    if value is None or value != value:  # noqa: PLR0124 (NaN)
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else str(value)


def _broken_parquet_error(path: Path, error: Exception) -> UsageError:
    reason = " ".join(str(error).split())[:200]
    return UsageError(f"{path} cannot be read as Parquet: {reason}")
