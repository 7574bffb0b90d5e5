"""What the detectors observe: a Use is one place where code uses a protected attribute.

A comment that speaks to fairlint is one of the kind `suppression`, without an attribute.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from fairlint.support.records import Record, field

if TYPE_CHECKING:  # start-up: nothing here runs on them
    from fairlint.syntax.tree import Span
    from fairlint.vocabulary.model import Evidence

Kind = Literal[
    "decision", "score-update", "threshold", "feature", "filter", "ranking", "label", "weight", "encoding",
    "default", "imputation", "inference", "prompt", "query", "record", "quota", "read", "suppression",
]  # fmt: skip
Effect = Literal["decide", "score", "learn", "assume", "test", "show", "check", "store", "none"]
"""What comes of it for a person: an outcome, a score, something that a model learns, a value that is assumed
where nobody gave one, a case that tests are made of. Showing, checking and storing move nobody's outcome."""
Shape = Literal["branch", "cutoff", "table", "arithmetic", "scale", "filter", "sort", "read"]
"""How the code tells groups apart: a branch over groups, a numeric cut-off, a table keyed by group,
arithmetic on a group test, the raw value used as a number, a filter, a sort key, or a mere read."""

BY_LAW = "by-law"
"""The tag of a mere read that is compared with a limit which the law itself sets."""
PointsOp = Literal["add", "multiply", "set"]
ContextName = Literal[
    "", "lawful", "clinical", "actuarial", "simulation", "test", "demonstration", "audit",
]  # fmt: skip
"""What would have to justify a difference; empty where nothing says so."""


class GroupPoints(Record):
    """What each group gets: `op` says how the amounts are applied to the score.

    `by_group` maps canonical groups to points (`add`), factors (`multiply`) or values (`set`); where the
    code cuts ages elsewhere than at the edges of the bands, its own ranges (`65–74`). `other` is what a group
    nobody names gets, None where nobody can say.
    """

    op: PointsOp
    by_group: Mapping[str, float]
    other: float | None
    where: str = ""
    """The other condition, in the code's words, under which alone they are given."""
    at_most: bool = False
    """Whether they are less far apart where some other condition does not hold."""
    by_band: Mapping[str, float] = field(default_factory=dict)
    """Of ranges: what most ages of each canonical band get."""
    missing: bool = False
    """Whether some groups get no value at all (NaN, NULL), which makes their whole score missing."""
    is_first: bool = False
    """Whether nothing is seen to be there before that others could keep."""

    @property
    def gap(self) -> float:
        """The largest amount less the smallest, the one of the groups that nobody names among them."""
        values = [*self.by_group.values(), *([] if self.other is None else [self.other])]
        return max(values) - min(values) if values else 0.0

    @property
    def canonical(self) -> Mapping[str, float]:
        """The amounts by canonical groups alone."""
        return self.by_band or self.by_group


SPOKEN_FOR = "secondary"
"""Tags a Use that another one speaks for: of another attribute there, or of its prompt elsewhere."""
LISTED = "listed"
"""Tags a column of which nothing but the name of the list that it stands in says that a model gets it."""
UNASKED = "unasked"
"""Tags a listed column of which its own file gives no model anything."""
FOR_INSTANCE = "for-instance"
"""Tags outcomes that hang on something else, too: groups fare as is told in some cases, and not in all."""
SENT = "sent"
"""Tags a column of a row that is sent to where a model is served."""


class Step(Record):
    """One station of the value on its way from the read to the decision."""

    span: Span
    message: str


class UseContext(Record):
    """Why groups may fare differently at a place on purpose, and what speaks for it."""

    name: ContextName
    evidence: tuple[Evidence, ...] = ()
    justification: str = ""
    """What would have to justify a difference, one clause."""
    heeded: bool = True
    """Whether it makes a note of a finding: not where its author alone says so, who has no say."""

    @property
    def weight(self) -> int:
        """The sum of the evidence."""
        return sum(item.weight for item in self.evidence)


NO_CONTEXT = UseContext("")


class Use(Record):
    """One place where code uses a protected attribute. All fields but the spans can be selected on by a
    rule.
    """

    attribute: str
    attribute_kind: str
    """`protected`, `socioeconomic` or `proxy`, as the vocabulary says."""
    kind: Kind
    effect: Effect
    shape: Shape
    span: Span
    groups: tuple[str, ...]
    """Canonical names of the groups that the code names here, in the order of their appearance."""
    points: GroupPoints | None
    outcomes: Mapping[str, str]
    """For decisions: canonical group → what happens to it, in the code's words."""
    target: str | None
    """The score, outcome or table that is affected, as written."""
    condition: str
    """The text that tells the groups apart, as written, on one line."""
    evidence: tuple[Evidence, ...]
    flow: tuple[Step, ...]
    joined: tuple[str, ...] = ()
    """Other protected attributes tested together with this one."""
    domain: str = ""
    """hiring, credit, ... where the words around say so, else empty."""
    function: str = ""
    """Qualified name of the function it stands in, empty at module level."""
    detail: str = ""
    """What else a message needs to know, in the code's words: a column, a library, codes, a verb."""
    leaves_out: bool = False
    """All named groups fare alike, and those nobody names fare differently."""
    tags: frozenset[str] = field(default_factory=frozenset)
    """What else rules select on: `omission`, `encoded`, `instruction`, `by-name`, ..."""
    context: UseContext = NO_CONTEXT
    """What would have to justify that groups fare differently; it makes a note of the finding."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes that it is about, each once, the one that it is told by first."""
        return tuple(dict.fromkeys(filter(None, (self.attribute, *self.joined))))

    @property
    def weight(self) -> int:
        """The sum of the evidence."""
        return sum(item.weight for item in self.evidence)

    @property
    def is_named_feature(self) -> bool:
        """Whether a column that the code names is given to a model, coded or not."""
        return self.kind == "feature" and self.tags.isdisjoint({"omission", "proxy-left", "unaudited"})
