"""A finding, a rule applied to a use, with all that belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from fairlint.findings.levels import Confidence, Severity
from fairlint.support.records import Record

if TYPE_CHECKING:
    from fairlint.findings.uses import ContextName, GroupPoints, Use
    from fairlint.syntax.source import Position


Applicability = Literal["safe", "unsafe"]
"""Whether a fix leaves what the program does as it is. What changes a decision never does."""


class Remedy(Record):
    """A kind of fix that a rule's page names; a module of `fixes/` knows how it is made."""

    kind: str
    applicability: Applicability
    languages: tuple[str, ...]
    say: str
    """What it does, one clause that begins with a verb."""
    contexts: tuple[str, ...] = ()
    """Where something may justify what the code does it is no remedy, but for these."""


class Edit(Record):
    """One stretch of a file and what is to stand there instead.

    `start` and `end` count bytes of the file's text as UTF-8 without a byte-order mark; `first` and `last`
    are the same places in lines and columns. `end` is exclusive. In a notebook all are those of its JSON.
    """

    start: int
    end: int
    text: str
    first: Position
    last: Position


class Fix(Record):
    """A change of a file that removes a finding."""

    title: str
    """What it does, one clause that begins with a verb."""
    applicability: Applicability
    edits: tuple[Edit, ...]
    """In the order of their places; none overlaps another."""


class FlowStep(Record):
    """One station of the value, from the read to the decision."""

    path: str
    start: Position
    end: Position
    message: str
    cell: int | None = None
    """In a notebook, the cell's place among all cells, from 1; lines then count from the cell's first."""
    region: tuple[Position, Position] | None = None
    """Where it stands in the notebook's own text, which is JSON."""
    also: bool = False
    """Whether it is no station but another place of the same problem, told by the same finding."""


class Identity(Record):
    """What a finding is known by while the code around it changes; `findings/identity.py` makes it.

    `own` is the same for equal code under the same rule, wherever it stands; `number` counts equal ones of a
    file. `function` is the name of the function that it stands in, `body` a sum over that function's code and
    `near` one over what is beside it: they tell equal findings apart.
    """

    own: str = ""
    number: int = 1
    function: str = ""
    body: int = 0
    near: int = 0

    def __str__(self) -> str:
        """As reports give it, under `fairlint/v2`."""
        return f"{self.own}:{self.number}"


LONGEST_NUMBER = 9
"""Digits of the number of a finding among equal ones."""


def is_identity(text: str) -> bool:
    """Return whether a text is an identity as reports give it: a name, a colon and a number."""
    own, _, number = text.rpartition(":")
    return own != "" and number.isascii() and number.isdigit() and len(number) <= LONGEST_NUMBER


def identity_from(text: str, function: str = "", body: int = 0, near: int = 0) -> Identity:
    """Return an identity from what reports give of it, with what files keep besides."""
    own, _, number = text.rpartition(":")
    return Identity(own, int(number), function, body, near)


class Unheeded(Record):
    """What would have put a finding aside, or made a note of it, had its author a say."""

    by: Literal["comment", "baseline", "left-out", "context"]
    reason: str
    """What it says; why the file would be left out; the name of the context."""
    path: str = ""
    line: int = 0
    cell: int | None = None
    """As in FlowStep."""


class Finding(Record):
    """A rule applied to a Use, at a place. `end` is exclusive."""

    rule: str
    name: str
    severity: Severity
    confidence: Confidence
    path: str
    start: Position
    end: Position
    message: str
    advice: str
    """What to do instead, one sentence."""
    use: Use
    flow: tuple[FlowStep, ...]
    fingerprint: str
    """Stable while the line's text and its neighbours stay: rule, function, attribute and normalised line
    text.
    """
    line_hash: str
    """GitHub's `primaryLocationLineHash` of the first line."""
    identity: Identity = Identity()
    """What it is known by while the code around it changes."""
    statement: int = 0
    """The line at which its statement begins: a comment above it speaks of the finding."""
    cell: int | None = None
    """As in FlowStep."""
    region: tuple[Position, Position] | None = None
    lowered_by: ContextName = ""
    """The context that makes a note of what would be more."""
    remedies: tuple[Remedy, ...] = ()
    """The kinds of fixes that its rule knows for code of its language."""
    fix: Fix | None = None
    """What removes it, where that was asked for and is known."""
    unheeded: tuple[Unheeded, ...] = ()
    """What would have put it aside, in a checkout whose author has no say."""
    laws: tuple[str, ...] = ()
    """Ids of the laws that it is about: by rule, attribute, jurisdiction and field."""

    @property
    def points(self) -> GroupPoints | None:
        """The Use's points."""
        return self.use.points

    @property
    def places(self) -> tuple[FlowStep, ...]:
        """Other places of the same problem."""
        return tuple(step for step in self.flow if step.also)

    @property
    def sort_key(self) -> tuple[str, int, int, int, str]:
        """Path, cell, line, column, rule: the order of every report."""
        return (self.path, self.cell or 0, self.start.line, self.start.column, self.rule)
