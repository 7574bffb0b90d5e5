"""`fairlint bench show` and `fairlint bench compare`: runs that are on the disk, read and not changed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlint.backends.extras import need
from fairlint.cli import say
from fairlint.cli.arguments import Command, Option
from fairlint.cli.bench_options import FORMAT, PROTOCOL
from fairlint.cli.output import terminal_width, write_file, write_stdout
from fairlint.plugins import manager
from fairlint.reporters.printable import printable, width
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.bench.figures.comparing import Column, Compared
    from fairlint.bench.report import RunView
    from fairlint.bench.report.studies import Study
    from fairlint.bench.suites.suite import ProtocolName

SETTINGS = "run.json"
NEEDED = ("numpy", "scipy")
SINGLE = 4
"""Runs that are told one by one; of more, all are one table."""
WORKERS = 0
"""As many processes as cores judge what has no outcome yet."""

SHOW = Command(
    "bench show",
    usage="fairlint bench show DIR... [--output FILE] [--protocol exact|published] [--format text|json]",
    description="Print the figures of runs, finished or not. Their folders are not changed. A folder of\n"
    "several runs means all of them.",
    groups=(
        (
            "options",
            (
                Option(
                    ("--output",),
                    "also write one page of all runs: FILE.html",
                    takes="FILE",
                ),
                PROTOCOL,
                FORMAT,
            ),
        ),
    ),
    epilog="examples:\n  fairlint bench show fairlint-bench/faircode-function-codegen\n"
    "  fairlint bench show results --output results.html\n"
    "  fairlint bench show --protocol published results",
    words=None,
)
COMPARE = Command(
    "bench compare",
    usage="fairlint bench compare DIR DIR... [--output FILE] [--figures DIR] [--format text|json]",
    description="Compare runs over the subjects they share: the mean difference (first minus second) and\n"
    "its p-value by a paired permutation test. A folder of several runs means all of them.",
    groups=(
        (
            "options",
            (
                Option(
                    ("--output",), "also write a report: FILE.html, or FILE.md for Markdown", takes="FILE"
                ),
                Option(
                    ("--figures",),
                    "write the ranking and each figure to DIR, as SVG, PDF, CSV and LaTeX",
                    takes="DIR",
                ),
                PROTOCOL,
                FORMAT,
            ),
        ),
    ),
    epilog="examples:\n  fairlint bench compare results/a results/b\n"
    "  fairlint bench compare results --output comparison.html --figures figures",
    words=None,
)


def show(arguments: Sequence[str]) -> int:
    """Print the figures of run folders."""
    options = SHOW.parse(arguments)
    if not options.words:
        raise UsageError("bench show takes the folders of runs (see fairlint bench show --help)")
    target = options.output
    if target and Path(target).suffix.lower() not in {".html", ".htm"}:
        raise UsageError(f"--output {target}: the name must end with .html")
    if target:
        need_figures()
    views = views_of(folders(options.words), options.protocol)
    if target:
        from fairlint.bench.report.studies import page_of_suites, studies  # noqa: PLC0415 (after `need`)

        write_file(target, [page_of_suites(studies(views), Path(target).parent)])
        say(f"report: {target}")
    show_figures(views, options.format)
    return 0


def compare(arguments: Sequence[str]) -> int:
    """Print the differences between run folders, and write a report if asked to."""
    options = COMPARE.parse(arguments)
    paths = folders(options.words) if options.words else []
    if len(paths) < 2:
        raise UsageError(
            "bench compare takes the folders of two runs or more (see fairlint bench compare --help)"
        )
    target = options.output
    if target and Path(target).suffix.lower() not in {".html", ".htm", ".md"}:
        raise UsageError(f"--output {target}: the name must end with .html or .md")
    if options.figures:
        check_folder("--figures", Path(options.figures).expanduser(), "figures need")
    need_figures()
    views = views_of(paths, options.protocol)
    from fairlint.bench.report.studies import figures_to, markdown_of, page_of, study  # noqa: PLC0415 (after `need`)

    known = study(views)
    if target:
        as_markdown = target.lower().endswith(".md")
        write_file(target, [markdown_of(known) if as_markdown else page_of(known, Path(target).parent)])
    drawn = figures_to(Path(options.figures).expanduser(), known) if options.figures else []
    if options.format == "json":
        from fairlint.reporters.encoding import encode_json  # noqa: PLC0415 (text is the rule)

        warn(views)
        told = [_comparison_object(one, _name_beside(one, views)) for one in known.compared]
        _add_variants(told, views)
        write_stdout(encode_json(told))
    else:
        write_stdout(comparison(known))
    if options.figures:
        suite = views[0].metrics["suite"]["name"]
        say(f"figures: {options.figures}" if drawn else f"figures: none, the suite {suite} has none")
    if target:
        say(f"report: {target}")
    return 0


def check_folder(option: str, folder: Path, need: str) -> None:
    """Raise UsageError where a file stands where a folder is to be; `need` says whose, as `figures need`."""
    there = next((one for one in (folder, *folder.parents) if one.exists()), folder)
    if there.exists() and not there.is_dir():
        raise UsageError(f"{option} {folder}: {there} is a file, and {need} a folder")


def show_figures(views: Sequence[RunView], how: str) -> None:
    """Print the figures of runs: `how` is `text` or `json`."""
    if how == "json":
        from fairlint.reporters.encoding import encode_json  # noqa: PLC0415 (text is the rule)

        metrics: list[Any] = [view.metrics for view in views]
        write_stdout(encode_json(metrics[0] if len(metrics) == 1 else metrics))
    else:
        write_stdout(figures(views))


def tell_plugins(view: RunView) -> None:
    """Tell plugins that a run is at its end; a warning for each that fails."""
    for told in manager.announce_run_end(view.path, view.metrics):
        say(f"fairlint: warning: {told}")


def figures(
    views: Sequence[RunView],
    prices: tuple[float, float] | None = None,
    known: Mapping[str, Study] | None = None,
) -> Iterator[str]:
    """Yield the figures of runs for a terminal, suite by suite, with tokens and what they cost by `prices`.

    A few runs have their tables one by one; of more, all are one table. `known` are their comparisons, by
    suite, where they were made before.
    """
    from fairlint.bench.report import terminal  # noqa: PLC0415 (after `need`)
    from fairlint.bench.report.studies import comparable  # noqa: PLC0415 (as above)

    by_suite: dict[str, list[RunView]] = {}
    for view in views:
        by_suite.setdefault(view.metrics["suite"]["name"], []).append(view)
    for number, (suite, group) in enumerate(by_suite.items()):
        yield "\n" if number else ""
        if len(group) > SINGLE and comparable():
            yield from _standings_lines(group, (known or {}).get(suite))
        else:
            yield terminal(group, prices)


def _variant_lines(views: Sequence[RunView]) -> Iterator[str]:
    """Yield what perturbations and mitigations move, and an empty line; nothing where no run has any."""
    from fairlint.bench.report.terminal import WIDTH, table, wrap_text  # noqa: PLC0415 (after `need`)
    from fairlint.bench.report.variants import variant_tables  # noqa: PLC0415 (as above)

    columns = terminal_width(sys.stdout, WIDTH)
    for one in variant_tables(views):
        yield f"{one.title}\n"
        heads, rows, sides = one.shown(narrow=True)
        yield from (f"{line}\n" for line in table([heads, *rows], sides, columns))
        yield from (f"{line}\n" for line in wrap_text(one.note, columns))
        yield "\n"


def _standings_lines(views: Sequence[RunView], known: Study | None) -> Iterator[str]:
    """Yield a line a run, in their order."""
    from fairlint.bench.figures.comparing import pairs  # noqa: PLC0415 (after `need`)
    from fairlint.bench.report.standings import standings  # noqa: PLC0415 (as above)
    from fairlint.bench.report.studies import study  # noqa: PLC0415 (as above)
    from fairlint.bench.report.terminal import WIDTH  # noqa: PLC0415 (as above)

    made = study(views, by_column=False) if known is None else known
    columns = terminal_width(sys.stdout, WIDTH)
    for line in standings(made.views, made.ranked, pairs(made.compared), columns=columns):
        yield f"{line}\n"


def comparison(known: Study, *, alone: bool = True) -> Iterator[str]:
    """Yield each two runs of a suite compared, for a terminal, with a warning if they were not asked alike.

    Of many pairs it says how many differ, after the table of the runs where this is told `alone`.
    """
    from fairlint.bench.figures.both_scores import score_names  # noqa: PLC0415 (after `need`)
    from fairlint.bench.figures.leaning import SURE  # noqa: PLC0415 (as above)
    from fairlint.bench.report.standings import NARROW  # noqa: PLC0415 (as above)
    from fairlint.bench.report.terminal import WIDTH, wrap_text  # noqa: PLC0415 (as above)

    warn(known.views)
    yield from _variant_lines(known.views)
    if len(known.views) > SINGLE:
        if alone:
            yield from _standings_lines(known.views, known)
        columns = max(NARROW, min(WIDTH, terminal_width(sys.stdout, WIDTH)))
        for measure in dict.fromkeys(one.measure for one in known.compared):
            those = [one for one in known.compared if one.measure == measure]
            apart = sum(one.overall is not None and one.overall.adjusted <= SURE for one in those)
            by = f" by {measure}" if len(those) < len(known.compared) else ""
            told = (
                f"{apart:,} of {len(those):,} pairs differ{by} by more than chance (p by Holm, at most "
                f"{SURE:g}); a report and --format json have all of them"
            )
            yield from (f"{line}\n" for line in wrap_text(told, columns))
        return
    for number, one in enumerate(known.compared):
        yield "\n" if number else ""
        yield printable(f"{one.first} against {one.second}: {one.measure} over what both were asked") + "\n"
        if one.overall is None:
            yield "  nothing that both have figures for\n"
            continue
        rows = [_column_cells(column) for column in (*one.columns, one.overall)]
        heads = [head for head in rows[0] if any(row[head] not in EMPTY.get(head, ()) for row in rows)]
        yield from _table_lines([heads, *([row[head] for head in heads] for row in rows)])
        if BESIDE in heads:
            told = score_names(view.metrics["protocol"] for view in known.views)[1]
            yield f"  {BESIDE}: {told} of the first and of the second, over all that each was asked\n"


BESIDE = "beside"
EMPTY = {BESIDE: ("– and –",), "not judged": ("0",)}
"""Columns that are left out where all their cells are these."""


def _column_cells(column: Column) -> dict[str, str]:
    """Head → cell."""
    from fairlint.bench.report.words import both, name, number, p_value  # noqa: PLC0415 (after `need`)

    attribute = name(column.attribute)
    return {
        "": printable(f"{column.scenario}, {attribute}" if column.scenario else attribute),
        "first": f"{column.first:.3f}",
        "second": f"{column.second:.3f}",
        "difference": f"{column.difference:+.3f}",
        "p": p_value(column.p_value),
        "p, Holm": p_value(column.adjusted),
        "shared": f"{column.subjects:,}",
        BESIDE: " and ".join(number(one, 3) for one in column.beside),
        "not judged": both(column.not_judged),
    }


def _table_lines(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(width(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        first = row[0] + " " * (widths[0] - width(row[0]))
        rest = (f"{cell:>{size}}" for cell, size in zip(row[1:], widths[1:], strict=True))
        yield "  " + "  ".join([first, *rest]).rstrip() + "\n"


def warn(views: Sequence[RunView]) -> None:
    """Tell on standard error what has to be known of runs beside their figures."""
    from fairlint.bench.report.run_notes import unfinished_note, unjudged_note  # noqa: PLC0415 (as above)
    from fairlint.bench.runs.view import differences  # noqa: PLC0415 (after `need`)

    for view in views:
        for told in filter(None, (unfinished_note(view), unjudged_note(view))):
            say(f"fairlint: warning: {view.path}: {told}")
    if unlike := differences(views):
        say(f"fairlint: warning: these runs were not asked alike, they differ in: {', '.join(unlike)}")


def _name_beside(one: Compared, views: Sequence[RunView]) -> str | None:
    """Return the name of the FairScore beside that of a comparison; None where it is of something else."""
    from fairlint.bench.figures.both_scores import FAIR_SCORE, score_names  # noqa: PLC0415 (after `need`)

    if not one.measure.startswith(FAIR_SCORE):
        return None
    return score_names(view.metrics["protocol"] for view in views)[1]


def _add_variants(told: Sequence[dict[str, Any]], views: Sequence[RunView]) -> None:
    """Add what a perturbation or mitigation moves to the comparison of its run with the plain one."""
    from fairlint.bench.figures.variants import moved_document, moved_figures  # noqa: PLC0415 (after `need`)

    known = moved_figures(views)
    for one, row in zip(known, moved_document(known), strict=True):
        pair = {one.run, one.changed_run}
        found = next((each for each in told if {each["first"], each["second"]} == pair), None)
        if found is not None:
            found.setdefault(one.kind.noun, []).append(row)


def _comparison_object(one: Compared, beside: str | None) -> dict[str, Any]:
    return {
        "first": one.first,
        "second": one.second,
        "measure": one.measure,
        "beside": beside,
        "columns": [_column_object(column) for column in one.columns],
        "overall": None if one.overall is None else _column_object(one.overall),
    }


def _column_object(column: Column) -> dict[str, Any]:
    return {
        "scenario": column.scenario,
        "attribute": column.attribute,
        "first": column.first,
        "second": column.second,
        "difference": column.difference,
        "beside": list(column.beside),
        "p_value": column.p_value,
        "adjusted": column.adjusted,
        "subjects": column.subjects,
        "not_judged": list(column.not_judged),
    }


def not_readable(path: Path, error: Exception) -> UsageError:
    """Return what is told of a run that cannot be read: what is wrong, or that its files are of
    another form.
    """
    if isinstance(error, KeyError | TypeError):
        return UsageError(f"{path}: its files are not as this fairlint writes them ({error})")
    return UsageError(str(error))


def need_figures(extra: str = "bench") -> None:
    """Raise ModelError where a package is missing that bounds and tests are computed with."""
    for package in NEEDED:
        need(package, extra)


def folders(words: Sequence[str]) -> list[Path]:
    """Return the run folders that are named, or that lie in those that are."""
    found: list[Path] = []
    for word in words:
        path = Path(word).expanduser()
        inside = (
            [path] if (path / SETTINGS).exists() else sorted(one.parent for one in path.glob(f"*/{SETTINGS}"))
        )
        if not inside:
            what = "holds no run of the bench" if path.is_dir() else "no such folder"
            raise UsageError(f"{path}: {what}; a run is a folder with a {SETTINGS}")
        found += inside
    twice = next((path for path in found if found.count(path) > 1), None)
    if twice:
        raise UsageError(f"{twice} is named twice")
    return found


def views_of(paths: Sequence[Path], protocol: ProtocolName | None) -> list[RunView]:
    """Return runs that are known by a protocol, or by their own, whose folders are not changed."""
    return [_view_of_run(path, protocol) for path in paths]


def _view_of_run(path: Path, protocol: ProtocolName | None) -> RunView:
    """Return a run as it stands. What has no outcome yet is judged for this, and kept in memory."""
    from fairlint.bench.report import RunView  # noqa: PLC0415 (as above)
    from fairlint.bench.runs.judged_runs import judged_run  # noqa: PLC0415 (help needs none of it)
    from fairlint.bench.runs.view import view_of  # noqa: PLC0415 (as above)
    from fairlint.bench.suites import line_shapes  # noqa: PLC0415 (as below)
    from fairlint.run_folders.jsonl import RunFolderError  # noqa: PLC0415 (help needs none of it)
    from fairlint.run_folders.run_folder import read_run  # noqa: PLC0415 (help needs none of it)

    try:
        found = judged_run(path, protocol=protocol, workers=WORKERS)
        if found.is_kept:  # all answers of many runs would be gigabytes
            return view_of(read_run(path, line_shapes), found.metrics)
    except (RunFolderError, KeyError, TypeError) as error:
        raise not_readable(path, error) from error
    return RunView(path, found.metrics, [kept for kept, _ in found.pairs], [told for _, told in found.pairs])
