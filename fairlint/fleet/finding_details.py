"""What a finding holds besides the columns of its row: the way of the value, other places, evidence, amounts.

It is JSON in one column: only whole reports (SARIF, baselines) need it, and questions ask other columns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fairlint.findings.finding import Finding, FlowStep, Unheeded
from fairlint.findings.uses import GroupPoints
from fairlint.reporters.encoding import without_surrogates
from fairlint.reporters.json import points_object
from fairlint.support.documents import read_json
from fairlint.support.records import Record, field
from fairlint.syntax.source import Position, Source
from fairlint.vocabulary.model import Evidence

Region = tuple[Position, Position] | None


class Details(Record):
    """What is read back; all of it is empty where a store has no such column."""

    number: int = 0
    """Its number among those of its report, which says in what order they are at one place."""
    path: str = ""
    """The path with bytes that are no UTF-8, where it has some."""
    region: Region = None
    flow: tuple[FlowStep, ...] | None = None
    evidence: tuple[Evidence, ...] = ()
    context_evidence: tuple[Evidence, ...] = ()
    points: GroupPoints | None = None
    outcomes: Mapping[str, str] = field(default_factory=dict)
    unheeded: tuple[Unheeded, ...] = ()
    languages: Mapping[str, str] = field(default_factory=dict)
    """Path → the language of its source, of all files that the finding is told of."""


def details_text(finding: Finding, number: int, sources: Mapping[str, Source]) -> str:
    """Return the details of a finding, by its number among those of its report, as JSON."""
    use = finding.use
    paths = dict.fromkeys((finding.path, *(step.path for step in finding.flow)))
    languages = {path: sources[path].language for path in paths if path in sources and sources[path].language}
    values = {
        "number": number,
        "path": "" if finding.path == without_surrogates(finding.path) else finding.path,
        "region": finding.region,
        "flow": [
            [step.path, step.start, step.end, step.message, step.cell, step.region, step.also]
            for step in finding.flow
        ],
        "evidence": [[one.weight, one.reason] for one in use.evidence],
        "context_evidence": [[one.weight, one.reason] for one in use.context.evidence],
        "points": points_object(use.points),
        "outcomes": dict(use.outcomes),
        "unheeded": [[one.by, one.reason, one.path, one.line, one.cell] for one in finding.unheeded],
        "languages": languages,
    }  # fmt: skip
    return json.dumps({name: value for name, value in values.items() if value}, separators=(",", ":"))


def read_details(text: str | None) -> Details:
    """Return the details in a text that `details_text` has made; empty ones of none."""
    if not text:
        return Details()
    values = read_json(text)
    points = values.get("points")
    return Details(
        number=values.get("number", 0),
        path=values.get("path", ""),
        region=_region(values.get("region")),
        flow=tuple(
            FlowStep(path, Position(*start), Position(*end), message, cell, _region(region), also)
            for path, start, end, message, cell, region, also in values.get("flow", ())
        ),
        evidence=_evidence(values.get("evidence", ())),
        context_evidence=_evidence(values.get("context_evidence", ())),
        points=points and GroupPoints(
            points["op"], points["by_group"], points["other"], points["where"] or "", points["at_most"]
        ),
        outcomes=values.get("outcomes", {}),
        unheeded=tuple(Unheeded(*one) for one in values.get("unheeded", ())),
        languages=values.get("languages", {}),
    )  # fmt: skip


def _evidence(values: Sequence[Sequence[Any]]) -> tuple[Evidence, ...]:
    return tuple(Evidence(weight, reason) for weight, reason in values)


def _region(places: Sequence[Sequence[int]] | None) -> Region:
    return (Position(*places[0]), Position(*places[1])) if places else None
