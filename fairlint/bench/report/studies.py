"""Runs of one suite side by side: compared once, and told in pages, files and lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from fairlint.backends.model import ModelError
from fairlint.bench.figures.comparing import Compared, compare_runs, pairs
from fairlint.bench.figures.ranking import Ranked, ranking
from fairlint.bench.figures.variants import VARIANTS, moved_by, moved_document
from fairlint.bench.report import bias, html, html_of_suites, markdown
from fairlint.bench.report.figures import all_figures
from fairlint.bench.report.page import in_order
from fairlint.bench.report.paper import FOLDER, write_figures, write_tables
from fairlint.bench.report.paper_tables import paper_tables
from fairlint.bench.runs.results import as_text
from fairlint.bench.runs.view import RunView
from fairlint.run_folders.jsonl import RunFolderError
from fairlint.run_folders.run_folder import write_text
from fairlint.statistics.intervals import computable
from fairlint.support.errors import UsageError
from fairlint.support.records import Record


class Study(Record):
    """Runs of one suite, each two of them compared, and all of them in order."""

    views: tuple[RunView, ...]
    compared: tuple[Compared, ...]
    ranked: tuple[Ranked, ...]
    """Empty for suites without a FairScore, and for a single run."""


def comparable() -> bool:
    """Return whether runs can be compared here, which takes packages of an extra."""
    return computable()


def study(views: Sequence[RunView], *, by_column: bool = True) -> Study:
    """Return the runs compared, see `figures/comparing.py`. Raises UsageError for runs of different
    suites.
    """
    if len(views) < 2:
        return Study(tuple(views), (), ())
    found = compare_runs(views, by_column=by_column)
    return Study(tuple(views), tuple(found), tuple(ranking(views, found)))


def studies(views: Sequence[RunView]) -> dict[str, Study]:
    """Suite → its runs compared, suites as they first occur."""
    by_suite: dict[str, list[RunView]] = {}
    for view in views:
        by_suite.setdefault(bias.suite_name(view), []).append(view)
    return {suite: study(known) for suite, known in by_suite.items()}


def page_of(known: Study, folder: Path | None = None) -> str:
    """Return the page of a study that will lie in `folder`."""
    return html(known.views, pairs(known.compared), known.ranked, folder)


def markdown_of(known: Study) -> str:
    """Return the same as Markdown."""
    return markdown(known.views, pairs(known.compared))


def page_of_suites(known: Mapping[str, Study], folder: Path | None = None) -> str:
    """Return one page of studies of several suites."""
    return html_of_suites(
        [view for one in known.values() for view in one.views],
        {suite: pairs(one.compared) for suite, one in known.items()},
        {suite: one.ranked for suite, one in known.items()},
        folder,
    )


def write_study(folder: Path, name: str, known: Study, before: str = "") -> tuple[Path, str]:
    """Write the page `NAME.html`, `NAME.md` and the files of the figures in `figures/`, whose names begin
    with `before`.

    The result is the page, and why there are no files of figures: matplotlib may be missing. Raises
    UsageError where the folder cannot be written.
    """
    page = folder / f"{name}.html"
    try:
        write_text(page, page_of(known, folder))
        write_text(folder / f"{name}.md", markdown_of(known))
        for kind in VARIANTS:
            if moved := moved_by(kind, known.views):
                document = as_text({"figures": moved_document(moved)})
                write_text(folder / f"{before}{kind.noun}s.json", document)
        figures_to(folder / FOLDER, known, before)
    except RunFolderError as error:
        raise UsageError(str(error)) from error
    except ModelError as error:
        return page, str(error)
    return page, ""


def figures_to(folder: Path, known: Study, before: str = "") -> list[Path]:
    """Write the tables and the figures of a study to a folder, see `write_tables` and `write_figures`."""
    views, names = in_order(known.views, known.ranked)
    tables = write_tables(folder, paper_tables(views, names), before)
    return tables + write_figures(folder, all_figures(views, names, known.ranked), before)
