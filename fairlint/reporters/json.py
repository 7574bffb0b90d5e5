"""The JSON format: one object, described by `report.schema.json`; changes come with a new `version`."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING

from fairlint.findings.finding import Finding, Fix
from fairlint.findings.report import EndingIgnore, LeftOut, NotAnalysed, Report, Suppressed, WhollyChanged
from fairlint.findings.uses import GroupPoints
from fairlint.reporters import ReportOptions
from fairlint.reporters.encoding import Json, encode_json, without_surrogates
from fairlint.support.about import __version__

if TYPE_CHECKING:
    from fairlint.laws import Law

VERSION = 1


def report(report: Report, options: ReportOptions) -> Iterator[str]:
    """Return the whole report as one JSON object."""
    return encode_json(
        {
            "version": VERSION,
            "tool": {"name": "fairlint", "version": __version__},
            **_provenance_part(options),
            "findings": [finding_object(finding) for finding in report.findings],
            "suppressed": [suppressed_object(one) for one in report.suppressed],
            "ending_ignores": [_ignore_object(one) for one in report.ending_ignores],
            "not_analysed": [gap_object(gap) for gap in report.not_analysed],
            "coverage": {
                "files": report.files,
                "not_analysed": len({gap.path for gap in report.not_analysed}),
                "unread": {
                    kind: [without_surrogates(path) for path in paths]
                    for kind, paths in report.unread.items()
                },
            },
            "laws": laws_table(report),
            "left_out": [left_out_object(one) for one in report.left_out],
            "unheeded": [left_out_object(one) for one in report.unheeded],
            "summary": {
                "files": report.files,
                "findings": len(report.findings),
                "suppressed": len(report.suppressed),
                "stale": report.stale,
                "unchanged": report.unchanged,
                "by_context": dict(report.by_context),
            },
            **_wholly_changed_part(report),
        }
    )


def _provenance_part(options: ReportOptions) -> dict[str, Json]:
    """Return what the run was about; nothing where the caller does not say."""
    known = options.provenance
    if known is None:
        return {}
    from fairlint.reporters.provenance import provenance_object  # noqa: PLC0415 (asks git)

    return {"provenance": provenance_object(known)}


def suppressed_object(one: Suppressed) -> dict[str, Json]:
    """Return what is suppressed, and why."""
    return {
        "finding": finding_object(one.finding),
        "reason": without_surrogates(one.reason),
        "path": without_surrogates(one.path),
        "cell": one.cell,
        "line": one.line,
        "by": "comment" if one.is_comment else "baseline",
        "until": one.until or None,
    }


def _ignore_object(one: EndingIgnore) -> dict[str, Json]:
    """Return an entry of `per-file-ignores` that has an end."""
    return {
        "pattern": without_surrogates(one.pattern),
        "rules": [without_surrogates(rule) for rule in one.rules],
        "until": one.until,
        "reason": without_surrogates(one.reason),
        "origins": [without_surrogates(path) for path in one.origins],
    }


def gap_object(gap: NotAnalysed) -> Json:
    """Return what was not analysed."""
    return {
        "path": without_surrogates(gap.path),
        "cell": gap.cell,
        "line": max(gap.line, 1),
        "reason": without_surrogates(gap.reason),
        "cause": gap.cause,
    }


def _wholly_changed_part(report: Report) -> dict[str, Json]:
    """Return the files of which all lines count as changed; nothing where there is none, as in most
    reports.
    """
    told: list[Json] = [left_out_object(one) for one in report.wholly_changed]
    return {"wholly_changed": told} if told else {}


def laws_table(report: Report) -> dict[str, Json]:
    """Return the laws that findings of a report refer to, by their ids."""
    from fairlint.laws import register  # noqa: PLC0415 (start-up)

    all_of = (*report.findings, *(one.finding for one in report.suppressed))
    wanted = {id_ for finding in all_of for id_ in finding.laws}
    return {id_: law_object(law) for id_, law in register().items() if id_ in wanted}


def law_object(law: Law) -> dict[str, Json]:
    """Return one law of the register."""
    return {
        "title": law.title,
        "url": law.url,
        "place": law.place,
        "fields": list(law.fields),
        "attributes": list(law.attributes),
        "status": law.status,
        "applies_from": law.applies_from or None,
        "repealed": law.repealed or None,
        "checked_on": law.checked_on,
        "verified": law.verified,
        "source": law.source or None,
        "note": law.note or None,
    }


def schema() -> str:
    """Return the JSON Schema of this format."""
    from importlib.resources import files  # noqa: PLC0415 (loads `inspect` from Python 3.13 on)

    return files("fairlint.reporters").joinpath("report.schema.json").read_text(encoding="utf-8")


def points_object(points: GroupPoints | None) -> Json:
    """Points as JSON; null where there are none, or where they are beyond any number."""
    if points is None:
        return None
    amounts = [*points.by_group.values(), *([] if points.other is None else [points.other])]
    if not all(map(isfinite, amounts)):
        return None
    return {
        "op": points.op,
        "by_group": {without_surrogates(group): float(value) for group, value in points.by_group.items()},
        "other": None if points.other is None else float(points.other),
        "where": without_surrogates(points.where) or None,
        "at_most": points.at_most,
    }


def finding_object(finding: Finding) -> Json:
    """Return one finding."""
    use = finding.use
    return {
        "rule": finding.rule,
        "name": finding.name,
        "path": without_surrogates(finding.path),
        "cell": finding.cell,
        "line": finding.start.line,
        "column": finding.start.column,
        "end_line": finding.end.line,
        "end_column": finding.end.column,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "attribute": use.attribute,
        "attributes": list(use.attributes),
        "context": use.context.name or None,
        "context_evidence": [without_surrogates(item.reason) for item in use.context.evidence],
        "kind": use.kind,
        "effect": use.effect,
        "groups": [without_surrogates(group) for group in use.groups],
        "points": points_object(use.points),
        "message": without_surrogates(finding.message),
        "advice": finding.advice,
        "laws": list(finding.laws),
        "evidence": [without_surrogates(item.reason) for item in use.evidence],
        "flow": [
            {
                "path": without_surrogates(step.path),
                "cell": step.cell,
                "line": step.start.line,
                "column": step.start.column,
                "message": without_surrogates(step.message),
                "also": step.also,
            }
            for step in finding.flow
        ],
        "unheeded": [
            {
                "by": one.by,
                "reason": without_surrogates(one.reason),
                "path": without_surrogates(one.path) or None,
                "cell": one.cell,
                "line": one.line or None,
            }
            for one in finding.unheeded
        ],
        "fix": None if finding.fix is None else _fix_object(finding.fix),
        "fingerprint": finding.fingerprint,
        "identity": str(finding.identity),
    }


def left_out_object(one: LeftOut | WhollyChanged) -> Json:
    """Return a path, and why it is named."""
    return {"path": without_surrogates(one.path), "reason": without_surrogates(one.reason)}


def _fix_object(fix: Fix) -> Json:
    return {
        "title": without_surrogates(fix.title),
        "applicability": fix.applicability,
        "edits": [
            {
                "start": edit.start,
                "end": edit.end,
                "line": edit.first.line,
                "column": edit.first.column,
                "end_line": edit.last.line,
                "end_column": edit.last.column,
                "text": without_surrogates(edit.text),
            }
            for edit in fix.edits
        ],
    }
