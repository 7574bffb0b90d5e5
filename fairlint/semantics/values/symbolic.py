"""Symbolic values: what an expression stands for before anybody knows to which group a person belongs.

The interpreter turns a function into events over these values; the guards then ask what each value becomes
when the attribute is fixed to one group. Values form a shared graph and are compared by identity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from operator import attrgetter
from typing import Any, Literal, TypeVar

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


def parts(value: Value) -> tuple[Value, ...]:
    """The values that `value` is directly made of."""
    made = _MADE_OF.get(type(value))
    return () if made is None else made(value)


def _of_lookup(value: Lookup) -> tuple[Value, ...]:
    tail = () if value.default is None else (value.default,)
    return (value.subject, value.table, *tail)


def _of_table(value: Table) -> tuple[Value, ...]:
    flat = tuple([part for entry in value.entries for part in entry])
    return flat if value.fallback is None else (*flat, value.fallback)


def _of_each(value: Elementwise) -> tuple[Value, ...]:
    return (value.element,) if value.key is None else (value.element, value.key)


def _of_within(value: Within) -> tuple[Value, ...]:
    return (value.group,)


def _of_instance(value: Instance) -> tuple[Value, ...]:
    return tuple(value.fields.values())


def _of_text(value: Text) -> tuple[Value, ...]:
    return tuple([piece.value for piece in value.pieces if isinstance(piece, Placeholder)])


_MADE_OF: dict[type[Value], Callable[[Any], tuple[Value, ...]]] = {
    Operation: attrgetter("arguments"),
    Choice: attrgetter("test", "then", "otherwise"),
    Lookup: _of_lookup,
    Table: _of_table,
    Sequence: attrgetter("items"),
    Sorted: attrgetter("people", "key"),
    Filtered: attrgetter("people", "test"),
    Within: _of_within,
    Elementwise: _of_each,
    Instance: _of_instance,
    Text: _of_text,
}
"""A kind of value -> its parts; all others have none, which is asked most often."""


def walk(*values: Value, into: Callable[[Value], tuple[Value, ...]] = parts) -> Iterator[Value]:
    """Each of some values and every value below it, each once, parents first; `into` says what is below."""
    seen: set[int] = set()
    stack = list(reversed(values))
    while stack:
        current = stack.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        stack.extend(reversed(into(current)))


Found = TypeVar("Found")


def fold_value(
    value: Value, inner: Callable[[Value], Iterable[Value]], made: Callable[[Value, list[Found]], Found]
) -> Found:
    """What `made` gives for a value and what it gave for each of the value's `inner` ones.

    Values hold one another as deep as a file has lines, so this goes without a call within a call, and once
    through what several share.
    """
    known: dict[int, Found] = {}
    stack: list[tuple[Value, tuple[Value, ...] | None]] = [(value, None)]
    while stack:
        current, below = stack.pop()
        if id(current) in known:
            continue
        if below is None:
            below = tuple(inner(current))
            stack.append((current, below))
            stack.extend((part, None) for part in reversed(below) if id(part) not in known)
        else:
            known[id(current)] = made(current, [known[id(part)] for part in below])
    return known[id(value)]


def either(value: Value, is_end: Callable[[Choice], bool] = lambda _: False) -> Iterator[Value]:
    """What a value is by one test or another: the ends of a chain of choices."""
    seen: set[int] = set()
    stack = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, Choice) and id(current) in seen:
            continue
        seen.add(id(current))
        if isinstance(current, Choice) and not is_end(current):
            stack.extend((current.otherwise, current.then))
        else:
            yield current


_MOST_HELD = 5
ALIKE = 6
"""So deep values are compared; what goes deeper counts as different."""


def alike(left: Value, right: Value, depth: int = ALIKE) -> bool:
    """Whether two values come to the same, wherever they are written: `score + 1` in two branches."""
    if left is right:
        return True
    if depth == 0 or type(left) is not type(right):
        return False
    match left, right:
        case Const(), Const():
            same = type(left.value) is type(right.value) and left.value == right.value
            return same and left.label == right.label
        case Operation(), Operation():
            pairs = zip(left.arguments, right.arguments, strict=False)
            same = left.op == right.op and len(left.arguments) == len(right.arguments)
            return same and all(alike(one, other, depth - 1) for one, other in pairs)
        case _:
            return False


def form_of(value: Value, depth: int = ALIKE) -> str | None:
    """How a value is made, wherever it is written: equal for values that come to the same.

    None where it goes too deep, or is made of more than numbers, texts and what is unknown.
    """
    match value:
        case Const(value=known, label=label):
            return f"{type(known).__name__} {known!r} {label}"
        case _ if type(value) is Opaque:
            return f"? {value.key}" if value is not UNKNOWN else None
        case Operation(op=op, arguments=held):
            pass
        case Choice(test=test, then=then, otherwise=otherwise):
            op, held = "?", (test, then, otherwise)
        case _:
            return None
    forms = [form_of(part, depth - 1) for part in held] if depth and len(held) < _MOST_HELD else [None]
    return None if None in forms else f"({op} {', '.join(filter(None, forms))})"


EventKind = Literal[
    "update", "assign", "return", "raise", "continue", "break", "call", "append", "filter", "rank", "read",
    "learn",
]  # fmt: skip


class Guard(Record, eq=False):
    """One condition on the way to an event: `test` must be `holds`.

    `site` is the branch it belongs to (the first If of a chain, the Switch), `node` the test's own node. An
    implied guard is what an earlier branch left behind by leaving the body: after `if a: return`, `a` is
    false.
    """

    test: Value
    holds: bool
    site: Node
    node: Node
    implied: bool = False


class Guards(Record, eq=False):
    """The conditions on the way to an event, the outermost first.

    A way holds its last condition and the way that it goes on from, which it shares with all others that do.
    So a thousand conditions take a thousand ways, and what is asked of each is asked once (`along`).
    """

    outer: Guards | None = None
    last: Guard | None = None
    count: int = 0

    def under(self, *guards: Guard) -> Guards:
        """This way, and some conditions more."""
        way = self
        for guard in guards:
            way = Guards(way, guard, way.count + 1)
        return way

    def links(self) -> Iterator[tuple[Guards, Guard]]:
        """Each condition with the way up to it, the last one first."""
        way: Guards | None = self
        while way is not None and way.last is not None:
            yield way, way.last
            way = way.outer

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Guard]:
        return iter([guard for _, guard in self.links()][::-1])

    def latest(self, most: int) -> list[Guard]:
        """The last conditions, so many at most."""
        return [guard for _, guard in islice(self.links(), most)][::-1]


ANYWHERE = Guards()
"""The way to what happens in any case."""


def along(
    guards: Guards, known: dict[Guards, Found], begun: Found, step: Callable[[Found, Guards, Guard], Found]
) -> Found:
    """What `step` makes of the conditions of a way one after another; `known` keeps it for every way."""
    passed: list[tuple[Guards, Guard]] = []
    found = begun
    for way, guard in guards.links():
        if way in known:
            found = known[way]
            break
        passed.append((way, guard))
    for way, guard in reversed(passed):
        found = known[way] = step(found, way, guard)
    return found


def fresh(guards: Guards, seen: set[Guards]) -> list[Guard]:
    """The conditions of a way that no other of those `seen` has; it joins them."""
    passed: list[Guard] = []
    for way, guard in guards.links():
        if way in seen:
            break
        seen.add(way)
        passed.append(guard)
    return passed[::-1]


def guards_of(events: Iterable[Event]) -> list[Guard]:
    """The conditions on the ways to some events, each once, in the order in which they are met."""
    seen: set[Guards] = set()
    return [guard for event in events for guard in fresh(event.guards, seen)]


class Event(Record, eq=False):
    """Something that happens in a function, under guards.

    `update`: `target` becomes `value`, which refers to OLD. `assign`: `target` becomes `value`. `return`:
    `value` is returned. `raise`: `value` is raised. `call`: `target` is called, `value` is a Sequence of
    the arguments.
    `append`: `value` joins the collection `target`. `filter`: people are kept by `value`, into `target`.
    `rank`: the first of people sorted by `value` are taken. `learn`: a model is given `value`, as what
    `target` says: its `features`, `label`, `weight` or `rows`.
    """

    kind: EventKind
    node: Node
    value: Value
    guards: Guards
    target: str = ""
    function: str = ""
    loop: Node | None = None
    run: int = 0
    """The walk through the function: what is called twice happens in two runs."""
    by_name: bool = False
    """Whether only the bare name of what is called says so: nothing tells whose method or function it is."""
    way: tuple[Node, ...] = ()
    """The calls of the file's own functions that led here, outermost first."""
