"""Which functions of a source are whole: all of it could be read, and they return something."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module

from fairlint.syntax.tree import (
    Assign,
    Call,
    Capture,
    Function,
    Generator,
    Import,
    Loop,
    Name,
    Node,
    Parameter,
    Return,
    Tree,
    Type,
    walk,
)

_HANDLED = re.compile(rb"\bas\s+(\w+)\s*:")
_GIVEN = frozenset(dir(builtins)) | {"__file__"}


def returning_functions(data: bytes, language: str) -> dict[str, bool]:
    """The functions that return a value, by name, and whether their last statement does so for certain.

    None where anything in the source had to be left out. `language` is `python` or `c`.
    """
    tree = _parsed(data, language)
    if tree.gaps:
        return {}
    return {
        node.name: _returns(node.body[-1])
        for top in tree.body
        for node in walk(top)
        if isinstance(node, Function) and any(_returns(inner) for one in node.body for inner in walk(one))
    }


def lacking_names(data: bytes) -> frozenset[str]:
    """What Python code needs and does not define: functions it calls, constants and classes by their look.

    A name that is bound anywhere counts as defined. Variables are left out, for most that are not bound are
    misspelt parameters.
    """
    read: set[str] = set()
    bound = {name.decode() for name in _HANDLED.findall(data)}
    for top in _parsed(data, "python").body:
        for node in walk(top):
            match node:
                case Name(id=name) if name != name.lower():
                    read.add(name)
                case Call(function=Name(id=name)):
                    read.add(name)
                case Import(names=names):
                    if any(name == "*" for _, name in names):
                        return frozenset()
                    bound.update(name.partition(".")[0] for _, name in names)
                case Function(name=name) | Type(name=name) | Parameter(name=name) | Capture(name=name):
                    bound.add(name)
                case Assign(targets=targets, op=None):
                    bound.update(name for target in targets for name in _places(target))
                case Loop(target=Node() as target) | Generator(target=target):
                    bound.update(_places(target))
                case _:
                    pass
    return frozenset(read - bound - _GIVEN)


def _places(target: Node) -> Iterator[str]:
    """The names that a target binds, and those in it that it only reads: whether they are is not asked."""
    return (node.id for node in walk(target) if isinstance(node, Name))


@lru_cache(maxsize=64)
def _parsed(data: bytes, language: str) -> Tree:
    tree: Tree = import_module(f"fairlint.syntax.{language}").parse(data)
    return tree


def _returns(statement: Node) -> bool:
    return isinstance(statement, Return) and statement.value is not None
