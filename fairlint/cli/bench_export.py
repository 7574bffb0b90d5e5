"""`fairlint bench export`: runs in the forms of others. Nobody is asked, and no run is changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fairlint.cli import INTERRUPTED, say
from fairlint.cli.arguments import Command, Option
from fairlint.cli.bench_show import folders, need_figures, not_readable
from fairlint.support.errors import UsageError

FORMS = ("parquet", "hf", "lm-eval", "model-card")

COMMAND = Command(
    "bench export",
    usage="fairlint bench export DIR... --to FORM --output PATH",
    description="Write runs in the formats of other tools. A folder of several runs means all of them.\n\n"
    "  parquet     one file with a row for each answer, its prompt and its outcome\n"
    "  hf          a folder for the Hugging Face hub, also for datasets.load_dataset\n"
    "  lm-eval     results_*.json and samples_*.jsonl, as written by lm-evaluation-harness\n"
    "  model-card  the figures for a model card: model-index and a table (PATH.md, or a folder)",
    groups=(
        (
            "options",
            (
                Option(("--to",), "the format", takes="FORM", choices=FORMS),
                Option(("--output",), "a new file or folder", takes="PATH"),
            ),
        ),
    ),
    epilog="examples:\n  fairlint bench export results --to hf --output answers\n"
    "  fairlint bench export results/mine --to model-card --output card.md",
    words=None,
)


def export(arguments: Sequence[str]) -> int:
    """Write runs in another form."""
    options = COMMAND.parse(arguments)
    if not options.words:
        raise UsageError("bench export takes the folders of runs (see fairlint bench export --help)")
    for name, value in (("--to", options.to), ("--output", options.output)):
        if not value:
            raise UsageError(f"bench export needs {name} (see fairlint bench export --help)")
    need_figures()
    from fairlint.bench import exporting  # noqa: PLC0415 (help needs none of it)
    from fairlint.bench.exporting.runs import read  # noqa: PLC0415 (after `need`)
    from fairlint.run_folders.jsonl import RunFolderError  # noqa: PLC0415 (as above)

    output = Path(options.output).expanduser()
    try:
        runs = []
        for path in folders(options.words):
            try:
                runs.append(read(path))
            except (KeyError, TypeError) as error:
                raise not_readable(path, error) from error
        exporting.export(runs, options.to, output)
    except RunFolderError as error:
        raise UsageError(str(error)) from error
    except KeyboardInterrupt:
        say("fairlint: interrupted: nothing was written")
        return INTERRUPTED
    say(f"exported: {output}")
    return 0
