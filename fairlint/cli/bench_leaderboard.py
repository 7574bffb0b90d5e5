"""`fairlint bench leaderboard`: runs as a static site, which anybody can host or open from a disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fairlint.cli import say
from fairlint.cli.arguments import Command, Option
from fairlint.cli.bench_show import folders, need_figures
from fairlint.cli.output import write_stdout
from fairlint.reporters.printable import printable
from fairlint.support.errors import UsageError

COMMAND = Command(
    "bench leaderboard",
    usage="fairlint bench leaderboard DIR... --output SITE [--without-answers]",
    description="Build a static site of finished runs: models and suites with intervals and ranks, and\n"
    "links from each figure to its answers. It needs no network and no server. Runs already on the\n"
    "site stay; a run that is given again is replaced. Runs with other prompts, another protocol or\n"
    "another judge have their own tables. A folder of several runs means all of them.",
    groups=(
        (
            "options",
            (
                Option(("--output",), "the folder of the site: new, empty, or a leaderboard", takes="SITE"),
                Option(("--without-answers",), "leave out the models' answers"),
            ),
        ),
    ),
    epilog="examples:\n  fairlint bench leaderboard results --output site\n"
    "  fairlint bench leaderboard results/new-model --output site",
    words=None,
)


def leaderboard(arguments: Sequence[str]) -> int:
    """Add runs to a leaderboard, and say what it holds."""
    options = COMMAND.parse(arguments)
    if not options.words:
        raise UsageError(
            "bench leaderboard takes the folders of runs (see fairlint bench leaderboard --help)"
        )
    if not options.output:
        raise UsageError("bench leaderboard needs --output SITE, the folder of the site")
    paths = folders(options.words)
    need_figures()
    from fairlint.bench.leaderboard.site import INDEX, update  # noqa: PLC0415 (after `need`)

    site = Path(options.output).expanduser()
    made = update(site, paths, with_answers=not options.without_answers)
    for told in made.left_out:
        say(f"fairlint: warning: left out: {printable(told)}")
    tables = "1 table" if made.tables == 1 else f"{made.tables:,} tables"
    written = f"{len(made.added):,} of {len(paths):,} {'run' if len(paths) == 1 else 'runs'} written"
    write_stdout(
        [
            f"{written}; the leaderboard has {made.runs:,} in {tables}\n",
            f"leaderboard: {printable(str(site / INDEX))}\n",
        ]
    )
    return 0
