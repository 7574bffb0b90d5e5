"""Queries: SQL in texts selects, scores or orders people by a protected attribute."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fairlint.detectors.context import Context
from fairlint.findings.uses import Use
from fairlint.syntax.tree import Gap

# texts, as few runs come to need them compiled
_STATEMENT = (
    r"(?i)\bselect\s|\bupdate\s+\S+\s+set\b|\bdelete\s+from\b|\bcase\s+when\b|\bcase\s+\w+\s+when\b"
    r"|\bmerge\s+into\b|\bfrom\s+[\w.]+\s+\|>"
)
_CONDITION = r"[=<>]|\b(?:in|like|IN|LIKE)\b"
_VERBS = (b"SELECT ", b"UPDATE ", b"DELETE FROM ")
"""What a text begins with that a condition is put into elsewhere."""
_CALLS = frozenset({"where", "filter", "extra", "selectExpr"})


def observe(context: Context) -> Iterator[Use | Gap]:
    """Yield all queries of one file."""
    if not _may_hold(context):
        return
    from fairlint.detectors.query_texts import queries  # noqa: PLC0415 (start-up: few files hold SQL)

    told: set[tuple[int, str]] = set()
    for found in queries(context):
        if isinstance(found, Gap):
            yield found
        elif (place := (found.span.start, found.attribute)) not in told:  # variants share their beginning
            told.add(place)
            yield found


def _may_hold(context: Context) -> bool:
    """Return whether a text of the file could be a query, or a condition that a query is given."""
    written = context.written
    return bool(
        re.search(_STATEMENT, written.prose)
        or (
            (not written.names.isdisjoint(_CALLS) or any(verb in context.source.data for verb in _VERBS))
            and re.search(_CONDITION, written.prose)
        )
    )
