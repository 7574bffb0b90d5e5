"""Which names of a function are records that it is handed: parameters, and what a loop goes through.

Parts of a program are handed on, too: a `client` on which methods are called is a connection to a server.
"""

from __future__ import annotations

from itertools import chain

from fairlint.semantics.values.paths import path_of
from fairlint.syntax import tree
from fairlint.syntax.tree import Function

TYPE_CHECKING = False  # importing typing at run time takes long
if TYPE_CHECKING:
    from fairlint.detectors.context import Context


def handed_records(function: str, context: Context) -> frozenset[str]:
    """Return the parameters of a function, and the names that its loops go through, on which nothing is
    called; for the empty name, the same of the module's own statements. What a method calls its own object
    is no such record.
    """
    node = context.function_named(function)
    handed = {parameter.name for parameter in node.parameters} if node is not None else set()
    called: set[str] = set()
    own = [part for part in context.body if not isinstance(part, Function | tree.Type)]
    parts = context.nodes_of(function) if node is not None else chain.from_iterable(map(tree.walk, own))
    for part in parts:
        if isinstance(part, tree.Loop | tree.Generator) and isinstance(part.target, tree.Name):
            handed.add(part.target.id)
        elif isinstance(part, tree.Call) and isinstance(part.function, tree.Field):
            called.add(path_of(part.function.value) or "")
    return frozenset(handed - called - {*context.conventions.receivers})
