"""How many findings there are, by rule, attribute, file, folder, owner; and what changed between reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from fairlint.findings.finding import Finding, Identity
from fairlint.findings.levels import SEVERITIES, Severity
from fairlint.findings.matching import KnownFinding, match_findings
from fairlint.findings.spreads import Spread, growth_message, shrunk, spread_of
from fairlint.support.records import Record, field

NOBODY = "nobody"
"""Stands for who owns a file without owners."""
NO_ATTRIBUTE = "none"
"""Stands for the attribute of what is about comments."""


class CountedFinding(Record):
    """What is counted of a finding."""

    path: str
    place: str
    """As reports name it."""
    rule: str
    name: str
    attributes: tuple[str, ...]
    severity: Severity
    message: str
    identity: Identity
    spread: Spread = field(default_factory=Spread)


def tally_entry(finding: Finding, place: str) -> CountedFinding:
    """Return what is counted of a finding, told at `place`."""
    return CountedFinding(
        finding.path,
        place,
        finding.rule,
        finding.name,
        finding.use.attributes,
        finding.severity,
        finding.message,
        finding.identity,
        spread_of(finding),
    )


Keys = Callable[[CountedFinding], Sequence[str]]
"""What a finding is counted under; it may be several."""
OwnersOf = Callable[[str], Sequence[str]]
"""The owners of a path."""


def dimensions(owners: OwnersOf | None) -> Mapping[str, Keys]:
    """Return what findings are counted by; by owner where somebody knows these."""
    known: dict[str, Keys] = {
        "rule": lambda one: (f"{one.rule} {one.name}",),
        "attribute": lambda one: one.attributes or (NO_ATTRIBUTE,),
        "file": lambda one: (one.path,),
        "directory": lambda one: (str(PurePosixPath(one.path).parent),),
    }
    if owners is not None:
        of = owners
        known["owner"] = lambda one: of(one.path) or (NOBODY,)
    return known


class Count(Record):
    """How many findings there are under a key."""

    key: str
    by_severity: Mapping[Severity, int]
    suppressed: int

    @property
    def all(self) -> int:
        """Those that count, whatever their severity."""
        return sum(self.by_severity.values())


def counts(findings: Iterable[CountedFinding], aside: Iterable[CountedFinding], keys: Keys) -> list[Count]:
    """Return the counts under each key, the largest first."""
    found = Counter((key, one.severity) for one in findings for key in keys(one))
    put = Counter(key for one in aside for key in keys(one))
    made = [
        Count(key, {severity: found[key, severity] for severity in reversed(SEVERITIES)}, put[key])
        for key in {*(key for key, _ in found), *put}
    ]
    return sorted(made, key=lambda one: (-one.all, -one.suppressed, one.key))


class ChangedFinding(NamedTuple):
    """A finding, and how it has changed, where that is told."""

    finding: CountedFinding
    how: str = ""


class Trend(Record):
    """What became of the findings of an older report in a newer one, and what is new."""

    kept: tuple[tuple[CountedFinding, CountedFinding], ...]
    gone: tuple[CountedFinding, ...]
    aside: tuple[CountedFinding, ...]
    """Those of before that are put aside now."""
    new: tuple[CountedFinding, ...]
    aside_now: tuple[CountedFinding, ...] = ()
    """As they are now, in the same order as `aside`."""

    @property
    def grown(self) -> list[ChangedFinding]:
        """Those kept that set groups further apart than before, each with how."""
        return [
            ChangedFinding(now, told)
            for old, now in self.kept
            if (told := growth_message(old.spread, now.spread))
        ]

    @property
    def shrunk(self) -> list[ChangedFinding]:
        """Those kept that set groups less far apart, each with how."""
        return [
            ChangedFinding(now, told) for old, now in self.kept if (told := shrunk(old.spread, now.spread))
        ]


class Change(Record):
    """How many findings of a key there were, are, came and went."""

    key: str
    before: int
    now: int
    new: int
    gone: int


def trend(
    old: Sequence[CountedFinding], new: Sequence[CountedFinding], aside: Sequence[CountedFinding]
) -> Trend:
    """Return two reports beside each other, by what their findings are known by."""
    found = _match_entries(old, new)
    left = [one for at, one in enumerate(old) if at not in found]
    put = _match_entries(left, aside)
    again = set(found.values())
    return Trend(
        kept=tuple((old[at], new[now]) for at, now in sorted(found.items())),
        gone=tuple(one for at, one in enumerate(left) if at not in put),
        aside=tuple(left[at] for at in sorted(put)),
        aside_now=tuple(aside[put[at]] for at in sorted(put)),
        new=tuple(one for at, one in enumerate(new) if at not in again),
    )


def _match_entries(old: Sequence[CountedFinding], new: Sequence[CountedFinding]) -> dict[int, int]:
    there = {one.path for one in new}
    gone = frozenset(one.path for one in old if one.path not in there)
    return match_findings(
        [KnownFinding(one.path, one.identity) for one in old],
        [KnownFinding(one.path, one.identity) for one in new],
        gone,
    )


def changes(one: Trend, keys: Keys) -> list[Change]:
    """Return the changes under each key, where most has changed first."""
    kept_before = Counter(key for before, _ in one.kept for key in keys(before))
    kept_now = Counter(key for _, now in one.kept for key in keys(now))
    gone = Counter(key for told in (*one.gone, *one.aside) for key in keys(told))
    new = Counter(key for told in one.new for key in keys(told))
    made = [
        Change(key, kept_before[key] + gone[key], kept_now[key] + new[key], new[key], gone[key])
        for key in {*kept_before, *kept_now, *gone, *new}
    ]
    return sorted(made, key=lambda change: (-(change.new + change.gone), -change.now, change.key))
