"""What calls say in test data: constructors, factories, assertions, and functions that judge people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from fairlint.analyses.test_records.identities import TestValueMap
from fairlint.analyses.test_records.test_values import (
    Judged,
    Outcome,
    Person,
    Rows,
    Scalar,
    Spell,
    TestValue,
    case_words,
    given_by,
    names_attribute,
    people_in,
    root,
)
from fairlint.semantics.execution import Execution
from fairlint.semantics.names.syntax_index import SyntaxIndex
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.paths import last_name, path_of
from fairlint.semantics.values.symbolic import Const, RecordType, Table, Value
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.words import split_words

Named = Sequence[tuple[str, TestValue | None]]

_OPERATORS = {"in": "in", ">": "more", "<": "less", "!=": "other", "==": "same"}
"""What an assertion of two test values says, and the words that say so, in this order."""


class Said:
    """What one call says, as test values."""

    def __init__(self, call: Call, test_values: Calls) -> None:
        self.call = call
        self.node = call.node
        self.name = last_name(call.node.function)
        function = call.node.function
        self.owner = function.value if isinstance(function, tree.Field) else None
        self.receiver = None if self.owner is None else test_values.at(self.owner, call.receiver)
        pairs = zip(call.node.arguments, call.arguments, strict=False)
        self.arguments = [test_values.at(node, value) for node, value in pairs]
        self.keywords = [
            (key, test_values.at(node, call.keywords.get(key or "**"))) for key, node in call.node.keywords
        ]

    @property
    def test_values(self) -> list[TestValue | None]:
        """All that it is given, and what it is called on."""
        return [*self.arguments, self.receiver, *(test_value for _, test_value in self.keywords)]

    def first(self, kind: type[TestValue]) -> TestValue | None:
        """Return the first argument of a kind, or what it is called on."""
        return next((one for one in (*self.arguments[:1], self.receiver) if isinstance(one, kind)), None)


class Calls(TestValueMap):
    """Reads calls."""

    def __init__(self, spell: Spell, execution: Execution) -> None:
        super().__init__(spell, execution)
        self.told: dict[int, Judged] = {}
        """What a function says of people that is known as a value: that value's identity."""
        self.yielded: list[TestValue | None] = []
        """What a function that is followed has given one by one."""
        self.asserted = _find_assertions(execution.syntax)
        functions = execution.syntax.places(tree.Function)
        self._decorators = {id(one) for function in functions for one in function.decorators}

    def call(self, call: Call) -> None:
        """One call: what it gives is known from now on, and what it asserts is noted."""
        said = Said(call, self)
        test_value = self._given_by(said)
        self.results[id(call.node)] = test_value
        if isinstance(call.value, Const):
            if isinstance(test_value, Judged):
                self.told[id(call.value)] = test_value
            elif call.value.value is None and isinstance(test_value, Rows):
                self.keep(call.value, test_value)
        elif test_value is not None and not (isinstance(test_value, Judged) and self.is_kept(call.value)):
            self.keep(call.value, test_value)
        if not call.way:
            self.yielded.clear()
            self.end_walk()
        truth = self.asserted.get(id(call.node))
        if truth is not None and said.name in case_words()["compares_texts"] and len(said.arguments) > 1:
            first, second = call.node.arguments[:2], call.arguments[:2]
            self.compared("==" if truth else "!=", first, second, call.node)
        elif truth is not None:
            self.note(test_value, "true" if truth else "false", call.node)

    def assign_field(
        self, target: Node, owner: TestValue | None, test_value: TestValue | None, after: Value | None
    ) -> None:
        """`person.gender = ...`."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------------ calls

    def _given_by(self, said: Said) -> TestValue | None:
        """Return what a call gives."""
        name, node, words = said.name, said.node, case_words()
        if op := _asserted_operator(node, name):
            if op not in {"true", "false"}:
                self.compared(op, node.arguments[:2], said.call.arguments[:2], node)
            elif not isinstance(node.arguments[0], tree.Call):
                self.note(self.judged(node.arguments[0], said.call.arguments[0]), op, node)
            return None
        if name in words["sets_field"]:
            return None
        if name == "dict" and isinstance(said.call.value, Table):
            self.made(said.call.value, (*said.call.arguments, *said.call.keywords.values()))
            return self.test_value(said.call.value)
        if (handler := self._METHODS.get(name)) is not None:
            return handler(self, said)
        if name in words["makes_row"] and len(said.arguments) > 1:
            return Rows(list(said.arguments), node)  # of `pytest.param(case, expected)`
        if name in words["makes_table"]:
            return self._table_of_people(said)
        if name in words["copies"] and (made := self._copy_value(said)) is not None:
            return made
        if name in words["gives_same"]:
            return next((one for one in (*said.arguments, said.receiver) if one is not None), None)
        if self._apply_setter(said):
            return None
        if name in words["makes_nobody"]:
            return self._looked_up(said)
        return self._value_of_other_call(said)

    def _looked_up(self, said: Said) -> TestValue | None:
        """`case.get("gender")`, `cases.values()`."""
        person = said.receiver if isinstance(said.receiver, Person) else next(iter(said.arguments), None)
        if said.name in case_words()["reads_field"] and isinstance(person, Person):
            key = next((one for one in said.arguments if isinstance(one, Scalar)), None)
            if key is not None and isinstance(key.value, str):
                return self.read(person, key.value)
        return said.receiver if isinstance(said.receiver, Rows | Judged) else self.test_value(said.call.value)

    def _value_of_other_call(self, said: Said) -> TestValue | None:
        """Return a constructor, a factory, or a function that is given people."""
        constructs = self._is_constructor_call(said)
        people = [person for test_value in said.test_values for person in people_in(test_value)]
        made = self._record(said, people, constructs=constructs)
        if made is not None:
            people = [made]
        if people:
            is_new = made is not None and constructs
            return people[0] if is_new else self._as_result(said, tuple(dict.fromkeys(people)))
        if self.yielded:
            return Rows(list(self.yielded), self.spell.definitions.functions.get(said.name, said.node))
        found = self.test_value(said.call.value)
        return replace(found, node=said.node) if isinstance(found, Scalar) else found

    def _record(self, said: Said, people: Sequence[Person], *, constructs: bool) -> Person | None:
        """Return the record that a call makes or fills in, or that all its groups are read from."""
        fields = self._callee_parameters(said)
        named = [(key, test_value) for key, test_value in said.keywords if key is not None]
        if not any(isinstance(argument, tree.Star) for argument in said.node.arguments):
            named = [*zip(fields, said.arguments, strict=False), *named]
        protected = [(key, test_value) for key, test_value in named if self._says_group(key, test_value)]
        made = self._copy_of_record(said, named, fields, new=bool(protected), alone=constructs or not people)
        if made is None and protected:
            made = self._known_owner(said, protected, named)
        if made is not None or not (constructs or (protected and not self.way)):
            return made
        found = None if protected else self.test_value(said.call.value)
        if isinstance(found, Person) and found.given:
            return found
        made = self._new_record(said, named, protected, type_=said.name if constructs else "")
        for place, test_value in enumerate(said.arguments):
            if isinstance(test_value, Scalar) and place >= len(fields):  # it has no name
                made.fields[f"#{place}"] = test_value
        made = self.holds(self.once(made), (*said.call.arguments, *said.call.keywords.values()))
        return made if protected or not any(one is not made for one in people) else None

    def _copy_of_record(
        self, said: Said, named: Named, fields: Sequence[str], *, new: bool, alone: bool
    ) -> Person | None:
        """Return the record that is spread out in a call, `Person(**case)`, or a `new` one made from it."""
        stars = [isinstance(one, tree.Star) for one in said.node.arguments]
        spread = [test_value for key, test_value in said.keywords if key is None]
        spread += [test_value for test_value, star in zip(said.arguments, stars, strict=False) if star]
        first = spread[0] if spread else None
        if isinstance(first, Rows) and first.person is None:
            self.under_header(first, fields)
        person = next(people_in(first), None)
        if person is None or not (new or alone):
            return None
        if not new:
            _add_fields(person, named)
            return person
        made = self.made_from(person, said.node)
        for key, test_value in named:
            self.set(made, key, test_value)
        return made

    def _known_owner(self, said: Said, protected: Named, named: Named) -> Person | None:
        """Return the record that all the groups were read from, or that a followed function has made with
        them.
        """
        scalars = [(key, test_value) for key, test_value in protected if isinstance(test_value, Scalar)]
        owners = [root(one.owner) if one.owner is not None else None for _, one in scalars]
        owner = owners[0] if all(one is owners[0] for one in owners) else None
        found = [given_by(self.spell, key, one) for key, one in scalars]
        groups = {(one.mention.attribute, one.group) for one in found if one is not None}
        for way, person in self.inside:
            has = {(attribute, given.group) for attribute, given in person.given.items()}
            if any(one is said.node for one in way) and groups <= has:
                owner = root(person)
                for key, test_value in protected:  # it is told where it is handed over
                    self.set(owner, key, test_value)
        if owner is not None:
            _add_fields(owner, named)
            owner.is_implied = False
        return owner

    def _new_record(self, said: Said, named: Named, protected: Named, *, type_: str) -> Person:
        """Return a record that a call makes, or fills in: `fill_case(&a, "female")`."""
        given = [one for one in said.arguments if isinstance(one, Person)]
        empty = len(given) == 1 and not given[0].given and not type_
        person = given[0] if empty else self.new_person(said.node, type_)
        for _, test_value in protected:
            if isinstance(test_value, Scalar) and (owner := test_value.owner) is not None:
                owner.pattern_uses += 1
                if owner.is_table and owner.part_of is None and owner is not person:
                    owner.part_of, person.rows = person, person.rows or owner.rows  # a row is made an object
        for key, test_value in named:
            self.set(person, key, test_value)
        return person

    def _as_result(self, said: Said, people: tuple[Person, ...]) -> TestValue:
        is_asked = not self.way and id(said.node) not in self._decorators
        for person in people if is_asked else ():
            one = root(person)
            one.asked = True
            if said.name and said.name not in one.judges:
                one.judges.append(said.name)
        return Judged(people, said.name, said.node)

    def _says_group(self, name: str, test_value: TestValue | None) -> bool:
        return isinstance(test_value, Scalar) and given_by(self.spell, name, test_value) is not None

    def _is_constructor_call(self, said: Said) -> bool:
        name, known = said.name, self.spell.definitions
        if (
            name in known.types
            or isinstance(said.call.callee, RecordType)
            or name in case_words()["makes_person"]
        ):
            return True
        if self._is_own(said):
            return False
        return name[:1].isupper() and not self.conventions.is_constant(name)

    def _is_own(self, said: Said) -> bool:
        return isinstance(said.owner, tree.Name) and said.owner.id in self.conventions.receivers

    def _callee_parameters(self, said: Said) -> tuple[str, ...]:
        """Return the names of a callee's positional parameters, as far as this file says them."""
        if isinstance(said.call.callee, RecordType):
            return said.call.callee.names
        known, name = self.spell.definitions, said.name
        if name in known.types:
            return known.made_with(name)
        if self._is_own(said):
            function = next((one for key, one in known.methods.items() if key[1] == name), None)
        else:
            function = known.functions.get(name) if said.owner is None else None
        if function is None:
            return ()
        return tuple(one.name for one in function.parameters if not one.star)[self._is_own(said) :]

    # -------------------------------------------------------------------------------------- what is known

    def _append_value(self, said: Said) -> TestValue | None:
        test_value = said.arguments[-1] if said.arguments else None
        if isinstance(said.receiver, Rows):
            several = (
                test_value.items[:]
                if said.name == "extend" and isinstance(test_value, Rows)
                else [test_value]
            )
            for one in several:
                self.put(said.receiver, one)
        elif said.owner is not None and (place := path_of(said.owner)):
            for person in people_in(test_value):
                person.names.append(place)
        return None

    def _update_person(self, said: Said) -> TestValue | None:
        person = said.receiver
        if not isinstance(person, Person) or said.owner is None:
            return None
        changes: list[tuple[str, TestValue | None]] = [
            (key, test_value) for key, test_value in said.keywords if key
        ]
        for test_value in said.arguments:
            if isinstance(test_value, Person):
                root(test_value).part_of = root(person) if root(test_value) is not root(person) else None
                changes.extend(test_value.fields.items())
        for key, test_value in changes:
            person = self.write(said.owner, person, key, test_value)
        if said.call.receiver is not None:
            self.keep(said.call.receiver, person)
        return None

    def write(self, place: Node, person: Person, key: str, test_value: TestValue | None) -> Person:
        """Set a field of what stands at a place: of a new record, where that makes another case."""
        target = root(person)
        where = path_of(place) or ""
        if test_value is None and target is not person:
            return person  # a copy of what somebody says
        found = given_by(self.spell, key, test_value) if isinstance(test_value, Scalar) else None
        known = target.given.get(found.mention.attribute) if found is not None else None
        if self.way and known is not None and found is not None and known.node is found.node:
            return target
        if found is not None and (found.mention.attribute in target.own or target.asked):
            original = target
            target = self.made_from(original, place)
            if not self.conventions.own_name(where):
                original.pattern_uses -= 1
            if original.rows is not None and not original.asked:
                original.part_of = target
                target.rows = original.rows
        self.set(target, key, test_value, receiver=where)
        return self.once(target) if found is not None else target

    def _apply_setter(self, said: Said) -> bool:
        """`person.set_gender("F")`."""
        name = said.name
        plain = name.removeprefix("set_") if name.startswith("set_") else name.removeprefix("set")
        if plain == name or len(said.arguments) != 1 or said.owner is None:
            return False
        if not names_attribute(self.spell, plain):
            return False
        target = tree.Field(said.node.span, said.owner, plain, said.node.span)
        self.assign_field(target, said.receiver, said.arguments[0], said.call.receiver)
        return True

    def _copy_value(self, said: Said) -> TestValue | None:
        source = said.first(Person) or said.first(Judged)
        if isinstance(source, Judged):
            source = source.people[0] if len(source.people) == 1 else None
        if not isinstance(source, Person):
            return said.first(Rows)
        made = self.made_from(source, said.node)
        for key, test_value in said.keywords:
            if key in case_words()["changed_by"] and isinstance(test_value, Person):
                root(test_value).part_of = made
                for name, value in test_value.fields.items():
                    self.set(made, name, value)
            elif key is not None:
                self.set(made, key, test_value)
        return made

    def _table_of_people(self, said: Said) -> TestValue | None:
        """Return a data frame: of columns, of rows under a header, or of people."""
        named = dict(said.keywords)
        data = said.arguments[0] if said.arguments else named.get("data")
        second = said.arguments[1] if len(said.arguments) > 1 else None
        header = named.get("columns") or named.get("schema") or second
        if isinstance(data, Person):
            return self.columns(data, said.node)
        if isinstance(data, Rows):
            for row in data.items if isinstance(header, Rows) else ():
                person = self.under_header(row, texts_of(header)) if isinstance(row, Rows) else None
                if person is not None:
                    person.rows = data
            return data
        return None

    # ------------------------------------------------------------------------------------------- assertions

    def judged(self, node: Node, value: Value) -> TestValue | None:
        """Return what a function has said of people, where an expression comes to that."""
        found = self.at(node, value)
        return found if isinstance(found, Judged) else self.told.get(id(value), found)

    def compared(self, op: str, nodes: Sequence[Node], values: Sequence[Value], node: Node) -> None:
        """Two test values are asserted to be equal, or not."""
        if len(nodes) < 2 or len(values) < 2:
            return
        first, second = map(self.judged, nodes, values)
        if isinstance(second, Judged) and not isinstance(first, Judged):
            first, second = second, self.at(nodes[0], values[0])
        elif isinstance(second, Judged):
            second = self.test_value(values[1], nodes[1])
        if not isinstance(second, Scalar):
            return
        shown = shown_of(second)
        text = shown if op in {"==", "in"} else f"not {shown}" if op in {"!=", "not in"} else f"{op} {shown}"
        self.note(first, text, node)

    def note(self, test_value: TestValue | None, text: str, node: Node) -> None:
        """Read what is to come out for the people that something is said of."""
        for person in test_value.people if isinstance(test_value, Judged) else ():
            give_outcome(root(person), Outcome(text, 3, node, test_value.call))  # type: ignore[union-attr]

    _METHODS: ClassVar[Mapping[str, Callable[[Calls, Said], TestValue | None]]] = {
        "append": _append_value,
        "add": _append_value,
        "insert": _append_value,
        "extend": _append_value,
        "update": _update_person,
    }


def give_outcome(person: Person, outcome: Outcome) -> None:
    """Say what is to come out for a person, unless a person better placed has said so."""
    if person.outcome is None or person.outcome.rank < outcome.rank:
        person.outcome = outcome


def shown_of(value: Scalar) -> str:
    """Return a value in the code's words."""
    shown = value.label or value.value
    return str(shown).lower() if isinstance(shown, bool) else str(shown)


def texts_of(rows: TestValue | None) -> list[str | None]:
    """Return the texts in a list; None for what is no text."""
    items = rows.items if isinstance(rows, Rows) else ()
    return [one.value if isinstance(one, Scalar) and isinstance(one.value, str) else None for one in items]


def _add_fields(person: Person, named: Named) -> None:
    for key, test_value in named:
        if isinstance(test_value, Scalar):
            person.fields.setdefault(key, test_value)


def _asserted_operator(node: tree.Call, name: str) -> str:
    """Return what a call asserts: an operator of its two arguments, `true` or `false` of one; else empty."""
    words, known = split_words(name), case_words()
    if not words or not node.arguments or known["asserts"].isdisjoint({*words[:2], words[-1]}):
        return ""
    if words[0] in known["asserts_two"] and len(node.arguments) < 2:
        return ""
    if not known["asserts_nothing"].isdisjoint(words):
        return ""
    if len(node.arguments) == 1 or {"true", "false"} & set(words):
        return "false" if "false" in words else "true"
    return next((op for op, key in _OPERATORS.items() if not known[f"says_{key}"].isdisjoint(words)), "")


def _find_assertions(syntax: SyntaxIndex) -> dict[int, bool]:
    """Return the comparisons and calls of which it is asserted that they are true, or not: by their
    identity.
    """
    found: dict[int, bool] = {}
    tests = [(node.test, True) for node in syntax.places(tree.Assert)]
    calls = [(node, _asserted_operator(node, last_name(node.function))) for node in syntax.places(tree.Call)]
    tests += [(node.arguments[0], op == "true") for node, op in calls if op in {"true", "false"}]
    while tests:
        test, truth = tests.pop()
        match test:
            case tree.Unary(op="not", operand=inner):
                tests.append((inner, not truth))
            case tree.BoolOp(values=parts):
                tests.extend((part, truth) for part in parts)
            case tree.Call(function=tree.Field(name="all", value=inner)):
                tests.append((inner, truth))
            case tree.Call(function=tree.Name(id="all"), arguments=(tree.Comprehension(element=inner),)):
                tests.append((inner, truth))
            case tree.Compare(
                op=op, left=tree.Call(function=compare) as left, right=tree.Literal(value=0)
            ) if last_name(compare) in case_words()["compares_texts"]:
                found[id(left)] = (op == "==") == truth
            case tree.Call(function=compare) if last_name(compare) in case_words()["compares_texts"]:
                found[id(test)] = not truth
            case _:
                found[id(test)] = truth
    return found
