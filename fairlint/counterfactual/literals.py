"""Literals of a program, in place or by a name that is bound to one once and never changed."""

from __future__ import annotations

import ast
from collections import Counter
from types import MappingProxyType

from fairlint.counterfactual.population import Cell
from fairlint.syntax.python.own_tree import names_bound_by, nodes_in

ONLY_READ = frozenset(
    name for kind in (tuple, frozenset, MappingProxyType) for name in dir(kind) if not name.startswith("_")
)
"""Methods that leave a container as it is: those of containers that nobody can change."""
ONLY_LOOK = frozenset(
    {
        "len",
        "sorted",
        "sum",
        "min",
        "max",
        "any",
        "all",
        "set",
        "list",
        "tuple",
        "frozenset",
        "dict",
        "enumerate",
    }
)
"""Functions that leave a container as it is, and hand it to nobody."""

BITS = 256
"""Whole numbers of more are taken for no literals: Python refuses to write out very long ones."""


def bindings(module: ast.Module) -> Counter[str]:
    """Return how often each name is bound, in whatever scope."""
    return Counter(name for node in nodes_in(module) for name in names_bound_by(node))


class Literals:
    """What expressions are that always have the same value."""

    def __init__(self, module: ast.Module, bound: Counter[str]) -> None:
        """`bound` counts how often each name of the module is bound."""
        self.bound = bound
        self.named: dict[str, ast.expr] = {}
        for node in nodes_in(module):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    pass
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    pass
                case _:
                    continue
            if bound[name] == 1:
                self.named[name] = value
        changeable = {name for name, value in self.named.items() if self.cell_of(value) is None}
        for name in changeable & _handed_on(module, changeable, bound):
            del self.named[name]

    def is_builtin(self, name: str) -> bool:
        """Return whether a name is nowhere given another meaning."""
        return not self.bound[name]

    def meant(self, node: ast.expr) -> ast.expr:
        """Return the literal that a name stands for, or the expression itself."""
        return self.named.get(node.id, node) if isinstance(node, ast.Name) else node

    def cell(self, node: ast.expr) -> tuple[Cell] | None:
        """Return the one value of a literal, in a tuple; None where it is none."""
        return self.cell_of(self.meant(node))

    def cell_of(self, node: ast.expr) -> tuple[Cell] | None:
        """Return the same, without names."""
        match node:
            case ast.Constant(value=int() as value) if value.bit_length() > BITS:
                return None
            case ast.Constant(value=(None | bool() | int() | float() | str()) as value):
                return (value,)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=(int() | float()) as value)):
                return (-value,) if isinstance(value, float) or value.bit_length() <= BITS else None
            case _:
                return None

    def members(self, node: ast.expr) -> tuple[Cell, ...] | None:
        """Return what is in a literal list, tuple, set or dict (its keys); None where that cannot be told."""
        match self.meant(node):
            case ast.List(elts=inner) | ast.Tuple(elts=inner) | ast.Set(elts=inner):
                return self._literal_cells(inner)
            case ast.Dict(keys=keys):
                return self._literal_cells(keys)
            case (
                ast.Call(
                    func=ast.Name(id="set" | "frozenset" | "tuple" | "list" as name), args=[inner]
                ) as call
            ):
                return self.members(inner) if self.is_builtin(name) and not call.keywords else None
            case _:
                return None

    def _literal_cells(self, nodes: list[ast.expr] | list[ast.expr | None]) -> tuple[Cell, ...] | None:
        found = [None if node is None else self.cell(node) for node in nodes]
        return None if None in found else tuple(cell for one in found if one is not None for cell in one)

    def keys(self, node: ast.expr) -> tuple[Cell, ...] | None:
        """Return the keys of a literal dict; None where it is none."""
        return self.members(node) if isinstance(self.meant(node), ast.Dict) else None

    def numbers(self, node: ast.expr) -> tuple[Cell, ...] | None:
        """Return the whole numbers that a `range` is made of; None where it is none."""
        match node:
            case ast.Call(func=ast.Name(id="range"), args=arguments, keywords=[]) if self.is_builtin("range"):
                cells = self._literal_cells(arguments)
                right = cells is not None and all(isinstance(cell, int) for cell in cells)
                return cells if right and 1 <= len(arguments) <= 3 and 0 not in (cells or ())[2:] else None
            case _:
                return None


def _handed_on(module: ast.Module, names: set[str], bound: Counter[str]) -> set[str]:
    """Return those names whose containers may be changed through them, or through what they are handed to."""
    looked: set[int] = set()
    for node in nodes_in(module):
        match node:
            case ast.Compare(ops=operators, comparators=others):
                pairs = zip(operators, others, strict=True)
                looked.update(id(one) for how, one in pairs if isinstance(how, ast.In | ast.NotIn))
            case ast.Subscript(value=value, ctx=ast.Load()):
                looked.add(id(value))
            case ast.Call(func=ast.Attribute(value=value, attr=method)) if method in ONLY_READ:
                looked.add(id(value))
            case ast.Call(func=ast.Name(id=function), args=arguments) if (
                function in ONLY_LOOK and not bound[function]
            ):
                looked.update(id(one) for one in arguments)
            case ast.For(iter=value) | ast.comprehension(iter=value):
                looked.add(id(value))
            case _:
                pass
    return {
        node.id
        for node in nodes_in(module)
        if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load)
        if id(node) not in looked
    }
