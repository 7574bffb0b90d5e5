"""Which functions of a source are whole: all of it could be read, and they return something."""

from __future__ import annotations

from importlib import import_module

from fairlint.syntax.tree import Function, Node, Return, Tree, walk


def returning_functions(data: bytes, language: str) -> dict[str, bool]:
    """The functions that return a value, by name, and whether their last statement does so for certain.

    None where anything in the source had to be left out. `language` is `python` or `c`.
    """
    tree: Tree = import_module(f"fairlint.syntax.{language}").parse(data)
    if tree.gaps:
        return {}
    return {
        node.name: _returns(node.body[-1])
        for top in tree.body
        for node in walk(top)
        if isinstance(node, Function) and any(_returns(inner) for one in node.body for inner in walk(one))
    }


def _returns(statement: Node) -> bool:
    return isinstance(statement, Return) and statement.value is not None
