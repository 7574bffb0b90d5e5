"""`fairlint bench merge`: the shards of runs put together. Nobody is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.cli import INTERRUPTED, say
from fairlint.cli.arguments import Command, Option
from fairlint.cli.bench_options import FORMAT, PROTOCOL
from fairlint.cli.bench_show import folders, need_figures, show_figures, tell_plugins
from fairlint.support.errors import UsageError

COMMAND = Command(
    "bench merge",
    usage="fairlint bench merge DIR... --output DIR [--protocol exact|published] [--format text|json]",
    description="Combine the shards of runs (bench --shard I/N). The result equals a run without shards.\n"
    "Shards of several models and suites are matched by their settings; each run gets a folder in the\n"
    "output. A folder of several shards means all of them. Nothing is written if a shard is missing,\n"
    "duplicated, unfinished, or has other settings.",
    groups=(
        (
            "options",
            (
                Option(("--output",), "a new or empty folder for the merged runs", takes="DIR"),
                PROTOCOL,
                FORMAT,
            ),
        ),
    ),
    epilog="examples:\n  fairlint bench merge results --output merged\n"
    "  fairlint bench merge part-1 part-2 --output whole",
    words=None,
)


def merge(arguments: Sequence[str]) -> int:
    """Put shards together and print the figures of the runs."""
    options = COMMAND.parse(arguments)
    if not options.words:
        raise UsageError("bench merge takes the folders of shards (see fairlint bench merge --help)")
    if not options.output:
        raise UsageError("bench merge needs --output: a new or empty folder")
    need_figures()
    from fairlint.bench.runs import merging  # noqa: PLC0415 (help needs none of it)
    from fairlint.bench.runs.view import read_view  # noqa: PLC0415 (after `need`)
    from fairlint.cli.bench_plan import folder_names  # noqa: PLC0415 (as above)
    from fairlint.run_folders.jsonl import RunFolderError  # noqa: PLC0415 (as above)

    try:
        runs = merging.runs_of(folders(options.words))
        names = folder_names([_run_title(run[0].whole) for run in runs])
        made = merging.merge(runs, Path(options.output).expanduser(), names, protocol=options.protocol)
    except RunFolderError as error:
        raise UsageError(str(error)) from error
    except KeyboardInterrupt:
        say("fairlint: interrupted: nothing was written")
        return INTERRUPTED
    views = [read_view(path) for path in made]
    for view in views:
        tell_plugins(view)
    show_figures(views, options.format)
    return 0


def _run_title(settings: Mapping[str, Any]) -> str:
    """Return a suite with its mitigation and perturbation, and the model."""
    own = settings["options"].get("suite", {})
    told = (settings["suite"], own.get("mitigation"), own.get("perturb"), settings["model"])
    return "-".join(filter(None, told))
