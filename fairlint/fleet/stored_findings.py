"""Findings out of the rows of a store, for reporters; what rows do not have is left empty."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fairlint.findings.finding import Finding, FlowStep, identity_from
from fairlint.findings.report import NotAnalysed, Report
from fairlint.findings.uses import GroupPoints, Use, UseContext
from fairlint.fleet.rows import LEFT_OUT, UNREAD
from fairlint.syntax.source import Position
from fairlint.syntax.tree import Span

Row = Mapping[str, Any]


def stored_report(findings: list[Row], coverage: list[Row], files: int) -> Report:
    """Return a report of one repository, as far as its rows tell."""
    unread: dict[str, list[str]] = {}
    for row in coverage:
        if row["cause"] == UNREAD:
            unread.setdefault(row["kind"], []).append(row["path"])
    return Report(
        findings=tuple(map(stored_finding, findings)),
        not_analysed=tuple(
            NotAnalysed(row["path"], row["line"] or 1, row["reason"], row["cause"])
            for row in coverage
            if row["cause"] not in {UNREAD, LEFT_OUT}
        ),
        files=files,
        unread={kind: tuple(paths) for kind, paths in unread.items()},
    )


def stored_finding(row: Row) -> Finding:
    """Return one finding."""
    use = Use(
        attribute=row["attribute"], attribute_kind="protected", kind=row["kind"], effect=row["effect"],
        shape="read", span=Span(0, 0), groups=tuple(row["groups"]), points=_points(row), outcomes={},
        target=None, condition=row["condition"], evidence=(), flow=(), joined=tuple(row["attributes"][1:]),
        domain=row["domain"], function=row["function"], context=UseContext(row["context"]),
    )  # fmt: skip
    identity = identity_from(row["identity"], row["function"], int(row["body"] or 0), int(row["near"] or 0))
    start, end = Position(row["line"], row["column"]), Position(row["end_line"], row["end_column"])
    other_place = FlowStep(
        row["path"], start, end, "", row["cell"], also=True
    )  # all that is known is how many
    return Finding(
        rule=row["rule"], name=row["name"], severity=row["severity"], confidence=row["confidence"],
        path=row["path"], start=start, end=end, message=row["message"], advice=row["advice"], use=use,
        flow=(other_place,) * max((row["places"] or 1) - 1, 0), fingerprint=row["fingerprint"],
        line_hash=row["line_hash"], identity=identity, statement=row["line"], cell=row["cell"],
        laws=tuple(row["laws"]),
    )  # fmt: skip


def _points(row: Row) -> GroupPoints | None:
    if not row["op"] or not row["amounts"]:
        return None
    amounts = json.loads(row["amounts"])
    other = amounts.pop("", None)
    return GroupPoints(row["op"], amounts, other)
