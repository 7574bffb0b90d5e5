"""The default format, for people: the code, what each group gets, why it is believed, what to do instead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fairlint.reporters.places import where
from fairlint.reporters.printable import printable
from fairlint.reporters.style import style_of
from fairlint.reporters.summary import summary

if TYPE_CHECKING:
    from fairlint.findings.report import Report
    from fairlint.reporters import ReportOptions


def report(report: Report, options: ReportOptions) -> Iterator[str]:
    """Yield one block a finding, then the places that were not analysed, then the summary."""
    style = style_of(options)
    if report.findings:
        from fairlint.reporters.block import block  # noqa: PLC0415 (start-up: most runs find nothing)

        for finding in report.findings:
            told = block(finding, report.sources, style, options.width, wrap=options.wrap)
            yield "\n".join([*told, "", ""])
    for gap in report.not_analysed:
        place = style.file(gap.path, where(gap.path, gap.cell, gap.line))
        yield f"{style('warning', 'not analysed')}{style('strong', ':')} {place}: {printable(gap.reason)}\n"
    if not options.quiet:
        yield ("\n" if report.not_analysed else "") + f"{summary(report, options, style)}\n"
