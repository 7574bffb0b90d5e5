"""The numbers at the top of the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fairlint.findings.report import Report
from fairlint.reporters import ReportOptions
from fairlint.reporters.page import words
from fairlint.reporters.page.deciding import Desk
from fairlint.support.records import Record

_FEW_KINDS = 3
"""Kinds of files that a tile names."""


class Tile(Record):
    """A number at the top. `kind` is a severity, `low` for what has to be looked at, or nothing."""

    head: str
    number: int
    kind: str = ""
    more: str = ""


def tiles(report: Report, options: ReportOptions, desk: Desk) -> Iterator[Tile]:
    """Yield what was found, what became of it, and what was not read."""
    kinds = Counter(finding.severity for finding in report.findings)
    yield Tile("Errors", kinds["error"], "error")
    hidden = words.count(report.hidden_notes)
    if options.min_severity == "error" and report.hidden_notes:
        yield Tile("Warnings and notes", report.hidden_notes, "note", "hidden")
    else:
        notes = f"{words.count(kinds['note'])} shown, {hidden} hidden" if kinds["note"] else "hidden"
        yield Tile("Warnings", kinds["warning"], "warning")
        number = kinds["note"] + report.hidden_notes
        yield Tile("Notes", number, "note", notes if report.hidden_notes else "")
    decided, again = desk.numbers(report.findings)
    more = f"{words.count(len(report.findings) - decided)} open"
    more += f", of which {words.count(again)} to decide again" if again else ""
    yield Tile("Decided", decided, "", more if report.findings else "")
    by_baseline = sum(not one.is_comment for one in report.suppressed)
    by = f"{words.count(by_baseline)} by the baseline" if by_baseline else "by comments"
    yield Tile("Suppressed", len(report.suppressed), "", by if report.suppressed else "")
    files = len({gap.path for gap in report.not_analysed})
    where = f"in {words.count_with_noun(files, 'file')}" if files else ""
    yield Tile("Places not analysed", len(report.not_analysed), "low" if files else "", where)
    unread = sum(map(len, report.unread.values()))
    is_few = len(report.unread) <= _FEW_KINDS
    which = ", ".join(report.unread) if is_few else f"of {len(report.unread)} kinds"
    yield Tile("Files not read", unread, "low" if unread else "", which)
    yield Tile("Files checked", report.files)
