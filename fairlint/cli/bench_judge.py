"""`fairlint bench judge`: the answers of runs, judged again. Nobody is asked."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fairlint.backends.extras import need
from fairlint.cli import INTERRUPTED, say
from fairlint.cli.arguments import Command, Option
from fairlint.cli.bench_options import FORMAT, JUDGING, PROTOCOL, limits_of, tell_unsafe
from fairlint.cli.bench_show import folders, need_figures, not_readable, show_figures
from fairlint.reporters.printable import printable
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.bench.report import RunView

COMMAND = Command(
    "bench judge",
    usage="fairlint bench judge DIR... [OPTION...]",
    description="Judge the answers of runs again with this version of fairlint, and update figures and\n"
    "reports. No model is asked. A folder of several runs means all of them. Existing outcomes stay\n"
    "until all new ones are written.",
    groups=(
        (
            "options",
            (
                Option(("--only-not-judged",), "judge only answers that could not be judged before"),
                Option(
                    ("--executor",),
                    "process-unsafe: run the code of runs that were made with it",
                    takes="NAME",
                    choices=("process-unsafe",),
                ),
                Option(
                    ("--data",),
                    "the people of runs that used your own data; the folder of a run does not contain them",
                    takes="FILE",
                ),
                Option(("--data-config",), "the TOML file that describes the data", takes="FILE"),
                *JUDGING,
                PROTOCOL,
                FORMAT,
                Option(("-q", "--quiet"), "do not print progress"),
            ),
        ),
    ),
    epilog="examples:\n  fairlint bench judge results/mine\n"
    "  fairlint bench judge --only-not-judged --judge-timeout 300 results",
    words=None,
)


def judge(arguments: Sequence[str]) -> int:
    """Judge run folders again and print their figures."""
    options = COMMAND.parse(arguments)
    from fairlint.cli.option_values import whole  # noqa: PLC0415 (help needs none of it)

    if not options.words:
        raise UsageError("bench judge takes the folders of runs (see fairlint bench judge --help)")
    workers, limits = whole(options, "--workers", 0) or 0, limits_of(options)
    need_figures()
    if sys.stderr.isatty() and not options.quiet:
        need("tqdm", "bench")
    tell_unsafe(options.executor)
    named = {"data": options.data, "config": options.data_config}
    people = {key: str(Path(file).expanduser().resolve()) for key, file in named.items() if file}
    from fairlint.bench.asking.progress import Quiet, progress  # noqa: PLC0415 (after `need`)
    from fairlint.bench.report import write_reports  # noqa: PLC0415 (as above)
    from fairlint.bench.runs.judged_runs import judge_again  # noqa: PLC0415 (as above)
    from fairlint.run_folders.jsonl import RunFolderError  # noqa: PLC0415 (as above)

    views: list[RunView] = []
    try:
        for path in folders(options.words):
            watch = Quiet() if options.quiet else progress(printable(path.name))
            try:
                judge_again(
                    path,
                    only_not_judged=bool(options.only_not_judged),
                    unsafe=bool(options.executor),
                    people=people,
                    protocol=options.protocol,
                    workers=workers,
                    limits=limits,
                    watch=watch,
                )
            except (KeyError, TypeError) as error:
                raise not_readable(path, error) from error
            finally:
                watch.close()
            views.append(write_reports(path))
    except RunFolderError as error:
        raise UsageError(str(error)) from error
    except KeyboardInterrupt:
        say("fairlint: interrupted: what was judged before is as it was")
        return INTERRUPTED
    show_figures(views, options.format)
    return 0
