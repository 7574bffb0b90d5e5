"""What expressions give in test data: people, rows of people, single values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fairlint.readers.test_records.test_values import (
    MAX_ROWS,
    Judged,
    Person,
    Rows,
    Scalar,
    Spell,
    Thing,
    derived,
    names_attribute,
    people_in,
    promote,
    root,
    set_field,
)
from fairlint.readers.test_records.texts import people_in_text
from fairlint.records import replace
from fairlint.semantics.facts import Facts
from fairlint.semantics.scopes import type_name
from fairlint.semantics.values import Const
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

MAX_STEPS = 60_000
MAX_PEOPLE = 3_000
MAX_ROUNDS = 64
"""Rounds of one loop, and of the loops around it together, that are walked one by one."""
LONGEST_REPEAT = 64

Variables = dict[str, Thing | None]

_MAY_BE_KNOWN = (tree.Index, tree.Call, tree.Binary, tree.Unary, tree.Interpolation, tree.Conditional)
"""Expressions that may come to a single value although they hold no record."""


class Values:
    """Evaluates expressions. `variables` belongs to the function that is being walked."""

    def __init__(self, spell: Spell, facts: Facts) -> None:
        self.spell = spell
        self.facts = facts
        self.conventions = spell.definitions.conventions
        self.people: list[Person] = []
        self.rows: list[Rows] = []
        self.variables: Variables = {}
        self.shared: Variables = {}
        """The module's own variables, seen from all functions."""
        self.function = ""
        self.steps = 0
        self.rounds = 1
        self.is_cut = False
        """Whether a loop around is not walked to its end: what it varies is a grid, and no choice."""
        self._texts: dict[int, Rows | None] = {}

    # ------------------------------------------------------------------------------------------ bookkeeping

    @property
    def is_spent(self) -> bool:
        """Whether the file has had its share of work."""
        return self.steps > MAX_STEPS or len(self.people) > MAX_PEOPLE

    def new_person(self, node: Node, type_: str = "") -> Person:
        """A record that says nothing yet."""
        person = Person(node, self.function, type=type_, rank=len(self.people), in_grid=self.is_cut)
        self.people.append(person)
        return person

    def made_from(self, person: Person, node: Node) -> Person:
        """A new record with all that another says."""
        original = root(person)
        original.pattern_uses += 1
        made = derived(original, node, self.function, len(self.people))
        self.people.append(made)
        return made

    def under_header(self, row: Rows, names: Iterable[str | None]) -> Person | None:
        """The person that a row is under a header."""
        if row.person is not None:
            return row.person
        person = promote(self.spell, row, names, self.function, len(self.people))
        if person is not None:
            self.people.append(person)
        return person

    def set(
        self, person: Person, name: str, value: Thing | None, *, type_: str = "", receiver: str = ""
    ) -> None:
        """Writes a field of a record."""
        set_field(self.spell, person, name, value, type_=type_, receiver=receiver)

    # ------------------------------------------------------------------------------------------ expressions

    def value(self, node: Node | None) -> Thing | None:
        """What an expression gives; None where that is not known."""
        self.steps += 1
        if node is None or self.is_spent:
            return None
        found = self._here(node)
        if self.rounds == 1 and isinstance(node, _MAY_BE_KNOWN) and not _is_data(found):
            return self._known(node) or found
        return found

    def _known(self, node: Node) -> Scalar | None:
        """The single value that the evaluator has found an expression to be."""
        value = self.facts.value_of(node)
        if not isinstance(value, Const):
            return None
        return Scalar(value.value, node, value.label)

    def _here(self, node: Node) -> Thing | None:
        match node:
            case tree.Literal():
                return self._literal(node)
            case tree.Name(id=name):
                return self._named(node, name)
            case tree.Field():
                return self._field(node)
            case tree.Index():
                return self._index(node)
            case tree.Call():
                return self.call(node)
            case tree.Collection():
                return self.collection(node)
            case tree.Comprehension():
                return self._comprehension(node)
            case tree.Cast(type=type_, value=tree.Collection() as inner):
                return self.initialiser(inner, type_)
            case tree.Cast(value=inner) | tree.Star(value=inner):
                return self.value(inner)
            case tree.Binary():
                return self._binary(node)
            case tree.Conditional(test=test, then=then, otherwise=otherwise):
                self.value(test)
                first, second = self.value(then), self.value(otherwise)
                return first if isinstance(first, Person | Rows) else second if _is_data(second) else None
            case tree.BoolOp(values=values):
                given = [self.value(part) for part in values]
                return next((one for one in given if _is_data(one)), None)
            case tree.Assign(targets=(tree.Name(id=name),), value=inner):
                thing = self.value(inner)
                self.variables[name] = thing
                return thing
            case tree.Lambda():
                return None
            case _:
                people: list[Person] = []
                for part in tree.children(node):
                    people.extend(people_in(self.value(part)))
                return None

    def call(self, node: tree.Call) -> Thing | None:
        """What a call gives."""
        raise NotImplementedError

    def _literal(self, node: tree.Literal) -> Scalar:
        value = node.value
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        scalar = Scalar(value, node)
        if isinstance(value, str) and len(value) > 20 and ("\n" in value or value.lstrip()[:1] in ("[", "{")):
            scalar.inside = self._inside(node, value)
        return scalar

    def _inside(self, node: tree.Literal, text: str) -> Rows | None:
        """The people that a text holds; the same ones wherever the text is looked at."""
        key = node.span.start
        if key not in self._texts:
            found = people_in_text(text, lambda name: names_attribute(self.spell, name))
            rows = Rows([], node)
            for fields in found:
                person = self.new_person(node)
                person.is_table = True
                for name, plain in fields.items():
                    self.set(person, name, Scalar(plain, node))
                self.put(rows, person)
            self._texts[key] = rows if found else None
        return self._texts[key]

    def _named(self, node: tree.Name, name: str) -> Thing | None:
        for known in (self.variables, self.shared):
            if name in known:
                held = known[name]
                return replace(held, read_at=node) if isinstance(held, Scalar) else held
        if (single := self._known(node)) is not None:
            return single
        is_unknown = name not in self.spell.definitions.types and len(name) > 1
        return Scalar(None, node, name) if name[:1].isupper() and is_unknown else None

    def place(self, node: Node) -> str:
        """The text that a variable or field goes by: `self.person`, `people[0]`; empty for anything else."""
        match node:
            case tree.Name(id=name):
                return name
            case tree.Field(value=value, name=name):
                inner = self.place(value)
                return f"{inner}.{name}" if inner else ""
            case tree.Index(value=value, index=tree.Literal(value=int() | str() as key)):
                inner = self.place(value)
                return f"{inner}[{key!r}]" if inner else ""
            case tree.Index(value=value, index=tree.Name(id=key)):
                inner = self.place(value)
                return f"{inner}[{key}]" if inner else ""
            case _:
                return ""

    def _field(self, node: tree.Field) -> Thing | None:
        place = self.place(node)
        if place in self.variables:
            return self.variables[place]
        if (member := self._member(node)) is not None:
            return member
        inner = self.value(node.value)
        if node.name in {"value", "name", "values", "T", "iloc", "loc"} and not isinstance(inner, Person):
            return inner
        match inner:
            case Person():
                return self._read(inner, node.name)
            case Judged(people=(person,)) if node.name in person.fields:
                return self._read(person, node.name)
            case Judged():
                return inner
            case _:
                return None

    def _member(self, node: tree.Field) -> Scalar | None:
        """`Gender.FEMALE`, and what an imported enum's member looks like."""
        if (known := self._known(node)) is not None:
            return known
        match node:
            case tree.Field(value=tree.Name(id=owner), name=name):
                pass
            case tree.Field(value=tree.Field(name=owner), name=name):
                pass
            case _:
                return None
        if self.conventions.is_constant(name) and owner[:1].isupper() and len(name) <= 40:
            return Scalar(None, node, name)
        return None

    def _read(self, person: Person, name: str) -> Thing | None:
        value = person.fields.get(name)
        if isinstance(value, Scalar):
            return replace(value, owner=person)
        return value

    def _index(self, node: tree.Index) -> Thing | None:
        place = self.place(node)
        if place and place in self.variables:
            return self.variables[place]
        inner = self.value(node.value)
        if isinstance(inner, Scalar) and inner.inside is not None:
            inner = inner.inside
        key = self.value(node.index)
        match inner, key:
            case Person(), Scalar(value=str() as name):
                return self._read(inner, name)
            case Rows(), Scalar(value=int() as number) if -len(inner.items) <= number < len(inner.items):
                return inner.items[number]
            case Rows(), Scalar(value=str() as name) if name in inner.keys:
                return inner.items[inner.keys.index(name)]
            case Rows(person=Person() as person), Scalar(value=str() as name):
                return self._read(person, name)
            case Judged(), _:
                return inner
            case Rows(), None:
                return inner  # `tests[i]`: one of them, nobody knows which
            case _:
                return None

    def _binary(self, node: tree.Binary) -> Thing | None:
        left, right = self.value(node.left), self.value(node.right)
        match node.op, left, right:
            case "+", Rows(), Rows():
                return Rows([*left.items, *right.items][:MAX_ROWS], node)
            case "|", Person(), Person():
                made = self.made_from(left, node)
                root(right).pattern_uses += 1
                for name, value in right.fields.items():
                    self.set(made, name, value)
                return made
            case "*", Rows(), Scalar(value=int() as times) if 0 < times <= LONGEST_REPEAT:
                return Rows((left.items * times)[:MAX_ROWS], node)
            case "*", Scalar(value=int() as times), Rows() if 0 < times <= LONGEST_REPEAT:
                return Rows((right.items * times)[:MAX_ROWS], node)
            case _:
                return None

    # ------------------------------------------------------------------------------------------ collections

    def collection(self, node: tree.Collection) -> Thing | None:
        """A list, tuple, set or dict that is written out."""
        if node.kind == "dict":
            return self._dict(node)
        if node.kind == "struct":
            return self.initialiser(node, "")
        rows = Rows([], node, in_grid=self.is_cut)
        for item in node.items:
            if isinstance(item.value, tree.Star):
                inner = self.value(item.value.value)
                rows.items.extend(inner.items if isinstance(inner, Rows) else [None])
                continue
            rows.items.append(self.value(item.value))
        if node.kind != "tuple" or all(isinstance(item, Person) for item in rows.items):
            self._known_by(rows)
        else:
            self.beside(rows)
        self.rows.append(rows)
        return rows

    def put(self, rows: Rows, thing: Thing | None) -> None:
        """Adds to a list. Who is in a list is known by it."""
        self.steps += 1
        if thing is rows or len(rows.items) >= MAX_ROWS or self.is_spent:
            return
        rows.items.append(thing)
        for person in people_in(thing):
            if person.rows is None:
                person.rows = rows

    @staticmethod
    def _known_by(rows: Rows) -> None:
        for person in people_in(rows):
            if person.rows is None:
                person.rows = rows

    def beside(self, row: Rows) -> None:
        """What stands beside a person in a tuple is what is to come out for it."""
        raise NotImplementedError

    def _dict(self, node: tree.Collection) -> Thing | None:
        entries: list[tuple[str | None, Node, Thing | None]] = []
        base: Person | None = None
        for item in node.items:
            if item.key is None:
                spread = self.value(item.value)
                source = spread.people[0] if isinstance(spread, Judged) and spread.people else spread
                if isinstance(source, Person):
                    if base is None:
                        base = source
                    else:
                        root(source).pattern_uses += 1
                        entries.extend((name, item.value, thing) for name, thing in source.fields.items())
                continue
            entries.append((self._key(item.key), item.value, self.value(item.value)))
        if _is_group_of_people(entries):
            return self._people_by_name(node, entries)
        person = self.made_from(base, node) if base is not None else self.new_person(node)
        for name, value_node, thing in entries:
            if name is None:
                continue
            if isinstance(thing, Person) and not _may_be_part(thing, value_node):
                person.fields[name] = thing
                for inner in people_in(thing):
                    inner.fields.update(
                        {key: other for key, _, other in entries if key and isinstance(other, Scalar)}
                    )
                continue
            self.set(person, name, thing)
        return person

    def _key(self, node: Node) -> str | None:
        key = self.value(node)
        if isinstance(key, Scalar):
            if isinstance(key.value, str):
                return key.value
            return key.label or None
        return None

    def _people_by_name(self, node: Node, entries: Sequence[tuple[str | None, Node, Thing | None]]) -> Rows:
        rows = Rows([], node, keys=tuple(name or "" for name, _, _ in entries))
        for name, _, thing in entries:
            if isinstance(thing, Person) and name:
                thing.names.append(name)
            self.put(rows, thing)
        self.rows.append(rows)
        return rows

    def initialiser(self, node: tree.Collection, type_: str) -> Thing | None:
        """A brace initialiser of C for a variable or field of a type as written."""
        name = type_name(type_.replace("[]", " "))
        known = self.spell.definitions
        nameless = not name and "struct" in type_
        fields = known.nameless_before(node.span.start) if nameless else known.fields.get(name)
        fields = fields or {}
        is_array = "[" in type_ or (
            not fields
            and bool(node.items)
            and all(isinstance(_bare(item.value), tree.Collection) for item in node.items)
        )
        if is_array and any(
            isinstance(item.key, tree.Literal) and isinstance(item.key.value, str) for item in node.items
        ):
            is_array = False
        if is_array:
            rows = Rows([], node)
            for item in node.items:
                inner = _bare(item.value)
                if isinstance(inner, tree.Collection):
                    self.put(rows, self.initialiser(inner, type_.replace("[]", "", 1)))
                else:
                    self.put(rows, self.value(item.value))
            self.rows.append(rows)
            return rows
        if not fields and not any(isinstance(item.key, tree.Literal) for item in node.items):
            rows = Rows([self.value(item.value) for item in node.items], node)
            self.rows.append(rows)
            return rows
        person = self.new_person(node, name)
        order = list(fields)
        place = 0
        for item in node.items:
            if isinstance(item.key, tree.Literal) and isinstance(item.key.value, str):
                field_name = item.key.value
                place = order.index(field_name) + 1 if field_name in order else place
            elif place < len(order):
                field_name = order[place]
                place += 1
            else:
                break
            inner = _bare(item.value)
            field_type = fields.get(field_name, "")
            if isinstance(inner, tree.Collection):
                thing = self.initialiser(inner, field_type)
            else:
                thing = self.value(item.value)
            self.set(person, field_name, thing, type_=field_type)
        return person

    # ------------------------------------------------------------------------------------------------ loops

    def rounds_of(self, iterable: Thing | None) -> Sequence[Thing | None]:
        """What a loop runs over, one by one; a single unknown where that is not known or too much."""
        if isinstance(iterable, Scalar) and iterable.inside is not None:
            iterable = iterable.inside
        if isinstance(iterable, Rows) and iterable.items:
            holds_people = next(people_in(iterable), None) is not None
            if len(iterable.items) * self.rounds <= MAX_ROUNDS or holds_people or _all_rows(iterable.items):
                return iterable.items
            self.is_cut = True
        return (None,)

    def bind(self, target: Node | None, thing: Thing | None) -> None:
        """Gives names what a loop or an unpacking assigns to them."""
        match target:
            case tree.Name(id=name):
                self.variables[name] = thing
                self._forget_fields(name)
            case tree.Collection(items=items):
                names = [item.value.id if isinstance(item.value, tree.Name) else None for item in items]
                if isinstance(thing, Rows):
                    if len(names) <= len(thing.items):
                        self.under_header(thing, names)
                    self.paired(names, thing)
                for place, item in enumerate(items):
                    part = (
                        thing.items[place] if isinstance(thing, Rows) and place < len(thing.items) else None
                    )
                    self.bind(item.value, part)
            case tree.Star(value=inner):
                self.bind(inner, None)
            case tree.Field() | tree.Index():
                self.assign_field(target, thing)
            case _:
                pass

    def paired(self, names: Sequence[str | None], row: Rows) -> None:
        """Under a header, a person and what is to come out for it."""
        raise NotImplementedError

    def assign_field(self, target: Node, thing: Thing | None) -> None:
        """`person.gender = ...`."""
        raise NotImplementedError

    def _forget_fields(self, name: str) -> None:
        prefix = (f"{name}.", f"{name}[")
        for key in [key for key in self.variables if key.startswith(prefix)]:
            del self.variables[key]

    def _comprehension(self, node: tree.Comprehension) -> Thing | None:
        before = dict(self.variables)
        made = Rows([], node)
        self._generate(node, 0, made)
        self.variables = before
        return made

    def _generate(self, node: tree.Comprehension, place: int, made: Rows) -> None:
        if place == len(node.generators):
            if node.key is not None:
                self.value(node.key)
            self.put(made, self.value(node.element))
            return
        generator = node.generators[place]
        was_cut = self.is_cut
        rounds = self.rounds_of(self.value(generator.iterable))
        self.rounds *= len(rounds)
        for item in rounds:
            self.bind(generator.target, item)
            for condition in generator.conditions:
                self.value(condition)
            self._generate(node, place + 1, made)
        self.rounds //= len(rounds)
        self.is_cut = was_cut


def _is_data(thing: Thing | None) -> bool:
    return isinstance(thing, Person | Rows | Judged)


def _bare(node: Node) -> Node:
    return node.value if isinstance(node, tree.Cast) else node


def _all_rows(items: Sequence[Thing | None]) -> bool:
    return all(isinstance(item, Rows) for item in items)


def _is_group_of_people(entries: Sequence[tuple[str | None, Node, Thing | None]]) -> bool:
    """Whether a dict holds several people, each under a name, and is nobody itself."""
    people = [thing for _, _, thing in entries if isinstance(thing, Person)]
    attributes = [attribute for person in people for attribute in root(person).given]
    return len(attributes) > len(set(attributes))


def _may_be_part(person: Person, node: Node) -> bool:
    """Whether a record inside a record is a part of it: written out in it, and no list's."""
    return isinstance(node, tree.Collection) and person.rows is None
