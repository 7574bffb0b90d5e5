"""The one-line summary that ends a report for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fairlint.findings.levels import SEVERITIES
from fairlint.reporters.printable import printable
from fairlint.sources.unread import counted_kinds
from fairlint.support.causes import BROKEN

if TYPE_CHECKING:
    from fairlint.findings.report import Report
    from fairlint.reporters import ReportOptions
    from fairlint.reporters.style import Style


def count_with_noun(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


MOST_NAMED = 3
"""Files that the line names; JSON has all of them."""


def wholly_changed_sentence(report: Report) -> str:
    """Return the files of which all lines count as changed, and why."""
    named = [f"{printable(one.path)}: {printable(one.reason)}" for one in report.wholly_changed]
    more = f", and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    verb = "counts" if len(named) == 1 else "count"
    told = ", ".join(named[:MOST_NAMED])
    return f"{count_with_noun(len(named), 'file')} {verb} as changed throughout ({told}{more})"


def summary(report: Report, options: ReportOptions, style: Style) -> str:
    """Return how much was found, and what the reader does not see."""
    severities = Counter(finding.severity for finding in report.findings)
    kinds = ", ".join(
        count_with_noun(severities[name], name) for name in reversed(SEVERITIES) if severities[name]
    )
    if report.findings:
        found = style("strong", f"Found {count_with_noun(len(report.findings), 'finding')}")
        head = f"{found} ({kinds}) in {count_with_noun(report.files, 'file')}"
    else:
        role = "strong" if report.not_analysed or report.unread or report.failed else "good"
        head = f"{style(role, 'No findings')} in {count_with_noun(report.files, 'file')}"
    tail = []
    if report.not_analysed:
        tail.append(f"{count_with_noun(len(report.not_analysed), 'place')} not analysed")
    if report.unread:
        tail.append(f"not read: {counted_kinds(report.unread)}")
    if report.suppressed:
        tail.append(f"{len(report.suppressed)} suppressed")
    if report.unchanged:
        tail.append(f"{report.unchanged} on unchanged lines")
    if report.wholly_changed:
        tail.append(wholly_changed_sentence(report))
    if report.stale:
        noun = "entry of the baseline is" if report.stale == 1 else "entries of the baseline are"
        tail.append(f"{report.stale} {noun} stale (fairlint baseline prune)")
    if report.hidden_notes:
        noun = "milder finding" if options.min_severity == "error" else "note"
        tail.append(f"{count_with_noun(report.hidden_notes, noun)} hidden (--min-severity note)")
    if report.by_context:
        number = sum(report.by_context.values())
        verb = "is a note for its" if number == 1 else "are notes for their"
        kinds = ", ".join(f"{count} {name}" for name, count in report.by_context.items())
        tail.append(f"{count_with_noun(number, 'finding')} {verb} context: {kinds} (--persona auditor)")
    tail += _left_out(report)
    if options.country:
        example = f"--home-country {options.country}"
        tail.append(f"nobody says whose people are at home here (home-country, as {example})")
    if report.failed:
        causes = {gap.cause for gap in report.not_analysed}
        is_ours = "plugin" not in causes or not BROKEN.isdisjoint(causes)
        tail.append("fairlint itself broke down (please report it)" if is_ours else "a plugin failed")
    return "; ".join([head, *tail]) + "."


def _left_out(report: Report) -> Iterator[str]:
    """Yield what a reader might take for checked, and what its author would have left out."""
    if not report.left_out and not report.unheeded:
        return
    from fairlint.reporters.unheeded import paths  # noqa: PLC0415 (few runs meet any)

    is_told = any(one.unheeded for one in report.findings)
    if report.unheeded or is_told:
        aside = sum(bool(one.unheeded) for one in report.findings)
        told = [f"{count_with_noun(aside, 'finding')} that would be suppressed"] if aside else []
        told += [paths(report.unheeded)] if report.unheeded else []
        yield f"without a say (--untrusted): {'; '.join(told)}"
    if report.left_out:
        yield left_out_files(report)


def left_out_files(report: Report) -> str:
    """Return what a reader might take for checked, and why it is not."""
    from fairlint.reporters.unheeded import paths  # noqa: PLC0415 (few runs meet any)

    noun = "folder" if all(one.path.endswith("/") for one in report.left_out) else "tracked file"
    verb = "is" if len(report.left_out) == 1 else "are"
    return f"{count_with_noun(len(report.left_out), noun)} {verb} left out: {paths(report.left_out)}"
