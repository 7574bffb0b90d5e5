"""`fairlint explain`: what fairlint makes of one line, and why it says something or nothing."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fairlint.cli.arguments import COLOR, CONFIGURATION, Command, Option, build_configurations
from fairlint.cli.output import terminal_width, wants_color, wrap_text, write_stdout
from fairlint.reporters import WIDTH
from fairlint.reporters.places import where
from fairlint.reporters.printable import printable, width
from fairlint.reporters.style import Style
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.checking.explain import Explanation, Name
    from fairlint.checking.explained_uses import Account, Reason
    from fairlint.checking.unused_names import Unused
    from fairlint.vocabulary.model import Evidence

_PLACE = re.compile(
    r"(?P<path>.+?)(?::cell ?(?P<cell>[0-9]+))?:(?:line )?(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?:?"
)
_SURE = {"strong": "a sure name", "ambiguous": "an ambiguous name", "proxy": "a proxy"}
_SHAPES = {
    "branch": "by a branch",
    "cutoff": "by a limit",
    "table": "by a table",
    "arithmetic": "in arithmetic",
    "scale": "as a number",
    "filter": "by a filter",
    "sort": "by sorting",
    "read": "",
}
_OWN_COLUMN = re.compile(r" *\S+  +(?=\S)")
_MOST_UNKNOWN = 12
_MOST_STEPS = 8


COMMAND = Command(
    "explain",
    usage="fairlint explain PATH:LINE[:COLUMN] [--format text|json]",
    description="Explain one line: the names in it, the evidence for and against an attribute, the rule\n"
    "that reports it, or why nothing is reported.",
    groups=(
        (
            "options",
            (
                Option(
                    ("--format",),
                    "the output format",
                    takes="FORMAT",
                    choices=("text", "json"),
                    default="text",
                ),
                COLOR,
            ),
        ),
        ("configuration", CONFIGURATION),
    ),
    epilog="examples:\n  fairlint explain hiring/score.py:6\n  fairlint explain hiring/score.c:12:8\n"
    '  fairlint explain "train.ipynb:cell 4:line 7"',
    words=None,
)


def run(arguments: Sequence[str]) -> int:
    """Explain one line."""
    options = COMMAND.parse(arguments)
    # `cell 4:line 7` holds blanks, and nobody thinks of quotes
    place = _parse_place(" ".join(options.words))
    configurations = build_configurations(options, [place.path])
    from fairlint.checking.explain import explain  # noqa: PLC0415 (loads the analysis)

    explanation = explain(
        place.path, place.line, cell=place.cell, column=place.column, settings=configurations
    )
    if options.format == "json":
        from fairlint.reporters.encoding import encode_json  # noqa: PLC0415
        from fairlint.reporters.explanation import document  # noqa: PLC0415

        write_stdout(encode_json(document(explanation)))
        return 0
    columns = min(terminal_width(sys.stdout, WIDTH), WIDTH)
    style = Style(wants_color(options.color, sys.stdout))
    write_stdout(f"{text}\n" for text in _explanation_lines(explanation, style, columns))
    return 0


class _AskedPlace(NamedTuple):
    """The place that is to be explained."""

    path: str
    cell: int | None
    line: int
    column: int | None


def _parse_place(text: str) -> _AskedPlace:
    found = _PLACE.fullmatch(text)
    if found is None:
        example = f"{text.rstrip(':')}:1" if text else "score.py:6"
        raise UsageError(f"explain takes a file and a line, such as {example} (see fairlint explain --help)")
    return _AskedPlace(
        found["path"],
        _optional_number(found["cell"]),
        int(found["line"]),
        _optional_number(found["column"]),
    )


def _optional_number(text: str | None) -> int | None:
    return None if text is None else int(text)


# ----------------------------------------------------------------------------------------------- for people


def _explanation_lines(told: Explanation, style: Style, columns: int) -> Iterator[str]:
    """Yield the line with its names, then what became of each use, then of the names without one."""
    place = where(told.source.path, told.cell, told.line)
    inside = f" in {printable(told.function)}" if told.function else ""
    yield f"{style('strong', place)}{inside}"
    yield from _frame_lines(told, style, columns)
    reported: set[str] = set()
    for account in told.accounts:
        yield ""
        if account.reasons and account.use.attribute in reported:
            text = f"besides, {_use_text(account, told)}: {account.reasons[0].text}"
            yield from _headline_lines("", text, style, columns)
            continue
        reported.add(account.use.attribute)
        yield from _account_lines(account, told, style, columns)
    for unused in told.unused:
        yield ""
        yield from _unused_lines(unused, style, columns)
    for reason in told.reasons:
        if any(unused.reason == reason for unused in told.unused):
            continue
        yield ""
        yield from _lone_reason_lines(reason, told, style, columns)


def _frame_lines(told: Explanation, style: Style, columns: int) -> Iterator[str]:
    """Yield the line, with what is known about the names in it."""
    from fairlint.reporters.frame import Frame, Mark  # noqa: PLC0415 (not for JSON)
    from fairlint.syntax.source import Position  # noqa: PLC0415

    gutter = len(str(told.line))
    bar = style("gutter", f"{'':>{gutter}} |")
    marks = []
    for name in _distinct_names(told.names):
        label = _name_label(name)
        start, end = (told.column_of(at) for at in (name.span.start, name.span.end))
        if label:
            marks.append(Mark(Position(told.line, start), Position(told.line, end), label))
    yield bar
    if marks:
        yield from Frame(lambda _: told.text, marks, style=style, width=columns, gutter=gutter).lines()
    else:
        from fairlint.reporters.printable import row  # noqa: PLC0415

        shown = row(told.text).text.rstrip()
        yield f"{style('gutter', f'{told.line} |')} {shown[: max(columns - gutter - 3, 40)]}".rstrip()
    unknown = list(dict.fromkeys(name.written for name in told.names if not _name_label(name)))
    if unknown:
        rest = [f"{len(unknown) - _MOST_UNKNOWN} more"] if len(unknown) > _MOST_UNKNOWN else []
        text = printable(", ".join([*unknown[:_MOST_UNKNOWN], *rest]))
        yield bar
        yield from _row_lines([("no known name:", text)], style, columns, f"{'':>{gutter}} = ", 1)


def _distinct_names(names: Sequence[Name]) -> Iterator[Name]:
    """Return the names without those in comments and running text that say what the code says too."""
    said = {name.attribute for name in names if name.where in {"code", "text"}}
    return (name for name in names if name.where in {"code", "text"} or name.attribute not in said)


def _name_label(name: Name) -> str:
    """Return what a name is, in few words; empty where nobody knows it."""
    if name.mention is None:
        if not name.attribute:
            return name.reason
        return f"{_attribute_words(name.attribute)}: the group {name.group}"
    place = {"comment": ", in a comment", "prose": ", in running text"}.get(name.where, "")
    if name.group:
        return f"{_attribute_words(name.attribute)}: the group {name.group}{place}"
    return f"{_attribute_words(name.attribute)}: {_SURE[name.mention.strength]}{place}"


def _account_lines(account: Account, told: Explanation, style: Style, columns: int) -> Iterator[str]:
    from fairlint.checking.explained_uses import EFFECTS  # noqa: PLC0415 (loaded long since)

    use, verdict = account.use, account.verdict
    if verdict is None:
        text = account.reasons[0].text
        yield from _headline_lines(
            "", f"no finding for {_attribute_words(use.attribute)}: {text}", style, columns
        )
    else:
        text = verdict.message
        severity = style(verdict.severity, f"{verdict.severity}[{verdict.rule.code}]")
        hidden = f"{style('strong', 'hidden:')} " if account.reasons else ""
        yield from _headline_lines(f"{hidden}{severity}", f": {text}", style, columns)
    rows = [
        ("use", _use_text(account, told)),
        ("effect", f"{use.effect}: {EFFECTS.get(use.effect, use.effect)}"),
        ("groups", _groups_text(account)),
        *_title_rows("way", _flow_lines(account, told)),
        *_evidence_rows(use.evidence),
        *_context_rows(account),
    ]
    if verdict is not None:
        rule = verdict.rule
        rows.append(("rule", f"{rule.code} {rule.name}: {verdict.severity}, {verdict.confidence} confidence"))
        rows.append(("milder", account.milder))
    silent = [reason.text for reason in account.reasons if reason.text != text]
    rows += _title_rows("hidden" if verdict else "besides", silent)
    rows += _title_rows("to do", list(dict.fromkeys(reason.remedy for reason in account.reasons)))
    if verdict is not None and not account.reasons:
        rows.append(("instead", verdict.advice))
    yield from _row_lines(rows, style, columns)


def _headline_lines(before: str, text: str, style: Style, columns: int) -> Iterator[str]:
    """Yield the answer, wrapped; `before` is painted already and never longer than a few words."""
    first, *rest = wrap_text(printable(text), columns - 25 * bool(before))
    yield before + style("strong", first)
    yield from (f"  {style('strong', line)}" for line in rest)


def _use_text(account: Account, told: Explanation) -> str:
    """Return what kind of use it is, and where."""
    use = account.use
    words = [f"{use.kind} of {_attribute_words(use.attribute)}", _SHAPES.get(use.shape, use.shape)]
    if (account.path, account.cell) != (told.source.path, told.cell):
        words.append(f"at {where(account.path, account.cell, account.start.line)}")
    elif not account.start.line <= told.line <= account.end.line:
        words.append(f"in line {account.start.line}")
    words.append(f"({use.domain})" if use.domain else "")
    return " ".join(filter(None, words))


def _groups_text(account: Account) -> str:
    """Return what each group gets, or which groups are named."""
    use = account.use
    if use.points is not None:
        from fairlint.reporters.amounts import rows  # noqa: PLC0415

        return ", ".join(f"{group} {amount}" for group, amount in rows(use.points))
    if use.outcomes:
        return "; ".join(f"{group} → {outcome}" for group, outcome in use.outcomes.items())
    return ", ".join(use.groups)


def _flow_lines(account: Account, told: Explanation) -> list[str]:
    """Return the stations of the value, each with its place."""
    places = []
    for step in account.flow[:_MOST_STEPS]:
        place = f"{step.start.line}:{step.start.column}"
        if (step.path, step.cell) != (told.source.path, told.cell):
            place = f"{where(step.path, step.cell, step.start.line)}:{step.start.column}"
        places.append((place, step.message))
    left = max((len(place) for place, _ in places), default=0)
    more = len(account.flow) - _MOST_STEPS
    return [f"{place:<{left}}  {message}" for place, message in places] + (
        [f"{more} more steps"] if more > 0 else []
    )


def _evidence_rows(evidence: Iterable[Evidence]) -> list[tuple[str, str]]:
    """Return the sum against the thresholds, then each reason with its weight."""
    from fairlint.findings.levels import FULL_WEIGHT, NOTE_WEIGHT  # noqa: PLC0415 (loaded long since)

    items = sorted(evidence, key=lambda item: -item.weight)
    total = sum(item.weight for item in items)
    if total >= FULL_WEIGHT:
        verdict = f"enough ({FULL_WEIGHT} or more)"
    elif total >= NOTE_WEIGHT:
        verdict = f"enough for a note ({NOTE_WEIGHT}), not for more ({FULL_WEIGHT})"
    else:
        verdict = f"too little: a note takes {NOTE_WEIGHT}, more takes {FULL_WEIGHT}"
    lines = [f"{item.weight:+3d}  {item.reason}" for item in items]
    return _title_rows("evidence", [f"{total:3d}  in all, {verdict}", *lines])


def _context_rows(account: Account) -> list[tuple[str, str]]:
    """Return what would have to justify the difference, then each reason to think so with its weight."""
    context = account.use.context
    if not context.name:
        return []
    lines = [f"{item.weight:+3d}  {item.reason}" for item in context.evidence]
    return _title_rows("context", [f"{context.weight:3d}  {context.name}: {context.justification}", *lines])


def _unused_lines(unused: Unused, style: Style, columns: int) -> Iterator[str]:
    name = unused.name
    head = f"no finding for {_attribute_words(name.attribute)}: {unused.reason.text}"
    yield from _headline_lines("", head, style, columns)
    rows = _evidence_rows(unused.evidence) if name.where in {"code", "text"} else []
    yield from _row_lines([*rows, ("to do", unused.reason.remedy)], style, columns)


def _lone_reason_lines(reason: Reason, told: Explanation, style: Style, columns: int) -> Iterator[str]:
    head = "besides" if any(not account.reasons for account in told.accounts) else "no finding"
    yield from _headline_lines("", f"{head}: {reason.text}", style, columns)
    yield from _row_lines([("to do", reason.remedy)], style, columns)


def _attribute_words(attribute: str) -> str:
    return attribute.replace("_", " ")


def _title_rows(title: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    """Rows, the first of which has the title."""
    return [(title if number == 0 else "", text) for number, text in enumerate(texts)]


def _row_lines(
    rows: Iterable[tuple[str, str]], style: Style, columns: int, before: str = "  ", gap: int = 2
) -> Iterator[str]:
    """Titles and texts in two columns, wrapped; rows without text are left out.

    A text that has columns itself (`12:8  gender is read here`) goes on below its last one.
    """
    shown = [(title, printable(text)) for title, text in rows if text]
    left = max((width(title) for title, _ in shown), default=0)
    for title, text in shown:
        own = _OWN_COLUMN.match(text)
        indent = own[0] if own else ""
        room = columns - len(before) - left - gap - width(indent)
        first, *rest = wrap_text(text[len(indent) :], room)
        padding = " " * (left - width(title) + gap)
        margin = style("gutter", before) if before.strip() else before
        yield f"{margin}{style('strong', title)}{padding}{indent}{first}"
        hanging = " " * (len(before) + left + gap + width(indent))
        yield from (f"{hanging}{line}" for line in rest)
