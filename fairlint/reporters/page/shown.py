"""One finding as the page shows it, with its code, its owners and what is decided about it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from fairlint.findings.finding import Finding, FlowStep
from fairlint.findings.levels import Severity
from fairlint.findings.report import Report, Suppressed
from fairlint.reporters import ReportOptions
from fairlint.reporters.authors import Written
from fairlint.reporters.block import HEADINGS, fix_notes
from fairlint.reporters.owners import owners_in
from fairlint.reporters.page import bars, code, words
from fairlint.reporters.page.deciding import Decided, Desk
from fairlint.reporters.page.law import LawLine, law_lines, scope_of
from fairlint.reporters.places import where
from fairlint.reporters.unheeded import unheeded_clause as unheeded
from fairlint.reporters.uris import repository_root
from fairlint.rules.messages import joined_groups, title_of
from fairlint.rules.rule import Rule
from fairlint.support.records import Record

MOST_CODE = 4_000_000
"""Characters of code on the whole page."""
MOST_OUTCOMES = 24
"""Different outcomes, and groups of one, that a finding shows."""
LONGEST_TITLE = 104
"""Characters of a title, where the message can be told in so few."""


_OPTIONS = re.compile(r"\((--[^()`]*)\)")
"""Options of the command line, which no line breaks."""


class FindingCard(Record):
    """A finding as it is shown."""

    anchor: str
    rule: str
    name: str
    severity: Severity
    confidence: str
    attributes: tuple[str, ...]
    path: str
    place: str
    title: str
    message: str
    """All of what the title says, where that is more."""
    owners: tuple[str, ...]
    decided: Decided
    change: str
    """`new`, `grown` or `shrunk` since the earlier report."""
    advice: str
    zero: str
    """Where the bars of the amounts begin."""
    amounts: str
    """What the amounts are of."""
    table: bars.Table | None
    outcomes: tuple[tuple[str, str], ...]
    more_outcomes: int
    frames: tuple[code.Frame, ...]
    steps: tuple[tuple[int, str, str], ...]
    also: tuple[str, ...]
    more_also: int
    reasons: tuple[str, ...]
    doubts: tuple[str, ...]
    context: str
    justification: str
    signs: tuple[str, ...]
    laws: tuple[LawLine, ...]
    """The laws that may apply, by place, or why none is named."""
    fixes: tuple[str, ...]
    unheeded: tuple[str, ...]
    """What would have suppressed it, had its author a say."""
    is_open: bool = False
    reason: str = ""
    by: str = ""
    """Where it is suppressed, and by whom."""
    is_aside: bool = False


class Line(Record):
    """A finding in one line."""

    rule: str
    severity: Severity
    attributes: tuple[str, ...]
    path: str
    place: str
    message: str
    owners: tuple[str, ...]
    decided: Decided
    change: str


class Maker:
    """Shows findings, with the code of no more than a page may hold."""

    def __init__(
        self, report: Report, options: ReportOptions, rules: Mapping[str, Rule], desk: Desk,
        changes: Mapping[int, str],
    ) -> None:  # fmt: skip
        self._report = report
        self._rules = rules
        self._scope = scope_of(options)
        self._desk = desk
        self._changes = {id(report.findings[at]): name for at, name in changes.items()}
        self._owners = owners_in(repository_root(options.root))
        self._texts: dict[str, code.Text] = {}
        self._left = MOST_CODE
        self.without_code = 0

    def line(self, finding: Finding) -> Line:
        """Return a finding in one line."""
        return Line(
            rule=finding.rule,
            severity=finding.severity,
            attributes=finding.use.attributes,
            path=finding.path,
            place=where(finding.path, finding.cell, finding.start.line),
            message=self._finding_title(finding),
            owners=self._owners_of(finding),
            decided=self._desk.of(finding),
            change=self._changes.get(id(finding), ""),
        )

    def aside(self, one: Suppressed, anchor: str, who: Mapping[tuple[str, int], Written]) -> FindingCard:
        """Return a finding that is suppressed."""
        by = suppressed_by(one, who)
        return self.told(one.finding, anchor, reason=one.reason, by=by, is_aside=True)

    def told(
        self, finding: Finding, anchor: str, *, is_open: bool = False, reason: str = "", by: str = "",
        is_aside: bool = False,
    ) -> FindingCard:  # fmt: skip
        """Return a finding as it is shown."""
        use = finding.use
        way = [step for step in finding.flow if not step.also]
        evidence = sorted(use.evidence, key=lambda item: -item.weight)
        whole = finding.message if use.points is None else words.amounts(finding.message)
        title = self._finding_title(finding)
        table = None if use.points is None else bars.table(use.points)
        outcomes = joined_groups(use.outcomes.items(), MOST_OUTCOMES) if table is None else []
        also = tuple(_place_near_finding(one, finding) for one in finding.places)
        return FindingCard(
            anchor=anchor,
            rule=finding.rule,
            name=finding.name,
            severity=finding.severity,
            confidence=finding.confidence,
            attributes=use.attributes,
            path=finding.path,
            place=where(finding.path, finding.cell, finding.start.line),
            title=title,
            message=whole if whole != title else "",
            owners=self._owners_of(finding),
            decided=self._desk.of(finding),
            change=self._changes.get(id(finding), ""),
            advice=finding.advice,
            zero="" if use.points is None else bars.end_of(use.points),
            amounts=HEADINGS.get(use.kind) or use.target or "points",
            table=table,
            outcomes=tuple(outcomes[:MOST_OUTCOMES]),
            more_outcomes=max(len(outcomes) - MOST_OUTCOMES, 0),
            frames=tuple(self._code_frames(finding)),
            steps=tuple(
                (number, _place_near_finding(step, finding), step.message)
                for number, step in enumerate(way, 1)
            ),
            also=also[:MOST_OUTCOMES],
            more_also=max(len(also) - MOST_OUTCOMES, 0),
            reasons=tuple(item.reason for item in evidence if item.weight > 0),
            doubts=tuple(item.reason for item in evidence if item.weight < 0),
            context=use.context.name,
            justification=use.context.justification,
            signs=tuple(item.reason for item in use.context.evidence),
            laws=law_lines(finding, self._laws_of_rule(finding), self._scope),
            fixes=tuple(_OPTIONS.sub(r"(`\1`)", text) for _, text in fix_notes(finding)),
            unheeded=tuple(unheeded(one) for one in finding.unheeded),
            is_open=is_open,
            reason=reason,
            by=by,
            is_aside=is_aside,
        )

    def _finding_title(self, finding: Finding) -> str:
        rule = self._rules.get(finding.rule)
        if rule is None:
            return finding.message if finding.use.points is None else words.amounts(finding.message)
        title = title_of(finding.message, rule.message, finding.use, LONGEST_TITLE)
        return title if finding.use.points is None else words.amounts(title)

    def _laws_of_rule(self, finding: Finding) -> Sequence[str]:
        rule = self._rules.get(finding.rule)
        return () if rule is None else rule.laws

    def _owners_of(self, finding: Finding) -> tuple[str, ...]:
        return self._owners.of(self._desk.path_of(finding)) if self._owners is not None else ()

    def _code_frames(self, finding: Finding) -> Sequence[code.Frame]:
        if self._left <= 0:
            self.without_code += 1
            return ()
        paths = dict.fromkeys((finding.path, *(step.path for step in finding.flow if not step.also)))
        frames = code.frames(finding, [text for path in paths if (text := self._text(path)) is not None])
        self._left -= sum(len(piece.text) for one in frames for line in one.lines for piece in line.pieces)
        return frames

    def _text(self, path: str) -> code.Text | None:
        source = self._report.sources.get(path)
        if source is None:
            return None
        if path not in self._texts:
            self._texts[path] = code.Text(source)
        return self._texts[path]


def suppressed_by(one: Suppressed, who: Mapping[tuple[str, int], Written]) -> str:
    """Return where it is suppressed, by whom, and until when."""
    by = f"{'comment' if one.is_comment else 'baseline'}, {where(one.path, one.cell, one.line)}"
    known = who.get((one.path, one.line))
    if known is not None:
        by += known.told()
    return f"{by}, until {one.until}" if one.until else by


def _place_near_finding(step: FlowStep, finding: Finding) -> str:
    """Return where a step is, as told with its finding."""
    if (step.path, step.cell) == (finding.path, finding.cell):
        return f"line {step.start.line}"
    return where(step.path, step.cell, step.start.line)
