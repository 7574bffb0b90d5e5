"""Lists that a user brings as a CSV file: names, and values that hint at a group."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from fairlint.support.errors import UsageError
from fairlint.support.files import LARGEST_SETTINGS, NotReadableError, read_file


def read_list(path: str, columns: Sequence[str], what: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file that has some columns; cells that a row lacks are empty.

    Raises UsageError in one line for a file that cannot be read or lacks a column; `what` is what it lists.
    """
    try:
        rows = list(csv.DictReader(io.StringIO(read_file(path, LARGEST_SETTINGS).decode("utf-8-sig"))))
    except (NotReadableError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{path}: {error}") from None
    if not rows or not set(columns) <= set(rows[0]):
        raise UsageError(f"{path}: a list of {what} has the columns {', '.join(columns)}")
    return [{name: row[name] or "" for name in columns} for row in rows]
