"""What a worker tells, in as few words as an agent needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST = 50
"""Findings that are told one by one; the gravest come first, and the rest is counted."""
_RANKS = {"error": 0, "warning": 1, "note": 2}
_EXPECTED = {"skipped"}
"""Causes that concern what nobody asked about, unless it is all there is."""


def compact_findings(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the findings of a check, and what could not be checked."""
    found = sorted(answer["findings"], key=lambda one: _RANKS[one["severity"]])
    gaps = answer["not_analysed"]
    lost = [gap for gap in gaps if gap["cause"] not in _EXPECTED] or (gaps if not found else [])
    told: dict[str, Any] = {
        "findings": [_compact_finding(one) for one in found[:MOST]],
        "counts": {level: sum(one["severity"] == level for one in found) for level in _RANKS},
    }
    if len(found) > MOST:
        told["more_findings"] = len(found) - MOST
    if lost:
        told["not_analysed"] = [
            f"{_place_text(gap['path'], gap['cell'], gap['line'])}: {gap['reason']}" for gap in lost[:MOST]
        ]
    for key in ("suppressed", "hidden_notes"):
        if answer[key]:
            told[key] = answer[key]
    return told


def _compact_finding(one: Mapping[str, Any]) -> dict[str, Any]:
    told = {
        "rule": one["rule"],
        "name": one["name"],
        "severity": one["severity"],
        "confidence": one["confidence"],
        "path": one["path"],
        "cell": one["cell"],
        "line": one["line"],
        "column": one["column"],
        "end_line": one["end_line"],
        "attribute": one["attribute"],
        "message": one["message"],
        "advice": one["advice"],
        "context": one["context"],
        "why": one["evidence"],
        "flow": [
            f"{_place_text(step['path'], step['cell'], step['line'])}: {step['message']}"
            for step in one["flow"]
        ],
        "fixable": one["fixable"] or None,
    }
    return {key: value for key, value in told.items() if value is not None}


def _place_text(path: str, cell: int | None, line: int) -> str:
    return f"{path}:{line}" if cell is None else f"{path}:cell {cell}:line {line}"


def compact_fixes(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return fixes, with places as people count them: lines and columns from 1, the end exclusive."""
    return {
        "fixes": [
            {
                "rule": one["rule"],
                "path": one["path"],
                "line": one["line"],
                "title": one["title"],
                "applicability": one["applicability"],
                "edits": [_compact_edit(edit) for edit in one["edits"]],
            }
            for one in answer["fixes"]
        ]
    }


def _compact_edit(edit: Mapping[str, Any]) -> dict[str, Any]:
    (line, column), (end_line, end_column) = edit["range"]
    return {
        "line": line + 1,
        "column": column + 1,
        "end_line": end_line + 1,
        "end_column": end_column + 1,
        "text": edit["text"],
    }
