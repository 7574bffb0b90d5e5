"""The prompt at a line of code, as the linter reads it: its messages, its gaps, and what these say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from fairlint.checking.file_result import FileResult
from fairlint.checking.session import Session
from fairlint.config import Configurations, Settings
from fairlint.counterfactual.prompts.cells import NAME, attribute_of, canonical_attribute, is_personal
from fairlint.counterfactual.prompts.templates import Part, Template, Turn, load_template
from fairlint.detectors import Detector
from fairlint.detectors.context import Context
from fairlint.detectors.prompt_wordings import Gap, Wording, wordings
from fairlint.findings.uses import Use
from fairlint.sources.discovery import discover
from fairlint.support.errors import UsageError
from fairlint.support.records import Record
from fairlint.syntax.tree import Span

MOST_NEAR = 5
"""Lines of prompts that a message names."""


_CLOSED = re.compile(rb"[\s,]*\)")


class _Lines(Record):
    """The first and last line of something."""

    first: int
    last: int

    def hold(self, line: int) -> bool:
        return self.first <= line <= self.last


class _Placed(Record):
    """A prompt of the file with the lines that it takes."""

    wording: Wording
    place: _Lines
    """Where it is used."""
    parts: tuple[_Lines, ...]
    """All lines that have to do with it."""
    findings: frozenset[int]
    """Where its findings are."""

    def is_at(self, line: int) -> bool:
        return any(part.hold(line) for part in self.parts)


def load_from_code(path: str, line: int) -> Template:
    """Return the prompt that a finding at this line of a Python file is about, or that has to do with it: a
    line of its text, of what is put into it, or of the call that sends it. Where no finding has to do with
    the line, the text with gaps that stands there.

    Raises UsageError in one line where there is none, more than one, or one that nobody can write out.
    """
    placed = _prompts_of_file(path)
    told = [one for one in placed if one.wording.uses]
    here = [one for one in told if one.is_at(line)]
    if not here:
        try:
            return load_template(f"{path}:{line}")
        except UsageError as error:
            raise UsageError(f"{error}{_near(told, line)}") from None
    chosen = _choose(here, path, line)
    if chosen.wording.unsure:
        raise UsageError(
            f"{path}:{line}: {chosen.wording.unsure}, so the prompt at line {chosen.place.first} cannot be "
            f"filled in: name a function that returns it, as {path}:function"
        )
    return _template_of(chosen, path)


def _near(told: Iterable[_Placed], line: int) -> str:
    """Return where prompts that decide about people are, the nearest first."""
    lines = sorted({min(one.findings) for one in told}, key=lambda number: (abs(number - line), number))
    if not lines:
        return "; fairlint found no prompt with gaps in the file that decides about people"
    shown = ", ".join(map(str, lines[:MOST_NEAR]))
    return f"; prompts that decide about people are at line {shown}"


def _choose(here: Sequence[_Placed], path: str, line: int) -> _Placed:
    """Return the whole prompt, as it is sent, of which the line is a part."""
    sent = [one for one in here if one.wording.is_sent]
    calls = [one for one in sent if one.place.hold(line)]
    several = calls or sent or list(here)
    chosen = max(several, key=lambda one: (one.wording.asks_model, len(one.wording.flat.strip())))
    others = {
        one.place.first
        for one in several
        if one.wording.flat.strip() not in chosen.wording.flat and one.place.first != chosen.place.first
    }
    if others:
        lines = ", ".join(map(str, sorted({chosen.place.first, *others})))
        raise UsageError(f"{path}:{line}: several prompts hold this line: name one of the lines {lines}")
    return chosen


def _prompts_of_file(path: str) -> list[_Placed]:
    """Return all texts with gaps of a file."""
    found: list[_Placed] = []

    def note(context: Context) -> Iterator[Use]:
        found.extend(_placed_wordings(context, context.source.path))
        return iter(())

    checker = Session(Configurations.of_settings(Settings(min_severity="note")), in_project=True).of_file(
        path
    )
    checker.detectors = (*checker.detectors, Detector("prompt-wordings", observe_file=note))
    files = discover([path], checker.settings, checker.languages.values()).files
    for file in files:
        pending = checker.read(file)
        if not isinstance(pending, FileResult):
            checker.analyse(pending)
    return found


def _placed_wordings(context: Context, path: str) -> Iterator[_Placed]:
    place = context.source.place
    for wording in wordings(context):
        if place(wording.place.start).path != path:
            continue
        own = [_lines_of(span, context) for span in wording.spans if place(span.start).path == path]
        findings = frozenset(place(use.span.start).position.line for use in wording.uses)
        yield _Placed(wording, _lines_of(wording.place, context), tuple(own), findings)


def _lines_of(span: Span, context: Context) -> _Lines:
    """Return the lines of a stretch of code with the brackets around it."""
    data, place = context.source.data, context.source.place
    before = data[: span.start].rstrip()
    if not before.endswith(b"("):
        return _Lines(place(span.start).position.line, place(span.end).position.line)
    closed = _CLOSED.match(data, span.end)
    end = span.end if closed is None else closed.end()
    return _Lines(place(len(before) - 1).position.line, place(end).position.line)


def _owner(name: str) -> str:
    """Return whose field a gap holds: `applicant` of `applicant.name`; empty where it is nobody's."""
    first, dot, _ = name.partition(".")
    return first if dot else ""


def _is_of_others(name: str, owners: set[str]) -> bool:
    """Return whether a gap says a name or title of something else than those whose attributes the prompt
    holds: a company's name, a job's title.
    """
    owner = _owner(name)
    return bool(owner and owners) and not {"", owner} & owners and is_personal(name)


def _template_of(placed: _Placed, path: str) -> Template:
    gaps = [part for message in placed.wording.messages for part in message.parts if isinstance(part, Gap)]
    owners = {_owner(gap.name) for gap in gaps if gap.attributes not in {(), (NAME,)}}
    known: dict[str, str] = {}
    names: dict[Gap, str] = {}
    for gap in gaps:
        if len(gap.attributes) > 1:
            raise UsageError(
                f"{path}:{placed.place.first}: {{{gap.name}}} holds {', '.join(gap.attributes)} at once: "
                f"name a function that returns the prompt, as {path}:function"
            )
        names[gap] = gap.name
        if gap.attributes in {(NAME,), ()} and _is_of_others(gap.name, owners):
            known[gap.name] = ""
        elif gap.attributes:
            attribute = canonical_attribute(gap.attributes[0])
            if attribute not in {NAME, attribute_of(gap.name)}:
                names[gap] = attribute
            known[names[gap]] = attribute
    turns = tuple(
        Turn(
            message.role,
            tuple(
                Part(part) if isinstance(part, str) else Part(names[part], is_placeholder=True)
                for part in message.parts
            ),
        )
        for message in placed.wording.messages
    )
    return Template(path, min(placed.findings), turns, placed.place.last, known, frozenset(placed.findings))
