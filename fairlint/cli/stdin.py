"""Checks what comes on standard input."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from fairlint.config import Configurations
from fairlint.support.errors import UsageError
from fairlint.support.files import MAX_FILE_SIZE, too_large
from fairlint.syntax.registry import languages

if TYPE_CHECKING:
    from fairlint.findings.report import Report


def read_stdin(most: int) -> bytes:
    """Return what comes on standard input, so many bytes of it; a UsageError where it cannot be read."""
    if sys.stdin is None:
        raise UsageError("standard input cannot be read: it is closed")
    try:
        return sys.stdin.buffer.read(most)
    except OSError as error:
        raise UsageError(f"standard input cannot be read: {error.strerror or error}") from None


def check_stdin(name: str | None, configurations: Configurations) -> Report:
    """Check standard input as the file `name`: it tells the language and appears in the report.

    Without a name it is Python.
    """
    from fairlint.checking.runner import check_source  # noqa: PLC0415 (as above)
    from fairlint.findings.report import Report  # noqa: PLC0415 (start-up)
    from fairlint.sources.discovery import is_excluded_path  # noqa: PLC0415 (as above)
    from fairlint.sources.files_to_check import (  # noqa: PLC0415 (as above)
        shown_path,
        suffix_language,
        suffixes_of,
    )

    settings = configurations.of_file(name) if name is not None else configurations.run
    language: str | None = None
    if name is not None:
        suffixes = suffixes_of(languages().values())
        language = suffix_language(name, suffixes)
        if language is None:
            known = ", ".join(suffixes)
            raise UsageError(
                f"--stdin-filename {name}: its suffix tells no known language; known are {known}"
            )
        if settings.force_exclude and is_excluded_path(name, configurations):
            return Report()
    limit = settings.max_file_size
    data = read_stdin(limit + 1)
    if len(data) > limit:
        raise UsageError(f"standard input is {too_large(limit, MAX_FILE_SIZE)}")
    return check_source(
        data,
        path=shown_path(name) if name else "<stdin>",
        language=language,
        settings=settings,
        in_project=name is not None,
    )
