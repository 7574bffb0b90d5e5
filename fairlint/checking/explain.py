"""Why a line is told about, or why not: the names on it, the Uses that touch it, and what became of them.

This goes the way of a run once more, for one line, and keeps what a run throws away.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from fairlint.checking.checker import Checker
from fairlint.checking.file_result import Candidate, FileResult
from fairlint.checking.selection import is_too_mild, is_too_unsure, matches_any_name
from fairlint.checking.session import Session
from fairlint.config import Configurations, Settings
from fairlint.findings.finding import FlowStep
from fairlint.findings.levels import FULL_WEIGHT, NOTE_WEIGHT, Severity
from fairlint.findings.report import Suppressed
from fairlint.findings.uses import BY_LAW, SPOKEN_FOR
from fairlint.rules.judging import (
    BY_ANSWER,
    MILD_TAGS,
    SILENT_EFFECTS,
    Verdict,
    judge,
)
from fairlint.semantics.names.named import Name, names_between
from fairlint.sources.discovery import NOTEBOOK, File, discover
from fairlint.sources.reading import to_utf8
from fairlint.support.causes import BROKEN
from fairlint.support.errors import UsageError
from fairlint.support.files import MAX_FILE_SIZE, NotReadableError, read_file
from fairlint.support.records import Record, replace
from fairlint.syntax.depth import deep_calls
from fairlint.syntax.source import Place, Position, Source
from fairlint.syntax.tree import Span

__all__ = [
    "EFFECTS", "REMEDIES", "TAGS", "Account", "Explanation", "Name", "Reason", "Unused", "explain",
    "verdict_and_reasons",
]  # fmt: skip

if TYPE_CHECKING:
    from fairlint.detectors.context import Context
    from fairlint.findings.uses import Use
    from fairlint.vocabulary.model import Evidence

EFFECTS: Mapping[str, str] = {
    "decide": "a person's outcome depends on it",
    "score": "a person's score depends on it",
    "learn": "a model learns from it",
    "assume": "it is assumed where it was not given",
    "test": "tests are made of it",
    "show": "it is shown, counted, or given to code that fairlint does not know",
    "check": "it is checked",
    "store": "it is kept or passed on",
    "none": "nothing is seen to depend on it",
}
"""What comes of a use, in words."""
TAGS: Mapping[str, str] = {
    "explains": "the formula explains something that is neither granted nor judged",
    "unnamed": "nothing says with which groups it is compared",
    "by-shape": "no name or text calls what the groups get an outcome",
    BY_ANSWER: "nothing but an answer, or an amount that nobody knows, tells the groups apart",
}

_NAME_IT = "where a name here means a protected attribute, add it to `strong` under [attributes.NAME]"
REMEDIES: Mapping[str, str] = {
    "gap": "make it readable; the rest of the file is checked",
    "comment": "nothing: comments and running text decide nothing",
    "no-name": _NAME_IT,
    "no-hit": _NAME_IT,
    "not-lowered": _NAME_IT,
    "no-use": "nothing, unless an outcome, a score or a model depends on it, here or in other code",
    "effect": "nothing, unless an outcome or a score depends on it, here or in other code",
    "lawful": "where no law sets it, `lawful-ages` says which limits are lawful",
    "weight": "where a person is meant, let the names say so (`applicant.{attribute}`); else nothing",
    "spoken-for": "fairlint explain {path}:{line}",
    "no-rule": "no rule is about such a use; if it changes an outcome or a score, look at what depends on it",
    "jurisdiction": "--jurisdiction all counts what any law names",
    "domain": "--domain says what the code is used for",
    "select": "take {rule} into `select`",
    "ignore": "take {rule} out of `ignore`",
    "per-file-ignores": "take {rule} out of `per-file-ignores` for this path",
    "min-severity": "--min-severity {severity} shows it",
    "min-confidence": "--min-confidence {confidence} shows it",
    "suppressed": "--no-suppressions tells it",
    "excluded": "name the file, or change `exclude`",
}
"""Code of a reason → what one could do."""


class Reason(Record):
    """Why nothing is reported: a short code for programs, the reason, and what one could do."""

    code: str
    text: str
    remedy: str


class Account(Record):
    """A Use that touches the line, and what became of it."""

    use: Use
    path: str
    cell: int | None
    start: Position
    end: Position
    flow: tuple[FlowStep, ...]
    verdict: Verdict | None
    """What the rule says that judges the use."""
    reasons: tuple[Reason, ...]
    """Why there is no finding; empty where there is one."""
    milder: str
    """Why the severity is not the rule's own."""


class Unused(Record):
    """A protected name on which no Use hangs, and how far it speaks for a person."""

    name: Name
    evidence: tuple[Evidence, ...]
    reason: Reason

    @property
    def weight(self) -> int:
        """The sum of the evidence."""
        return sum(item.weight for item in self.evidence)


class Explanation(Record):
    """All that is to be told about one line."""

    source: Source
    cell: int | None
    line: int
    column: int | None
    text: str
    function: str
    names: tuple[Name, ...]
    accounts: tuple[Account, ...]
    unused: tuple[Unused, ...]
    reasons: tuple[Reason, ...]
    """What concerns the whole line: not analysed, nothing named, left out by the settings."""
    nearest: int | None
    """Where nothing is named here: the nearest line, of this cell, that names something."""

    def column_of(self, offset: int) -> int:
        """The column of a place on the line; a text of several lines ends with the line."""
        position = self.source.place(offset).position
        if position.line == self.line:
            return position.column
        length = len(self.text)
        return length + 1 if position.line > self.line else length - len(self.text.lstrip()) + 1


class _Line(Record):
    """The line that is asked about."""

    source: Source
    cell: int | None
    number: int
    column: int | None
    span: Span

    def touches(self, start: Place, end: Position) -> bool:
        """Whether a stretch stands on the line or around it."""
        here = (start.path, start.cell) == (self.source.path, self.cell)
        return here and start.position.line <= self.number <= end.line

    def holds_column(self, start: Place, end: Position) -> bool:
        """Whether a stretch that touches the line covers the column."""
        column = self.column or 0
        return (start.position.line, start.position.column) <= (self.number, column) < (end.line, end.column)


def explain(
    path: str,
    line: int,
    *,
    cell: int | None = None,
    column: int | None = None,
    settings: Settings | Configurations,
) -> Explanation:
    """Everything about one line of a file. What is not there is a UsageError.

    `cell` is the cell's place in a notebook, as reports name it. With a `column`, Uses that do not cover it
    are left out where others do.
    """
    if isinstance(settings, Settings):
        settings = Configurations.of_settings(settings)
    checker = Session(settings, in_project=True).of_file(path)
    file = _discover_file(path, checker)
    source = _load_source(file, checker)
    asked = _locate_line(source, cell, line, column)
    pending = checker.read(file)
    hits: Sequence[int] = ()
    checked = pending if isinstance(pending, FileResult) else checker.analyse(pending)
    if broken := [gap.reason for gap in checked.not_analysed if gap.cause in BROKEN]:
        raise UsageError(f"{checked.path}: {broken[0]}")
    if isinstance(pending, Candidate):
        hits = pending.hits
    accounts = _accounts_of_line(asked, checked, checker, source)
    parsed = _Parsed(checker, source, pending, asked) if isinstance(pending, Candidate) else None
    if parsed is not None:
        accounts = tuple(_with_names(account, parsed) for account in accounts)
    seen = {account.use.attribute for account in accounts}
    language = checker.languages.get(source.language or "")
    tokens = language.tokens if language is not None else None
    names = names_between(source, asked.span, hits, checker.vocabulary, sorted(seen), tokens=tokens)
    reasons = list(_gap_reasons(asked, checked, parsed))
    unused = tuple(_describe_unused_name(name, names, parsed, checker) for name in _without_use(names, seen))
    if reasons:
        unused = tuple(replace(one, reason=reasons[0]) for one in unused)
    nearest = None
    if not accounts and not unused:
        nearest = _nearest_named_line(asked, hits)
        if not reasons:
            reasons.append(_reason_without_name(names, hits, nearest, parsed))
    if _is_excluded_file(path, checker):
        reasons.append(_make_reason("excluded", "a run over the folder leaves this file out (`exclude`)"))
    return Explanation(
        source,
        cell,
        line,
        column,
        _text_of_line(source, asked),
        parsed.function if parsed else "",
        tuple(names),
        accounts,
        unused,
        tuple(reasons),
        nearest,
    )


def _make_reason(code: str, text: str, **facts: object) -> Reason:
    return Reason(code, text, REMEDIES[code].format(**facts))


# ------------------------------------------------------------------------------------------------- the line


def _discover_file(path: str, checker: Checker) -> File:
    """The one file of that path."""
    if os.path.isdir(path):  # noqa: PTH112 (paths are plain texts up to here)
        raise UsageError(f"{path}: is a folder; explain takes a file and a line")
    found = discover([path], replace(checker.settings, force_exclude=False), checker.languages.values())
    return found.files[0]


def _is_excluded_file(path: str, checker: Checker) -> bool:
    assert checker.crew is not None
    settings = checker.crew.configurations.changed(force_exclude=True)
    found = discover([path], settings, checker.languages.values())
    return not found.files


def _load_source(file: File, checker: Checker) -> Source:
    """The code of a file, also where nothing in it is mentioned."""
    limit = checker.settings.max_file_size
    try:
        if file.language != NOTEBOOK:
            language = checker.languages.get(file.language)
            return Source(
                file.shown,
                to_utf8(read_file(file.path, limit, setting=MAX_FILE_SIZE), language),
                file.language,
            )
        from fairlint.sources.notebooks import OUTPUTS_SHARE, read_notebook  # noqa: PLC0415 (few ask for one)

        data = to_utf8(read_file(file.path, limit * OUTPUTS_SHARE, setting=MAX_FILE_SIZE))
        settings = checker.settings
        return read_notebook(
            file.shown,
            data,
            limit,
            checker.languages.values(),
            settings.file_nesting,
            is_trusted=not settings.untrusted,
        )
    except NotReadableError as error:
        raise UsageError(f"{file.shown}: {error}") from None


def _locate_line(source: Source, cell: int | None, line: int, column: int | None) -> _Line:
    """The place of a line; a UsageError where there is no such place."""
    start, end, what = 0, len(source.data), "file"
    if source.parts:
        start, end = _bounds_of_cell(source, cell, line)
        what = f"cell {cell}"
    elif cell is not None:
        raise UsageError(f"{source.path}: is no notebook and has no cells")
    starts = [at for at in source.line_starts if start <= at < end]
    if not 1 <= line <= len(starts):
        lines = "1 line" if len(starts) == 1 else f"{len(starts)} lines"
        raise UsageError(f"{source.path}: {what} has {lines}, so there is no line {line}")
    after = starts[line] if line < len(starts) else end
    asked = _Line(source, cell, line, column, Span(starts[line - 1], after))
    if column is not None and not 1 <= column <= len(_text_of_line(source, asked)) + 1:
        raise UsageError(
            f"{source.path}: line {line} has {len(_text_of_line(source, asked))} columns, not {column}"
        )
    return asked


def _bounds_of_cell(source: Source, cell: int | None, line: int) -> tuple[int, int]:
    """Where a cell's code begins and ends."""
    if cell is None:
        first = source.parts[0].cell
        raise UsageError(f"{source.path}: is a notebook; say which cell: {source.path}:cell {first}:{line}")
    ends = [*(part.start for part in source.parts[1:]), len(source.data)]
    for part, end in zip(source.parts, ends, strict=True):
        if part.cell == cell:
            return part.start, end
    last = source.parts[-1].cell
    raise UsageError(f"{source.path}: cell {cell} holds no code; the last cell that does is {last}")


def _text_of_line(source: Source, asked: _Line) -> str:
    return source.told_line(source.path, asked.cell, asked.number) or ""


# ------------------------------------------------------------------------------------------------- the Uses


def _accounts_of_line(
    asked: _Line, checked: FileResult, checker: Checker, source: Source
) -> tuple[Account, ...]:
    """The Uses that touch the line, findings first, then in the order of the code."""
    told = checked.source or source
    uses = [*checked.uses, *(use for _, use in checked.elsewhere)]
    touching = [use for use in uses if any(_touch_flags(use, asked, told))]
    if asked.column is not None:
        narrow = [use for use in touching if any(_touch_flags(use, asked, told, in_column=True))]
        touching = narrow or touching
    aside = {id(one.finding.use): one for one in checked.suppressed}
    accounts = [_account_of_use(use, uses, told, checker, aside.get(id(use))) for use in touching]
    accounts.sort(key=lambda account: (bool(account.reasons), account.start.line != asked.number))
    return tuple(accounts)


def _touch_flags(use: Use, asked: _Line, told: Source, *, in_column: bool = False) -> Iterator[bool]:
    for span in (use.span, *(step.span for step in use.flow)):
        start, end = _start_and_end(told, span)
        touches = asked.touches(start, _last_position(start.position, end))
        yield touches and (not in_column or asked.holds_column(start, end))


def _last_position(start: Position, end: Position) -> Position:
    """The end, or the line before where it is a line's very beginning."""
    return Position(end.line - 1, end.column) if end.column == 1 and end.line > start.line else end


def _start_and_end(told: Source, span: Span) -> tuple[Place, Position]:
    """Where a span begins, and its end as lines of the same file or cell count."""
    place = told.place(span.start)
    last = told.place(max(span.end - 1, span.start))
    if (last.path, last.cell) != (place.path, place.cell):
        return place, place.position
    end = told.place(span.end)
    if (end.path, end.cell) != (place.path, place.cell):
        return place, Position(last.position.line, last.position.column + 1)
    return place, end.position


def _account_of_use(
    use: Use, uses: Sequence[Use], told: Source, checker: Checker, aside: Suppressed | None
) -> Account:
    start, end = _start_and_end(told, use.span)
    verdict, reasons = verdict_and_reasons(use, uses, told, checker)
    if aside is not None:
        why = aside.reason or "it gives no reason"
        reasons.append(_make_reason("suppressed", f"the comment in line {aside.line} suppresses it: {why}"))
    flow = []
    for step in use.flow:
        place, behind = _start_and_end(told, step.span)
        flow.append(FlowStep(place.path, place.position, behind, step.message, place.cell))
    milder = _why_milder(use, verdict) if verdict else ""
    return Account(
        use, start.path, start.cell, start.position, end, tuple(flow), verdict, tuple(reasons), milder
    )


def _with_names(account: Account, parsed: _Parsed) -> Account:
    """The account, where no outcome is seen with the names in the code that may stand for one."""
    if not any(reason.code == "effect" for reason in account.reasons):
        return account
    from fairlint.detectors.unseen_outcomes import remedy, unseen  # noqa: PLC0415 (loads the analysis)

    named = remedy(unseen(account.use, parsed.context()))
    reasons = (
        replace(one, remedy=named) if named and one.code == "effect" else one for one in account.reasons
    )
    return replace(account, reasons=tuple(reasons))


def verdict_and_reasons(
    use: Use, uses: Sequence[Use], told: Source, checker: Checker
) -> tuple[Verdict | None, list[Reason]]:
    """What becomes of a Use: the verdict, and all reasons why it is not reported, the first one first."""
    path = told.place(use.span.start).path
    if path != told.path:
        checker = checker.at(path)
    reasons = [*_protection_reasons(use.attribute, use.domain, checker), *_why_silent(use, uses, told)]
    if reasons:
        return None, reasons
    verdict = judge(use, checker.rules, law=checker.settings.law)
    if verdict is None:
        return None, [_make_reason("no-rule", "no rule is about such a use")]
    return verdict, [*_filter_reasons(verdict, path, checker)]


def _protection_reasons(attribute: str, domain: str, checker: Checker) -> Iterator[Reason]:
    settings, protected_in = checker.settings, checker.vocabulary.protected_in
    words = attribute.replace("_", " ")
    if not protected_in(attribute, settings.law):
        text = f"no law of `{settings.law}` names {words} (the setting jurisdiction)"
        yield _make_reason("jurisdiction", text)
    elif settings.domain != "all":
        if not protected_in(attribute, settings.law, settings.domain):
            text = f"{words} is a lawful factor in {settings.domain} (the setting domain)"
            yield _make_reason("domain", text)
    elif not any(protected_in(attribute, settings.law, place) for place in (domain, "")):
        about = f"this code is about {domain}" if domain else "nothing here says what the code is for"
        yield _make_reason("domain", f"{words} is barred in some fields only, and {about}")


def _why_silent(use: Use, uses: Sequence[Use], told: Source) -> Iterator[Reason]:
    """Why no rule is asked about a Use."""
    if BY_LAW in use.tags and use.effect in SILENT_EFFECTS:
        yield _make_reason(
            "lawful", f"a limit of {use.attribute.replace('_', ' ')} that the law itself sets decides here"
        )
    elif use.effect in SILENT_EFFECTS:
        yield _make_reason("effect", "fairlint sees no outcome or score that depends on it")
    if use.weight < NOTE_WEIGHT:
        text = f"too little evidence of a person: {use.weight}, and a note takes {NOTE_WEIGHT}"
        yield _make_reason("weight", text, attribute=use.attribute)
    if SPOKEN_FOR in use.tags:
        speaker = _find_speaker(use, uses)
        place = told.place((speaker or use).span.start)
        named = speaker.attribute.replace("_", " ") if speaker else "another attribute"
        line = place.position.line
        path = place.path if place.cell is None else f"{place.path}:cell {place.cell}"
        if use.kind == "prompt":
            text = f"it is part of the prompt that is reported in line {line}"
        else:
            text = f"it is tested together with {named}, whose finding (line {line}) speaks for both"
        yield _make_reason("spoken-for", text, path=path, line=line)


def _find_speaker(use: Use, uses: Iterable[Use]) -> Use | None:
    """The Use that speaks for another one: the nearest that names its attribute as joined; of a prompt, which
    may be put together in another function, also the nearest of its own.
    """
    if use.kind == "prompt":
        prompts = (other for other in uses if other.kind == "prompt" and SPOKEN_FOR not in other.tags)
        speakers = [other for other in prompts if use.attribute in (other.attribute, *other.joined)]
    else:
        speakers = [one for one in uses if use.attribute in one.joined and one.function == use.function]
    return min(speakers, key=lambda other: abs(other.span.start - use.span.start), default=None)


def _filter_reasons(verdict: Verdict, path: str, checker: Checker) -> Iterator[Reason]:
    """Which settings keep a finding out of the report."""
    settings, rule = checker.settings, verdict.rule
    if settings.select and not matches_any_name(rule, settings.select):
        yield _make_reason("select", f"`select` leaves {rule.code} out", rule=rule.code)
    if matches_any_name(rule, settings.ignore):
        yield _make_reason("ignore", f"`ignore` names {rule.code}", rule=rule.code)
    if any(
        patterns.match(path) and matches_any_name(rule, names) for patterns, names in checker.per_file_ignores
    ):
        yield _make_reason("per-file-ignores", f"`per-file-ignores` names {rule.code} for it", rule=rule.code)
    if is_too_unsure(verdict, settings):
        text = (
            f"a confidence of {verdict.confidence} is less than `min-confidence` ({settings.min_confidence})"
        )
        yield _make_reason("min-confidence", text, confidence=verdict.confidence)
    if is_too_mild(verdict, settings):
        text = f"a {verdict.severity} is milder than `min-severity` ({settings.min_severity})"
        yield _make_reason("min-severity", text, severity=verdict.severity)


def _why_milder(use: Use, verdict: Verdict) -> str:
    """Why a verdict is a note where its rule says more."""
    own: Severity = verdict.rule.severity
    if verdict.severity == own:
        return ""
    telling = MILD_TAGS if verdict.severity == "note" else {BY_ANSWER}
    why = [TAGS.get(tag, f"the code is tagged {tag}") for tag in sorted(use.tags & telling)]
    if use.context.name:
        why.insert(0, f"its context is {use.context.name} ({use.context.weight})")
    if use.weight < FULL_WEIGHT:
        why.insert(0, f"{use.weight} speaks for a person, and {own} takes {FULL_WEIGHT}")
    told = "; ".join(why) or f"{verdict.rule.code} is no more than that for a use of this kind"
    return f"a {verdict.severity}, not {own}: {told}"


# ------------------------------------------------------------------------------- names on which nothing hangs


class _Parsed:
    """The source parsed once more, with what the parser was told to leave out."""

    def __init__(self, checker: Checker, source: Source, pending: Candidate, asked: _Line) -> None:
        from fairlint.search.function_outline import keep_relevant  # noqa: PLC0415 (only files that mention something)

        self._checker = checker
        self._source = source
        self._asked = asked
        self._context: Context | None = None
        around: list[tuple[int, int, str, bool]] = []
        used = pending.links.uses if pending.links else ()
        language = checker.languages[source.language or ""]
        is_relevant = keep_relevant(source.data, language, sorted((*pending.hits, *used)))

        def keep(start: int, end: int, name: str) -> bool:
            kept = is_relevant(start, end, name)
            if start < asked.span.end and asked.span.start < end:
                around.append((start - end, start, name, kept))
            return kept

        with deep_calls(checker.settings.file_nesting):
            parse = language.tree
            self.tree = parse(source.data, keep)
            if len(source.parts) > 1:
                from fairlint.checking.parsing import parse_cells  # noqa: PLC0415 (few sources are notebooks)

                self.tree = parse_cells(source, self.tree, parse, keep)
        innermost = max(around, default=None)
        self.function = innermost[2] if innermost else ""
        """The function around the line."""
        self.is_lowered = innermost is None or innermost[3]
        """Whether that function was looked into."""

    def context(self) -> Context:
        """The file, executed."""
        if self._context is None:
            from fairlint.detectors.context import Context  # noqa: PLC0415 (few lines need it)
            from fairlint.semantics.execution import execute  # noqa: PLC0415 (as above)

            checker = self._checker
            with deep_calls(checker.settings.file_nesting):
                steps = checker.settings.file_steps
                execution = execute(self._source, self.tree, checker.vocabulary, checker.models, steps)
                self._context = Context(execution, checker.settings)
        return self._context

    def gaps(self) -> Iterator[str]:
        """Why the line could not be read."""
        for gap in (*self._source.gaps, *self.tree.gaps):
            start, end = _start_and_end(self._source, gap.span)
            if self._asked.touches(start, _last_position(start.position, end)):
                yield gap.reason


def _gap_reasons(asked: _Line, checked: FileResult, parsed: _Parsed | None) -> Iterator[Reason]:
    """What of the line could not be analysed."""
    told = [
        gap.reason
        for gap in checked.not_analysed
        if (gap.path, gap.cell, gap.line) == (asked.source.path, asked.cell, asked.number)
        or gap.cause == "plugin"
    ]
    for reason in dict.fromkeys((*(parsed.gaps() if parsed else ()), *told)):
        yield _make_reason("gap", f"not analysed: {reason}")


def _without_use(names: Iterable[Name], seen: set[str]) -> Iterator[Name]:
    """The names of attributes that no Use on the line is about, each attribute once, code before talk."""
    order = {"code": 0, "text": 1, "prose": 2, "comment": 3}
    told = set(seen)
    for name in sorted(names, key=lambda name: order[name.where]):
        if name.mention is None or name.attribute in told or (told and name.where in {"prose", "comment"}):
            continue
        told.add(name.attribute)
        yield name


def _describe_unused_name(
    name: Name, names: Sequence[Name], parsed: _Parsed | None, checker: Checker
) -> Unused:
    """What is known about a name on which nothing hangs."""
    if name.where in {"comment", "prose"} or parsed is None or name.mention is None:
        place = "a comment" if name.where == "comment" else "running text that is no code"
        return Unused(name, (), _make_reason("comment", f"it is in {place}"))
    from fairlint.detectors.context import MOST_TO_COME  # noqa: PLC0415 (loads the analysis)

    context = parsed.context()
    function = context.function_at(name.span)
    values = tuple(one.written for one in names if one.mention is None and one.attribute == name.attribute)
    around = context.around(name.mention, function, values, receiver=name.receiver)
    evidence = checker.vocabulary.weigh(name.mention, around)
    weight = sum(item.weight for item in evidence)
    domain = checker.vocabulary.domain_of(around)
    if unprotected := next(_protection_reasons(name.attribute, domain, checker), None):
        return Unused(name, evidence, unprotected)
    if weight + MOST_TO_COME < NOTE_WEIGHT:
        text = f"too little evidence of a person: {weight}, and its uses add {MOST_TO_COME} at most"
        return Unused(name, evidence, _make_reason("weight", text, attribute=name.attribute))
    return Unused(
        name,
        evidence,
        _make_reason("no-use", "fairlint sees no outcome, score, feature or filter that depends on it here"),
    )


# -------------------------------------------------------------------------------------- nothing is named here


def _nearest_named_line(asked: _Line, hits: Sequence[int]) -> int | None:
    """The nearest line of the file or cell on which something is named; of two, the one above."""
    lines = set()
    for hit in hits:
        place = asked.source.place(hit)
        if place.cell == asked.cell:
            lines.add(place.position.line)
    return min(lines, key=lambda line: (abs(line - asked.number), line), default=None)


def _reason_without_name(
    names: Iterable[Name], hits: Sequence[int], nearest: int | None, parsed: _Parsed | None
) -> Reason:
    if any(name.attribute for name in names):
        return _make_reason("no-use", "a group is named here, and no use of it is seen")
    if not hits:
        text = "no name in this file is a known protected attribute"
        return _make_reason("no-hit", text if parsed else f"{text}, so it was not parsed")
    if nearest is None:
        text = "no name in this cell is a known protected attribute"
    else:
        text = f"no name here is a known protected attribute; the nearest one is in line {nearest}"
    if parsed is not None and not parsed.is_lowered:
        return _make_reason("not-lowered", f"{text}, so `{parsed.function}` was not looked into")
    return _make_reason("no-name", text)
