"""When a suppression ends: the last day on which it holds, and what comes back after that.

Dates are looked at when a run is over, so that a result that is kept from an earlier day holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from fairlint.config.settings import EndingRules
from fairlint.findings.report import EndingIgnore
from fairlint.support import days
from fairlint.support.records import replace

if TYPE_CHECKING:
    from fairlint.config import Settings
    from fairlint.findings.finding import Finding
    from fairlint.findings.report import Report, Suppressed


KEY = "per-file-ignores"


def restore_expired_findings(report: Report, settings_of: Callable[[str], Settings]) -> Report:
    """Return a report in which findings are back whose suppression is over; their messages say so.

    `settings_of` gives the settings for a path, by which a finding may be too mild to be shown.
    """
    report = _with_ended_settings(report, settings_of)
    if not any(one.until for one in report.suppressed):
        return report
    from fairlint.checking.selection import is_too_mild  # noqa: PLC0415 (as above)

    day = days.today()
    over = [one for one in report.suppressed if one.until and one.until < day]
    back = [
        _finding_after_expiry(one)
        for one in over
        if not is_too_mild(one.finding, settings_of(one.finding.path))
    ]
    return replace(
        report,
        findings=tuple(sorted((*report.findings, *back), key=lambda one: one.sort_key)),
        suppressed=tuple(one for one in report.suppressed if one not in over),
        hidden_notes=report.hidden_notes + len(over) - len(back),
    )


def ending_ignores(several: Iterable[Settings]) -> tuple[EndingIgnore, ...]:
    """Return the entries of `per-file-ignores` that have an end and still hold, the first to end first."""
    from fairlint.sources.files_to_check import shown_path  # noqa: PLC0415 (as above)

    found = {
        EndingIgnore(
            pattern,
            tuple(rules),
            rules.until,
            rules.reason,
            tuple(map(shown_path, settings.origins.get(KEY, ()))),
        )
        for settings in several
        for pattern, rules in settings.per_file_ignores.items()
        if isinstance(rules, EndingRules)
    }
    return tuple(sorted(found, key=lambda one: (one.until, one.origins, one.pattern)))


def _with_ended_settings(report: Report, settings_of: Callable[[str], Settings]) -> Report:
    """Return a report in which findings say that `per-file-ignores` silenced them up to a day."""
    ended = {path: settings_of(path) for path in dict.fromkeys(one.path for one in report.findings)}
    ended = {path: settings for path, settings in ended.items() if settings.ended_ignores}
    if not ended:
        return report
    findings = (
        _note_expired_ignore(one, ended[one.path]) if one.path in ended else one for one in report.findings
    )
    return replace(report, findings=tuple(findings))


def _note_expired_ignore(finding: Finding, settings: Settings) -> Finding:
    from fairlint.checking.selection import matches_rule_name  # noqa: PLC0415 (as above)
    from fairlint.sources.path_patterns import PathPatterns  # noqa: PLC0415 (as above)

    for pattern, rules in settings.ended_ignores.items():
        is_ended = matches_rule_name(finding.rule, finding.name, rules)
        if is_ended and PathPatterns((pattern,), settings.root).match(finding.path):
            why = f": {rules.reason}" if rules.reason else ""
            told = f"`per-file-ignores` silenced it up to {rules.until}{why}"
            return replace(finding, message=f"{finding.message} ({told})")
    return finding


def _finding_after_expiry(one: Suppressed) -> Finding:
    by = "comment" if one.is_comment else "baseline"
    told = f"its suppression by the {by} in line {one.line} ended on {one.until}"
    return replace(one.finding, message=f"{one.finding.message} ({told})")
