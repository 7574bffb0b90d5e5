"""What is decided about the findings of a page: the state of each, and what the page's fields hold."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from fairlint.findings.finding import Finding
from fairlint.reporters.decisions import FILE, Decision, Decisions, about, assign_decisions, entry_of
from fairlint.reporters.uris import in_repository, repository_root
from fairlint.support.days import today
from fairlint.support.records import Record, replace

OPEN = "open"
"""The state of a finding that nobody has decided about, or whose decision no longer holds."""
MOST_LEFT = 500
"""Decisions without a finding that are listed."""
_NAMED = 3
"""Of these, how many a sentence names."""


class Decided(Record):
    """What is decided about a finding. `kind` is empty where nobody has, or where it no longer holds."""

    kind: str = ""
    by: str = ""
    until: str = ""
    remark: str = ""
    over: str = ""
    """Why a decision no longer holds, in sentences."""
    entry: str = ""
    """What the file keeps of the finding as it is now, as JSON."""
    was: str = ""
    """The decision as it is in the file, as JSON; it stays as long as nobody changes it."""

    @property
    def state(self) -> str:
        """The kind of decision, or `open`."""
        return self.kind or OPEN


class Desk:
    """The decisions about all findings of a report, each with its path from the repository's root."""

    def __init__(self, findings: Sequence[Finding], given: Decisions | None, folder: str) -> None:
        self._folder = folder
        self._paths: dict[str, str] = {}
        self._today = today()
        self.file = given.file if given is not None else FILE
        found = [(self.path_of(one), one) for one in findings]
        sides = assign_decisions(given.entries if given is not None else (), found, repository_root(folder))
        self._decisions: Mapping[int, Decision] = {
            id(findings[place]): one for place, one in sides.found.items()
        }
        self.left = sides.left
        self.listed = sides.left[:MOST_LEFT]
        """Those without a finding that are listed."""

    def path_of(self, finding: Finding) -> str:
        """Return the path of a finding's file from the root of the repository."""
        if finding.path not in self._paths:
            self._paths[finding.path] = in_repository(finding.path, self._folder)
        return self._paths[finding.path]

    def of(self, finding: Finding) -> Decided:
        """Return what is decided about a finding."""
        one = self._decisions.get(id(finding))
        path = self.path_of(finding)
        now = about(finding, path)
        entry = _json_text(entry_of(now))
        if one is None:
            return Decided(entry=entry)
        was = _json_text(entry_of(replace(one, path=path, identity=now.identity)))
        if told := self._expiry_reason(one, finding):
            by = f" by {one.by}" if one.by else ""
            over = f"“{one.kind}”{by} no longer holds: {told}. Decide again."
            over += f" Its remark was: “{one.remark}”" if one.remark else ""
            return Decided(over=over, entry=entry, was=was)
        return Decided(one.kind, one.by, one.until, one.remark, "", entry, was)

    def numbers(self, findings: Sequence[Finding]) -> tuple[int, int]:
        """Return how many findings have a decision that holds, and how many one that no longer does."""
        known = [(self._decisions[id(one)], one) for one in findings if id(one) in self._decisions]
        over = sum(bool(self._expiry_reason(*both)) for both in known)
        return len(known) - over, over

    def _expiry_reason(self, one: Decision, finding: Finding) -> str:
        """Return why a decision about a finding no longer holds; empty where it does."""
        if one.is_over(self._today):
            return f"it ended on {one.until}"
        told = one.outgrown(finding)
        return f"the finding is more than it was ({told})" if told else ""

    def kept(self, shown: Sequence[Finding]) -> str:
        """Return the decisions about findings that have no fields on the page, as JSON."""
        ids = {id(one) for one in shown}
        others = [one for place, one in self._decisions.items() if place not in ids]
        return _json_text([entry_of(one) for one in (*others, *self.left[len(self.listed) :])])

    def entry(self, one: Decision) -> str:
        """Return a decision as the file keeps it."""
        return _json_text(entry_of(one))

    def notes(self, findings: Sequence[Finding]) -> Iterator[str]:
        """Yield what whoever asked for the report has to know of the file, a sentence each."""
        over = [
            f"{one.path} ({told})"
            for finding in findings
            if (one := self._decisions.get(id(finding))) is not None
            if (told := self._expiry_reason(one, finding))
        ]
        if over:
            noun = "decision no longer holds" if len(over) == 1 else "decisions no longer hold"
            yield f"{self.file}: {len(over)} {noun}: {_first_names(over)}"
        if self.left:
            told = (
                "decision is about a finding that is" if len(self.left) == 1
                else "decisions are about findings that are"
            )  # fmt: skip
            paths = _first_names([one.path for one in self.left])
            yield f"{self.file}: {len(self.left)} {told} not in this report: {paths}"


def _first_names(told: Sequence[str]) -> str:
    more = f" and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
    return f"{', '.join(told[:_NAMED])}{more}"


def _json_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False).replace("\x7f", "\\u007f")
