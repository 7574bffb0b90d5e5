"""`fairlint fleet adopt`: patches with which repositories begin to use fairlint."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fairlint.cli import say
from fairlint.cli.arguments import Command, Option
from fairlint.cli.fleet_query import RUN
from fairlint.cli.fleet_scan import STORE, store_folder
from fairlint.support.days import is_day
from fairlint.support.errors import UsageError

COMMAND = Command(
    "fleet adopt",
    usage="fairlint fleet adopt --store DIR --output PATCHES [OPTION...]",
    description=(
        "Write a patch for each repository with findings: a baseline of them, and a job for GitHub Actions,\n"
        "so that only new findings fail. `git apply` applies one; nothing is applied or pushed."
    ),
    groups=(
        (
            "options",
            (
                STORE,
                Option(("-o", "--output"), "the folder for the patches", takes="DIR", writes=True),
                RUN,
                Option(("--reason",), "the reason in the baselines", takes="TEXT"),
                Option(("--until",), "the last day on which the baselines hold", takes="DATE"),
                Option(("--no-ci",), "add no job for GitHub Actions"),
            ),
        ),
    ),
    epilog=(
        "examples:\n"
        "  fairlint fleet adopt --store findings --output patches --until 2027-06-30\n"
        "  git -C checkouts/shop apply ../../patches/shop-1a2b3c4d.patch"
    ),
)


def adopt(arguments: Sequence[str]) -> int:
    """Write the patches of a run."""
    options = COMMAND.parse(arguments)
    folder = store_folder(options)
    if not options.output:
        raise UsageError("--output names the folder for the patches")
    if options.until is not None and not is_day(options.until):
        raise UsageError(f"--until takes a day such as 2027-06-30, not '{options.until}'")
    from fairlint.fleet.adopting import write_patches  # noqa: PLC0415 (help needs none of it)
    from fairlint.fleet.query import open_views  # noqa: PLC0415 (as above)
    from fairlint.fleet.store import open_store  # noqa: PLC0415 (as above)

    store = open_store(folder)
    run = store.run_named(options.run or "latest").name
    output = Path(options.output).expanduser()
    reason = " ".join((options.reason or "").split())
    with open_views(store) as connection:
        count = write_patches(
            connection, run, output, reason=reason, until=options.until or "", with_ci=not options.no_ci
        )
    say(f"fairlint: wrote {count:,} patches to {options.output}")
    return 0
