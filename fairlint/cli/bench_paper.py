"""`fairlint bench paper`: a draft of a paper about stored runs. Nobody is asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fairlint.cli import say
from fairlint.cli.arguments import Command, Option
from fairlint.cli.bench_options import PROTOCOL
from fairlint.cli.bench_show import check_folder, folders, need_figures, views_of
from fairlint.support.errors import UsageError

COMMAND = Command(
    "bench paper",
    usage="fairlint bench paper DIR... --output DIR [--least N] [--protocol exact|published]",
    description="Write a draft of a paper about runs: paper.html, paper.tex,\n"
    "and all tables and figures. Each number says where it stands in metrics.json. Nothing is\n"
    "concluded from a run with too few valid answers, or with fewer than half.",
    groups=(
        (
            "options",
            (
                Option(("--output",), "the folder of the draft", takes="DIR"),
                Option(
                    ("--least",),
                    "the number of valid answers of a run, or of a column, below which nothing is concluded "
                    "(default: 100)",
                    takes="N",
                ),
                PROTOCOL,
            ),
        ),
    ),
    epilog="examples:\n  fairlint bench paper results --output paper\n"
    "  fairlint bench paper results/btm results/function --output paper --least 500",
    words=None,
)


def paper(arguments: Sequence[str]) -> int:
    """Write the draft."""
    options = COMMAND.parse(arguments)
    if not options.words:
        raise UsageError("bench paper takes the folders of runs (see fairlint bench paper --help)")
    if not options.output:
        raise UsageError("bench paper needs --output: the folder of the draft")
    folder = Path(options.output).expanduser()
    check_folder("--output", folder, "a draft needs")
    least = _parse_count(options.least)
    need_figures()
    from fairlint.bench.report.draft_files import write_paper  # noqa: PLC0415 (as above)
    from fairlint.bench.report.draft_parts import LEAST  # noqa: PLC0415 (after `need`)

    views = views_of(folders(options.words), options.protocol)
    written = write_paper(folder, views, LEAST if least is None else least)
    say(f"paper: {written[0]}")
    return 0


def _parse_count(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise UsageError(f"--least must be a whole number from 1 on, not '{text}'")
    return int(text)
