"""Every observed Use, judged or not: what it is, why it is believed, and which way the value took."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.findings.report import Report
from fairlint.findings.uses import Use
from fairlint.reporters import ReportOptions
from fairlint.reporters.places import where
from fairlint.reporters.printable import printable
from fairlint.reporters.style import Style
from fairlint.reporters.summary import count_with_noun
from fairlint.syntax.source import Source
from fairlint.syntax.tree import Span


def report(report: Report, options: ReportOptions) -> Iterator[str]:
    """Yield one block a Use, then how many there are."""
    style = Style(options.color)
    sources: dict[str, Source | None] = dict(report.sources)
    for path, use in report.uses:
        if path not in sources:
            sources[path] = read_source(path)
        yield "\n".join([*_block_lines(path, use, sources[path], style), "", ""])
    for gap in report.not_analysed:
        title = style("warning", "not analysed:")
        yield f"{title} {where(gap.path, gap.cell, gap.line)}: {printable(gap.reason)}\n"
    if not options.quiet:
        yield f"{count_with_noun(len(report.uses), 'use')} in {count_with_noun(report.files, 'file')}.\n"


def read_source(path: str) -> Source | None:
    """Return the source of a file without findings, which a report does not keep; None where it cannot be
    read.
    """
    from fairlint.sources.files_to_check import suffix_language  # noqa: PLC0415
    from fairlint.sources.reading import to_utf8  # noqa: PLC0415
    from fairlint.support.files import NotReadableError, read_file  # noqa: PLC0415
    from fairlint.syntax import shipped_language  # noqa: PLC0415

    name = suffix_language(path)
    try:
        return Source(path, to_utf8(read_file(path, limit=100_000_000), shipped_language(name)), name)
    except NotReadableError:
        return None


def _place_text(path: str, span: Span, source: Source | None) -> str:
    if source is None:
        return f"{printable(path)}: byte {span.start}"
    place = source.place(span.start)
    return f"{where(place.path, place.cell, place.position.line)}:{place.position.column}"


def _block_lines(path: str, use: Use, source: Source | None, style: Style) -> Iterator[str]:
    yield (
        f"{_place_text(path, use.span, source)}: {style('strong', f'{use.kind} of {use.attribute}')}"
        f" (effect {use.effect}, shape {use.shape}, weight {use.weight})"
    )
    for title, text in _facts_of_use(use):
        if text:
            yield f"  {title}: {printable(text)}"
    for item in sorted(use.evidence, key=lambda item: -item.weight):
        yield f"  {item.weight:+d}  {printable(item.reason)}"
    for step in use.flow:
        yield f"  {style('gutter', '-->')} {_place_text(path, step.span, source)}: {printable(step.message)}"


def _facts_of_use(use: Use) -> Iterator[tuple[str, str]]:
    yield "condition", use.condition
    yield "target", use.target or ""
    yield "groups", ", ".join(use.groups)
    if use.points is not None:
        from fairlint.reporters.amounts import rows  # noqa: PLC0415

        yield "points", ", ".join(f"{group} {amount}" for group, amount in rows(use.points))
    yield "outcomes", ", ".join(f"{group} → {outcome}" for group, outcome in use.outcomes.items())
    yield "joined with", ", ".join(use.joined)
    yield "domain", use.domain
    yield "function", use.function
    yield "tags", ", ".join(sorted(use.tags))
    reasons = ", ".join(f"{item.reason} {item.weight:+d}" for item in use.context.evidence)
    yield "context", f"{use.context.name}: {reasons}" if use.context.name else ""
