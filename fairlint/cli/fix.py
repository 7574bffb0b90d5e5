"""`fairlint --fix`, `--unsafe-fixes` and `--diff-fixes`: what is changed in files, shown or written."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from difflib import unified_diff
from importlib.util import find_spec
from typing import TYPE_CHECKING

from fairlint.cli import say
from fairlint.cli.output import write_bytes
from fairlint.config import Configurations
from fairlint.reporters.printable import printable
from fairlint.reporters.summary import count_with_noun
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import replace

if TYPE_CHECKING:
    from fairlint.findings.finding import Finding, Fix, Remedy
    from fairlint.findings.report import Report
    from fairlint.fixes.files import Changed
    from fairlint.fixes.text import Text

NEEDS = "libcst"


def check_needs(option: str) -> None:
    """Raise UsageError where what fixes are made with is not installed."""
    if find_spec(NEEDS) is None:
        raise UsageError(f"{option} needs {NEEDS}: pip install 'fairlint[fix]'")


def write_fixes(report: Report, configurations: Configurations, *, unsafe: bool) -> bool:
    """Write the files that fixes change, and says so on standard error; whether there were any."""
    number = files = 0
    for change in _file_changes(report, configurations, unsafe=unsafe, given=False):
        if _raw_bytes(report, change.path, configurations, given=False) != change.before.encoded():
            say(f"{change.path}: left as it is: it was changed meanwhile")
            continue
        write_bytes(change.path, change.after.encoded())
        told = ", ".join(f"{one.rule} in line {one.start.line}" for one, _ in change.fixes)
        say(f"{change.path}: fixed {told}")
        number += len(change.fixes)
        files += 1
    if number:
        say(f"Fixed {count_with_noun(number, 'finding')} in {count_with_noun(files, 'file')}.")
    return bool(number)


def differences(
    report: Report, configurations: Configurations, *, unsafe: bool, given: bool
) -> Iterator[str]:
    """Yield a unified diff of what fixes change; `given` says that the code came by standard input."""
    shown = printable if sys.stdout.isatty() else str
    for change in _file_changes(report, configurations, unsafe=unsafe, given=given):
        names = f"a/{change.path}", f"b/{change.path}"
        for line in unified_diff(_diff_lines(change.before), _diff_lines(change.after), *names):
            ended = line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            yield "".join(f"{shown(part)}\n" for part in ended.split("\n")[:-1])


def with_fixes(report: Report, configurations: Configurations, *, given: bool) -> Report:
    """Return the report with what would remove its findings."""
    from fairlint.fixes.files import fixes_that_hold  # noqa: PLC0415 (libcst is loaded behind it)
    from fairlint.fixes.text import NotFixableError  # noqa: PLC0415 (as above)

    known: dict[Hashable, Fix] = {}
    for path, findings in _by_path(report).items():
        try:
            raw = _raw_bytes(report, path, configurations, given=given)
            held = fixes_that_hold(path, raw, findings, configurations.of_file(path))
        except NotFixableError:
            continue
        known |= {_finding_key(finding): fix for finding, fix in held}
    told = (replace(one, fix=known.get(_finding_key(one))) for one in report.findings)
    return replace(report, findings=tuple(told))


def _finding_key(finding: Finding) -> Hashable:
    return (finding.path, finding.cell, finding.rule, finding.use.attribute, finding.start)


def _raw_bytes(report: Report, path: str, configurations: Configurations, *, given: bool) -> bytes:
    """Return the bytes of a file that was checked."""
    from fairlint.fixes.text import NotFixableError  # noqa: PLC0415 (as above)

    if given:
        source = report.sources[path]
        return source.data[: source.parts[1].start] if len(source.parts) > 1 else source.data
    try:
        return read_file(path, configurations.run.max_file_size)
    except NotReadableError as error:
        raise NotFixableError(str(error)) from None


def _file_changes(
    report: Report, configurations: Configurations, *, unsafe: bool, given: bool
) -> Iterator[Changed]:
    """Yield what fixes change in each file; a line on standard error for each that is left as it is."""
    from fairlint.fixes.files import apply_fixes, changed_source  # noqa: PLC0415 (libcst is loaded behind it)
    from fairlint.fixes.text import NotFixableError  # noqa: PLC0415 (as above)

    for path, findings in _by_path(report).items():
        wanted = [one for one in findings if unsafe or any(_is_safe(remedy) for remedy in one.remedies)]
        if not wanted:
            continue
        try:
            if given:
                raw = _raw_bytes(report, path, configurations, given=True)
                change = changed_source(path, raw, wanted, configurations.of_file(path), unsafe=unsafe)
            else:
                change = apply_fixes(path, wanted, configurations.of_file(path), unsafe=unsafe)
        except NotFixableError as error:
            say(f"{path}: left as it is: {error}")
            continue
        if change.fixes:
            yield change


def _is_safe(remedy: Remedy) -> bool:
    return remedy.applicability == "safe"


def _by_path(report: Report) -> Mapping[str, Sequence[Finding]]:
    """Return the findings whose rules know fixes, by their files."""
    by_path: dict[str, list[Finding]] = {}
    for finding in report.findings:
        if finding.remedies:
            by_path.setdefault(finding.path, []).append(finding)
    return by_path


def _diff_lines(text: Text) -> list[str]:
    """Return lines as diffs have them: a lone carriage return ends none."""
    lines = text.data.decode("utf-8").split("\n")
    return [*(f"{line}\n" for line in lines[:-1]), *([lines[-1]] if lines[-1] else [])]
