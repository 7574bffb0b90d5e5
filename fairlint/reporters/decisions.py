"""What people have decided about findings: a file that says of each what, by whom and until when.

Decisions hide nothing. `findings/matching.py` says which one is about which finding, so that a finding keeps
its decision while the code around it changes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from fairlint.findings.finding import Finding, Identity, identity_from, is_identity
from fairlint.findings.matching import KnownFinding, match_findings
from fairlint.findings.spreads import KEPT, Spread, growth_message, restore_spread, spread_object, spread_of
from fairlint.support.days import is_day
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import Record, field, replace
from fairlint.support.shapes import fault_of, matching, one_of, several, table, text, whole

# Path objects would take longer than the files themselves.
# ruff: noqa: PTH118

FILE = "fairlint-decisions.json"
"""What the file is called where nobody says otherwise."""
VERSION = 1
LARGEST = 50_000_000
"""Bytes of the file."""
KINDS = ("accepted", "to be fixed", "false positive")
"""What can be decided."""

_ENTRY = table(
    {
        "path": text(longest=10_000, least=1),
        "identity": matching(frozenset({str}), "a name, a colon and a number", is_identity),
        "decision": one_of(*KINDS),
    },
    {
        "rule": text(longest=100),
        "finding": text(longest=100_000),
        "function": text(longest=10_000),
        "body": whole(),
        "near": whole(),
        "by": text(longest=1_000),
        "until": matching(frozenset({str}), "a day such as 2027-06-30", lambda day: not day or is_day(day)),
        "remark": text(longest=100_000),
        **KEPT,
    },
)
_FILE = table({"version": one_of(VERSION), "decisions": several(_ENTRY)})


class Decision(Record):
    """What somebody has decided about a finding."""

    path: str
    """From the root of the repository, or from where fairlint ran outside of one."""
    identity: Identity
    kind: str
    by: str = ""
    until: str = ""
    """Its last day, as ISO 8601 writes it; empty where it has no end."""
    remark: str = ""
    rule: str = ""
    finding: str = ""
    """What the finding said."""
    spread: Spread = field(default_factory=Spread)
    """Who was named and what each group got when it was decided."""

    def is_over(self, today: str) -> bool:
        """Return whether its last day is past."""
        return "" < self.until < today

    def outgrown(self, finding: Finding) -> str:
        """Return how the finding is more than it was when it was decided; empty where it is not."""
        return growth_message(self.spread, spread_of(finding))


class Decisions(Record):
    """The decisions of a file."""

    file: str
    """As messages call it."""
    entries: tuple[Decision, ...] = ()


class Assigned(Record):
    """Which decision is about which finding, by place, and those whose finding is not there."""

    found: Mapping[int, Decision]
    left: tuple[Decision, ...]


def load(path: str) -> Decisions:
    """Read a file of decisions; a UsageError says what is wrong with it."""
    try:
        document = read_json(read_file(path, LARGEST), finite=True)
    except NotReadableError as error:
        raise UsageError(f"{path}: {error}") from None
    except ValueError as error:
        raise UsageError(f"{path}: is not JSON: {error}") from None
    if wrong := fault_of(_FILE, document):
        raise UsageError(f"{path}: is not a file of decisions: {wrong}")
    entries = tuple(map(_read_decision, document["decisions"]))
    known: set[tuple[str, Identity]] = set()
    for at, one in enumerate(entries):
        if (one.path, one.identity) in known:
            raise UsageError(f"{path}: `decisions[{at}]` is a second decision about the same finding")
        known.add((one.path, one.identity))
    return Decisions(path, entries)


def _read_decision(values: Mapping[str, Any]) -> Decision:
    return Decision(
        path=values["path"],
        identity=identity_from(
            values["identity"], values.get("function", ""), values.get("body", 0), values.get("near", 0)
        ),
        kind=values["decision"],
        by=values.get("by", ""),
        until=values.get("until", ""),
        remark=values.get("remark", ""),
        rule=values.get("rule", ""),
        finding=values.get("finding", ""),
        spread=restore_spread(values),
    )


def entry_of(one: Decision) -> dict[str, Any]:
    """Return a decision as the file keeps it."""
    known = one.identity
    return {
        "path": one.path,
        "rule": one.rule,
        "identity": str(known),
        "function": known.function,
        "body": known.body,
        "near": known.near,
        "finding": one.finding,
        **spread_object(one.spread),
        "decision": one.kind,
        "by": one.by,
        "until": one.until,
        "remark": one.remark,
    }


def about(finding: Finding, path: str, one: Decision | None = None) -> Decision:
    """Return a decision about a finding as it is now, told at its path from the repository's root."""
    made = one or Decision(path, finding.identity, "")
    return replace(
        made,
        path=path,
        identity=finding.identity,
        rule=finding.rule,
        finding=finding.message,
        spread=spread_of(finding),
    )


def assign_decisions(
    entries: Sequence[Decision], findings: Sequence[tuple[str, Finding]], root: str
) -> Assigned:
    """Return which decision is about which of these findings, each with its path from the repository's root.

    A decision may be about one of several equal pieces of code, so the number among them counts first.
    """
    if not entries:
        return Assigned({}, ())
    before = [KnownFinding(one.path, one.identity) for one in entries]
    now = [KnownFinding(path, finding.identity) for path, finding in findings]
    found: dict[int, int] = {}
    for is_whole in (True, False):
        places = {
            _identity_key(one, is_whole=is_whole): at
            for at, one in enumerate(now)
            if at not in found.values()
        }
        for at, one in enumerate(before):
            place = places.get(_identity_key(one, is_whole=is_whole))
            if at not in found and place is not None:
                found[at] = place
                del places[_identity_key(one, is_whole=is_whole)]
    old = [at for at in range(len(before)) if at not in found]
    new = sorted({*range(len(now))} - {*found.values()})
    gone = frozenset(before[at].path for at in old if not _is_there(root, before[at].path))
    rest = match_findings([before[at] for at in old], [now[at] for at in new], gone)
    found |= {old[at]: new[place] for at, place in rest.items()}
    return Assigned(
        {place: entries[at] for at, place in found.items()},
        tuple(one for at, one in enumerate(entries) if at not in found),
    )


def _identity_key(one: KnownFinding, *, is_whole: bool) -> tuple[object, ...]:
    known = one.identity
    return (one.path, known.own, known.number, known.function, known.near, known.body if is_whole else 0)


def _is_there(root: str, path: str) -> bool:
    try:
        os.lstat(os.path.join(root, path))
    except (OSError, ValueError):
        return False
    return True
