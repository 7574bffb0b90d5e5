"""A report as rows of the store's tables, in plain values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fairlint.findings.finding import Finding
from fairlint.findings.report import EndingIgnore, Report
from fairlint.findings.spreads import spread_of
from fairlint.fleet.finding_details import details_text
from fairlint.reporters.encoding import without_surrogates
from fairlint.reporters.owners import Owners
from fairlint.reporters.uses import read_source
from fairlint.sources.files_to_check import suffix_language
from fairlint.support.causes import UNFINISHED
from fairlint.syntax.source import Source

Row = dict[str, Any]
UNREAD, LEFT_OUT = "unread", "left-out"
"""Causes of coverage besides those of reports: a kind of file that is not read; no plain file."""


def report_rows(
    report: Report, left_out: Iterable[tuple[str, str]], owners: Owners | None, repository: str
) -> dict[str, list[Row]]:
    """Return the rows of every table but `repositories`: table → rows."""
    tables: dict[str, Iterable[Row]] = {
        "findings": (
            {**_finding_row(one, owners), "details": details_text(one, number, report.sources)}
            for number, one in enumerate(report.findings)
        ),
        "uses": _use_rows(report),
        "coverage": _coverage_rows(report, left_out),
        "suppressed": (
            {
                **_finding_row(one.finding, owners),
                "details": details_text(one.finding, number, report.sources),
                "reason": without_surrogates(one.reason),
                "suppressed_by": "comment" if one.is_comment else "baseline",
                "owner": "",
                "until": one.until,
            }
            for number, one in enumerate(report.suppressed)
        ),
    }
    return {name: [{"repository": repository, **row} for row in rows] for name, rows in tables.items()}


def is_reusable(report: Report) -> bool:
    """Return whether the same code would give the same rows another time."""
    return not report.failed and all(gap.cause not in UNFINISHED for gap in report.not_analysed)


def earliest_end(suppressed: Sequence[Mapping[str, Any]], ignores: Sequence[EndingIgnore] = ()) -> str:
    """Return the first day on which a suppression or a setting ends; empty where none does."""
    days = [str(row["until"]) for row in suppressed if row["until"]]
    return min([*days, *(one.until for one in ignores)], default="")


def _finding_row(finding: Finding, owners: Owners | None) -> Row:
    use, spread = finding.use, spread_of(finding)
    return {
        "path": without_surrogates(finding.path),
        "cell": finding.cell,
        "line": finding.start.line,
        "column": finding.start.column,
        "end_line": finding.end.line,
        "end_column": finding.end.column,
        "rule": finding.rule,
        "name": finding.name,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "attribute": use.attribute,
        "attributes": list(use.attributes),
        "kind": use.kind,
        "effect": use.effect,
        "context": use.context.name,
        "groups": [without_surrogates(group) for group in use.groups],
        "op": spread.op,
        "gap": spread.gap if spread.op else None,
        "amounts": json.dumps(spread.amounts) if spread.op else None,
        "places": spread.places,
        "condition": without_surrogates(use.condition),
        "message": without_surrogates(finding.message),
        "advice": finding.advice,
        "laws": list(finding.laws),
        "owners": [] if owners is None else list(owners.of(finding.path)),
        "domain": use.domain,
        "language": suffix_language(finding.path) or "",
        "function": without_surrogates(finding.identity.function),
        "fingerprint": finding.fingerprint,
        "line_hash": finding.line_hash,
        "identity": str(finding.identity),
        "body": str(finding.identity.body),
        "near": str(finding.identity.near),
    }


def _use_rows(report: Report) -> Iterator[Row]:
    place = _place_finder(report.sources)
    for path, use in report.uses:
        if use.kind == "suppression":
            continue
        found = place(path, use.span.start)
        yield {
            "path": without_surrogates(found.path),
            "cell": found.cell,
            "line": found.line,
            "column": found.column,
            "attribute": use.attribute,
            "attribute_kind": use.attribute_kind,
            "kind": use.kind,
            "effect": use.effect,
            "shape": use.shape,
            "groups": [without_surrogates(group) for group in use.groups],
            "target": without_surrogates(use.target or ""),
            "function": without_surrogates(use.function),
            "domain": use.domain,
            "context": use.context.name,
            "weight": use.weight,
            "language": suffix_language(found.path) or "",
        }


class _UsePlace(NamedTuple):
    """Where a use stands; only a path where its file can no longer be read."""

    path: str
    cell: int | None = None
    line: int | None = None
    column: int | None = None


def _place_finder(sources: Mapping[str, Source]) -> Callable[[str, int], _UsePlace]:
    """Return what says where a byte of a source stands; the last source is kept, as uses come file
    by file.
    """
    known: dict[str, Source | None] = {}

    def place(path: str, offset: int) -> _UsePlace:
        if path not in known:
            known.clear()
            known[path] = sources[path] if path in sources else read_source(path)
        source = known[path]
        if source is None:
            return _UsePlace(path)
        found = source.place(offset)
        return _UsePlace(found.path, found.cell, found.position.line, found.position.column)

    return place


def _coverage_rows(report: Report, left_out: Iterable[tuple[str, str]]) -> Iterator[Row]:
    for gap in report.not_analysed:
        source = report.sources.get(gap.path)
        language = source.language if source is not None else None
        yield {
            **_coverage_row(gap.path, gap.cause, "", gap.reason),
            "cell": gap.cell,
            "line": max(gap.line, 1),
            "language": language or "",
        }
    for kind, paths in report.unread.items():
        for path in paths:
            yield _coverage_row(path, UNREAD, kind, f"fairlint does not read {kind}")
    for path, reason in left_out:
        yield _coverage_row(path, LEFT_OUT, "", reason)
    for one in report.left_out:
        yield _coverage_row(one.path, LEFT_OUT, "", one.reason)


def _coverage_row(path: str, cause: str, kind: str, reason: str) -> Row:
    return {
        "path": without_surrogates(path),
        "cell": None,
        "line": None,
        "cause": cause,
        "kind": kind,
        "reason": without_surrogates(reason),
        "language": "",
    }
