"""What would have put findings aside in a checkout whose author has no say.

Comments are noted where a source is judged. Baselines, and the rules and names that would leave a whole file
out, are noted here, when all is found.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence

from fairlint.config.untrusted import baseline_beside
from fairlint.findings.finding import Finding, Unheeded
from fairlint.findings.report import Report
from fairlint.support.errors import UsageError
from fairlint.support.records import replace
from fairlint.suppression.baseline import Asked, compare_baseline, load, short

LARGEST = 5_000_000
"""Bytes of a baseline that is looked at: it is a stranger's, and says nothing but what is noted."""


def note_unheeded_reasons(report: Report, checkouts: Sequence[str], rules: Asked) -> Report:
    """Return a report whose findings say what would have put them aside, besides comments."""
    left_out = {one.path: one.reason for one in report.unheeded}
    by_baseline = _in_baselines(report, checkouts, rules)
    findings = []
    for at, one in enumerate(report.findings):
        more = [*one.unheeded, *by_baseline.get(at, ())]
        if reason := left_out.get(one.path):
            more.append(Unheeded("left-out", reason))
        findings.append(replace(one, unheeded=tuple(more)))
    return replace(report, findings=tuple(findings))


def _in_baselines(
    report: Report, checkouts: Sequence[str], rules: Asked
) -> Mapping[int, Collection[Unheeded]]:
    """Return the entries of baselines that lie in the checkouts, by the places of the findings that they
    mean.
    """
    files = {path: baseline_beside(path, checkouts) for path in {one.path for one in report.findings}}
    found: dict[int, list[Unheeded]] = {}
    for file in sorted(set(files.values()) - {""}):
        own = [at for at, one in enumerate(report.findings) if files[one.path] == file]
        for at, entry in _baseline_entries(file, own, report, rules):
            found.setdefault(at, []).append(entry)
    return found


def _baseline_entries(
    file: str, own: Sequence[int], report: Report, rules: Asked
) -> Sequence[tuple[int, Unheeded]]:
    """Return which of some findings a baseline holds; none where it is no baseline."""
    findings: list[Finding] = [report.findings[at] for at in own]
    try:
        if os.stat(file).st_size > LARGEST:  # noqa: PTH116 (paths are texts here)
            return ()
        baseline = load(file)
        sides = compare_baseline(replace(report, findings=tuple(findings)), baseline, (), rules)
    except (OSError, UsageError, ValueError):
        return ()
    places = {id(finding): at for at, finding in zip(own, findings, strict=True)}
    return [
        (places[id(finding)], Unheeded("baseline", entry.reason, short(file), entry.line))
        for entry, finding in sides.kept
    ]
