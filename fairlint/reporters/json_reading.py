"""Reads a report of the JSON format back, as far as its findings are counted and compared."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from fairlint.findings.finding import identity_from, is_identity
from fairlint.findings.levels import SEVERITIES
from fairlint.findings.spreads import spread
from fairlint.findings.uses import GroupPoints
from fairlint.reporters.places import where
from fairlint.reporters.tally import CountedFinding
from fairlint.support.documents import read_json
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import Record
from fairlint.support.shapes import (
    FLAG,
    TEXT,
    fault_of,
    mapping_of_shape,
    matching,
    maybe,
    number,
    one_of,
    several,
    table,
    whole,
)

LARGEST = 1_000_000_000
"""Bytes of a report."""

POINTS = table(
    {"op": one_of("add", "multiply", "set"), "by_group": mapping_of_shape(number()), "other": maybe(number())}
)
STEP = table({}, {"also": FLAG})
FINDING = table(
    {
        **dict.fromkeys(("path", "rule", "name", "message"), TEXT),
        "severity": one_of(*SEVERITIES),
        "identity": matching(frozenset({str}), "a name, a colon and a number", is_identity),
        "line": whole(),
        "attributes": several(TEXT),
    },
    {
        "cell": maybe(whole()),
        "groups": several(TEXT),
        "points": maybe(POINTS),
        "flow": several(STEP),
    },
)
REPORT = table(
    {"findings": several(FINDING), "summary": table({"files": whole()})},
    {"suppressed": several(table({"finding": FINDING}))},
)
"""What is read of a report."""


class Earlier(Record):
    """A report as it was read."""

    name: str
    """The file."""
    findings: tuple[CountedFinding, ...]
    aside: tuple[CountedFinding, ...]
    files: int
    made: str = ""
    """When, as people write it; empty where the report does not say."""
    commit: str = ""
    """The commit that was checked, where it was one."""
    lowest: str = ""
    """The lowest severity that was shown, where it was the same in the whole run."""


class NoReportError(ValueError):
    """A file that is not such a report; the message names it and says what is wrong."""


def read(name: str) -> Earlier:
    """Return the report in a file; a NoReportError where it is not one."""
    try:
        document = read_json(read_file(name, LARGEST), finite=True)
    except NotReadableError as error:
        raise NoReportError(f"{name}: {error}") from None
    except ValueError as error:
        raise NoReportError(
            f"{name}: is no JSON: {error}; `fairlint --format json` writes a report"
        ) from None
    if not isinstance(document, dict) or document.get("version") != 1 or "findings" not in document:
        raise NoReportError(f"{name}: is no report that fairlint --format json writes")
    if wrong := fault_of(REPORT, document):
        raise NoReportError(f"{name}: is not as fairlint --format json writes it: {wrong}")
    aside = [one["finding"] for one in document.get("suppressed", ())]
    return Earlier(
        name,
        tuple(map(_finding_of_record, document["findings"])),
        tuple(map(_finding_of_record, aside)),
        document["summary"]["files"],
        _date_of_report(document),
        _commit_of_report(document),
        _least_severity(document),
    )


def _date_of_report(document: Mapping[str, Any]) -> str:
    """Return when a report was made, where it says so."""
    run = document.get("provenance")
    made = run.get("date") if isinstance(run, dict) else None
    try:
        day = datetime.fromisoformat(made) if isinstance(made, str) else None
    except ValueError:
        return ""
    return "" if day is None else f"{day.day} {day:%B %Y, %H:%M} UTC"


def _commit_of_report(document: Mapping[str, Any]) -> str:
    run = document.get("provenance")
    commits = [one.get("commit") for one in run.get("checkouts", ())] if isinstance(run, dict) else []
    return str(commits[0] or "") if len(commits) == 1 else ""


def _least_severity(document: Mapping[str, Any]) -> str:
    run = document.get("provenance")
    sets = run.get("settings", ()) if isinstance(run, dict) else ()
    told = {str(one["settings"].get("min-severity", {}).get("value", "")) for one in sets}
    return told.pop() if len(told) == 1 else ""


def _finding_of_record(one: Mapping[str, Any]) -> CountedFinding:
    points = one.get("points")
    return CountedFinding(
        path=one["path"],
        place=where(one["path"], one.get("cell"), one["line"]),
        rule=one["rule"],
        name=one["name"],
        attributes=tuple(one["attributes"]),
        severity=one["severity"],
        message=one["message"],
        identity=identity_from(one["identity"]),
        spread=spread(
            one.get("groups", ()),
            None if points is None else _parse_points(points),
            1 + _count_other_places(one),
        ),
    )


def _count_other_places(one: Mapping[str, Any]) -> int:
    """Return how many other places a finding is told of."""
    return sum(step.get("also", False) for step in one.get("flow", ()))


def _parse_points(points: Mapping[str, Any]) -> GroupPoints:
    return GroupPoints(points["op"], points["by_group"], points["other"])
