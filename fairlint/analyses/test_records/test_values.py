"""What the walk through test data knows: people written out, rows of them, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from fairlint.semantics.names.scopes import Definitions
from fairlint.support.records import Record, field
from fairlint.syntax.tree import Literal, Node, Span
from fairlint.vocabulary import Vocabulary
from fairlint.vocabulary.load import word_lists
from fairlint.vocabulary.model import Attribute, Mention
from fairlint.vocabulary.words import split_words

MAX_OWN_WORD = 30
MAX_LOOKED_AT = 3_000
"""Items of lists in lists that are looked through for people."""
MAX_ROWS = 3_000
"""Items that a list keeps."""


case_words = partial(word_lists, "test_records")
"""The words of `test_records.toml`."""


class TestValue(Record, frozen=False, eq=False):
    """What an expression gives, as far as it matters here."""


class Scalar(TestValue, frozen=False, eq=False):
    """One value. `label` is the name of the constant, `owner` the person it was read from."""

    value: str | int | float | bool | None
    node: Node
    label: str = ""
    owner: Person | None = None
    inside: TestValue | None = None
    """What a text holds that is data itself: JSON, CSV."""
    read_at: Node | None = None
    """Where it is read by a name, if it is written elsewhere."""


class Given(Record, eq=False):
    """What a person's record says of one attribute. `is_known` is False for a word of the code's own."""

    group: str
    is_known: bool
    mention: Mention
    node: Node
    read_at: Node | None = None
    """Where the group is read by a name, if it is written elsewhere."""


class Outcome(Record, eq=False):
    """What is to come out for a person: in the code's words, and who says so.

    `rank`: 3 an assertion or a field of the record, 2 what stands beside it, 1 a name it goes by.
    """

    text: str
    rank: int
    node: Node
    about: str = ""
    """The function or field that it is the outcome of."""


class Person(TestValue, frozen=False, eq=False):
    """One record: a dict, an object, a struct or a row. Nobody, as long as `given` is empty."""

    node: Node
    function: str = ""
    given: dict[str, Given] = field(default_factory=dict)
    fields: dict[str, TestValue | None] = field(default_factory=dict)
    outcome: Outcome | None = None
    rows: Rows | None = None
    type: str = ""
    names: list[str] = field(default_factory=list)
    """What it and what it stands in are called."""
    judges: list[str] = field(default_factory=list)
    """The functions that it is given to."""
    asked: bool = False
    """Whether something was done with it: what is set afterwards makes another case."""
    own: set[str] = field(default_factory=set)
    """The attributes that it says itself, and has not from the record that it was made from."""
    pattern_uses: int = 0
    """How often others were made from it."""
    part_of: Person | None = None
    is_table: bool = False
    """Whether it is a row of a table."""
    is_implied: bool = False
    """Made of loose variables."""
    in_grid: bool = False
    """Whether it is made in loops of which not every round is walked."""
    times: int = 1
    """How often it is made, by loops that only count."""


class Rows(TestValue, frozen=False, eq=False):
    """A list, tuple or set of test values, or the values of a dict of people."""

    items: list[TestValue | None]
    node: Node
    name: str = ""
    person: Person | None = None
    """Who this is, where it is a row under a header."""
    keys: tuple[str, ...] = ()
    in_grid: bool = False


class Judged(TestValue, frozen=False, eq=False):
    """What a function says of people."""

    people: tuple[Person, ...]
    call: str
    node: Node


class Spell(Record):
    """How to read fields: the vocabulary, the file's definitions, and its numeric codes."""

    vocabulary: Vocabulary
    definitions: Definitions
    codes: dict[str, dict[int, str]] = field(default_factory=dict)
    keep_own_words: bool = True


def root(person: Person) -> Person:
    """Return the record that a record is counted as part of."""
    while person.part_of is not None:
        person = person.part_of
    return person


def people_in(test_value: TestValue | None) -> Iterator[Person]:
    """Yield all records inside a test value, lists in lists included; a list may hold itself."""
    stack = [test_value]
    seen: set[int] = set()
    while stack and len(seen) < MAX_LOOKED_AT:
        current = stack.pop()
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        match current:
            case Person():
                yield root(current)
            case Judged():
                yield from map(root, current.people)
            case Rows(person=Person() as person):
                yield root(person)
            case Rows():
                stack.extend(reversed(current.items[:MAX_LOOKED_AT]))
            case Scalar(inside=TestValue() as inside):
                stack.append(inside)
            case Scalar(owner=Person() as owner) if owner.is_implied:
                yield root(owner)
            case _:
                pass


def words_of(names: Iterable[str]) -> frozenset[str]:
    """Return all words in some names."""
    return frozenset(word for name in names for word in split_words(name))


# ------------------------------------------------------------------------------------------ fields of people


def given_by(spell: Spell, name: str, value: Scalar, receiver: str = "") -> Given | None:
    """Return what a field called `name` with this value says of a person, or None."""
    for mention in spell.vocabulary.mentions_of(name, receiver):
        attribute = spell.vocabulary.attribute(mention.attribute)
        if attribute.kind == "proxy" or mention.form == "date":
            continue
        found = _group_of_scalar(spell, attribute, mention, value)
        if found is not None:
            return Given(found.group, found.is_known, mention, value.node, value.read_at)
    return None


class _SpelledGroup(Record):
    """A group; one in a word of the code's own is not known."""

    group: str
    is_known: bool = True


def _group_of_scalar(
    spell: Spell, attribute: Attribute, mention: Mention, scalar: Scalar
) -> _SpelledGroup | None:
    value = scalar.value
    if mention.form == "flag":
        return _group_of_flag(attribute, mention, value)
    if attribute.bands and isinstance(value, int | float) and not isinstance(value, bool):
        band = next((band for band, (low, high) in attribute.bands.items() if low <= value < high + 1), None)
        return _SpelledGroup(band) if band is not None else None
    for spelled in (scalar.label, value):
        if not isinstance(spelled, str | bool) or spelled == "":
            continue
        group = spell.vocabulary.group_of(attribute.name, spelled)
        if group is not None:
            missing = spell.vocabulary.is_missing(attribute.name, group)
            return None if missing else _SpelledGroup(group)
    if isinstance(value, int) and not isinstance(value, bool):
        label = codes_of(spell, attribute.name).get(value)
        return _SpelledGroup(label) if label is not None else None
    return _own_word(spell, attribute, value)


def _group_of_flag(
    attribute: Attribute, mention: Mention, value: str | float | bool | None
) -> _SpelledGroup | None:
    if value not in {0, 1}:  # which True and False are, too
        return None
    if value:
        group = mention.group or ("yes" if "yes" in attribute.groups else None)
    else:
        group = "no" if "no" in attribute.groups else None
        if group is None and len(attribute.core_groups) == 2 and mention.group in attribute.core_groups:
            group = next(core for core in attribute.core_groups if core != mention.group)
    return _SpelledGroup(group) if group is not None else None


def _own_word(spell: Spell, attribute: Attribute, value: str | float | bool | None) -> _SpelledGroup | None:
    """Return a word of the code's own for a group: `brown`."""
    if not spell.keep_own_words or not isinstance(value, str) or attribute.form != "value":
        return None
    word = " ".join(value.split()).lower()
    plain = word.replace(" ", "").replace("-", "").replace("/", "")
    if (
        not plain.isalpha()
        or len(word) > MAX_OWN_WORD
        or len(word.split()) > 3
        or word in case_words()["says_nothing"]
    ):
        return None
    return _SpelledGroup(word, is_known=False)


def codes_of(spell: Spell, attribute: str) -> Mapping[int, str]:
    """Return the numbers that stand for groups in this file: members of an enum, or named constants."""
    known = spell.codes.get(attribute)
    if known is not None:
        return known
    group_of = spell.vocabulary.group_of
    best: dict[int, str] = {}
    for name, members in spell.definitions.enums.items():
        found = {
            int(member.value): group
            for member in members
            if isinstance(member.value, int) and (group := group_of(attribute, member.label)) is not None
        }
        named = any(mention.attribute == attribute for mention in spell.vocabulary.mentions(name))
        if (len(found) >= 2 or (named and found)) and len(found) > len(best):
            best = found
    if not best:
        for name, node in spell.definitions.macros.items():
            if isinstance(node, Literal) and isinstance(node.value, int):
                group = group_of(attribute, name)
                if group is not None:
                    best[node.value] = group
    spell.codes[attribute] = best
    return best


def names_attribute(spell: Spell, name: str) -> bool:
    """Return whether a field of this name may say a person's group."""
    return any(
        spell.vocabulary.attribute(mention.attribute).kind != "proxy" and mention.form != "date"
        for mention in spell.vocabulary.mentions(name)
    )


def set_field(spell: Spell, person: Person, name: str, value: TestValue | None, receiver: str = "") -> None:
    """Write one field of a record; a field of another record that it is given whole is taken in."""
    person.fields[name] = value
    match value:
        case Scalar():
            found = given_by(spell, name, value, receiver)
            if found is not None:
                person.given[found.mention.attribute] = found
                person.own.add(found.mention.attribute)
            elif any(m.attribute in person.given for m in spell.vocabulary.mentions(name)):
                for mention in spell.vocabulary.mentions(name):
                    person.given.pop(mention.attribute, None)
        case Person() if _is_part(value):
            inner = root(value)
            if inner is root(person):
                return
            for attribute, given in inner.given.items():
                person.given.setdefault(attribute, given)
            inner.part_of = person
        case None if names_attribute(spell, name):
            for mention in spell.vocabulary.mentions(name):
                person.given.pop(mention.attribute, None)
        case _:
            pass


def _is_part(value: Person) -> bool:
    return value.part_of is None and value.rows is None


def span_of(person: Person) -> Span:
    """Return where the record says something of a person."""
    return min((given.node.span for given in person.given.values()), key=lambda span: span.start)


def groups_of_fields(
    vocabulary: Vocabulary, fields: Mapping[str, str | int | float | bool | None]
) -> dict[str, str]:
    """Return the groups that plain fields say: attribute -> group, or the word that is written there."""
    spell = Spell(vocabulary, Definitions())
    nowhere = Literal(Span(0, 0), None)
    groups: dict[str, str] = {}
    for name, value in fields.items():
        found = given_by(spell, name, Scalar(value, nowhere))
        if found is not None:
            groups.setdefault(found.mention.attribute, found.group)
    return groups
