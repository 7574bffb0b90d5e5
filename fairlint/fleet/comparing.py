"""What changed between two runs: findings that are new, grown, shrunk and fixed, repository by repository.

Findings are matched as a baseline matches them (`findings/matching.py`), so edits around them and new names
of files and functions change nothing. A repository that the second run could not check has no fixed findings.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from fairlint.findings.finding import identity_from
from fairlint.findings.matching import KnownFinding, match_findings
from fairlint.findings.spreads import Spread, growth_message, shrunk
from fairlint.fleet.query import Answers, ask_with_names
from fairlint.support.records import Record, field

CHANGES = ("new", "grown", "shrunk", "fixed")
COLUMNS = (
    "change", "repository", "path", "line", "rule", "severity", "attribute", "message", "detail", "owners",
    "identity",
)  # fmt: skip
_FINDINGS = """
    SELECT f.* FROM findings f
    WHERE f.run = $run AND f.repository IN (
        SELECT coalesce(a.repository, b.repository)
        FROM (SELECT * FROM repositories WHERE run = $before) a
        FULL JOIN (SELECT * FROM repositories WHERE run = $after) b ON a.repository = b.repository
        WHERE a.data_run IS DISTINCT FROM b.data_run AND coalesce(b.status, '') <> 'failed'
          AND coalesce(a.status, '') <> 'failed' AND b.repository IS NOT NULL
    )
    ORDER BY f.repository, f.path, f.line, f."column", f.rule, f.identity
"""
_LEFT = """
    SELECT
        count(*) FILTER (b.repository IS NULL) AS gone,
        count(*) FILTER (b.status = 'failed' AND a.status IS DISTINCT FROM 'failed') AS not_checked,
        count(*) FILTER (a.status = 'failed' AND b.status IS DISTINCT FROM 'failed') AS not_checked_before,
        count(*) FILTER (a.repository IS NULL) AS added
    FROM (SELECT * FROM repositories WHERE run = $before) a
    FULL JOIN (SELECT * FROM repositories WHERE run = $after) b ON a.repository = b.repository
"""


class Comparison(Record, frozen=False):
    """Two runs: what is counted is known when all `rows` were taken."""

    rows: Iterator[dict[str, Any]]
    counts: Counter[str] = field(default_factory=Counter)
    left: dict[str, int] = field(default_factory=dict)
    """Repositories that are in one run only, or were not checked in one: they are not compared."""


def compare_runs(connection: Any, before: str, after: str) -> Comparison:
    """Compare two runs of a store that `open_views` has opened."""
    names = {"before": before, "after": after}
    found = ask_with_names(connection.cursor(), _LEFT, names)
    (numbers,) = found.rows
    made = Comparison(iter(()), left=dict(zip(found.columns, numbers, strict=True)))
    old = _by_repository(ask_with_names(connection.cursor(), _FINDINGS, {**names, "run": before}))
    new = _by_repository(ask_with_names(connection.cursor(), _FINDINGS, {**names, "run": after}))
    made.rows = _counted(made.counts, _merge(old, new))
    return made


def answers_of(comparison: Comparison) -> Answers:
    """Return a comparison as the formats of answers take it."""
    return Answers(COLUMNS, (tuple(row[name] for name in COLUMNS) for row in comparison.rows))


def changes_of_repository(
    before: Sequence[dict[str, Any]], now: Sequence[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield the changes from the findings of one repository to those of later."""
    gone = {row["path"] for row in before} - {row["path"] for row in now}
    matched = match_findings(list(map(_known, before)), list(map(_known, now)), gone)
    old = {place: before[at] for at, place in matched.items()}
    for place, row in enumerate(now):
        if place not in old:
            yield _change("new", row, "")
            continue
        was, is_now = _spread(old[place]), _spread(row)
        if told := growth_message(was, is_now):
            yield _change("grown", row, told)
        elif told := shrunk(was, is_now):
            yield _change("shrunk", row, told)
    for at, row in enumerate(before):
        if at not in matched:
            yield _change("fixed", row, "")


def _merge(
    old: Iterator[tuple[str, list[dict[str, Any]]]], new: Iterator[tuple[str, list[dict[str, Any]]]]
) -> Iterator[dict[str, Any]]:
    """Yield the changes of all repositories, of findings that come in the order of their names."""
    first, second = next(old, None), next(new, None)
    while first is not None or second is not None:
        if second is None or (first is not None and first[0] < second[0]):
            assert first is not None
            yield from changes_of_repository(first[1], [])
            first = next(old, None)
        elif first is None or second[0] < first[0]:
            yield from changes_of_repository([], second[1])
            second = next(new, None)
        else:
            yield from changes_of_repository(first[1], second[1])
            first, second = next(old, None), next(new, None)


def _by_repository(answers: Answers) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    rows = (dict(zip(answers.columns, row, strict=True)) for row in answers.rows)
    for name, group in groupby(rows, key=itemgetter("repository")):
        yield str(name), list(group)


def _counted(counts: Counter[str], rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for row in rows:
        counts[row["change"]] += 1
        yield row


def _known(row: dict[str, Any]) -> KnownFinding:
    identity = identity_from(row["identity"], row["function"], int(row["body"] or 0), int(row["near"] or 0))
    return KnownFinding(row["path"], identity)


def _spread(row: dict[str, Any]) -> Spread:
    amounts = json.loads(row["amounts"]) if row["amounts"] else {}
    return Spread(tuple(sorted(row["groups"])), row["op"] or None, amounts, row["places"] or 0)


def _change(change: str, row: dict[str, Any], detail: str) -> dict[str, Any]:
    return {**{name: row.get(name) for name in COLUMNS}, "change": change, "detail": detail}
