"""`fairlint fleet export`: SARIF, CSV, and a plan of issues, out of a store."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlint.cli import say
from fairlint.cli.arguments import Arguments, Command, Option
from fairlint.cli.fleet_query import RUN
from fairlint.cli.fleet_scan import STORE, store_folder
from fairlint.cli.output import write_file, write_stdout
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.fleet.query import Answers
    from fairlint.fleet.store import Store

COMMAND = Command(
    "fleet export",
    usage="fairlint fleet export --to sarif|csv|issues --store DIR --output PATH [OPTION...]",
    description=(
        "Write what a run found. sarif: a folder with one log a repository, for code scanning. csv: all\n"
        "findings. issues: a JSON plan with title, body, owners and fingerprint of each. Nothing is sent,\n"
        "unless --hook and --yes have a program of yours open the issues."
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
        (
            "issues by a program of yours",
            (
                Option(
                    ("--hook",),
                    "print which issues it would be given; it gets one on its standard input, as JSON",
                    takes="COMMAND",
                ),
                Option(("--yes",), "run it for each; the store keeps what was opened", writes=True),
                Option(("--close-fixed",), "give it those that are open and no longer found, too"),
                Option(("--again",), "try those again at which an earlier command was killed"),
            ),
        ),
    ),
    epilog=(
        "examples:\n"
        "  fairlint fleet export --to sarif --store findings --output sarif\n"
        "  fairlint fleet export --to issues --since previous --store findings --output issues.json\n"
        "  fairlint fleet export --to issues --store findings --hook ./open-issue --yes"
    ),
)


def export(arguments: Sequence[str]) -> int:
    """Write what a run found."""
    options = COMMAND.parse(arguments)
    for name in ("to", "output"):
        if not getattr(options, name) and not (name == "output" and options.hook):
            raise UsageError(f"fleet export needs --{name} (see fairlint fleet export --help)")
    for name in ("since", "known", "hook"):
        if getattr(options, name) and options.to != "issues":
            raise UsageError(f"--{name} goes with --to issues")
    for name in ("yes", "close_fixed", "again"):
        if getattr(options, name) and not options.hook:
            raise UsageError(f"--{name.replace('_', '-')} goes with --hook")
    if options.hook and options.output:
        raise UsageError("--output writes a plan, and --hook takes its place: name one of them")
    if options.hook and "://" in (options.store or ""):
        raise UsageError("--hook needs a store in a folder, which keeps what was opened")
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
            found = {str(one["fingerprint"]) for one in outward.planned_issues(rows, set())}
            if options.since:
                wanted = _changed_places(connection, store, options.since, run)
                issues = (
                    one
                    for one in issues
                    if (one["repository"], one["path"], one["line"], one["rule"]) in wanted
                )
            if options.hook:
                checked = outward.checked_repositories(connection, run)
                return _run_hook(options, store, list(issues), found, checked)
            write_file(options.output, outward.plan_lines(run, issues))
    return 0


def _run_hook(
    options: Arguments, store: Store, issues: Sequence[Mapping[str, Any]], found: set[str], checked: set[str]
) -> int:
    """Print which issues a program would be given, or give them to it."""
    from fairlint.fleet import issue_hook  # noqa: PLC0415 (few runs open issues)
    from fairlint.processes.signals import signals_as_exit  # noqa: PLC0415 (as above)
    from fairlint.reporters.printable import printable  # noqa: PLC0415 (as above)

    command = _command_words(options.hook)
    again = bool(options.again)
    with signals_as_exit(), store.writing() if options.yes else nullcontext():
        states = issue_hook.known_states(store)
        tasks = issue_hook.tasks_of(issues, states, again=again)
        wanted = list(tasks.wanted)
        if options.close_fixed:
            wanted += issue_hook.tasks_to_close(states, found, checked, again=again)
        if not options.yes:
            lines = (f"{one['action']} {one['repository']}: {one['title']}" for one in wanted)
            write_stdout(f"{printable(line)}\n" for line in lines)
        outcome = issue_hook.carry_out(store, wanted, command) if options.yes else None
    if tasks.uncertain:
        names = ", ".join(str(one["fingerprint"]) for one in tasks.uncertain)
        say(f"fairlint: not known whether open, as a command was killed: {names} (--again tries again)")
    if outcome is None:
        say(f"fairlint: {len(wanted):,} to do, {tasks.is_open:,} open already; --yes runs {command[0]}")
        return 0
    say(
        f"fairlint: {outcome.opened:,} opened, {outcome.closed:,} closed, {tasks.is_open:,} were open already"
    )
    if outcome.failure:
        left = len(wanted) - outcome.opened - outcome.closed
        raise UsageError(f"{outcome.failure}; {left:,} left, which the same command goes on with")
    return 0


def _command_words(text: str) -> list[str]:
    """Return the words of a command, as a shell takes it apart."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"--hook is no command: {error}") from None
    if not words:
        raise UsageError("--hook names no command")
    return words


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
