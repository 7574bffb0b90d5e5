"""Where the nodes of one file stand: the nodes of each kind in source order, and what stands around each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from fairlint.semantics.values.paths import path_of
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

NOWHERE = tree.Name(tree.Span(0, 0), "")
"""Stands for what is not written."""
Kind = TypeVar("Kind", bound=Node)


class SyntaxIndex:
    """One file as written."""

    def __init__(self, body: tuple[Node, ...]) -> None:
        self.parents: dict[int, Node] = {}
        """The identity of a node -> the node around it."""
        self._places: dict[type[Node], list[Node]] = {}
        places, parents = self._places, self.parents
        stack = list(reversed(body))
        while stack:
            node = stack.pop()
            kind = type(node)
            if (found := places.get(kind)) is None:
                found = places[kind] = []
            found.append(node)
            if kind in tree.LEAVES:
                continue
            children = tree.children(node)
            for child in children:
                parents[id(child)] = node
            children.reverse()
            stack += children

    def places(self, kind: type[Kind]) -> list[Kind]:
        """Return all nodes of one kind, parents first."""
        return self._places.get(kind, [])  # type: ignore[return-value]

    def parent(self, node: Node) -> Node | None:
        """Return the node around `node`; None for a statement of the file itself."""
        return self.parents.get(id(node))

    def around(self, node: Node) -> Iterator[Node]:
        """Yield the nodes around `node`, from the inside to the outside."""
        current = self.parents.get(id(node))
        while current is not None:
            yield current
            current = self.parents.get(id(current))

    def scope_around(self, node: Node) -> tree.Function | tree.Lambda | tree.Type | None:
        """Return the innermost function or class that a node stands in; None for the file itself."""
        for outer in self.around(node):
            if isinstance(outer, tree.Function | tree.Lambda | tree.Type):
                return outer
        return None

    def is_conditional(self, statement: Node) -> bool:
        """Return whether a statement stands under a condition, in a loop, or where something may fail."""
        for outer in self.around(statement):
            if isinstance(outer, tree.If | tree.Loop | tree.Switch | tree.Try):
                return True
            if isinstance(outer, tree.Function | tree.Type):
                return False
        return False

    def given_to(self, node: Node) -> Node | None:
        """Return what the value of an expression goes to as it is: a variable, a keyword, the entry of a
        table.

        A keyword counts as a Name at the place of its value, an entry as an Index unless its key is written
        out.
        """
        inner = node
        for outer in self.around(node):
            match outer:
                case tree.Assign(targets=(target,)):
                    return target
                case tree.Call(keywords=keywords) if any(value is inner for _, value in keywords):
                    named = next((key for key, value in keywords if value is inner), None)
                    return None if named is None else tree.Name(inner.span, named)
                case tree.Call(function=tree.Field(value=receiver)) if receiver is inner:
                    pass
                case tree.Call(arguments=(only,)) if only is inner:
                    pass
                case tree.Field() | tree.BoolOp() | tree.Cast():
                    pass
                case tree.Item(key=key) if key is not None:
                    return key if isinstance(key, tree.Literal) else tree.Index(key.span, NOWHERE, key)
                case _:
                    return None
            inner = outer
        return None

    def name_given_to(self, node: Node) -> str:
        """Return the name that a table, or an entry of it, is given to: of a variable or a keyword."""
        for outer in self.around(node):
            match outer:
                case tree.Assign(targets=(target, *_)):
                    return path_of(target) or ""
                case tree.Call(keywords=keywords):
                    return next((key or "" for key, value in keywords if value is node), "")
                case tree.Item() | tree.Cast():
                    continue
                case _:
                    return ""
        return ""
