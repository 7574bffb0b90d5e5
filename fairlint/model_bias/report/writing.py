"""What is written beside a folder's figures: the page, and each table and figure for itself."""

from __future__ import annotations

from pathlib import Path

from fairlint.bench.report.tables import written_out
from fairlint.model_bias import results, shown
from fairlint.model_bias.report.drawing import svg
from fairlint.model_bias.report.page import figures_of, html
from fairlint.run_folders.jsonl import RunFolderError
from fairlint.run_folders.run_folder import write_text
from fairlint.support.errors import UsageError

PAGE, FIGURES = "report.html", "figures"


def write_report(folder: Path) -> Path:
    """Write the page of all parts of a folder, and its figures as SVG and CSV. The result is the page's path.

    Raises UsageError where nothing is there yet, or the folder cannot be written.
    """
    parts = results.read(folder)
    if not parts:
        raise UsageError(f"{folder} holds no results of fairlint model")
    try:
        (folder / FIGURES).mkdir(exist_ok=True)
        for name, one in figures_of(parts):
            write_text(folder / FIGURES / f"{name}.csv", csv_of(one))
            if not isinstance(one, shown.Table):
                write_text(folder / FIGURES / f"{name}.svg", svg(one))
        write_text(folder / PAGE, html(parts))
    except (RunFolderError, OSError) as error:
        raise UsageError(str(error)) from None
    return folder / PAGE


def csv_of(one: shown.Shown) -> str:
    """Return a table, or the numbers of a figure, as CSV."""
    return written_out(*shown.as_rows(one))
