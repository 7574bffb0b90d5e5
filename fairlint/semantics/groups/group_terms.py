"""What the code says about one attribute: the groups that it names, and the numbers that it cuts at."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import islice

from fairlint.semantics.groups.dependencies import Dependence
from fairlint.semantics.values.marks import hidden_mark, without_cut_mark
from fairlint.semantics.values.symbolic import Const, Scalar, Value
from fairlint.support.records import Record, field, replace
from fairlint.vocabulary import Vocabulary
from fairlint.vocabulary.model import Attribute

OTHER = "\0other"
"""The group that the code does not name."""

ALIKE, UNLIKE = "same", "different"
"""How the two groups are called that two people may be: of one group, or of two."""

SCALE = "#"
"""Marks unknown things that depend on the attribute in a way nobody can say."""

TABLE = "table "
"""Marks what a table that nobody knows gives for the group."""
SHORTEST_PART = 3
"""Letters of a text that is looked for in a group's name; one or two are taken for its code."""
LONGEST_NAME = 400
"""Characters of the name of something unknown; longer ones are cut and numbered."""


MOST_STEPS = 1_000_000
"""Values and tests that are evaluated to compare the groups of one file, all places together."""


class TooManyStepsError(Exception):
    """The comparison of groups takes more steps than a file may."""


class Steps(Record, frozen=False):
    """The steps that the comparisons of one file may still take."""

    left: int = MOST_STEPS
    left_out: str = ""
    """What the last comparison that found no difference did not try, in words."""

    def spend(self, count: int = 1) -> None:
        """Count some steps."""
        self.left -= count
        if self.left < 0:
            raise TooManyStepsError


class GroupTerms(Record, frozen=False):
    """What the code says about one attribute: groups it names, and numbers it cuts at."""

    attribute: Attribute
    vocabulary: Vocabulary
    dependence: Dependence
    code_labels: Mapping[Scalar, str] = field(default_factory=dict)
    """Numeric codes that an enum of the file gives names to."""
    lawful: frozenset[float] = frozenset()
    data_set: str | None = None
    """The known data set whose columns stand around, and whose codes the numbers then are."""
    of_amounts: bool = False
    """Whether amounts are compared: who is younger than all bands counts, and no limit of the law excuses."""
    by_bounds: bool = False
    """Whether a known bound on something unknown counts, as where a score is capped for some groups."""
    nobody_from: float = math.inf
    """From here on a number is nobody's: a limit there leaves out what cannot be true."""
    beside: tuple[str, ...] = ()
    """Where two people are compared with one another: what those of one group, and of two, are called."""
    named: dict[str, None] = field(default_factory=dict)
    """Groups in the order in which the code names them."""
    written: dict[str, None] = field(default_factory=dict)
    """The same, as the code writes them."""
    unexplained: set[str] = field(default_factory=set)
    """Those of them that are numbers of which nobody says whom they stand for."""
    cuts: set[float] = field(default_factory=set)
    excused: set[float] = field(default_factory=set)
    """The lowest numbers past the limits of the law that the code compares with."""
    reached: set[int] = field(default_factory=set)
    """The events, by their identity, that have happened to some group in some world of a comparison."""
    steps: Steps = field(default_factory=Steps)
    """What is left for all comparisons of the file; shared by those who ask about its places."""

    listed: dict[int, tuple[frozenset[str], tuple[Value, ...]]] = field(default_factory=dict)
    """Of a list or table, by its identity: the groups among what it holds, and what else is there."""
    constants: dict[int, tuple[dict[str, None], tuple[Value, ...]]] = field(default_factory=dict)
    """Of a list or table, by its identity: the names of the constants in it, and what else is there."""
    made_alike: dict[str, str] = field(default_factory=dict)
    """How choices are made that have nothing to do with the attribute, each with the name of the first."""
    names: dict[str, str] = field(default_factory=dict)
    """Short names for what would have a long one."""

    def for_amounts(self) -> GroupTerms:
        """Return the same record for a comparison of amounts: a law may say who is old enough, and
        no price.
        """
        return replace(self, lawful=frozenset(), of_amounts=True)

    def short(self, name: str) -> str:
        """Return a name that does not grow with what it is made of; equal names stay equal, and marked."""
        if len(name) <= LONGEST_NAME:
            return name
        if name not in self.names:
            start = without_cut_mark(name[: LONGEST_NAME // 2])
            mark = SCALE if SCALE in name and SCALE not in start else ""
            self.names[name] = f"{start}…{hidden_mark(len(self.names))}{mark}"
        return self.names[name]

    def group_of(self, const: Const) -> str | None:
        """Return the canonical group that a constant stands for; None for "unknown" and its like."""
        value = const.value
        if value is None or value == "" or isinstance(value, bool):
            return None
        label = const.label or self.code_labels.get(value, "")
        group = self.vocabulary.group_of(self.attribute.name, label) if label else None
        if group is None:
            group = self.vocabulary.group_of(self.attribute.name, value, self.data_set)
        if group is None and isinstance(value, str):
            group = self._begun_by(value)
        if group is None and isinstance(value, str) and self._is_own_name(value):
            return None  # the header of a table among its rows
        if group is None:
            word = label or (f"{value:g}" if isinstance(value, float) else str(value))
            group = word.strip().lower()
            if not isinstance(value, str) and group not in self.attribute.groups:
                self.unexplained.add(group)
        known = self.attribute.groups.get(group)
        if (known is not None and known.missing) or not group:
            return None
        self.named.setdefault(group)
        self.written.setdefault(str(label or value))
        return group

    def _is_own_name(self, text: str) -> bool:
        """Return whether a text is how code calls the attribute itself: "gender" is no gender."""
        found = self.vocabulary.mentions(text)
        return any(one.attribute == self.attribute.name and one.group is None for one in found)

    def _begun_by(self, text: str) -> str | None:
        """Return the one core group whose name a text begins: "fem", "h" of religions."""
        part = text.strip().lower()
        found = [group for group in self.attribute.core_groups if group.startswith(part)]
        is_name = len(part) == 1 or len(part) >= SHORTEST_PART
        return found[0] if is_name and len(found) == 1 else None

    def codes(self) -> Mapping[str, float]:
        """Return the numbers of which the code says what groups they stand for, by the groups; a second
        number for one, or for nobody who is known, by its own name.
        """
        found: dict[str, float] = {}
        for code, label in self.code_labels.items():
            if isinstance(code, int | float):
                group = self.vocabulary.group_of(self.attribute.name, label)
                found[label.lower() if group is None or group in found else group] = float(code)
        return found

    def code_of(self, group: str) -> float | None:
        """Return the number that stands for a group, where the code says which stand for the core groups."""
        codes = self.codes()
        return codes.get(group) if codes.keys() >= set(self.attribute.core_groups) else None

    def group_named(self, name: str) -> str | None:
        """Return the group that a constant of unknown value stands for by its name: `BLACK`, `Race.BLACK`."""
        bare = name.rpartition(".")[2]
        if not (bare.isupper() and bare.isidentifier()):
            return None
        group = self.vocabulary.group_of(self.attribute.name, bare)
        return self.group_of(Const(bare)) if group in self.attribute.groups else None


MOST_GROUPS = 60
"""How many groups that the code names are compared: a table with more keys is asked for these."""


def has_open_groups(naming: GroupTerms) -> bool:
    """Return whether the groups that the code names stand for themselves, beside everybody else.

    So it is for attributes without groups of their own, and where the code names nothing but unexplained
    numbers, or groups that divide people another way than those everybody knows do.
    """
    if not naming.attribute.core_groups:
        return True
    if not naming.named:
        return False
    return not _core_beside(naming) or naming.unexplained.issuperset(naming.named)


def _core_beside(naming: GroupTerms) -> tuple[str, ...]:
    """Return the core groups that divide people in the same way as those that the code names."""
    coarse, core = naming.attribute.coarse_groups, naming.attribute.core_groups
    divides = {name in coarse for name in naming.named} if coarse else set()
    if len(divides) > 1:
        return ()  # `Germany` beside `foreign`: neither `domestic` nor other countries are asked about
    return tuple(group for group in core if not divides or (group in coarse) in divides)


def groups_to_ask(naming: GroupTerms) -> tuple[str, ...]:
    """Return the groups that are compared: the core groups, and those that the code names."""
    core = () if has_open_groups(naming) else _core_beside(naming)
    groups = dict.fromkeys((*core, *islice(naming.named, MOST_GROUPS)))
    known = naming.attribute.groups
    return tuple(group for group in groups if group not in known or not known[group].missing)
