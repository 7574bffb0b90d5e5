"""`fairlint fleet diff`: what changed between two runs of a store."""

from __future__ import annotations

from collections.abc import Sequence

from fairlint.cli import say
from fairlint.cli.arguments import Command, Option
from fairlint.cli.fleet_query import FORMAT, OUTPUT
from fairlint.cli.fleet_scan import STORE, store_folder
from fairlint.cli.output import write_file, write_stdout
from fairlint.support.errors import UsageError

COMMAND = Command(
    "fleet diff",
    usage="fairlint fleet diff RUN1 RUN2 --store DIR [OPTION...]",
    description=(
        "List findings that are new, grown, shrunk or fixed in RUN2, whatever files and functions are\n"
        "called by now. A run is a name, `latest`, or `previous`. Repositories that only one of the runs\n"
        "has, or could check, are counted."
    ),
    groups=(
        (
            "options",
            (
                STORE,
                FORMAT,
                OUTPUT,
                Option(("--fail-on-new",), "exit 1 where a finding is new or grown"),
                Option(("-q", "--quiet"), "do not print the counts"),
            ),
        ),
    ),
    epilog=(
        "examples:\n"
        "  fairlint fleet diff previous latest --store findings\n\n"
        "exit codes:\n  0  done\n  1  with --fail-on-new: there are new or grown findings\n  2  wrong usage"
    ),
    words=2,
)


def diff(arguments: Sequence[str]) -> int:
    """Compare two runs."""
    options = COMMAND.parse(arguments)
    if len(options.words) != 2:
        raise UsageError(
            "fleet diff takes two runs, such as previous latest (see fairlint fleet diff --help)"
        )
    folder = store_folder(options)
    from fairlint.fleet.answer_formats import FORMATS  # noqa: PLC0415 (help needs none of it)
    from fairlint.fleet.comparing import CHANGES, answers_of, compare_runs  # noqa: PLC0415 (as above)
    from fairlint.fleet.query import open_views  # noqa: PLC0415 (as above)
    from fairlint.fleet.store import open_store  # noqa: PLC0415 (as above)

    store = open_store(folder)
    before, after = (store.run_named(name).name for name in options.words)
    with open_views(store) as connection:
        found = compare_runs(connection, before, after)
        lines = FORMATS[options.format](answers_of(found))
        if options.output:
            write_file(options.output, lines)
        else:
            write_stdout(lines)
    if not options.quiet:
        counts = ", ".join(f"{found.counts[change]} {change}" for change in CHANGES)
        left = found.left
        say(
            f"fairlint: {before} → {after}: {counts}; repositories: {left['added']} added, "
            f"{left['gone']} gone, {left['not_checked']} no longer checked, "
            f"{left['not_checked_before']} not checked before"
        )
    return int(bool(options.fail_on_new and (found.counts["new"] or found.counts["grown"])))
