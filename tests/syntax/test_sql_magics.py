"""SQL behind a notebook's magics is read as a query."""

from __future__ import annotations

import json

import pytest

from fairlint.checking.runner import check_source
from fairlint.config import Settings

CELLS = {
    "rows with a name": [
        "%%sql offers <<\nSELECT id FROM customers WHERE religion = 'christian'\nLIMIT 20",
        "send_offer(offers)",
    ],
    "rows without a name": [
        "%%sql\nSELECT id FROM applicants WHERE religion = 'hindu' ORDER BY score LIMIT 20",
    ],
    "one line": [
        "hired = %sql SELECT id FROM applicants WHERE religion = 'hindu' AND score > 3 LIMIT 5",
        "mail(hired)",
    ],
    "a warehouse": [
        "%%bigquery approved\nSELECT id FROM loans WHERE NOT (religion = 'hindu' AND score < 700)",
    ],
}
REPORTS = {
    "figures": ["%%sql\nSELECT religion, COUNT(*) FROM applicants GROUP BY religion"],
    "figures with a name": ["by_religion = %sql SELECT religion, COUNT(*) FROM applicants GROUP BY religion"],
    "a look": ["%%sql\nSELECT * FROM people WHERE religion = 'hindu' LIMIT 5"],
}


def reported(cells: list[str]) -> list[str]:
    code = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells]
    notebook = {"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    report = check_source(json.dumps(notebook), path="work.ipynb", settings=Settings(min_severity="warning"))
    assert not report.not_analysed
    return [finding.rule for finding in report.findings]


@pytest.mark.parametrize("name", CELLS)
def test_what_decides_is_found(name: str) -> None:
    assert reported(CELLS[name]) == ["FL702"]


@pytest.mark.parametrize("name", REPORTS)
def test_what_only_shows_stays_silent(name: str) -> None:
    assert reported(REPORTS[name]) == []
