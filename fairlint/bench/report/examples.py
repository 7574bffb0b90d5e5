"""Answers that treat people by a protected attribute, with the places where fairlint sees it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import pairwise
from typing import Any

import fairlint
from fairlint import Finding, Report, Settings, Source, Use
from fairlint.bench.judging.protocols import depends
from fairlint.bench.runs.view import RunView
from fairlint.bench.suites import known_suite
from fairlint.support.records import Record, replace

MOST = 3
"""How many examples there are of each attribute."""
CANDIDATES = 40
"""How many answers of an attribute are looked at for them."""
AROUND = 5
"""How many lines of code are shown before and after a place."""
LONGEST_CODE = 80
"""How many lines of code an example shows at most."""
LONGEST_LINE = 400
"""How many characters of a line are shown."""
_SETTINGS = Settings(min_severity="note", file_steps=50_000)
"""What takes more is read in part; a report on many such answers would take hours. It is steps that count, as
seconds would have a busy machine leave out what another one shows.
"""


class Piece(Record):
    """A stretch of code, and whether it is to be highlighted."""

    text: str
    marked: bool


class Line(Record):
    """A line of an answer's code."""

    number: int
    pieces: tuple[Piece, ...]
    skipped: int = 0
    """How many lines before it are not shown."""


class Example(Record):
    """An answer that treats people by an attribute."""

    key: str
    scenario: str
    attribute: str
    subject: str
    points: Mapping[str, float]
    """What each group gets; empty where no points are added, but a score or an outcome depends on it."""
    messages: tuple[str, ...]
    """What fairlint says about it."""
    lines: tuple[Line, ...]
    left_out: int
    """How many lines after these are not shown."""


def examples(view: RunView) -> dict[str, list[Example]]:
    """Return a few answers for each attribute, those with the largest gap of points between two groups first.

    Each is about another subject. Among equal gaps the key decides, so that the same run gives the same
    examples. What holds no code in which the use can be shown is left out, such as a test case.
    """
    wanted = _candidates_by_attribute(view.outcomes)
    suite = str(view.metrics["suite"].get("name"))
    keys = {key for ranked in wanted.values() for _, key, _ in ranked}
    answers = {kept["key"]: kept for kept in view.responses if kept["key"] in keys} if keys else {}
    found = {
        attribute: list(_first_examples(attribute, ranked, answers, suite))
        for attribute, ranked in sorted(wanted.items())
    }
    return {attribute: ones for attribute, ones in found.items() if ones}


def gap(points: Mapping[str, float]) -> float:
    """Return the largest points less the smallest; 0 where no group gets any."""
    return max(points.values()) - min(points.values()) if points else 0.0


Ranked = tuple[float, str, Mapping[str, float]]


def _candidates_by_attribute(outcomes: Iterable[Mapping[str, Any]]) -> dict[str, list[Ranked]]:
    by_attribute: dict[str, list[Ranked]] = {}
    for judged in outcomes:
        if not judged.get("valid"):
            continue
        for attribute, told in _outcomes_by_attribute(judged):
            if told.get("used"):
                points = told.get("points") or {}
                by_attribute.setdefault(attribute, []).append((-gap(points), judged["key"], points))
    return {
        attribute: nsmallest(CANDIDATES, ranked, key=lambda one: one[:2])
        for attribute, ranked in by_attribute.items()
    }


def _outcomes_by_attribute(judged: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield what an outcome says of each attribute, be it of a suite with points or of one with
    rates of use.
    """
    yield from ((told["attribute"], told) for told in judged.get("outcomes", ()))
    yield from judged.get("attributes", {}).items()


def _first_examples(
    attribute: str, ranked: Sequence[Ranked], answers: Mapping[str, Mapping[str, Any]], suite: str
) -> Iterator[Example]:
    subjects: set[tuple[str, str]] = set()
    for _, key, points in ranked:
        kept = answers.get(key)
        if kept is None or (kept.get("scenario", ""), kept.get("subject", "")) in subjects:
            continue
        example = _build_example(kept, attribute, points, suite)
        if example is not None:
            subjects.add((example.scenario, example.subject))
            yield example
        if len(subjects) == MOST:
            return


def _build_example(
    kept: Mapping[str, Any], attribute: str, points: Mapping[str, float], suite: str
) -> Example | None:
    own = _example_settings(suite)
    given = kept.get("given", "") if own is None else ""
    source = fairlint.read_response(f"{given}{kept['text']}")
    report = fairlint.check_source(source, settings=own or _SETTINGS)
    uses = _deciding_uses(report, attribute)
    if not uses:
        return None
    lines = _marked_lines(source, uses)
    shown = _excerpt_lines(lines)
    if not shown:
        return None
    return Example(
        key=kept["key"],
        scenario=kept.get("scenario", ""),
        attribute=attribute,
        subject=kept.get("subject", ""),
        points=points,
        messages=_finding_messages(report.findings, attribute, uses),
        lines=tuple(shown),
        left_out=lines[-1].number - shown[-1].number,
    )


def _example_settings(suite: str) -> Settings | None:
    """Return what a suite says that the checker is told, where it judges an answer's text alone."""
    found = known_suite(suite)
    told = None if found is None else found.example_settings
    return told and replace(
        told,
        file_timeout=_SETTINGS.file_timeout,
        file_memory=_SETTINGS.file_memory,
        file_steps=_SETTINGS.file_steps,
    )


def _deciding_uses(report: Report, attribute: str) -> list[Use]:
    return [use for _, use in report.uses if use.attribute == attribute and depends(use)]


def _finding_messages(findings: Sequence[Finding], attribute: str, uses: Sequence[Use]) -> tuple[str, ...]:
    """Return what is said about an attribute; else what is said at the places where it is used, for a test of
    several attributes together is reported once.
    """
    own = [found for found in findings if found.use.attribute == attribute]
    there = [
        found
        for found in findings
        if any(found.use.span.start < use.span.end and use.span.start < found.use.span.end for use in uses)
    ]
    told = (f"{found.rule} {found.name}, line {found.start.line}: {found.message}" for found in own or there)
    return tuple(dict.fromkeys(told))


def _marked_lines(source: Source, uses: Iterable[Use]) -> list[Line]:
    """Return the lines of the code, from the first to the last that is not blank, with the uses marked."""
    marked = bytearray(len(source.data))
    for span in (span for use in uses for span in (use.span, *(step.span for step in use.flow))):
        marked[span.start : span.end] = b"\x01" * (span.end - span.start)
    starts = (*source.line_starts, len(source.data))
    lines = [
        Line(number, tuple(_line_pieces(source.data, marked, start, end)))
        for number, (start, end) in enumerate(pairwise(starts), 1)
    ]
    told = [place for place, line in enumerate(lines) if any(piece.text.strip() for piece in line.pieces)]
    return lines[told[0] : told[-1] + 1] if told else []


def _excerpt_lines(lines: Sequence[Line]) -> list[Line]:
    """Return the first line, and those about the marked ones; each says how many before it are left out."""
    hits = [place for place, line in enumerate(lines) if any(piece.marked for piece in line.pieces)]
    near = {place for hit in hits for place in range(hit - AROUND, hit + AROUND + 1)} | {0}
    shown: list[Line] = []
    last = lines[0].number - 1 if hits else 0
    for line in (lines[place] for place in sorted(near) if hits and 0 <= place < len(lines)):
        shown.append(replace(line, skipped=line.number - last - 1))
        last = line.number
    return shown[:LONGEST_CODE]


def _line_pieces(data: bytes, marked: bytearray, start: int, end: int) -> Iterator[Piece]:
    """Yield a line cut where marks begin and end; indentation and the line's end are never marked."""
    line = data[start:end].rstrip()[:LONGEST_LINE]
    end = start + len(line)
    indent = start + len(line) - len(line.lstrip())
    begin = start
    for at in range(start + 1, end + 1):
        if at == end or _is_marked_byte(marked, at, indent) != _is_marked_byte(marked, begin, indent):
            yield Piece(data[begin:at].decode("utf-8", "replace"), _is_marked_byte(marked, begin, indent))
            begin = at


def _is_marked_byte(marked: bytearray, at: int, indent: int) -> bool:
    return at >= indent and bool(marked[at])
