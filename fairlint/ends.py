"""When a suppression ends: the last day on which it holds, and what comes back after that.

Dates are looked at when a run is over, so that a result that is kept from an earlier day holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fairlint import days
from fairlint.records import replace

if TYPE_CHECKING:
    from fairlint.config import Settings
    from fairlint.findings import Finding, Report, Suppressed


def without_ended(report: Report, settings_of: Callable[[str], Settings]) -> Report:
    """A report in which findings are back whose suppression is over; their messages say so.

    `settings_of` gives the settings for a path, by which a finding may be too mild to be shown.
    """
    if not any(one.until for one in report.suppressed):
        return report
    from fairlint.checker import is_too_mild  # noqa: PLC0415 (as above)

    day = days.today()
    over = [one for one in report.suppressed if one.until and one.until < day]
    back = [_back(one) for one in over if not is_too_mild(one.finding, settings_of(one.finding.path))]
    return replace(
        report,
        findings=tuple(sorted((*report.findings, *back), key=lambda one: one.sort_key)),
        suppressed=tuple(one for one in report.suppressed if one not in over),
        hidden_notes=report.hidden_notes + len(over) - len(back),
    )


def _back(one: Suppressed) -> Finding:
    by = "comment" if one.is_comment else "baseline"
    told = f"its suppression by the {by} in line {one.line} ended on {one.until}"
    return replace(one.finding, message=f"{one.finding.message} ({told})")
