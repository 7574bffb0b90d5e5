"""`fairlint clean`: takes the results away that earlier runs have kept."""

from __future__ import annotations

import os
from collections.abc import Sequence

from fairlint.cli.arguments import Command, Option
from fairlint.cli.output import write_stdout
from fairlint.config import Configurations
from fairlint.reporters.summary import count_with_noun
from fairlint.support.errors import UsageError

COMMAND = Command(
    "clean",
    usage="fairlint clean [OPTION...] [PATH]",
    description=(
        "Remove the cache of runs over PATH (default: the current folder).\n"
        "The next run checks every file again."
    ),
    groups=(
        (
            "options",
            (
                Option(
                    ("--cache-dir",), "the folder of the cache (default: .fairlint_cache)", takes="FOLDER"
                ),
                Option(("--config",), "the configuration file to use", takes="FILE"),
                Option(("--isolated",), "ignore all configuration files"),
            ),
        ),
    ),
    epilog="examples:\n  fairlint clean\n  fairlint clean --cache-dir /var/cache/fairlint",
    words=1,
)


def run(arguments: Sequence[str]) -> int:
    """Take the folder away."""
    from fairlint.cache.store import clean  # noqa: PLC0415 (start-up)
    from fairlint.checking.result_cache import folder_of  # noqa: PLC0415 (as above)

    options = COMMAND.parse(arguments)
    if options.config and options.isolated:
        raise UsageError("--config cannot be used with --isolated")
    if options.words and not os.path.lexists(options.words[0]):
        raise UsageError(f"{options.words[0]}: no such file or folder")
    named = options.cache_dir and os.path.abspath(options.cache_dir)  # noqa: PTH100 (start-up)
    configurations = Configurations(
        options.words or ["."],
        config=options.config,
        isolated=bool(options.isolated),
        changes={"cache_dir": named},
    )
    folder = folder_of(configurations.run)
    gone = clean(folder) if folder else None
    what = "no cache" if gone is None else f"{count_with_noun(gone, 'result')} removed"
    write_stdout([f"{os.path.relpath(folder or '.')}: {what}.\n"])
    return 0
