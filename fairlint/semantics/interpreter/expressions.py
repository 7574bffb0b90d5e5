"""Expressions to symbolic values."""

from __future__ import annotations

from collections.abc import Callable

from fairlint.lexicon.model import Mention
from fairlint.records import replace
from fairlint.semantics import container_elements, instances, names, operations, reads, texts
from fairlint.semantics.facts import Call
from fairlint.semantics.frame import Frame
from fairlint.semantics.interpreter import calls
from fairlint.semantics.paths import dotted_name, path_of
from fairlint.semantics.tables import data_frames, gradients
from fairlint.semantics.tables.libraries import has_tables
from fairlint.semantics.values import (
    UNKNOWN,
    Choice,
    Closure,
    Columns,
    Const,
    Each,
    Filtered,
    Instance,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Sorted,
    Table,
    Value,
)
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

TRANSPARENT_FIELDS = frozenset(
    {
        "days",
        "years",
        "valuestring",
        "valueint",
        "value",
        "name",
        "str",
        "cat",
        "codes",
        "values",
        "lower",
        "upper",
        "dt",
        "iloc",
        "loc",
        "iat",
        "at",
    }
)
"""Fields that give the same thing in another form (`applicant.gender.value`, `df["sex"].str`)."""


def evaluate(node: Node | None, frame: Frame) -> Value:
    """The symbolic value of the expression `node`, which is found once as long as no variable changes."""
    if node is None:
        return Const(None)
    handler = _HANDLERS.get(type(node))
    if handler is None:
        return UNKNOWN
    if (known := frame.variables.value_of(node)) is not None:
        return known
    if not frame.program.step(node):
        return UNKNOWN
    value = handler(node, frame)
    frame.variables.keep(node, value)
    if not frame.calls:
        frame.program.facts.values[id(node)] = (node, value)
    return value


# ------------------------------------------------------------------------------------------------ leaves


def _name(node: tree.Name, frame: Frame) -> Value:
    program = frame.program
    if (known := frame.variables.get(node.id)) is not None:
        return known
    if (known := program.globals.get(node.id)) is not None:
        return known
    definitions = program.definitions
    if (member := definitions.members.get(node.id)) is not None:
        return member
    if (macro := definitions.macros.get(node.id)) is not None:
        return _macro(node.id, macro, frame)
    if (function := definitions.functions.get(node.id)) is not None:
        return Closure(function)
    type_ = frame.types.get(node.id, "")
    return (
        reads.mentioned(node.id, node, frame, "", type_)
        or reads.typed(node.id, type_, node, frame)
        or Opaque(node.id)
    )


def _macro(name: str, value: Node, frame: Frame) -> Value:
    if name in frame.calls:
        return Opaque(name)
    known = frame.program.macros.get(name)
    if known is None:
        found = evaluate(value, frame.inlined(name, "", {}))
        known = replace(found, label=found.label or name) if isinstance(found, Const) else found
        frame.program.macros[name] = known
    return known


def _literal(node: tree.Literal, frame: Frame) -> Value:
    del frame
    value = node.value
    return Const(value.decode("utf-8", "replace") if isinstance(value, bytes) else value, "", node)


def _interpolation(node: tree.Interpolation, frame: Frame) -> Value:
    return texts.joined([(evaluate(part, frame), part) for part in node.parts], node)


# ------------------------------------------------------------------------------------------------ access


def _field(node: tree.Field, frame: Frame) -> Value:
    path = path_of(node)
    program = frame.program
    if path is not None:
        if (known := frame.variables.get(path) or program.modules.get(path)) is not None:
            return known
        if (member := program.definitions.members.get(path)) is not None:
            return member
    receiver, own = frame.text(node.value), program.conventions.own(node.name)
    if receiver in program.conventions.receivers and frame.owner:
        values = program.class_values.get(frame.owner, {})
        if (known := values.get(own) or instances.field(node, frame)) is not None:
            return known
    elif (
        receiver in program.class_values and (known := program.class_values[receiver].get(own)) is not None
    ) or (known := instances.field(node, frame)) is not None:
        return known
    base = evaluate(node.value, frame)
    if isinstance(base, Const) and base.label and node.name in {"value", "name"}:
        return base
    if isinstance(base, Protected | Choice | Lookup) and node.name in TRANSPARENT_FIELDS:
        return base
    if isinstance(base, Protected) and base.mention.form == "date" and node.name in {"year", "tm_year"}:
        return base
    if isinstance(base, Filtered | Sorted) and node.name in {"iloc", "loc", "index", "values"}:
        return base
    if isinstance(base, Columns) and node.name in data_frames.FIELDS:
        return data_frames.field(base, node)
    if (made := data_frames.derived(base, node.name)) is not None:
        return made
    type_ = instances.type_of(node.value, frame)
    if isinstance(base, Table):
        return operations.lookup(base, Const(node.name), None, node, frame)
    if (
        isinstance(base, Lookup | Choice | Instance)
        and (found := instances.fields(base, node.name, frame)) is not None
    ):
        return found
    if isinstance(base, Lookup | Choice) and not isinstance(base, Protected):
        inner = _index_into(base, Const(node.name), node, frame)
        if not isinstance(inner, Opaque):
            return inner
    own_type = instances.type_of(node, frame)
    found = reads.mentioned(node.name, node, frame, receiver, type_) or reads.typed(
        node.name, own_type, node, frame, receiver
    )
    if isinstance(found, Protected) and isinstance(base, Columns | Filtered):
        data_frames.note_read(base, node.name, node, frame)
    if found is None and (owner := names.name_of(base) or names.type_of_value(base)):
        return Opaque(path or frame.text(node), names.member(owner, node.name))
    return found or Opaque(path or frame.text(node))


def _index(node: tree.Index, frame: Frame) -> Value:
    path = path_of(node)
    if path is not None and (known := frame.variables.get(path)) is not None:
        if isinstance(known, Sorted) and not isinstance(node.value, tree.Index):
            frame.emit("rank", known.node, known, frame.text(node.value))
        return known
    base = evaluate(node.value, frame)
    if isinstance(node.index, tree.Slice):
        return _slice(node, base, frame)
    index = evaluate(node.index, frame)
    if isinstance(index, Closure) and has_tables(frame):
        index = data_frames.asked_of(index, base, node, frame)
    if (
        isinstance(base, Each | Choice)
        and not operations.is_mask(index)
        and (inside := container_elements.element(base)) is not None
    ):
        return inside
    if isinstance(base, Sorted):
        if isinstance(index, Sequence):
            return base  # some columns of all people
        frame.emit("rank", base.node, base, frame.text(node.value))
        return Opaque(frame.text(node))
    if (table := data_frames.index(node, base, index, frame)) is not None:
        return table
    if isinstance(base, Protected) and not isinstance(index, Protected):
        return base  # its first letter, or the place of a person in a column
    if isinstance(index, Const) and isinstance(index.value, str):
        if (made := data_frames.derived(base, index.value)) is not None:
            return made
        receiver = frame.text(node.value)
        if isinstance(base, Table):
            found = instances.record_field(base, index, node, frame, node.value)
        else:
            found = reads.mentioned(index.value, node, frame, receiver, instances.type_of(node.value, frame))
        if (
            isinstance(found, Protected)
            and found.mention.group not in {None, "yes", "no"}
            and not _names_both(found.mention, frame)
            and frame.program.vocabulary.group_of(found.mention.attribute, index.value) is not None
        ):
            found = None  # `mean["female"]` reads a table by group; `row["is_female"]` reads a person
        found = reads.named_at(found, index, node.index)
        if found is not None:
            if isinstance(found, Protected):
                data_frames.note_read(base, index.value, node, frame)
            return found
    if isinstance(base, Table | Sequence):
        return operations.lookup(base, index, None, node, frame)
    if isinstance(base, Choice | Lookup):
        return _index_into(base, index, node, frame)
    mask = operations.mask_of(index)
    if mask is not None:
        return Filtered(base, mask, node)
    if (
        isinstance(index, Sequence)
        and index.items
        and (mask := operations.mask_of(index.items[0])) is not None
    ):
        return Filtered(base, mask, node)
    if isinstance(index, Protected) and isinstance(base, Opaque):
        if isinstance(node.index, tree.Name) and frame.program.is_person(
            frame.text(node.value), index.mention
        ):
            return Protected(index.mention, node, frame.text(node.value))
        return Lookup(index, Table((), node.value, frame.text(node.value)), None, node)
    if isinstance(index, Const) and isinstance(index.value, str | int):
        return Opaque(f"{frame.text(node.value)}[{index.value!r}]")
    return Opaque(frame.text(node))


def _names_both(mention: Mention, frame: Frame) -> bool:
    """Whether a name says which attribute it is about, too: the column `gender_male`, and not `male`."""
    mentions = frame.program.vocabulary.mentions
    return any(
        other.attribute == mention.attribute and other.group is None
        for word in mention.identifier.split("_")
        for other in mentions(word)
    )


def _index_into(base: Value, index: Value, node: Node, frame: Frame) -> Value:
    """Indexing a value that depends on a group: each possible table is read by the same index."""
    if not frame.program.dependence.on_any(base):
        return Opaque(frame.text(node))
    other = Opaque(frame.text(node))
    done: dict[int, Value] = {}

    def into(value: Value) -> Value:
        found = done.get(id(value))
        if found is None:
            found = done[id(value)] = read(value)
        return found

    def read(value: Value) -> Value:
        match value:
            case Table() | Sequence():
                return operations.lookup(value, index, None, node, frame)
            case Choice(test=test, then=then, otherwise=otherwise, node=site):
                return Choice(test, into(then), into(otherwise), site)
            case Lookup(subject=subject, table=table, default=default, node=site):
                entries = tuple((key, into(held)) for key, held in table.entries)
                return Lookup(subject, Table(entries, table.node, table.name, table.fallback), default, site)
            case _:
                return other

    return into(base)


def _slice(node: tree.Index, base: Value, frame: Frame) -> Value:
    upper = node.index.upper if isinstance(node.index, tree.Slice) else None
    if upper is not None and not isinstance(upper, tree.Literal) and not isinstance(base, Protected):
        bound = evaluate(upper, frame)
        if frame.program.dependence.on_any(bound):  # so many of each group: `members[:places[group]]`
            frame.emit("assign", node, bound, frame.text(upper))
    if isinstance(base, Sorted):
        frame.emit("rank", base.node, base, frame.text(node.value))
        return Opaque(frame.text(node))
    if isinstance(base, Filtered | Protected | Sequence | Columns | Each):
        return base
    return Opaque(frame.text(node))


# ------------------------------------------------------------------------------------------------ operators


def _compare(node: tree.Compare, frame: Frame) -> Value:
    left, right = evaluate(node.left, frame), evaluate(node.right, frame)
    if node.op in {"==", "!="}:
        left = _compared_with_group(left, right, node.left, frame)
        right = _compared_with_group(right, left, node.right, frame)
    return operations.compare(node.op, left, right, node)


def _compared_with_group(value: Value, other: Value, node: Node, frame: Frame) -> Value:
    """What is compared with the constant of a group (`s == MALE`) holds the attribute, whatever its name."""
    if not isinstance(value, Opaque) or path_of(node) is None:
        return value
    flag = _group_constant(other, frame)
    if flag is None or flag.group is None:
        return value
    mention = Mention(flag.attribute, frame.text(node), flag.words, "ambiguous", "value")
    return Protected(mention, node)


def _bool_op(node: tree.BoolOp, frame: Frame) -> Value:
    return operations.combine(node.op, [evaluate(value, frame) for value in node.values], node)


def _unary(node: tree.Unary, frame: Frame) -> Value:
    operand = evaluate(node.operand, frame)
    match node.op:
        case "not":
            return operations.negate(operand, node)
        case "~":
            return (
                operations.negate(operand, node) if operations.mask_of(operand) else Opaque(frame.text(node))
            )
        case "-":
            if isinstance(operand, Const) and isinstance(operand.value, int | float):
                return Const(-operand.value)
            return Operation("neg", (operand,), node)
        case _:
            return operand


def _binary(node: tree.Binary, frame: Frame) -> Value:
    spine: list[tree.Binary] = []
    left: Node = node
    while isinstance(left, tree.Binary):
        spine.append(left)
        left = left.left
    value = evaluate(left, frame)
    for part in reversed(spine):
        right = evaluate(part.right, frame)
        flag = _group_constant(right, frame) or _group_constant(value, frame) if part.op == "&" else None
        if flag is not None and not (operations.mask_of(value) or operations.mask_of(right)):
            value = Protected(flag, part, frame.text(part.left))  # `flags & FLAG_FEMALE`
        elif part.op == "%" and texts.is_text(value):
            value = _printed(value, right, part)
        else:
            if part.op == "@":
                gradients.product(part, frame)
            value = operations.arithmetic(part.op, value, right, part)
    return value


def _printed(form: Value, given: Value, node: tree.Binary) -> Value:
    """`form % given`: of a tuple, of a dict by its keys, or of one value."""
    match given:
        case Table(entries=entries):
            named = {
                key.value: (value, texts.place_of(value) or node.right)
                for key, value in entries
                if isinstance(key, Const) and isinstance(key.value, str)
            }
            return texts.printed_by_name(form, named, node)
        case Sequence(items=items) if isinstance(node.right, tree.Collection):
            written = [item.value for item in node.right.items]
            return texts.printed(form, zip(items, written, strict=False), node)
        case Sequence(items=items):
            return texts.printed(form, [(item, texts.place_of(item) or node.right) for item in items], node)
        case _:
            return texts.printed(form, [(given, node.right)], node)


def _group_constant(value: Value, frame: Frame) -> Mention | None:
    """The group that a named constant stands for by its name."""
    if not (isinstance(value, Const) and value.label):
        return None
    mention = reads.mention_of(value.label, frame)
    return mention if mention is not None and mention.group is not None else None


def _conditional(node: tree.Conditional, frame: Frame) -> Value:
    test = evaluate(node.test, frame)
    then, otherwise = evaluate(node.then, frame), evaluate(node.otherwise, frame)
    return Choice(test, then, otherwise, node)


# ------------------------------------------------------------------------------------------------ collections


def _collection(node: tree.Collection, frame: Frame) -> Value:
    if node.kind == "dict" or any(item.key is not None for item in node.items):
        entries: list[tuple[Value, Value]] = []
        for item in node.items:
            value = evaluate(item.value, frame)
            if item.key is None:
                if isinstance(value, Table):
                    entries.extend(value.entries)
                continue
            entries.append((evaluate(item.key, frame), value))
        fallback = Const(0) if node.kind == "struct" else None
        return Table(tuple(entries), node, fallback=fallback)
    items: list[Value] = []
    for item in node.items:
        value = evaluate(item.value, frame)
        if isinstance(item.value, tree.Star) and isinstance(value, Sequence):
            items.extend(value.items)
        else:
            items.append(value)
    return Sequence(tuple(items), node)


def _star(node: tree.Star, frame: Frame) -> Value:
    return evaluate(node.value, frame)


def _lambda(node: tree.Lambda, frame: Frame) -> Value:
    return Closure(node, dict(frame.variables), frame.owner)


def _comprehension(node: tree.Comprehension, frame: Frame) -> Value:
    if len(node.generators) == 1:
        generator = node.generators[0]
        gone_through = evaluate(generator.iterable, frame)
        if (table := data_frames.comprehension(node, generator, gone_through, frame)) is not None:
            return table
        entries = operations.entries_of(gone_through)
        if entries is not None and not generator.conditions:
            values = []
            for entry in entries:
                inner = scope(frame)
                bind(generator.target, entry, inner)
                values.append(evaluate(node.element, inner))
            return Sequence(tuple(values), node)
        if entries and (kept := _known_to_pass(node, generator, entries, frame)) is not None:
            return kept
    inner = scope(frame)
    people: Value = UNKNOWN
    tests: list[Value] = []
    for place, generator in enumerate(node.generators):
        people = evaluate(generator.iterable, inner if place else frame)
        if isinstance(generator.target, tree.Name):
            inner.types = {**inner.types, generator.target.id: frame.text(generator.iterable)}
        bind(generator.target, element_of(people, generator.target, inner), inner)
        tests.extend(evaluate(condition, inner) for condition in generator.conditions)
    element = evaluate(node.element, inner)
    if tests:
        return Filtered(
            people if isinstance(people, Filtered) else element, operations.combine("and", tests, node), node
        )
    tells = frame.program.dependence.on_any(element)
    if isinstance(people, Filtered) or (isinstance(people, Sorted) and not tells):
        return people
    if (rows := data_frames.rows_of(element, node, frame)) is not None:
        return rows
    if (isinstance(element, Sequence | Table) and tells) or texts.is_text(element):
        return Each(element, node)
    return element if isinstance(element, Choice | Lookup | Operation) else Opaque(frame.text(node))


def _known_to_pass(
    node: tree.Comprehension, generator: tree.Generator, entries: tuple[Value, ...], frame: Frame
) -> Sequence | None:
    """The entries that pass, where every condition is decided: `[name for name in NAMES if name != "a"]`."""
    values: list[Value] = []
    for entry in entries:
        inner = scope(frame)
        bind(generator.target, entry, inner)
        tests = [evaluate(condition, inner) for condition in generator.conditions]
        test = operations.combine("and", tests, node)
        unclear = not isinstance(test, Const) or bool(test.label)
        if unclear and not _asks_for_column(test) and not _is_name_of_column(entry, test, frame):
            return None
        if unclear or (isinstance(test, Const) and test.value):
            values.append(evaluate(node.element, inner))
    return Sequence(tuple(values), node)


def _is_name_of_column(entry: Value, test: Value, frame: Frame) -> bool:
    """Whether one of some names may pass a test about anything else: an option, a study's suggestion."""
    is_name = isinstance(entry, Const) and isinstance(entry.value, str)
    return is_name and has_tables(frame) and not frame.program.dependence.on_any(test)


def _asks_for_column(test: Value) -> bool:
    """Whether a test only asks if a table has a column, which it mostly has."""
    return isinstance(test, Operation) and test.op == "in" and isinstance(test.arguments[1], Columns)


def scope(frame: Frame) -> Frame:
    """A frame with its own variables and everything else shared."""
    inner = frame.inlined(frame.function, frame.owner, frame.variables)
    inner.calls, inner.types = frame.calls, frame.types
    return inner


def element_of(people: Value, target: Node, frame: Frame) -> Value:
    """What a loop variable stands for."""
    if (inside := container_elements.element(people)) is not None:
        return inside
    name = path_of(target)
    if name is None:
        return UNKNOWN
    return reads.mentioned(name, target, frame) or Opaque(name)


def bind(target: Node, value: Value, frame: Frame) -> None:
    """Gives `value` to the variable, or the tuple of variables, `target`."""
    match target:
        case tree.Collection(items=items):
            held = tuple(value.fields.values()) if isinstance(value, Instance) else ()
            held = value.items if isinstance(value, Sequence) else held
            if held and len(held) == len(items):
                for item, part in zip(items, held, strict=True):
                    bind(item.value, part, frame)
            else:
                for item in items:
                    bind(item.value, element_of(value, item.value, frame), frame)
        case tree.Star(value=inner):
            bind(inner, UNKNOWN, frame)
        case _:
            if (path := path_of(target)) is not None:
                frame.variables[path] = value


# ------------------------------------------------------------------------------------------------ the rest


def _assignment(node: tree.Assign, frame: Frame) -> Value:
    from fairlint.semantics.interpreter.statements import execute_assign  # noqa: PLC0415 (statements stand on expressions)

    execute_assign(node, frame)
    return evaluate(node.targets[0], frame) if node.targets else UNKNOWN


def _cast(node: tree.Cast, frame: Frame) -> Value:
    return evaluate(node.value, frame)


def _call(node: tree.Call, frame: Frame) -> Value:
    value = calls.evaluate_call(node, frame)
    last = frame.variables.last_value_of
    keywords = {key or "**": last(given) or evaluate(given, frame) for key, given in node.keywords}
    if frame.is_recorded and frame.alive:
        function = node.function
        receiver = last(function.value) if isinstance(function, tree.Field) else None
        arguments = tuple([last(given) or evaluate(given, frame) for given in node.arguments])
        frame.program.facts.calls.append(
            Call(
                node,
                dotted_name(function),
                names.qualified(function, frame),
                receiver,
                arguments,
                keywords,
                value,
                frame.guards,
                frame.function,
                frame.run,
                frame.way,
            )
        )
    return value


def _children(node: Node, frame: Frame) -> Value:
    for child in tree.children(node):
        evaluate(child, frame)
    return Opaque(frame.text(node)[:200])


_HANDLERS: dict[type[Node], Callable[..., Value]] = {
    tree.Name: _name,
    tree.Literal: _literal,
    tree.Interpolation: _interpolation,
    tree.Field: _field,
    tree.Index: _index,
    tree.Call: _call,
    tree.Compare: _compare,
    tree.BoolOp: _bool_op,
    tree.Unary: _unary,
    tree.Binary: _binary,
    tree.Conditional: _conditional,
    tree.Collection: _collection,
    tree.Star: _star,
    tree.Lambda: _lambda,
    tree.Comprehension: _comprehension,
    tree.Assign: _assignment,
    tree.Cast: _cast,
    tree.Other: _children,
    tree.Broken: _children,
}
