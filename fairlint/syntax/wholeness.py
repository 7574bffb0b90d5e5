"""Whether a source is whole: nothing in it had to be left out, and a function in it does something."""

from __future__ import annotations

from importlib import import_module

from fairlint.syntax.tree import Expression, Function, Literal, Node, Other, Raise, Return, Tree, walk


def holds_whole_function(data: bytes, language: str) -> bool:
    """Whether all of a source could be read, and a function is in it whose body does something.

    A body of comments, a docstring, `pass` or `raise NotImplementedError` does nothing. `language` is
    `python` or `c`.
    """
    tree: Tree = import_module(f"fairlint.syntax.{language}").parse(data)
    return not tree.gaps and any(
        isinstance(node, Function) and not all(map(_idle, node.body))
        for top in tree.body
        for node in walk(top)
    )


def _idle(statement: Node) -> bool:
    match statement:
        case Other(kind="pass_statement") | Expression(value=Literal() | Other(kind="ellipsis")) | Raise():
            return True
        case Return(value=value):
            return value is None
    return False
