"""`fairlint PATH...`, also spelled `fairlint check PATH...`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from fairlint import __version__, plugins
from fairlint.cli.arguments import COLOR, CONFIGURATION, Arguments, Command, Option, configured, did_you_mean
from fairlint.cli.output import forget_stdout, terminal_width, wants_color, write_file, write_stdout
from fairlint.config import PERSONAS, READERS, Settings, UsageError
from fairlint.findings import SEVERITIES
from fairlint.reporters import WIDTH, ReportOptions

if TYPE_CHECKING:
    from fairlint.findings import Report
    from fairlint.reporters import ExitCode, Reporter

STDIN = "-"

_DESCRIPTION = """\
Finds where Python and C code treats people by a protected attribute, and says what each group gains or loses.

commands:
  fairlint [check] [PATH...]   check files and folders (default: the current folder); - is standard input
  fairlint explain PATH:LINE   what fairlint makes of one line, and why it is silent
  fairlint rule RULE | --all   a rule's page, or the list of rules
  fairlint attributes [NAME]   the protected attributes, or all that is known about one
  fairlint schema              the JSON Schema of --format json
  fairlint bench               ask language models for code, and score what they write
A file or folder that is named like a command goes by ./check."""

_EPILOG = """\
examples:
  fairlint src/
  fairlint --format sarif --output fairlint.sarif .
  fairlint --select FL2 --min-severity note hiring/score.py
  git show HEAD:score.c | fairlint - --stdin-filename score.c

exit codes:
  0  nothing found that is as grave as --fail-on
  1  findings
  2  wrong usage, unreadable configuration, nothing to check, or an internal error"""


COMMAND = Command(
    "",
    usage="fairlint [check] [OPTION...] [PATH...]",
    description=_DESCRIPTION,
    groups=(
        (
            "output",
            (
                Option(
                    ("--format",), "text, concise, json, sarif or a plugin's", takes="FORMAT", default="text"
                ),
                Option(("--output",), "write the report to FILE, not to standard output", takes="FILE"),
                Option(("-q", "--quiet"), "findings only, no summary"),
                Option(
                    ("--show-uses",), "every observed use with its evidence and effect, instead of findings"
                ),
                COLOR,
            ),
        ),
        (
            "what counts",
            (
                Option(
                    ("--select",),
                    "only these: codes, beginnings of codes or names, with commas",
                    takes="RULES",
                    repeats=True,
                ),
                Option(("--ignore",), "all but these", takes="RULES", repeats=True),
                Option(
                    ("--min-severity",),
                    "report nothing milder (default: warning)",
                    takes="SEVERITY",
                    choices=SEVERITIES,
                ),
                Option(
                    ("--fail-on",),
                    "exit 1 from here on, and show it (default: warning)",
                    takes="SEVERITY",
                    choices=SEVERITIES,
                ),
                Option(
                    ("--persona",),
                    "an auditor is shown notes that have a context, too",
                    takes="WHO",
                    choices=PERSONAS,
                ),
                Option(("--exit-zero",), "exit 0 even where there are findings"),
            ),
        ),
        (
            "files",
            (
                Option(("--force-exclude",), "leave out excluded files even if they are named"),
                Option(("--no-gitignore",), "check what git ignores, too"),
                Option(
                    ("--file-timeout",),
                    "give a file up after so long (default: 30; 0: never)",
                    takes="SECONDS",
                ),
                Option(
                    ("--file-steps",),
                    "evaluate no more of a file than so much (default: 500000)",
                    takes="NUMBER",
                ),
                Option(
                    ("--file-memory",),
                    "give a file up that takes more, as '500 MB' (default: 2 GB; 0: no limit)",
                    takes="SIZE",
                ),
                Option(
                    ("--timeout",),
                    "end the run after so long, and name what is left (default: 0: never)",
                    takes="SECONDS",
                ),
                Option(
                    ("--stdin-filename",), "what to call standard input; tells its language", takes="NAME"
                ),
            ),
        ),
        ("configuration", CONFIGURATION),
    ),
    epilog=_EPILOG,
    words=None,
    version=f"fairlint {__version__}",
)


def run(arguments: Sequence[str]) -> int:
    """Check the paths and tell the findings."""
    options = COMMAND.parse(arguments)
    if options.output == "":
        raise UsageError("--output needs the name of a file")
    reporter = _reporter(options)
    paths: list[str] = options.words or ["."]
    settings = _settings(options, paths)
    report = _checked(paths, settings, options)
    code = _exit_code(report, settings, exit_zero=options.exit_zero)
    stream = None if options.output else sys.stdout
    told = reporter(
        report,
        ReportOptions(
            color=wants_color(options.color, stream),
            quiet=options.quiet,
            width=terminal_width(stream, WIDTH),
            min_severity=settings.min_severity,
            exit_code=code,
            load_rules=plugins.load_rules,
        ),
    )
    try:
        _write(told, report, options)
    except BrokenPipeError:
        forget_stdout()
    return code


def _reporter(options: Arguments) -> Reporter:
    if options.show_uses:
        from fairlint.reporters.uses import report  # noqa: PLC0415

        return report
    reporters = plugins.reporters()
    try:
        return reporters[options.format]
    except KeyError:
        hint = did_you_mean(options.format, list(reporters)) or f"; known are {', '.join(reporters)}"
        raise UsageError(f"unknown format '{options.format}'{hint}") from None


def _settings(options: Arguments, paths: Sequence[str]) -> Settings:
    start = [options.stdin_filename or "."] if STDIN in paths else paths
    settings = configured(options, start).with_changes(
        select=_listed(options.select),
        ignore=_listed(options.ignore),
        min_severity=options.min_severity,
        fail_on=options.fail_on,
        persona=options.persona,
        force_exclude=options.force_exclude,
        respect_gitignore=False if options.no_gitignore else None,
        file_timeout=_limit("--file-timeout", options.file_timeout),
        file_steps=_limit("--file-steps", options.file_steps),
        file_memory=_limit("--file-memory", options.file_memory),
        timeout=_limit("--timeout", options.timeout),
    )
    mildest = min(settings.min_severity, settings.fail_on, key=SEVERITIES.index)
    return settings.with_changes(min_severity=mildest)


def _limit(option: str, text: str | None) -> Any:
    """A limit as the configuration file has it: a number, or a text such as '5 MB'."""
    if text is None:
        return None
    value: float | str = text
    for number in (float, int):
        with suppress(ValueError):
            value = number(text)
    try:
        return READERS[option.removeprefix("--")](value)
    except ValueError as error:
        raise UsageError(f"{option} {error}") from None


def _listed(values: Sequence[str] | None) -> tuple[str, ...] | None:
    if values is None:
        return None
    return tuple(item for value in values for item in (part.strip() for part in value.split(",")) if item)


def _checked(paths: Sequence[str], settings: Settings, options: Arguments) -> Report:
    if STDIN in paths:
        if len(paths) > 1:
            raise UsageError("- (standard input) stands alone, without other paths")
        from fairlint.cli.stdin import check_stdin  # noqa: PLC0415

        return check_stdin(options.stdin_filename, settings)
    if options.stdin_filename:
        raise UsageError("--stdin-filename goes with the path -")
    from fairlint.runner import check_paths  # noqa: PLC0415

    return check_paths(paths, settings)


def _exit_code(report: Report, settings: Settings, *, exit_zero: bool) -> ExitCode:
    if report.failed or (report.files == 0 and report.not_analysed):
        return 2
    if exit_zero:
        return 0
    least = SEVERITIES.index(settings.fail_on)
    return 1 if any(SEVERITIES.index(finding.severity) >= least for finding in report.findings) else 0


def _write(told: Iterable[str], report: Report, options: Arguments) -> None:
    if not options.output:
        write_stdout(told)
        return
    write_file(options.output, told)
    if not options.quiet:
        from fairlint.reporters.style import Style  # noqa: PLC0415
        from fairlint.reporters.summary import summary  # noqa: PLC0415

        sys.stderr.write(
            f"{summary(report, ReportOptions(), Style(wants_color(options.color, sys.stderr)))}\n"
        )
