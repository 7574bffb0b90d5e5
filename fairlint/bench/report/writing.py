"""The reports of a run, in its folder."""

from __future__ import annotations

from pathlib import Path

from fairlint.bench.report.markdown import markdown
from fairlint.bench.report.page import html
from fairlint.bench.report.tables import csv_tables
from fairlint.bench.runs.view import RunView, read_view
from fairlint.run_folders.run_folder import write_text


def write_reports(path: Path) -> RunView:
    """Write the page, Markdown and tables of a finished run; the result is what they were made of.

    Raises RunFolderError.
    """
    view = read_view(path)
    texts = {"report.html": html([view]), "report.md": markdown([view]), **csv_tables([view])}
    for name, text in texts.items():
        write_text(path / name, text)
    return view
