"""Assignments, plain and augmented, and the events that they are."""

from __future__ import annotations

from fairlint.semantics.interpreter import (
    access,
    container_elements,
    norms,
    operations,
    reads,
    struct_rows,
    table_changes,
    typed_numbers,
)
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.interpreter.stored_values import (
    column_under_mask,
    note_filters,
    store_value,
    strip_mask,
    substitute_old,
)
from fairlint.semantics.tables import chained, table_assignments, table_functions
from fairlint.semantics.tables.libraries import has_tables
from fairlint.semantics.texts import text_calls, text_values
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    OLD,
    Choice,
    Columns,
    Const,
    Filtered,
    Opaque,
    Protected,
    Sequence,
    Sorted,
    Table,
    Value,
)
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node


def execute_assign(node: tree.Assign, frame: Frame) -> None:
    """Evaluate an assignment, plain or augmented, with the event it is."""
    for target in node.targets:
        if node.type and (name := path_of(target)) is not None:
            frame.types[name] = node.type
            if not frame.function:
                frame.program.types[name] = node.type
    if node.value is None:
        for target in node.targets:
            if (name := path_of(target)) is not None and name not in frame.variables:
                frame.variables[name] = reads.read_by_identifier(name, target, frame) or Opaque(name)
                frame.note(node, frame.variables[name], target=target)
        return
    if (asked := chained.lost_change_test(node, frame)) is not None:
        frame.evaluate(node.value)
        frame.emit("read", asked.node, asked, chained.LOST)
        return
    if node.op in {"&", "|"}:
        held = frame.evaluate(node.targets[0])
        value = operations.arithmetic(node.op, held, frame.evaluate(node.value), node)
        store_value(node, node.targets[0], value, frame)
        return
    if node.op is not None:
        _execute_update(node, node.targets[0], frame)
        return
    target = node.targets[0]
    if len(node.targets) == 1 and path_of(target) is not None and _refers_to(node.value, target, frame):
        _execute_update(node, target, frame)
        return
    value = frame.evaluate(node.value)
    if node.type:
        value = struct_rows.shape_rows(node, value, frame)
    value = typed_numbers.convert_to_type(value, typed_numbers.type_of(node.targets[-1], frame), frame)
    for target in node.targets:
        before = frame.changed(target)
        store_value(node, target, value, frame)
        after = before if isinstance(before, Opaque) else frame.changed(target)
        frame.note(node, value, (before, after), target)
        _note_class(node.value, target, frame)


def _note_class(value: Node, target: Node, frame: Frame) -> None:
    """`trainer = Trainer()`: the variable is an instance of a class of this file."""
    if isinstance(value, tree.Call) and isinstance(value.function, tree.Name):
        name, path = value.function.id, path_of(target)
        if path is not None and name in frame.program.definitions.types:
            frame.types[path] = name


def _refers_to(value: Node, target: Node, frame: Frame) -> bool:
    """Return whether `value` reads `target` itself, as in `score = score + 2`."""
    path = path_of(target) or ""
    root = path.partition(".")[0].partition("[")[0]
    if root not in frame.program.source.text(value.span):  # mostly not, and that is seen at once
        return False
    return any(
        isinstance(part, tree.Name | tree.Field | tree.Index) and path_of(part) == path
        for part in tree.walk(value)
    )


def _execute_update(node: tree.Assign, target: Node, frame: Frame) -> None:
    """`score += x` and `score = f(score)`: the new value over the old one."""
    column, mask = column_under_mask(target, frame)
    path = access.path(target, frame) or column or frame.text(target)
    before = frame.variables.get(path)
    if before is None:
        before = frame.evaluate(target)
    if _is_new_value(node, target, path, before, frame):
        return
    change = _changed_value(node, path, before, mask, frame)
    if change is not None:
        change = typed_numbers.kept_of_change(change, before, typed_numbers.type_of(target, frame), frame)
    if isinstance(change, Filtered):
        known = change.people is OLD and not isinstance(before, Protected)
        frame.variables[path] = replace(change, people=before) if known else change
        note_filters(node, change, path, frame)
    elif isinstance(change, Protected):
        frame.variables[path] = change
    elif isinstance(change, Sorted) and norms.key_of(before, frame) is not None:
        frame.variables[path] = replace(change, people=before)
    elif change is not None:
        if mask is not None:
            change = Choice(mask, change, OLD, node)
        frame.emit("update", node, change, path)
        held = substitute_old(change, before, frame.program.dependence)
        frame.variables[path] = typed_numbers.calculate_change(
            held, typed_numbers.type_of(target, frame), frame
        )
        if isinstance(target, tree.Index):
            _note_entry(node, target, path, frame)


def _note_entry(node: tree.Assign, target: tree.Index, path: str, frame: Frame) -> None:
    """Evaluate an entry of a collection, or a column of a table, was changed."""
    if access.path(target, frame) is None:
        container_elements.fill(
            target.value, _value_under_guard(frame.variables[path], path, frame), node, frame
        )
    table_assignments.note_columns(node, target, frame.variables[path], frame)
    table_changes.change_entry(target, path, frame)


def _is_new_value(node: tree.Assign, target: Node, path: str, before: Value, frame: Frame) -> bool:
    """Return whether a table, a list, a text or a read has become something new, which is no change of a
    number.
    """
    written = node.value
    assert written is not None
    if _adds_text(node, before, frame):
        value = frame.evaluate(written)
        value = operations.arithmetic("+", before, value, node) if node.op else value
        text_calls.grow(node, target, before, value, frame)
        return True
    if node.op is None:
        another = isinstance(written, tree.Binary | tree.Call) and isinstance(before, Sequence)
        becomes_table = isinstance(written, tree.Call | tree.Comprehension) and isinstance(before, Table)
        if not (
            another
            or becomes_table
            or _keeps_names(written, before, frame)
            or isinstance(before, Protected)
            or table_functions.stays_table(written, target, before, frame)
            or _is_column_of_groups(target, frame)
        ):
            return False
        store_value(node, target, frame.evaluate(written), frame)
        return True
    if node.op != "+":
        return False
    if isinstance(before, Sequence | Columns):
        joined = frame.evaluate(written)
        if isinstance(joined, Filtered):  # `chosen += [p for p in people if ...]`
            note_filters(node, joined, path, frame)
            return True
        added = operations.arithmetic("+", before, joined, node)
        if isinstance(added, Sequence | Columns):
            frame.variables[path] = added
            _note_list_extension(node, path, frame)
            return True
    return False


def _keeps_names(written: Node, before: Value, frame: Frame) -> bool:
    """Return whether a list of names is cut down: `names = [one for one in names if one in NUMBERS]`."""
    if not isinstance(written, tree.Comprehension) or not isinstance(before, Sequence):
        return False
    is_of_names = bool(before.items) and all(map(text_values.is_name, before.items))
    return is_of_names and isinstance(frame.evaluate(written), Sequence)


def _note_list_extension(node: tree.Assign, path: str, frame: Frame) -> None:
    """`chosen += [person]`: what is written out joins the list."""
    if not isinstance(node.value, tree.Collection):
        return
    joined = frame.evaluate(node.value)
    for item in joined.items if isinstance(joined, Sequence) else ():
        frame.emit("append", node, item, path)


def _changed_value(
    node: tree.Assign, path: str, before: Value, mask: Value | None, frame: Frame
) -> Value | None:
    """Return the new value, with OLD where it stands for the one before; None where a birthday is accounted
    for.
    """
    written = node.value
    if node.op is not None:
        amount = frame.evaluate(written)
        if written is not None:
            amount = typed_numbers.of_letter(written, amount, frame)
        if node.op == "-" and operations.is_birthday(before, amount):
            return None
        return typed_numbers.divide_in_type(node, operations.arithmetic(node.op, OLD, amount, node), frame)
    frame.variables[path], frame.variables.before[path] = OLD, before
    change = frame.evaluate(written)
    frame.variables[path] = before
    return change if mask is None else strip_mask(change)


def _is_column_of_groups(target: Node, frame: Frame) -> bool:
    """Return whether a column of a table is named after an attribute: what it is given are no points."""
    if not (isinstance(target, tree.Index) and has_tables(frame)):
        return False
    name = frame.evaluate(target.index)
    return (
        isinstance(name, Const)
        and isinstance(name.value, str)
        and reads.mention_of(name.value, frame, frame.text(target.value)) is not None
    )


def _value_under_guard(value: Value, path: str, frame: Frame) -> Value:
    """Return what `marks[i]` holds after it was changed for some: the value under the test that
    leads to it.
    """
    last = frame.telling()
    if last is None or frame.program.dependence.on_any(value):
        return value
    test = last.test if last.holds else operations.negate(last.test, last.node)
    return Choice(test, value, Opaque(path), last.site)


def _adds_text(node: tree.Assign, before: Value, frame: Frame) -> bool:
    """Return whether a text grows, known or not: `text += line`, `text = text + "..."`."""
    if isinstance(before, Sequence | Columns) or typed_numbers.is_letter(node.value, frame):
        return False
    if node.op == "+":
        return text_values.may_be_text(before) or text_values.is_text(frame.evaluate(node.value))
    if node.op is not None or not isinstance(node.value, tree.Binary):
        return False
    return text_values.may_be_text(before) or text_values.is_text_sum(node.value)
