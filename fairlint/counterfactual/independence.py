"""What a program's text proves without a run: columns that can change nothing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import fairlint
from fairlint.counterfactual.population import Column
from fairlint.counterfactual.value_reads import Reads

READABLE = 50_000
"""Characters of a program; in longer ones nothing is proved."""
KEPT = 256
"""Reports that are kept: a program is measured on several populations."""


def independent(source: str, reads: Reads, columns: Mapping[str, Column]) -> frozenset[str]:
    """Return those names, of columns that are handed in, that the program never reads.

    Both the linter and the program's syntax must say so: no use of the attribute, nothing that could not be
    analysed, no access to what is not named.
    """
    unread = {name: column for name, column in columns.items() if not reads.is_read(name)}
    used = _attributes_in_uses(source) if unread else None
    if used is None:
        return frozenset()
    return frozenset(name for name, column in unread.items() if column.attribute not in used)


@lru_cache(maxsize=KEPT)
def report_of(source: str) -> fairlint.Report:
    """Return what the linter says of a program."""
    return fairlint.check_source(source, path="decision.py")


def _attributes_in_uses(source: str) -> frozenset[str] | None:
    """Return the attributes that the linter sees used; None where it could not analyse all of the program."""
    if len(source) > READABLE:
        return None
    report = report_of(source)
    if report.not_analysed or report.failed:
        return None
    return frozenset(attribute for _, use in report.uses for attribute in use.attributes)
