"""Functions of the same file are followed into their bodies, macros are put in the place of their calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from fairlint.semantics.interpreter import instances, operations, reads, typed_numbers
from fairlint.semantics.interpreter.bodies import execute_body, execute_statements
from fairlint.semantics.interpreter.file_state import MOST_INLINED
from fairlint.semantics.interpreter.frame import MAX_INLINE, Frame
from fairlint.semantics.texts import text_growth, text_values
from fairlint.semantics.values.events import Guard, Guards, along
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    UNKNOWN,
    Choice,
    Closure,
    Const,
    Instance,
    Lookup,
    Opaque,
    Operation,
    Protected,
    Sequence,
    Table,
    Value,
)
from fairlint.support.records import Record, field_names, replace
from fairlint.syntax import tree
from fairlint.syntax.signatures import bind_arguments
from fairlint.syntax.tree import Node

TOO_MUCH = (
    f"more than {MOST_INLINED} calls, or what happens in them, from one function: this one was not followed"
)
MOST_CALCULATED = 20
"""Parts of what a function gives that is followed for its number alone."""
_CALCULATES = (tree.Binary, tree.Unary, tree.Name, tree.Literal)
PATHS = (tree.Name, tree.Field, tree.Index, tree.Literal)
"""What keeps its own place when a macro is put in: the text there says what is read."""


def inline(callee: Closure, node: Node, arguments: tuple[Value, ...], frame: Frame, about: str = "") -> Value:
    """Return the value that a function of this file returns for these arguments, its events recorded on the
    way.

    `about` says whose elements the arguments are (`staff`), where the call does not.
    """
    function, arguments = callee.function, (*callee.given, *arguments)
    name = function.name if isinstance(function, tree.Function) else f"lambda@{function.span.start}"
    if name in frame.calls or len(frame.calls) >= MAX_INLINE:
        if name not in frame.calls and any(map(frame.program.dependence.on_any, arguments)):
            frame.program.facts.cut(node, f"a call was not followed: it is more than {MAX_INLINE} calls deep")
        return Opaque(frame.text(node))
    keywords = {**callee.named, **dict(_keyword_values(node, frame))}
    if isinstance(function, tree.Function):
        if not _is_relevant_call(callee, function, (*arguments, *keywords.values()), node, frame):
            return Opaque(frame.text(node))
        if isinstance(node, tree.Call) and (body := _macro_expansion(function, node, frame)) is not None:
            return _put_in(name, body, node, frame)
    inner = frame.inlined(name, callee.owner or frame.owner, callee.closure, node)
    bound = _parameter_bindings(function.parameters, arguments, keywords)
    given = {one.name: _bind_parameter(one, value, inner, frame, about) for one, value in bound}
    if isinstance(function, tree.Lambda):
        frame.program.applied.add(id(function))
        return inner.evaluate(function.body)
    if not function.body:
        return Opaque(frame.text(node))
    execute_body(function.body, inner)
    _write_back(given, function, node, inner, frame)
    found = merged_returns(inner, frame.guards, node)
    if isinstance(found, Opaque) or (isinstance(found, Const) and found.value is None):
        by_name = reads.by_name(name, node, frame)
        return by_name if isinstance(by_name, Protected) else found
    return found


def _is_relevant_call(
    callee: Closure, function: tree.Function, arguments: tuple[Value, ...], node: Node, frame: Frame
) -> bool:
    """Return whether it matters what a function does with these arguments, or takes next to nothing to find
    out.
    """
    interest = frame.program.interest
    makes_text = interest is not None and interest.makes_text(function.name)
    matters = makes_text or frame.matters(function.name, arguments) or _made_with_group(callee, frame)
    if (matters and frame.program.may_inline(len(frame.events))) or _only_names(function):
        return True
    if all(isinstance(one, Const) for one in arguments) and _only_calculates(function):
        return True
    if matters and any(map(frame.program.dependence.on_any, arguments)):
        frame.program.facts.cut(node, TOO_MUCH)
    return False


def _bind_parameter(
    parameter: tree.Parameter, value: Value | None, inner: Frame, frame: Frame, about: str
) -> Value:
    """Give a parameter what the call, its default or its name says."""
    inner.types[parameter.name] = parameter.type or about or _name_of(value, frame)
    default = None
    if parameter.default is not None:  # what calls the function itself, as broken code may, is not followed
        before, frame.calls = frame.calls, inner.calls
        default = frame.evaluate(parameter.default)
        frame.calls = before
    chosen = value or default or Opaque(parameter.name)
    if isinstance(chosen, Opaque) and not text_values.is_prose(chosen):
        chosen = reads.read_by_identifier(parameter.name, parameter, inner) or chosen
    chosen = typed_numbers.convert_to_type(chosen, parameter.type, frame)
    inner.variables[parameter.name] = chosen
    return chosen


def _write_back(
    given: Mapping[str, Value], function: tree.Function, node: Node, inner: Frame, frame: Frame
) -> None:
    """Note the texts that a function has written into the buffers that it was given, and what it has
    added to a list.
    """
    if not isinstance(node, tree.Call):
        return
    is_buffer = frame.program.conventions.is_buffer
    for parameter, argument in zip(function.parameters, node.arguments, strict=False):
        before, after = given[parameter.name], inner.variables.get(parameter.name)
        path = path_of(argument)
        if path is None or after is None or after is before:
            continue
        is_written = is_buffer(parameter.type) and text_values.may_be_text(after)
        if is_written or (
            text_growth.is_longer(after, before)
            and text_values.place_of(after) is text_values.place_of(before)
        ):
            frame.variables[path] = after


def _only_names(function: tree.Function) -> bool:
    """Return whether a function does no more than to give a constant: `def default_group(): return "M"`."""
    match function.body:
        case (tree.Return(value=tree.Literal() | tree.Name() | tree.Field(), is_yield=False),):
            return not function.is_macro
        case _:
            return False


def _only_calculates(function: tree.Function) -> bool:
    """Return whether a function only works a number out of others: `def weight(times): return times * 6`."""
    match function.body:
        case (tree.Return(value=tree.Binary() | tree.Unary() as given, is_yield=False),):
            parts = list(islice(tree.walk(given), MOST_CALCULATED + 1))
            return len(parts) <= MOST_CALCULATED and all(isinstance(one, _CALCULATES) for one in parts)
        case _:
            return False


def _made_with_group(callee: Closure, frame: Frame) -> bool:
    """Return whether `partial` or a closure gave a value that tells groups apart to a function."""
    tells = frame.program.tells
    if any(tells(value) for value in (*callee.given, *callee.named.values())):
        return True
    return bool(callee.closure) and frame.program.closure_tells(callee)


def _name_of(value: Value | None, frame: Frame) -> str:
    """Return what the caller calls an argument: `p` is an applicant where `applicant` is handed over."""
    name = value.key.rpartition(".")[2] if isinstance(value, Opaque) else ""
    return name if name.isidentifier() and name not in frame.program.conventions.receivers else ""


def _keyword_values(node: Node, frame: Frame) -> Iterator[tuple[str, Value]]:
    if isinstance(node, tree.Call):
        for key, value in node.keywords:
            given = frame.evaluate(value)
            if key is not None:
                yield key, given
            elif isinstance(given, Table):  # `Settings(**loaded)`
                entries = given.entries
                yield from ((str(one.value), held) for one, held in entries if isinstance(one, Const))


def _parameter_bindings(
    parameters: tuple[tree.Parameter, ...], arguments: tuple[Value, ...], keywords: dict[str, Value]
) -> Iterator[tuple[tree.Parameter, Value | None]]:
    for parameter, given in bind_arguments(parameters, arguments, keywords):
        if not given:
            yield parameter, None
        elif parameter.star == "*":
            yield parameter, Sequence(tuple([value for _, value in given]), parameter)
        elif parameter.star:
            yield parameter, Table(tuple([(Const(key), value) for key, value in given]), parameter)
        else:
            yield parameter, given[0][1]


class _Led(Record):
    """What leads to a return: all conditions as one, the first of them that tells groups apart, and before it
    the last that an earlier branch left behind.
    """

    test: Value = Const(True)
    explicit: Guard | None = None
    implied: Guard | None = None


def merged_returns(frame: Frame, outer: Guards, node: Node) -> Value:
    """Return one value for all returns of an inlined body: each under the guards that lead to it.

    `outer` is the way to the call, whose conditions are left out.
    """
    on_any = frame.program.dependence.on_any

    def led(before: _Led, _way: Guards, guard: Guard) -> _Led:
        own = guard.test if guard.holds else operations.negate(guard.test, guard.node)
        test = operations.combine("and", (before.test, own), node)
        if before.explicit is not None or not on_any(guard.test):
            return _Led(test, before.explicit, before.implied)
        return _Led(test, before.explicit, guard) if guard.implied else _Led(test, guard)

    known = {outer: _Led()}
    value: Value = Const(None) if frame.alive else UNKNOWN
    for place, (guards, returned) in enumerate(reversed(frame.returns)):
        if (place == 0 and not frame.alive) or len(guards) <= len(outer):
            value = returned
            continue
        way = along(guards, known, known[outer], led)
        telling = way.explicit or way.implied
        value = Choice(way.test, returned, value, node if telling is None else telling.site)
    return value


# ---------------------------------------------------------------------------------------- functions as values


def apply(callee: Value, node: Node, arguments: tuple[Value, ...], frame: Frame) -> Value:
    """Return calls a function value. Where a test says which function it is, each is called under
    that test.
    """
    match callee:
        case Closure():
            return inline(callee, node, arguments, frame)
        case Choice(test=test, then=then, otherwise=otherwise, node=site):
            where = _test_node(test, site)
            first = _apply_under_guard(Guard(test, True, site, where), then, node, arguments, frame)
            second = _apply_under_guard(Guard(test, False, site, where), otherwise, node, arguments, frame)
            return Choice(test, first, second, site)
        case Lookup(subject=subject, table=table, default=default, node=site):
            entries: list[tuple[Value, Value]] = []
            tests: list[Value] = []
            for key, value in table.entries:
                test = operations.compare("==", subject, key, site)
                tests.append(test)
                guard = Guard(test, True, site, site)
                entries.append((key, _apply_under_guard(guard, value, node, arguments, frame)))
            if default is not None:
                guard = Guard(operations.combine("or", tests, site), False, site, site)
                default = _apply_under_guard(guard, default, node, arguments, frame)
            return Lookup(subject, Table(tuple(entries), table.node, table.name), default, site)
        case Opaque(key=key) if frame.program.is_class(key):
            return instance(key, node, arguments, frame)
        case Opaque(key=key):
            frame.emit("call", node, Sequence(arguments, node), key)
            return Opaque(f"{key}: {frame.text(node)}")
        case _:
            return Opaque(frame.text(node))


def instance(name: str, node: Node, arguments: tuple[Value, ...], frame: Frame) -> Instance:
    """Return an instance of a class of this file: its fields are what the constructor is given for them."""
    definitions, conventions = frame.program.definitions, frame.program.conventions
    keywords = dict(_keyword_values(node, frame))
    constructor = definitions.method(name, conventions.constructor)
    fields: dict[str, Value] = {}
    if constructor is None:
        fields = {**dict(zip(definitions.made_with(name), arguments, strict=False)), **keywords}
        return instances.record(name, node, fields, frame)
    given = {
        parameter.name: value
        for parameter, value in _parameter_bindings(constructor.function.parameters[1:], arguments, keywords)
        if value is not None
    }
    written: dict[str, Value] = {
        source: value for source, value in given.items() if isinstance(value, Table | Sequence)
    }
    for part in constructor.function.body:
        match part:
            case tree.Assign(
                targets=(tree.Field(value=tree.Name(id=itself), name=own),),
                value=tree.Name(id=source),
                op=None,
            ) if source in given and itself == conventions.receiver:
                fields[own] = given[source]
                if source in written:
                    written[f"{itself}.{own}"] = given[source]
            case tree.Assign(
                targets=(tree.Field(value=tree.Name(id=itself), name=own),),
                value=tree.Node() as read,
                op=None,
            ) if itself == conventions.receiver and _is_of(read, written):
                inner = frame.inlined(name, name, written, node)
                fields[own] = inner.evaluate(read)
            case _:
                pass
    return instances.record(name, node, fields, frame)


def _is_of(read: Node, written: Mapping[str, Value]) -> bool:
    """Return whether an expression is an entry of one of these tables, or chooses among their entries:
    `list(names)`, `names + [target]`, `[name for name in names if name in NUMBERS]`.
    """
    if not written:
        return False
    if _table_of(read) in written:
        return True
    match read:
        case tree.Call(function=tree.Name(), arguments=(tree.Name(id=source),), keywords=()):
            return source in written
        case tree.Binary() | tree.Comprehension() | tree.Conditional() | tree.Collection():
            return any(path_of(part) in written for part in islice(tree.walk(read), MOST_CALCULATED))
        case _:
            return False


def _table_of(read: Node) -> str:
    """Return the table that an entry is read of: `config["columns"]["numbers"]`,
    `self.config.get("columns")`.
    """
    while isinstance(read, tree.Index | tree.Call):
        function = read.function if isinstance(read, tree.Call) else None
        read = read.value if isinstance(read, tree.Index) else getattr(function, "value", read.function)
    return path_of(read) or ""


def _test_node(test: Value, site: Node) -> Node:
    return test.node if isinstance(test, Operation | Protected | Choice | Lookup) else site


def _apply_under_guard(
    guard: Guard, callee: Value, node: Node, arguments: tuple[Value, ...], frame: Frame
) -> Value:
    outer = frame.guards
    frame.guards = outer.under(guard)
    value = apply(callee, node, arguments, frame)
    frame.guards = outer
    return value


# ------------------------------------------------------------------------------------------------ macros


def _put_in(name: str, body: tuple[Node, ...], node: Node, frame: Frame) -> Value:
    """Execute a macro's statements as part of the function that they stand in."""
    expanding = frame.program.expanding
    if name in expanding:
        return Opaque(frame.text(node))
    expanding.append(name)
    execute_statements(body, frame)
    expanding.pop()
    return Opaque(frame.text(node))


def _macro_expansion(function: tree.Function, node: tree.Call, frame: Frame) -> tuple[Node, ...] | None:
    """Return the statements that a call of a macro stands for; None for a function, and for a macro that is a
    value.

    They are kept per call, because two walks over one call must meet the same statements.
    """
    if not function.is_macro or all(isinstance(part, tree.Return) for part in function.body):
        return None
    known = frame.program.expansions.get(id(node))
    if known is not None:
        return known
    if len(node.arguments) != len(function.parameters) or any(part.star for part in function.parameters):
        return None
    names = [parameter.name for parameter in function.parameters]
    binding = dict(zip(names, node.arguments, strict=True))
    body = tuple(_substitute_arguments(part, binding, node.span) for part in function.body)
    frame.program.expansions[id(node)] = body
    return body


def _substitute_arguments(node: Node, binding: Mapping[str, Node], span: tree.Span) -> Node:
    """`node` with arguments in the place of parameters, as if it stood at `span`."""
    if isinstance(node, tree.Name) and node.id in binding:
        return binding[node.id]

    def place(value: object) -> object:
        if isinstance(value, Node):
            return _substitute_arguments(value, binding, span)
        if isinstance(value, tuple):
            return tuple(place(item) for item in value)
        return value

    changed = {name: place(getattr(node, name)) for name in field_names(node)}
    if not isinstance(node, PATHS):
        changed["span"] = span
    return replace(node, **changed)
