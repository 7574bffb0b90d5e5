"""The laws that findings refer to, by the jurisdiction that has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from fairlint.findings.finding import Finding
from fairlint.laws import Law, named
from fairlint.support.records import Record


class Named(Record):
    """A law, the rules whose findings refer to it, and how many findings and suppressed ones do."""

    law: Law
    rules: tuple[str, ...]
    findings: int
    aside: int


def by_place(ids: Iterable[str]) -> tuple[tuple[str, tuple[Law, ...]], ...]:
    """The laws with these ids, by place; both in the order of the ids."""
    found: dict[str, list[Law]] = {}
    for law in named(dict.fromkeys(ids)):
        found.setdefault(law.place, []).append(law)
    return tuple((place, tuple(laws)) for place, laws in found.items())


def laws_of(
    findings: Sequence[Finding], suppressed: Sequence[Finding]
) -> tuple[tuple[str, tuple[Named, ...]], ...]:
    """The laws of some findings, by place; places and laws with the most findings first."""
    number = Counter(id_ for one in findings for id_ in one.laws)
    aside = Counter(id_ for one in suppressed for id_ in one.laws)
    rules: dict[str, set[str]] = {}
    for one in (*findings, *suppressed):
        for id_ in one.laws:
            rules.setdefault(id_, set()).add(one.rule)
    return tuple(
        (
            place,
            tuple(Named(law, tuple(sorted(rules[law.id])), number[law.id], aside[law.id]) for law in laws),
        )
        for place, laws in by_place(id_ for id_, _ in (number + aside).most_common())
    )
