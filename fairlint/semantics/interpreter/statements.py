"""Statements: walks a body, keeps the variables, and records what happens to people as events."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Many

from fairlint.semantics.groups.asking import is_worked_out_unseen
from fairlint.semantics.groups.dependencies import Dependence
from fairlint.semantics.interpreter import (
    access,
    answers,
    checked_fields,
    container_elements,
    expressions,
    idle_branches,
    loaded_data,
    norms,
    operations,
    patterns,
    reads,
    scans,
    struct_rows,
    table_changes,
    typed_numbers,
    whole_tests,
)
from fairlint.semantics.interpreter.frame import Frame, Variables
from fairlint.semantics.names import qualified_names
from fairlint.semantics.tables import chained, groups, row_by_row, table_assignments, table_functions
from fairlint.semantics.tables.libraries import has_tables
from fairlint.semantics.texts import text_calls, text_values
from fairlint.semantics.values.lift import spread
from fairlint.semantics.values.marks import hidden_mark
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    ANYWHERE,
    OLD,
    UNKNOWN,
    Choice,
    Columns,
    Const,
    Filtered,
    Guard,
    Guards,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Sorted,
    Table,
    Value,
    alike,
    fold_value,
)
from fairlint.support.records import Record, replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, inside
from fairlint.vocabulary.model import Mention

MOST_FALLEN = 20
FALLS_FAR = f"more than {MOST_FALLEN} cases that fall through one another: no more were followed from each"
MOST_JUMPED = 10_000
JUMPS_FAR = f"more than {MOST_JUMPED:,} steps behind the jumps of one function: this one was not followed"


def execute_body(body: Many[Node], frame: Frame) -> None:
    """Executes the statements of `body` in order until every path has left it; what they imply ends with
    them.
    """
    outer = frame.guards
    execute_statements(body, frame)
    frame.guards = outer


def execute_statements(body: Many[Node], frame: Frame) -> None:
    """As `execute_body`, for statements that are part of a longer body."""
    for statement in body:
        if not frame.alive or not frame.program.step(statement):
            break
        frame.variables.next_statement()
        handler = _HANDLERS.get(type(statement))
        if handler is not None:
            handler(statement, frame)
        else:
            expressions.evaluate(statement, frame)


# ------------------------------------------------------------------------------------------------ assignment


def execute_assign(node: tree.Assign, frame: Frame) -> None:
    """An assignment, plain or augmented, with the event it is."""
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
        expressions.evaluate(node.value, frame)
        frame.emit("read", asked.node, asked, chained.LOST)
        return
    if node.op in {"&", "|"}:
        held = expressions.evaluate(node.targets[0], frame)
        value = operations.arithmetic(node.op, held, expressions.evaluate(node.value, frame), node)
        _store_value(node, node.targets[0], value, frame)
        return
    if node.op is not None:
        _execute_update(node, node.targets[0], frame)
        return
    target = node.targets[0]
    if len(node.targets) == 1 and path_of(target) is not None and _refers_to(node.value, target, frame):
        _execute_update(node, target, frame)
        return
    value = expressions.evaluate(node.value, frame)
    if node.type:
        value = struct_rows.shape_rows(node, value, frame)
    value = typed_numbers.convert_to_type(value, typed_numbers.type_of(node.targets[-1], frame), frame)
    for target in node.targets:
        before = frame.changed(target)
        _store_value(node, target, value, frame)
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
    """Whether `value` reads `target` itself, as in `score = score + 2`."""
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
    column, mask = _column_under_mask(target, frame)
    path = access.path(target, frame) or column or frame.text(target)
    before = frame.variables.get(path)
    if before is None:
        before = expressions.evaluate(target, frame)
    if _is_new_value(node, target, path, before, frame):
        return
    change = _changed_value(node, path, before, mask, frame)
    if change is not None:
        change = typed_numbers.kept_of_change(change, before, typed_numbers.type_of(target, frame), frame)
    if isinstance(change, Filtered):
        known = change.people is OLD and not isinstance(before, Protected)
        frame.variables[path] = replace(change, people=before) if known else change
        _note_filters(node, change, path, frame)
    elif isinstance(change, Protected):
        frame.variables[path] = change
    elif isinstance(change, Sorted) and norms.key_of(before, frame) is not None:
        frame.variables[path] = replace(change, people=before)
    elif change is not None:
        if mask is not None:
            change = Choice(mask, change, OLD, node)
        frame.emit("update", node, change, path)
        held = _substitute_old(change, before, frame.program.dependence)
        frame.variables[path] = typed_numbers.calculate_change(
            held, typed_numbers.type_of(target, frame), frame
        )
        if isinstance(target, tree.Index):
            _note_entry(node, target, path, frame)


def _note_entry(node: tree.Assign, target: tree.Index, path: str, frame: Frame) -> None:
    """An entry of a collection, or a column of a table, was changed."""
    if access.path(target, frame) is None:
        container_elements.fill(
            target.value, _value_under_guard(frame.variables[path], path, frame), node, frame
        )
    table_assignments.note_columns(node, target, frame.variables[path], frame)
    table_changes.change_entry(target, path, frame)


def _is_new_value(node: tree.Assign, target: Node, path: str, before: Value, frame: Frame) -> bool:
    """Whether a table, a list, a text or a read has become something new, which is no change of a number."""
    written = node.value
    assert written is not None
    if _adds_text(node, before, frame):
        value = expressions.evaluate(written, frame)
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
        _store_value(node, target, expressions.evaluate(written, frame), frame)
        return True
    if node.op != "+":
        return False
    if isinstance(before, Sequence | Columns):
        joined = expressions.evaluate(written, frame)
        if isinstance(joined, Filtered):  # `chosen += [p for p in people if ...]`
            _note_filters(node, joined, path, frame)
            return True
        added = operations.arithmetic("+", before, joined, node)
        if isinstance(added, Sequence | Columns):
            frame.variables[path] = added
            _note_list_extension(node, path, frame)
            return True
    return False


def _keeps_names(written: Node, before: Value, frame: Frame) -> bool:
    """Whether a list of names is cut down: `names = [one for one in names if one in NUMBERS]`."""
    if not isinstance(written, tree.Comprehension) or not isinstance(before, Sequence):
        return False
    is_of_names = bool(before.items) and all(map(text_values.is_name, before.items))
    return is_of_names and isinstance(expressions.evaluate(written, frame), Sequence)


def _note_filters(node: Node, found: Filtered, target: str, frame: Frame) -> None:
    """The tests by which people are kept: all that one statement chains, in the order in which they stand."""
    chain = [found]
    while isinstance(people := chain[-1].people, Filtered) and inside(people.node, node):
        chain.append(people)
    for one in reversed(chain):
        frame.emit("filter", one.node, one.test, target)


def _note_list_extension(node: tree.Assign, path: str, frame: Frame) -> None:
    """`chosen += [person]`: what is written out joins the list."""
    if not isinstance(node.value, tree.Collection):
        return
    joined = expressions.evaluate(node.value, frame)
    for item in joined.items if isinstance(joined, Sequence) else ():
        frame.emit("append", node, item, path)


def _changed_value(
    node: tree.Assign, path: str, before: Value, mask: Value | None, frame: Frame
) -> Value | None:
    """The new value, with OLD where it stands for the one before; None where a birthday is accounted for."""
    written = node.value
    if node.op is not None:
        amount = expressions.evaluate(written, frame)
        if written is not None:
            amount = typed_numbers.of_letter(written, amount, frame)
        if node.op == "-" and operations.is_birthday(before, amount):
            return None
        return typed_numbers.divide_in_type(node, operations.arithmetic(node.op, OLD, amount, node), frame)
    frame.variables[path], frame.variables.before[path] = OLD, before
    change = expressions.evaluate(written, frame)
    frame.variables[path] = before
    return change if mask is None else _strip_mask(change)


def _is_column_of_groups(target: Node, frame: Frame) -> bool:
    """Whether a column of a table is named after an attribute: what it is given are no points."""
    if not (isinstance(target, tree.Index) and has_tables(frame)):
        return False
    name = expressions.evaluate(target.index, frame)
    return (
        isinstance(name, Const)
        and isinstance(name.value, str)
        and reads.mention_of(name.value, frame, frame.text(target.value)) is not None
    )


def _value_under_guard(value: Value, path: str, frame: Frame) -> Value:
    """What `marks[i]` holds after it was changed for some: the value under the test that leads to it."""
    last = frame.telling()
    if last is None or frame.program.dependence.on_any(value):
        return value
    test = last.test if last.holds else operations.negate(last.test, last.node)
    return Choice(test, value, Opaque(path), last.site)


def _adds_text(node: tree.Assign, before: Value, frame: Frame) -> bool:
    """Whether a text grows, known or not: `text += line`, `text = text + "..."`."""
    if isinstance(before, Sequence | Columns) or typed_numbers.is_letter(node.value, frame):
        return False
    if node.op == "+":
        return text_values.may_be_text(before) or text_values.is_text(expressions.evaluate(node.value, frame))
    if node.op is not None or not isinstance(node.value, tree.Binary):
        return False
    return text_values.may_be_text(before) or text_values.is_text_sum(node.value)


def _substitute_old(change: Value, before: Value, dependence: Dependence) -> Value:
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


def _strip_mask(value: Value) -> Value:
    """`line[mask] * 0.9` over the whole line, where the mask is the one that is assigned under."""

    def made(one: Value, parts: list[Value]) -> Value:
        if isinstance(one, Operation):
            return Operation(one.op, tuple(parts), one.node)
        return OLD if isinstance(one, Filtered) and one.people is OLD else one

    return fold_value(value, lambda one: one.arguments if isinstance(one, Operation) else (), made)


def _column_under_mask(target: Node, frame: Frame) -> tuple[str | None, Value | None]:
    """`df.loc[mask, "score"]`: the column's path and the mask."""
    match target:
        case tree.Index(
            value=tree.Field(name="loc", value=table), index=tree.Collection(items=(first, second))
        ) if isinstance(name := expressions.evaluate(second.value, frame), Const):
            mask = expressions.evaluate(first.value, frame)
            column = f"{path_of(table) or frame.text(table)}[{name.value!r}]"
            return column, mask if frame.program.dependence.on_any(mask) else None
        case tree.Index(
            value=held, index=tree.Compare() | tree.BoolOp() | tree.Binary() | tree.Unary() | tree.Name()
        ):
            path = path_of(held)  # `scores[age > 50]`, an array or column under a mask
            if path is None or not has_tables(frame):
                return None, None
            mask = expressions.evaluate(target.index, frame)
            tells = operations.is_mask(mask) and frame.program.dependence.on_any(mask)
            return (path, mask) if tells else (None, None)
        case _:
            return None, None


def _store_value(node: tree.Assign, target: Node, value: Value, frame: Frame) -> None:
    if isinstance(target, tree.Collection):
        for place, item in enumerate(target.items):
            _store_value(node, item.value, _unpacked_item(value, place, len(target.items)), frame)
        return
    column, mask = _column_under_mask(target, frame)
    if column is not None and mask is not None:
        before = frame.variables.get(column)
        frame.variables[column] = OLD
        if node.value is not None:
            value = _strip_mask(expressions.evaluate(node.value, frame))
        if before is None:
            del frame.variables[column]
        else:
            frame.variables[column] = before
        change = Choice(mask, value, OLD, node)
        frame.emit("update", node, change, column)
        if has_tables(frame) and isinstance(before, Const | Choice | Lookup):
            frame.variables[column] = _substitute_old(change, before, frame.program.dependence)
        return
    path = access.path(target, frame)
    if path is None:
        if isinstance(target, tree.Index) and scans.is_next_place(target, node.value, frame):
            expressions.evaluate(target.index, frame)
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
        _note_filters(node, value, path, frame)
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
    """One of the values that are unpacked, also where a test says which they are."""

    def part(one: Value) -> Value | None:
        return one.items[place] if isinstance(one, Sequence) and len(one.items) == count else None

    return spread(value, part) or UNKNOWN


def _into_table(target: tree.Index, value: Value, frame: Frame) -> bool:
    """`scores["skill"] = 5`, `row[3] = 5`: an entry of a table or row that is written out here."""
    base = path_of(target.value)
    table = frame.variables.get(base) if base is not None else None
    key = reads.written_out_value(expressions.evaluate(target.index, frame))
    if base is None or not isinstance(table, Table) or not isinstance(key, Const):
        return row_by_row.place_in_row(target, value, frame)
    entries = [(name, held) for name, held in table.entries if not _same_key(name, key)]
    if not isinstance(target.index, tree.Literal):  # a loop over some keys: each is named where it was first
        key = next((name for name, _ in table.entries if _same_key(name, key)), key)
    whole = replace(table, entries=(*entries, (key, value)))
    table_changes.put(target.value, table, whole, frame)
    return True


def _same_key(left: Value, right: Value) -> bool:
    return isinstance(left, Const) and isinstance(right, Const) and left.value == right.value


def _join_branch_values(
    test: Value, then: Value, otherwise: Value, site: Node, dependence: Dependence
) -> Value:
    """One value for two branches; tables are joined entry by entry.

    A test on an attribute stays, also where both come to the same: that it is read must not be lost.
    """
    if then is otherwise or (alike(then, otherwise) and not dependence.on_any(test)):
        return then  # imported in one way or another
    if (text := _text_of_both(test, then, otherwise, site)) is not None:
        return text
    if not (isinstance(then, Table) and isinstance(otherwise, Table)):
        return Choice(test, then, otherwise, site)
    entries: list[tuple[Value, Value]] = []
    for key, value in then.entries:
        other = next((held for name, held in otherwise.entries if _same_key(name, key)), Const(0))
        entries.append((key, value if value is other else Choice(test, value, other, site)))
    known = [key for key, _ in then.entries]
    for key, value in otherwise.entries:
        if not any(_same_key(name, key) for name in known):
            entries.append((key, Choice(test, Const(0), value, site)))
    return Table(tuple(entries), then.node, then.name, then.fallback)


def _variable_value(path: str, target: Node, value: Value, frame: Frame) -> Value:
    """What a variable stands for after an assignment.

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
    """The read that a variable of an attribute's name is, where a function has worked its value out of the
    same attribute, and nobody sees how.
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
    """Whether a 0 or 1 that a script sets is the code of one of two groups: `sex = 1`."""
    groups = frame.program.vocabulary.attribute(mention.attribute).core_groups
    return mention.form == "value" and not frame.function and len(groups) == 2


def _text_of_both(test: Value, then: Value, otherwise: Value, site: Node) -> Value | None:
    """A text, or a list of texts, to which one of two branches adds something."""
    if isinstance(then, Sequence) and isinstance(otherwise, Sequence):
        absent = operations.negate(test, site)
        return text_values.appended_items(test, then, otherwise, site) or text_values.appended_items(
            absent, otherwise, then, site
        )
    found = text_values.appended_in_branch(test, then, otherwise, site)
    return found or text_values.appended_in_branch(operations.negate(test, site), otherwise, then, site)


# ------------------------------------------------------------------------------------------------ branches


class _Arm(Record, frozen=False):
    frame: Frame
    test: Value


def _execute_if(node: tree.If, frame: Frame) -> None:
    arms: list[tuple[Value, Node, Many[Node]]] = []
    current: tree.If = node
    while True:
        test = whole_tests.truth(expressions.evaluate(current.test, frame), current.test, frame)
        arms.append((test, current.test, current.then))
        if (
            len(current.otherwise) == 1
            and isinstance(current.otherwise[0], tree.If)
            and current.otherwise[0].is_elif
        ):
            current = current.otherwise[0]
            continue
        break
    _execute_branches(node, arms, current.otherwise, frame)


def _execute_branches(
    site: Node, arms: list[tuple[Value, Node, Many[Node]]], otherwise: Many[Node], frame: Frame
) -> None:
    """Executes the arms of one chain, each under its guards, and merges what they leave behind."""
    done: list[_Arm] = []
    outer = frame.guards
    passed: list[Guard] = []
    for test, test_node, body in arms:
        if passed:
            frame.guards = frame.guards.under(passed[-1])
        arm = frame.branch(Guard(test, True, site, test_node))
        arm.alive = not (isinstance(test, Const) and not test.label and test.value is False)
        if frame.program.dependence.on_any(test):
            arm.emit("read", test_node, UNKNOWN)
        execute_body(body, arm)
        done.append(_Arm(arm, test))
        passed.append(Guard(test, False, site, test_node))
    last = frame.branch(passed[-1])
    execute_body(otherwise, last)
    _merge_arms(site, done, last, frame)
    frame.guards = outer.under(*_left_behind(done, last, passed))


def _left_behind(arms: list[_Arm], last: Frame, passed: list[Guard]) -> list[Guard]:
    """What holds after a chain some arms of which have left the body."""
    survivors = [arm for arm in arms if arm.frame.alive]
    if len(survivors) == len(arms) and last.alive:
        return []
    if not last.alive and len(survivors) == 1 and not survivors[0].frame.broke:
        place = arms.index(survivors[0])
        own = Guard(survivors[0].test, True, passed[place].site, passed[place].node, implied=True)
        return [_implied_guard(guard) for guard in passed[:place]] + [own]
    return [_implied_guard(guard) for guard, arm in zip(passed, arms, strict=True) if not arm.frame.alive]


def _implied_guard(guard: Guard) -> Guard:
    return Guard(guard.test, guard.holds, guard.site, guard.node, implied=True)


def _merge_arms(site: Node, arms: list[_Arm], last: Frame, frame: Frame) -> None:
    """Joins the variables of the arms that go on; where they differ, the chain's tests choose."""
    frame.broke = frame.broke or last.broke or any(arm.frame.broke for arm in arms)
    living = [arm for arm in arms if arm.frame.alive]
    if not living and not last.alive:
        frame.alive = False
        return
    base, remaining = (last, living) if last.alive else (living[-1].frame, living[:-1])
    merged, changed = Variables(base.variables), dict(base.variables.changed)
    # an arm that leaves alone what was bound before the chain has a value for it, too
    bound = [name for name in changed if name in frame.variables]
    for arm in reversed(remaining):
        own = arm.frame.variables.changed
        bound += [name for name in own if name in frame.variables and name not in changed]
        changed.update(own)
        for name in (*own, *(name for name in bound if name not in own)):
            if (value := _merged_variable(name, arm, merged, site, frame)) is not None:
                merged[name] = value
    merged.changed = {**frame.variables.changed, **changed}
    frame.variables = merged


def _merged_variable(name: str, arm: _Arm, merged: Variables, site: Node, frame: Frame) -> Value | None:
    """What a name stands for after an arm, and those in `merged` already; None where nothing says it."""
    dependence = frame.program.dependence
    then, other, before = [known.get(name) for known in (arm.frame.variables, merged, frame.variables)]
    then = before if then is None and other is not None else then
    if then is None:
        return None
    missing = other is None and before is None and not dependence.on_any(arm.test)
    if missing and _is_unbound(name, frame):
        return then  # without it nothing that reads the name goes on
    joined = _join_branch_values(arm.test, then, other or before or UNKNOWN, site, dependence)
    if isinstance(joined, Choice) and dependence.on_any(joined):
        return reads.read_by_codes(name, joined, site, frame) or joined
    return joined


def _is_unbound(name: str, frame: Frame) -> bool:
    """Whether nothing but the branches of this body gives a variable a value."""
    return name.isidentifier() and name not in frame.types and name not in frame.program.globals


def _execute_switch(node: tree.Switch, frame: Frame) -> None:
    subject = expressions.evaluate(node.subject, frame)
    tests = [patterns.matches(subject, case, node, frame) for case in node.cases]
    arms: list[tuple[Value, Node, Many[Node]]] = []
    otherwise: Many[Node] = ()
    for place, case in enumerate(node.cases):
        body = _fall_through(node, place, frame) if node.falls_through else case.body
        if not case.patterns and case.guard is None:
            otherwise = body
            if not node.falls_through:
                break
            continue
        arms.append((tests[place], case.patterns[0] if case.patterns else node.subject, body))
    was_in_switch, broke = frame.in_switch, frame.broke
    frame.in_switch, frame.broke = node.falls_through or was_in_switch, False
    alive = frame.alive
    if arms:
        _execute_branches(node, arms, otherwise, frame)
    else:
        execute_body(otherwise, frame)
    if node.falls_through and frame.broke:
        frame.alive = alive
    frame.in_switch, frame.broke = was_in_switch, broke


def _fall_through(node: tree.Switch, place: int, frame: Frame) -> tuple[Node, ...]:
    """The statements that run from case `place` on, up to the first unconditional `break`."""
    body: list[Node] = []
    for case in node.cases[place : place + MOST_FALLEN]:
        for statement in case.body:
            if isinstance(statement, tree.Break):
                return tuple(body)
            body.append(statement)
            if isinstance(statement, tree.Return | tree.Continue | tree.Goto):
                return tuple(body)
    if place + MOST_FALLEN < len(node.cases):
        frame.program.facts.cut(node, FALLS_FAR)
    return tuple(body)


# ------------------------------------------------------------------------------------------------ loops
# and the rest


def _execute_loop(node: tree.Loop, frame: Frame) -> None:
    if node.test is not None and _in_known_rounds(node, node.test, frame):
        return
    people = expressions.evaluate(node.iterable, frame) if node.iterable is not None else UNKNOWN
    if node.target is not None:
        frame.note(node, people, target=node.target)
    if isinstance(people, Filtered):
        frame.emit("filter", people.node, people.test, "")
    if isinstance(people, Sorted) and frame.program.dependence.on_any(people.key) and _ends_early(node.body):
        frame.emit("rank", people.node, people, frame.text(node.iterable) if node.iterable else "")
    entries = operations.entries_of(people) if node.target is not None else None
    rounds = frame.program.rounds
    is_left = entries is not None and scans.breaks_plainly(node.body)
    if entries is not None and (
        rounds * len(entries) > operations.MAX_ROUNDS or (is_left and len(entries) > operations.MAX_UNROLL)
    ):
        entries = None
    outer_loop, was_in_switch, outer = frame.loop, frame.in_switch, frame.guards
    frame.loop, frame.in_switch = node, False
    if entries is not None and node.target is not None:
        frame.program.rounds = rounds * len(entries)
        if is_left:
            execute_statements((_Rounds(node.span, node, tuple(entries)),), frame)
            frame.alive, frame.guards, frame.program.rounds = True, outer, rounds
            frame.loop, frame.in_switch = outer_loop, was_in_switch
            return
        for entry in entries:
            expressions.bind(node.target, entry, frame)
            execute_body(node.body, frame)
            frame.alive, frame.guards = True, outer
        frame.program.rounds = rounds
    else:
        _forget_loop_variables(node, frame)
        if node.target is not None:
            if isinstance(node.target, tree.Name) and node.iterable is not None:
                frame.types[node.target.id] = frame.types.get(node.target.id) or frame.text(node.iterable)
            one = _of_group(node, frame) or _loop_element(people, node.target, frame)
            expressions.bind(node.target, one, frame)
        frame.guards = _if_any(people, outer)
        execute_body(idle_branches.without(node, frame), frame)
        frame.alive, frame.guards = True, outer
    frame.loop, frame.in_switch = outer_loop, was_in_switch
    execute_body(node.otherwise, frame)


def _if_any(people: Value, outer: Guards) -> Guards:
    """What holds in rounds over what is made of all or none: `for fee in [5 for _ in rows if is_male]`."""
    if isinstance(people, Choice) and isinstance(made := people.node, tree.Comprehension):
        return outer.under(Guard(people.test, True, made, made))
    return outer


class _Rounds(Node):
    """The rounds of a loop over known entries that are still to come."""

    loop: tree.Loop
    entries: tuple[Value, ...]


def _execute_rounds(node: _Rounds, frame: Frame) -> None:
    """Executes a loop that `break` may leave: what stands behind one and all later rounds are for those whom
    it does not concern.
    """
    if not node.entries or node.loop.target is None:
        execute_body(node.loop.otherwise, frame)
        return
    expressions.bind(node.loop.target, node.entries[0], frame)
    rest = (_Rounds(node.span, node.loop, node.entries[1:]),)
    statements = scans.round_before(node.loop.body, rest)
    frame.program.copies.append(statements)
    execute_statements(statements, frame)


def _in_known_rounds(node: tree.Loop, test: Node, frame: Frame) -> bool:
    """Executes a loop with a test where its rounds are known: it runs once, or over a known table."""
    if _runs_once(node):
        _as_branch(node, test, frame)
        return True
    expressions.evaluate(test, frame)
    if (scan := scans.rounds(node, frame)) is None:
        return False
    statements, count = scan
    outer_loop, was_in_switch, rounds = frame.loop, frame.in_switch, frame.program.rounds
    frame.loop, frame.in_switch, frame.program.rounds = node, False, rounds * count
    execute_statements(statements, frame)
    frame.loop, frame.in_switch, frame.program.rounds = outer_loop, was_in_switch, rounds
    return True


def _runs_once(node: tree.Loop) -> bool:
    """Whether a loop only asks once: its body ends by leaving it, and goes on nowhere else."""
    if not node.body or node.test is None or node.test.span.start > node.body[0].span.start:
        return False  # `do ... while` asks behind its body
    return isinstance(node.body[-1], tree.Break) and not any(
        isinstance(part, tree.Break | tree.Continue) for one in node.body[:-1] for part in tree.walk(one)
    )


def _as_branch(node: tree.Loop, test: Node, frame: Frame) -> None:
    branch = frame.program.branches.get(id(node))
    if branch is None:
        branch = frame.program.branches[id(node)] = tree.If(node.span, test, node.body[:-1], node.otherwise)
    _execute_if(branch, frame)


def _ends_early(body: Many[Node]) -> bool:
    """Whether a loop may end before all have been met: the first of them get something then."""
    return any(
        isinstance(part, tree.Break | tree.Return) and not getattr(part, "is_yield", False)
        for statement in body
        for part in tree.walk(statement)
    )


def _of_group(node: tree.Loop, frame: Frame) -> Value | None:
    """`for g, part in people.groupby("gender")`: what tells the group, and its rows."""
    if not isinstance(node.iterable, tree.Call) or not isinstance(node.target, tree.Collection):
        return None
    found = groups.groups_of_rows(node.iterable, frame)
    return None if found is None else Sequence((found.key, norms.part(found.table, found.key, frame)), node)


def _loop_element(people: Value, target: Node, frame: Frame) -> Value:
    if isinstance(target, tree.Collection):
        return container_elements.element(people) or (people if type(people) is Opaque else UNKNOWN)
    return container_elements.element_of(people, target, frame)


def _forget_loop_variables(loop: tree.Loop, frame: Frame) -> None:
    """Before one round stands for all rounds: what the body assigns is unknown at its start."""
    assigned = frame.program.assigned.get(id(loop))
    if assigned is None:
        parts = (part for statement in loop.body for part in tree.walk(statement))
        assigned = tuple(part for part in parts if isinstance(part, tree.Assign))
        frame.program.assigned[id(loop)] = assigned
    for part in assigned:
        for target in part.targets:
            path = path_of(target)
            held = frame.variables.get(path) if path is not None else None
            if path is None or not isinstance(held, Const):
                continue
            rest: Value = Opaque(f"{path}{hidden_mark(part.span.start)}")
            grows = text_values.is_text(held) and part.op == "+"
            frame.variables[path] = (
                text_values.join_values([(held, target), (rest, target)], part) if grows else rest
            )


def _execute_return(node: tree.Return, frame: Frame) -> None:
    value = expressions.evaluate(node.value, frame)
    if (own := frame.program.definitions.functions.get(frame.function)) is not None:
        value = typed_numbers.convert_to_type(value, own.returns, frame)
    frame.note(node, value)
    if isinstance(value, Filtered):
        _note_filters(node, value, "return", frame)
    if not frame.calls:
        answers.note(node, value, frame)
        frame.emit("return", node, value)
    if not node.is_yield:
        frame.returns.append((frame.guards, value))
        frame.alive = False
    elif frame.calls and (rows := row_by_row.generator_rows(value, node, frame)) is not None:
        frame.returns.append((ANYWHERE, rows))


def _execute_raise(node: tree.Raise, frame: Frame) -> None:
    value = expressions.evaluate(node.value, frame)
    if not frame.calls:
        frame.emit("raise", node, Opaque(frame.text(node)) if node.value is None else value)
    frame.alive = False


def _execute_continue(node: tree.Continue, frame: Frame) -> None:
    frame.emit("continue", node, UNKNOWN)
    frame.alive = False


def _execute_break(node: tree.Break, frame: Frame) -> None:
    if frame.in_switch:
        frame.broke = True
    else:
        frame.emit("break", node, UNKNOWN)
    frame.alive = False


def _execute_expression(node: tree.Expression, frame: Frame) -> None:
    expressions.evaluate(node.value, frame)
    _, found = frame.program.found.get(id(node.value), (None, None))
    if found is not None and "turns away" in found.entry.does:
        if not frame.calls:
            frame.emit("raise", node.value, Opaque(frame.text(node.value)))
        frame.alive = False


def _execute_assert(node: tree.Assert, frame: Frame) -> None:
    frame.note(node, expressions.evaluate(node.test, frame))
    frame.emit("call", node, UNKNOWN, "assert")


def _execute_try(node: tree.Try, frame: Frame) -> None:
    before = frame.variables.copy()
    outer = frame.guards
    execute_statements((*node.body, *node.otherwise), frame)
    failed = Opaque(f"exception{hidden_mark(node.span.start)}")
    for handler in node.handlers:
        arm = frame.branch(Guard(failed, True, node, node))
        arm.variables, arm.alive = before.copy(), True
        arm.guards = outer.under(Guard(failed, True, node, node))
        execute_body(handler, arm)
        if not frame.alive and arm.alive:
            frame.variables, frame.alive, frame.guards = arm.variables, True, outer
    execute_statements(node.final, frame)


def _execute_with(node: tree.With, frame: Frame) -> None:
    execute_statements((*node.items, *node.body), frame)


def _execute_block(node: tree.Block, frame: Frame) -> None:
    execute_statements(node.body, frame)


def _execute_function(node: tree.Function, frame: Frame) -> None:
    from fairlint.semantics.values.symbolic import Closure  # noqa: PLC0415 (keeps the import list above readable)

    frame.variables[node.name] = Closure(node, dict(frame.variables), frame.owner)
    if frame.calls:
        return
    inner = function_frame(node, frame, frame.owner)
    inner.variables = Variables({**frame.variables, **inner.variables})
    execute_body(node.body, inner)


def function_frame(node: tree.Function, outer: Frame, owner: str) -> Frame:
    """A frame for a function that is looked at by itself: parameters stand for themselves."""
    qualified = ".".join(part for part in (outer.function, node.name) if part)
    inner = Frame(outer.program, qualified, Variables(), outer.events, owner=owner)
    _evaluate_decorators(node, outer)
    for parameter in node.parameters:
        inner.types[parameter.name] = parameter.type
        default = None
        if parameter.default is not None:
            default = expressions.evaluate(parameter.default, outer)
        if parameter.star:
            continue
        found = reads.read_by_identifier(parameter.name, parameter, inner, "", parameter.type)
        if found is not None:
            inner.variables[parameter.name] = found
        elif isinstance(parameter.default, tree.Literal) and isinstance(parameter.default.value, int | float):
            value = parameter.default.value
            inner.variables[parameter.name] = (
                Opaque(parameter.name) if isinstance(value, bool) else Const(value)
            )
        elif default is not None and text_values.is_sentence(default):
            inner.variables[parameter.name] = default
        elif (file := loaded_data.usual(parameter.name, default, outer)) is not None:
            inner.variables[parameter.name] = file
        elif parameter.name in outer.program.globals or parameter.name in outer.program.definitions.functions:
            inner.variables[parameter.name] = Opaque(parameter.name)
    if node.decorators:
        given = (loaded_data.configuration(one, outer) for one in node.decorators)
        if node.parameters and (known := next(filter(None, given), None)) is not None:
            inner.variables[node.parameters[0].name] = known
        checked_fields.bind(node, inner, owner)
    checked_fields.bind_by_method_name(node, inner, owner)
    return inner


def _execute_type(node: tree.Type, frame: Frame) -> None:
    """A class in a function: what its level holds."""
    if node.kind == "class" and frame.function and not frame.calls:
        inner = Frame(frame.program, frame.function, Variables(frame.variables), frame.program.aside)
        execute_body([part for part in node.body if not isinstance(part, tree.Function | tree.Type)], inner)


def _execute_macro(node: tree.Macro, frame: Frame) -> None:
    """A text, or what is named after an attribute, is evaluated also where nothing uses it."""
    is_text = isinstance(node.value, tree.Literal | tree.Interpolation)
    if not frame.calls and (is_text or reads.mention_of(node.name, frame) is not None):
        expressions.macro_value(node.name, node.value, frame)


def _evaluate_decorators(node: tree.Function, outer: Frame) -> None:
    """Evaluates what stands over a function: `@click.option("--gender", default="male")`."""
    if node.decorators and outer.is_recorded:
        events, outer.events = outer.events, outer.program.aside
        for decorator in node.decorators:
            expressions.evaluate(decorator, outer)
        outer.events = events


def _skip_statement(node: Node, frame: Frame) -> None:
    del node, frame


def _execute_goto(node: tree.Goto, frame: Frame) -> None:
    """A jump forward goes on behind its label; one backward ends the path."""
    rest, program = frame.labels.get(node.label), frame.program
    if rest is not None and program.jumped > MOST_JUMPED:
        program.facts.cut(node, JUMPS_FAR)
    elif rest is not None:
        labels, frame.labels, before = frame.labels, {}, program.budget
        execute_body(rest, frame)
        frame.labels, program.jumped = labels, program.jumped + before - program.budget
    frame.alive = False


def labels_of(body: Many[Node]) -> dict[str, tuple[Node, ...]]:
    """The labels of a function body, each with the statements behind it."""
    return {
        statement.name: tuple(body[place + 1 :])
        for place, statement in enumerate(body)
        if isinstance(statement, tree.Label)
    }


def _execute_broken_code(node: tree.Broken | tree.Other, frame: Frame) -> None:
    if isinstance(node, tree.Other) and node.kind == "delete_statement":
        table_assignments.delete_columns(node, frame)
        for part in tree.walk(node):
            if isinstance(part, tree.Index):
                table_changes.delete_entry(part, frame)
        return
    execute_statements(node.children, frame)


_HANDLERS: dict[type[Node], Callable[..., None]] = {
    tree.Assign: execute_assign,
    tree.If: _execute_if,
    tree.Switch: _execute_switch,
    tree.Loop: _execute_loop,
    _Rounds: _execute_rounds,
    tree.Return: _execute_return,
    tree.Raise: _execute_raise,
    tree.Continue: _execute_continue,
    tree.Break: _execute_break,
    tree.Expression: _execute_expression,
    tree.Assert: _execute_assert,
    tree.Try: _execute_try,
    tree.With: _execute_with,
    tree.Block: _execute_block,
    tree.Function: _execute_function,
    tree.Broken: _execute_broken_code,
    tree.Other: _execute_broken_code,
    tree.Type: _execute_type,
    tree.Macro: _execute_macro,
    tree.Import: qualified_names.bind_import,
    tree.Label: _skip_statement,
    tree.Goto: _execute_goto,
}
