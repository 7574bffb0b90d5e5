"""Whether a source is whole: nothing in it had to be left out, and there is a function."""

from __future__ import annotations

from importlib import import_module

from fairlint.syntax.tree import Function, Tree, walk


def holds_whole_function(data: bytes, language: str) -> bool:
    """Whether all of a source could be read, and a function is in it. `language` is `python` or `c`."""
    tree: Tree = import_module(f"fairlint.syntax.{language}").parse(data)
    return not tree.gaps and any(isinstance(node, Function) for top in tree.body for node in walk(top))
