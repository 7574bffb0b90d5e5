"""Findings out of the rows of a store, for reporters; what rows do not have is left empty."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fairlint.findings.finding import Finding, FlowStep, identity_from
from fairlint.findings.report import NotAnalysed, Report
from fairlint.findings.uses import GroupPoints, Use, UseContext
from fairlint.fleet.finding_details import Details, read_details
from fairlint.fleet.rows import LEFT_OUT, UNREAD
from fairlint.syntax.source import Position, Source
from fairlint.syntax.tree import Span

Row = Mapping[str, Any]


def stored_report(findings: list[Row], coverage: list[Row], files: int) -> Report:
    """Return a report of one repository, as far as its rows tell."""
    unread: dict[str, list[str]] = {}
    languages = {row["path"]: row.get("language") or "" for row in coverage if row["cause"] != UNREAD}
    told = []
    for row in findings:
        details = read_details(row.get("details"))
        languages |= details.languages
        told.append((details.number, _finding_of_row(row, details)))
    told.sort(key=lambda one: (one[1].sort_key, one[0]))
    for row in coverage:
        if row["cause"] == UNREAD:
            unread.setdefault(row["kind"], []).append(row["path"])
    return Report(
        findings=tuple(finding for _, finding in told),
        not_analysed=tuple(
            NotAnalysed(row["path"], row["line"] or 1, row["reason"], row["cause"], row.get("cell"))
            for row in coverage
            if row["cause"] not in {UNREAD, LEFT_OUT}
        ),
        files=files,
        unread={kind: tuple(paths) for kind, paths in unread.items()},
        sources={path: Source(path, b"", language) for path, language in languages.items() if language},
    )


def stored_finding(row: Row) -> Finding:
    """Return one finding."""
    return _finding_of_row(row, read_details(row.get("details")))


def _finding_of_row(row: Row, details: Details) -> Finding:
    """Return a finding. Without a flow, as of a store from before there were details, it has the number of
    its places alone.
    """
    use = Use(
        attribute=row["attribute"], attribute_kind="protected", kind=row["kind"], effect=row["effect"],
        shape="read", span=Span(0, 0), groups=tuple(row["groups"]), points=details.points or _points(row),
        outcomes=details.outcomes, target=None, condition=row["condition"], evidence=details.evidence,
        flow=(), joined=tuple(row["attributes"][1:]), domain=row["domain"], function=row["function"],
        context=UseContext(row["context"], details.context_evidence),
    )  # fmt: skip
    identity = identity_from(row["identity"], row["function"], int(row["body"] or 0), int(row["near"] or 0))
    start, end = Position(row["line"], row["column"]), Position(row["end_line"], row["end_column"])
    other_place = FlowStep(row["path"], start, end, "", row["cell"], also=True)
    flow = details.flow if details.flow is not None else (other_place,) * max((row["places"] or 1) - 1, 0)
    return Finding(
        rule=row["rule"], name=row["name"], severity=row["severity"], confidence=row["confidence"],
        path=details.path or row["path"], start=start, end=end, message=row["message"], advice=row["advice"],
        use=use, flow=flow, fingerprint=row["fingerprint"], line_hash=row["line_hash"], identity=identity,
        statement=row["line"], cell=row["cell"], region=details.region, unheeded=details.unheeded,
        laws=tuple(row["laws"]),
    )  # fmt: skip


def _points(row: Row) -> GroupPoints | None:
    if not row["op"] or not row["amounts"]:
        return None
    amounts = json.loads(row["amounts"])
    other = amounts.pop("", None)
    return GroupPoints(row["op"], amounts, other)
