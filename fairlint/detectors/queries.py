"""Queries: SQL in texts selects, scores or orders people by a protected attribute."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fairlint.detectors.context import Context
from fairlint.uses import Use

# a text, as few runs come to need it compiled
_MAY_HOLD = (
    rb"(?i)\bselect\s|\bupdate\s+\S+\s+set\b|\bdelete\s+from\b|\bcase\s+when\b|\bcase\s+\w+\s+when\b"
    rb"|\bmerge\s+into\b|\.(?:where|filter|extra|selectExpr)\("
)


def observe(context: Context) -> Iterator[Use]:
    """All queries of one file."""
    if not re.search(_MAY_HOLD, context.source.data):
        return
    from fairlint.detectors.query_texts import queries  # noqa: PLC0415 (start-up: few files hold SQL)

    told: set[tuple[int, str]] = set()
    for use in queries(context):
        if (place := (use.span.start, use.attribute)) not in told:  # variants of a text share their beginning
            told.add(place)
            yield use
