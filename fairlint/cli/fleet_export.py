"""`fairlint fleet export`: SARIF, CSV, and a plan of issues, out of a store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlint.cli import say
from fairlint.cli.arguments import Command, Option
from fairlint.cli.fleet_query import RUN
from fairlint.cli.fleet_scan import STORE, store_folder
from fairlint.cli.output import write_file
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.fleet.query import Answers
    from fairlint.fleet.store import Store

COMMAND = Command(
    "fleet export",
    usage="fairlint fleet export --to sarif|csv|issues --store DIR --output PATH [OPTION...]",
    description=(
        "Write what a run found. sarif: a folder with one log a repository, for code scanning. csv: all\n"
        "findings. issues: a JSON plan with title, body, owners and fingerprint of each. Nothing is sent."
    ),
    groups=(
        (
            "options",
            (
                STORE,
                Option(("--to",), "what to write", takes="FORM", choices=("sarif", "csv", "issues")),
                Option(("-o", "--output"), "the file, or for sarif the folder", takes="PATH", writes=True),
                RUN,
                Option(
                    ("--since",), "issues: only findings that are new or grown since this run", takes="NAME"
                ),
                Option(("--known",), "issues: leave out the fingerprints in an earlier plan", takes="FILE"),
            ),
        ),
    ),
    epilog=(
        "examples:\n"
        "  fairlint fleet export --to sarif --store findings --output sarif\n"
        "  fairlint fleet export --to issues --since previous --store findings --output issues.json"
    ),
)


def export(arguments: Sequence[str]) -> int:
    """Write what a run found."""
    options = COMMAND.parse(arguments)
    for name in ("to", "output"):
        if not getattr(options, name):
            raise UsageError(f"fleet export needs --{name} (see fairlint fleet export --help)")
    for name in ("since", "known"):
        if getattr(options, name) and options.to != "issues":
            raise UsageError(f"--{name} goes with --to issues")
    folder = store_folder(options)
    from fairlint.fleet import outward  # noqa: PLC0415 (help needs none of it)
    from fairlint.fleet.answer_formats import csv_lines  # noqa: PLC0415 (as above)
    from fairlint.fleet.query import open_views  # noqa: PLC0415 (as above)
    from fairlint.fleet.store import open_store  # noqa: PLC0415 (as above)

    store = open_store(folder)
    run = store.run_named(options.run or "latest").name
    known = outward.known_fingerprints(Path(options.known)) if options.known else set()
    with open_views(store) as connection:
        if options.to == "sarif":
            count = outward.write_sarif(connection, run, Path(options.output))
            say(f"fairlint: wrote {count:,} SARIF logs to {options.output}")
        elif options.to == "csv":
            write_file(options.output, csv_lines(outward.findings_table(connection, run)))
        else:
            rows = list(_dictionaries(outward.findings_table(connection, run)))
            issues: Iterator[dict[str, Any]] = outward.planned_issues(rows, known)
            if options.since:
                wanted = _changed_places(connection, store, options.since, run)
                issues = (
                    one
                    for one in issues
                    if (one["repository"], one["path"], one["line"], one["rule"]) in wanted
                )
            write_file(options.output, outward.plan_lines(run, issues))
    return 0


def _changed_places(connection: Any, store: Store, since: str, run: str) -> set[tuple[object, ...]]:
    """Return where findings are new or grown since another run."""
    from fairlint.fleet.comparing import compare_runs  # noqa: PLC0415 (as above)

    before = store.run_named(since).name
    return {
        (row["repository"], row["path"], row["line"], row["rule"])
        for row in compare_runs(connection, before, run).rows
        if row["change"] in {"new", "grown"}
    }


def _dictionaries(answers: Answers) -> Iterator[Mapping[str, Any]]:
    return (dict(zip(answers.columns, row, strict=True)) for row in answers.rows)
