"""What a worker tells, as editors show it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types

SOURCE = "fairlint"
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
_NO_USE = {"unused"}
"""Tags of findings whose code does nothing."""
_EXPECTED = {"syntax", "skipped"}
"""Why something is not analysed that nobody has to be told of while they type."""

Finding = Mapping[str, Any]
Locate = Callable[[str, int | None], str]
"""Gives the address of a path, or of a cell in it."""


def diagnostic(finding: Finding, rule: Mapping[str, Any] | None, locate: Locate) -> types.Diagnostic:
    """Return one finding."""
    address = (rule or {}).get("address") or finding["law"]
    advice = f"\n{finding['advice']}" if finding["advice"] else ""
    here = (finding["path"], finding["cell"], finding["range"])
    steps = [step for step in finding["flow"] if (step["path"], step["cell"], step["range"]) != here]
    return types.Diagnostic(
        range=range_of(finding["range"]),
        message=f"{finding['message']}{advice}",
        severity=_SEVERITIES[finding["severity"]],
        code=finding["rule"],
        code_description=types.CodeDescription(href=address) if address else None,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if _NO_USE & set(finding["tags"]) else None,
        related_information=[
            types.DiagnosticRelatedInformation(
                location=types.Location(locate(step["path"], step["cell"]), range_of(step["range"])),
                message=step["message"],
            )
            for step in steps
        ]
        or None,
        data={"identity": finding["identity"], "rule": finding["rule"]},
    )


def gap_diagnostic(gap: Mapping[str, Any]) -> types.Diagnostic | None:
    """Return what could not be checked; None for what is no news to somebody who is typing."""
    if gap["cause"] in _EXPECTED:
        return None
    line = max(gap["line"], 1) - 1
    return types.Diagnostic(
        range=range_of([[line, 0], [line, 1]]),
        message=f"not analysed: {gap['reason']}",
        severity=types.DiagnosticSeverity.Information,
        code="not-analysed",
        source=SOURCE,
    )


def range_of(ends: Sequence[Sequence[int]]) -> types.Range:
    """Return a range of the protocol."""
    (line, column), (end_line, end_column) = ends
    return types.Range(types.Position(line, column), types.Position(end_line, end_column))


def touches(ends: Sequence[Sequence[int]], asked: types.Range) -> bool:
    """Return whether a finding and what is asked about have something in common, be it an edge."""
    start, end = (tuple(place) for place in ends)
    return (
        start <= (asked.end.line, asked.end.character)
        and (
            asked.start.line,
            asked.start.character,
        )
        <= end
    )


def without_twins(diagnostics: Iterable[types.Diagnostic]) -> list[types.Diagnostic]:
    """Return each finding once: of a module that several texts import, all of them tell."""
    seen = set()
    kept = []
    for one in diagnostics:
        start, end = one.range.start, one.range.end
        key = (one.code, start.line, start.character, end.line, end.character)
        if key not in seen:
            seen.add(key)
            kept.append(one)
    return kept


def hover_text(findings: Iterable[Finding], rules: Mapping[str, Mapping[str, Any]]) -> str:
    """Return why findings are believed, and the pages of their rules, as Markdown."""
    told: list[str] = []
    pages: dict[str, str] = {}
    for finding in findings:
        believed = "\n".join(f"- {reason}" for reason in finding["evidence"])
        told.append(
            f"**{finding['rule']} {finding['name']}** · {finding['severity']}, "
            f"confidence {finding['confidence']}"
            + (f"\n\nWhy it is believed:\n\n{_verbatim_markdown(believed)}" if believed else "")
        )
        page = rules.get(finding["rule"], {}).get("page", "")
        if page:
            pages[finding["rule"]] = page
    return "\n\n---\n\n".join([*told, *pages.values()])


def _verbatim_markdown(text: str) -> str:
    """Return text that holds a stranger's code, and is not to be taken for Markdown: it could load
    pictures.
    """
    longest = max((len(run) for run in "".join(c if c == "`" else " " for c in text).split()), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def absolute(folder: str, path: str) -> str:
    """Return the path that a report's path means."""
    return os.path.normpath(Path(folder) / path)
