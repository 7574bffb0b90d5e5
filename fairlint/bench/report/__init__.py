"""Reports of benchmark runs: a page, Markdown, CSV tables, and a table for the terminal."""

from fairlint.bench.report.markdown import markdown
from fairlint.bench.report.page import html, html_of_suites
from fairlint.bench.report.tables import csv_tables
from fairlint.bench.report.terminal import terminal
from fairlint.bench.report.writing import write_reports
from fairlint.bench.runs.view import Pair, RunView, labels, read_view

__all__ = [
    "Pair", "RunView", "csv_tables", "html", "html_of_suites", "labels", "markdown", "read_view", "terminal",
    "write_reports",
]  # fmt: skip
