"""Where the texts of a file are used: its statements are read in order, with what each name holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fairlint.readers.prompts.reading import (
    CONVERSION,
    arguments_of,
    bind_entries,
    bind_first,
    called,
    fill_buffers,
    printed,
    read,
)
from fairlint.readers.prompts.templates import (
    Hole,
    Part,
    Parts,
    Reading,
    Scope,
    Text,
    Usage,
    compiled,
    has_text,
    limited,
)
from fairlint.readers.prompts.variadic import printer_of
from fairlint.semantics.paths import path_of
from fairlint.syntax import tree
from fairlint.syntax.language import Conventions
from fairlint.syntax.tree import Function, Node

WRITES = {
    "sprintf": 1, "snprintf": 2, "vsnprintf": 2, "g_snprintf": 2, "sprintf_s": 2, "asprintf": 1,
    "vasprintf": 1, "g_string_printf": 1, "g_string_append_printf": 1, "strcpy": 1, "strncpy": 1,
    "strlcpy": 1, "stpcpy": 1, "strcpy_s": 2,
}  # fmt: skip
"""C functions that write into their first argument, with the place of the format."""
APPENDS = {"strcat": 1, "strncat": 1, "strlcat": 1, "g_strlcat": 1, "g_string_append": 1, "strcat_s": 2}
ADDS = frozenset({"append", "extend", "insert", "add", "appendleft", "write"})
"""Methods that add to a list of lines or messages."""
SHORTEST = 3


def usages(
    body: tuple[Node, ...], functions: Mapping[str, Function], conventions: Conventions
) -> list[Usage]:
    """Every use of a text in a file, in the order of its functions; the module's own come first."""
    reading = Reading(functions, _statements, conventions)
    module = Scope(reading)
    _statements([part for part in body if not isinstance(part, Function)], module)
    early = []
    for name, function in functions.items():
        if function.body:
            if function.parameters and _calls_of(name, reading) == 0:
                early.append((name, function))
            _function(name, function, module)
    for name, function in early:
        if _calls_of(name, reading):
            _function(name, function, module)  # now it is known what it is given
    found, reading.usages = reading.usages, []
    reading.calls.clear()  # scopes hold the reading: without these nothing goes round in a circle,
    reading.classes.clear()  # and all of it goes when the usages do
    return found


def _calls_of(name: str, reading: Reading) -> int:
    return len(reading.calls.get(name.rpartition(".")[2], ()))


def _function(name: str, function: Function, module: Scope) -> None:
    reading = module.reading
    owner = name.rpartition(".")[0]
    scope = Scope(reading, outer=reading.classes.get(owner, module), owner=owner)
    for parameter in function.parameters:
        if parameter.default is not None:
            scope.bind(parameter.name, read(parameter.default, scope), parameter.default)
        elif (passed := _passed(name, function, parameter.name, reading)) is not None:
            scope.nodes[parameter.name] = passed
    reading.at = name
    _statements(function.body, scope)
    reading.at = ""


def _passed(
    name: str, function: Function, parameter: str, reading: Reading
) -> tuple[Node, Scope | None] | None:
    """What a call that was already read gives a parameter."""
    for call, scope in reading.calls.get(name.rpartition(".")[2], ()):
        given = arguments_of(function, call, scope).get(parameter)
        if given is not None:
            return given, scope
    return None


# ------------------------------------------------------------------------------------------------ statements


def _statements(body: Iterable[Node], scope: Scope) -> None:
    for node in body:
        if scope.reading.steps <= 0:
            return
        _statement(node, scope)


def _statement(node: Node, scope: Scope) -> None:
    match node:
        case tree.Assign():
            _assign(node, scope)
        case tree.Expression(value=tree.Assign() as inner):
            _assign(inner, scope)
        case tree.Expression(value=tree.Literal()):
            pass
        case tree.Return(value=value) if value is not None:
            _use(read(value, scope), "return", scope.reading.at.rpartition(".")[2], value, scope)
            _calls_in(value, scope)
        case tree.If(test=test, then=then, otherwise=otherwise):
            _calls_in(test, scope)
            _branches((then, otherwise), scope)
        case tree.Switch(subject=subject, cases=cases):
            _calls_in(subject, scope)
            _branches(tuple(case.body for case in cases), scope)
        case tree.Loop(target=target, iterable=iterable, body=body, otherwise=otherwise):
            if iterable is not None:
                _calls_in(iterable, scope)
                if target is not None:
                    bind_first(target, iterable, scope)
                    bind_entries(target, iterable, (), scope)
            _statements((*body, *otherwise), scope)
        case tree.Try(body=body, handlers=handlers, otherwise=otherwise, final=final):
            _statements(body, scope)
            for handler in handlers:
                _statements(handler, scope.fork())
            _statements((*otherwise, *final), scope)
        case tree.With(items=items, body=body):
            _statements((*items, *body), scope)
        case tree.Type():
            _type(node, scope)
        case tree.Macro(name=name, value=value):
            scope.bind(name, read(value, scope), value)
        case tree.Block() | tree.Broken() | tree.Other():
            _statements(tree.children(node), scope)
        case Function() | tree.Raise() | tree.Assert() | tree.Import():
            pass
        case _:
            _calls_in(node, scope)


def _type(node: tree.Type, scope: Scope) -> None:
    """A class: its methods know the texts of its own level as `self.x`."""
    level = scope.inner()
    _statements([part for part in node.body if not isinstance(part, Function)], level)
    for path, parts in [*level.texts.items()]:
        for own in scope.reading.conventions.own_paths(path):
            level.texts.setdefault(own, parts)
        scope.texts.setdefault(f"{node.name}.{path}", parts)
    scope.reading.classes[node.name] = level
    if any(called(base).rpartition(".")[2] == "Signature" for base in node.bases):
        _signature(node, scope)


def _signature(node: tree.Type, scope: Scope) -> None:
    """DSPy: the docstring of a class is the order, and its fields are what the model is given."""
    parts: list[Part] = [Text(f"{node.docstring}\n", node)]
    for field in node.body:
        match field:
            case tree.Assign(targets=(tree.Name(id=name) as target,), value=tree.Call(function=function)):
                if called(function).rpartition(".")[2] == "InputField":
                    parts += (Text(f"{name}: ", field), Hole(target, scope=scope))
            case _:
                pass
    _use(tuple(parts), "call", "dspy.Signature.prompt", node, scope)


def _branches(arms: tuple[tuple[Node, ...], ...], scope: Scope) -> None:
    forks = []
    for arm in filter(None, arms):
        forks.append(scope.fork())
        _statements(arm, forks[-1])
    if len(forks) == len(arms):  # where every arm gives a name anew, what it held before is gone
        for path in {path for fork in forks for path in fork.texts}:
            if all(fork.texts.get(path) is not scope.texts.get(path) for fork in forks):
                scope.texts.pop(path, None)
    scope.merge(forks)


def _assign(node: tree.Assign, scope: Scope) -> None:
    value = node.value
    if value is None:
        return
    parts = read(value, scope)
    for target in node.targets:
        path = path_of(target)
        if path is not None:
            _give(path, parts, node, scope)
        elif isinstance(target, tree.Collection) and isinstance(value, tree.Collection):
            for item, held in zip(target.items, value.items, strict=False):
                _assign(tree.Assign(node.span, (item.value,), held.value), scope)
            return
    _calls_in(value, scope)


def _give(path: str, parts: Parts, node: tree.Assign, scope: Scope) -> None:
    value = node.value or node
    if node.op == "+":
        parts = limited((*(scope.text(path) or ()), *parts))
        scope.texts[path] = parts
        scope.nodes.setdefault(path, (value, scope))
        _keep(path, scope)
    else:
        scope.bind(path, parts, value)
        if (level := _level_of(path, scope)) is not None:
            level.texts.setdefault(path, parts)
    _use(parts, "assign", path, value, scope, grows=node.op == "+")


def _level_of(path: str, scope: Scope) -> Scope | None:
    """The class that a path leads to a field of, if it is that of this method."""
    return scope.reading.classes.get(scope.owner) if scope.reading.conventions.own_name(path) else None


def _keep(path: str, scope: Scope) -> None:
    """A field that grows in one method has grown for the others."""
    level = _level_of(path, scope)
    if level is not None:
        level.texts[path] = scope.texts[path]


# ----------------------------------------------------------------------------------------------------- calls


def _calls_in(node: Node, scope: Scope) -> None:
    """Notes the texts that are given to the calls in an expression."""
    for part in tree.walk(node):
        match part:
            case tree.Call():
                scope.reading.steps -= 1
                _call(part, scope)
            case tree.Assign(targets=(tree.Name(id=name),), value=value) if value is not None:
                scope.bind(name, read(value, scope), value)  # a walrus
            case _:
                pass


def _call(node: tree.Call, scope: Scope) -> None:
    name = called(node.function)
    last = name.rpartition(".")[2]
    scope.reading.calls.setdefault(last, []).append((node, scope))
    if last in ADDS and node.arguments and isinstance(node.function, tree.Field):
        _add(node, node.function.value, scope)
    elif (place := WRITES.get(last, APPENDS.get(last))) is not None and len(node.arguments) > place:
        _write(node, place, last in APPENDS, scope)
    elif not (_write_all(node, last, scope) or fill_buffers(node, scope)):
        _hand_over(node, name, scope)


def _add(node: tree.Call, owner: Node, scope: Scope) -> None:
    """A line or message joins a list."""
    path = path_of(owner)
    if path is None:
        return
    added = read(node.arguments[-1], scope)
    if has_text(added) or path in scope.texts:
        scope.texts[path] = limited((*(scope.text(path) or ()), *added, Text("\n", node)))
        _keep(path, scope)
        _use(scope.texts[path], "assign", path, node, scope, grows=True)


def _write(node: tree.Call, place: int, adds: bool, scope: Scope) -> None:
    """C writes into a buffer, or behind what is there."""
    target = node.arguments[0]
    behind = isinstance(target, tree.Binary)  # `buffer + length`
    path = path_of(target.left if isinstance(target, tree.Binary) else target)
    if path is None:
        return
    held = (scope.text(path) or ()) if adds or behind else ()
    written = node.arguments[place]
    new = read(written, scope) if adds else printed(written, node.arguments[place + 1 :], scope)
    parts = limited((*held, *new))
    scope.bind(path, parts, node)
    _use(parts, "assign", path, node, scope, grows=adds or behind)


def _write_all(node: tree.Call, name: str, scope: Scope) -> bool:
    """A function of the file prints into a buffer that it is given."""
    found = printer_of(scope.reading.functions.get(name))
    if found is None or found.buffer is None or len(node.arguments) <= max(found.form, found.buffer):
        return False
    path = path_of(node.arguments[found.buffer])
    if path is None:
        return False
    held = (scope.text(path) or ()) if found.adds else ()
    form, *values = node.arguments[found.form :]
    parts = limited((*held, *printed(form, values, scope)))
    scope.bind(path, parts, node)
    _use(parts, "assign", path, node, scope, grows=found.adds)
    return True


def _hand_over(node: tree.Call, name: str, scope: Scope) -> None:
    """Each text that a call is given, and all of them together."""
    whole: list[Part] = []
    for at, argument in enumerate(node.arguments):
        parts = read(argument, scope)
        rest = node.arguments[at + 1 :]
        if converts := bool(rest) and _converts(parts):
            parts = printed(argument, rest, scope)
        _use(parts, "call", name, argument, scope)
        whole += (*parts, Text("\n", argument))
        if converts:
            break
    for keyword, argument in node.keywords:
        parts = read(argument, scope)
        _use(parts, "call", name, argument, scope, keyword=keyword or "")
        whole += (*parts, Text("\n", argument))
    if len(node.arguments) + len(node.keywords) > 1:
        _use(limited(whole), "call", name, node, scope)


def _converts(parts: Parts) -> bool:
    """Whether a text has places for the arguments that follow it."""
    return any(
        found["kind"] != "%" and not found["key"]
        for part in parts
        if isinstance(part, Text) and "%" in part.value
        for found in compiled(CONVERSION).finditer(part.value)
    )


def _use(
    parts: Parts, kind: str, name: str, node: Node, scope: Scope, *, keyword: str = "", grows: bool = False
) -> None:
    reading = scope.reading
    if not any(isinstance(part, Text) and len(part.value) >= SHORTEST for part in parts):
        return
    usage = Usage(parts, kind, name, node, keyword, reading.at)
    before = reading.growing.get((reading.at, name)) if grows else None
    if before is not None:
        reading.usages[before] = usage
        return
    if reading.room > 0:
        reading.room -= len(parts)
        reading.usages.append(usage)
        if kind == "assign":
            reading.growing[reading.at, name] = len(reading.usages) - 1
