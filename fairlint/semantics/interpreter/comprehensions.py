"""Comprehensions: people who are chosen, entries that are gone through, columns of tables."""

from __future__ import annotations

from fairlint.semantics.interpreter import access, norms, operations, reads, rounds
from fairlint.semantics.interpreter.container_elements import element_of
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.tables import table_access
from fairlint.semantics.tables.libraries import has_tables
from fairlint.semantics.texts import text_values
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    UNKNOWN,
    Choice,
    Columns,
    Const,
    Elementwise,
    Filtered,
    Instance,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Sorted,
    Table,
    TypedParameter,
    Value,
)
from fairlint.semantics.values.traversal import walk
from fairlint.syntax import tree


def evaluate_comprehension(node: tree.Comprehension, frame: Frame) -> Value:
    """Return what a comprehension makes: people that are chosen, a table, a list, or something unknown."""
    if len(node.generators) == 1 and (made := _entry_by_entry(node, node.generators[0], frame)) is not None:
        return made
    if (rounds := _rounds_of_comprehension(node, frame)) is not None:
        return Sequence(tuple(one.evaluate(node.element) for one in rounds), node)
    if (all_or_none := _all_or_none(node, frame)) is not None:
        return all_or_none
    inner = frame.scope()
    people: Value = UNKNOWN
    tests: list[Value] = []
    for place, generator in enumerate(node.generators):
        people = (inner if place else frame).evaluate(generator.iterable)
        if isinstance(generator.target, tree.Name):
            inner.types = {**inner.types, generator.target.id: frame.text(generator.iterable)}
        inner.bind(generator.target, element_of(people, generator.target, inner))
        tests.extend(inner.evaluate(condition) for condition in generator.conditions)
    element = inner.evaluate(node.element)
    if tests:
        test = operations.combine("and", tests, node)
        frame.program.own_groups = frame.program.own_groups or norms.asked_of_two(test) is not None
        return Filtered(people if isinstance(people, Filtered) else element, test, node)
    tells = frame.program.dependence.on_any(element)
    if isinstance(people, Filtered) or (isinstance(people, Sorted) and not tells):
        return people
    if (rows := table_access.rows_of(element, node, frame)) is not None:
        return rows
    if (isinstance(element, Sequence | Table) and tells) or text_values.is_text(element):
        return Elementwise(element, node)
    if isinstance(node.element, tree.Call) and _is_record(element, frame):  # `[str(c) for c in candidates]`
        return Elementwise(element, node)
    return element if isinstance(element, Choice | Lookup | Operation) else Opaque(frame.text(node))


def _all_or_none(node: tree.Comprehension, frame: Frame) -> Value | None:
    """Return what is made of all or none, by a test of somebody else: `[5 for _ in rules if
    person.is_male]`.
    """
    if node.key is not None or not any(one.conditions for one in node.generators):
        return None
    found = rounds.that_are_alike(node, frame)
    if found is None or not frame.program.dependence.on_any(found.test):
        return None
    return Choice(found.test, Elementwise(found.element, node), Sequence((), node), node)


def _is_record(value: Value, frame: Frame) -> bool:
    """Return whether a value is a record that names an attribute, in another form."""
    return isinstance(value, TypedParameter) or (isinstance(value, Table) and frame.program.tells(value))


def _entry_by_entry(node: tree.Comprehension, generator: tree.Generator, frame: Frame) -> Value | None:
    """Return what is made of entries that are written out, or of a table's columns."""
    gone_through = frame.evaluate(generator.iterable)
    frame.note(node, gone_through, target=generator.target)
    if (table := table_access.comprehension(node, generator, gone_through, frame)) is not None:
        return table
    entries = operations.entries_of(gone_through) or _items_asked_for(generator, frame)
    if generator.conditions or entries is None:
        if not entries:
            return None
        passing = _known_to_pass(node, generator, entries, frame)
        return _rows_by_person(node, generator, entries, frame) if passing is None else passing
    values, keys = [], []
    for entry in entries:
        inner = frame.scope()
        inner.bind(generator.target, entry)
        values.append(inner.evaluate(node.element))
        keys.append(None if node.key is None else reads.written_out_value(inner.evaluate(node.key)))
    pairs = tuple((key, value) for key, value in zip(keys, values, strict=True) if key is not None)
    return Table(pairs, node) if pairs else Sequence(tuple(values), node)


def _rounds_of_comprehension(node: tree.Comprehension, frame: Frame) -> list[Frame] | None:
    """Return the rounds of several lists that are written out: `[(r, s) for r in RACES for s in SEXES]`."""
    if len(node.generators) == 1:
        return None
    rounds = [frame]
    for generator in node.generators:
        entered: list[Frame] = []
        for outer in rounds:
            is_plain = (
                node.key is None and not generator.conditions and path_of(generator.iterable) is not None
            )
            entries = operations.entries_of(outer.evaluate(generator.iterable)) if is_plain else None
            if entries is None or len(entered) + len(entries) > operations.MAX_UNROLL:
                return None
            for entry in entries:
                entered.append(outer.scope())
                (entered[-1]).bind(generator.target, entry)
        rounds = entered
    return rounds


def _items_asked_for(generator: tree.Generator, frame: Frame) -> tuple[Value, ...] | None:
    """Return the entries of a record that a condition lets through: `for k, v in person.items() if k in
    FIELDS`.
    """
    match generator:
        case tree.Generator(
            target=tree.Collection(items=(tree.Item(value=tree.Name(id=key)), _)),
            iterable=tree.Call(function=tree.Field(value=record, name="items")),
        ):
            pass
        case _:
            return None
    for condition in generator.conditions:
        match condition:
            case tree.Compare(op="in", left=tree.Name(id=asked), right=listed) if asked == key:
                names = operations.entries_of(frame.evaluate(listed))
                if names and all(map(text_values.is_name, names)):
                    held = [access.entry_of(record, name, frame) for name in names]
                    return tuple(Sequence(pair, listed) for pair in zip(names, held, strict=True))
            case _:
                pass
    return None


def _known_to_pass(
    node: tree.Comprehension, generator: tree.Generator, entries: tuple[Value, ...], frame: Frame
) -> Sequence | Table | None:
    """Return the entries that pass, where every condition is decided: `[name for name in NAMES if name !=
    "a"]`.
    """
    values: list[Value] = []
    keys: list[Value] = []
    for entry in entries:
        inner = frame.scope()
        inner.bind(generator.target, entry)
        tests = [inner.evaluate(condition) for condition in generator.conditions]
        test = operations.combine("and", map(operations.settle_test, tests), node)
        unclear = not isinstance(test, Const) or bool(test.label)
        if unclear and not _asks_for_column(test) and not _is_name_of_column(entry, test, frame):
            return None
        if unclear or (isinstance(test, Const) and test.value):
            values.append(inner.evaluate(node.element))
            keys.extend(() if node.key is None else (reads.written_out_value(inner.evaluate(node.key)),))
    return Table(tuple(zip(keys, values, strict=True)), node) if keys else Sequence(tuple(values), node)


def _rows_by_person(
    node: tree.Comprehension, generator: tree.Generator, entries: tuple[Value, ...], frame: Frame
) -> Filtered | None:
    """Return the rows of a written-out table that ask something of a person: `[r for r in RULES if r.sex ==
    p.sex]`.

    What is a person's own is looked at as ever.
    """
    rows = (part for entry in entries for part in (entry.items if isinstance(entry, Sequence) else (entry,)))
    if not any(isinstance(row, Table | Instance) for row in rows):
        return None
    found: Value = Opaque(frame.text(node))
    for entry in entries:
        inner = frame.scope()
        inner.bind(generator.target, entry)
        tests = [inner.evaluate(condition) for condition in generator.conditions]
        test = operations.combine("and", map(operations.settle_test, tests), node)
        if not frame.program.dependence.on_any(test):
            continue
        if any(isinstance(part, Protected) and part.sample is not None for part in walk(test)):
            return None
        found = Filtered(found, test, node)
    return found if isinstance(found, Filtered) else None


def _is_name_of_column(entry: Value, test: Value, frame: Frame) -> bool:
    """Return whether one of some names may pass a test about anything else: an option, a study's
    suggestion.
    """
    is_name = isinstance(entry, Const) and isinstance(entry.value, str)
    return is_name and has_tables(frame) and not frame.program.dependence.on_any(test)


def _asks_for_column(test: Value) -> bool:
    """Return whether a test only asks if a table has a column, which it mostly has."""
    return isinstance(test, Operation) and test.op == "in" and isinstance(test.arguments[1], Columns)
