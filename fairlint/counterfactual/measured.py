"""What was measured of one program: whole numbers of people, out of which all rates are made.

Nothing is divided here but at the end: a rate is a Share, and two Shares add without rounding.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal

from fairlint.counterfactual.population import Cell
from fairlint.support.records import Record, field_names


class Share(Record):
    """So many of so many."""

    part: int
    whole: int

    @property
    def value(self) -> float | None:
        """The share as a number, rounded once; None of nothing."""
        return self.part / self.whole if self.whole else None

    def __bool__(self) -> bool:
        return self.part > 0


class DeadTest(Record):
    """A value that the program asks for and that nobody has."""

    value: Cell
    views: tuple[str, ...] = ()
    """What the program makes of a value before it compares: `lower`."""
    nearest: Cell = None
    """The value in the data that is spelt most like it; None where none is."""


class Group(Record):
    """People with one value of a column, and what becomes of them as they are."""

    value: Cell
    people: int
    answered: int
    """Those whose outcome can be compared."""
    changed: int
    """Those whose outcome another value would change."""
    compared: int
    selected: int
    """Those with the favourable outcome, or a score above the median."""
    labelled: int
    """Those with the favourable label in the data, among the answered."""
    selected_labelled: int


class Impossible(Record):
    """People who would be impossible with another value, as what follows it would stay."""

    value: Cell
    """The other value: Female."""
    column: str
    """The column that follows."""
    stays: Cell
    """What they would keep in it: Husband."""
    people: int


class Followed(Record):
    """What becomes of outcomes when one column has another value and others follow it."""

    columns: tuple[str, ...]
    """Those that follow."""
    compared: int
    """People whose own outcome and all others can be compared."""
    changed: int
    """Those among them whose outcome some other value changes."""
    pairs: tuple[tuple[Share, ...], ...]
    """As `Changes.pairs`."""
    impossible: int
    """People whom some other value alone would make impossible."""
    impossible_as: tuple[Impossible, ...]
    """Who they would be, the most frequent first."""

    @property
    def cip(self) -> Share:
        """The share of people to whom another value gives another outcome."""
        return Share(self.changed, self.compared)


Read = Literal["never", "compared", "opaque"]
"""What a program does with a column, as far as its text says: nothing, compare it with literals, anything."""


class Changes(Record):
    """What becomes of a program's outcomes when one column, or two together, have another value."""

    column: str
    attribute: str | None
    """fairlint's name of what the column holds."""
    values: tuple[Cell, ...]
    ordered: bool
    read: Read
    classes: int
    """Groups of values that the program can tell apart."""
    proved: bool
    """Whether the program's text proves that the column changes nothing."""
    people: int
    compared: int
    """Those whose own outcome and all others can be compared: only these count."""
    changed: int
    """Those among them whose outcome some other value changes."""
    steps: tuple[int, ...]
    """How many of the changed need 1, 2, ... steps to a value that does; one step to any where unordered."""
    moved: tuple[Share, ...]
    """For each value: of people with another one, how many a change to this one changes."""
    pairs: tuple[tuple[Share, ...], ...]
    """For each value that people have, for each value it is changed to: whom that changes. Empty where the
    column has more values than can be shown."""
    groups: tuple[Group, ...]
    dead: tuple[DeadTest, ...] = ()
    changed_with_dead: int = 0
    """The changed, where the values of dead tests count among the others."""
    followed: Followed | None = None
    """The same where other columns follow this one; None where none does."""

    @property
    def cip(self) -> Share:
        """The share of people to whom another value gives another outcome: CIP of arXiv 2606.00049."""
        return Share(self.changed, self.compared)

    @property
    def cip_of_all(self) -> Share:
        """The same among all people, also those whose outcomes cannot be compared."""
        return Share(self.changed, self.people)

    @property
    def cip_with_dead(self) -> Share:
        """The same, where the values of dead tests count among the others."""
        return Share(self.changed_with_dead, self.compared)

    @property
    def floor(self) -> Fraction:
        """The least value that the change ratio can have: one step."""
        return Fraction(1, max(len(self.values), 1))


class Joint(Record):
    """Two columns that are changed together."""

    columns: tuple[str, str]
    compared: int
    changed: int
    """People whose outcome some other pair of values changes, both of them others than their own."""
    only_together: int
    """Those among them whom neither column changes alone."""


class CrossedGroup(Record):
    """People with one value in each of two columns, as they are."""

    values: tuple[Cell, Cell]
    people: int
    answered: int
    """Those whose outcome can be compared."""
    selected: int
    """Those with the favourable outcome."""


class Crossed(Record):
    """People by two columns at once."""

    columns: tuple[str, str]
    groups: tuple[CrossedGroup, ...]
    """The largest ones, by the people whose outcome can be compared."""
    answered: int
    """All people whose outcome can be compared."""
    left_out: int
    """Groups that are not kept, as there are too many."""


class Outcomes(Record):
    """One outcome, and how many people have it as they are."""

    kind: str
    text: str
    people: int


Decision = Literal["bool", "binary", "labels", "one", "numbers", "other"]
"""True and False; 0 and 1; two texts; always the same; numbers; anything else."""
Steadiness = Literal["steady", "random", "state", "not tried"]
"""Each repetition gives the same; a repetition in the same order differs (chance, the time); only one in
another order differs (something is kept from call to call)."""


class Measured(Record):
    """One program on one population."""

    population: str
    people: int
    answered: int
    """People as they are whose outcome can be compared."""
    unanswered: Mapping[str, int]
    """What became of the others: `KeyError`, `no value: Person`, `time` → people."""
    failed: tuple[str, str] | None
    """Why there is nothing at all, and in which words: the cause of executor.Failed."""
    steadiness: Steadiness
    repeated: int
    """Calls that were made a second time."""
    differed: int
    decision: Decision | None
    outcomes: tuple[Outcomes, ...]
    """The most frequent ones."""
    different: int
    """How many there are."""
    favourable: str | None
    """The text of the favourable outcome, where that can be said."""
    attributes: tuple[Changes, ...]
    joint: tuple[Joint, ...]
    calls: int
    batches: int
    plain_calls: int
    """Calls that it would take to try each person with each value by itself."""
    score_limit: float | None = None
    """The median of scores, above which a person counts as selected; None of outcomes that are none."""
    crossed: tuple[Crossed, ...] = ()
    """People by each two of the attributes."""
    crossed_left_out: int = 0
    """Pairs of attributes that are not crossed, as there are too many."""

    @property
    def executable(self) -> bool:
        """Whether the program decides on people: it runs, returns something, and the same each time."""
        return self.cause is None

    @property
    def cause(self) -> str | None:
        """Why it is not executable, in a word or two."""
        if self.failed is not None:
            return self.failed[0]
        if not self.answered:
            return "no outcome"
        if self.decision == "one" and self.outcomes[0].kind == "none":
            return "returns nothing"
        return self.steadiness if self.steadiness in {"random", "state"} else None

    @property
    def answered_share(self) -> Share:
        """The share of people for whom an outcome came that can be compared."""
        return Share(self.answered, self.people)

    def changes(self, column: str) -> Changes | None:
        """Return what was measured of a column."""
        return next((one for one in self.attributes if one.column == column), None)


def to_json(measured: Measured) -> dict[str, Any]:
    """Plain data of dicts, lists, texts and numbers, of which `from_json` makes the same record."""
    plain = _plain_value(measured)
    assert isinstance(plain, dict)
    return plain


def _plain_value(value: object) -> Any:
    match value:
        case Share(part=part, whole=whole):
            return [part, whole]
        case Record():
            return {name: _plain_value(getattr(value, name)) for name in field_names(value)}
        case tuple():
            return [_plain_value(one) for one in value]
        case dict():
            return {key: _plain_value(one) for key, one in value.items()}
        case _:
            return value


def from_json(plain: Mapping[str, Any]) -> Measured:
    """Return the record of which `to_json` made plain data. Raises KeyError or TypeError for other data."""
    failed = plain["failed"]
    return Measured(
        **{
            **plain,
            "failed": None if failed is None else (failed[0], failed[1]),
            "outcomes": tuple(Outcomes(**one) for one in plain["outcomes"]),
            "attributes": tuple(_read_changes(one) for one in plain["attributes"]),
            "joint": tuple(Joint(**{**one, "columns": tuple(one["columns"])}) for one in plain["joint"]),
            "crossed": tuple(_read_crossed(one) for one in plain.get("crossed", ())),
        }
    )


def _read_crossed(plain: Mapping[str, Any]) -> Crossed:
    groups = tuple(CrossedGroup(**{**one, "values": tuple(one["values"])}) for one in plain["groups"])
    return Crossed(**{**plain, "columns": tuple(plain["columns"]), "groups": groups})


def _read_changes(plain: Mapping[str, Any]) -> Changes:
    return Changes(
        **{
            **plain,
            "values": tuple(plain["values"]),
            "steps": tuple(plain["steps"]),
            "moved": _read_shares(plain["moved"]),
            "pairs": tuple(_read_shares(row) for row in plain["pairs"]),
            "groups": tuple(Group(**one) for one in plain["groups"]),
            "dead": tuple(DeadTest(**{**one, "views": tuple(one["views"])}) for one in plain["dead"]),
            "followed": None if plain.get("followed") is None else _read_followed(plain["followed"]),
        }
    )


def _read_followed(plain: Mapping[str, Any]) -> Followed:
    return Followed(
        **{
            **plain,
            "columns": tuple(plain["columns"]),
            "pairs": tuple(_read_shares(row) for row in plain["pairs"]),
            "impossible_as": tuple(Impossible(**one) for one in plain["impossible_as"]),
        }
    )


def _read_shares(plain: list[list[int]]) -> tuple[Share, ...]:
    return tuple(Share(part, whole) for part, whole in plain)
