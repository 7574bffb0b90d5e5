"""From a Report to what the page shows: everything ready to be written, nothing computed in the template."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from fairlint import __version__
from fairlint.findings import SEVERITIES, Finding, FlowStep, NotAnalysed, Report, Severity, Suppressed
from fairlint.laws import named
from fairlint.records import Record
from fairlint.reporters import ReportOptions
from fairlint.reporters.authors import Written, written
from fairlint.reporters.block import HEADINGS, fixes_told
from fairlint.reporters.markdown import plain
from fairlint.reporters.page import bars, code, words
from fairlint.reporters.page.made import facts, title_of
from fairlint.reporters.places import where
from fairlint.rules import Reference, Rule

MOST_WHOLE = 400
"""Findings that are shown with their code, the gravest first; what is put aside has as many again."""
MOST_LISTED = 4_000
"""Findings behind these that get a line each; what is left is counted."""
MOST_CODE = 4_000_000
"""Characters of code on the whole page."""
MOST_GAPS = 500
MOST_OUTCOMES = 24
MOST_OPEN = 5
"""Findings that are open when the page is."""
MOST_BARS = 30
"""Rows of the tables at the top."""


Keys = Callable[[Finding], Sequence[str]]
"""What a finding is counted under."""


class Told(Record):
    """A finding as it is shown."""

    anchor: str
    rule: str
    name: str
    severity: Severity
    confidence: str
    attributes: tuple[str, ...]
    path: str
    place: str
    message: str
    advice: str
    amounts: str
    """What the amounts are of."""
    table: bars.Table | None
    outcomes: tuple[tuple[str, str], ...]
    frames: tuple[code.Frame, ...]
    steps: tuple[tuple[int, str, str], ...]
    also: tuple[str, ...]
    reasons: tuple[str, ...]
    doubts: tuple[str, ...]
    context: str
    justification: str
    signs: tuple[str, ...]
    fixes: tuple[str, ...]
    is_open: bool = False
    reason: str = ""
    by: str = ""
    """Where it is put aside, and by whom."""
    is_aside: bool = False


class Line(Record):
    """A finding in one line."""

    rule: str
    severity: Severity
    attributes: tuple[str, ...]
    path: str
    place: str
    message: str


class Count(Record):
    """How often something is found, by severity. `width` is that of its bar."""

    key: str
    name: str
    by_severity: tuple[int, ...]
    aside: int
    widths: tuple[tuple[str, str, str], ...]
    """Of each stretch of its bar: where it begins, how wide it is, which severity it is."""


class Page(Record):
    """All that the page shows."""

    title: str
    verdict: str
    amounts: str
    alarms: tuple[tuple[str, str], ...]
    tiles: tuple[tuple[str, int, str], ...]
    hidden: tuple[str, ...]
    baseline: str
    by_attribute: tuple[Count, ...]
    by_rule: tuple[Count, ...]
    files: tuple[tuple[str, tuple[Told, ...]], ...]
    lines: tuple[Line, ...]
    aside: tuple[Told, ...]
    aside_more: int
    gaps: tuple[NotAnalysed, ...]
    gaps_more: int
    rules: tuple[tuple[Rule, str, str, tuple[Reference, ...]], ...]
    """Each rule that found something, what it flags, why it matters, the laws of its findings and sources."""
    facts: tuple[tuple[str, str], ...]
    severities: Mapping[str, str]
    contexts: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]
    """Each context with what would have to justify a difference, and the findings that have it."""
    cut: tuple[str, ...]
    """What is left out of the page."""
    choices: Mapping[str, tuple[tuple[str, str], ...]]
    """What can be filtered by: its values and their names."""


def view(report: Report, options: ReportOptions) -> Page:
    """What the page of a report shows."""
    made = _Maker(report)
    ordered = sorted(report.findings, key=lambda one: -SEVERITIES.index(one.severity))
    whole = sorted(ordered[:MOST_WHOLE], key=lambda one: one.sort_key)
    listed = sorted(ordered[MOST_WHOLE : MOST_WHOLE + MOST_LISTED], key=lambda one: one.sort_key)
    told = [made.told(one, number) for number, one in enumerate(whole, 1)]
    aside = report.suppressed[:MOST_WHOLE]
    places = [(one.path, one.line) for one in aside if one.cell is None]
    who = written(places, options.allowance, options.tell)
    put_aside = [made.aside(one, number, who) for number, one in enumerate(aside, 1)]
    rules = {rule.code: rule for rule in options.load_rules()}
    return Page(
        title=title_of(options),
        verdict=words.verdict(report),
        amounts=words.amounts(report),
        alarms=tuple(words.alarms(report)),
        tiles=_tiles(report),
        hidden=tuple(words.hidden(report)),
        baseline=words.baseline(report),
        by_attribute=_by_attribute(report),
        by_rule=_by_rule(report),
        files=tuple((path, tuple(ones)) for path, ones in groupby(told, key=lambda one: one.path)),
        lines=tuple(_line(one) for one in listed),
        aside=tuple(put_aside),
        aside_more=len(report.suppressed) - len(aside),
        gaps=report.not_analysed[:MOST_GAPS],
        gaps_more=max(len(report.not_analysed) - MOST_GAPS, 0),
        rules=tuple(_rules(report, rules)),
        facts=(("fairlint", __version__), *facts(options), ("Files", words.count(report.files))),
        severities=words.SEVERITY,
        contexts=tuple(_contexts(told)),
        cut=tuple(_cut(report, made)),
        choices=_choices(report),
    )


class _Maker:
    """Shows findings, with the code of no more than a page may hold."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._texts: dict[str, code.Text] = {}
        self._left = MOST_CODE
        self.without_code = 0

    def told(self, finding: Finding, number: int) -> Told:
        """A finding as it is shown."""
        return self._told(finding, f"f{number}", is_open=number <= MOST_OPEN)

    def aside(self, one: Suppressed, number: int, who: Mapping[tuple[str, int], Written]) -> Told:
        """The same of one that is put aside."""
        place = where(one.path, one.cell, one.line)
        by = f"{'comment' if one.is_comment else 'baseline'}, {place}"
        known = who.get((one.path, one.line))
        if known is not None:
            by += known.told()
        return self._told(one.finding, f"a{number}", reason=one.reason, by=by, is_aside=True)

    def _told(
        self, finding: Finding, anchor: str, *, is_open: bool = False, reason: str = "", by: str = "",
        is_aside: bool = False,
    ) -> Told:  # fmt: skip
        use = finding.use
        way = [step for step in finding.flow if not step.also]
        evidence = sorted(use.evidence, key=lambda item: -item.weight)
        return Told(
            anchor=anchor,
            rule=finding.rule,
            name=finding.name,
            severity=finding.severity,
            confidence=finding.confidence,
            attributes=use.attributes,
            path=finding.path,
            place=where(finding.path, finding.cell, finding.start.line),
            message=finding.message,
            advice=finding.advice,
            amounts=HEADINGS.get(use.kind) or use.target or "points",
            table=None if use.points is None else bars.table(use.points),
            outcomes=tuple(use.outcomes.items())[:MOST_OUTCOMES] if use.points is None else (),
            frames=tuple(self._frames(finding)),
            steps=tuple((number, _near(step, finding), step.message) for number, step in enumerate(way, 1)),
            also=tuple(_near(one, finding) for one in finding.places[:MOST_OUTCOMES]),
            reasons=tuple(item.reason for item in evidence if item.weight > 0),
            doubts=tuple(item.reason for item in evidence if item.weight < 0),
            context=use.context.name,
            justification=use.context.justification,
            signs=tuple(item.reason for item in use.context.evidence),
            fixes=tuple(text for _, text in fixes_told(finding)),
            is_open=is_open,
            reason=reason,
            by=by,
            is_aside=is_aside,
        )

    def _frames(self, finding: Finding) -> Sequence[code.Frame]:
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


def _near(step: FlowStep, finding: Finding) -> str:
    """Where a step is, as told beside its finding."""
    if (step.path, step.cell) == (finding.path, finding.cell):
        return f"line {step.start.line}"
    return where(step.path, step.cell, step.start.line)


def _line(finding: Finding) -> Line:
    place = where(finding.path, finding.cell, finding.start.line)
    attributes = finding.use.attributes
    return Line(finding.rule, finding.severity, attributes, finding.path, place, finding.message)


def _tiles(report: Report) -> tuple[tuple[str, int, str], ...]:
    kinds = Counter(finding.severity for finding in report.findings)
    by_baseline = sum(not one.is_comment for one in report.suppressed)
    told = f"{words.count(by_baseline)} by the baseline" if by_baseline else "with a comment"
    return (
        ("Errors", kinds["error"], "error"),
        ("Warnings", kinds["warning"], "warning"),
        ("Notes", kinds["note"], "note"),
        ("Put aside", len(report.suppressed), told if report.suppressed else ""),
        ("Not analysed", len(report.not_analysed), ""),
        ("Files checked", report.files, ""),
    )


def _by_attribute(report: Report) -> tuple[Count, ...]:
    def keys(finding: Finding) -> tuple[str, ...]:
        return finding.use.attributes or ("",)

    return _counts(report, {
        key: words.name(key) if key else words.UNNAMED
        for one in _all(report) for key in keys(one)
    }, keys)  # fmt: skip


def _by_rule(report: Report) -> tuple[Count, ...]:
    names = {one.rule: f"{one.rule} {words.name(one.name)}" for one in _all(report)}
    return _counts(report, names, lambda finding: (finding.rule,))


def _all(report: Report) -> Iterator[Finding]:
    yield from report.findings
    yield from (one.finding for one in report.suppressed)


def _counts(report: Report, names: Mapping[str, str], keys: Keys) -> tuple[Count, ...]:
    found = Counter((key, one.severity) for one in report.findings for key in keys(one))
    aside = Counter(key for one in report.suppressed for key in keys(one.finding))
    made = [
        (key, name, [found[key, severity] for severity in reversed(SEVERITIES)], aside[key])
        for key, name in names.items()
    ]
    made.sort(key=lambda one: (-sum(one[2]), -one[3], one[1]))
    most = max((sum(counts) for _, _, counts, _ in made), default=0)
    return tuple(
        Count(key, name, tuple(counts), put, tuple(_stretches(counts, most)))
        for key, name, counts, put in made[:MOST_BARS]
    )


def _stretches(counts: Sequence[int], most: int) -> Iterator[tuple[str, str, str]]:
    """The stretches of a bar: where each begins, its width, its severity."""
    done = 0
    for severity, number in zip(reversed(SEVERITIES), counts, strict=True):
        if number:
            yield bars.place(done, most), bars.place(number, most), severity
            done += number


def _rules(
    report: Report, rules: Mapping[str, Rule]
) -> Iterator[tuple[Rule, str, str, tuple[Reference, ...]]]:
    for key in sorted({one.rule for one in _all(report)} & rules.keys()):
        rule = rules[key]
        why = " ".join(plain(rule.section("Why it matters")).split())
        laws = named(dict.fromkeys(id_ for one in _all(report) if one.rule == key for id_ in one.laws))
        sources = (*(Reference(law.told, law.url) for law in laws), *rule.references)
        yield rule, plain(rule.summary).strip(), why, sources


def _contexts(told: Sequence[Told]) -> Iterator[tuple[str, str, tuple[tuple[str, str], ...]]]:
    for context, what in words.CONTEXT.items():
        ones = tuple((one.anchor, one.place) for one in told if one.context == context)
        if ones:
            yield context, what, ones


def _cut(report: Report, made: _Maker) -> Iterator[str]:
    """What the page leaves out, a sentence each."""
    more = len(report.findings) - MOST_WHOLE
    if more > 0:
        listed = min(more, MOST_LISTED)
        yield (
            f"{words.counted(listed, 'finding')} of {words.count(len(report.findings))} have a line and no "
            "code on the page: the mildest"
        )
    if more > MOST_LISTED:
        yield f"{words.counted(more - MOST_LISTED, 'finding')} are counted on the page and not listed"
    if len(report.suppressed) > MOST_WHOLE:
        left = len(report.suppressed) - MOST_WHOLE
        yield f"{words.counted(left, 'finding')} that are put aside are counted on the page and not listed"
    if len(report.not_analysed) > MOST_GAPS:
        left = len(report.not_analysed) - MOST_GAPS
        yield f"{words.counted(left, 'place')} not analysed are counted on the page and not listed"
    if made.without_code:
        yield f"{words.counted(made.without_code, 'finding')} have no code on the page, for its size"


def _choices(report: Report) -> Mapping[str, tuple[tuple[str, str], ...]]:
    found = list(_all(report))
    attributes = {key for one in found for key in one.use.attributes}
    return {
        "severity": tuple(
            (one, one) for one in reversed(SEVERITIES) if any(one == it.severity for it in found)
        ),
        "attribute": tuple((one, words.name(one)) for one in sorted(attributes)),
        "rule": tuple(sorted({(one.rule, f"{one.rule} {words.name(one.name)}") for one in found})),
    }
