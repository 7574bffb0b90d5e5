"""In which forms `fairlint check` reports, and with which exit status it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fairlint.cli import write_stderr
from fairlint.cli.arguments import Arguments
from fairlint.cli.output import wants_color, write_file, write_stdout
from fairlint.config import Settings
from fairlint.findings.levels import SEVERITIES
from fairlint.findings.report import EndingIgnore, Suppressed
from fairlint.reporters import ReportOptions
from fairlint.reporters.registry import reporters
from fairlint.support import days
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.errors import UsageError
from fairlint.support.records import replace

if TYPE_CHECKING:
    from fairlint.findings.report import Report
    from fairlint.reporters import ExitCode, Reporter


def _statistics_reporter(options: Arguments) -> Reporter:
    from fairlint.reporters import statistics  # noqa: PLC0415 (few ask)

    known: dict[str | None, Reporter] = {
        None: statistics.report,
        "text": statistics.report,
        "json": statistics.json_report,
    }
    if options.format not in known:
        raise UsageError(f"--statistics requires --format text or json, not {options.format}")
    return known[options.format]


def choose_reporter(options: Arguments) -> Reporter:
    """Return the reporter that the options ask for."""
    if options.show_uses:
        from fairlint.reporters.uses import report  # noqa: PLC0415

        return report
    if options.statistics:
        return _statistics_reporter(options)
    if _has_suppressed_listing(options):
        from fairlint.reporters.suppressed import report  # noqa: PLC0415

        return report
    return _find_reporter(_format_name(options))


def _format_name(options: Arguments) -> str:
    """Return the name of the format that the report is written in."""
    return options.format or ("github" if os.environ.get("GITHUB_ACTIONS") == "true" else "text")


def _has_suppressed_listing(options: Arguments) -> bool:
    """Return whether what is suppressed is listed instead of findings; other formats have both."""
    return bool(options.show_suppressed) and _format_name(options) in {"text", "github"}


def other_reporters(options: Arguments) -> dict[str, Reporter]:
    """Return the reports that are written besides, by their files."""
    found: dict[str, Reporter] = {}
    for text in options.also or ():
        form, _, file = text.partition("=")
        if not form or not file:
            raise UsageError(f"--also needs a format and a file, as sarif=fairlint.sarif, not '{text}'")
        written = (*found, options.output or "", options.bundle or "")
        if os.path.abspath(file) in {os.path.abspath(other) for other in written}:  # noqa: PTH100 (start-up)
            raise UsageError(f"two reports would be written to {file}")
        found[file] = _find_reporter(form)
    return found


def given_to_pages(options: Arguments) -> dict[str, Any]:
    """Return what an HTML report shows besides what was found: decisions, and an earlier report."""
    pages = [options.output or ""] if _format_name(options) == "html" else []
    pages += [file for form, _, file in (one.partition("=") for one in options.also or ()) if form == "html"]
    pages += [options.bundle] if options.bundle else []
    if not pages:
        for name in ("since", "decisions"):
            if getattr(options, name) is not None:
                raise UsageError(f"--{name} goes with --format html")
        return {}
    from fairlint.cli.page_inputs import decisions, earlier  # noqa: PLC0415 (few runs write a page)

    known = decisions(options.decisions, pages[0], is_trusted=not options.untrusted)
    return {"decisions": known, "since": earlier(options.since)}


def _find_reporter(form: str) -> Reporter:
    """Return the reporter of a format."""
    known = reporters()
    try:
        return known[form]
    except KeyError:
        hint = did_you_mean(form, list(known)) or f"; known are {', '.join(known)}"
        raise UsageError(f"unknown format '{form}'{hint}") from None


def _is_incomplete(report: Report, failing: Sequence[str], *, untrusted: bool) -> bool:
    """Return whether something was not analysed, or not read, that is to fail the run.

    What is left out of a checkout that is not trusted is nothing that git tracks there.
    """
    gaps = bool(report.not_analysed) and ("not-analysed" in failing or "incomplete" in failing)
    unread = bool(report.unread or (report.left_out and not untrusted))
    return gaps or (unread and ("unread" in failing or "incomplete" in failing))


def restrict_to_expiring(report: Report, options: Arguments) -> Report:
    """Return the report with what --expiring asks for alone among what is suppressed."""
    if options.expiring is None:
        return report
    day, limit = days.today(), int(options.expiring)

    def ends_soon(one: Suppressed | EndingIgnore) -> bool:
        return bool(one.until) and days.days_until(one.until, day) <= limit

    return replace(
        report,
        suppressed=tuple(filter(ends_soon, report.suppressed)),
        ending_ignores=tuple(filter(ends_soon, report.ending_ignores)),
    )


def exit_code(report: Report, settings: Settings, options: Arguments) -> ExitCode:
    """Return the exit status of a run."""
    if report.failed or (report.files == 0 and report.not_analysed):
        return 2
    if options.exit_zero:
        return 0
    if _has_suppressed_listing(options):
        return 1 if options.expiring is not None and (report.suppressed or report.ending_ignores) else 0
    if _is_incomplete(report, settings.fail_on, untrusted=bool(settings.untrusted)):
        return 1
    least = SEVERITIES.index(settings.least_failing)
    return 1 if any(SEVERITIES.index(finding.severity) >= least for finding in report.findings) else 0


def write_report(told: Iterable[str], report: Report, options: Arguments) -> None:
    """Write a report to where the options say."""
    if not options.output:
        write_stdout(told)
        return
    write_file(options.output, told)
    if not options.quiet:
        from fairlint.reporters.style import Style  # noqa: PLC0415
        from fairlint.reporters.summary import summary  # noqa: PLC0415

        write_stderr(f"{summary(report, ReportOptions(), Style(wants_color(options.color, sys.stderr)))}\n")
