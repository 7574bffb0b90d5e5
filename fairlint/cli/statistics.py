"""`fairlint statistics`: how many findings JSON reports hold, and what has changed between two."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from fairlint.cli.arguments import COLOR, Command, Option
from fairlint.cli.output import wants_color, write_stdout
from fairlint.reporters.json_reading import Earlier, NoReportError, read
from fairlint.reporters.style import Style
from fairlint.reporters.tally import trend
from fairlint.support.errors import UsageError

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


def run(arguments: Sequence[str]) -> int:
    """Count, or compare."""
    options = COMMAND.parse(arguments)
    if not options.words:
        raise UsageError("name a report that --format json wrote, or two (see fairlint statistics --help)")
    *older, newer = [_read_report(name) for name in options.words]
    from fairlint.reporters import statistics  # noqa: PLC0415 (what is wrong with the files comes first)
    from fairlint.reporters.encoding import encode_json  # noqa: PLC0415 (as above)

    owners = statistics.owners_from(os.getcwd())  # noqa: PTH109 (start-up)
    style = Style(wants_color(options.color, sys.stdout))
    is_json = options.format == "json"
    if older:
        changed = trend(older[0].findings, newer.findings, newer.aside)
        if is_json:
            write_stdout(encode_json(statistics.trend_document(changed, owners)))
        else:
            write_stdout(statistics.trend_tables(changed, owners, style))
    elif is_json:
        write_stdout(encode_json(statistics.document(newer.findings, newer.aside, owners, newer.files)))
    else:
        write_stdout(statistics.tables(newer.findings, newer.aside, owners, style))
    return 0


def _read_report(name: str) -> Earlier:
    """Return a report; a UsageError says what is wrong with the file."""
    try:
        return read(name)
    except NoReportError as error:
        raise UsageError(str(error)) from None
