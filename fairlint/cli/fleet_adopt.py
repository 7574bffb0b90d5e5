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

BRANCH = "fairlint-adopt"
"""What the branches are called."""

COMMAND = Command(
    "fleet adopt",
    usage="fairlint fleet adopt --store DIR --output PATCHES | --branches [OPTION...]",
    description=(
        "Write a patch for each repository with findings: a baseline of them, a job for GitHub Actions and\n"
        "a pre-commit hook, so that only new findings fail. `git apply` applies one; nothing is applied or\n"
        "pushed."
    ),
    groups=(
        (
            "options",
            (
                STORE,
                Option(("-o", "--output"), "the folder for the patches", takes="DIR", writes=True),
                Option(
                    ("--branches",),
                    f"instead of patches, write a branch '{BRANCH}' into each checkout of this machine; its\n"
                    "files and its index stay as they are",
                    writes=True,
                ),
                RUN,
                Option(("--reason",), "the reason in the baselines", takes="TEXT"),
                Option(("--until",), "the last day on which the baselines hold", takes="DATE"),
                Option(("--no-ci",), "add no job for GitHub Actions"),
                Option(("--no-pre-commit",), "add no pre-commit hook"),
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
    if bool(options.output) == bool(options.branches):
        raise UsageError("--output names the folder for the patches, or --branches writes branches instead")
    if options.until is not None and not is_day(options.until):
        raise UsageError(f"--until takes a day such as 2027-06-30, not '{options.until}'")
    from fairlint.fleet.adopting import Wanted, write_branches, write_patches  # noqa: PLC0415 (help needs none of it)
    from fairlint.fleet.query import open_views  # noqa: PLC0415 (as above)
    from fairlint.fleet.store import open_store  # noqa: PLC0415 (as above)

    store = open_store(folder)
    run = store.run_named(options.run or "latest").name
    reason = " ".join((options.reason or "").split())
    wanted = Wanted(reason, options.until or "", not options.no_ci, not options.no_pre_commit)
    with open_views(store) as connection:
        if options.branches:
            written = write_branches(connection, run, BRANCH, wanted)
        else:
            written = write_patches(connection, run, Path(options.output).expanduser(), wanted)
    what = f"branches '{BRANCH}'" if options.branches else f"patches to {options.output}"
    say(f"fairlint: wrote {written.count:,} {what}")
    for why, names in sorted(written.left_out.items()):
        more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
        say(f"fairlint: {names[0]}{more}: {why}")
    return 0
