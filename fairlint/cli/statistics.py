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
from fairlint.tally import Told, trend

LARGEST = 1_000_000_000
"""Bytes of a report."""
COMMAND = Command(
    "statistics",
    usage="fairlint statistics [OLD.json] REPORT.json [--format text|json]",
    description=(
        "Counts the findings of a report that --format json wrote, by rule, attribute, file, folder and\n"
        "owner (from CODEOWNERS). Of two reports it says what is new, what is gone and what was kept.\n"
        "fairlint --statistics PATH... counts those of a run."
    ),
    groups=(
        (
            "options",
            (
                Option(("--format",), "how", takes="FORMAT", choices=("text", "json"), default="text"),
                COLOR,
            ),
        ),
    ),
    epilog="examples:\n  fairlint statistics report.json\n  fairlint statistics last-month.json report.json",
    words=2,
)
_TEXTS = ("path", "rule", "name", "severity", "message", "identity")


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
        document = read_json(read_file(name, LARGEST))
    except NotReadableError as error:
        raise UsageError(f"{name}: {error}") from None
    except ValueError as error:
        raise UsageError(f"{name}: is no JSON: {error}") from None
    if not isinstance(document, dict) or document.get("version") != 1 or "findings" not in document:
        raise UsageError(f"{name}: is no report that fairlint --format json writes")
    try:
        aside = [one["finding"] for one in document.get("suppressed", [])]
        return _Read(
            tuple(map(_told, document["findings"])), tuple(map(_told, aside)), document["summary"]["files"]
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise UsageError(f"{name}: a finding in it is not as fairlint --format json writes it") from None


def _told(one: Mapping[str, Any]) -> Told:
    own, _, number = one["identity"].rpartition(":")
    path, rule, name, severity, message, _ = (one[key] for key in _TEXTS)
    if severity not in SEVERITIES or not all(isinstance(one[key], str) for key in _TEXTS):
        raise ValueError(severity)
    return Told(
        path=path,
        place=where(path, one.get("cell"), int(one["line"])),
        rule=rule,
        name=name,
        attributes=tuple(map(str, one["attributes"])),
        severity=severity,
        message=message,
        identity=Identity(own, int(number)),
    )
