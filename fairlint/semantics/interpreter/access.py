"""Reads of a field or an entry: `applicant.gender`, `row["sex"]`, `WEIGHTS[group]`, `people[:10]`."""

from __future__ import annotations

from operator import or_

from fairlint.semantics.interpreter import container_elements, instances, norms, operations, reads
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names import effects, qualified_names
from fairlint.semantics.tables import table_access
from fairlint.semantics.tables.libraries import field_gives, has_tables
from fairlint.semantics.texts import spellings, text_values
from fairlint.semantics.values.lift import leaves, map_alternatives
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    OLD,
    UNKNOWN,
    Choice,
    Closure,
    Columns,
    Const,
    Elementwise,
    Filtered,
    Instance,
    Lookup,
    Opaque,
    Protected,
    Sequence,
    Sorted,
    Table,
    TypedParameter,
    Value,
)
from fairlint.semantics.values.traversal import either
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node
from fairlint.vocabulary.model import Mention
from fairlint.vocabulary.words import singular, split_words

_RECORDS = frozenset({Opaque, Instance, TypedParameter, Table})
"""What a field may be read from."""


# ------------------------------------------------------------------------------------------------ fields


def field(node: tree.Field, frame: Frame) -> Value:
    """Return the value of `object.name`."""
    if (known := _stored_value(node, frame)) is not None:
        return known
    base = frame.evaluate(node.value)
    gives = field_gives(node.name, frame.program)
    if (same := _same_in_other_form(base, node.name, gives)) is not None:
        return same
    if "gives fields" in gives and (record := instances.dump_fields(node.value, node, frame)) is not None:
        return record
    if isinstance(base, Columns | Filtered) and _is_of_categories(node.value):
        return base
    if isinstance(base, Columns) and "keeps columns" in gives:
        return table_access.field(base, node, gives)
    if (made := table_access.derived_value(base, node.name)) is not None:
        return made
    if (held := _field_of_record(base, node, frame)) is not None:
        return held
    if "gives fields" in gives and (record := instances.dump_fields(node.value, node, frame)) is not None:
        return record
    if (group := _of_its_values(node, frame)) is not None:
        return group
    receiver = frame.text(node.value)
    found = reads.read_by_identifier(
        node.name, node, frame, receiver, instances.type_of(node.value, frame)
    ) or reads.read_by_type(node.name, instances.type_of(node, frame), node, frame, receiver)
    if isinstance(found, Protected) and isinstance(base, Columns | Filtered):
        table_access.note_read(base, node.name, node, frame)
    if found is not None:
        return _of_record(found, base, node.name)
    key = path_of(node) or frame.text(node)
    owner = qualified_names.name_of(base) or qualified_names.type_of_value(base)
    if not owner and (class_ := instances.record_class(node, frame)):
        return TypedParameter(key, of=class_)
    return Opaque(key, qualified_names.member(owner, node.name)) if owner else Opaque(key)


def _of_its_values(node: tree.Field, frame: Frame) -> Const | None:
    """Return a group that what was read gives itself: `status.possible_values.CITIZEN`, of a status of
    residence.
    """
    if not frame.program.conventions.is_constant(node.name) or not isinstance(node.value, tree.Field):
        return None
    read = frame.evaluate(node.value.value)
    if not isinstance(read, Protected) or read.mention.group is not None:
        return None
    group = frame.program.vocabulary.group_of(read.mention.attribute, node.name)
    return None if group is None else Const(node.name, label=node.name)


def _of_record(found: Value, base: Value, name: str) -> Value:
    """Return a read, with the record that it is of, and what that was given for it where it was made here."""
    if not isinstance(found, Protected) or type(base) not in _RECORDS:
        return found
    if isinstance(base, Instance) and name in base.samples:
        found = reads.with_sample(found, base.samples[name])
    return replace(found, of=base) if isinstance(found, Protected) else found


def _stored_value(node: tree.Field, frame: Frame) -> Value | None:
    """Return what a path was given, what a module has under this name, or what a class gives its
    instances.
    """
    path, program = path_of(node), frame.program
    if path is not None:
        if (known := frame.variables.get(path) or program.modules.get(path)) is not None:
            return known
        if (member := program.definitions.members.get(path)) is not None:
            return member
    receiver, own = frame.text(node.value), program.conventions.own(node.name)
    is_self = receiver in program.conventions.receivers and frame.owner
    values = program.class_values.get(frame.owner if is_self else receiver, {})
    return values.get(own) or instances.field(node, frame)


def _same_in_other_form(base: Value, name: str, gives: frozenset[str]) -> Value | None:
    """`gender.value` is the gender, `birth_date.year` still the age, `filtered.loc` still the selection."""
    match base:
        case Const(label=label) if label and name in {"value", "name"}:
            return base
        case _ if name in text_values.HELD_IN and text_values.is_text(base):
            return base
        case Protected() | Choice() | Lookup() if "stays" in gives:
            return base
        case Protected(mention=mention) if mention.form == "date" and name in {"year", "tm_year"}:
            return base
        case Filtered() | Sorted() if "keeps rows" in gives:
            return base
        case _:
            return None


def _field_of_record(base: Value, node: tree.Field, frame: Frame) -> Value | None:
    """Return the field of a record that is written out, or of one of several by group."""
    if isinstance(base, Table):
        if node.name in {"get", "__getitem__"}:
            return base  # a table's `get` stands for it: `column.map(table.get)`
        return operations.lookup(base, Const(node.name), None, node, frame)
    if not isinstance(base, Lookup | Choice | Instance):
        return None
    if isinstance(base, Instance) and node.name in base.samples:
        return None
    if (found := instances.fields(base, node.name, frame)) is not None:
        return found
    if isinstance(base, Instance):
        return None
    inner = _index_into(base, Const(node.name), node, frame)
    return None if isinstance(inner, Opaque) else inner


def _is_of_categories(node: Node) -> bool:
    return isinstance(node, tree.Field) and node.name == "cat"


# ------------------------------------------------------------------------------------------------ entries


def path(node: Node, frame: Frame) -> str | None:
    """Return the access path that a node spells, with the names of entries that constants stand for."""
    found = path_of(node)
    if found is not None or not isinstance(node, tree.Index) or isinstance(node.index, tree.Slice):
        return found
    base = path(node.value, frame)
    key = frame.evaluate(node.index) if base is not None else None
    is_name = isinstance(key, Const) and isinstance(key.value, str)
    return f"{base}[{key.value!r}]" if is_name and isinstance(key, Const) else None


def entry(node: tree.Index, frame: Frame) -> Value:
    """Return the value of `collection[index]`."""
    place = path(node, frame)
    known = None if place is None else frame.variables.get(place)
    if isinstance(known, Sequence) and place == path(node.value, frame):
        known = None  # a path leaves out `[0]`, and this is the list itself
    if known is not None:
        return _item_of_ranking(node, known, frame) if isinstance(known, Sorted) else known
    base = frame.evaluate(node.value)
    if isinstance(node.value, tree.Name) and isinstance(base, Opaque | Protected):
        base = _enum_table(node.value, frame) or base
    if isinstance(node.index, tree.Slice):
        return _evaluate_slice(node, base, frame)
    index = frame.evaluate(node.index)
    if _is_slice_object(index, frame):
        return _evaluate_slice(node, base, frame)
    if isinstance(index, Closure) and has_tables(frame):
        index = table_access.asked_of(index, base, node, frame)
    found = _of_collection(node, base, index, frame)
    if found is None and isinstance(index, Const) and isinstance(index.value, str):
        found = _named_entry(node, base, index, frame)
    if found is None:
        found = _of_written_out(node, base, index, frame)
    if found is not None:
        return found
    if isinstance(index, Const) and isinstance(index.value, str | int):
        return Opaque(f"{frame.text(node.value)}[{index.value!r}]")
    if (
        isinstance(base, Opaque)
        and isinstance(index, Sequence)
        and all(map(text_values.is_name, index.items))
    ):
        return Table(tuple((name, entry_of(node.value, name, frame)) for name in index.items), node)
    return Opaque(frame.text(node))


def _item_of_ranking(node: tree.Index, known: Sorted, frame: Frame) -> Value:
    """Return one of what was put in order, where the index is a place; else a column of it all."""
    if isinstance(node.value, tree.Index):
        return known
    frame.emit("rank", known.node, known, frame.text(node.value))
    is_itself = path(node, frame) == path(node.value, frame)
    return Opaque(frame.text(node)) if is_itself and not _is_name(node.index, frame) else known


def _is_name(index: Node, frame: Frame) -> bool:
    """Return whether an index names a column, or several, and no place."""
    value = frame.evaluate(index)
    return isinstance(value, Sequence) or (isinstance(value, Const) and isinstance(value.value, str))


def entry_of(record: Node, name: Value, frame: Frame) -> Value:
    """Return what a record of a person holds by a name."""
    assert isinstance(name, Const)
    receiver = frame.text(record)
    found = reads.read_by_identifier(str(name.value), record, frame, receiver)
    return reads.named_at(found, name, record) or Opaque(f"{receiver}[{name.value!r}]")


def _enum_table(name: tree.Name, frame: Frame) -> Table | None:
    """Return what an enum of this file gives by name: `Race["WHITE"]`."""
    is_variable = name.id in frame.variables or name.id in frame.program.globals
    members = () if is_variable else frame.program.definitions.enums.get(name.id, ())
    return Table(tuple((Const(one.label), one) for one in members), name, name.id) if members else None


def _of_collection(node: tree.Index, base: Value, index: Value, frame: Frame) -> Value | None:
    """Return one of a collection that was filled, the first of ordered people, a part of a table or of a
    read.
    """
    if isinstance(base, Elementwise | Choice) and not operations.is_mask(index):
        inside = container_elements.element(base)
        if inside is not None:
            return inside
    if isinstance(base, Sorted):
        if isinstance(index, Sequence) or (isinstance(index, Const) and isinstance(index.value, str)):
            return base  # one column, or some, of all people
        frame.emit("rank", base.node, base, frame.text(node.value))
        return Opaque(frame.text(node))
    if (table := table_access.index(node, base, index, frame)) is not None:
        return table
    if (
        isinstance(base, Protected)
        and not isinstance(index, Protected)
        and not _names_another(base, index, frame)
    ):
        is_first = isinstance(index, Const) and index.value == 0 and spellings.is_group_text(base, frame)
        return (
            spellings.read_of_first_letters(base, 1) if is_first else base
        )  # or the place of a person in a column
    return None


def _names_another(base: Protected, index: Value, frame: Frame) -> bool:
    """Return whether an entry is another attribute of somebody who is called after a group:
    `citizen["gender"]`.
    """
    if base.mention.group is None or not (isinstance(index, Const) and isinstance(index.value, str)):
        return False
    return any(
        one.attribute != base.mention.attribute for one in frame.program.vocabulary.mentions(index.value)
    )


def _of_one_row(node: tree.Index, index: Value, frame: Frame) -> Value | None:
    """`people.at[place, "gender"]` as `people["gender"]`: what somebody has there."""
    match node, index:
        case (
            tree.Index(value=tree.Field(name=way, value=table), index=tree.Collection(items=(_, column))),
            Sequence(items=(Opaque() | Const(), Const(value=str()))),
        ) if "stays" in field_gives(way, frame.program):
            return entry(tree.Index(node.span, table, column.value), frame)
        case _:
            return None


def _named_entry(node: tree.Index, base: Value, index: Const, frame: Frame) -> Value | None:
    """`row["gender"]`: a read of the attribute that the key names."""
    key = str(index.value)
    if (made := table_access.derived_value(base, key)) is not None:
        return made
    if isinstance(base, Table):
        found = instances.record_field(base, index, node, frame, node.value)
    else:
        type_ = instances.type_of(node.value, frame)
        found = reads.read_by_identifier(key, node, frame, frame.text(node.value), type_)
    if isinstance(found, Protected) and _is_group_of(found.mention, key, node, frame):
        return None  # `mean["female"]` reads a table by group; `row["is_female"]` reads a person
    found = reads.named_at(found, index, node.index)
    if isinstance(found, Protected):
        table_access.note_read(base, key, node, frame)
    return found


def _is_group_of(mention: Mention, key: str, node: tree.Index, frame: Frame) -> bool:
    """Return whether a key is a group's own name, and no name of a column."""
    return (
        mention.group not in {None, "yes", "no"}
        and not _names_both(mention, frame)
        and frame.program.vocabulary.group_of(mention.attribute, key) is not None
        and split_words(key)[0] not in effects.lexicon()["predicates"]
        and not _is_of_somebody(node.value, mention, frame)
        and not _is_record(node.value, mention, frame)
    )


def _is_of_somebody(base: Node, mention: Mention, frame: Frame) -> bool:
    """Return whether an entry is one person's: `candidate["german_citizen"]`, and not
    `patients["female"]`.
    """
    receiver = frame.text(base)
    last = split_words(receiver.rpartition(".")[2])[-1:]
    is_one = bool(last) and last[0] == singular(last[0])
    return is_one and frame.program.is_person(receiver, mention, surely=True)


def _is_record(base: Node, mention: Mention, frame: Frame) -> bool:
    """Return whether other keys of the same are no groups: `loan["Married"]` beside `loan["Gender"]`."""
    program, path = frame.program, path_of(base)
    if program.keys is None:
        program.keys = {}
        for part in (part for statement in program.body for part in tree.walk(statement)):
            if isinstance(part, tree.Index) and isinstance(part.index, tree.Literal):
                program.keys.setdefault(path_of(part.value) or "", set()).add(str(part.index.value))
    others = program.keys.get(path, set()) - {mention.identifier} if path else set()
    groups = program.vocabulary.group_of
    if any(groups(mention.attribute, other) is not None for other in others):
        return False
    return any(
        other.attribute != mention.attribute for name in others for other in program.vocabulary.mentions(name)
    )


def _adds_axis(index: Node) -> bool:
    """Return whether an index takes all and adds an axis: `array[None, :]`."""
    parts = [item.value for item in index.items] if isinstance(index, tree.Collection) else [index]
    whole = [isinstance(part, tree.Slice) and part.lower is None and part.upper is None for part in parts]
    added = [isinstance(part, tree.Literal) and part.value is None for part in parts]
    return any(added) and all(map(or_, whole, added))


def _of_written_out(node: tree.Index, base: Value, index: Value, frame: Frame) -> Value | None:
    """Return an entry of a table that is written out, the rows under a mask, or what a group is given by a
    table.
    """
    if (of_one := _of_one_row(node, index, frame)) is not None:
        return of_one
    if isinstance(base, Sequence) and _adds_axis(node.index):
        return base
    if isinstance(base, Table | Sequence):
        entry = operations.lookup(base, index, None, node, frame)
        return reads.read_by_codes(base.name, entry, node, frame) or entry
    if isinstance(base, Choice | Lookup):
        return _index_into(base, index, node, frame)
    first = index.items[0] if isinstance(index, Sequence) and index.items else index
    if (mask := operations.mask_of(first)) is not None:
        return Filtered(OLD if _is_read_in_update(node, index, frame) else base, mask, node)
    if not (isinstance(index, Protected) and (isinstance(base, Opaque) or _is_its_table(base, index))):
        return None
    receiver = frame.text(node.value)
    if isinstance(node.index, tree.Name) and frame.program.is_person(receiver, index.mention):
        return Protected(index.mention, node, receiver)
    return Lookup(index, Table((), node.value, receiver), None, node)


def _is_its_table(base: Value, index: Protected) -> bool:
    """Return whether a table is called after the attribute that it is read by:
    `rules["gender"][person.gender]`.
    """
    return isinstance(base, Protected) and base.mention.attribute == index.mention.attribute


def _is_read_in_update(node: tree.Index, index: Value, frame: Frame) -> bool:
    """Return whether rows of a column are read while they are changed: `df.loc[mask, "score"] * 0.5`."""
    names = index.items[1:] if isinstance(index, Sequence) else ()
    if not (names and isinstance(names[0], Const) and isinstance(node.value, tree.Field)):
        return False
    return frame.variables.get(f"{path_of(node.value.value)}[{names[0].value!r}]") is OLD


def _names_both(mention: Mention, frame: Frame) -> bool:
    """Return whether a name says which attribute it is about, too: the column `gender_male`, and
    not `male`.
    """
    mentions = frame.program.vocabulary.mentions
    return any(
        other.attribute == mention.attribute and other.group is None
        for word in mention.identifier.split("_")
        for other in mentions(word)
    )


def _index_into(base: Value, index: Value, node: Node, frame: Frame) -> Value:
    """Indexing one of several values: each possible table is read by the same index."""
    on_any = frame.program.dependence.on_any
    if not on_any(base) and not (on_any(index) and any(map(_is_written_out, leaves(base)))):
        return Opaque(frame.text(node))
    other = Opaque(frame.text(node))

    def read(value: Value) -> Value:
        match value:
            case Table() | Sequence():
                return operations.lookup(value, index, None, node, frame)
            case Const(value=str()) if not isinstance(index, Const):
                return value  # some people of a column that was mapped to texts
            case Const(value=int() | float()):
                return value  # somebody of a column of codes: a number by itself has no places
            case _:
                return other

    return map_alternatives(base, read, with_defaults=False)


def _is_written_out(value: Value) -> bool:
    return isinstance(value, Table | Sequence)


def _is_slice_object(index: Value, frame: Frame) -> bool:
    """Return whether an index is a stretch of places that a call gave: `slice(start, end)`."""
    call = frame.program.facts.call_of(index) if isinstance(index, Opaque) else None
    found = None if call is None else frame.program.found.get(id(call.node))
    return found is not None and "spans" in found[1].entry.does


def _evaluate_slice(node: tree.Index, base: Value, frame: Frame) -> Value:
    upper = node.index.upper if isinstance(node.index, tree.Slice) else None
    if upper is not None and not isinstance(upper, tree.Literal) and not isinstance(base, Protected):
        bound = frame.evaluate(upper)
        if frame.program.dependence.on_any(bound):  # so many of each group: `members[:places[group]]`
            frame.emit("assign", node, bound, frame.text(upper))
    if (key := norms.key_of(base, frame)) is not None and isinstance(node.index, tree.Slice):
        return norms.first_of(base, key, UNKNOWN if upper is None else frame.evaluate(upper), node)
    if ranked := [one for one in either(base) if isinstance(one, Sorted)]:
        for one in ranked:
            frame.emit("rank", one.node, one, frame.text(node.value))
        return Opaque(frame.text(node))
    if isinstance(base, Protected):
        return _prefix_of_text(node, base, frame)
    if isinstance(base, Filtered | Sequence | Columns | Elementwise):
        return base
    return Opaque(frame.text(node))


def _prefix_of_text(node: tree.Index, base: Protected, frame: Frame) -> Protected:
    """Return the first letters of a text, `gender[:3]`; of some people in a column, what each of them has."""
    match node.index:
        case tree.Slice(
            lower=None | tree.Literal(value=0), upper=tree.Literal(value=int() as letters), step=None
        ) if spellings.is_group_text(base, frame):
            return spellings.read_of_first_letters(base, letters)
        case _:
            return base
