"""`fairlint --add-ignore --reason TEXT PATH...`: puts all that is told aside, by comments in the code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from fairlint.cli.output import write_file
from fairlint.config import Configurations, Settings
from fairlint.findings.finding import Finding
from fairlint.findings.report import Report
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import Record
from fairlint.suppression.writing import marks_of, with_comments


class Why(Record):
    """What the comments say: the reason, and the last day on which they hold, if there is one."""

    reason: str
    until: str


def add_ignore(report: Report, why: Why, configurations: Configurations) -> Iterator[str]:
    """Write a comment above the statement of each finding; a line for each file, and each that was left.

    A file is changed only if the comments put aside exactly what was told of it.
    """
    told: dict[str, list[Finding]] = {}
    for finding in report.findings:
        if finding.use.kind != "suppression":
            told.setdefault(finding.path, []).append(finding)
    put = left = 0
    for path, findings in told.items():
        wrong = _put_aside(path, findings, why, configurations.of_file(path))
        if wrong:
            left += len(findings)
            yield f"{path}: left as it is: {wrong}\n"
        else:
            put += len(findings)
            yield f"{path}: {', '.join(f'{one.rule} in line {one.start.line}' for one in findings)}\n"
    tail = f"; {left} left" if left else ""
    yield f"Put {put} finding{'' if put == 1 else 's'} aside{tail}.\n"


def _put_aside(path: str, findings: Sequence[Finding], why: Why, settings: Settings) -> str:
    """Change one file; what is in the way, if anything is."""
    if any(finding.cell is not None for finding in findings):
        return "a notebook: write the comments into its cells"
    try:
        text = read_file(path, settings.max_file_size).decode("utf-8")
    except (NotReadableError, UnicodeDecodeError):
        return "it is not UTF-8 text"
    marks = marks_of(path)
    if marks is None:
        return "nothing says how its comments look"
    codes: dict[int, set[str]] = {}
    for finding in findings:
        codes.setdefault(finding.statement, set()).add(finding.rule)
    changed = with_comments(text, codes, marks, why.reason, why.until)
    if _is_wrong(path, text, changed, findings, settings):
        return "comments would not put everything aside here"
    write_file(path, [changed])
    return ""


def _is_wrong(path: str, text: str, changed: str, findings: Sequence[Finding], settings: Settings) -> bool:
    """Return whether comments leave one of the findings, or change what else is told of the file alone."""
    from fairlint.checking.runner import check_source  # noqa: PLC0415 (as everywhere on the command line)

    def told(code: str) -> tuple[Counter[str], Counter[str]]:
        report = check_source(code.encode(), path=path, settings=settings, in_project=True)
        own = [one for one in report.findings if one.path == path and one.use.kind != "suppression"]
        aside = [one.finding for one in report.suppressed if one.finding.path == path]
        return _finding_counts(own), _finding_counts(aside)

    shown, hidden = told(text)
    left, aside = told(changed)
    put = shown & _finding_counts(findings)
    return left != shown - put or aside != hidden + put


def _finding_counts(findings: Sequence[Finding]) -> Counter[str]:
    return Counter(f"{one.rule} {one.identity.own}" for one in findings)
