"""Expressions to symbolic values."""

from __future__ import annotations

from collections.abc import Callable
from zlib import crc32

from fairlint.semantics.interpreter import (
    access,
    calls,
    designated,
    reads,
    struct_rows,
    typed_numbers,
    whole_tests,
)
from fairlint.semantics.interpreter.comparisons import evaluate_bool_op, evaluate_comparison
from fairlint.semantics.interpreter.comprehensions import evaluate_comprehension
from fairlint.semantics.interpreter.container_elements import element_of
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.interpreter.operators import evaluate_binary, evaluate_unary
from fairlint.semantics.names import qualified_names
from fairlint.semantics.names.scopes import type_name
from fairlint.semantics.tables import chained, columns
from fairlint.semantics.tables.libraries import has_tables
from fairlint.semantics.texts import text_values
from fairlint.semantics.values.facts import Call
from fairlint.semantics.values.paths import dotted_name, path_of
from fairlint.semantics.values.symbolic import (
    UNKNOWN,
    Choice,
    Closure,
    Const,
    Instance,
    Opaque,
    Sequence,
    Table,
    TypedParameter,
    Value,
)
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.depth import TOO_DEEP, nesting
from fairlint.syntax.tree import Node

LONGEST_KEY = 190
"""Characters of an expression that say what an unknown value is; of a longer one, a hash says the rest."""


def evaluate(node: Node | None, frame: Frame) -> Value:
    """Return the symbolic value of the expression `node`, which is found once as long as no
    variable changes.
    """
    if node is None:
        return Const(None)
    handler = _HANDLERS.get(node.__class__)
    if handler is None:
        return UNKNOWN
    variables = frame.variables
    known = variables.found.get(id(node))
    if known is not None and known[2] == variables.state:
        return known[1]
    if not frame.program.step(node):
        return UNKNOWN
    value = handler(node, frame)
    variables = frame.variables
    variables.found[id(node)] = (node, value, variables.state)
    if frame.is_recorded or not frame.calls:
        frame.program.facts.note(node, value, own=not frame.calls)
    return value


# ------------------------------------------------------------------------------------------------ leaves


def _evaluate_name(node: tree.Name, frame: Frame) -> Value:
    program = frame.program
    if (known := variable_value(node.id, frame)) is not None:
        return known
    definitions = program.definitions
    if (member := definitions.members.get(node.id)) is not None:
        return member
    if (macro := definitions.macros.get(node.id)) is not None:
        return macro_value(node.id, macro, frame)
    if (function := definitions.functions.get(node.id)) is not None:
        return Closure(function)
    type_ = frame.types.get(node.id, "")
    found = reads.read_by_identifier(node.id, node, frame, "", type_) or reads.read_by_type(
        node.id, type_, node, frame
    )
    return found or _of_type(node.id, type_name(type_), frame)


def _of_type(name: str, type_: str, frame: Frame) -> Opaque:
    return TypedParameter(name, of=type_) if type_ in frame.program.definitions.types else Opaque(name)


def variable_value(name: str, frame: Frame) -> Value | None:
    """Return what a variable holds, of the function or of the file."""
    known = frame.variables.get(name)
    return frame.program.globals.get(name) if known is None else known


def macro_value(name: str, value: Node, frame: Frame) -> Value:
    """Return what a macro comes to that is a value."""
    if name in frame.calls or frame.program.is_open(name):
        return Opaque(name)
    known = frame.program.macros.get(name)
    if known is None and len(frame.calls) >= nesting():
        frame.program.facts.cut(value, TOO_DEEP)
        return Opaque(name)
    if known is None:
        found = evaluate(value, frame.inlined(name, "", {}))
        known = replace(found, label=found.label or name) if isinstance(found, Const) else found
        frame.program.macros[name] = known
    return known


def _evaluate_literal(node: tree.Literal, frame: Frame) -> Value:
    del frame
    value = node.value
    return Const(value.decode("utf-8", "replace") if isinstance(value, bytes) else value, "", node)


def _evaluate_interpolation(node: tree.Interpolation, frame: Frame) -> Value:
    return text_values.join_values([(evaluate(part, frame), part) for part in node.parts], node, node)


# ------------------------------------------------------------------------------------------------ choices


def _evaluate_conditional(node: tree.Conditional, frame: Frame) -> Value:
    if (known := typed_numbers.constant(node, frame)) is not None:
        return known
    test = whole_tests.truth(evaluate(node.test, frame), node.test, frame)
    then, otherwise = evaluate(node.then, frame), evaluate(node.otherwise, frame)
    if isinstance(test, Const) and not test.label and isinstance(test.value, bool):
        return then if test.value else otherwise
    return Choice(test, then, otherwise, node)


# ------------------------------------------------------------------------------------------------ collections


def _evaluate_collection(node: tree.Collection, frame: Frame) -> Value:
    spread_out: list[Value] = []
    made = _written_out(node, spread_out, frame)
    frame.note(node, made, tuple(spread_out))
    return made


def _written_out(node: tree.Collection, spread_out: list[Value], frame: Frame) -> Value:
    if node.kind == "struct" and any(item.key is not None for item in node.items):
        return designated.table(node, frame)
    if node.kind == "dict" or any(item.key is not None for item in node.items):
        entries: list[tuple[Value, Value]] = []
        for item in node.items:
            value = evaluate(item.value, frame)
            if item.key is None:
                spread_out.append(value)
                if isinstance(value, Table):
                    entries.extend(value.entries)
                continue
            entries.append((evaluate(item.key, frame), value))
        return Table(_last_of_each(entries), node)
    items: list[Value] = []
    for item in node.items:
        value = evaluate(item.value, frame)
        if isinstance(item.value, tree.Star) and isinstance(value, Sequence):
            spread_out.append(value)
            items.extend(value.items)
        else:
            items.append(value)
    items = designated.fill_with_zeros(node, items) if node.places else items
    return _with_further_names(node, items, frame) or Sequence(tuple(items), node)


def _last_of_each(entries: list[tuple[Value, Value]]) -> tuple[tuple[Value, Value], ...]:
    """Return the entries without those whose key comes again: the last one counts."""
    last = {(key.value, key.label): at for at, (key, _) in enumerate(entries) if isinstance(key, Const)}
    return tuple(
        entry
        for at, entry in enumerate(entries)
        if not isinstance(entry[0], Const) or last[entry[0].value, entry[0].label] == at
    )


def _with_further_names(node: tree.Collection, items: list[Value], frame: Frame) -> Value | None:
    """`["gender", *others]` over columns of which nobody knows the others."""
    if not (node.kind == "list" and node.items and isinstance(node.items[-1].value, tree.Star)):
        return None
    if not (items and isinstance(items[-1], Opaque)) or not has_tables(frame):
        return None
    return columns.joined_names("+", Sequence(tuple(items[:-1]), node), items[-1], node)


def _evaluate_star(node: tree.Star, frame: Frame) -> Value:
    return evaluate(node.value, frame)


def _evaluate_lambda(node: tree.Lambda, frame: Frame) -> Value:
    made = Closure(node, dict(frame.variables), frame.owner)
    if frame.is_recorded and not frame.calls:
        frame.program.lambdas[id(node)] = (made, frame.function)
    return made


def scope(frame: Frame) -> Frame:
    """Return a frame with its own variables and everything else shared."""
    inner = frame.inlined(frame.function, frame.owner, frame.variables)
    inner.calls, inner.types = frame.calls, frame.types
    return inner


def bind(target: Node, value: Value, frame: Frame) -> None:
    """Give `value` to the variable, or the tuple of variables, `target`."""
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


def _evaluate_assignment(node: tree.Assign, frame: Frame) -> Value:
    frame.assign(node)
    return evaluate(node.targets[0], frame) if node.targets else UNKNOWN


def _evaluate_cast(node: tree.Cast, frame: Frame) -> Value:
    if (known := typed_numbers.constant(node, frame)) is not None:
        return known
    value = struct_rows.shape_rows(node, evaluate(node.value, frame), frame)
    return typed_numbers.wrap_difference(
        typed_numbers.convert_to_type(value, node.type, frame), node.type, frame
    )


def _evaluate_call(node: tree.Call, frame: Frame) -> Value:
    if chained.is_lost_call(node, frame):
        for part in (node.function, *node.arguments):
            evaluate(part, frame)
        return Const(None)
    if (known := typed_numbers.of_macro(node, frame)) is not None:
        return known
    value = calls.evaluate_call(node, frame)
    if not frame.is_recorded:
        for _, given in node.keywords:
            evaluate(given, frame)
        return value
    last = frame.variables.last_value_of
    keywords = {key or "**": last(given) or evaluate(given, frame) for key, given in node.keywords}
    if frame.alive:
        function = node.function
        receiver = last(function.value) if isinstance(function, tree.Field) else None
        callee = variable_value(function.id, frame) if isinstance(function, tree.Name) else None
        arguments = tuple([last(given) or evaluate(given, frame) for given in node.arguments])
        call = Call(
            node,
            dotted_name(function),
            qualified_names.qualified_name(function, frame),
            receiver,
            arguments,
            keywords,
            value,
            frame.guards,
            frame.function,
            frame.run,
            frame.way,
            callee,
        )
        frame.program.facts.calls.append(call)
        frame.program.facts.steps.append(call)
    return value


def _evaluate_other(node: tree.Other, frame: Frame) -> Value:
    known = typed_numbers.constant(node, frame)
    if known is not None:
        return known
    if node.kind == "comma_expression" and (children := tree.children(node)):
        return [evaluate(child, frame) for child in children][-1]
    return _evaluate_children(node, frame)


def _evaluate_children(node: Node, frame: Frame) -> Value:
    for child in tree.children(node):
        evaluate(child, frame)
    text = frame.text(node)
    if len(text) > LONGEST_KEY:  # what differs further on is something else
        text = f"{text[:LONGEST_KEY]}… {crc32(text.encode('utf-8', 'replace')):08x}"
    return Opaque(text)


_HANDLERS: dict[type[Node], Callable[..., Value]] = {
    tree.Name: _evaluate_name,
    tree.Literal: _evaluate_literal,
    tree.Interpolation: _evaluate_interpolation,
    tree.Field: access.field,
    tree.Index: access.entry,
    tree.Call: _evaluate_call,
    tree.Compare: evaluate_comparison,
    tree.BoolOp: evaluate_bool_op,
    tree.Unary: evaluate_unary,
    tree.Binary: evaluate_binary,
    tree.Conditional: _evaluate_conditional,
    tree.Collection: _evaluate_collection,
    tree.Star: _evaluate_star,
    tree.Lambda: _evaluate_lambda,
    tree.Comprehension: evaluate_comprehension,
    tree.Assign: _evaluate_assignment,
    tree.Cast: _evaluate_cast,
    tree.Other: _evaluate_other,
    tree.Broken: _evaluate_children,
}
