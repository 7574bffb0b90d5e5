"""What the page says in sentences, for readers who do not program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from fairlint.findings import SEVERITIES, Finding, Report
from fairlint.reporters.summary import counted as _counted
from fairlint.reporters.summary import wholly_changed
from fairlint.sources.unread import counted_kinds

SEVERITY: Mapping[str, str] = {
    "error": "groups are treated differently, or a model learns it, and hardly anything could justify that",
    "warning": "it may treat groups differently, or it stands in for a group; somebody has to look at it",
    "note": "worth knowing; often there is a reason, and it has to be a good one",
}
CONTEXT: Mapping[str, str] = {
    "lawful": "a statute or the rules of the matter",
    "clinical": "medicine",
    "actuarial": "an insurer’s statistics, and the law on their use",
    "simulation": "what is to be learnt from made-up people",
    "test": "what is tested",
    "demonstration": "what it is to show",
    "audit": "the audit that it is part of",
}
"""What would have to justify a difference, by its context."""
MOST_NAMED = 4
"""Attributes that the first sentence names."""
UNNAMED = "comments to fairlint"
"""Findings that are about no attribute."""


def name(text: str) -> str:
    """An attribute, a group or a rule as people write it.

    >>> name("marital_status"), name("points-by-group")
    ('marital status', 'points by group')
    """
    return text.replace("_", " ").replace("-", " ") if text.isascii() and text.islower() else text


def count(number: int) -> str:
    """A number in groups of three digits.

    >>> count(12345) == "12\\u202f345"
    True
    """
    return f"{number:,}".replace(",", "\u202f")


def counted(number: int, noun: str) -> str:
    """A number of things: `1 file`, `2 files`."""
    return _counted(number, noun).replace(str(number), count(number), 1)


def listed(parts: Sequence[str]) -> str:
    """Some things in one phrase.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def attributes(findings: Sequence[Finding]) -> list[tuple[str, int]]:
    """Attributes with the number of findings that are about them, the most frequent first."""
    told = Counter(one for finding in findings for one in finding.use.attributes or (UNNAMED,))
    return sorted(told.items(), key=lambda one: (-one[1], one[0]))


def verdict(report: Report) -> str:
    """What came out, in plain words."""
    files = counted(report.files, "file")
    if not report.findings:
        if report.not_analysed or report.unread or report.failed:
            return f"In {files} nothing was found, but not everything could be looked at."
        return (
            f"In {files} fairlint sees no place where the code decides about people, scores them or "
            "teaches a model by a protected attribute."
        )
    kinds = Counter(finding.severity for finding in report.findings)
    told = listed([counted(kinds[one], one) for one in reversed(SEVERITIES) if kinds[one]])
    about = [f"{name(attribute)} ({count(number)})" for attribute, number in attributes(report.findings)]
    more = f" and {counted(len(about) - MOST_NAMED, 'other')}" if len(about) > MOST_NAMED else ""
    most = f"{', '.join(about[:MOST_NAMED])}{more}" if more else listed(about)
    places = counted(len(report.findings), "place")
    return (
        f"In {files} fairlint found {places} where code tells people apart by a protected attribute, or by "
        f"what stands in for one: {told}. They are about {most}."
    )


def amounts(report: Report) -> str:
    """In how many places it is known what each group gets."""
    points = sum(finding.use.points is not None for finding in report.findings)
    outcomes = sum(finding.use.points is None and bool(finding.use.outcomes) for finding in report.findings)
    told = []
    if points:
        told.append(f"in {count(points)} the amounts that the groups get are known")
    if outcomes:
        told.append(f"in {count(outcomes)} what happens to each group")
    return f"Of these, {listed(told)}." if told else ""


def alarms(report: Report) -> Iterator[tuple[str, str]]:
    """What has to be known before anything else is read: a head and a sentence."""
    if report.failed:
        yield (
            "This report is incomplete.",
            "Something broke down while code was analysed; what is missing is named below.",
        )
    if report.not_analysed:
        one = len(report.not_analysed) == 1
        told = (
            f"{counted(len(report.not_analysed), 'place')} could not be analysed, and nothing is said about "
            f"{'it' if one else 'them'}: see “Not analysed”."
        )
        yield "Not everything was looked at.", told
    if report.unread:
        there = counted_kinds(report.unread)
        told = f"The folders also hold {there}: fairlint does not read them, and says nothing about them."
        yield "Not everything was read.", told


def hidden(report: Report) -> Iterator[str]:
    """What was found and is not on the page."""
    if report.hidden_notes:
        yield (
            f"{counted(report.hidden_notes, 'milder finding')} not shown under the settings of this run "
            "(all with --min-severity note)."
        )
    if report.unchanged:
        yield (
            f"{counted(report.unchanged, 'finding')} on lines that the change in question does not touch: "
            "not shown."
        )
    if report.wholly_changed:
        yield f"{wholly_changed(report)}."
    for context, number in report.by_context.items():
        what = CONTEXT.get(context, context)
        yield (
            f"{counted(number, 'finding')} counted as a note for the context “{context}”: {what} would have "
            "to justify a difference (all with --persona auditor)."
        )


def baseline(report: Report) -> str:
    """What the file of earlier findings says."""
    old = sum(not one.is_comment for one in report.suppressed)
    if not old and not report.stale:
        return ""
    told = (
        f"The baseline holds {counted(old, 'finding')} of before that {'is' if old == 1 else 'are'} still "
        f"there and listed under “Put aside”; the {counted(len(report.findings), 'finding')} above "
        f"{'is' if len(report.findings) == 1 else 'are'} new."
    )
    if report.stale:
        told += (
            f" {counted(report.stale, 'entry').replace('entrys', 'entries')} of it "
            f"{'tells' if report.stale == 1 else 'tell'} of nothing any more (fairlint baseline prune)."
        )
    return told
