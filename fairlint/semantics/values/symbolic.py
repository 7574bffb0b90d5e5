"""Symbolic values: what an expression stands for before anybody knows to which group a person belongs.

The interpreter turns a function into events over these values; the guards then ask what each value becomes
when the attribute is fixed to one group. Values form a shared graph and are compared by identity.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from fairlint.support.records import Record, field
from fairlint.syntax.tree import Function, Lambda, Node
from fairlint.vocabulary.model import Mention

Scalar = str | int | float | bool | None


class Value(Record, eq=False):
    """The base of all symbolic values."""


class TextSpan(Record, eq=False):
    """A stretch of a text that is known: of the literal `node`, from its character `at` on.

    `fills` is the place that it was put into, where it stands there by a name: `f"{ROLE} wanted"`.
    """

    text: str
    node: Node | None = None
    at: int = 0
    fills: Placeholder | None = None


class Placeholder(Record, eq=False):
    """A place in a text that only the run fills: with `value`, as it is written at `node`.

    `name` is the place's own name, where it has one (`{gender}`), `within` the literal or the f-string that
    it stands in. `through` are the places of other texts that its text was put into, the outermost last.
    """

    value: Value
    node: Node
    name: str = ""
    within: Node | None = None
    through: tuple[Placeholder, ...] = ()


Piece = TextSpan | Placeholder


class Const(Value):
    """A known scalar. `label` is the constant's, macro's or enum member's name, where it has one; `node` the
    place it is written at. A text of several literals has the stretches that stand in each.
    """

    value: Scalar
    label: str = ""
    node: Node | None = None
    pieces: tuple[Piece, ...] = ()


class Spelling(Record):
    """How a text that names a group is written: in a `case`, by the method that made it so, and of how many
    `letters` from its first on; where these are empty and 0, as it was given.
    """

    case: str = ""
    letters: int = 0


AS_GIVEN = Spelling()


class Protected(Value):
    """A read of a protected attribute.

    `receiver` is the text it was read from (`applicant`), `type` the receiver's type as written, where known.
    """

    mention: Mention
    node: Node
    receiver: str = ""
    type: str = ""
    named: Node | None = None
    """Where its name is written, if not where it is read: in a list of fields or a table of weights."""
    sample: Const | None = None
    """The value it got here: `gender = "male"` at the top of a script stands for anybody's gender."""
    of: Value | None = None
    """The record that it is read from, where that has no other trace: it was made here."""
    spelling: Spelling = AS_GIVEN


class Opaque(Value):
    """Something unknown. Two opaque values with one key are the same thing."""

    key: str
    name: str = ""
    """The qualified name of the function, class or module that it is, where an import says it."""
    type: str = ""
    """The type that it is an instance of: of a library by its qualified name, of this file by its own."""


class FilePlace(Opaque):
    """A path, or the file that it leads to, of which the `end` is known: `data/rules.json`."""

    end: str = ""


class TooLong(Opaque):
    """A text that was put together and is too long: nothing is known of it but how it begins."""

    begin: tuple[Piece, ...] = ()


class Text(Opaque):
    """A text that is put together and not known as a whole: stretches and holes (see `texts`)."""

    node: Node | None = None
    pieces: tuple[Piece, ...] = ()


class TypedParameter(Opaque):
    """Something that the caller hands over and of which an annotation says the class, `of` this file."""

    of: str = ""


class Instance(Opaque):
    """An instance of a class of this file, by the class's name, with what its fields were given."""

    fields: Mapping[str, Value] = field(default_factory=dict)
    samples: Mapping[str, Value] = field(default_factory=dict)
    """Of a person: what the fields that stand for anybody's were given here."""


class RecordType(Opaque):
    """A type of records that `namedtuple` makes, with the names of their fields."""

    names: tuple[str, ...] = ()


class Operation(Value):
    """An operator over values.

    `op` is one of the comparison operators, `and`, `or`, `not`, an arithmetic operator, `min`, `max`,
    `abs`, `asks`: what a function that nobody defines says of it, or `FILLED`.
    """

    op: str
    arguments: tuple[Value, ...]
    node: Node


class Choice(Value):
    """One of two values, by a test. `node` is the branch: the chain's first If, the Switch, or the
    Conditional.
    """

    test: Value
    then: Value
    otherwise: Value
    node: Node


class Lookup(Value):
    """A read of a table by a subject. `default` is None where a key without an entry has no value."""

    subject: Value
    table: Table
    default: Value | None
    node: Node


class Table(Value):
    """A dict, or a C array with designators: keys with values. `fallback` is what any other key gives, and
    `places` are those of an array in a language that does not look: nobody asks for another.
    """

    entries: tuple[tuple[Value, Value], ...]
    node: Node
    name: str = ""
    fallback: Value | None = None
    places: int = 0


class Sequence(Value):
    """A list, tuple or set written out."""

    items: tuple[Value, ...]
    node: Node
    name: str = ""


class Closure(Value):
    """A function of this file or a lambda, with the variables it closes over."""

    function: Function | Lambda
    closure: Mapping[str, Value] = field(default_factory=dict)
    owner: str = ""
    """The class it is a method of, with its module-level name."""
    instance: str = ""
    """The receiver's text for a bound method."""
    given: tuple[Value, ...] = ()
    """Arguments that it got already, as by `partial`."""
    named: Mapping[str, Value] = field(default_factory=dict)


class Sorted(Value):
    """People ordered by a key."""

    people: Value
    key: Value
    node: Node


class Filtered(Value):
    """People kept where a test holds."""

    people: Value
    test: Value
    node: Node


Figure = Literal["figure", "size", "places"]


class Within(Value):
    """A figure of somebody's own group: a rank or a mean in it, its `size`, or the `places` that each has.

    `group` says which group that is.
    """

    group: Value
    node: Node
    figure: Figure = "figure"


class Elementwise(Value):
    """A collection that is filled one by one: `element` stands for whatever is in it, `key` for its keys."""

    element: Value
    node: Node
    key: Value | None = None


Form = Literal["plain", "encoded", "given"]


class Column(Record, eq=False):
    """One column of a table: `name` as the code calls it, and the place that brings it in.

    `form` says what has been made of it: the column as it is, or its codes; `given` is one that the table was
    made with, and that nobody has chosen.
    """

    name: str
    node: Node
    form: Form = "plain"
    value: Value | None = None
    """What the code has made of the column, where it was assigned here."""
    made: Node | None = None
    """Where it was made out of another."""


class Columns(Value):
    """A data frame, an array or a list of columns: what is known of the columns in it.

    `origin` tells one table from another: columns that the code reads elsewhere from the same origin are in
    it too, unless it is `complete` (nothing but `held` is in it) or they are among the `left_out`.
    """

    origin: str
    node: Node
    held: tuple[Column, ...] = ()
    complete: bool = False
    left_out: tuple[tuple[str, Node], ...] = ()
    rows: tuple[Value, ...] = ()
    """The tests by which its rows were chosen."""
    way: tuple[Node, ...] = ()
    """Where it was made out of others, in order."""


class Old(Value):
    """The value a variable had before the update that is being described."""


UNSET = Const(0)
"""What C gives to the places of an array that are left out. Nobody has it whose code reaches none of them."""
RAISES = Opaque("raises")
"""What a table gives that raises an error for a key without an entry, before anything else happens."""
OLD = Old()
UNKNOWN = Opaque("?")
FILLED = "filled"
"""The operator of a value that another one stands in for where it is missing."""
MISSING = Opaque("no value")
"""What is missing in a table: NaN, null. What is computed with it is missing, too (`amounts.NO_VALUE`)."""
