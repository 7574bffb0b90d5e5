"""`fairlint fleet site`: a run as pages that open without a server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fairlint.cli import say
from fairlint.cli.arguments import Command, Option
from fairlint.cli.fleet_query import RUN
from fairlint.cli.fleet_scan import STORE, store_folder
from fairlint.support.errors import UsageError

COMMAND = Command(
    "fleet site",
    usage="fairlint fleet site --store DIR --output SITE [--run NAME]",
    description=(
        "Write a run as a folder of pages: repositories, findings, owners, rules, attributes, and what was\n"
        "not read. They open without a server. An earlier site in the folder is replaced."
    ),
    groups=(
        (
            "options",
            (STORE, Option(("-o", "--output"), "the folder", takes="DIR", writes=True), RUN),
        ),
    ),
    epilog="examples:\n  fairlint fleet site --store findings --output site",
)


def site(arguments: Sequence[str]) -> int:
    """Write the pages of a run."""
    options = COMMAND.parse(arguments)
    folder = store_folder(options)
    if not options.output:
        raise UsageError("--output names the folder of the site")
    from fairlint.fleet.query import open_views  # noqa: PLC0415 (help needs none of it)
    from fairlint.fleet.site import write_site  # noqa: PLC0415 (as above)
    from fairlint.fleet.store import open_store  # noqa: PLC0415 (as above)

    store = open_store(folder)
    run = store.run_named(options.run or "latest").name
    with open_views(store) as connection:
        pages = write_site(connection, run, Path(options.output).expanduser())
    say(f"fairlint: wrote {pages:,} pages to {options.output}")
    return 0
