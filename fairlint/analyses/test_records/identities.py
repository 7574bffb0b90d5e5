"""What the evaluator's values are in test data: people, rows of them, single values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fairlint.analyses.test_records.test_values import (
    MAX_ROWS,
    Given,
    Judged,
    Person,
    Rows,
    Scalar,
    Spell,
    TestValue,
    case_words,
    names_attribute,
    people_in,
    root,
    set_field,
)
from fairlint.analyses.test_records.texts import MAX_TEXT, people_in_text
from fairlint.semantics.execution import Execution
from fairlint.semantics.texts import json_texts
from fairlint.semantics.values import symbolic
from fairlint.semantics.values.symbolic import Const, Value
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

MAX_STEPS = 60_000
MAX_PEOPLE = 3_000
MAX_ROUNDS = 64
"""Rounds of loops in loops; of more, what they vary is a grid, and no choice."""
LONGEST_REPEAT = 64
TOO_MANY_ROWS = (
    f"a list of more than {MAX_ROWS:,} entries: only the first {MAX_ROWS:,} were read as test data"
)
_RECORDS = (symbolic.Table, symbolic.Sequence, symbolic.Opaque)
LEAST_COPIED = 2
"""So many fields that are read from one record make a copy of it; one may be a preset."""
SHORTEST_DATA = 20
FOLLOWED = "()"
"""Stands for the function that a call led to."""

Variables = dict[str, TestValue | None]
Entry = tuple[str | None, Node | None, TestValue | None]
"""The name of a record's entry, where it is written, and what it is."""


class TestValueMap:
    """The test value that each value is. A value is one test value, and keeps it until that is changed."""

    def __init__(self, spell: Spell, execution: Execution) -> None:
        self.spell = spell
        self.facts = execution.facts
        self.syntax = execution.syntax
        self.conventions = spell.definitions.conventions
        self.people: list[Person] = []
        self.rows: list[Rows] = []
        self.function = ""
        self.way: tuple[Node, ...] = ()
        """The calls of the file's own functions that led here."""
        self.given: Variables = {}
        """What the parameters of the function hold in this case."""
        self.inside: list[tuple[tuple[Node, ...], Person]] = []
        """Who was made by the functions that are followed from the call that is read."""
        self.steps = 0
        self.results: dict[int, TestValue | None] = {}
        """What a call gave last, by its node."""
        self._test_values: dict[int, TestValue | None] = {}
        self._unknown: dict[str, dict[str, TestValue | None]] = {}
        """What is known of what has no value, by the evaluator's key for it: of an object's own fields in its
        class, of all else in its function, or in the walk that a call led to."""
        self._latest: dict[int, tuple[TestValue | None, tuple[object, ...]]] = {}
        """The last person or list that was made at a node, and the entries that it had."""
        self._by_parts: dict[int, TestValue | None] = {}
        """The same, by the identity of the entries."""
        self._made_at: dict[int, list[Person]] = {}
        self._met: tuple[set[int], set[int]] = (set(), set())
        """Who was made in the function's own walk, and who in the walk that a call led to."""
        self._texts: dict[tuple[int, str], TestValue | None] = {}
        self._holders: dict[int, Person] = {}
        """Who was given a single value: by the value's identity."""
        self._members = {id(member) for member in spell.definitions.members.values()}

    # ------------------------------------------------------------------------------------------ people

    @property
    def is_spent(self) -> bool:
        """Whether the file has had its share of work."""
        return self.steps > MAX_STEPS or len(self.people) > MAX_PEOPLE

    def new_person(self, node: Node, type_: str = "") -> Person:
        """A record that says nothing yet."""
        rounds, times = self._rounds_around(node)
        person = Person(node, self.function, type=type_, in_grid=rounds > MAX_ROUNDS)
        person.times = times
        return self._add_person(person)

    def _add_person(self, person: Person) -> Person:
        self.people.append(person)
        if self.way:
            self.inside.append((self.way, person))
        return person

    def end_walk(self) -> None:
        """The call of a followed function is at its end."""
        self._met[True].clear()
        self._unknown.pop(FOLLOWED, None)
        self.inside.clear()

    def made_from(self, person: Person, node: Node) -> Person:
        """A new record with all that another says."""
        original = root(person)
        original.pattern_uses += 1
        fields = {name: value for name, value in original.fields.items() if not isinstance(value, Person)}
        made = Person(node, self.function, dict(original.given), fields, type=original.type)
        made.names.extend(original.names)
        return self._add_person(made)

    def under_header(self, row: Rows, names: Iterable[str | None]) -> Person | None:
        """The person that a row is under a header, or None where the header names nothing of a person."""
        if row.person is not None:
            return row.person
        person = Person(row.node, self.function, is_table=True)
        for name, item in zip(names, row.items, strict=False):
            if name is not None and not isinstance(item, Person):
                self.set(person, name, item)
        if not person.given:
            return None
        row.person = person
        for item in row.items:
            if isinstance(item, Scalar):
                item.owner = person
        self.people.append(person)
        return person

    def set(self, person: Person, name: str, value: TestValue | None, receiver: str = "") -> None:
        """Writes a field of a record."""
        set_field(self.spell, person, name, value, receiver)

    def put(self, rows: Rows, test_value: TestValue | None) -> None:
        """Adds to a list. Who is in a list is known by it."""
        self.steps += 1
        if len(rows.items) >= MAX_ROWS:
            self.facts.cut(rows.node, TOO_MANY_ROWS)
            return
        if test_value is rows or self.is_spent:
            return
        rows.items.append(test_value)
        for person in people_in(test_value):
            if person.rows is None:
                person.rows = rows

    def once(self, person: Person) -> Person:
        """The person that the same line has made already, in another walk through its function."""
        written = {id(given.node): None for given in person.given.values()}
        known, met = self._made_at.setdefault(next(iter(written), 0), []), self._met[bool(self.way)]
        own = [person.given[attribute] for attribute in person.own & {*person.given}]
        if id(person) in met or (self.way and any(map(self._is_group_at_call, own))):
            return person
        for other in known if written else ():
            if id(other) not in met and written.keys() <= {id(given.node) for given in other.given.values()}:
                met.add(id(other))
                self.people.remove(person)
                return other
        if written:
            known.append(person)
            met.add(id(person))
        return person

    def _is_group_at_call(self, given: Given) -> bool:
        """Whether a group is written where a function is called that is followed here."""
        scope = self.syntax.scope_around(given.read_at or given.node)
        is_inside = isinstance(scope, tree.Function) and scope is not self.syntax.scope_around(self.way[0])
        return not is_inside

    def _handed_over(self, node: tree.Name) -> Node:
        """Where the call that is followed says what a parameter holds; any other name itself."""
        scope, call = self.syntax.scope_around(node), self.way[-1]
        if isinstance(scope, tree.Function) and isinstance(call, tree.Call):
            names = [one.name for one in scope.parameters if one.name not in self.conventions.receivers]
            given: dict[str | None, Node] = dict(zip(names, call.arguments, strict=False))
            given.update(call.keywords)
            return given.get(node.id, node)
        return node

    def holds(self, person: Person, given: Iterable[Value]) -> Person:
        """A person is given these values."""
        self._holders.update((id(one), person) for one in given if isinstance(one, Const) and not one.label)
        return person

    def _read_from(self, value: Value | None) -> TestValue | None:
        """What a value is a field of."""
        return (
            self.test_value(value.of)
            if isinstance(value, symbolic.Protected)
            else self._holders.get(id(value))
        )

    @staticmethod
    def _holder_of(person: Person, entries: Sequence[Entry]) -> Person | None:
        """The only person that all groups of a record are read from."""
        said = {id(given.node) for given in person.given.values()}
        scalars = [one for _, _, one in entries if isinstance(one, Scalar)]
        owners = [one.owner for one in scalars if id(one.node) in said]
        first = owners[0] if owners else None
        if first is None or first.is_implied or any(one is not first for one in owners):
            return None
        return first if sum(one.owner is first for one in scalars) >= LEAST_COPIED else None

    def _rounds_around(self, node: Node) -> tuple[int, int]:
        """How often the loops around a line are run: all of them, and those that only count."""
        rounds = counts = 1
        for outer in self.syntax.around(node):
            loops = outer.generators if isinstance(outer, tree.Comprehension) else (outer,)
            for loop in loops:
                iterable = getattr(loop, "iterable", None)
                value = self.facts.value_of(iterable) if iterable is not None else None
                rounds *= max(1, _count_plain_values(value))
                counts *= (
                    max(1, _count_plain_values(value))
                    if isinstance(value, symbolic.Operation) and value.op == "range"
                    else 1
                )
            if isinstance(outer, tree.Function):
                break
        return rounds, counts

    # ------------------------------------------------------------------------------------------ values

    def keep(self, value: Value, test_value: TestValue | None) -> None:
        """From now on, this value is this test value."""
        self._test_values[id(value)] = test_value
        if isinstance(value, symbolic.Opaque) and not isinstance(value, symbolic.Text):
            self.give(value.key, test_value)
        elif isinstance(value, symbolic.Table | symbolic.Sequence):
            self._remember_value(value, test_value)

    def is_kept(self, value: Value) -> bool:
        """Whether a value is known to be something."""
        return id(value) in self._test_values

    def give(self, key: str, test_value: TestValue | None) -> None:
        """From now on, what is unknown and goes by this key is this test value."""
        self._unknown.setdefault(self._scope_of(key), {})[key] = test_value

    def _value_by_key(self, key: str) -> TestValue | None:
        """What is known of something unknown, a parameter of a test among it."""
        known = None if self.way else self.given.get(key)
        return self._unknown.get(self._scope_of(key), {}).get(key) if known is None else known

    def _scope_of(self, key: str) -> str:
        if self.conventions.own_name(key):
            return self.function.partition(".")[0]
        return FOLLOWED if self.way else self.function

    def at(self, node: Node, value: Value | None = None) -> TestValue | None:
        """What an expression gives; `value` is what it has come to here, else what it came to last."""
        if isinstance(node, tree.Star | tree.Cast):
            node = node.value
        if isinstance(node, tree.Call) and id(node) in self.results:
            return self.results[id(node)]
        if isinstance(node, tree.Collection) and value is None and id(node) in self._latest:
            return self._latest[id(node)][0]
        value = self.facts.value_of(node) if value is None else value
        found = self.test_value(value, node)
        if isinstance(node, tree.Field | tree.Index) and not isinstance(found, Person | Rows | Judged):
            owner = self._read_from(value)
            if found is None and owner is not None:
                found = self._part_of(owner, node)
            elif found is None:
                found = self._value_of_part(node)
            elif isinstance(found, Scalar) and isinstance(owner, Person):
                return replace(found, owner=owner)
        return self._imported_constant(node) if found is None else found

    def test_value(self, value: Value | None, node: Node | None = None) -> TestValue | None:
        """What a value is; `node` is where it is read."""
        self.steps += 1
        if value is None or self.is_spent:
            return None
        node = self._handed_over(node) if isinstance(node, tree.Name) and self.way else node
        if id(value) in self._test_values:
            return _read_at(self._test_values[id(value)], node)
        found: TestValue | None
        match value:
            case Const():
                return self._scalar_of_constant(value, node)
            case symbolic.Protected(sample=Const() as sample):
                return self.test_value(sample, node)
            case symbolic.Protected(node=place):
                return self._parameter_value(place)
            case symbolic.Table() | symbolic.Sequence():
                found = self._written_out(value, ())
            case symbolic.Choice(then=then, otherwise=otherwise):
                found = next(filter(_is_data, map(self.test_value, (then, otherwise))), None)
            case (
                symbolic.Sorted(people=inner)
                | symbolic.Filtered(people=inner)
                | symbolic.Elementwise(element=inner)
            ):
                found = self.test_value(inner)
            case symbolic.Operation(op="+" | "*" as op, arguments=(left, right), node=place):
                found = _combine_rows(op, self.test_value(left), self.test_value(right), place)
            case symbolic.Opaque(key=key):
                found, origin = self._value_by_key(key), self.facts.origins.get(id(value))
                if found is not None or origin is None:
                    return found
                found = self.test_value(origin[1])
            case _:
                return None
        self._test_values[id(value)] = found
        return found

    def made(self, value: Value, spread_out: Sequence[Value]) -> None:
        """A collection is written out here."""
        if isinstance(value, symbolic.Table | symbolic.Sequence) and not self.is_spent:
            self._latest.pop(id(value.node), None)
            is_struct = isinstance(value.node, tree.Collection) and value.node.kind == "struct"
            if not is_struct:
                self.keep(value, self._written_out(value, spread_out))

    def _written_out(
        self, value: symbolic.Table | symbolic.Sequence, spread_out: Sequence[Value]
    ) -> TestValue | None:
        """A dict or list: the one that was made there last, where it has got a name or has grown since."""
        now = _parts_of_value(value)
        if now and (same := self._by_parts.get(id(now))) is not None:
            return same  # it has only got a name
        before, entries = self._latest.get(id(value.node), (None, ()))
        if before is not None and all(one is other for one, other in zip(entries, now, strict=False)):
            if isinstance(before, Person) and not now and not entries:
                return before
            if isinstance(before, Rows) and isinstance(value, symbolic.Sequence) and len(now) >= len(entries):
                for item in value.items[len(entries) :]:
                    self.put(before, self.test_value(item))
                return self._remember_value(value, before)
        found = (
            self._record_of_table(value, spread_out)
            if isinstance(value, symbolic.Table)
            else self._rows_of_sequence(value)
        )
        return self._remember_value(value, found)

    def _remember_value(
        self, value: symbolic.Table | symbolic.Sequence, test_value: TestValue | None
    ) -> TestValue | None:
        if not isinstance(value.node, tree.Literal):
            self._latest[id(value.node)] = (test_value, _parts_of_value(value))
        self._by_parts[id(_parts_of_value(value))] = test_value
        return test_value

    def _parameter_value(self, node: Node) -> TestValue | None:
        name = node.id if isinstance(node, tree.Name) else getattr(node, "name", "")
        return self.given.get(name) if isinstance(node, tree.Name | tree.Parameter) else None

    def _scalar_of_constant(self, value: Const, node: Node | None) -> Scalar:
        """A single value: a member of an enum stands where it is read, all else where it is written."""
        is_named = id(value) in self._members or value.label in self.spell.definitions.macros
        place = (node if is_named or value.node is None else value.node) or tree.Name(tree.Span(0, 0), "")
        scalar = Scalar(value.value, place, value.label)
        text = value.value
        is_long = isinstance(text, str) and len(text) > SHORTEST_DATA
        if is_long and isinstance(text, str) and ("\n" in text or text.lstrip()[:1] in ("[", "{")):
            scalar.inside = self._people_inside_text(place, text)
        if not value.label and value.node is not None:
            self._test_values[id(value)] = scalar
        return scalar if node is None or place is node else replace(scalar, read_at=node)

    def _people_inside_text(self, node: Node, text: str) -> TestValue | None:
        """The people that a text holds; the same ones wherever the text is looked at."""
        key = node.span.start, text
        if key not in self._texts:
            if len(text) > MAX_TEXT and "\n" in text:
                self.facts.cut(node, f"a text of {len(text):,} characters: no table of people was looked for")
            rows = Rows([], node)
            for fields in people_in_text(text, lambda name: names_attribute(self.spell, name)):
                person = self.new_person(node)
                person.is_table = True
                for name, plain in fields.items():
                    self.set(person, name, Scalar(plain, node))
                self.put(rows, person)
            held = None if rows.items else self.test_value(json_texts.value_of(text, node, self.facts))
            self._texts[key] = rows if rows.items else held
        return self._texts[key]

    def _imported_constant(self, node: Node) -> Scalar | None:
        """What an imported constant, or the member of an imported enum, looks like."""
        match node:
            case tree.Name(id=name):
                is_one = name[:1].isupper() and len(name) > 1 and name not in self.spell.definitions.types
            case tree.Field(value=tree.Name(id=owner) | tree.Field(name=owner), name=name):
                is_one = self.conventions.is_constant(name) and owner[:1].isupper() and len(name) <= 40
            case _:
                return None
        return Scalar(None, node, name) if is_one else None

    def _value_of_part(self, node: tree.Field | tree.Index) -> TestValue | None:
        """A field or an entry of what is known."""
        return self._part_of(self.at(node.value), node)

    def _part_of(self, inner: TestValue | None, node: tree.Field | tree.Index) -> TestValue | None:
        if isinstance(inner, Scalar) and inner.inside is not None:
            inner = inner.inside
        key = (
            node.name
            if isinstance(node, tree.Field)
            else getattr(self.test_value(self.facts.value_of(node.index)), "value", None)
        )
        match inner, key:
            case Person(), str():
                return self.read(inner, key)
            case Judged(people=(person,)), str() if key in person.fields:
                return self.read(person, key)
            case Judged(), _:
                return inner
            case Rows(), int() if -len(inner.items) <= key < len(inner.items):
                return inner.items[key]
            case Rows(), str() if key in inner.keys:
                return inner.items[inner.keys.index(key)]
            case Rows(person=Person() as person), str():
                return self.read(person, key)
            case Rows(), None | str() if key is None or key in case_words()["fields_same"]:
                return inner  # `tests[i]`: one of them, nobody knows which
            case _:
                return None

    @staticmethod
    def read(person: Person, name: str) -> TestValue | None:
        """A field of a record."""
        value = person.fields.get(name)
        return replace(value, owner=person) if isinstance(value, Scalar) else value

    # ------------------------------------------------------------------------------------------ collections

    def _rows_of_sequence(self, value: symbolic.Sequence) -> Rows:
        node = value.node
        written = [item.value for item in node.items] if isinstance(node, tree.Collection) else []
        places = written if len(written) == len(value.items) else [None] * len(value.items)
        rows = Rows([], node, in_grid=self._rounds_around(node)[0] > MAX_ROUNDS)
        if len(value.items) > MAX_ROWS and any(isinstance(item, _RECORDS) for item in value.items):
            self.facts.cut(node, TOO_MANY_ROWS)
        for place, item in zip(places, value.items[:MAX_ROWS], strict=False):
            rows.items.append(self.test_value(item) if place is None else self.at(place, item))
        kind = node.kind if isinstance(node, tree.Collection) else ""
        if kind == "tuple" and not all(isinstance(item, Person) for item in rows.items):
            self.beside(rows)
        else:
            for person in people_in(rows):
                if person.rows is None:
                    person.rows = rows
        self.rows.append(rows)
        return rows

    def beside(self, row: Rows) -> None:
        """What stands beside a person in a tuple is what is to come out for it."""
        raise NotImplementedError

    def _record_of_table(self, value: symbolic.Table, spread_out: Sequence[Value]) -> TestValue | None:
        """A record: a new one, one made from the first that is spread out in it, or people by their names."""
        node = value.node
        if isinstance(node, tree.Binary):  # `base | {...}`
            spread_out = [self.facts.value_of(side) or value for side in (node.left, node.right)]
            bases = [_person_in(self.at(side)) for side in (node.left, node.right)]
        else:
            bases = [_person_in(self.test_value(one)) for one in spread_out]
        base = next(filter(None, bases), None)
        entries = self._table_entries(value, spread_out, bases.index(base) if base is not None else -1)
        for one in bases:
            if one is not None and one is not base:
                root(one).pattern_uses += 1
        if _is_group_of_people(entries):
            return self._people_by_name(node, entries)
        person = self.made_from(base, node) if base is not None else self.new_person(node)
        self._take_in(person, entries)
        person.is_table = isinstance(node, tree.Literal)
        if base is None and (holder := self._holder_of(person, entries)) is not None:
            person.part_of = holder
            return person
        return self.holds(self.once(person), [entry[1] for entry in value.entries])

    def _table_entries(self, value: symbolic.Table, spread_out: Sequence[Value], base: int) -> list[Entry]:
        """The entries, and where each is written; those of the `base` that is spread out are left out."""
        node = value.node
        items = node.items if isinstance(node, tree.Collection) else ()
        is_struct = isinstance(node, tree.Collection) and node.kind == "struct"
        written = iter([item.value for item in items if is_struct or item.key is not None])
        tables = [one.entries if isinstance(one, symbolic.Table) else () for one in spread_out]
        spread_in = {id(entry) for table in tables for entry in table}
        left_out = {id(entry) for entry in tables[base]} if base >= 0 else set()
        entries: list[Entry] = []
        for entry in value.entries:
            place = None if id(entry) in spread_in else next(written, None)
            if id(entry) not in left_out:
                test_value = self.test_value(entry[1]) if place is None else self.at(place, entry[1])
                if isinstance(test_value, Scalar) and isinstance(node, tree.Comprehension):
                    owner = self._read_from(entry[1])
                    test_value = replace(test_value, owner=owner if isinstance(owner, Person) else None)
                entries.append((_name_of(entry[0]), place, test_value))
        return entries

    def _take_in(self, person: Person, entries: Sequence[Entry]) -> None:
        """Gives somebody all entries; a record among them that is no part tells what stands beside it."""
        beside = {
            name: test_value for name, _, test_value in entries if name and isinstance(test_value, Scalar)
        }
        for name, place, test_value in entries:
            held = test_value if isinstance(test_value, Person) else None
            if held is not None and not (held.rows is None and _is_literal_node(place or held.node)):
                person.fields[name or ""] = held
                root(held).fields.update(beside)
            elif name:
                self.set(person, name, test_value)

    def _people_by_name(self, node: Node, entries: Sequence[Entry]) -> Rows:
        rows = Rows([], node, keys=tuple(name or "" for name, _, _ in entries))
        for name, _, test_value in entries:
            if isinstance(test_value, Person) and name:
                test_value.names.append(name)
            self.put(rows, test_value)
        self.rows.append(rows)
        return rows

    def columns(self, data: Person, node: Node) -> Rows | None:
        """The people that columns of one length make, where one of these is an attribute."""
        lists = {name: test_value for name, test_value in data.fields.items() if isinstance(test_value, Rows)}
        lengths = {len(one.items) for one in lists.values()}
        if len(lengths) != 1 or not any(names_attribute(self.spell, name) for name in lists):
            return None
        table = Rows([], data.node)
        for place in range(lengths.pop()):
            person = self.new_person(node)
            person.is_table = True
            for name, one in lists.items():
                self.set(person, name, one.items[place])
            self.put(table, person)
        return table


def _parts_of_value(value: symbolic.Table | symbolic.Sequence) -> tuple[object, ...]:
    return value.entries if isinstance(value, symbolic.Table) else value.items


def _count_plain_values(value: Value | None) -> int:
    """How many plain values a list is known to hold; 0 where it holds others."""
    match value:
        case symbolic.Operation(
            op="range", arguments=(Const(value=int() as low), Const(value=int() as high))
        ):
            return int(high) - int(low)
        case symbolic.Operation(op="+", arguments=(left, right)):
            return _count_plain_values(left) + _count_plain_values(right)
        case symbolic.Operation(op="*", arguments=(left, Const(value=int() as times))):
            return _count_plain_values(left) * int(times)
        case symbolic.Sequence(items=items) if all(isinstance(item, Const) for item in items):
            return len(items)
        case _:
            return 0


def _read_at(test_value: TestValue | None, node: Node | None) -> TestValue | None:
    is_elsewhere = isinstance(test_value, Scalar) and node is not None and test_value.node is not node
    return (
        replace(test_value, read_at=node) if is_elsewhere and isinstance(test_value, Scalar) else test_value
    )


def _is_data(test_value: TestValue | None) -> bool:
    return isinstance(test_value, Person | Rows | Judged)


def _person_in(test_value: TestValue | None) -> Person | None:
    if isinstance(test_value, Judged) and test_value.people:
        return test_value.people[0]
    return test_value if isinstance(test_value, Person) else None


def _is_literal_node(node: Node) -> bool:
    """Whether something is written out, in the code or in a text, and not read by a name."""
    return isinstance(node, tree.Collection | tree.Literal)


def _name_of(key: Value) -> str | None:
    if not isinstance(key, Const):
        return None
    return key.value if isinstance(key.value, str) else key.label or None


def _combine_rows(op: str, left: TestValue | None, right: TestValue | None, node: Node) -> Rows | None:
    """Lists joined, and a list repeated."""
    match op, left, right:
        case "+", Rows(), Rows():
            return Rows([*left.items, *right.items][:MAX_ROWS], node)
        case "*", Rows() as rows, Scalar(value=int() as times):
            pass
        case "*", Scalar(value=int() as times), Rows() as rows:
            pass
        case _:
            return None
    return Rows((rows.items * times)[:MAX_ROWS], node) if 0 < times <= LONGEST_REPEAT else None


def _is_group_of_people(entries: Sequence[Entry]) -> bool:
    """Whether a dict holds several people, each under a name, and is nobody itself."""
    people = [test_value for _, _, test_value in entries if isinstance(test_value, Person)]
    attributes = [attribute for person in people for attribute in root(person).given]
    return len(attributes) > len(set(attributes))
