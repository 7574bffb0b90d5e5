"""`fairlint fleet query`: asks the store, in SQL or by a ready question."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlint.cli.arguments import Arguments, Command, Option
from fairlint.cli.fleet_scan import STORE, store_folder
from fairlint.cli.output import write_file, write_stdout
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.fleet.store import Store

FORMAT = Option(
    ("--format",), "the output format", takes="NAME", choices=("text", "csv", "json"), default="text"
)
OUTPUT = Option(("-o", "--output"), "write to FILE instead of standard output", takes="FILE", writes=True)
RUN = Option(("--run",), "the run (default: the latest that is finished)", takes="NAME")

COMMAND = Command(
    "fleet query",
    usage='fairlint fleet query "SQL" --store DIR | --ask QUESTION --store DIR [OPTION...]',
    description=(
        "Ask a store. SQL is DuckDB's, one statement that reads. Views: repositories, findings, uses,\n"
        "coverage, errors, suppressed, runs, and latest_findings and so on for the latest run. It can read\n"
        "nothing but the store, and write nothing.\n\n"
        "questions: by-rule, by-owner, by-language, by-attribute, by-kind, by-effect, by-domain,\n"
        "by-severity, by-confidence, by-context, by-repository, by-law, uses-by-attribute, uses-by-kind,\n"
        "new-since, worst-gaps, expiring, suppressed, unread, errors, trend"
    ),
    groups=(
        (
            "options",
            (
                STORE,
                Option(("--ask",), "a ready question", takes="QUESTION"),
                RUN,
                Option(("--since",), "what new-since compares with (default: the run before)", takes="NAME"),
                Option(("--days",), "how far ahead expiring looks (default: 90)", takes="DAYS"),
                FORMAT,
                OUTPUT,
                Option(("--memory",), "memory for the query (default: 2GB)", takes="SIZE"),
            ),
        ),
    ),
    epilog=(
        "examples:\n"
        "  fairlint fleet query --ask by-owner --store findings\n"
        "  fairlint fleet query \"SELECT rule, count(*) FROM latest_findings GROUP BY rule\" --store findings"
    ),
    words=1,
)  # fmt: skip


def query(arguments: Sequence[str]) -> int:
    """Ask a store."""
    options = COMMAND.parse(arguments)
    if bool(options.words) == bool(options.ask):
        raise UsageError(
            "fleet query takes a statement in SQL, or --ask QUESTION (see fairlint fleet query --help)"
        )
    folder = store_folder(options)
    from fairlint.fleet.answer_formats import FORMATS  # noqa: PLC0415 (help needs none of it)
    from fairlint.fleet.query import MEMORY, ask, open_views  # noqa: PLC0415 (as above)
    from fairlint.fleet.store import open_store  # noqa: PLC0415 (as above)

    store = open_store(folder)
    with open_views(store, options.memory or MEMORY) as connection:
        if options.words:
            answers = ask(connection, options.words[0])
        else:
            answers = ask_question(connection, store, options)
        lines = FORMATS[options.format](answers)
        if options.output:
            write_file(options.output, lines)
        else:
            write_stdout(lines)
    return 0


def ask_question(connection: Any, store: Store, options: Arguments) -> Any:
    """Return the answers to a ready question."""
    from fairlint.fleet.query import ask_with_names  # noqa: PLC0415 (help needs none of it)
    from fairlint.fleet.questions import QUESTIONS  # noqa: PLC0415 (as above)

    question = QUESTIONS.get(options.ask)
    if question is None:
        hint = did_you_mean(options.ask, QUESTIONS, most=1) or f"; there are {', '.join(QUESTIONS)}"
        raise UsageError(f"there is no question '{options.ask}'{hint}")
    days = options.days or "90"
    if not (days.isascii() and days.isdigit()):
        raise UsageError(f"--days takes a number of days, not '{days}'")
    run = store.run_named(options.run or "latest").name if "$run" in question.sql else ""
    before = ""
    if "$before" in question.sql:
        before = store.run_named(options.since).name if options.since else store.run_before(run)
    return ask_with_names(connection, question.sql, {"run": run, "before": before, "days": int(days)})


def output_folder(options: Arguments) -> Path:
    """Return the folder that a command writes to."""
    if not options.output:
        raise UsageError("--output names the folder to write to")
    return Path(options.output).expanduser()
