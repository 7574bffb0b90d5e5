"""Which lines a change touches, so that a run tells only what stands on them.

A file of which that cannot be said counts as changed throughout, and the report names it with the reason: who
looks at changed lines alone must not be told that there is nothing because nobody could look.
"""

from __future__ import annotations

from collections.abc import Mapping

from fairlint.findings.finding import Finding, FlowStep
from fairlint.findings.report import Report, WhollyChanged
from fairlint.support.records import replace
from fairlint.suppression.changed_lines.diff_given import in_diff
from fairlint.suppression.changed_lines.revision import since
from fairlint.suppression.changed_lines.touched import WHOLE, Asked, Change, Touched

__all__ = ["WHOLE", "Asked", "Change", "Touched", "in_diff", "only", "since"]


def only(report: Report, change: Change, *, is_given: bool = False) -> Report:
    """Return what of a report stands on changed lines, with any of its places or stations.

    `is_given` says that the code came by standard input: its file, if there is one, may hold something else.
    """
    findings = [*report.findings, *(one.finding for one in report.suppressed)]
    paths = {place.path for one in findings for place in _finding_places(one)}
    files = {path: _ask_about_file(path, report, is_given=is_given) for path in sorted(paths)}
    touched = change.touched(files)
    kept = tuple(one for one in report.findings if _is_on_touched_lines(one, touched))
    aside = tuple(one for one in report.suppressed if _is_on_touched_lines(one.finding, touched))
    return replace(
        report,
        findings=kept,
        suppressed=aside,
        unchanged=len(report.findings) - len(kept),
        wholly_changed=tuple(WhollyChanged(path, one.reason) for path, one in touched.items() if one.reason),
    )


def _ask_about_file(path: str, report: Report, *, is_given: bool) -> Asked:
    source = report.sources.get(path)
    if source is None:
        return Asked(path)
    if not is_given or source.path != path:
        return Asked(path, source.language)
    own = source.parts[0] if source.parts else None
    if own is not None and own.cell is not None:
        return Asked(path, source.language, is_given=True)
    end = source.parts[1].start if len(source.parts) > 1 else len(source.data)
    return Asked(path, source.language, source.data[:end], is_given=True)


def _finding_places(finding: Finding) -> list[Finding | FlowStep]:
    return [finding, *finding.flow]


def _is_on_touched_lines(finding: Finding, touched: Mapping[str, Touched]) -> bool:
    return any(_is_place_in_ranges(place, touched[place.path]) for place in _finding_places(finding))


def _is_place_in_ranges(place: Finding | FlowStep, touched: Touched) -> bool:
    start, end = place.region or (place.start, place.end)
    return any(one.start <= end.line and start.line < one.stop for one in touched.ranges)
