"""Calls: functions of the same file are followed, well-known ones understood, others are opaque."""

from __future__ import annotations

from fairlint.semantics.interpreter import (
    container_elements,
    instances,
    norms,
    operations,
    orderings,
    reads,
    selections,
    table_changes,
)
from fairlint.semantics.interpreter.arguments import values
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.interpreter.inlining import apply, inline, instance
from fairlint.semantics.names import known_calls, qualified_names
from fairlint.semantics.names.effects import decides
from fairlint.semantics.names.invocation import Invocation
from fairlint.semantics.names.library import SAME_PEOPLE, TEACHES
from fairlint.semantics.tables import groups, row_by_row, table_methods
from fairlint.semantics.tables.libraries import (
    call_entries,
    has_tables,
    is_of_numbers,
    may_be,
    may_do,
    texts_do,
)
from fairlint.semantics.values.paths import last_name, path_of
from fairlint.semantics.values.symbolic import (
    MISSING,
    UNKNOWN,
    Choice,
    Closure,
    Columns,
    Const,
    Filtered,
    Lookup,
    Opaque,
    Operation,
    Protected,
    RecordType,
    Sequence,
    Sorted,
    Table,
    Value,
)
from fairlint.syntax import tree
from fairlint.syntax.tree import Node


def evaluate_call(node: tree.Call, frame: Frame) -> Value:
    """Return the value of a call; what it may do to people is recorded as events."""
    found = _value_of(node, frame)
    if type(found) is Opaque and (norm := _of_own_group(node, frame)) is not None:
        return norm
    if type(found) is Opaque and not found.type and found is not UNKNOWN:
        type_ = qualified_names.type_of_call(node, frame)
        return Opaque(found.key, found.name, type_) if type_ else found
    return found


def _of_own_group(node: tree.Call, frame: Frame) -> Value | None:
    """Return what is worked out of people who are of somebody's own group, by whatever works it out."""
    if not frame.program.own_groups:
        return None
    function = node.function
    given = values(node, frame)
    if isinstance(function, tree.Field):
        given = (*given, frame.evaluate(function.value))
    return norms.figure_of(last_name(function), given)


def _value_of(node: tree.Call, frame: Frame) -> Value:
    function = node.function
    if isinstance(function, tree.Field):
        return _call_method(node, function, frame)
    if isinstance(function, tree.Name):
        return _call_function(node, function.id, frame)
    callee = _evaluate_callee(function, frame)
    if operations.is_callable(callee) or frame.program.dependence.on_any(callee):
        return apply(callee, node, values(node, frame), frame)
    if (found := _of_table(callee, node, frame)) is not None:
        return found
    if (found := known_calls.of_value(callee, node, values(node, frame), frame)) is not None:
        return found
    if (found := _getter_made_here(node, function, frame)) is not None:
        return found
    values(node, frame)
    return Opaque(frame.text(node))


def _evaluate_callee(function: Node, frame: Frame) -> Value:
    """Return the function that is called; C's `(*f)(x)` is `f(x)`."""
    callee = frame.evaluate(function)
    if not operations.is_callable(callee) and isinstance(function, tree.Index):
        pointed = frame.evaluate(function.value)
        if (
            isinstance(function.index, tree.Literal)
            and function.index.value == 0
            and operations.is_callable(pointed)
        ):
            return pointed
    return callee


def _of_table(callee: Value, node: tree.Call, frame: Frame) -> Value | None:
    """Return what a table's `get` gives that is held as a value:
    `np.vectorize(points.get)(people["gender"])`.
    """
    given = values(node, frame) if isinstance(callee, Table) else ()
    if not given:
        return None
    default = given[1] if len(given) > 1 else MISSING if has_tables(frame) else Const(None)
    return operations.lookup(callee, given[0], default, node, frame)


def _getter_made_here(node: tree.Call, function: Node, frame: Frame) -> Value | None:
    """`attrgetter("gender")(person)`."""
    if not (isinstance(function, tree.Call) and len(function.arguments) == 1 and node.arguments):
        return None
    key = function.arguments[0]
    called = qualified_names.qualified_name(function.function, frame)
    if not (isinstance(key, tree.Literal) and isinstance(key.value, str)):
        return None
    if "makes getter" not in may_do(function, called, frame.program):
        return None
    return reads.read_by_identifier(key.value, node, frame, frame.text(node.arguments[0]))


# ------------------------------------------------------------------------------------------------ functions


def _call_function(node: tree.Call, name: str, frame: Frame) -> Value:
    callee = frame.variables.get(name) or frame.program.globals.get(name)
    if callee is None and (local := frame.program.definitions.functions.get(name)) is not None:
        callee = Closure(local)
    if isinstance(callee, Choice | Lookup) and (
        operations.is_callable(callee) or frame.program.dependence.on_any(callee)
    ):
        return apply(callee, node, values(node, frame), frame)
    if isinstance(callee, Closure):
        return inline(callee, node, values(node, frame), frame)
    if (found := _of_table(callee, node, frame) if callee is not None else None) is not None:
        return found
    is_own_class = name in frame.program.conventions.receivers and frame.program.is_class(frame.owner)
    if is_own_class and (callee is None or isinstance(callee, Opaque)):
        return instance(frame.owner, node, values(node, frame), frame)  # `cls(**loaded)`
    if isinstance(callee, RecordType):
        return instances.made_by(callee, node, values(node, frame), frame)
    return _named_function(node, qualified_names.qualified_name(node.function, frame), name, frame)


def _part_of_group(node: tree.Call, called: str, arguments: tuple[Value, ...], frame: Frame) -> Value | None:
    """Return some of a group, by a function: `heapq.nlargest(5, women, key=score)`, `random.sample(group,
    5)`.
    """
    entries = [found.entry for found in may_be(node, called, frame.program)]
    takes = any(
        "picks" in one.does and ("orders" not in one.does or one.given.get("form") == orderings.FIRST)
        for one in entries
    )
    for value in arguments if takes else ():
        if (key := norms.key_of(value, frame)) is not None:
            return norms.first_of(value, key, UNKNOWN, node)
    return None


def _named_function(node: tree.Call, called: str, name: str, frame: Frame) -> Value:
    """Return what a function gives that is `called` so, as far as imports tell, and `name` here."""
    called = called or qualified_names.star_import_name(name, frame)
    arguments = values(node, frame)
    last = called.rpartition(".")[2] or name
    if called and qualified_names.is_other_package(qualified_names.package_of(called), frame):
        frame.emit("call", node, Sequence(arguments, node), name)
        return reads.by_name(name, node, frame, arguments)
    if frame.program.group_parts and (found := _part_of_group(node, called, arguments, frame)) is not None:
        return found
    if (found := _value_by_library(node, None, arguments, frame)) is not None:
        return found
    if (member := instances.member(name, node, arguments, frame)) is not None:
        return member
    if name in frame.program.definitions.types:
        is_class = frame.program.is_class(name)
        return instance(name, node, arguments, frame) if is_class else Opaque(frame.text(node))
    if not is_of_numbers(called, frame.program):
        _record_call(node, last, arguments, frame)
    return reads.by_name(last, node, frame, arguments)


# ------------------------------------------------------------------------------------------------ methods


def _call_method(node: tree.Call, function: tree.Field, frame: Frame) -> Value:
    name = function.name
    receiver = frame.text(function.value)
    before = len(frame.events)
    if (found := _own_method(node, function, receiver, frame)) is not None:
        _taught_itself(node, function, before, frame)
        return found
    module = qualified_names.qualified_name(function.value, frame)
    if (found := _of_module(node, name, module, frame)) is not None:
        return found
    path = path_of(function) or ""
    held = frame.variables.get(path) or frame.program.modules.get(path)
    if held is not None and operations.is_callable(held):
        return apply(held, node, values(node, frame), frame)
    base = frame.evaluate(function.value)
    if (found := _of_instance(node, name, base, frame)) is not None:
        _taught_itself(node, function, before, frame)
        return found
    return _on_value(node, function, base, frame)


def _taught_itself(node: tree.Call, function: tree.Field, before: int, frame: Frame) -> None:
    """Note that a model that the project has written itself: what its `fit` is given reached no other model
    there.
    """
    if not has_tables(frame) or frame.program.conventions.is_receiver(frame.text(function.value)):
        return
    if TEACHES.isdisjoint(may_do(node, "", frame.program)):
        return
    inside = [event for event in frame.events[before:] if event.kind == "learn"]
    if inside and frame.program.models.find(qualified_names.qualified_name(function, frame)) is not None:
        frame.events[before:] = [event for event in frame.events[before:] if event.kind != "learn"]
        inside = []  # what a library does within is its own affair
    if not inside:
        _value_by_library(node, frame.evaluate(function.value), values(node, frame), frame)


def _on_value(node: tree.Call, function: tree.Field, base: Value, frame: Frame) -> Value:
    """Return what a method that is no function of this file gives."""
    name, receiver = function.name, frame.text(function.value)
    called = qualified_names.qualified_name(function, frame)
    deeds = may_do(node, called, frame.program)
    if qualified_names.OBJECT in called and isinstance(base, Protected):
        deeds |= texts_do(name, frame.program)  # whoever made the record, its field may be a text
    if (found := _first_in_order(node, function, base, deeds, frame)) is not None:
        return found
    arguments = values(node, frame)
    container_elements.extend_list(function, base, arguments, frame)
    if "gathers all" in deeds:
        table_changes.update_table(function, node, base, arguments[0] if arguments else None, frame)
    if (given := table_changes.by_method(function, node, base, arguments, frame)) is not None:
        return given
    if has_tables(frame):
        row_by_row.append_to_row(function, base, arguments, frame)
    if (found := _known_of_rows(node, base, arguments, deeds, frame)) is not None:
        return found
    if isinstance(base, Columns):
        table_methods.named_in(node, base, arguments, frame)
    if isinstance(base, Protected | Choice | Lookup | Operation | Sequence) and "stays" in deeds:
        return base
    if isinstance(base, Filtered | Sorted) and (found := _of_people(node, deeds, base, receiver, frame)):
        return found
    if "runs query" in deeds and arguments and isinstance(arguments[0], Filtered | Sorted):
        return arguments[0]
    if (found := selections.update_membership(node, deeds, receiver, arguments, frame)) is not None:
        return found
    _record_call(node, f"{receiver}.{name}", arguments, frame)
    if isinstance(base, Protected | Choice) and name in {"year", "total_seconds"}:
        return base
    return reads.by_name(name, node, frame, arguments)


def _record_call(node: tree.Call, target: str, arguments: tuple[Value, ...], frame: Frame) -> None:
    """Record a call; one that decides by its name with what each lambda that it is handed answers of a
    person: `rules.eligibility(people, [(lambda p: p.age < 30, "too old")])`.
    """
    frame.emit("call", node, Sequence(arguments, node), target)
    if not any(isinstance(one, Closure | Sequence) for one in arguments):
        return
    if not decides(target.rpartition(".")[2]):
        return
    handed = list(arguments)
    seen: set[int] = set()  # a list that holds one list twice, and so on, has more ways than parts
    while handed:
        one = handed.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        match one:
            case Closure(function=tree.Lambda(parameters=(person,)) as test) as asked:
                answer = inline(asked, node, (Opaque(person.name),), frame)
                frame.emit("call", test, Sequence((answer,), node), target)
            case Sequence(items=items):
                handed.extend(items)
            case _:
                pass


def _first_in_order(
    node: tree.Call, function: tree.Field, base: Value, deeds: frozenset[str], frame: Frame
) -> Value | None:
    """Return some of each group, people in an order, or the first of them."""
    if "picks within" in deeds and (found := groups.group_selection(node, frame)) is not None:
        return found
    return orderings.sort(node, function, base, frame) if "orders" in deeds else None


def _known_of_rows(
    node: tree.Call, base: Value, arguments: tuple[Value, ...], deeds: frozenset[str], frame: Frame
) -> Value | None:
    """Return what is known of a call; what gives each row a figure of its group tells groups apart at least
    so.
    """
    found = _value_by_library(node, base, arguments, frame)
    if "ranks within" in deeds and (found is None or not frame.program.dependence.on_any(found)):
        return groups.rank_in_group(node, frame) or found
    return found


def _of_instance(node: tree.Call, name: str, base: Value, frame: Frame) -> Value | None:
    """Return what a method, or a function in a field, of an instance that the code made gives."""
    if (callee := instances.methods(base, name, frame)) is not None:
        return apply(callee, node, (frame.program.itself, *values(node, frame)), frame)
    callee = instances.fields(base, name, frame)
    is_called = callee is not None and operations.is_callable(callee)
    return apply(callee, node, values(node, frame), frame) if callee is not None and is_called else None


def _value_by_library(
    node: tree.Call, base: Value | None, arguments: tuple[Value, ...], frame: Frame
) -> Value | None:
    """Return what is known of a call by the model of its library."""
    for found in call_entries(node, base, frame):
        if found.entry.does:
            frame.program.found.setdefault(id(node), (node, found))
        if (value := known_calls.apply(Invocation(node, base, arguments, frame, found))) is not None:
            if found.entry.does:
                frame.program.found[id(node)] = (node, found)
            return value
    return None


def _of_module(node: tree.Call, name: str, module: str, frame: Frame) -> Value | None:
    """Return a function of a module, by its qualified name."""
    called = f"{module}.{name}" if module else ""
    found = frame.program.models.find(called) if called else None
    if found is not None and not found.entry.is_method:
        return _named_function(node, called, name, frame)
    if found is not None and "table" in found.entry.does:
        return None  # `pd.DataFrame.from_dict(row)`: a method of a class, which makes one
    return reads.by_name(name, node, frame) if is_of_numbers(called, frame.program) else None


def _of_people(
    node: tree.Call, deeds: frozenset[str], base: Filtered | Sorted, receiver: str, frame: Frame
) -> Value | None:
    """Return what a method of a selection or of ordered people gives."""
    if isinstance(base, Sorted) and "takes first" in deeds:
        frame.emit("rank", base.node, base, receiver)
        return Opaque(frame.text(node))
    if "stores" in deeds and node.arguments:
        norms.kept_as(base, frame.variables.last_value_of(node.arguments[0]), frame)
    if not deeds.isdisjoint(SAME_PEOPLE):
        return base
    return selections.changed_at_once(node, base, frame) if isinstance(base, Filtered) else None


def _own_method(node: tree.Call, function: tree.Field, receiver: str, frame: Frame) -> Value | None:
    """Return a method of this file's class, called on `self`, the class, or a variable of its type."""
    owner, conventions = "", frame.program.conventions
    if conventions.is_receiver(receiver):
        owner = frame.owner
    elif receiver in frame.program.definitions.types:
        owner = receiver
    if not owner:
        own = instances.method(function, frame)
        itself = frame.program.itself
        if own is not None and instances.holds_tables(frame.evaluate(function.value)):
            return None  # it knows more than its class
        return None if own is None else inline(own, node, (itself, *values(node, frame)), frame)
    found = frame.program.definitions.method(owner, function.name)
    if found is None:
        return None
    decorators = found.function.decorators
    is_static = any(frame.text(decorator) in conventions.static for decorator in decorators)
    closure = Closure(found.function, frame.program.homes.get(found.owner, {}), found.owner)
    arguments = values(node, frame)
    if not is_static and conventions.is_receiver(receiver):
        arguments = (frame.program.itself, *arguments)
    return inline(closure, node, arguments, frame)
