"""Opens files of people, by what they begin with."""

from __future__ import annotations

from pathlib import Path

from fairlint.counterfactual.csv_files import open_csv
from fairlint.counterfactual.description import Description
from fairlint.counterfactual.parquet_files import open_parquet
from fairlint.counterfactual.table import Table
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_beginning

PARQUET, ZIP = b"PAR1", b"PK\x03\x04"


def _read_first_bytes(path: Path) -> bytes:
    """Return the first bytes of a file; a UsageError where it cannot be read or is empty."""
    try:
        if path.is_dir():
            raise UsageError(f"{path} is a directory, not a file of people")
        beginning = read_beginning(path, 4)
    except NotReadableError as error:
        raise UsageError(f"{path}: {error}") from None
    if not beginning:
        raise UsageError(f"{path} is empty")
    return beginning


def open_table(path: Path, description: Description | None) -> Table:
    """Return the table that a file holds.

    Raises UsageError where it cannot be read, is empty, or has no header that tells its columns apart.
    """
    beginning = _read_first_bytes(path)
    if beginning == PARQUET:
        return open_parquet(path)
    if beginning == ZIP:
        raise UsageError(f"{path} is a zip archive or an Excel file: save its table as CSV")
    return open_csv(path, beginning, description or Description(columns={}))
