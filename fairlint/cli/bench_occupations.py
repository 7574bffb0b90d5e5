"""`fairlint bench occupations`: whom runs prefer in occupations, beside the real shares of groups."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlint.cli.arguments import Command, Option
from fairlint.cli.bench_options import FORMAT
from fairlint.cli.bench_show import folders, need_figures
from fairlint.cli.output import write_file, write_stdout
from fairlint.reporters.printable import printable
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.bench.figures.real_shares import Occupation

COMMAND = Command(
    "bench occupations",
    usage="fairlint bench occupations DIR... --shares FILE [--output FILE]",
    description="Compare whom the functions of faircode:function prefer in each occupation with the share\n"
    "of each group among the people who work there. FILE is a CSV with the column occupation and one\n"
    "for each group (female, male, white, black…), with shares from 0 to 1; or table 11 of the BLS,\n"
    "employed persons by detailed occupation, saved as CSV; or the word winogender.",
    groups=(
        (
            "options",
            (
                Option(("--shares",), "the shares: a CSV file, or winogender", takes="FILE"),
                Option(
                    ("--output",), "a CSV file with a row for each occupation and attribute", takes="FILE"
                ),
                FORMAT,
            ),
        ),
    ),
    epilog="examples:\n  fairlint bench occupations results/job --shares cpsaat11.csv\n"
    "  fairlint bench occupations results/job --shares shares.csv --output occupations.csv",
    words=None,
)

_WHERE = ("run", "attribute", "list", "occupation")
_WHAT = ("preferred", "largest", "group", "points", "share")


def occupations(arguments: Sequence[str]) -> int:
    """Print how preferences go with real shares, and write each occupation where that is asked for."""
    options = COMMAND.parse(arguments)
    if not options.words:
        raise UsageError(
            "bench occupations takes the folders of runs (see fairlint bench occupations --help)"
        )
    if not options.shares:
        raise UsageError("bench occupations needs --shares FILE")
    need_figures()
    from fairlint.bench.figures.real_shares import occupations as found_in  # noqa: PLC0415 (after `need`)
    from fairlint.bench.figures.real_shares import summary, why_none  # noqa: PLC0415 (as above)
    from fairlint.model_bias.data.employed import load  # noqa: PLC0415 (as above)
    from fairlint.model_bias.verdicts import FEWEST  # noqa: PLC0415 (as above)

    paths = folders(options.words)
    known = load(options.shares)
    found: dict[str, list[Occupation]] = {}
    for path in paths:
        metrics = _figures_of(path)
        found[str(path)] = list(found_in(metrics, known.shares))
        if not found[str(path)]:
            raise UsageError(f"{path}, beside {known.source}: {why_none(metrics, known.shares)}")
    if options.output:
        write_file(options.output, _csv_of(found))
    told = {
        "source": known.source,
        "runs": [{"run": path, "attributes": summary(ones, FEWEST)} for path, ones in found.items()],
    }
    write_stdout([json.dumps(told, indent=2) + "\n"] if options.format == "json" else _lines_of(told, FEWEST))
    return 0


def _figures_of(path: Path) -> Mapping[str, Any]:
    from fairlint.bench.runs.judged_runs import metrics_of  # noqa: PLC0415 (after `need`)
    from fairlint.run_folders.jsonl import RunFolderError  # noqa: PLC0415 (as above)

    try:
        return metrics_of(path)
    except RunFolderError as error:
        raise UsageError(str(error)) from error


def _lines_of(told: Mapping[str, Any], fewest: int) -> Iterator[str]:
    yield f"shares: {printable(told['source'])}\n"
    for run in told["runs"]:
        yield f"\n{printable(run['run'])}\n"
        for row in run["attributes"]:
            count = _counted(row["occupations"])
            yield (
                f"  {row['attribute']}: {count}; a group is preferred in "
                f"{row['preferring']:,}, the largest group in {row['largest']:,} of these\n"
            )
            if row["occupations"] < fewest:
                yield f"    nothing can be concluded from {count} (at least {fewest})\n"
                continue
            if row["share"] is None:
                yield f"    no mean share of the preferred group from {_counted(row['preferring'])}\n"
            else:
                yield f"    the preferred group holds {row['share']:.0%} of the jobs on average\n"
            correlations = ", ".join(
                f"{group} {'-' if value is None else format(value, '.2f')}"
                for group, value in row["correlation"].items()
            )
            yield f"    Spearman's correlation of points and real share: {correlations}\n"


def _counted(occupations: int) -> str:
    return f"{occupations:,} occupation{'' if occupations == 1 else 's'}"


def _csv_of(found: Mapping[str, Sequence[Occupation]]) -> Iterator[str]:
    yield _csv_line((*_WHERE, *_WHAT))
    for run, ones in found.items():
        for one in ones:
            for group, share in one.shares.items():
                points = one.points[group]
                names = (run, one.attribute, one.listed, one.subject, one.preferred or "", one.largest)
                yield _csv_line((*names, group, points, share))


def _csv_line(cells: Sequence[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()
