"""Results as text, so that another process can join them with others: what is at hand there is left out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from fairlint.cache.packing import pack_value_as_text, unpack_value_from_text
from fairlint.checking.file_result import FileResult
from fairlint.sources.reading import to_utf8
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import replace
from fairlint.syntax.registry import languages

KINDS = (
    "fairlint.checking.file_result:FileResult",
    "fairlint.checking.file_result:BelowThreshold",
    "fairlint.findings.finding:Finding",
    "fairlint.findings.finding:FlowStep",
    "fairlint.findings.finding:Identity",
    "fairlint.findings.report:NotAnalysed",
    "fairlint.findings.finding:Remedy",
    "fairlint.findings.report:Suppressed",
    "fairlint.findings.finding:Unheeded",
    "fairlint.vocabulary.model:Evidence",
    "fairlint.syntax.source:Part",
    "fairlint.syntax.source:Position",
    "fairlint.syntax.source:Source",
    "fairlint.syntax.tree:Gap",
    "fairlint.syntax.tree:Span",
    "fairlint.findings.uses:GroupPoints",
    "fairlint.findings.uses:Step",
    "fairlint.findings.uses:Use",
    "fairlint.findings.uses:UseContext",
)
"""What a result is made of."""
LARGEST = 100_000_000
"""Bytes of a file whose text a result is given back: more than any that is checked has."""


def strip_result(result: FileResult) -> FileResult:
    """Return a result without what is at hand when it is asked for again."""
    source = result.source
    if source is not None:
        source = replace(source, data=source.data if source.parts else b"", companions=())
    return replace(result, source=source, names=dict(result.names), basis=None)


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
