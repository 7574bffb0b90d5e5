"""Rows without a header, told by the groups in them: `(True, "male", "white", 25)`."""

from __future__ import annotations

from collections.abc import Sequence

from fairlint.analyses.test_records.reader import Reader, find_people, records_to_count
from fairlint.analyses.test_records.test_values import Given, Person, Rows, Scalar, Spell, TestValue
from fairlint.semantics.execution import execute
from fairlint.semantics.names.library import Models
from fairlint.syntax.source import Source
from fairlint.syntax.tree import Tree
from fairlint.vocabulary import Vocabulary

_BESIDE = frozenset({"race", "ethnicity"})
"""These have groups whose names say little alone (`white`): beside another attribute they do."""
LEAST_FIELDS = 2


def people_of(source: Source, tree: Tree, vocabulary: Vocabulary, models: Models) -> list[Person]:
    """Return everybody who is written out in a whole file, with a header or without."""
    execution = execute(source, tree, vocabulary, models)
    reader = find_people(Spell(vocabulary, execution.definitions), execution)
    bare = people_in_bare_rows(reader)
    return [*(person for person in records_to_count(reader) for _ in range(person.times)), *bare]


def people_in_bare_rows(reader: Reader) -> list[Person]:
    """Return the people in rows, and in calls of unknown constructors, that nothing else has made a person
    of.
    """
    told = {id(given.node) for person in reader.people for given in person.given.values()}
    inside = {id(item) for rows in reader.rows for item in rows.items if isinstance(item, Rows)}
    found: list[Person] = []
    for rows in reader.rows:
        lists = [item for item in rows.items if isinstance(item, Rows)]
        in_grid = any(one.in_grid for one in (rows, *lists))
        if in_grid or id(rows) in inside or _has_known_person(rows, told):
            continue
        if lists and len(lists) == len(rows.items):
            if len({len(one.items) for one in lists}) == 1:
                found.extend(_people_in_table(reader, [one.items for one in lists], lists))
        elif len(rows.items) > LEAST_FIELDS and _is_tuple(rows):
            found.extend(_people_in_table(reader, [rows.items], [rows]))
    for person in reader.people:
        is_empty = not person.given and person.part_of is None
        if is_empty and any(key.startswith("#") for key in person.fields):
            found.extend(_people_in_table(reader, [list(person.fields.values())], []))
    return found


def _has_known_person(rows: Rows, told: set[int]) -> bool:
    return rows.person is not None or any(
        isinstance(item, Person)
        or (isinstance(item, Rows) and _has_known_person(item, told))
        or (isinstance(item, Scalar) and id(item.node) in told)
        for item in rows.items
    )


def _is_tuple(rows: Rows) -> bool:
    """Return whether a lone row is a person: it holds more than words."""
    return any(isinstance(item, Scalar) and isinstance(item.value, bool | int) for item in rows.items)


def _people_in_table(
    reader: Reader, table: Sequence[Sequence[TestValue | None]], lists: Sequence[Rows]
) -> list[Person]:
    columns = _columns_by_attribute(reader.spell, table)
    if not columns:
        return []
    made = []
    for place, row in enumerate(table):
        node = next(item.node for item in row if isinstance(item, Scalar))
        person = Person(node, is_table=True)
        for attribute, column in columns.items():
            item = row[column]
            if isinstance(item, Scalar) and (group := _group_of_scalar(reader.spell, attribute, item)):
                mentions = reader.spell.vocabulary.mentions(attribute)
                if mentions:
                    person.given[attribute] = Given(group, True, mentions[0], item.node)
        if person.given:
            made.append(person)
            if place < len(lists):
                lists[place].person = person
    return made


def _columns_by_attribute(spell: Spell, table: Sequence[Sequence[TestValue | None]]) -> dict[str, int]:
    """Attribute -> the column that holds its groups."""
    width = min(len(row) for row in table)
    if width < LEAST_FIELDS:
        return {}
    found: dict[str, int] = {}
    for attribute in spell.vocabulary.attributes:
        if all(
            isinstance(one, Scalar) and _group_of_scalar(spell, attribute, one)
            for row in table
            for one in row
        ):
            continue  # nothing but groups: ("young", "middle", "elder")
        for column in range(width):
            if column in found.values() or attribute in found:
                continue
            items = [row[column] for row in table]
            if _has_groups_of_attribute(spell, attribute, items, beside=bool(found)):
                found[attribute] = column
    return found


def _has_groups_of_attribute(
    spell: Spell, attribute: str, items: Sequence[TestValue | None], *, beside: bool
) -> bool:
    texts = [item for item in items if isinstance(item, Scalar) and isinstance(item.value, str)]
    if len(texts) < len(items) or not texts:
        return False
    if any(not _group_of_scalar(spell, attribute, item) for item in texts):
        return False
    telling = any(
        (attribute, _group_of_scalar(spell, attribute, item)) in spell.vocabulary.groups_in(str(item.value))
        for item in texts
    )
    return telling or (beside and attribute in _BESIDE)


def _group_of_scalar(spell: Spell, attribute: str, item: Scalar) -> str | None:
    if not isinstance(item.value, str) or attribute not in spell.vocabulary.attributes:
        return None
    group = spell.vocabulary.group_of(attribute, item.value)
    return None if group is None or spell.vocabulary.is_missing(attribute, group) else group
