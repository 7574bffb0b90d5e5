"""Functions that a decorator keeps: `@step` over a function whose `step` does `STEPS.append(function)`.

What the decorator does to the list or table of the module is written out as a statement at the function.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fairlint.semantics.names.scopes import Definitions
from fairlint.support.records import replace
from fairlint.syntax import tree
from fairlint.syntax.tree import Function, Node


def registration_statements(function: Function, definitions: Definitions) -> Iterator[Node]:
    """Yield what the decorators of a function do with it: `STEPS.append(old)`, `MAKERS["is_male"] = male`."""
    for decorator in function.decorators:
        called = decorator.function if isinstance(decorator, tree.Call) else decorator
        keeper = definitions.functions.get(called.id) if isinstance(called, tree.Name) else None
        if keeper is None or keeper is function:
            continue
        given = _decorator_arguments(decorator, keeper)
        if isinstance(decorator, tree.Call):
            returned = {
                part.value.id
                for part in keeper.body
                if isinstance(part, tree.Return) and isinstance(part.value, tree.Name)
            }
            inner = [part for part in keeper.body if isinstance(part, Function) and part.name in returned]
        else:
            inner = [keeper]
        for one in inner[:1]:
            if one.parameters:
                yield from _kept_by(one, function, decorator, given, definitions.conventions.name_of_function)


def _decorator_arguments(decorator: Node, keeper: Function) -> dict[str, Node]:
    """Return what a decorator is called with, by the names of its parameters."""
    if not isinstance(decorator, tree.Call):
        return {}
    names = [parameter.name for parameter in keeper.parameters]
    given = dict(zip(names, decorator.arguments, strict=False))
    given.update({key: value for key, value in decorator.keywords if key is not None})
    return given


def _kept_by(
    keeper: Function, function: Function, at: Node, given: dict[str, Node], named: str
) -> Iterator[Node]:
    parameter = keeper.parameters[0].name
    own = tree.Name(function.name_span, function.name)
    for statement in keeper.body:
        match statement:
            case tree.Expression(
                value=tree.Call(
                    function=tree.Field(name="append", value=tree.Name() as list_) as append,
                    arguments=(written,),
                )
            ) if (
                list_.id not in given
                and (put := _substitute_names(written, {**given, parameter: own})) is not None
            ):
                method = tree.Field(at.span, list_, "append", append.name_span)
                yield tree.Expression(at.span, tree.Call(at.span, method, (put,)))
            case tree.Assign(
                targets=(tree.Index(value=tree.Name() as table, index=key),), value=Node() as written, op=None
            ) if (
                table.id not in given
                and (put := _substitute_names(written, {**given, parameter: own})) is not None
            ):
                found = _registration_key(key, parameter, function, given, named)
                if found is not None:
                    yield tree.Assign(at.span, (tree.Index(at.span, table, found),), put)
            case _:
                pass


def _substitute_names(written: Node, names: Mapping[str, Node]) -> Node | None:
    """Return what is kept, with what the names stand for: the function, or a row or a record with it and what
    the decorator is called with. None for anything else.
    """
    match written:
        case tree.Name(id=name):
            return names.get(name)
        case tree.Literal():
            return written
        case tree.Collection(items=items):
            put = [(item, _substitute_names(item.value, names)) for item in items]
            kept = tuple(replace(item, value=value) for item, value in put if value is not None)
            return replace(written, items=kept) if len(kept) == len(items) else None
        case tree.Call(function=tree.Name(), arguments=arguments, keywords=keywords):
            given = [_substitute_names(argument, names) for argument in arguments]
            named = [(key, _substitute_names(value, names)) for key, value in keywords]
            if any(one is None for one in (*given, *(value for _, value in named))):
                return None
            return replace(written, arguments=tuple(given), keywords=tuple(named))
        case _:
            return None


def _registration_key(
    key: Node, parameter: str, function: Function, given: dict[str, Node], named: str
) -> Node | None:
    """Return the key that a function is kept under; None where nobody can tell."""
    match key:
        case tree.Field(value=tree.Name(id=name), name=field) if name == parameter and field == named:
            return tree.Literal(function.name_span, function.name)
        case tree.Name(id=name) if name in given:
            return given[name]
        case tree.Literal():
            return key
        case _:
            return None
