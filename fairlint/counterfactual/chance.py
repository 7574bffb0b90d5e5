"""What a program's text says of chance: whether anything in it could give the same person two outcomes."""

from __future__ import annotations

import ast
from functools import lru_cache

from fairlint.counterfactual.executors.executor import Program
from fairlint.syntax.python.own_parser import NotParsedError, parse_text
from fairlint.syntax.python.own_tree import nodes_in

KEPT = 256
"""Programs that are remembered: each is measured on several populations."""
STEADY_MODULES = frozenset(
    "__future__ abc collections copy dataclasses decimal enum fractions functools itertools json math "
    "numbers operator re statistics string typing typing_extensions".split()
)
"""Modules of which equal calls come to the same, at any time and in any process."""
UNSTEADY_NAMES = frozenset(
    "__import__ compile dir eval exec globals hash id input locals object open vars".split()
)
"""Built-in names that reach outside of the program, or give numbers that another process gives otherwise."""


def may_differ(program: Program) -> bool:
    """Return whether repeated calls may differ, as far as the text says; data of a saved model always may."""
    return bool(program.data) or _text_may_differ(program.source)


@lru_cache(maxsize=KEPT)
def _text_may_differ(source: str) -> bool:
    try:
        tree = parse_text(source)
    except NotParsedError:
        return True
    return any(_reaches_out(node) for node in nodes_in(tree))


def _reaches_out(node: ast.AST) -> bool:
    match node:
        case ast.Import(names=names):
            return any(one.name.partition(".")[0] not in STEADY_MODULES for one in names)
        case ast.ImportFrom(module=module):
            return (module or "").partition(".")[0] not in STEADY_MODULES
        case ast.Name(id=name):
            return name in UNSTEADY_NAMES
        case _:
            return False
