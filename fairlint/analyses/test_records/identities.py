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
from fairlint.analyses.test_records.written_records import (
    MAX_ROUNDS,
    TOO_MANY_ROWS,
    Entry,
    imported_constant,
    parts_of_value,
    rounds_around,
    scalar_of_constant,
    written_out,
)
from fairlint.semantics.execution import Execution
from fairlint.semantics.values import symbolic
from fairlint.semantics.values.symbolic import Const, Value
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

MAX_STEPS = 60_000
MAX_PEOPLE = 3_000
LONGEST_REPEAT = 64
LEAST_COPIED = 2
"""So many fields that are read from one record make a copy of it; one may be a preset."""
FOLLOWED = "()"
"""Stands for the function that a call led to."""

Variables = dict[str, TestValue | None]


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
        """Return a record that says nothing yet."""
        rounds = rounds_around(self, node)
        person = Person(node, self.function, type=type_, in_grid=rounds.every > MAX_ROUNDS)
        person.times = rounds.counting
        return self._add_person(person)

    def _add_person(self, person: Person) -> Person:
        self.people.append(person)
        if self.way:
            self.inside.append((self.way, person))
        return person

    def end_walk(self) -> None:
        """Note that the call of a followed function is at its end."""
        self._met[True].clear()
        self._unknown.pop(FOLLOWED, None)
        self.inside.clear()

    def made_from(self, person: Person, node: Node) -> Person:
        """Return a new record with all that another says."""
        original = root(person)
        original.pattern_uses += 1
        fields = {name: value for name, value in original.fields.items() if not isinstance(value, Person)}
        made = Person(node, self.function, dict(original.given), fields, type=original.type)
        made.names.extend(original.names)
        return self._add_person(made)

    def under_header(self, row: Rows, names: Iterable[str | None]) -> Person | None:
        """Return the person that a row is under a header, or None where the header names nothing of
        a person.
        """
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
        """Write a field of a record."""
        set_field(self.spell, person, name, value, receiver)

    def put(self, rows: Rows, test_value: TestValue | None) -> None:
        """Add to a list. Who is in a list is known by it."""
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
        """Return the person that the same line has made already, in another walk through its function."""
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
        """Return whether a group is written where a function is called that is followed here."""
        scope = self.syntax.scope_around(given.read_at or given.node)
        is_inside = isinstance(scope, tree.Function) and scope is not self.syntax.scope_around(self.way[0])
        return not is_inside

    def _handed_over(self, node: tree.Name) -> Node:
        """Return where the call that is followed says what a parameter holds; any other name itself."""
        scope, call = self.syntax.scope_around(node), self.way[-1]
        if isinstance(scope, tree.Function) and isinstance(call, tree.Call):
            names = [one.name for one in scope.parameters if one.name not in self.conventions.receivers]
            given: dict[str | None, Node] = dict(zip(names, call.arguments, strict=False))
            given.update(call.keywords)
            return given.get(node.id, node)
        return node

    def holds(self, person: Person, given: Iterable[Value]) -> Person:
        """Return a person is given these values."""
        self._holders.update((id(one), person) for one in given if isinstance(one, Const) and not one.label)
        return person

    def _read_from(self, value: Value | None) -> TestValue | None:
        """Return what a value is a field of."""
        return (
            self.test_value(value.of)
            if isinstance(value, symbolic.Protected)
            else self._holders.get(id(value))
        )

    @staticmethod
    def _holder_of(person: Person, entries: Sequence[Entry]) -> Person | None:
        """Return the only person that all groups of a record are read from."""
        said = {id(given.node) for given in person.given.values()}
        scalars = [one for _, _, one in entries if isinstance(one, Scalar)]
        owners = [one.owner for one in scalars if id(one.node) in said]
        first = owners[0] if owners else None
        if first is None or first.is_implied or any(one is not first for one in owners):
            return None
        return first if sum(one.owner is first for one in scalars) >= LEAST_COPIED else None

    # ------------------------------------------------------------------------------------------ values

    def keep(self, value: Value, test_value: TestValue | None) -> None:
        """From now on, this value is this test value."""
        self._test_values[id(value)] = test_value
        if isinstance(value, symbolic.Opaque) and not isinstance(value, symbolic.Text):
            self.give(value.key, test_value)
        elif isinstance(value, symbolic.Table | symbolic.Sequence):
            self._remember_value(value, test_value)

    def is_kept(self, value: Value) -> bool:
        """Return whether a value is known to be something."""
        return id(value) in self._test_values

    def give(self, key: str, test_value: TestValue | None) -> None:
        """From now on, what is unknown and goes by this key is this test value."""
        self._unknown.setdefault(self._scope_of(key), {})[key] = test_value

    def _value_by_key(self, key: str) -> TestValue | None:
        """Return what is known of something unknown, a parameter of a test among it."""
        known = None if self.way else self.given.get(key)
        return self._unknown.get(self._scope_of(key), {}).get(key) if known is None else known

    def _scope_of(self, key: str) -> str:
        if self.conventions.own_name(key):
            return self.function.partition(".")[0]
        return FOLLOWED if self.way else self.function

    def at(self, node: Node, value: Value | None = None) -> TestValue | None:
        """Return what an expression gives; `value` is what it has come to here, else what it came to last."""
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
        return imported_constant(self, node) if found is None else found

    def test_value(self, value: Value | None, node: Node | None = None) -> TestValue | None:
        """Return what a value is; `node` is where it is read."""
        self.steps += 1
        if value is None or self.is_spent:
            return None
        node = self._handed_over(node) if isinstance(node, tree.Name) and self.way else node
        if id(value) in self._test_values:
            return _read_at(self._test_values[id(value)], node)
        found: TestValue | None
        match value:
            case Const():
                return scalar_of_constant(self, value, node)
            case symbolic.Protected(sample=Const() as sample):
                return self.test_value(sample, node)
            case symbolic.Protected(node=place):
                return self._parameter_value(place)
            case symbolic.Table() | symbolic.Sequence():
                found = written_out(self, value, ())
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
        """Note that a collection is written out here."""
        if isinstance(value, symbolic.Table | symbolic.Sequence) and not self.is_spent:
            self._latest.pop(id(value.node), None)
            is_struct = isinstance(value.node, tree.Collection) and value.node.kind == "struct"
            if not is_struct:
                self.keep(value, written_out(self, value, spread_out))

    def _remember_value(
        self, value: symbolic.Table | symbolic.Sequence, test_value: TestValue | None
    ) -> TestValue | None:
        if not isinstance(value.node, tree.Literal):
            self._latest[id(value.node)] = (test_value, parts_of_value(value))
        self._by_parts[id(parts_of_value(value))] = test_value
        return test_value

    def _parameter_value(self, node: Node) -> TestValue | None:
        name = node.id if isinstance(node, tree.Name) else getattr(node, "name", "")
        return self.given.get(name) if isinstance(node, tree.Name | tree.Parameter) else None

    def _value_of_part(self, node: tree.Field | tree.Index) -> TestValue | None:
        """Return a field or an entry of what is known."""
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
        """Return a field of a record."""
        value = person.fields.get(name)
        return replace(value, owner=person) if isinstance(value, Scalar) else value

    # ------------------------------------------------------------------------------------------ collections

    def beside(self, row: Rows) -> None:
        """Note that what stands beside a person in a tuple is what is to come out for it."""
        raise NotImplementedError

    def columns(self, data: Person, node: Node) -> Rows | None:
        """Return the people that columns of one length make, where one of these is an attribute."""
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


def _read_at(test_value: TestValue | None, node: Node | None) -> TestValue | None:
    is_elsewhere = isinstance(test_value, Scalar) and node is not None and test_value.node is not node
    return (
        replace(test_value, read_at=node) if is_elsewhere and isinstance(test_value, Scalar) else test_value
    )


def _is_data(test_value: TestValue | None) -> bool:
    return isinstance(test_value, Person | Rows | Judged)


def _combine_rows(op: str, left: TestValue | None, right: TestValue | None, node: Node) -> Rows | None:
    """List joined, and a list repeated."""
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
