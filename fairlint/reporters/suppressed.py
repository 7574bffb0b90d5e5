"""What is suppressed: each finding with its reason, and who wrote that and when, and settings with an end."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.findings.report import EndingIgnore, Report, Suppressed
from fairlint.reporters import ReportOptions
from fairlint.reporters.authors import Written, authorship_of_lines
from fairlint.reporters.places import where
from fairlint.reporters.printable import printable
from fairlint.reporters.style import Style
from fairlint.reporters.summary import count_with_noun


def report(report: Report, options: ReportOptions) -> Iterator[str]:
    """Yield some lines for each, what ends first before the rest; then how many there are."""
    style = Style(options.color)
    places = [(one.path, one.line) for one in report.suppressed if one.cell is None]
    who = authorship_of_lines(places, options.allowance, options.tell)
    listed: list[Suppressed | EndingIgnore] = [*report.suppressed, *report.ending_ignores]
    for one in sorted(listed, key=lambda one: (not one.until, one.until)):
        if isinstance(one, EndingIgnore):
            yield from _entry(one, style)
            continue
        finding = one.finding
        place = f"{where(finding.path, finding.cell, finding.start.line)}:{finding.start.column}"
        head = style(finding.severity, f"{finding.severity}[{finding.rule}]")
        yield f"{place}: {head} {printable(finding.message)}\n"
        yield f"  reason: {printable(one.reason) or style('warning', 'none')}\n"
        if one.until:
            yield f"  until: {one.until}\n"
        by = "comment" if one.is_comment else "baseline"
        author = _authorship_text(who.get((one.path, one.line)))
        yield f"  {by}: {where(one.path, one.cell, one.line)}{author}\n\n"
    if not options.quiet:
        without = sum(not one.reason for one in report.suppressed)
        told = f", {without} without a reason" if without else ""
        files = count_with_noun(report.files, "file")
        ends = len(report.ending_ignores)
        also = (
            f"; {ends} {'entry' if ends == 1 else 'entries'} of `per-file-ignores` with an end"
            if ends
            else ""
        )
        yield f"{count_with_noun(len(report.suppressed), 'suppressed finding')} in {files}{told}{also}.\n"


def _entry(one: EndingIgnore, style: Style) -> Iterator[str]:
    """Yield an entry of `per-file-ignores`, which suppresses what may be found later, too."""
    yield f"{printable(one.pattern)}: per-file-ignores[{printable(', '.join(one.rules))}]\n"
    yield f"  reason: {printable(one.reason) or style('warning', 'none')}\n"
    yield f"  until: {one.until}\n"
    yield f"  configuration: {printable(', '.join(one.origins)) or 'none'}\n\n"


def _authorship_text(who: Written | None) -> str:
    """Return who wrote the comment and when, as far as it is known."""
    return "" if who is None else who.told(printable)
