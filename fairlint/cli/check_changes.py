"""Runs of `fairlint check` over changed lines, and with fixes."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from fairlint.cli.arguments import Arguments
from fairlint.cli.check_settings import STDIN
from fairlint.cli.output import write_stdout
from fairlint.cli.progress import check_with_progress
from fairlint.config import Configurations
from fairlint.support import days
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.findings.report import Report
    from fairlint.support.git import Allowance
    from fairlint.suppression.changed_lines import Change

LARGEST_DIFF = 200_000_000
"""Bytes of a diff that is given."""


def told_differences(
    report: Report, configurations: Configurations, options: Arguments, paths: Sequence[str]
) -> int:
    """Show what fixes would change; 1 where there is anything."""
    from fairlint.cli import fix  # noqa: PLC0415 (few runs change code)

    diff = list(
        fix.differences(report, configurations, unsafe=bool(options.unsafe_fixes), given=STDIN in paths)
    )
    write_stdout(diff)
    return 2 if report.failed else int(bool(diff) and not options.exit_zero)


def with_fixes(
    report: Report,
    configurations: Configurations,
    options: Arguments,
    paths: Sequence[str],
    allowance: Allowance | None,
) -> Report:
    """Return the report after --fix, or with what --unsafe-fixes would change."""
    if not options.fix and not options.unsafe_fixes:
        return report
    from fairlint.cli import fix  # noqa: PLC0415 (as above)

    if not options.fix:
        return fix.with_fixes(report, configurations, given=STDIN in paths)
    if not fix.write_fixes(report, configurations, unsafe=bool(options.unsafe_fixes)):
        return report
    return restrict_to_change(
        check_inputs(paths, configurations, options),
        requested_change(options, allowance, configurations),
        paths,
    )


def check_fixes(options: Arguments, paths: Sequence[str]) -> None:
    """Raise UsageError where fixes are asked for and cannot be made."""
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


def git_allowance(options: Arguments, until: float) -> Allowance | None:
    """Return the time that git has in this run; None where nobody needs to know before a report asks."""
    if math.isinf(until) and options.diff is None:
        return None
    from fairlint.support.git import Allowance  # noqa: PLC0415 (few runs ask git)

    return Allowance(until)


def requested_change(
    options: Arguments, allowance: Allowance | None, configurations: Configurations
) -> Change | None:
    """Return the lines that are looked at; None where it is all."""
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


def restrict_to_change(report: Report, changed: Change | None, paths: Sequence[str]) -> Report:
    """Return what of a report stands on the lines that are looked at."""
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


def check_reason(options: Arguments, paths: Sequence[str]) -> None:
    """Raise UsageError where comments are to be written and it is not said where or why."""
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


def check_inputs(paths: Sequence[str], configurations: Configurations, options: Arguments) -> Report:
    """Return the report of what is named, or of standard input."""
    if STDIN in paths:
        if len(paths) > 1:
            raise UsageError("- (standard input) stands alone, without other paths")
        from fairlint.cli.stdin import check_stdin  # noqa: PLC0415

        return check_stdin(options.stdin_filename, configurations)
    if options.stdin_filename:
        raise UsageError("--stdin-filename requires the path -")
    return check_with_progress(paths, configurations, quiet=options.quiet)
