"""People and lists that test data writes out, entry by entry, and those inside its texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairlint.analyses.test_records.test_values import (
    MAX_ROWS,
    Judged,
    Person,
    Rows,
    Scalar,
    TestValue,
    names_attribute,
    people_in,
    root,
)
from fairlint.analyses.test_records.texts import MAX_TEXT, people_in_text
from fairlint.semantics.texts import json_texts
from fairlint.semantics.values import symbolic
from fairlint.semantics.values.symbolic import Const, Value
from fairlint.support.records import Record, replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

if TYPE_CHECKING:
    from fairlint.analyses.test_records.identities import TestValueMap

MAX_ROUNDS = 64
"""Rounds of loops in loops; of more, what they vary is a grid, and no choice."""
TOO_MANY_ROWS = (
    f"a list of more than {MAX_ROWS:,} entries: only the first {MAX_ROWS:,} were read as test data"
)
_RECORDS = (symbolic.Table, symbolic.Sequence, symbolic.Opaque)
SHORTEST_DATA = 20
Entry = tuple[str | None, Node | None, TestValue | None]
"""The name of a record's entry, where it is written, and what it is."""


class Rounds(Record):
    """How often loops are run: all of them, and those that only count."""

    every: int
    counting: int


def rounds_around(values: TestValueMap, node: Node) -> Rounds:
    """Return how often the loops around a line are run."""
    rounds = counts = 1
    for outer in values.syntax.around(node):
        loops = outer.generators if isinstance(outer, tree.Comprehension) else (outer,)
        for loop in loops:
            iterable = getattr(loop, "iterable", None)
            value = values.facts.value_of(iterable) if iterable is not None else None
            rounds *= max(1, _count_plain_values(value))
            counts *= (
                max(1, _count_plain_values(value))
                if isinstance(value, symbolic.Operation) and value.op == "range"
                else 1
            )
        if isinstance(outer, tree.Function):
            break
    return Rounds(rounds, counts)


def written_out(
    values: TestValueMap, value: symbolic.Table | symbolic.Sequence, spread_out: Sequence[Value]
) -> TestValue | None:
    """Return a dict or list: the one that was made there last, where it has got a name or has grown since."""
    now = parts_of_value(value)
    if now and (same := values._by_parts.get(id(now))) is not None:
        return same  # it has only got a name
    before, entries = values._latest.get(id(value.node), (None, ()))
    if before is not None and all(one is other for one, other in zip(entries, now, strict=False)):
        if isinstance(before, Person) and not now and not entries:
            return before
        if isinstance(before, Rows) and isinstance(value, symbolic.Sequence) and len(now) >= len(entries):
            for item in value.items[len(entries) :]:
                values.put(before, values.test_value(item))
            return values._remember_value(value, before)
    found = (
        _record_of_table(values, value, spread_out)
        if isinstance(value, symbolic.Table)
        else _rows_of_sequence(values, value)
    )
    return values._remember_value(value, found)


def scalar_of_constant(values: TestValueMap, value: Const, node: Node | None) -> Scalar:
    """Return a single value: a member of an enum stands where it is read, all else where it is written."""
    is_named = id(value) in values._members or value.label in values.spell.definitions.macros
    place = (node if is_named or value.node is None else value.node) or tree.Name(tree.Span(0, 0), "")
    scalar = Scalar(value.value, place, value.label)
    text = value.value
    is_long = isinstance(text, str) and len(text) > SHORTEST_DATA
    if is_long and isinstance(text, str) and ("\n" in text or text.lstrip()[:1] in ("[", "{")):
        scalar.inside = _people_inside_text(values, place, text)
    if not value.label and value.node is not None:
        values._test_values[id(value)] = scalar
    return scalar if node is None or place is node else replace(scalar, read_at=node)


def _people_inside_text(values: TestValueMap, node: Node, text: str) -> TestValue | None:
    """Return the people that a text holds; the same ones wherever the text is looked at."""
    key = node.span.start, text
    if key not in values._texts:
        if len(text) > MAX_TEXT and "\n" in text:
            values.facts.cut(node, f"a text of {len(text):,} characters: no table of people was looked for")
        rows = Rows([], node)
        for fields in people_in_text(text, lambda name: names_attribute(values.spell, name)):
            person = values.new_person(node)
            person.is_table = True
            for name, plain in fields.items():
                values.set(person, name, Scalar(plain, node))
            values.put(rows, person)
        held = None if rows.items else values.test_value(json_texts.value_of(text, node, values.facts))
        values._texts[key] = rows if rows.items else held
    return values._texts[key]


def imported_constant(values: TestValueMap, node: Node) -> Scalar | None:
    """Return what an imported constant, or the member of an imported enum, looks like."""
    match node:
        case tree.Name(id=name):
            is_one = name[:1].isupper() and len(name) > 1 and name not in values.spell.definitions.types
        case tree.Field(value=tree.Name(id=owner) | tree.Field(name=owner), name=name):
            is_one = values.conventions.is_constant(name) and owner[:1].isupper() and len(name) <= 40
        case _:
            return None
    return Scalar(None, node, name) if is_one else None


def _rows_of_sequence(values: TestValueMap, value: symbolic.Sequence) -> Rows:
    node = value.node
    written = [item.value for item in node.items] if isinstance(node, tree.Collection) else []
    places = written if len(written) == len(value.items) else [None] * len(value.items)
    rows = Rows([], node, in_grid=rounds_around(values, node).every > MAX_ROUNDS)
    if len(value.items) > MAX_ROWS and any(isinstance(item, _RECORDS) for item in value.items):
        values.facts.cut(node, TOO_MANY_ROWS)
    for place, item in zip(places, value.items[:MAX_ROWS], strict=False):
        rows.items.append(values.test_value(item) if place is None else values.at(place, item))
    kind = node.kind if isinstance(node, tree.Collection) else ""
    if kind == "tuple" and not all(isinstance(item, Person) for item in rows.items):
        values.beside(rows)
    else:
        for person in people_in(rows):
            if person.rows is None:
                person.rows = rows
    values.rows.append(rows)
    return rows


def _record_of_table(
    values: TestValueMap, value: symbolic.Table, spread_out: Sequence[Value]
) -> TestValue | None:
    """Return a record: a new one, one made from the first that is spread out in it, or people by
    their names.
    """
    node = value.node
    if isinstance(node, tree.Binary):  # `base | {...}`
        spread_out = [values.facts.value_of(side) or value for side in (node.left, node.right)]
        bases = [_person_in(values.at(side)) for side in (node.left, node.right)]
    else:
        bases = [_person_in(values.test_value(one)) for one in spread_out]
    base = next(filter(None, bases), None)
    entries = _table_entries(values, value, spread_out, bases.index(base) if base is not None else -1)
    for one in bases:
        if one is not None and one is not base:
            root(one).pattern_uses += 1
    if _is_group_of_people(entries):
        return _people_by_name(values, node, entries)
    person = values.made_from(base, node) if base is not None else values.new_person(node)
    _take_in(values, person, entries)
    person.is_table = isinstance(node, tree.Literal)
    if base is None and (holder := values._holder_of(person, entries)) is not None:
        person.part_of = holder
        return person
    return values.holds(values.once(person), [entry[1] for entry in value.entries])


def _table_entries(
    values: TestValueMap, value: symbolic.Table, spread_out: Sequence[Value], base: int
) -> list[Entry]:
    """Return the entries, and where each is written; those of the `base` that is spread out are left out."""
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
            test_value = values.test_value(entry[1]) if place is None else values.at(place, entry[1])
            if isinstance(test_value, Scalar) and isinstance(node, tree.Comprehension):
                owner = values._read_from(entry[1])
                test_value = replace(test_value, owner=owner if isinstance(owner, Person) else None)
            entries.append((_name_of(entry[0]), place, test_value))
    return entries


def _take_in(values: TestValueMap, person: Person, entries: Sequence[Entry]) -> None:
    """Give somebody all entries; a record among them that is no part tells what stands beside it."""
    beside = {name: test_value for name, _, test_value in entries if name and isinstance(test_value, Scalar)}
    for name, place, test_value in entries:
        held = test_value if isinstance(test_value, Person) else None
        if held is not None and not (held.rows is None and _is_literal_node(place or held.node)):
            person.fields[name or ""] = held
            root(held).fields.update(beside)
        elif name:
            values.set(person, name, test_value)


def _people_by_name(values: TestValueMap, node: Node, entries: Sequence[Entry]) -> Rows:
    rows = Rows([], node, keys=tuple(name or "" for name, _, _ in entries))
    for name, _, test_value in entries:
        if isinstance(test_value, Person) and name:
            test_value.names.append(name)
        values.put(rows, test_value)
    values.rows.append(rows)
    return rows


def parts_of_value(value: symbolic.Table | symbolic.Sequence) -> tuple[object, ...]:
    """Return the parts that a written table or list is made of."""
    return value.entries if isinstance(value, symbolic.Table) else value.items


def _count_plain_values(value: Value | None) -> int:
    """Return how many plain values a list is known to hold; 0 where it holds others."""
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


def _person_in(test_value: TestValue | None) -> Person | None:
    if isinstance(test_value, Judged) and test_value.people:
        return test_value.people[0]
    return test_value if isinstance(test_value, Person) else None


def _is_literal_node(node: Node) -> bool:
    """Return whether something is written out, in the code or in a text, and not read by a name."""
    return isinstance(node, tree.Collection | tree.Literal)


def _name_of(key: Value) -> str | None:
    if not isinstance(key, Const):
        return None
    return key.value if isinstance(key.value, str) else key.label or None


def _is_group_of_people(entries: Sequence[Entry]) -> bool:
    """Return whether a dict holds several people, each under a name, and is nobody itself."""
    people = [test_value for _, _, test_value in entries if isinstance(test_value, Person)]
    attributes = [attribute for person in people for attribute in root(person).given]
    return len(attributes) > len(set(attributes))
