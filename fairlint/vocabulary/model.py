"""The nouns of the vocabulary: attributes, groups, mentions, and the evidence that one is about a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from fairlint.support.records import Record, field

AttributeKind = Literal["protected", "socioeconomic", "proxy"]
Strength = Literal["strong", "ambiguous", "proxy"]
Form = Literal["value", "flag", "number", "date"]
"""What a mention holds: a group's name or code (`gender`), the truth of one group (`is_female`), a number
(`age`, `num_children`), or a date that grows as the number shrinks (`birth_year`)."""

ASKED = "your own"
"""What something is read from where a question asks whoever reads it: no name in code."""
TYPED = "typed in"
"""Of what type something is that a program asks for by its name alone: `Age: `."""
TABLE = "[]"
"""What a column is read from where the code does not name its table: no name in code."""


class Evidence(Record):
    """One reason to believe that a Use is about a person, and its weight (negative speaks against)."""

    weight: int
    reason: str


class Group(Record):
    """One group of an attribute. `missing` marks "unknown" and its like, which are no group of people."""

    name: str
    spellings: frozenset[str]
    missing: bool = False


class Attribute(Record):
    """A protected attribute, its groups and where it is protected.

    `core_groups` are in every table of points.
    `bands` cuts a number into groups: name -> (lowest, highest), both inclusive.
    `data_sets` maps a data set's name to its numeric or letter codes: code -> group.
    """

    name: str
    title: str
    kind: AttributeKind
    strength: Strength
    groups: Mapping[str, Group]
    core_groups: tuple[str, ...]
    coarse_groups: frozenset[str] = frozenset()
    """Groups that divide people in another way than the rest: `foreign` beside countries."""
    form: Form = "value"
    bands: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    domains: frozenset[str] = frozenset()
    """Domains in which its use is barred or strict; empty means everywhere."""
    laws: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Jurisdiction (us, eu, uk) -> the laws that name it."""
    data_sets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    proxy_for: tuple[str, ...] = ()
    ordered: bool = False
    """Whether `core_groups` stand in rising order, so that `>=` on them has a meaning."""
    identifies: bool = False
    """Whether its values stand for one person each: who is looked up by one is in no group for that."""
    lawful_limits: tuple[float, ...] = ()
    """Numbers that the law itself sets (18 for adulthood); a cut-off there is no finding."""
    note: str = ""


class Mention(Record):
    """An identifier, key or column that names an attribute.

    `group` is set where the name itself says one (`is_female`, `race_Black`). `words` are the matched words.
    """

    attribute: str
    identifier: str
    words: tuple[str, ...]
    strength: Strength
    form: Form
    group: str | None = None
    weight: int = 0
    """How much the name alone speaks for a person's attribute."""
    of_several: bool = False
    """Whether it names people of the group, and not whether one person is of it: `male_profiles`."""


class Surroundings(Record):
    """What stands around a mention, as plain text: the vocabulary needs to know nothing about code."""

    receiver: str = ""
    """`applicant` in `applicant.race`, dotted if longer; empty for a bare name; or `ASKED`, `TABLE`."""
    receiver_type: str = ""
    """The receiver's annotation or C type, as far as known."""
    function: str = ""
    """Qualified name of the enclosing function, class names included."""
    siblings: tuple[str, ...] = ()
    """Other names near by: parameters, fields read in the function, members, keys of one dict, columns."""
    members: tuple[str, ...] = ()
    """Those of the siblings that only other members of the class around name: they say nothing against it."""
    fields: tuple[str, ...] = ()
    """Those of the same object: of its class, read of it in the function, columns of the same table."""
    values: tuple[str, ...] = ()
    """Text values it is compared with or keyed by."""
    limits: tuple[str, ...] = ()
    """Names of what it is compared with, as `ttl` in `age > ttl`."""
    prose: str = ""
    """Docstring and comments of the function."""
    path: str = ""
    imports: tuple[str, ...] = ()
    passed: bool = False
    """Whether the receiver is handed to the function, or gone through in it, and nothing is called on it."""
    in_model: bool = False
    """Whether a model is given it: the screen around it says nothing of what it is, then."""
