"""What the target of an assignment holds afterwards, and what that says of tables, texts and people."""

from __future__ import annotations

from fairlint.semantics.groups.asking import is_worked_out_unseen
from fairlint.semantics.groups.dependencies import Dependence
from fairlint.semantics.interpreter import access, container_elements, operations, reads, scans, table_changes
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.names import qualified_names
from fairlint.semantics.tables import groups, row_by_row, table_assignments
from fairlint.semantics.tables.libraries import has_tables
from fairlint.semantics.texts import text_values
from fairlint.semantics.values.lift import spread
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    OLD,
    UNKNOWN,
    Choice,
    Const,
    Filtered,
    Lookup,
    Opaque,
    Operation,
    Sequence,
    Table,
    Value,
)
from fairlint.semantics.values.traversal import fold_value
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, inside
from fairlint.vocabulary.model import Mention


def note_filters(node: Node, found: Filtered, target: str, frame: Frame) -> None:
    """Note that the tests by which people are kept: all that one statement chains, in the order in which they
    stand.
    """
    chain = [found]
    while isinstance(people := chain[-1].people, Filtered) and inside(people.node, node):
        chain.append(people)
    for one in reversed(chain):
        frame.emit("filter", one.node, one.test, target)


def substitute_old(change: Value, before: Value, dependence: Dependence) -> Value:
    """`change` with `before` in the place of OLD."""

    def inner(value: Value) -> tuple[Value, ...]:
        if not dependence.on_old(value):
            return ()
        if isinstance(value, Choice):
            return (value.then, value.otherwise)
        return value.arguments if isinstance(value, Operation) else ()

    def made(value: Value, parts: list[Value]) -> Value:
        match value:
            case Operation(op=op, node=node) if parts:
                return Operation(op, tuple(parts), node)
            case Choice(test=test, node=node) if parts:
                then, otherwise = parts
                return Choice(test, then, otherwise, node)
            case _:
                return before if value is OLD else value

    return fold_value(change, inner, made)


def strip_mask(value: Value) -> Value:
    """`line[mask] * 0.9` over the whole line, where the mask is the one that is assigned under."""

    def made(one: Value, parts: list[Value]) -> Value:
        if isinstance(one, Operation):
            return Operation(one.op, tuple(parts), one.node)
        return OLD if isinstance(one, Filtered) and one.people is OLD else one

    return fold_value(value, lambda one: one.arguments if isinstance(one, Operation) else (), made)


def column_under_mask(target: Node, frame: Frame) -> tuple[str | None, Value | None]:
    """`df.loc[mask, "score"]`: the column's path and the mask."""
    match target:
        case tree.Index(
            value=tree.Field(name="loc", value=table), index=tree.Collection(items=(first, second))
        ) if isinstance(name := frame.evaluate(second.value), Const):
            mask = frame.evaluate(first.value)
            column = f"{path_of(table) or frame.text(table)}[{name.value!r}]"
            return column, mask if frame.program.dependence.on_any(mask) else None
        case tree.Index(
            value=held, index=tree.Compare() | tree.BoolOp() | tree.Binary() | tree.Unary() | tree.Name()
        ):
            path = path_of(held)  # `scores[age > 50]`, an array or column under a mask
            if path is None or not has_tables(frame):
                return None, None
            mask = frame.evaluate(target.index)
            tells = operations.is_mask(mask) and frame.program.dependence.on_any(mask)
            return (path, mask) if tells else (None, None)
        case _:
            return None, None


def store_value(node: tree.Assign, target: Node, value: Value, frame: Frame) -> None:
    """Give a value to the target of an assignment."""
    if isinstance(target, tree.Collection):
        for place, item in enumerate(target.items):
            store_value(node, item.value, _unpacked_item(value, place, len(target.items)), frame)
        return
    column, mask = column_under_mask(target, frame)
    if column is not None and mask is not None:
        before = frame.variables.get(column)
        frame.variables[column] = OLD
        if node.value is not None:
            value = strip_mask(frame.evaluate(node.value))
        if before is None:
            del frame.variables[column]
        else:
            frame.variables[column] = before
        change = Choice(mask, value, OLD, node)
        frame.emit("update", node, change, column)
        if has_tables(frame) and isinstance(before, Const | Choice | Lookup):
            frame.variables[column] = substitute_old(change, before, frame.program.dependence)
        return
    path = access.path(target, frame)
    if path is None:
        if isinstance(target, tree.Index) and scans.is_next_place(target, node.value, frame):
            frame.evaluate(target.index)
            frame.emit("append", node, value, frame.text(target.value))
        else:
            frame.emit("assign", node, value, frame.text(target))
            if isinstance(target, tree.Index) and not _into_table(target, value, frame):
                table_assignments.note_columns(node, target, value, frame)
                container_elements.fill(target.value, value, node, frame)
        return
    if isinstance(target, tree.Index) and _into_table(target, value, frame):
        frame.emit("assign", node, value, path)
        return
    if isinstance(value, Filtered):
        note_filters(node, value, path, frame)
    else:
        frame.emit("assign", node, value, path)
    frame.variables[path] = _variable_value(path, target, value, frame)
    container_elements.begin_sum(path, value, node.value, frame)
    groups.keep(path, node.value, frame)
    if isinstance(target, tree.Index):
        table_assignments.note_columns(node, target, value, frame)
    elif isinstance(target, tree.Field):
        table_assignments.named_anew(node, target, value, frame)


def _unpacked_item(value: Value, place: int, count: int) -> Value:
    """Return one of the values that are unpacked, also where a test says which they are."""

    def part(one: Value) -> Value | None:
        return one.items[place] if isinstance(one, Sequence) and len(one.items) == count else None

    return spread(value, part) or UNKNOWN


def _into_table(target: tree.Index, value: Value, frame: Frame) -> bool:
    """`scores["skill"] = 5`, `row[3] = 5`: an entry of a table or row that is written out here."""
    base = path_of(target.value)
    table = frame.variables.get(base) if base is not None else None
    key = reads.written_out_value(frame.evaluate(target.index))
    if base is None or not isinstance(table, Table) or not isinstance(key, Const):
        return row_by_row.place_in_row(target, value, frame)
    entries = [(name, held) for name, held in table.entries if not same_key(name, key)]
    if not isinstance(target.index, tree.Literal):  # a loop over some keys: each is named where it was first
        key = next((name for name, _ in table.entries if same_key(name, key)), key)
    whole = replace(table, entries=(*entries, (key, value)))
    table_changes.put(target.value, table, whole, frame)
    return True


def same_key(left: Value, right: Value) -> bool:
    """Return whether two keys are the same constant."""
    return isinstance(left, Const) and isinstance(right, Const) and left.value == right.value


def _variable_value(path: str, target: Node, value: Value, frame: Frame) -> Value:
    """Return what a variable stands for after an assignment.

    A variable named after an attribute is a read of it when what it gets is unknown or a sample value:
    `age = int(input())`, `gender = "male"` at the top of a script.
    """
    name = target.name if isinstance(target, tree.Field) else path
    if isinstance(value, Table | Sequence) and not value.name:
        return replace(value, name=path)
    if frame.program.dependence.on_any(value):
        return _read_by_name(name, target, value, frame) or value
    sample = (
        isinstance(value, Const) and _is_sample(name, value, frame) and not isinstance(target, tree.Index)
    )
    unknown = isinstance(value, Opaque) and not qualified_names.is_learner(value, frame)
    if (unknown or sample) and not text_values.is_prose(value):
        found = reads.read_by_identifier(name, target, frame)
        if found is None or reads.is_record(name, value, frame):
            return value
        found = reads.with_sample(found, value)
        frame.program.facts.origins[id(found)] = found, value
        return found
    if isinstance(value, Const) and not value.label and frame.program.conventions.is_constant(name):
        return replace(value, label=name)
    return value


def _read_by_name(name: str, target: Node, value: Value, frame: Frame) -> Value | None:
    """Return the read that a variable of an attribute's name is, where a function has worked its value out of
    the same attribute, and nobody sees how.
    """
    mention = reads.mention_of(name, frame)
    if mention is None:
        return None
    found: Value | None = reads.read_by_codes(name, value, target, frame)
    if found is None and is_worked_out_unseen(value, mention.attribute, frame.program.dependence):
        found = reads.read_by_identifier(name, target, frame)
    if found is not None:
        frame.program.facts.origins[id(found)] = found, value
    return found


def _is_sample(name: str, value: Const, frame: Frame) -> bool:
    is_constant = frame.program.conventions.is_constant(name)
    if frame.conditional or is_constant or value.value in {None, ""} or isinstance(value.value, bool):
        return False
    mention = reads.mention_of(name, frame)
    if mention is None or mention.group is not None:
        return False
    if value.value in {0, 1} and not _is_code_of_two(mention, frame):
        return False  # something begins to be counted, or is so or not
    if isinstance(value.value, float) and mention.form == "value" and not value.value.is_integer():
        return False  # a share or a weight: no code of a group
    named = frame.program.vocabulary.mentions(value.value) if isinstance(value.value, str) else ()
    return not any(other.attribute == mention.attribute and other.group is None for other in named)


def _is_code_of_two(mention: Mention, frame: Frame) -> bool:
    """Return whether a 0 or 1 that a script sets is the code of one of two groups: `sex = 1`."""
    groups = frame.program.vocabulary.attribute(mention.attribute).core_groups
    return mention.form == "value" and not frame.function and len(groups) == 2
