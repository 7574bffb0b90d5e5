"""From a Report to what the page shows: everything ready to be written, nothing computed in the template."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from fairlint.findings.finding import Finding
from fairlint.findings.levels import SEVERITIES
from fairlint.findings.report import LeftOut, NotAnalysed, Report
from fairlint.reporters import ReportOptions
from fairlint.reporters.authors import authorship_of_lines
from fairlint.reporters.decisions import KINDS
from fairlint.reporters.markdown import plain
from fairlint.reporters.page import bars, words
from fairlint.reporters.page.deciding import OPEN, Desk
from fairlint.reporters.page.law import Named, laws_of
from fairlint.reporters.page.made import Fact, facts, head, title_of
from fairlint.reporters.page.order import MOST_WORST, by_weight
from fairlint.reporters.page.shown import FindingCard, Line, Maker, suppressed_by
from fairlint.reporters.page.since import Since, since
from fairlint.reporters.page.tiles import Tile, tiles
from fairlint.rules.rule import Rule
from fairlint.support.about import __version__
from fairlint.support.records import Record

MOST_WHOLE = 400
"""Findings that are shown with their code, the most severe first; what is suppressed has as many again."""
MOST_LISTED = 4_000
"""Findings behind these that get a line each; what is left is counted."""
MOST_GAPS = 500
MOST_OPEN = 5
"""Findings that are open when the page is."""
MOST_BARS = 30
"""Rows of the tables at the top."""
MOST_CHECKED = 2_000
"""Checked files that are listed."""
MOST_UNREAD = 50
"""Files of one kind that are not read and are named."""


Keys = Callable[[Finding], Sequence[str]]
"""What a finding is counted under."""


class BarStretch(NamedTuple):
    """A stretch of a bar: where it begins, how wide it is, which severity it is."""

    begin: str
    width: str
    severity: str


class RuleOfReport(NamedTuple):
    """A rule that found something, what it flags, and why it matters."""

    rule: Rule
    summary: str
    why: str


class ContextOfFindings(NamedTuple):
    """A context, what would have to justify a difference in it, and the findings that have it."""

    context: str
    what: str
    findings: tuple[tuple[str, str], ...]


class Count(Record):
    """How often something is found, by severity. `width` is that of its bar."""

    key: str
    name: str
    by_severity: tuple[tuple[int, bool], ...]
    """Of each severity how many are shown, and whether some may be hidden."""
    aside: int
    widths: tuple[BarStretch, ...]


class Unread(Record):
    """Files of one kind that are not read."""

    kind: str
    number: int
    paths: tuple[str, ...]


class Lost(Record):
    """A decision whose finding is not in the report."""

    place: str
    rule: str
    finding: str
    kind: str
    by: str
    until: str
    remark: str
    entry: str


class Page(Record):
    """All that the page shows."""

    title: str
    verdict: str
    head: tuple[str, ...]
    """Jurisdiction, field, commit and date."""
    alarms: tuple[words.Alarm, ...]
    tiles: tuple[Tile, ...]
    worst: tuple[FindingCard, ...]
    since: Since | None
    anchors: Mapping[int, str]
    """The place of a finding in the report → where it is on the page."""
    lowered: str
    """Which findings are hidden or have a lower severity, and the options that show them."""
    hidden: tuple[str, ...]
    baseline: str
    by_attribute: tuple[Count, ...]
    by_rule: tuple[Count, ...]
    groups: tuple[tuple[str, tuple[FindingCard, ...]], ...]
    """Findings with their code, by severity: how many there are, and which."""
    lines: tuple[Line, ...]
    aside: tuple[FindingCard, ...]
    aside_more: int
    lost: tuple[Lost, ...]
    lost_more: int
    file: str
    """The name of the file of decisions."""
    kept: str
    """Decisions that have no fields on the page, as JSON."""
    kinds: tuple[str, ...]
    gaps: tuple[NotAnalysed, ...]
    gaps_more: int
    unread: tuple[Unread, ...]
    left_out: tuple[LeftOut, ...]
    left_out_more: int
    rules: tuple[RuleOfReport, ...]
    laws: tuple[tuple[str, tuple[Named, ...]], ...]
    """The laws of the findings, by place."""
    signing: tuple[str, ...]
    """What a signature means, a clause each."""
    drawn: tuple[str, ...]
    """The severities that bars of counts show."""
    facts: tuple[Fact, ...]
    checked: tuple[str, ...]
    checked_more: int
    severities: Mapping[str, str]
    contexts: tuple[ContextOfFindings, ...]
    cut: tuple[str, ...]
    """What is left out of the page."""
    choices: Mapping[str, tuple[tuple[str, str], ...]]
    """What can be filtered by: its values and their names."""


def view(report: Report, options: ReportOptions) -> Page:
    """Return what the page of a report shows."""
    rules = {rule.code: rule for rule in options.load_rules()}
    desk = Desk([*_all_findings(report)], options.decisions, options.root)
    aside = report.suppressed[:MOST_WHOLE]
    who = authorship_of_lines(
        [(one.path, one.line) for one in aside if one.cell is None], options.allowance, options.tell
    )
    reasons = [f"{one.reason or 'no reason given'} ({suppressed_by(one, who)})" for one in aside]
    changed = None if options.since is None else since(options.since, report, options.min_severity, reasons)
    marks: Mapping[int, str] = {} if changed is None else changed.marks
    made = Maker(report, options, rules, desk, marks)
    hidden = words.hidden_severities(report, options.min_severity)
    places = {id(one): at for at, one in enumerate(report.findings)}
    ordered = by_weight(report.findings, lambda one: marks.get(places[id(one)], ""))
    whole, listed = ordered[:MOST_WHOLE], ordered[MOST_WHOLE : MOST_WHOLE + MOST_LISTED]
    told = [made.told(one, f"f{at}", is_open=at <= MOST_OPEN) for at, one in enumerate(whole, 1)]
    lines = [made.line(one) for one in listed]
    put_aside = [made.aside(one, f"a{at}", who) for at, one in enumerate(aside, 1)]
    for note in desk.notes([*_all_findings(report)]):
        options.tell(note)
    return Page(
        title=title_of(options),
        verdict=words.verdict(report),
        head=tuple(head(options)),
        alarms=tuple(words.alarms(report)),
        tiles=tuple(tiles(report, options, desk)),
        worst=tuple(told[:MOST_WORST] if len(report.findings) > MOST_WORST else ()),
        since=changed,
        anchors={places[id(one)]: f"f{at}" for at, one in enumerate(whole, 1)},
        lowered=words.lowered(report, options.min_severity),
        hidden=tuple(words.hidden_finding_sentences(report)),
        baseline=words.baseline(report),
        by_attribute=_by_attribute(report, hidden),
        by_rule=_by_rule(report, hidden),
        groups=tuple(_groups_by_severity(report, told)),
        lines=tuple(lines),
        aside=tuple(put_aside),
        aside_more=len(report.suppressed) - len(aside),
        lost=tuple(_lost_decisions(desk)),
        lost_more=len(desk.left) - len(desk.listed),
        file=os.path.basename(desk.file),  # noqa: PTH119 (start-up)
        kept=desk.kept([*whole, *(one.finding for one in aside)]),
        kinds=KINDS,
        gaps=report.not_analysed[:MOST_GAPS],
        gaps_more=max(len(report.not_analysed) - MOST_GAPS, 0),
        unread=tuple(_unread_files(report)),
        left_out=report.left_out[:MOST_GAPS],
        left_out_more=max(len(report.left_out) - MOST_GAPS, 0),
        rules=tuple(_rules_in_report(report, rules)),
        laws=laws_of(report.findings, [one.finding for one in report.suppressed]),
        signing=tuple(words.signing(report, options.min_severity)),
        drawn=tuple(one for one in reversed(SEVERITIES) if any(one == it.severity for it in report.findings)),
        facts=(Fact("fairlint", __version__), *facts(options)),
        checked=report.checked[:MOST_CHECKED],
        checked_more=max(len(report.checked) - MOST_CHECKED, 0),
        severities=words.SEVERITY,
        contexts=tuple(_findings_by_context(told)),
        cut=tuple(_omission_sentences(report, made)),
        choices=_filter_choices(report, [*told, *lines, *put_aside]),
    )


def _groups_by_severity(
    report: Report, told: Sequence[FindingCard]
) -> Iterator[tuple[str, tuple[FindingCard, ...]]]:
    """Return findings by severity, each group under how many there are of it."""
    kinds = Counter(finding.severity for finding in report.findings)
    for severity, ones in groupby(told, key=lambda one: one.severity):
        yield words.count_with_noun(kinds[severity], severity), tuple(ones)


def _unread_files(report: Report) -> Iterator[Unread]:
    for kind, paths in sorted(report.unread.items(), key=lambda one: (-len(one[1]), one[0])):
        yield Unread(kind, len(paths), tuple(paths[:MOST_UNREAD]))


def _lost_decisions(desk: Desk) -> Iterator[Lost]:
    for one in desk.listed:
        yield Lost(one.path, one.rule, one.finding, one.kind, one.by, one.until, one.remark, desk.entry(one))


def _by_attribute(report: Report, hidden: Collection[str]) -> tuple[Count, ...]:
    def keys(finding: Finding) -> tuple[str, ...]:
        return finding.use.attributes or ("",)

    return _count_bars(report, {
        key: words.name(key) if key else words.UNNAMED
        for one in _all_findings(report) for key in keys(one)
    }, keys, hidden)  # fmt: skip


def _by_rule(report: Report, hidden: Collection[str]) -> tuple[Count, ...]:
    names = {one.rule: f"{one.rule} {words.name(one.name)}" for one in _all_findings(report)}
    return _count_bars(report, names, lambda finding: (finding.rule,), hidden)


def _all_findings(report: Report) -> Iterator[Finding]:
    yield from report.findings
    yield from (one.finding for one in report.suppressed)


def _count_bars(
    report: Report, names: Mapping[str, str], keys: Keys, hidden: Collection[str]
) -> tuple[Count, ...]:
    found = Counter((key, one.severity) for one in report.findings for key in keys(one))
    aside = Counter(key for one in report.suppressed for key in keys(one.finding))
    made = [
        (key, name, [found[key, severity] for severity in reversed(SEVERITIES)], aside[key])
        for key, name in names.items()
    ]
    made.sort(key=lambda one: (-sum(one[2]), -one[3], one[1]))
    most = max(len(report.findings), 1)
    return tuple(
        Count(
            key,
            name,
            tuple((number, one in hidden) for number, one in zip(counts, reversed(SEVERITIES), strict=True)),
            put,
            tuple(_bar_stretches(counts, most)),
        )
        for key, name, counts, put in made[:MOST_BARS]
    )


def _bar_stretches(counts: Sequence[int], most: int) -> Iterator[BarStretch]:
    """Yield the stretches of a bar."""
    done = 0
    for severity, number in zip(reversed(SEVERITIES), counts, strict=True):
        if number:
            yield BarStretch(bars.place(done, most), bars.place(number, most), severity)
            done += number


def _rules_in_report(report: Report, rules: Mapping[str, Rule]) -> Iterator[RuleOfReport]:
    for key in sorted({one.rule for one in _all_findings(report)} & rules.keys()):
        rule = rules[key]
        why = " ".join(plain(rule.section("Why it matters")).split())
        yield RuleOfReport(rule, plain(rule.summary).strip(), why)


def _findings_by_context(told: Sequence[FindingCard]) -> Iterator[ContextOfFindings]:
    for context, what in words.CONTEXT.items():
        ones = tuple((one.anchor, one.place) for one in told if one.context == context)
        if ones:
            yield ContextOfFindings(context, what, ones)


def _omission_sentences(report: Report, made: Maker) -> Iterator[str]:
    """Yield what the page leaves out, a sentence each."""
    more = len(report.findings) - MOST_WHOLE
    if more > 0:
        listed = min(more, MOST_LISTED)
        yield (
            f"{words.count_with_noun(listed, 'finding')} of {words.count(len(report.findings))} "
            f"have a line and no "
            "code on the page: the least severe"
        )
    if more > MOST_LISTED:
        yield f"{words.count_with_noun(more - MOST_LISTED, 'finding')} are counted on the page and not listed"
    if len(report.suppressed) > MOST_WHOLE:
        left = len(report.suppressed) - MOST_WHOLE
        number = words.count_with_noun(left, "finding")
        yield f"{number} that are suppressed are counted on the page and not listed"
    if len(report.not_analysed) > MOST_GAPS:
        left = len(report.not_analysed) - MOST_GAPS
        yield f"{words.count_with_noun(left, 'place')} not analysed are counted on the page and not listed"
    if made.without_code:
        yield f"{words.count_with_noun(made.without_code, 'finding')} have no code on the page, for its size"


def _filter_choices(
    report: Report, told: Sequence[FindingCard | Line]
) -> Mapping[str, tuple[tuple[str, str], ...]]:
    found = list(_all_findings(report))
    attributes = {key for one in found for key in one.use.attributes}
    owners = sorted({owner for one in told for owner in one.owners})
    changes = {one.change for one in told}
    choices = {
        "severity": tuple(
            (one, one) for one in reversed(SEVERITIES) if any(one == it.severity for it in found)
        ),
        "attribute": tuple((one, words.name(one)) for one in sorted(attributes)),
        "rule": tuple(sorted({(one.rule, f"{one.rule} {words.name(one.name)}") for one in found})),
        "owner": tuple((one, one) for one in owners),
        "decision": tuple((one, one) for one in (OPEN, *KINDS)),
        "since": tuple((one, one) for one in ("new", "grown", "shrunk") if one in changes),
    }
    return {key: values for key, values in choices.items() if values}
