"""Turns judged Uses of one source into findings: places, regions, fingerprints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from fairlint.findings.deduplication import near_by
from fairlint.findings.finding import Finding, FlowStep, Identity
from fairlint.findings.fingerprints import Fingerprints, line_hashes
from fairlint.findings.identity import Identities, number_findings
from fairlint.support.records import replace
from fairlint.syntax.enclosing import Enclosing
from fairlint.syntax.source import Place, Position, Source

if TYPE_CHECKING:
    from fairlint.findings.finding import Remedy
    from fairlint.findings.uses import Step, Use
    from fairlint.rules.judging import Verdict
    from fairlint.sources.notebooks import JsonPlaces
    from fairlint.syntax.tree import Span, Tree


def findings_of(places: Places, judged: Sequence[tuple[Use, Verdict]]) -> list[Finding]:
    """Return the findings that Uses of a source give, one for each problem."""
    source, enclosing, identities = places.source, places.enclosing, places.identities
    hashes = places.hashes([use.span for use, _ in judged], line_hashes)
    fingerprints = Fingerprints()
    findings = []
    for (use, verdict), line_hash in zip(judged, hashes, strict=True):
        text = source.line(source.position(use.span.start).line)
        fingerprint = fingerprints.make(verdict.rule.code, use.function, use.attribute, text)
        identity = identities.of(verdict.rule.code, use)
        finding = _build_finding(places, use, verdict, (fingerprint, line_hash, identity))
        statement = source.place(enclosing.at(use.span).statement.start).position.line
        findings.append(replace(finding, statement=statement))
    return list(number_findings(near_by(findings)))


class Places:
    """The places of one source as reports name them. `raw` is the file as it was read."""

    def __init__(self, source: Source, raw: bytes, tree: Tree) -> None:
        self.source = source
        self.enclosing = Enclosing(tree)
        self.identities = Identities(source.data, tree.tokens, self.enclosing)
        self.data = {one.path for part in (tree, *tree.modules) for one in part.data}
        """Files of data, which no fix changes."""
        self._raw = raw
        self._json: JsonPlaces | None = None
        self._hashes: dict[str, Mapping[int, str]] = {}
        """Of the files that were asked about, the lines that are known."""
        self._ends: dict[tuple[int, int], tuple[Place, Position]] = {}
        """Where spans are: the ways to many findings pass the same places."""

    def ends(self, span: Span) -> tuple[Place, Position]:
        """Return where a span begins, and the position it ends at, which is in the same part."""
        key = (span.start, span.end)
        if key not in self._ends:
            self._ends[key] = self._ends_of(span)
        return self._ends[key]

    def _ends_of(self, span: Span) -> tuple[Place, Position]:
        place = self.source.place(span.start)
        last = self.source.place(max(span.end - 1, span.start))
        if (last.path, last.cell) != (place.path, place.cell):
            return place, place.position
        end = self.source.place(span.end).position
        if self.source.part(span.end) != self.source.part(span.start):
            end = Position(last.position.line, last.position.column + 1)
        return place, end

    def hashes(
        self, spans: Sequence[Span], line_hashes: Callable[[str, Iterable[int]], Mapping[int, str]]
    ) -> list[str]:
        """GitHub's hash of the line that each span begins in."""
        lines: dict[str, list[int]] = {}
        places = []
        for span in spans:
            place, region = self.source.place(span.start), self.region(span)
            line = place.position.line if region is None else region[0].line
            lines.setdefault(place.path, []).append(line)
            places.append((place.path, line))
        for path, wanted in lines.items():
            known = self._hashes.get(path)
            if known is None:
                self._hashes[path] = line_hashes(self._text(path), wanted)
            elif not known.keys() >= set(wanted):  # asked again: all lines at once, for what is to come
                text = self._text(path)
                self._hashes[path] = line_hashes(text, range(1, len(text.splitlines()) + 2))
        return [self._hashes[path].get(line, "") for path, line in places]

    def _text(self, path: str) -> str:
        """Return the whole text of a file that the source is put together from."""
        raw = self._raw
        if path != self.source.path:
            parts = self.source.parts
            ends = [*(part.start for part in parts[1:]), len(self.source.data)]
            raw = next(
                self.source.data[part.start : end]
                for part, end in zip(parts, ends, strict=True)
                if part.path == path
            )
        return raw.decode("utf-8", "replace")

    def region(self, span: Span) -> tuple[Position, Position] | None:
        """Return where a span stands in the file itself, if that is JSON."""
        part = self.source.part(span.start)
        if part is None or part.cell is None:
            return None
        if self._json is None:
            from fairlint.sources.notebooks import JsonPlaces  # noqa: PLC0415 (few runs meet a notebook)

            self._json = JsonPlaces(self._raw)
        last = max(span.end - 1, span.start)  # its end may be where the next string begins
        start = self._json.position(part.cell, span.start - part.start)
        return start, self._json.position(part.cell, last - part.start, behind=True)


def _build_finding(
    places: Places, use: Use, verdict: Verdict, known_by: tuple[str, str, Identity]
) -> Finding:
    place, end = places.ends(use.span)
    fingerprint, line_hash, identity = known_by
    return Finding(
        rule=verdict.rule.code,
        name=verdict.rule.name,
        severity=verdict.severity,
        confidence=verdict.confidence,
        path=place.path,
        start=place.position,
        end=end,
        message=verdict.message,
        advice=verdict.advice,
        use=use,
        flow=tuple(_flow_step(places, step) for step in use.flow),
        fingerprint=fingerprint,
        line_hash=line_hash,
        identity=identity,
        cell=place.cell,
        region=places.region(use.span),
        lowered_by=verdict.lowered_by,
        remedies=() if place.path in places.data else _applicable_remedies(places.source, use, verdict),
        unheeded=verdict.unheeded,
        laws=verdict.laws,
    )


def _applicable_remedies(source: Source, use: Use, verdict: Verdict) -> tuple[Remedy, ...]:
    """Return the fixes that may be tried; few where something may justify what the code does."""
    return tuple(
        one
        for one in verdict.rule.remedies
        if source.language in one.languages and use.context.name in ("", *one.contexts)
    )


def _flow_step(places: Places, step: Step) -> FlowStep:
    place, end = places.ends(step.span)
    return FlowStep(place.path, place.position, end, step.message, place.cell, places.region(step.span))
