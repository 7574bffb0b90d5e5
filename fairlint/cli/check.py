"""`fairlint PATH...`, also spelled `fairlint check PATH...`."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from fairlint.cli import say
from fairlint.cli.arguments import Arguments
from fairlint.cli.check_changes import (
    check_fixes,
    check_inputs,
    check_reason,
    git_allowance,
    requested_change,
    restrict_to_change,
    told_differences,
    with_fixes,
)
from fairlint.cli.check_command import COMMAND
from fairlint.cli.check_reports import (
    choose_reporter,
    exit_code,
    given_to_pages,
    other_reporters,
    restrict_to_expiring,
    write_report,
)
from fairlint.cli.check_settings import configurations_of_options
from fairlint.cli.home_country import country_in_findings
from fairlint.cli.output import (
    encoding_of,
    terminal_width,
    wants_color,
    write_file,
    write_stdout,
)
from fairlint.cli.record import facts, provenance_of
from fairlint.cli.terminals import is_terminal, knows_links
from fairlint.reporters import WIDTH, ReportOptions
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.findings.report import Report
    from fairlint.rules.rule import Rule


def run(arguments: Sequence[str]) -> int:
    """Check the paths and tell the findings."""
    options = COMMAND.parse(arguments)
    if options.bundle is not None:
        from fairlint.cli import bundle  # noqa: PLC0415 (few runs write one)

        bundle.check(options, options.words or ["."])
    if options.watch:
        from fairlint.cli.watch import watch  # noqa: PLC0415 (an extra)

        return watch(options, _run_check)
    return _run_check(options)


def _run_check(options: Arguments) -> int:
    """Return one run."""
    for name, value in (("output", options.output), ("format", options.format)):
        if value == "":
            raise UsageError(f"--{name} needs the name of a {'file' if name == 'output' else name}")
    if options.show_settings or options.show_files:
        return _show_only(options)
    reporter = choose_reporter(options)
    others = other_reporters(options)
    paths: list[str] = options.words or ["."]
    given = given_to_pages(options)
    configurations = configurations_of_options(options, paths)
    settings = configurations.run
    check_reason(options, paths)
    check_fixes(options, paths)
    until = time.monotonic() + settings.timeout if settings.timeout else math.inf
    allowance = git_allowance(options, until)
    changed = requested_change(options, allowance, configurations)
    report = restrict_to_change(check_inputs(paths, configurations, options), changed, paths)
    if options.add_ignore:
        from fairlint.cli.add_ignore import Why, add_ignore  # noqa: PLC0415 (few runs change code)

        why = Why(" ".join(options.reason.split()), options.until or "")
        write_stdout(add_ignore(report, why, configurations))
        return 2 if report.failed else 0
    if options.diff_fixes:
        return told_differences(report, configurations, options, paths)
    report = with_fixes(report, configurations, options, paths, allowance)
    report = restrict_to_expiring(report, options)
    code = exit_code(report, settings, options)
    since = _diff_reference(options)
    known, repeatably = (
        provenance_of(paths, report, configurations, allowance, since=since, repeatable=one)
        for one in (False, True)
    )

    def how(stream: TextIO | None, color: str, *, repeatable: bool = False) -> ReportOptions:
        return ReportOptions(
            color=wants_color(color, stream),
            quiet=options.quiet,
            width=terminal_width(stream, WIDTH),
            wrap=stream is not None and is_terminal(stream),
            links=color != "never" and wants_color(color, stream) and knows_links(stream),
            encoding=encoding_of(stream),
            min_severity=settings.min_severity,
            exit_code=code,
            load_rules=_load_rules,
            tell=lambda text: say(f"fairlint: {text}"),
            facts=facts(paths, settings, repeatable=repeatable),
            allowance=allowance,
            country=country_in_findings(report, settings),
            jurisdiction=settings.law,
            provenance=repeatably if repeatable else known,
            portable=repeatable,
            **given,
        )

    for file, other in others.items():
        write_file(file, other(report, how(None, "never")))
    if options.bundle is not None:
        from fairlint.cli import bundle  # noqa: PLC0415 (few runs write one)

        bundle.write(options.bundle, report, how(None, "never", repeatable=True))
    write_report(
        reporter(report, how(None if options.output else sys.stdout, options.color)), report, options
    )
    if not options.quiet:
        _warn_of_unread(report)
    return code


def _warn_of_unread(report: Report) -> None:
    """Say where most of what lies there is nothing that fairlint reads."""
    unread = sum(map(len, report.unread.values()))
    if unread > report.files:
        say(
            f"fairlint: warning: {unread} of {unread + report.files} files here are not read; "
            "this report covers a small part of the code"
        )


def _diff_reference(options: Arguments) -> str:
    """Return what lines count as changed against."""
    if options.diff is not None:
        return str(options.diff)
    return "" if options.diff_file is None else "a diff that was given"


def _show_only(options: Arguments) -> int:
    """Return what is in force, instead of a report."""
    from fairlint.cli import show  # noqa: PLC0415 (few ask)

    paths: list[str] = options.words or ["."]
    told = show.show_settings if options.show_settings else show.show_files
    return told(paths, configurations_of_options(options, paths), options.format)


def _load_rules() -> tuple[Rule, ...]:
    """Return all rules of this run; few formats need them."""
    from fairlint.rules.loading import load_rules  # noqa: PLC0415 (start-up)

    return load_rules()
