"""How many findings there are by rule, attribute, file, folder and owner, as tables or as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fairlint.findings.levels import SEVERITIES
from fairlint.findings.report import Report
from fairlint.reporters import ReportOptions
from fairlint.reporters.encoding import Json, encode_json, without_surrogates
from fairlint.reporters.owners import owners_in
from fairlint.reporters.places import where
from fairlint.reporters.printable import printable, width
from fairlint.reporters.style import Style
from fairlint.reporters.summary import count_with_noun, summary
from fairlint.reporters.tally import (
    Change,
    ChangedFinding,
    Count,
    CountedFinding,
    OwnersOf,
    Trend,
    changes,
    counts,
    dimensions,
    tally_entry,
)
from fairlint.reporters.uris import in_repository, repository_root
from fairlint.support.about import __version__

VERSION = 1
MOST = 20
"""Rows of a table; JSON has all."""
MOST_NAMED = 50
"""New findings that are named, and gone ones; JSON has all."""
_COUNTED = ("errors", "warnings", "notes", "all", "suppressed")
_CHANGED = ("before", "now", "new", "gone")


def report(report: Report, options: ReportOptions) -> Iterator[str]:
    """Yield the tables of a run."""
    style = Style(options.color)
    findings, aside = of_report(report)
    yield from tables(findings, aside, owners_from(options.root), style)
    if not options.quiet:
        yield f"{summary(report, options, style)}\n"


def json_report(report: Report, options: ReportOptions) -> Iterator[str]:
    """Return the same as JSON."""
    findings, aside = of_report(report)
    return encode_json(document(findings, aside, owners_from(options.root), report.files))


def of_report(report: Report) -> tuple[list[CountedFinding], list[CountedFinding]]:
    """Return what is counted of a report: its findings, and those that are put aside."""
    found = list(report.findings), [one.finding for one in report.suppressed]
    findings, aside = (
        [tally_entry(one, where(one.path, one.cell, one.start.line)) for one in several] for several in found
    )
    return findings, aside


def owners_from(folder: str) -> OwnersOf | None:
    """Return whose a path from a folder is; None where nobody says."""
    owners = owners_in(repository_root(folder))
    return None if owners is None else lambda path: owners.of(in_repository(path, folder))


def document(
    findings: Sequence[CountedFinding],
    aside: Sequence[CountedFinding],
    owners: OwnersOf | None,
    files: int | None,
) -> Json:
    """Return all counts."""
    return {
        "version": VERSION,
        "tool": {"name": "fairlint", "version": __version__},
        "files": files,
        "findings": len(findings),
        "suppressed": len(aside),
        "by": {
            name: [_count_object(one) for one in counts(findings, aside, keys)]
            for name, keys in dimensions(owners).items()
        },
    }


def _count_object(one: Count) -> Json:
    by_severity: dict[str, Json] = {severity: one.by_severity[severity] for severity in reversed(SEVERITIES)}
    return {"key": without_surrogates(one.key), **by_severity, "all": one.all, "suppressed": one.suppressed}


def tables(
    findings: Sequence[CountedFinding], aside: Sequence[CountedFinding], owners: OwnersOf | None, style: Style
) -> Iterator[str]:
    """Yield a table for each of what findings are counted by."""
    for name, keys in dimensions(owners).items():
        found = counts(findings, aside, keys)
        rows = [
            (one.key, (*(one.by_severity[kind] for kind in reversed(SEVERITIES)), one.all, one.suppressed))
            for one in found
        ]
        yield from _table_lines(name, _COUNTED, rows, style)


def trend_document(one: Trend, owners: OwnersOf | None) -> Json:
    """Return all that has changed."""
    return {
        "version": VERSION,
        "tool": {"name": "fairlint", "version": __version__},
        "before": len(one.kept) + len(one.gone) + len(one.aside),
        "now": len(one.kept) + len(one.new),
        "kept": len(one.kept),
        "new": [_told_object(told) for told in one.new],
        "gone": [_told_object(told) for told in one.gone],
        "suppressed": [_told_object(told) for told in one.aside],
        "grown": [{**_told_object(each), "how": without_surrogates(how)} for each, how in one.grown],
        "shrunk": [{**_told_object(each), "how": without_surrogates(how)} for each, how in one.shrunk],
        "by": {
            name: [_change_object(change) for change in changes(one, keys)]
            for name, keys in dimensions(owners).items()
        },
    }


def _change_object(one: Change) -> Json:
    return {
        "key": without_surrogates(one.key), "before": one.before, "now": one.now,
        "new": one.new, "gone": one.gone,
    }  # fmt: skip


def _told_object(one: CountedFinding) -> dict[str, Json]:
    return {
        "path": without_surrogates(one.path),
        "place": without_surrogates(one.place),
        "rule": one.rule,
        "name": one.name,
        "severity": one.severity,
        "attributes": list(one.attributes),
        "message": without_surrogates(one.message),
        "identity": str(one.identity),
    }


def trend_tables(one: Trend, owners: OwnersOf | None, style: Style) -> Iterator[str]:
    """Yield what has changed, in tables, and what is new and gone."""
    for name, keys in dimensions(owners).items():
        rows = [(each.key, (each.before, each.now, each.new, each.gone)) for each in changes(one, keys)]
        yield from _table_lines(name, _CHANGED, rows, style)
    several: Sequence[tuple[CountedFinding, str]]
    for head, several in (
        ("new", _rows_without_reason(one.new)),
        ("grown", one.grown),
        ("shrunk", one.shrunk),
        ("gone", _rows_without_reason(one.gone)),
        ("suppressed", _rows_without_reason(one.aside)),
    ):
        for each, how in several[:MOST_NAMED]:
            severity = style(each.severity, each.severity)
            message = printable(f"{each.message} ({how})" if how else each.message)
            yield f"{head}: {printable(each.place)}: {each.rule} {severity} {message}\n"
        if len(several) > MOST_NAMED:
            yield f"{head}: {len(several) - MOST_NAMED} more (--format json has all)\n"
    before = len(one.kept) + len(one.gone) + len(one.aside)
    now = len(one.kept) + len(one.new)
    aside = f", {len(one.aside)} suppressed" if one.aside else ""
    moved = [f"{len(some)} {name}" for name, some in (("grown", one.grown), ("shrunk", one.shrunk)) if some]
    apart = f" ({', '.join(moved)})" if moved else ""
    total = style("strong", f"{count_with_noun(before, 'finding')} before, {now} now")
    yield f"{total}: {len(one.new)} new, {len(one.gone)} gone{aside}, {len(one.kept)} kept{apart}.\n"


def _rows_without_reason(several: Sequence[CountedFinding]) -> list[ChangedFinding]:
    return [ChangedFinding(one) for one in several]


def _table_lines(
    name: str, heads: Sequence[str], rows: Sequence[tuple[str, Sequence[int]]], style: Style
) -> Iterator[str]:
    if not rows:
        return
    shown = [(printable(key), [str(number) for number in numbers]) for key, numbers in rows[:MOST]]
    left = max(width(name), *(width(key) for key, _ in shown))
    sizes = [max(len(head), *(len(row[at]) for _, row in shown)) for at, head in enumerate(heads)]
    titles = "  ".join(f"{head:>{size}}" for head, size in zip(heads, sizes, strict=True))
    yield f"{style('strong', name)}{' ' * (left - width(name))}  {style('dim', titles)}\n"
    for key, numbers in shown:
        told_numbers = "  ".join(f"{number:>{size}}" for number, size in zip(numbers, sizes, strict=True))
        yield f"{key}{' ' * (left - width(key))}  {told_numbers}\n"
    if len(rows) > MOST:
        yield f"{style('dim', f'{len(rows) - MOST} more (--format json has all)')}\n"
    yield "\n"
