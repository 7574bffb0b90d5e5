"""Reads the TOML files that say how to check."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fairlint.support.documents import read_toml
from fairlint.support.errors import UsageError
from fairlint.support.files import LARGEST_SETTINGS, NotReadableError, read_file


def read_toml_file(path: Path) -> dict[str, Any]:
    """Return what a TOML file says; what is wrong with it is a UsageError that names it."""
    try:
        return read_toml(read_bytes(path).decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UsageError(f"{path}: is not UTF-8 text") from None
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None


def read_bytes(path: Path) -> bytes:
    """Return the bytes of such a file; what is wrong with it is a UsageError that names it."""
    try:
        return read_file(path, LARGEST_SETTINGS)
    except NotReadableError as error:
        raise UsageError(f"{path}: {error}") from None
