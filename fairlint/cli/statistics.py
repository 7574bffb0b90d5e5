"""`fairlint statistics`: how many findings JSON reports hold, and what has changed between two."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from fairlint.cli.arguments import COLOR, Command, Option
from fairlint.cli.output import wants_color, write_stdout
from fairlint.config import UsageError
from fairlint.documents import read_json
from fairlint.files import NotReadableError, read_file
from fairlint.findings import SEVERITIES, Identity
from fairlint.records import Record
from fairlint.reporters.places import where
from fairlint.reporters.style import Style
from fairlint.spreads import spread
from fairlint.support.shapes import (
    FLAG,
    TEXT,
    fault_of,
    matching,
    maybe,
    named,
    number,
    one_of,
    several,
    table,
    whole,
)
from fairlint.tally import Told, trend
from fairlint.uses import GroupPoints

LARGEST = 1_000_000_000
"""Bytes of a report."""
LONGEST_NUMBER = 9
"""Digits of the number of a finding among equal ones."""
COMMAND = Command(
    "statistics",
    usage="fairlint statistics [OLD.json] REPORT.json [--format text|json]",
    description=(
        "Count the findings of a report written by --format json: by rule, attribute, file, folder and\n"
        "owner (from CODEOWNERS). With two reports, list what is new, fixed, grown and shrunk.\n"
        "fairlint --statistics PATH... counts the findings of a run."
    ),
    groups=(
        (
            "options",
            (
                Option(
                    ("--format",),
                    "the output format",
                    takes="FORMAT",
                    choices=("text", "json"),
                    default="text",
                ),
                COLOR,
            ),
        ),
    ),
    epilog="examples:\n  fairlint statistics report.json\n  fairlint statistics last-month.json report.json",
    words=2,
)


def _is_identity(text: str) -> bool:
    own, _, count = text.rpartition(":")
    return own != "" and count.isascii() and count.isdigit() and len(count) <= LONGEST_NUMBER


POINTS = table(
    {"op": one_of("add", "multiply", "set"), "by_group": named(number()), "other": maybe(number())}
)
STEP = table({}, {"also": FLAG})
FINDING = table(
    {
        **dict.fromkeys(("path", "rule", "name", "message"), TEXT),
        "severity": one_of(*SEVERITIES),
        "identity": matching(frozenset({str}), "a name, a colon and a number", _is_identity),
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


class _Read(Record):
    """A report as it was read."""

    findings: tuple[Told, ...]
    aside: tuple[Told, ...]
    files: int


def run(arguments: Sequence[str]) -> int:
    """Count, or compare."""
    options = COMMAND.parse(arguments)
    if not options.words:
        raise UsageError("name a report that --format json wrote, or two (see fairlint statistics --help)")
    *older, newer = [_read(name) for name in options.words]
    from fairlint.reporters import statistics  # noqa: PLC0415 (what is wrong with the files comes first)
    from fairlint.reporters.encoding import encoded  # noqa: PLC0415 (as above)

    owners = statistics.owners_from(os.getcwd())  # noqa: PTH109 (start-up)
    style = Style(wants_color(options.color, sys.stdout))
    is_json = options.format == "json"
    if older:
        changed = trend(older[0].findings, newer.findings, newer.aside)
        if is_json:
            write_stdout(encoded(statistics.trend_document(changed, owners)))
        else:
            write_stdout(statistics.trend_tables(changed, owners, style))
    elif is_json:
        write_stdout(encoded(statistics.document(newer.findings, newer.aside, owners, newer.files)))
    else:
        write_stdout(statistics.tables(newer.findings, newer.aside, owners, style))
    return 0


def _read(name: str) -> _Read:
    """A report; a UsageError says what is wrong with the file."""
    try:
        document = read_json(read_file(name, LARGEST), finite=True)
    except NotReadableError as error:
        raise UsageError(f"{name}: {error}") from None
    except ValueError as error:
        raise UsageError(f"{name}: is no JSON: {error}") from None
    if not isinstance(document, dict) or document.get("version") != 1 or "findings" not in document:
        raise UsageError(f"{name}: is no report that fairlint --format json writes")
    if wrong := fault_of(REPORT, document):
        raise UsageError(f"{name}: is not as fairlint --format json writes it: {wrong}")
    aside = [one["finding"] for one in document.get("suppressed", ())]
    return _Read(
        tuple(map(_told, document["findings"])), tuple(map(_told, aside)), document["summary"]["files"]
    )


def _told(one: Mapping[str, Any]) -> Told:
    own, _, count = one["identity"].rpartition(":")
    points = one.get("points")
    return Told(
        path=one["path"],
        place=where(one["path"], one.get("cell"), one["line"]),
        rule=one["rule"],
        name=one["name"],
        attributes=tuple(one["attributes"]),
        severity=one["severity"],
        message=one["message"],
        identity=Identity(own, int(count)),
        spread=spread(one.get("groups", ()), None if points is None else _points(points), 1 + _places(one)),
    )


def _places(one: Mapping[str, Any]) -> int:
    """How many other places a finding is told of."""
    return sum(step.get("also", False) for step in one.get("flow", ()))


def _points(points: Mapping[str, Any]) -> GroupPoints:
    return GroupPoints(points["op"], points["by_group"], points["other"])
