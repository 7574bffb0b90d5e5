"""Walks through a file in search of people that are written out, and of what is to come out for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fairlint.lexicon.words import split_words
from fairlint.readers.test_records.calls import Calls, give_outcome
from fairlint.readers.test_records.test_values import (
    Judged,
    Outcome,
    Person,
    Rows,
    Scalar,
    Spell,
    Thing,
    case_words,
    names_attribute,
    people_in,
    root,
    words_of,
)
from fairlint.readers.test_records.values import Variables
from fairlint.records import replace
from fairlint.semantics.facts import Facts
from fairlint.semantics.paths import last_name
from fairlint.semantics.scopes import type_name
from fairlint.syntax import tree
from fairlint.syntax.tree import Function, Node

DEMO = "demo"
"""What everything under `if __name__ == "__main__"` goes by, besides its own names."""
FIRST = ("setUpClass", "setUp", "setup_method", "setup")


def find_people(body: Sequence[Node], spell: Spell, facts: Facts) -> Walk:
    """Everybody who is written out in a file. `facts` says what the evaluator knows of single values."""
    walk = Walk(spell, facts)
    walk.module(body)
    return walk


def counted(walk: Walk) -> list[Person]:
    """The records, each once: not the parts of others, nor what others are only made from."""
    for person in walk.people:
        if person.in_grid:
            _leave_out_varied(person)
    kept = [
        person
        for person in walk.people
        if person.given
        and person.part_of is None
        and (person.asked or person.rows is not None or person.pattern_uses <= 0)
        and not _is_statistic(person)
    ]
    for person in kept:
        _own_outcome(person)
    return kept


def _leave_out_varied(person: Person) -> None:
    """Drops what a grid of loops gives a record: all groups get their turn there."""
    span = person.node.span
    for attribute, given in list(person.given.items()):
        if not (span.start <= given.node.span.start and given.node.span.end <= span.end):
            del person.given[attribute]


def _is_statistic(person: Person) -> bool:
    """Whether it counts people: `{"sex": "male", "count": 1200}`. Who has a name and a `rate` is a person."""
    words = case_words().statistics
    if _has_name(person):
        words = words - case_words().may_be_somebodys
    return any(
        not words.isdisjoint(split_words(name))
        and isinstance(value, Scalar)
        and isinstance(value.value, int | float)
        and not isinstance(value.value, bool)
        and len(split_words(name)) <= 2
        and len(person.fields) <= 6
        for name, value in person.fields.items()
    )


def _is_number(value: Thing | None) -> bool:
    """Whether a field is an amount: `promoted=False` tells the outcome rather than `rating=7`."""
    number = isinstance(value, Scalar) and isinstance(value.value, int | float)
    return number and not isinstance(getattr(value, "value", None), bool)


def _has_name(person: Person) -> bool:
    return any(
        split_words(name)[-1:] == ("name",) and isinstance(value, Scalar) and isinstance(value.value, str)
        for name, value in person.fields.items()
    )


def _own_outcome(person: Person) -> None:
    """The field of a record that says what is to come out."""
    words = case_words()
    decided_first = sorted(person.fields.items(), key=lambda entry: _is_number(entry[1]))
    for known, rank in ((words.expected, 3), (words.outcome, 2)):
        for name, value in decided_first:
            is_told = isinstance(value, Scalar) and (value.label or value.value is not None)
            if not is_told or not isinstance(value, Scalar) or known.isdisjoint(split_words(name)):
                continue
            shown = value.label or value.value
            if isinstance(shown, bool):
                shown = "true" if shown else "false"
            give_outcome(person, Outcome(str(shown), rank, value.node, name))
            break


class Walk(Calls):
    """Executes statements, function by function, each once."""

    def __init__(self, spell: Spell, facts: Facts) -> None:
        super().__init__(spell, facts)
        self._returned: dict[tuple[str, str], Thing | None] = {}
        self._running: set[tuple[str, str]] = set()
        self._results: list[Thing | None] = []
        self._members: dict[str, Variables] = {}
        self._loose: dict[str, Person] = {}
        self._is_demo = False
        self._is_class = False

    # ------------------------------------------------------------------------------------------------ scopes

    def module(self, body: Sequence[Node]) -> None:
        """Walks through the whole file."""
        self.variables = self.shared
        self.statements(body)
        for function in (node for node in body if isinstance(node, Function)):
            self.returned_by(function, "")
        for type_ in _types(body):
            self.type(type_)

    def type(self, node: tree.Type) -> None:
        """Walks through a class: its own variables, what prepares its tests, and its methods."""
        if node.kind != "class":
            return
        members = self._members.setdefault(node.name, {})
        before, self.variables = self.variables, members
        function, self.function = self.function, node.name
        self._is_class = True
        self.statements([part for part in node.body if isinstance(part, tree.Assign)])
        self._is_class = False
        self.variables, self.function = before, function
        own = [(name, thing) for name, thing in members.items() if "." not in name]
        for name, thing in own:  # classes of one name share their variables
            for path in (*self.conventions.own_paths(name), f"{node.name}.{name}"):
                members.setdefault(path, thing)
        methods = [part for part in node.body if isinstance(part, Function)]
        first = (*FIRST, self.conventions.constructor)
        methods.sort(key=lambda one: first.index(one.name) if one.name in first else len(first))
        for method in methods:
            self.returned_by(method, node.name)
        for part in node.body:
            if isinstance(part, tree.Type):
                self.type(part)

    def returned_by(self, function: Function, owner: str) -> Thing | None:
        """What a function gives; it is walked through the first time that it is asked for."""
        key = (owner, function.name) if owner else (f"@{function.span.start}", function.name)
        if key in self._returned or key in self._running or self.is_spent:
            return self._returned.get(key)
        self._running.add(key)
        saved = (self.variables, self.function, self._results, self.rounds, self._is_demo, self.is_cut)
        members = self._members.setdefault(owner, {}) if owner else {}
        self.variables = dict(members)
        self.function = f"{owner}.{function.name}" if owner else function.name
        self._results, self.rounds, self._is_demo, self.is_cut = [], 1, False, False
        for rows in self._cases_of(function):
            self._run(function, rows)
        if owner and function.name in (*FIRST, self.conventions.constructor):
            own_name = self.conventions.own_name
            members.update({path: thing for path, thing in self.variables.items() if own_name(path)})
        result = _joined(self._results, function)
        self.variables, self.function, self._results, self.rounds, self._is_demo, self.is_cut = saved
        self._running.discard(key)
        self._returned[key] = result
        return result

    def _run(self, function: Function, given: Variables) -> None:
        fixtures = self.spell.definitions.functions
        for parameter in function.parameters:
            if parameter.name in self.conventions.receivers:
                continue
            thing = given.get(parameter.name)
            if thing is None and parameter.name in fixtures and _is_fixture(fixtures[parameter.name]):
                thing = self.returned_by(fixtures[parameter.name], "")
            self.variables[parameter.name] = thing
        self.statements(function.body)

    def _cases_of(self, function: Function) -> list[Variables]:
        """What the parameters are given: by `parametrize`, row by row."""
        cases: list[Variables] = [{}]
        for decorator in function.decorators:
            match decorator:
                case tree.Call(arguments=(names_node, rows_node, *_)) if (
                    last_name(decorator.function) == "parametrize"
                ):
                    found = self._parametrized(names_node, rows_node)
                case tree.Call(arguments=(rows_node,)) if "expand" in last_name(decorator.function):
                    names = self._given_names(function)
                    found = self._rows_for(names, self.value(rows_node))
                case tree.Call(arguments=rows_nodes) if last_name(decorator.function) in {"data", "case"}:
                    names = self._given_names(function)
                    found = self._rows_for(names, Rows([self.value(one) for one in rows_nodes], decorator))
                case _:
                    continue
            if found and len(found) * len(cases) <= LARGEST_TABLE:
                cases = [case | row for case in cases for row in found]
        return cases

    def _given_names(self, function: Function) -> list[str]:
        receivers = self.conventions.receivers
        return [one.name for one in function.parameters if one.name not in receivers]

    def _parametrized(self, names_node: Node, rows_node: Node) -> list[Variables]:
        match self.value(names_node):
            case Scalar(value=str() as text):
                names = [name.strip() for name in text.split(",") if name.strip()]
            case Rows(items=items):
                names = [str(item.value) for item in items if isinstance(item, Scalar)]
            case _:
                return []
        return self._rows_for(names, self.value(rows_node))

    def _rows_for(self, names: Sequence[str], table: Thing | None) -> list[Variables]:
        if isinstance(table, Scalar) and table.inside is not None:
            table = table.inside
        if not isinstance(table, Rows):
            return []
        found: list[Variables] = []
        for row in table.items:
            if len(names) == 1 or not isinstance(row, Rows):
                found.append({names[0]: row} if names else {})
                if isinstance(row, Scalar) and names and names_attribute(self.spell, names[0]):
                    row.owner = None
                continue
            person = self.under_header(row, names)
            if person is not None and person.rows is None:
                person.rows = table
            self.paired(names, row)
            found.append(dict(zip(names, row.items, strict=False)))
        return found

    # -------------------------------------------------------------------------------------------- statements

    def statements(self, body: Iterable[Node]) -> None:
        """Executes statements in order, both sides of every branch."""
        for node in body:
            if self.is_spent:
                return
            self.statement(node)

    def statement(self, node: Node) -> None:
        """Executes one statement."""
        match node:
            case tree.Assign():
                self._assign(node)
            case tree.Expression(value=value):
                self.value(value)
            case tree.Assert(test=test):
                self.assertion(test, True)
            case tree.Return(value=value):
                self._results.append(self.value(value))
            case tree.If():
                self._if(node)
            case tree.Loop():
                self._loop(node)
            case tree.With(items=items, body=body):
                self.statements(items)
                self.statements(body)
            case tree.Try():
                self.statements(node.body)
                for handler in node.handlers:
                    self.statements(handler)
                self.statements(node.otherwise)
                self.statements(node.final)
            case tree.Switch(subject=subject, cases=cases):
                self.value(subject)
                for case in cases:
                    self.statements(case.body)
            case tree.Block(body=body):
                self.statements(body)
            case Function():
                if self.function:
                    self._nested(node)
            case tree.Type():
                if self.function:
                    self.type(node)
            case tree.Other(children=children) | tree.Broken(children=children):
                self.statements(children)
            case tree.Import() | tree.Macro() | tree.Raise() | tree.Break() | tree.Continue():
                pass
            case _:
                self.value(node)

    def _nested(self, node: Function) -> None:
        before = dict(self.variables)
        results, self._results = self._results, []
        for rows in self._cases_of(node):
            self._run(node, rows)
        self._results = results
        self.variables = before

    def _if(self, node: tree.If) -> None:
        demo = self._is_demo
        match node.test:
            case tree.Compare(left=tree.Name(id=name)) if name == self.conventions.main:
                self._is_demo = True
            case _:
                self.value(node.test)
        self.statements(node.then)
        self._is_demo = demo
        self.statements(node.otherwise)

    def _loop(self, node: tree.Loop) -> None:
        if node.target is None:
            for part in node.body:
                for name in _counters(part):
                    self.variables[name] = None
            self.value(node.test)
            self.statements(node.body)
            self.statements(node.otherwise)
            return
        was_cut = self.is_cut
        iterable = self.value(node.iterable)
        rounds = self.rounds_of(iterable)
        self.rounds *= len(rounds)
        table = iterable.inside if isinstance(iterable, Scalar) else iterable
        for item in rounds:
            self.bind(node.target, item)
            for person in people_in(item):
                if person.rows is None and isinstance(table, Rows):
                    person.rows = table
            self.statements(node.body)
        self.rounds //= len(rounds)
        self.is_cut = was_cut
        self.statements(node.otherwise)

    def _assign(self, node: tree.Assign) -> None:
        value = node.value
        if value is None:
            self._declare(node)
            return
        if isinstance(value, tree.Collection) and value.kind == "struct":
            thing = self.initialiser(value, node.type)
        else:
            thing = self.value(value)
        if node.op is not None:
            self._augment(node, thing)
            return
        for target in node.targets:
            if isinstance(target, tree.Name):
                thing = self._under_its_name(target, thing, value)
                self.bind(target, thing)
            elif isinstance(target, tree.Collection) and isinstance(value, tree.Collection):
                self._unpack(target, thing)
            else:
                self.bind(target, thing)

    def _unpack(self, target: tree.Collection, thing: Thing | None) -> None:
        """`gender, race = "male", "white"`: loose variables, no row."""
        if not isinstance(thing, Rows):
            self.bind(target, thing)
            return
        for item, part in zip(target.items, thing.items, strict=False):
            if isinstance(item.value, tree.Name):
                self.bind(item.value, self._under_its_name(item.value, part, item.value))
            else:
                self.bind(item.value, part)

    def _under_its_name(self, target: tree.Name, thing: Thing | None, node: Node) -> Thing | None:
        name = target.id
        match thing:
            case Scalar(owner=None) if not self._is_class and names_attribute(self.spell, name):
                return self._loose_value(name, thing)
            case Person(given={}) if _is_name_of_people(name):
                table = self.columns(thing, node)
                if table is not None and len(table.items) >= LEAST_COLUMN:
                    thing = table
            case _:
                pass
        called = [name, DEMO] if self._is_demo else [name]
        if isinstance(thing, Rows) and not thing.name:
            thing.name = name
        for person in people_in(thing):
            person.names.extend(one for one in called if one not in person.names)
        return thing

    def _loose_value(self, name: str, value: Scalar) -> Scalar:
        """A variable that says a group makes a person, together with the others of its function."""
        person = self._loose.get(self.function)
        if person is None:
            person = self.new_person(value.node)
            person.is_implied = True
        else:
            attributes = {mention.attribute for mention in self.spell.vocabulary.mentions(name)}
            if person.asked or not attributes.isdisjoint(person.own):
                was_asked = person.asked
                person = self.made_from(person, value.node)
                person.is_implied = True
                if not was_asked:
                    self._loose[self.function].pattern_uses -= 1
        self._loose[self.function] = person
        self.set(person, name, value)
        if not person.given:
            return value
        if self._is_demo and DEMO not in person.names:
            person.names.append(DEMO)
        return replace(value, owner=person)

    def _augment(self, node: tree.Assign, thing: Thing | None) -> None:
        for target in node.targets:
            before = self.value(target)
            if isinstance(before, Rows) and isinstance(thing, Rows):
                for item in thing.items[:]:
                    self.put(before, item)

    def _declare(self, node: tree.Assign) -> None:
        """`Person a;` in C."""
        if node.type and type_name(node.type) in self.spell.definitions.fields and "[" not in node.type:
            for target in node.targets:
                if isinstance(target, tree.Name):
                    self.variables[target.id] = self.new_person(node, type_name(node.type))

    def assign_field(self, target: Node, thing: Thing | None) -> None:
        """`person.gender = ...`, `person["gender"] = ...`."""
        match target:
            case tree.Field(value=owner, name=name):
                pass
            case tree.Index(value=owner, index=tree.Literal(value=str() as name)):
                pass
            case tree.Index():
                place = self.place(target)
                if place:
                    self.variables[place] = thing
                    for person in people_in(thing):
                        person.names.append(place.partition("[")[0])
                return
            case _:
                return
        place = self.place(owner)
        if place in self.conventions.receivers:
            self.variables[f"{place}.{name}"] = thing
            for person in people_in(thing):
                person.names.append(name)
            return
        found = self.variables.get(place) if place else None
        found = found if found is not None else self.value(owner)
        if isinstance(found, Judged) and len(found.people) == 1:
            found = found.people[0]
        if isinstance(found, Rows):
            return
        if not isinstance(found, Person):
            if not place or found is not None or not names_attribute(self.spell, name):
                return
            found = self.new_person(target)
            found.names.append(place)
            self.variables[place] = found
        self._write(owner, found, name, thing)
        if self._is_demo and DEMO not in root(found).names:
            root(found).names.append(DEMO)

    # ------------------------------------------------------------------------------------ what is beside whom

    def beside(self, row: Rows) -> None:
        """What stands behind a person in a tuple is what is to come out for it."""
        people = [item for item in row.items if isinstance(item, Person | Judged)]
        if len(people) != 1 or not isinstance(row.items[0], Person | Judged) or len(row.items) > 4:
            return
        values = [item for item in row.items[1:] if isinstance(item, Scalar) and item.owner is None]
        for value in reversed(values):
            shown = value.label or value.value
            if shown is None:
                continue
            text = ("true" if shown else "false") if isinstance(shown, bool) else str(shown)
            for person in people_in(people[0]):
                give_outcome(person, Outcome(text, 2, value.node))
            return

    def paired(self, names: Sequence[str | None], row: Rows) -> None:
        """`for person, expected in cases`."""
        words = case_words().expected
        people = [
            person for item in row.items for person in people_in(item) if isinstance(item, Person | Judged)
        ]
        if not people:
            return
        for name, item in zip(names, row.items, strict=False):
            if name is None or not isinstance(item, Scalar) or words.isdisjoint(split_words(name)):
                continue
            shown = item.label or item.value
            text = ("true" if shown else "false") if isinstance(shown, bool) else str(shown)
            for person in people:
                give_outcome(person, Outcome(text, 3, item.node, name))


LARGEST_TABLE = 200
LEAST_COLUMN = 2


def _is_name_of_people(name: str) -> bool:
    words = words_of([name])
    return not words.isdisjoint(case_words().people) or not words.isdisjoint(case_words().test)


def _is_fixture(function: Function) -> bool:
    return any(
        last_name(one.function if isinstance(one, tree.Call) else one) == "fixture"
        for one in function.decorators
    )


def _counters(node: Node) -> Iterable[str]:
    """What a statement of a loop counts up: nobody knows what it is then."""
    if isinstance(node, tree.Assign) and node.op is not None:
        yield from (target.id for target in node.targets if isinstance(target, tree.Name))


def _types(body: Iterable[Node]) -> list[tree.Type]:
    return [node for node in body if isinstance(node, tree.Type)]


def _joined(results: Sequence[Thing | None], function: Function) -> Thing | None:
    """What a function gives back: the only thing, or all that it yields."""
    given = [one for one in results if one is not None]
    if not given:
        return None
    yields = any(
        isinstance(part, tree.Return) and part.is_yield for node in function.body for part in tree.walk(node)
    )
    if len(given) == 1 and not (yields and isinstance(given[0], Person) and not _is_fixture(function)):
        return given[0]
    people = [one for one in given if isinstance(one, Person | Rows)]
    return Rows(list(people), function) if people and yields else people[0] if people else given[0]
