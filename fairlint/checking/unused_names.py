"""Names on which nothing hangs, on a line that is asked about, and lines that name nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from fairlint.checking.checker import Checker
from fairlint.checking.explained_line import Line
from fairlint.checking.explained_uses import Reason, make_reason, protection_reasons
from fairlint.checking.file_result import FileResult
from fairlint.checking.reparsed_source import Parsed
from fairlint.findings.levels import NOTE_WEIGHT
from fairlint.semantics.names.named import Name
from fairlint.support.records import Record

if TYPE_CHECKING:
    from fairlint.vocabulary.model import Evidence


class Unused(Record):
    """A protected name on which no Use hangs, and how far it speaks for a person."""

    name: Name
    evidence: tuple[Evidence, ...]
    reason: Reason

    @property
    def weight(self) -> int:
        """The sum of the evidence."""
        return sum(item.weight for item in self.evidence)


def gap_reasons(asked: Line, checked: FileResult, parsed: Parsed | None) -> Iterator[Reason]:
    """Yield what of the line could not be analysed."""
    told = [
        gap.reason
        for gap in checked.not_analysed
        if (gap.path, gap.cell, gap.line) == (asked.source.path, asked.cell, asked.number)
        or gap.cause == "plugin"
    ]
    for reason in dict.fromkeys((*(parsed.gaps() if parsed else ()), *told)):
        yield make_reason("gap", f"not analysed: {reason}")


def without_use(names: Iterable[Name], seen: set[str]) -> Iterator[Name]:
    """Yield the names of attributes that no Use on the line is about, each attribute once, code
    before talk.
    """
    order = {"code": 0, "text": 1, "prose": 2, "comment": 3}
    told = set(seen)
    for name in sorted(names, key=lambda name: order[name.where]):
        if name.mention is None or name.attribute in told or (told and name.where in {"prose", "comment"}):
            continue
        told.add(name.attribute)
        yield name


def describe_unused_name(
    name: Name, names: Sequence[Name], parsed: Parsed | None, checker: Checker
) -> Unused:
    """Return what is known about a name on which nothing hangs."""
    if name.where in {"comment", "prose"} or parsed is None or name.mention is None:
        place = "a comment" if name.where == "comment" else "running text that is no code"
        return Unused(name, (), make_reason("comment", f"it is in {place}"))
    from fairlint.detectors.context import MOST_TO_COME  # noqa: PLC0415 (loads the analysis)

    context = parsed.context()
    function = context.function_at(name.span)
    values = tuple(one.written for one in names if one.mention is None and one.attribute == name.attribute)
    around = context.around(name.mention, function, values, receiver=name.receiver)
    evidence = checker.vocabulary.weigh(name.mention, around)
    weight = sum(item.weight for item in evidence)
    domain = checker.vocabulary.domain_of(around)
    if unprotected := next(protection_reasons(name.attribute, domain, checker), None):
        return Unused(name, evidence, unprotected)
    if weight + MOST_TO_COME < NOTE_WEIGHT:
        text = f"too little evidence of a person: {weight}, and its uses add {MOST_TO_COME} at most"
        return Unused(name, evidence, make_reason("weight", text, attribute=name.attribute))
    return Unused(
        name,
        evidence,
        make_reason("no-use", "fairlint sees no outcome, score, feature or filter that depends on it here"),
    )


def reason_without_name(
    names: Iterable[Name], hits: Sequence[int], nearest: int | None, parsed: Parsed | None
) -> Reason:
    """Return why nothing is reported on a line that names nothing."""
    if any(name.attribute for name in names):
        return make_reason("no-use", "a group is named here, and no use of it is seen")
    if not hits:
        text = "no name in this file is a known protected attribute"
        return make_reason("no-hit", text if parsed else f"{text}, so it was not parsed")
    if nearest is None:
        text = "no name in this cell is a known protected attribute"
    else:
        text = f"no name here is a known protected attribute; the nearest one is in line {nearest}"
    if parsed is not None and not parsed.is_lowered:
        return make_reason("not-lowered", f"{text}, so `{parsed.function}` was not looked into")
    return make_reason("no-name", text)
