"""Which functions of a source are whole: all of it could be read, and they return something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from fairlint.support.records import Record
from fairlint.syntax.lowering import UNFINISHED
from fairlint.syntax.tree import (
    Assign,
    Call,
    Capture,
    Collection,
    Function,
    Generator,
    Import,
    Index,
    Loop,
    Name,
    Node,
    Parameter,
    Return,
    Star,
    Tree,
    Type,
    children,
    walk,
)
from fairlint.syntax.whole_trees import parse_once

if TYPE_CHECKING:
    from fairlint.syntax.language import Language, Parse


class Names(Record):
    """What can be said of a language's names from the outside."""

    given: frozenset[str]
    """Those that are always there."""
    bound: bytes
    """What binds a name, its group, and is no node of the tree: `except ValueError as error:`."""


def returning_functions(data: bytes, language: Language) -> dict[str, bool]:
    """Return the functions that return a value, by name, and whether their last statement does so for
    certain.

    None where anything in the source had to be left out; of a block without a body nothing is.
    """
    tree = _parse_fully(data, language.parse)
    if any(gap.reason != UNFINISHED for gap in tree.gaps):
        return {}
    return {
        node.name: _is_value_return(node.body[-1])
        for top in tree.body
        for node in walk(top)
        if isinstance(node, Function) and any(map(_is_value_return, _own_nodes(node)))
    }


def _own_nodes(function: Function) -> Iterator[Node]:
    """Yield all in a function's body save what is in functions in it."""
    stack: list[Node] = [*function.body]
    while stack:
        node = stack.pop()
        if not isinstance(node, Function):
            yield node
            stack += children(node)


def is_outline(data: bytes, language: Language, function: str) -> bool:
    """Return whether a function, in its last definition, reads nothing but names that it binds itself."""
    found = [
        node
        for top in _parse_fully(data, language.parse).body
        for node in walk(top)
        if isinstance(node, Function) and node.name == function
    ]
    if not found:
        return False
    inner = [node for statement in found[-1].body for node in walk(statement)]
    places = (target for node in inner if isinstance(node, Assign) for target in node.targets)
    bound = {name for target in places for name in _bound_names(target)}
    return not any(isinstance(node, Name) and node.id not in bound for node in inner)


def lacking_names(data: bytes, language: Language) -> frozenset[str]:
    """Return what code needs and does not define: what it calls, hands to a call, looks up in or goes
    through, and constants and classes by their look.

    A name that is bound anywhere counts as defined. Other variables are left out, for most that are not bound
    are misspelt parameters. Nothing is lacking where the language does not say which names are given.
    """
    if language.names is None:
        return frozenset()
    needed: set[str] = set()
    for top in _parse_fully(data, language.parse).body:
        for node in walk(top):
            match node:
                case Name(id=name) if name != name.lower():
                    needed.add(name)
                case Call(function=function, arguments=arguments):
                    needed.update(part.id for part in (function, *arguments) if isinstance(part, Name))
                case (
                    Index(value=Name(id=name))
                    | Loop(iterable=Name(id=name))
                    | Generator(iterable=Name(id=name))
                ):
                    needed.add(name)
                case Import(names=names) if any(name == "*" for _, name in names):
                    return frozenset()
                case _:
                    pass
    return frozenset(needed - bound_names(data, language) - language.names().given)


def bound_names(data: bytes, language: Language) -> set[str]:
    """Return the names that code binds, whatever the scope."""
    also = language.names().bound if language.names is not None else rb"(?!)()"
    bound = {name.decode() for name in re.findall(also, data)}
    for top in _parse_fully(data, language.parse).body:
        for node in walk(top):
            match node:
                case Import(names=names):
                    bound.update(name.partition(".")[0] for _, name in names)
                case Function(name=name) | Type(name=name) | Parameter(name=name) | Capture(name=name):
                    bound.add(name)
                case Assign(targets=targets, op=None):
                    bound.update(name for target in targets for name in _bound_names(target))
                case Loop(target=Node() as target) | Generator(target=target):
                    bound.update(_bound_names(target))
                case _:
                    pass
    return bound


def _bound_names(target: Node) -> Iterator[str]:
    """Yield the names that a target binds."""
    match target:
        case Name(id=name):
            yield name
        case Collection(items=items):
            for item in items:
                yield from _bound_names(item.value)
        case Star(value=value):
            yield from _bound_names(value)
        case _:
            pass


@lru_cache(maxsize=64)
def _parse_fully(data: bytes, parse: Parse) -> Tree:
    return parse_once(parse, data)


def _is_value_return(statement: Node) -> bool:
    return isinstance(statement, Return) and statement.value is not None and not statement.is_yield
