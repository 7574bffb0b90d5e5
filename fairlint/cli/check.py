"""`fairlint PATH...`, also spelled `fairlint check PATH...`."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

from fairlint.cli import say, write_stderr
from fairlint.cli.arguments import COLOR, CONFIGURATION, Arguments, Command, Option, build_configurations
from fairlint.cli.home_country import country_in_findings
from fairlint.cli.output import (
    encoding_of,
    terminal_width,
    wants_color,
    write_file,
    write_stdout,
)
from fairlint.cli.progress import check_with_progress
from fairlint.cli.record import facts, provenance_of
from fairlint.cli.terminals import is_terminal, knows_links
from fairlint.config import PERSONAS, Configurations, Settings
from fairlint.findings.levels import CONFIDENCES, SEVERITIES
from fairlint.findings.report import EndingIgnore, Suppressed
from fairlint.reporters import WIDTH, ReportOptions
from fairlint.reporters.registry import reporters
from fairlint.support import days
from fairlint.support.about import __version__
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.errors import UsageError
from fairlint.support.records import replace

if TYPE_CHECKING:
    from fairlint.findings.report import Report
    from fairlint.reporters import ExitCode, Reporter
    from fairlint.rules.rule import Rule
    from fairlint.support.git import Allowance
    from fairlint.suppression.changed_lines import Change

STDIN = "-"
LARGEST_DIFF = 200_000_000
"""Bytes of a diff that is given."""

_DESCRIPTION = """\
Finds where Python and C code treats people by a protected attribute, and says what each group gains or loses.

commands:
  fairlint [check] [PATH...]   check files and folders (default: the current folder); - is standard input
  fairlint explain PATH:LINE   explain why a line is reported, or why it is not
  fairlint rule RULE | --all   show a rule's page, or list all rules
  fairlint attributes [NAME]   list the protected attributes, or show one in full
  fairlint schema [--config]   print the JSON Schema of --format json, or of the configuration
  fairlint baseline ...        record the present findings, so that later runs report only new ones
  fairlint verify FILE.zip     check a bundle written by --bundle
  fairlint statistics REPORT   count the findings of a JSON report, or compare two reports
  fairlint server              run the language server for editors
  fairlint mcp                 run the MCP server for coding agents: check, explain, rule and fix as tools
  fairlint hook                check the file a coding agent has just edited
  fairlint clean               remove the cache
  fairlint completion SHELL    print the completion script for bash, zsh or fish
  fairlint man                 print the manual page
  fairlint bench               ask language models for code and score what they write
  fairlint counterfactual      run a decision on people who differ only in a protected attribute
  fairlint model               measure bias inside a language model, and locate it
  fairlint fleet               check many repositories, and ask what was found in them
To check a file or folder that has the name of a command, write ./check."""

_EPILOG = """\
examples:
  fairlint src/
  fairlint --format sarif --output fairlint.sarif .
  fairlint --select FL2 --min-severity note hiring/score.py
  git show HEAD:score.c | fairlint - --stdin-filename score.c

exit codes:
  0  no findings at the severity of --fail-on or above; with --fix, none that are left
  1  findings, or with --diff-fixes a diff
  2  invalid usage or configuration, nothing to check, or an internal error"""


_INSTEAD = {
    "-v": "`fairlint explain FILE:LINE` says why a line is reported or not",
    "-vv": "`fairlint explain FILE:LINE` says why a line is reported or not",
    "--verbose": "`fairlint explain FILE:LINE` says why a line is reported or not",
    "--debug": "`fairlint explain FILE:LINE` says why a line is reported or not",
    "--disable": "use --ignore to disable rules",
    "--enable": "use --select to choose rules",
    "--exclude": "use `exclude` or `extend-exclude` in the configuration to leave files out",
    "--list-rules": "`fairlint rule --all` lists the rules",
    "--show-source": "the text format always shows the code",
    "--output-format": "use --format to choose the format",
    "--output-file": "use --output to name the file",
    "-r": "folders are always checked recursively",
    "--recursive": "folders are always checked recursively",
    "--severity": "use --min-severity to choose the lowest severity that is reported",
    "--init": "no configuration is needed; `fairlint --show-settings` prints the one in force",
}
"""What users of other linters type → what serves here."""

COMMAND = Command(
    "",
    usage="fairlint [check] [OPTION...] [PATH...]",
    description=_DESCRIPTION,
    groups=(
        (
            "output",
            (
                Option(
                    ("-f", "--format"),
                    "text (default), concise, json, json-lines, sarif, html, markdown, github (default in "
                    "GitHub Actions), gitlab, junit, checkstyle, rdjson, or the format of a plugin",
                    takes="FORMAT",
                ),
                Option(
                    ("-o", "--output"),
                    "write the report to FILE instead of standard output",
                    takes="FILE",
                    writes=True,
                ),
                Option(
                    ("--also",),
                    "write another report of the same run, for example sarif=fairlint.sarif",
                    takes="FORMAT=FILE",
                    repeats=True,
                    writes=True,
                ),
                Option(
                    ("--bundle",),
                    "also write a zip file of evidence: HTML, JSON, SARIF, what is suppressed and not read, "
                    "and a manifest; fairlint verify checks it",
                    takes="FILE",
                    writes=True,
                ),
                Option(("-q", "--quiet"), "print findings only, without the summary"),
                Option(
                    ("--show-uses",),
                    "print every use of an attribute with its evidence and effect, instead of findings",
                ),
                Option(
                    ("--statistics",),
                    "print counts by rule, attribute, file, folder and owner, instead of findings",
                ),
                Option(
                    ("--show-suppressed",),
                    "print suppressed findings with reason, author and date; those that end first come first",
                ),
                Option(
                    ("--expiring",),
                    "with --show-suppressed: only what ends within DAYS; exit 1 if there is any",
                    takes="DAYS",
                ),
                Option(
                    ("--since",),
                    "with --format html: show what has changed since REPORT, written by --format json",
                    takes="REPORT",
                ),
                Option(
                    ("--decisions",),
                    "with --format html: show the decisions in FILE (default: fairlint-decisions.json next "
                    "to the report, if it is there)",
                    takes="FILE",
                ),
                COLOR,
            ),
        ),
        (
            "suppressed findings",
            (
                Option(
                    ("--baseline",),
                    "do not report the findings recorded in FILE (default: fairlint-baseline.jsonl, "
                    "if it exists)",
                    takes="FILE",
                ),
                Option(("--no-baseline",), "report the findings of the baseline, too"),
                Option(
                    ("--add-ignore",),
                    "add an ignore comment above each reported finding; requires --reason",
                    writes=True,
                ),
                Option(("--reason",), "the reason in those comments", takes="TEXT"),
                Option(
                    ("--until",),
                    "the last day on which those comments apply, for example 2027-06-30",
                    takes="DATE",
                ),
                Option(("--no-suppressions",), "report findings that comments suppress, too"),
            ),
        ),
        (
            "fixes",
            (
                Option(("--fix",), "apply safe fixes to the files", writes=True),
                Option(
                    ("--unsafe-fixes",),
                    "include fixes that change what the program does; without --fix or --diff-fixes, "
                    "only show them in the report",
                    writes=True,
                ),
                Option(("--diff-fixes",), "print the fixes as a diff and change nothing"),
            ),
        ),
        (
            "rules and severity",
            (
                Option(
                    ("--select",),
                    "report only these rules: codes, prefixes or names, separated by commas",
                    takes="RULES",
                    repeats=True,
                ),
                Option(("--ignore",), "do not report these rules", takes="RULES", repeats=True),
                Option(
                    ("--min-severity",),
                    "the lowest severity that is reported (default: warning)",
                    takes="SEVERITY",
                    choices=SEVERITIES,
                ),
                Option(
                    ("--min-confidence",),
                    "the lowest confidence that is reported (default: low)",
                    takes="CONFIDENCE",
                    choices=CONFIDENCES,
                ),
                Option(
                    ("--fail-on",),
                    "exit 1 at this severity or above (default: warning); add not-analysed, unread or "
                    "incomplete (both) after a comma to fail on code that was not read",
                    takes="WHAT",
                ),
                Option(
                    ("--persona",),
                    "auditor also reports notes that a context explains",
                    takes="WHO",
                    choices=PERSONAS,
                ),
                Option(
                    ("--diff",),
                    "report only findings on lines changed since this git revision",
                    takes="REV",
                ),
                Option(
                    ("--diff-file",),
                    "report only findings on lines changed in this diff; - is standard input",
                    takes="FILE",
                ),
                Option(("--exit-zero",), "exit 0 even if there are findings"),
                Option(("--watch",), "check again whenever a file changes; stop with Ctrl-C"),
            ),
        ),
        (
            "files",
            (
                Option(
                    ("--force-exclude",), "skip excluded files even if they are named on the command line"
                ),
                Option(("--no-gitignore",), "check files that git ignores, too"),
                Option(
                    ("--file-timeout",),
                    "stop checking a file after SECONDS (default: 30; 0: never)",
                    takes="SECONDS",
                ),
                Option(
                    ("--file-steps",),
                    "stop evaluating a file after NUMBER steps (default: 250000)",
                    takes="NUMBER",
                ),
                Option(
                    ("--file-memory",),
                    "stop checking a file that needs more memory, for example '500 MB' (default: 2 GB; "
                    "0: no limit)",
                    takes="SIZE",
                ),
                Option(
                    ("--file-nesting",),
                    "do not read code nested deeper than LEVELS (default: 180)",
                    takes="LEVELS",
                ),
                Option(
                    ("-j", "--jobs"),
                    "the number of processes (default: 0, one per core)",
                    takes="NUMBER",
                ),
                Option(
                    ("--timeout",),
                    "end the run after SECONDS and list the files that are left (default: 0, never)",
                    takes="SECONDS",
                ),
                Option(("--no-cache",), "do not read or write the cache"),
                Option(
                    ("--cache-dir",),
                    "the folder of the cache (default: .fairlint_cache)",
                    takes="FOLDER",
                ),
                Option(
                    ("--stdin-filename",),
                    "the file name of standard input; it decides the language",
                    takes="NAME",
                ),
            ),
        ),
        (
            "configuration",
            (
                *CONFIGURATION,
                Option(
                    ("--untrusted",),
                    "do not trust the author of the code: use no configuration, baseline, comment or "
                    "ignore rule of the checkout, and report what they would have suppressed",
                ),
                Option(("--show-settings",), "print the settings for PATH and where each comes from"),
                Option(
                    ("--show-files",), "print the files that would be checked, and why others are skipped"
                ),
            ),
        ),
    ),
    epilog=_EPILOG,
    words=None,
    version=f"fairlint {__version__}",
    instead=_INSTEAD,
)


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
    """One run."""
    for name, value in (("output", options.output), ("format", options.format)):
        if value == "":
            raise UsageError(f"--{name} needs the name of a {'file' if name == 'output' else name}")
    if options.show_settings or options.show_files:
        return _show_only(options)
    reporter = _choose_reporter(options)
    others = _other_reporters(options)
    paths: list[str] = options.words or ["."]
    given = _given_to_pages(options)
    configurations = _build_configurations(options, paths)
    settings = configurations.run
    _check_reason(options, paths)
    _check_fixes(options, paths)
    until = time.monotonic() + settings.timeout if settings.timeout else math.inf
    allowance = _git_allowance(options, until)
    changed = _requested_change(options, allowance, configurations)
    report = _restrict_to_change(_check_inputs(paths, configurations, options), changed, paths)
    if options.add_ignore:
        from fairlint.cli.add_ignore import Why, add_ignore  # noqa: PLC0415 (few runs change code)

        why = Why(" ".join(options.reason.split()), options.until or "")
        write_stdout(add_ignore(report, why, configurations))
        return 2 if report.failed else 0
    if options.diff_fixes:
        return _told_differences(report, configurations, options, paths)
    report = _with_fixes(report, configurations, options, paths, allowance)
    report = _restrict_to_expiring(report, options)
    code = _exit_code(report, settings, options)
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
    _write_report(
        reporter(report, how(None if options.output else sys.stdout, options.color)), report, options
    )
    if not options.quiet:
        _warn_of_unread(report)
    return code


def _warn_of_unread(report: Report) -> None:
    """Says where most of what lies there is nothing that fairlint reads."""
    unread = sum(map(len, report.unread.values()))
    if unread > report.files:
        say(
            f"fairlint: warning: {unread} of {unread + report.files} files here are not read; "
            "this report covers a small part of the code"
        )


def _diff_reference(options: Arguments) -> str:
    """What lines count as changed against."""
    if options.diff is not None:
        return str(options.diff)
    return "" if options.diff_file is None else "a diff that was given"


def _show_only(options: Arguments) -> int:
    """What is in force, instead of a report."""
    from fairlint.cli import show  # noqa: PLC0415 (few ask)

    paths: list[str] = options.words or ["."]
    told = show.show_settings if options.show_settings else show.show_files
    return told(paths, _build_configurations(options, paths), options.format)


def _told_differences(
    report: Report, configurations: Configurations, options: Arguments, paths: Sequence[str]
) -> int:
    """Shows what fixes would change; 1 where there is anything."""
    from fairlint.cli import fix  # noqa: PLC0415 (few runs change code)

    diff = list(
        fix.differences(report, configurations, unsafe=bool(options.unsafe_fixes), given=STDIN in paths)
    )
    write_stdout(diff)
    return 2 if report.failed else int(bool(diff) and not options.exit_zero)


def _with_fixes(
    report: Report,
    configurations: Configurations,
    options: Arguments,
    paths: Sequence[str],
    allowance: Allowance | None,
) -> Report:
    """The report after --fix, or with what --unsafe-fixes would change."""
    if not options.fix and not options.unsafe_fixes:
        return report
    from fairlint.cli import fix  # noqa: PLC0415 (as above)

    if not options.fix:
        return fix.with_fixes(report, configurations, given=STDIN in paths)
    if not fix.write_fixes(report, configurations, unsafe=bool(options.unsafe_fixes)):
        return report
    return _restrict_to_change(
        _check_inputs(paths, configurations, options),
        _requested_change(options, allowance, configurations),
        paths,
    )


def _check_fixes(options: Arguments, paths: Sequence[str]) -> None:
    """A UsageError where fixes are asked for and cannot be made."""
    if options.untrusted and (options.fix or options.add_ignore):
        name = "--fix" if options.fix else "--add-ignore"
        raise UsageError(f"{name} changes files, and an --untrusted run none; --diff-fixes shows the change")
    asked = [name for name in ("fix", "unsafe_fixes", "diff_fixes") if getattr(options, name)]
    if not asked:
        return
    if options.add_ignore:
        raise UsageError("--add-ignore cannot be used with --fix, --unsafe-fixes or --diff-fixes")
    if options.fix and options.diff_fixes:
        raise UsageError("--fix cannot be used with --diff-fixes")
    if options.fix and STDIN in paths:
        raise UsageError(
            "--fix changes files, and cannot change standard input; --diff-fixes shows the change"
        )
    if options.fix and options.diff_file is not None:
        raise UsageError(
            "--fix cannot be used with --diff-file, whose line numbers it would change; use --diff REV"
        )
    from fairlint.cli.fix import check_needs  # noqa: PLC0415 (few runs change code)

    check_needs(f"--{asked[0].replace('_', '-')}")


def _git_allowance(options: Arguments, until: float) -> Allowance | None:
    """The time that git has in this run; None where nobody needs to know before a report asks."""
    if math.isinf(until) and options.diff is None:
        return None
    from fairlint.support.git import Allowance  # noqa: PLC0415 (few runs ask git)

    return Allowance(until)


def _requested_change(
    options: Arguments, allowance: Allowance | None, configurations: Configurations
) -> Change | None:
    """The lines that are looked at; None where it is all."""
    if options.diff is None and options.diff_file is None:
        return None
    if options.diff is not None and options.diff_file is not None:
        raise UsageError("--diff cannot be used with --diff-file")
    from fairlint.suppression import changed_lines  # noqa: PLC0415 (few runs look at a change)

    if options.diff is not None:
        from fairlint.checking.moved_files import counted_alike  # noqa: PLC0415 (as above)

        return changed_lines.since(options.diff, allowance, partial(counted_alike, configurations))
    text, here = _diff_text(options.diff_file), os.getcwd()  # noqa: PTH109 (start-up)
    return changed_lines.in_diff(text, here, options.stdin_filename)


def _restrict_to_change(report: Report, changed: Change | None, paths: Sequence[str]) -> Report:
    """What of a report stands on the lines that are looked at."""
    if changed is None:
        return report
    from fairlint.suppression.changed_lines import only  # noqa: PLC0415 (as above)

    return only(report, changed, is_given=STDIN in paths)


def _diff_text(name: str) -> bytes:
    from fairlint.support.files import NotReadableError, read_file, too_large  # noqa: PLC0415 (as above)

    if name == STDIN:
        from fairlint.cli.stdin import read_stdin  # noqa: PLC0415 (as above)

        data = read_stdin(LARGEST_DIFF + 1)
        if len(data) > LARGEST_DIFF:
            raise UsageError(f"the diff on standard input is {too_large(LARGEST_DIFF)}")
        return data
    try:
        return read_file(name, LARGEST_DIFF)
    except NotReadableError as error:
        raise UsageError(f"{name}: {error}") from None


def _check_reason(options: Arguments, paths: Sequence[str]) -> None:
    """A UsageError where comments are to be written and it is not said where or why."""
    if options.add_ignore and not (options.reason or "").strip():
        raise UsageError("--add-ignore needs --reason TEXT: a comment without a reason is a finding itself")
    if options.reason is not None and not options.add_ignore:
        raise UsageError("--reason requires --add-ignore")
    if options.until is not None and not options.add_ignore:
        raise UsageError("--until requires --add-ignore")
    if options.until is not None and not days.is_day(options.until):
        raise UsageError(f"--until takes a day such as 2027-06-30, not '{options.until}'")
    if options.expiring is not None and not options.show_suppressed:
        raise UsageError("--expiring requires --show-suppressed")
    if options.expiring is not None and not (options.expiring.isascii() and options.expiring.isdigit()):
        raise UsageError(f"--expiring takes a number of days, not '{options.expiring}'")
    if options.diff_file == STDIN and STDIN in paths:
        raise UsageError("standard input is either the code or the diff")
    if options.add_ignore and STDIN in paths:
        raise UsageError("--add-ignore changes files, and cannot change standard input")


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


def _choose_reporter(options: Arguments) -> Reporter:
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
    """The name of the format that the report is written in."""
    return options.format or ("github" if os.environ.get("GITHUB_ACTIONS") == "true" else "text")


def _has_suppressed_listing(options: Arguments) -> bool:
    """Whether what is suppressed is listed instead of findings; other formats have both."""
    return bool(options.show_suppressed) and _format_name(options) in {"text", "github"}


def _other_reporters(options: Arguments) -> dict[str, Reporter]:
    """The reports that are written besides, by their files."""
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


def _given_to_pages(options: Arguments) -> dict[str, Any]:
    """What an HTML report shows besides what was found: decisions, and an earlier report."""
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
    """The reporter of a format."""
    known = reporters()
    try:
        return known[form]
    except KeyError:
        hint = did_you_mean(form, list(known)) or f"; known are {', '.join(known)}"
        raise UsageError(f"unknown format '{form}'{hint}") from None


def _build_configurations(options: Arguments, paths: Sequence[str]) -> Configurations:
    start = [options.stdin_filename or "."] if STDIN in paths else paths
    baseline = options.baseline and os.path.abspath(options.baseline)  # noqa: PTH100 (start-up)
    return build_configurations(
        options,
        start,
        untrusted=bool(options.untrusted),
        select=_split_rules("--select", options.select),
        ignore=_split_rules("--ignore", options.ignore),
        min_severity=options.min_severity,
        min_confidence=options.min_confidence,
        fail_on=_parse_failing_rules(options.fail_on),
        persona=options.persona,
        force_exclude=options.force_exclude,
        baseline="" if options.no_baseline else baseline,
        suppressions=False if options.no_suppressions else None,
        respect_gitignore=False if options.no_gitignore else None,
        file_timeout=_parse_limit("--file-timeout", options.file_timeout),
        file_steps=_parse_limit("--file-steps", options.file_steps),
        file_memory=_parse_limit("--file-memory", options.file_memory),
        file_nesting=_parse_limit("--file-nesting", options.file_nesting),
        timeout=_parse_limit("--timeout", options.timeout),
        jobs=_parse_limit("--jobs", options.jobs),
        cache_dir=_cache_folder(options),
    )


def _parse_failing_rules(text: str | None) -> tuple[str, ...] | None:
    """What --fail-on names."""
    if text is None:
        return None
    from fairlint.config.table import read_fail_on  # noqa: PLC0415 (few runs set it)

    try:
        return read_fail_on([one.strip() for one in text.split(",")])
    except ValueError as error:
        raise UsageError(f"--fail-on {error}") from None


def _is_incomplete(report: Report, failing: Sequence[str], *, untrusted: bool) -> bool:
    """Whether something was not analysed, or not read, that is to fail the run.

    What is left out of a checkout that is not trusted is nothing that git tracks there.
    """
    gaps = bool(report.not_analysed) and ("not-analysed" in failing or "incomplete" in failing)
    unread = bool(report.unread or (report.left_out and not untrusted))
    return gaps or (unread and ("unread" in failing or "incomplete" in failing))


def _cache_folder(options: Arguments) -> str | None:
    """The folder of results that somebody names here; None where nobody does."""
    named: str | None = options.cache_dir
    if named == "":
        raise UsageError("--cache-dir needs the name of a folder; --no-cache keeps nothing")
    if named and options.no_cache:
        raise UsageError("--cache-dir cannot be used with --no-cache")
    if options.no_cache:
        return ""
    return named and os.path.abspath(named)  # noqa: PTH100 (start-up)


def _parse_limit(option: str, text: str | None) -> Any:
    """A limit as the configuration file has it: a number, or a text such as '5 MB'."""
    if text is None:
        return None
    from fairlint.config.table import READERS  # noqa: PLC0415 (few runs set one)

    value: float | str = text
    for number in (float, int):
        with suppress(ValueError):
            value = number(text)
    try:
        return READERS[option.removeprefix("--")](value)
    except ValueError as error:
        raise UsageError(f"{option} {error}") from None


def _split_rules(option: str, values: Sequence[str] | None) -> tuple[str, ...] | None:
    """The rules that an option names."""
    if values is None:
        return None
    rules = tuple(item for value in values for item in (part.strip() for part in value.split(",")) if item)
    if not rules:
        raise UsageError(f"{option} needs rules: codes, beginnings of codes or names, with commas")
    return rules


def _check_inputs(paths: Sequence[str], configurations: Configurations, options: Arguments) -> Report:
    if STDIN in paths:
        if len(paths) > 1:
            raise UsageError("- (standard input) stands alone, without other paths")
        from fairlint.cli.stdin import check_stdin  # noqa: PLC0415

        return check_stdin(options.stdin_filename, configurations)
    if options.stdin_filename:
        raise UsageError("--stdin-filename requires the path -")
    return check_with_progress(paths, configurations, quiet=options.quiet)


def _restrict_to_expiring(report: Report, options: Arguments) -> Report:
    """The report with what --expiring asks for alone among what is suppressed."""
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


def _exit_code(report: Report, settings: Settings, options: Arguments) -> ExitCode:
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


def _write_report(told: Iterable[str], report: Report, options: Arguments) -> None:
    if not options.output:
        write_stdout(told)
        return
    write_file(options.output, told)
    if not options.quiet:
        from fairlint.reporters.style import Style  # noqa: PLC0415
        from fairlint.reporters.summary import summary  # noqa: PLC0415

        write_stderr(f"{summary(report, ReportOptions(), Style(wants_color(options.color, sys.stderr)))}\n")


def _load_rules() -> tuple[Rule, ...]:
    """All rules of this run; few formats need them."""
    from fairlint.rules.loading import load_rules  # noqa: PLC0415 (start-up)

    return load_rules()
