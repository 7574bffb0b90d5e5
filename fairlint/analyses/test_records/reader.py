"""Reads what happens in a file: people that are written out, and what is to come out for them."""

from __future__ import annotations

from collections.abc import Sequence

from fairlint.analyses.test_records.calls import Calls, give_outcome, shown_of, texts_of
from fairlint.analyses.test_records.identities import MAX_PEOPLE, MAX_STEPS, Variables
from fairlint.analyses.test_records.test_values import (
    Judged,
    Outcome,
    Person,
    Rows,
    Scalar,
    Spell,
    TestValue,
    case_words,
    names_attribute,
    people_in,
    words_of,
)
from fairlint.semantics.execution import Execution
from fairlint.semantics.names.library import Entry
from fairlint.semantics.names.qualified_names import name_of
from fairlint.semantics.names.scopes import type_name
from fairlint.semantics.tables.libraries import may_be
from fairlint.semantics.values import symbolic
from fairlint.semantics.values.facts import Call, Step
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import Value
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Function, Node
from fairlint.vocabulary.words import split_words

DEMO = "demo"
"""What everything under `if __name__ == "__main__"` goes by, besides its own names."""
LARGEST_TABLE = 200
"""Cases of one test that are told apart; where decorators together give more, the report says so."""
TOO_MANY_CASES = f"a test of more than {LARGEST_TABLE} cases: what is given here was not read"
SPENT = f"test data of more than {MAX_STEPS:,} steps or {MAX_PEOPLE:,} people: what follows was not read"
LEAST_COLUMN = 2


def find_people(spell: Spell, execution: Execution) -> Reader:
    """Return everybody who is written out in a file."""
    reader = Reader(spell, execution)
    reader.file()
    return reader


def records_to_count(reader: Reader) -> list[Person]:
    """Return the records, each once: not the parts of others, nor what others are only made from."""
    for person in reader.people:
        if person.in_grid:
            _drop_grid_values(person)
    kept = [
        person
        for person in reader.people
        if person.given
        and person.part_of is None
        and (person.asked or person.rows is not None or person.pattern_uses <= 0)
        and not _is_statistic(person)
    ]
    for person in kept:
        _own_outcome(person)
    return kept


def _drop_grid_values(person: Person) -> None:
    """Drop what a grid of loops gives a record: all groups get their turn there."""
    span = person.node.span
    for attribute, given in list(person.given.items()):
        if not (span.start <= given.node.span.start and given.node.span.end <= span.end):
            del person.given[attribute]


def _is_statistic(person: Person) -> bool:
    """Return whether it counts people: `{"sex": "male", "count": 1200}`. Who has a name and a `rate` is a
    person.
    """
    words = case_words()["statistics"]
    if _has_name(person):
        words = words - case_words()["may_be_somebodys"]
    return any(
        not words.isdisjoint(split_words(name))
        and _is_number(value)
        and len(split_words(name)) <= 2
        and len(person.fields) <= 6
        for name, value in person.fields.items()
    )


def _is_number(value: TestValue | None) -> bool:
    """Return whether a field is an amount: `promoted=False` tells the outcome rather than `rating=7`."""
    number = isinstance(value, Scalar) and isinstance(value.value, int | float)
    return number and not isinstance(getattr(value, "value", None), bool)


def _has_name(person: Person) -> bool:
    return any(
        split_words(name)[-1:] == ("name",) and isinstance(value, Scalar) and isinstance(value.value, str)
        for name, value in person.fields.items()
    )


def _own_outcome(person: Person) -> None:
    """Note the field of a record that says what is to come out."""
    words = case_words()
    groups = {given.mention.identifier for given in person.given.values()}  # a marital status is no outcome
    fields = [(name, value) for name, value in person.fields.items() if name not in groups]
    decided_first = sorted(fields, key=lambda entry: _is_number(entry[1]))
    for known, rank in ((words["expected"], 3), (words["outcome"], 2)):
        for name, value in decided_first:
            is_told = isinstance(value, Scalar) and (value.label or value.value is not None)
            if not is_told or not isinstance(value, Scalar) or known.isdisjoint(split_words(name)):
                continue
            give_outcome(person, Outcome(shown_of(value), rank, value.node, name))
            break


class Reader(Calls):
    """Reads the steps of a file in their order, those of a test once for each of its cases."""

    def __init__(self, spell: Spell, execution: Execution) -> None:
        super().__init__(spell, execution)
        self._returned: dict[str, list[TestValue]] = {}
        self._loose: dict[str, Person] = {}
        self._steps = execution.facts.steps
        self._program = execution.program
        self._demos = [
            node.span
            for node in execution.syntax.places(tree.If)
            if isinstance(node.test, tree.Compare)
            and isinstance(node.test.left, tree.Name)
            and node.test.left.id == self.conventions.main
        ]

    def file(self) -> None:
        """Read the whole file."""
        steps, place = self._steps, 0
        while place < len(steps):
            function, end = steps[place].node, place + 1
            if not isinstance(function, Function):
                self.step(steps[place])
            else:
                while end < len(steps) and _is_step_of_function(steps[end], steps[place].function):
                    end += 1
                self.function = steps[place].function
                for given in self._cases_of(function):
                    self.given = given
                    for step in steps[place + 1 : end]:
                        self.step(step)
                self.given = {}
            place = end

    def step(self, step: Call | Step) -> None:
        """Read what happens in one step."""
        if self.is_spent:
            self.facts.cut(self.people[-1].node if self.people else step.node, SPENT)
            return
        self.function, self.way = step.function, step.way
        node = step.node
        if isinstance(step, Call):
            self.call(step)
        elif isinstance(node, tree.Assign) and step.target is not None:
            self._assign_value(node, step.target, step)
        elif isinstance(node, tree.Call):  # that is an assignment: `strcpy(person.sex, "f")`
            if isinstance(step.target, tree.Field | tree.Index):
                owner = self.at(step.target.value, step.given[0])
                self.assign_field(step.target, owner, self.test_value(step.value, node), step.given[1])
        elif step.target is not None:
            self._goes_through(step.target, self.test_value(step.value))
        elif isinstance(node, tree.Collection):
            self.made(step.value, step.given)
        elif isinstance(node, tree.Compare):
            truth = self.asserted.get(id(node))
            if truth is not None:
                op = node.op if truth else f"not {node.op}".replace("not ==", "!=").replace("not !=", "==")
                self.compared(op, (node.left, node.right), step.given, node)
        elif isinstance(node, tree.Assert) and not isinstance(node.test, tree.Call):
            self.note(self.judged(node.test, step.value), "true", node)
        elif isinstance(node, tree.Return) and step.way:
            if node.is_yield:
                self.yielded.append(self.test_value(step.value))
        elif isinstance(node, tree.Return):
            test_value = (
                self.test_value(step.value) if node.value is None else self.at(node.value, step.value)
            )
            if test_value is not None:
                self._returned.setdefault(step.function, []).append(test_value)

    # ------------------------------------------------------------------------------------------ cases

    def _cases_of(self, function: Function) -> list[Variables]:
        """Return what the parameters are given: by `parametrize`, row by row, and by fixtures."""
        names = [one.name for one in function.parameters if one.name not in self.conventions.receivers]
        fixtures = self.spell.definitions.functions
        cases: list[Variables] = [
            {
                name: self._returned.get(name, [None])[0]
                for name in names
                if name in fixtures
                and any(self._decorator_entry(one, "gives itself") for one in fixtures[name].decorators)
            }
        ]
        for decorator in function.decorators:
            entry, calls = self._decorator_entry(decorator, "gives cases"), self.facts.calls_at(decorator)
            found: list[Variables] = []
            if entry is not None and calls:
                places = (*entry.places("argument"), *entry.places("arguments"))
                given = [self.test_value(one) for one in calls[-1].given(places)]
                if len(places) == len(given) == 2:
                    found = self._parameter_rows(*given)
                else:
                    found = self._rows_for(names, given[0] if places and given else Rows(given, decorator))
            for person in (
                person for case in found for test_value in case.values() for person in people_in(test_value)
            ):
                if decorator.span.start <= person.node.span.start < decorator.span.end:
                    person.function = self.function
            if found and len(found) * len(cases) <= LARGEST_TABLE:
                cases = [case | row for case in cases for row in found]
            elif found:
                self.facts.cut(decorator, TOO_MANY_CASES)
        return cases

    def _decorator_entry(self, decorator: Node, does: str) -> Entry | None:
        """Return what the model of a library says of a decorator that does something."""
        call = decorator if isinstance(decorator, tree.Call) else tree.Call(decorator.span, decorator, ())
        calls, names = self.facts.calls_at(decorator), map(name_of, self.facts.values_of(decorator))
        called = calls[-1].qualified if calls else next(names, "")
        return next(
            (one.entry for one in may_be(call, called, self._program) if does in one.entry.does), None
        )

    def _parameter_rows(self, names: TestValue | None, table: TestValue | None) -> list[Variables]:
        match names:
            case Scalar(value=str() as text):
                return self._rows_for([name.strip() for name in text.split(",") if name.strip()], table)
            case Rows():
                return self._rows_for([name or "" for name in texts_of(names)], table)
            case _:
                return []

    def _rows_for(self, names: Sequence[str], table: TestValue | None) -> list[Variables]:
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
            self._pair_outcomes(names, row)
            found.append(dict(zip(names, row.items, strict=False)))
        return found

    def _goes_through(self, target: Node, table: TestValue | None) -> None:
        """`for person, expected in cases`: each row under the names."""
        if isinstance(table, Scalar) and table.inside is not None:
            table = table.inside
        if not isinstance(table, Rows):
            return
        for row in table.items:
            if isinstance(target, tree.Collection):
                self._unpack_row(target, row)
            for person in people_in(row):
                if person.rows is None:
                    person.rows = table

    def _unpack_row(self, target: tree.Collection, row: TestValue | None) -> None:
        names = [item.value.id if isinstance(item.value, tree.Name) else None for item in target.items]
        if isinstance(row, Rows):
            if len(names) <= len(row.items):
                self.under_header(row, names)
            self._pair_outcomes(names, row)
            for item, part in zip(target.items, row.items, strict=False):
                if isinstance(item.value, tree.Collection):
                    self._unpack_row(item.value, part)

    # -------------------------------------------------------------------------------------------- names

    def _assign_value(self, node: tree.Assign, target: Node, step: Step) -> None:
        if node.value is None:
            type_ = type_name(node.type)
            if type_ in self.spell.definitions.fields and "[" not in node.type:
                self.keep(step.value, self.new_person(node, type_))  # `Person a;` in C
            return
        test_value = self.at(node.value, step.value)
        if node.type:
            for person in people_in(test_value):
                person.type = person.type or type_name(node.type)
        match target:
            case tree.Name(id=name):
                self._under_its_name(name, test_value, step.value, node.value)
            case tree.Collection(items=items) if isinstance(node.value, tree.Collection):
                parts = step.value.items if isinstance(step.value, symbolic.Sequence) else ()
                for item, part, written in zip(items, parts, node.value.items, strict=False):
                    if isinstance(item.value, tree.Name):
                        self._under_its_name(item.value.id, self.at(written.value, part), part, written.value)
            case tree.Collection():
                self._unpack_row(target, test_value)
            case tree.Field() | tree.Index():
                owner = self.at(target.value, step.given[0])
                self.assign_field(target, owner, test_value, step.given[1])
            case _:
                pass

    def _under_its_name(self, name: str, test_value: TestValue | None, value: Value, node: Node) -> None:
        is_class = self.function in self.spell.definitions.types
        match test_value:
            case Scalar(owner=None) if not is_class and names_attribute(self.spell, name):
                if not self.way:
                    self._loose_value(name, test_value, value, node)
                return
            case Person(given={}) if _is_name_of_people(name):
                table = self.columns(test_value, node)
                if table is not None and len(table.items) >= LEAST_COLUMN:
                    test_value = table
                    self.keep(value, table)
            case _:
                pass
        if isinstance(test_value, Rows) and not test_value.name:
            test_value.name = name
        called = [name, DEMO] if self._is_demo(node) else [name]
        for person in people_in(test_value):
            person.names.extend(one for one in called if one not in person.names)

    def _is_demo(self, node: Node) -> bool:
        return any(span.start <= node.span.start < span.end for span in self._demos)

    def _loose_value(self, name: str, value: Scalar, known: Value, node: Node) -> None:
        """Note that a variable that says a group makes a person, together with the others of its function."""
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
        if person.given:
            if self._is_demo(node) and DEMO not in person.names:
                person.names.append(DEMO)
            self.keep(known, replace(value, owner=person))

    def assign_field(
        self, target: Node, owner: TestValue | None, test_value: TestValue | None, after: Value | None
    ) -> None:
        """`person.gender = ...`, `person["gender"] = ...`."""
        match target:
            case tree.Field(value=place, name=name):
                pass
            case tree.Index(value=place, index=index):
                key = self.at(index)
                name = key.value if isinstance(key, Scalar) and isinstance(key.value, str) else ""
                if not name:
                    for person in people_in(test_value):
                        person.names.append((path_of(place) or "").partition("[")[0])
                    if owner is not None and after is not None:
                        self.keep(after, owner)
                    return
            case _:
                return
        where = path_of(place) or ""
        if where in self.conventions.receivers:
            self.give(f"{where}.{name}", test_value)
            for person in people_in(test_value):
                person.names.append(name)
            return
        if isinstance(owner, Judged) and len(owner.people) == 1:
            owner = owner.people[0]
        if isinstance(owner, Rows):
            return
        if not isinstance(owner, Person):
            if not where or owner is not None or not names_attribute(self.spell, name):
                return
            owner = self.new_person(target)
            owner.names.append(where)
        person = self.write(place, owner, name, test_value)
        if after is not None:
            self.keep(after, person)
        if self._is_demo(target) and DEMO not in person.names:
            person.names.append(DEMO)

    # ------------------------------------------------------------------------------------ what is beside whom

    def beside(self, row: Rows) -> None:
        """Note that what stands behind a person in a tuple is what is to come out for it."""
        people = [item for item in row.items if isinstance(item, Person | Judged)]
        if len(people) != 1 or not isinstance(row.items[0], Person | Judged) or len(row.items) > 4:
            return
        for value in reversed(row.items[1:]):
            if isinstance(value, Scalar) and value.owner is None and (value.label or value.value) is not None:
                for person in people_in(people[0]):
                    give_outcome(person, Outcome(shown_of(value), 2, value.node))
                return

    def _pair_outcomes(self, names: Sequence[str | None], row: Rows) -> None:
        """`for person, expected in cases`."""
        words = case_words()["expected"]
        people = [
            person for item in row.items if isinstance(item, Person | Judged) for person in people_in(item)
        ]
        for name, item in zip(names, row.items, strict=False):
            if name is not None and isinstance(item, Scalar) and not words.isdisjoint(split_words(name)):
                for person in people:
                    give_outcome(person, Outcome(shown_of(item), 3, item.node, name))


def _is_step_of_function(step: Call | Step, function: str) -> bool:
    """Return whether a step is one of a function that is walked, of one in it, or of one that it calls."""
    return bool(step.way) or step.function == function or step.function.startswith(f"{function}.")


def _is_name_of_people(name: str) -> bool:
    words = words_of([name])
    return not words.isdisjoint(case_words()["people"]) or not words.isdisjoint(case_words()["test"])
