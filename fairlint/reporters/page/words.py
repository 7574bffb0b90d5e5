"""What the page says in sentences, for readers who do not program."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fairlint.findings.finding import Finding
from fairlint.findings.levels import SEVERITIES
from fairlint.findings.report import Report
from fairlint.reporters.summary import count_with_noun as _counted
from fairlint.reporters.summary import left_out_files, wholly_changed_sentence
from fairlint.reporters.unheeded import paths
from fairlint.sources.unread import counted_kinds

SEVERITY: Mapping[str, str] = {
    "error": "a decision, a score or a label in the code depends on a protected attribute itself",
    "warning": "a protected attribute can change an outcome in a less direct way: as a feature of a model, "
    "as an age limit, in a query or a prompt, or through a proxy. Suppression comments that need attention "
    "are warnings, too",
    "note": "a weaker sign, or code whose context often gives a reason for a difference",
}
CONTEXT: Mapping[str, str] = {
    "lawful": "a statute or the rules of the field",
    "clinical": "medicine",
    "actuarial": "an insurer’s statistics and the law on their use",
    "simulation": "what is to be learnt from simulated people",
    "test": "what is tested",
    "demonstration": "what it demonstrates",
    "audit": "the audit that it is part of",
}
"""What a difference needs a justification by, by its context."""
MOST_NAMED = 4
"""Attributes that the first sentence names; those of errors are all named."""
MOST_FILES = 3
"""Files not read that the first warning names."""
UNNAMED = "comments for fairlint"
"""Findings that are about no attribute."""


def name(text: str) -> str:
    """Return an attribute, a group or a rule as people write it.

    >>> name("marital_status"), name("points-by-group")
    ('marital status', 'points by group')
    """
    return text.replace("_", " ").replace("-", " ") if text.isascii() and text.islower() else text


def count(number: int) -> str:
    """Return a number in groups of three digits.

    >>> count(12345) == "12\\u202f345"
    True
    """
    return f"{number:,}".replace(",", "\u202f")


def count_with_noun(number: int, noun: str) -> str:
    """Return a number of things: `1 file`, `2 files`."""
    return _counted(number, noun).replace(str(number), count(number), 1)


def join_phrase(parts: Sequence[str]) -> str:
    """Return some things in one phrase.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def attributes(findings: Sequence[Finding]) -> list[tuple[str, int]]:
    """Attributes with the number of findings that are about them, the most frequent first."""
    told = Counter(one for finding in findings for one in finding.use.attributes or (UNNAMED,))
    return sorted(told.items(), key=lambda one: (-one[1], one[0]))


def first_in(findings: Sequence[Finding], severity: str) -> list[str]:
    """Return the attributes of findings of one severity, the most frequent first."""
    return [one for one, _ in attributes([one for one in findings if one.severity == severity])]


def verdict(report: Report) -> str:
    """Return what came out, in plain words."""
    files = count_with_noun(report.files, "file")
    if not report.findings:
        if report.not_analysed or report.unread or report.failed:
            return f"fairlint checked {files} and found nothing, but it could not read everything."
        return (
            f"fairlint checked {files} and found no place where code decides about people, scores them or "
            "trains a model by a protected attribute."
        )
    kinds = Counter(finding.severity for finding in report.findings)
    told = join_phrase([count_with_noun(kinds[one], one) for one in reversed(SEVERITIES) if kinds[one]])
    worst = first_in(report.findings, SEVERITIES[-1])
    ranked = sorted(attributes(report.findings), key=lambda one: one[0] not in worst)
    about = [f"{name(attribute)} ({count(number)})" for attribute, number in ranked]
    shown = max(MOST_NAMED, len(worst))
    shown += len(about) - shown == 1
    more = f" and {count_with_noun(len(about) - shown, 'other')}" if len(about) > shown else ""
    most = f"{', '.join(about[:shown])}{more}" if more else join_phrase(about)
    number = count_with_noun(len(report.findings), "finding")
    return (
        f"fairlint checked {files} and reports {number} of code that distinguishes people by a protected "
        f"attribute or a proxy for one: {told}. {_CONCERN[len(report.findings) == 1]} {most}."
    )


_CONCERN = {True: "It concerns", False: "They concern"}


class Alarm(NamedTuple):
    """A head, a sentence, and where on the page there is more."""

    head: str
    sentence: str
    place: str


def alarms(report: Report) -> Iterator[Alarm]:
    """Yield what has to be known before anything else is read."""
    if report.failed:
        yield Alarm(
            "This report is incomplete.",
            "Something failed while code was analysed. What is missing is listed below.",
            "gaps" if report.not_analysed else "",
        )
    if report.not_analysed:
        one = len(report.not_analysed) == 1
        told = (
            f"{count_with_noun(len(report.not_analysed), 'place')} could not be analysed. "
            f"This report says nothing "
            f"about {'it' if one else 'them'}."
        )
        yield Alarm("Not everything was analysed.", told, "gaps")
    if report.unread:
        there = counted_kinds(report.unread)
        files = [path for paths in report.unread.values() for path in paths]
        which = f": {join_phrase(files)}" if len(files) <= MOST_FILES else ""
        them = "it" if len(files) == 1 else "them"
        told = (
            f"The folders also hold {there}{which}. fairlint does not read {them}: "
            f"no finding is about {them}."
        )
        yield Alarm("Not everything was read.", told, "unread")
    if report.left_out:
        yield Alarm("Not everything was checked.", f"{left_out_files(report)}.", "unread")


def signing(report: Report, lowest: str) -> Iterator[str]:
    """Yield what a signature means, a clause each: what the reader has seen, and what the report
    leaves out.
    """
    if report.findings:
        found = count_with_noun(len(report.findings), "finding")
        yield f"I have read this report with {found} and the decisions in it"
    else:
        yield "I have read this report, which has no findings"
    if number := len(report.suppressed):
        reasons = "reason" if number == 1 else "reasons"
        yield f"I accept the {reasons} for the {count_with_noun(number, 'suppressed finding')}"
    unread = sum(map(len, report.unread.values()))
    hidden = " and ".join(
        f"{one}s" for one in reversed(SEVERITIES) if one in hidden_severities(report, lowest)
    )
    gaps = [
        _are(unread, "file", "not read"),
        _are(len(report.not_analysed), "place", "not analysed"),
        _are(len(report.left_out), "path", "left out"),
        f"{count(report.hidden_notes)} {hidden} hidden" if hidden else "",
    ]
    if any(gaps):
        yield f"I know what the report leaves out: {join_phrase(list(filter(None, gaps)))}"


def _are(number: int, noun: str, state: str) -> str:
    return f"{count_with_noun(number, noun)} {state}" if number else ""


_MINUS = re.compile(r"(?:(?<=\s)|^)-(?=\d)")
_BETWEEN = re.compile(r"(?<=\d), (?=\S+(?: \S+)* (?:[+−]\d|[×=])|gap )")


def amounts(text: str) -> str:
    """Amounts of a table with a true minus, apart from dashes and from each other.

    >>> amounts("under 30 -2, 30–40 -1, gap 1")
    'under 30 −2; 30–40 −1; gap 1'
    """
    parts = text.split("`")  # every second one is code
    parts[::2] = [_MINUS.sub("−", part) for part in parts[::2]]
    if any("–" in part or "−" in part for part in parts[::2]):
        parts[::2] = [_BETWEEN.sub("; ", part) for part in parts[::2]]
    return "`".join(parts)


def hidden_severities(report: Report, lowest: str) -> frozenset[str]:
    """Return the severities of which findings may be hidden: those below the lowest that is shown."""
    if not report.hidden_notes:
        return frozenset()
    return frozenset(SEVERITIES[: max(SEVERITIES.index(lowest) if lowest in SEVERITIES else 0, 1)])


def lowered(report: Report, lowest: str) -> str:
    """In one line: what is hidden, what has a lower severity for its context, and how to show it all."""
    told, options = [], []
    if report.hidden_notes:
        kinds = [one for one in reversed(SEVERITIES) if one in hidden_severities(report, lowest)]
        nouns = count_with_noun(report.hidden_notes, kinds[0]) if len(kinds) == 1 else (
            f"{count(report.hidden_notes)} {join_phrase([f'{kind}s' for kind in kinds])}"
        )  # fmt: skip
        told.append(f"{nouns} {'is' if report.hidden_notes == 1 else 'are'} hidden")
        options.append("--min-severity note")
    if number := sum(report.by_context.values()):
        verb = "is lowered to a note" if number == 1 else "are lowered to notes"
        among = ", among the hidden ones" if _are_hidden_notes(report) else ""
        told.append(f"{count_with_noun(number, 'finding')} {verb} for the context (persona developer){among}")
        options.append("--persona auditor")
    if not told:
        return ""
    return f"{'; '.join(told)}. To show them at full severity: `fairlint {' '.join(options)}`."


def hidden_finding_sentences(report: Report) -> Iterator[str]:
    """Yield what was found and is not on the page."""
    if report.unchanged:
        others = count_with_noun(report.unchanged, "finding")
        verb = "is" if report.unchanged == 1 else "are"
        yield f"{others} on lines that the change does not touch {verb} not shown."
    if report.wholly_changed:
        yield f"{wholly_changed_sentence(report)}."
    if report.by_context:
        for context, each in report.by_context.items():
            verb = "finding is a note" if each == 1 else "findings are notes"
            what = CONTEXT.get(context, context)
            yield (
                f"{count(each)} {verb} because the context is {context}: {what} may justify the difference. "
                "fairlint does not check whether it does."
            )
    if report.unheeded:
        yield f"The checkout is not trusted, so this in it has no effect: {paths(report.unheeded)}."


def _are_hidden_notes(report: Report) -> bool:
    """Return whether all notes of a context are among those that are not shown."""
    number = sum(report.by_context.values())
    return number <= report.hidden_notes and not any(one.severity == "note" for one in report.findings)


def baseline(report: Report) -> str:
    """Return what the file of earlier findings says."""
    old = sum(not one.is_comment for one in report.suppressed)
    if not old and not report.stale:
        return ""
    told = (
        f"The baseline holds {count_with_noun(old, 'earlier finding')} that "
        f"{'is' if old == 1 else 'are'} still "
        f"there and listed under “Suppressed”. The {count_with_noun(len(report.findings), 'finding')} above "
        f"{'is' if len(report.findings) == 1 else 'are'} new."
    )
    if report.stale:
        told += (
            f" {count_with_noun(report.stale, 'entry').replace('entrys', 'entries')} of it "
            f"{'matches' if report.stale == 1 else 'match'} nothing any more (fairlint baseline prune)."
        )
    return told
