"""The concise format: one line a finding, as editors and `grep` like it."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.findings.report import Report
from fairlint.reporters import ReportOptions
from fairlint.reporters.places import concise
from fairlint.reporters.printable import printable
from fairlint.reporters.style import style_of
from fairlint.reporters.summary import count_with_noun, summary
from fairlint.reporters.unheeded import unheeded_clause as unheeded


def report(report: Report, options: ReportOptions) -> Iterator[str]:
    """`path:line:column: CODE severity message`, then what was not analysed, then the summary.

    In a notebook a place is `path:cell 4:line:column`. Other places of the same problem are counted.
    """
    style = style_of(options)
    for finding in report.findings:
        place = f"{concise(finding.path, finding.cell, finding.start.line)}:{finding.start.column}"
        place = f"{style.file(finding.path, place)}:"
        code = style.rule(finding.rule, style("strong", finding.rule))
        severity = style(finding.severity, finding.severity)
        more = f" (and at {count_with_noun(len(finding.places), 'more place')})" if finding.places else ""
        aside = "".join(f" ({unheeded(one)})" for one in finding.unheeded)
        yield f"{place} {code} {severity} {printable(finding.message)}{more}{aside}\n"
    for gap in report.not_analysed:
        title = style("strong", "not analysed")
        yield f"{concise(gap.path, gap.cell, gap.line)}:1: {title} {printable(gap.reason)}\n"
    if not options.quiet:
        yield f"{summary(report, options, style)}\n"
