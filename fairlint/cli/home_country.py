"""Which country findings compare people with, where nobody says whose people are at home."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairlint.config import Settings
    from fairlint.findings.report import Report

LETTERS = 2


def country_in_findings(report: Report, settings: Settings) -> str:
    """Return the letters of a country whose people a finding names; empty where none does or
    somebody says.
    """
    if settings.home_country:
        return ""
    named = [
        group.upper()
        for finding in report.findings
        if finding.use.attribute == "national_origin"
        for group in finding.use.groups
        if len(group) == LETTERS
    ]
    if not named:
        return ""
    from fairlint.vocabulary.countries import codes  # noqa: PLC0415 (few reports name a country)

    return next((code for code in named if code in codes()), "")
