"""One finding of the text format: headline, frame, table of groups, and notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fairlint.findings.finding import Applicability, Finding
from fairlint.findings.uses import Use
from fairlint.reporters.amounts import rows
from fairlint.reporters.frame import Frame, Mark
from fairlint.reporters.places import some_of, where
from fairlint.reporters.printable import printable, width
from fairlint.reporters.style import Style
from fairlint.reporters.wrapping import wrap_text
from fairlint.rules.messages import for_instance, joined_groups
from fairlint.syntax.source import Source

_MOST_REASONS = 4
"""The weightiest reasons are enough to judge a finding by."""

HEADINGS = {"threshold": "cut-off", "quota": "places"}
"""Over the amounts, where they are no change of the target."""
LONGEST_HEADING = 24
INDENT = 4
"""Of what follows a headline's first line."""
_OPTIONS: Mapping[Applicability, str] = {"safe": "--fix", "unsafe": "--fix --unsafe-fixes"}


def _short_target(target: str | None) -> str:
    if not target:
        return "points"
    return target if len(target) <= LONGEST_HEADING else f"{target[: LONGEST_HEADING - 3]}..."


def block(
    finding: Finding, sources: Mapping[str, Source], style: Style, columns: int, *, wrap: bool = False
) -> Iterator[str]:
    """Yield the lines of one finding. `columns` is how wide code may be, and running text if `wrap`
    says so.
    """
    yield from _headline_lines(finding, style, columns if wrap else None)
    marks = _marks_by_place(finding)
    gutter = len(str(max(mark.end.line for places in marks.values() for mark in places)))
    arrow = "-->"
    bar = style("gutter", f"{'':>{gutter}} |")
    for (path, cell), places in marks.items():
        first = next((mark for mark in places if mark.primary), places[0])
        pointer = style("gutter", f"{'':>{gutter}}{arrow}")
        yield f"{pointer} {style.file(path, f'{where(path, cell, first.start.line)}:{first.start.column}')}"
        told = _Lines((sources.get(path), sources.get(finding.path)), path, cell)
        if told.has(first.start.line):
            yield bar
            yield from Frame(told.text, places, style=style, width=columns, gutter=gutter).lines()
        arrow = ":::"
    table = list(_table_lines(finding.use, style))
    if table:
        yield bar
        yield from (f"{bar} {line}" for line in table)
    yield bar
    for title, text in _note_texts(finding):
        for line in _note_lines(title, style.shown(text), gutter, style, columns if wrap else None):
            yield line.replace(f" rule {finding.rule}", f" rule {style.rule(finding.rule, finding.rule)}")


def _headline_lines(finding: Finding, style: Style, columns: int | None) -> Iterator[str]:
    """Yield what was found; further lines are indented."""
    head = f"{finding.severity}[{finding.rule}]"
    text = style.shown(printable(finding.message))
    lines = [text]
    if columns is not None:
        lines = wrap_text(text, columns - INDENT, first=columns - len(head) - len(": "))
    yield style(finding.severity, head) + style("strong", f": {lines[0]}")
    yield from (" " * INDENT + style("strong", line) for line in lines[1:])


def _note_lines(title: str, text: str, gutter: int, style: Style, columns: int | None) -> Iterator[str]:
    """Yield a reason or the like behind its title; further lines begin a little to the right of the title."""
    lead = f"{'':>{gutter}} = {title}: "
    indent = gutter + len(" = ") + 2
    lines = [text] if columns is None else wrap_text(text, columns - indent, first=columns - len(lead))
    yield f"{style('gutter', f'{chr(32) * gutter} =')} {style('strong', f'{title}:')} {lines[0]}"
    yield from (" " * indent + line for line in lines[1:])


class _Lines:
    """The lines of one file or cell, from whichever source holds it."""

    def __init__(self, sources: Iterable[Source | None], path: str, cell: int | None) -> None:
        self._sources = [source for source in sources if source is not None]
        self._path = path
        self._cell = cell

    def has(self, number: int) -> bool:
        """Return whether there is a line of this number."""
        return self._find_line(number) is not None

    def text(self, number: int) -> str:
        """Return the line, empty where there is none."""
        return self._find_line(number) or ""

    def _find_line(self, number: int) -> str | None:
        found = (source.told_line(self._path, self._cell, number) for source in self._sources)
        return next((line for line in found if line is not None), None)


def _marks_by_place(finding: Finding) -> dict[tuple[str, int | None], list[Mark]]:
    """Return what to point at, by file and cell, the finding's own first."""
    own = Mark(finding.start, finding.end, "", finding.severity, primary=True)
    marks = {(finding.path, finding.cell): [own]}
    for step in (step for step in finding.flow if not step.also):
        marks.setdefault((step.path, step.cell), []).append(Mark(step.start, step.end, step.message))
    return marks


def _table_lines(use: Use, style: Style) -> Iterator[str]:
    """Group by group: the points, or else what happens to each."""
    if use.points is not None:
        yield from _amount_lines(HEADINGS.get(use.kind) or _short_target(use.target), rows(use.points), style)
    elif use.outcomes:
        title = f"{for_instance(use)}{HEADINGS.get(use.kind, 'outcome')}"
        yield from _outcome_lines(title, joined_groups(use.outcomes.items()), style)


def _amount_lines(title: str, amounts: Iterable[tuple[str, str]], style: Style) -> Iterator[str]:
    table = [(style.shown(printable(group)), style.shown(amount)) for group, amount in amounts]
    head = style.shown(printable(title))
    left = max(width(group) for group, _ in (("group", ""), *table))
    right = max(width(amount) for amount in (head, *(amount for _, amount in table)))
    yield style("dim", f"{_pad_text('group', left)}  {_pad_text(head, right, before=True)}")
    for group, amount in table:
        line = f"{_pad_text(group, left)}  {_pad_text(amount, right, before=True)}"
        yield style("strong", line) if group == "gap" else line


def _outcome_lines(title: str, outcomes: Iterable[tuple[str, str]], style: Style) -> Iterator[str]:
    table = [(style.shown(printable(group)), printable(outcome)) for group, outcome in outcomes]
    left = max(width(group) for group in ("group", *(group for group, _ in table)))
    yield style("dim", f"{_pad_text('group', left)}  {title}")
    for group, outcome in table:
        yield f"{_pad_text(group, left)}  {outcome}"


def _pad_text(text: str, cells: int, *, before: bool = False) -> str:
    blank = " " * (cells - width(text))
    return blank + text if before else text + blank


def _note_texts(finding: Finding) -> Iterator[tuple[str, str]]:
    evidence = sorted(finding.use.evidence, key=lambda item: -item.weight)
    reasons = [item.reason for item in evidence if item.weight > 0]
    doubts = [item.reason for item in evidence if item.weight < 0]
    if reasons:
        more = len(reasons) - _MOST_REASONS
        rest = [f"{more} more (--show-uses)"] if more > 0 else []
        yield "evidence", printable("; ".join([*reasons[:_MOST_REASONS], *rest]))
    if doubts:
        yield "evidence against", printable("; ".join(doubts))
    if places := [where(step.path, step.cell, step.start.line) for step in finding.places]:
        yield "also at", some_of(list(dict.fromkeys(places)))
    if finding.use.context.name:
        told = "; ".join(item.reason for item in finding.use.context.evidence)
        yield "context", printable(f"{finding.use.context.name}: {told}")
    for one in finding.unheeded:
        from fairlint.reporters.unheeded import unheeded_clause as unheeded  # noqa: PLC0415 (few runs are untrusted)

        yield "would be suppressed", unheeded(one)
    if finding.advice:
        yield "help", printable(finding.advice)
    yield from fix_notes(finding)
    yield "rule", f"fairlint rule {finding.rule} ({finding.name}, {finding.confidence} confidence)"


def fix_notes(finding: Finding) -> Iterator[tuple[str, str]]:
    """Yield what removes it, and how that is asked for; or what may, where that was not worked out."""
    if finding.fix is not None:
        yield "fix available", printable(f"{finding.fix.title} ({_OPTIONS[finding.fix.applicability]})")
        return
    for remedy in finding.remedies:
        yield "possible fix", printable(f"{remedy.say} ({_OPTIONS[remedy.applicability]})")
