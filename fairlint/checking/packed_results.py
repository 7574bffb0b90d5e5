"""Results as text, so that another process can join them with others: what is at hand there is left out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from fairlint.cache.packing_as_text import pack_value_as_text, unpack_value_from_text
from fairlint.checking.file_result import FileResult
from fairlint.checking.stripped_results import KINDS, strip_result
from fairlint.sources.reading import to_utf8
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import replace
from fairlint.syntax.registry import languages

LARGEST = 100_000_000
"""Bytes of a file whose text a result is given back: more than any that is checked has."""


def pack_results(results: Sequence[FileResult], root: str) -> str:
    """Return results as text; a NotPackableError where a plugin has put something else into one.

    `root` is the real path of the current folder, which may be another one when they are given back.
    """
    stripped = [strip_result(one) for one in results]
    for one in stripped:
        one.also_read = tuple(path.removeprefix(f"{root}{os.sep}") for path in one.also_read)
    return pack_value_as_text(stripped, KINDS)


def unpack_results(text: str, root: str) -> list[FileResult]:
    """Return the results in a text, in a folder that has the same files; a ValueError for another."""
    results: Any = unpack_value_from_text(text, KINDS)
    if not isinstance(results, list) or not all(isinstance(one, FileResult) for one in results):
        raise ValueError("holds no results")
    for one in results:
        one.also_read = tuple(os.path.join(root, path) for path in one.also_read)  # noqa: PTH118 (many)
        source = one.source
        if source is not None and not source.parts:
            try:
                raw = read_file(source.path, LARGEST)
            except NotReadableError:
                continue
            one.source = replace(source, data=to_utf8(raw, languages().get(source.language or "")))
    return results
