"""What of Python Monty lacks: found in a program's tree, and read out of Monty's own messages.

A gap is said as what a program needs, in a few words: `the module statistics`, `str.translate`.
"""

from __future__ import annotations

import ast
import builtins
import collections
import datetime
import functools
import itertools
import json
import math
import os
import random
import re
import sys
import time
import types
import typing
from collections.abc import Callable, Sequence

from fairlint.syntax.python.own_tree import names_bound_by

_METHODS = frozenset(
    "__init__ __post_init__ __repr__ __str__ __eq__ __hash__ __getitem__ __setitem__ __contains__ __iter__ "
    "__next__ __call__ __enter__ __exit__ __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __neg__ __int__ "
    "__float__ __index__ __abs__ __and__".split()
)
"""The special methods that Monty calls (seen of 1.4); others it passes over without a word."""
_TOLD_OTHERWISE = {"__name__", "property", "staticmethod", "classmethod"}
"""Built-in names that every program has, or that Monty tells of where it reads a decorator."""
_PHRASES = (
    (re.compile(r"^The monty syntax parser does not yet support (?:the )?(.+)$"), r"\1"),
    (re.compile(r"^Wildcard imports .*$"), "wildcard imports"),
    (re.compile(r"^(.+) does not yet support (.+)$"), r"\2 of \1"),
    (re.compile(r"^Internal error in monty: exceptions.*"), "exceptions with other arguments than one text"),
    (re.compile(r"^Internal error in monty: (.+)$"), r"what Monty cannot do (\1)"),
    (re.compile(r"^'?([\w.]+)'? is not supported in this environment$"), r"\1"),
    (re.compile(r"^'typing\.\w+' object is not subscriptable$"), "types that are made while it runs"),
    (re.compile(r"^cannot create 'object' instances$"), "instances of object"),
    (re.compile(r"^.*no __dict__ for setting new attributes$"), "attributes set on what is no object"),
)  # fmt: skip
_ATTRIBUTE = re.compile(r"^'(\w+)' object has no attribute '(\w+)'")
_OF_MODULE = re.compile(r"^module '([\w.]+)' has no attribute '(\w+)'")
_IMPORTED = re.compile(r"^cannot import name '(\w+)' from '([\w.]+)'")
_MODULE = re.compile(r"^No module named '([\w.]+)'")
_NAME = re.compile(r"^name '(\w+)' is not defined")
_MODULES: dict[str, types.ModuleType] = {
    each.__name__: each
    for each in (
        collections, datetime, functools, itertools, json, math, os, random, re, sys, time, typing
    )
}  # fmt: skip
"""Modules whose contents are known here. No other is imported to find out: some act when they are."""
_TYPES: dict[str, type] = {
    "function": types.FunctionType,
    "module": types.ModuleType,
    **{name: kind for name, kind in vars(builtins).items() if isinstance(kind, type)},
}


class Gaps:
    """Finds what a program needs and Monty lacks. What was asked of Monty once is kept."""

    def __init__(self, lacks: Callable[[Sequence[str]], list[bool]]) -> None:
        self._lacks = lacks
        self._known: dict[str, bool] = {}

    def of(self, tree: ast.Module) -> str | None:
        """Return what the program needs and Monty lacks."""
        own = _own_method(tree)
        if own:
            return f"the special method {own}"
        if _keeps_generators(tree):
            return "generators that are kept"
        needs = {**_builtin_needs(tree), **_import_needs(tree)}
        unknown = [each for each in needs if each not in self._known]
        if unknown:
            self._known.update(zip(unknown, self._lacks(unknown), strict=True))
        return next((what for statement, what in needs.items() if self._known[statement]), None)


def _own_method(tree: ast.Module) -> str | None:
    """Return a special method that a class has and Monty never calls."""
    for made in ast.walk(tree):
        if isinstance(made, ast.ClassDef):
            for part in made.body:
                if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
                    name = part.name
                    if name.startswith("__") and name.endswith("__") and name not in _METHODS:
                        return name
    return None


def _keeps_generators(tree: ast.Module) -> bool:
    """Return whether a generator expression is more than gone through at once: in Monty it is a list."""
    made = {id(node) for node in ast.walk(tree) if isinstance(node, ast.GeneratorExp)}
    for node in ast.walk(tree) if made else ():
        match node:
            case ast.Call(args=consumed):
                made.difference_update(map(id, consumed))
            case ast.For(iter=consumed) | ast.comprehension(iter=consumed) | ast.Starred(value=consumed):
                made.discard(id(consumed))
            case ast.Compare(comparators=consumed):
                made.difference_update(map(id, consumed))
            case ast.Assign(targets=[ast.Tuple() | ast.List()], value=consumed):
                made.discard(id(consumed))
            case _:
                pass
    return bool(made)


def _builtin_needs(tree: ast.Module) -> dict[str, str]:
    """Statement → what it needs, for each built-in name that is read and nowhere bound."""
    read: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(tree):
        bound.update(names_bound_by(node))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            read.add(node.id)
    known = vars(builtins).keys() - _TOLD_OTHERWISE
    return {name: name for name in sorted((read - bound) & known)}


def _import_needs(tree: ast.Module) -> dict[str, str]:
    """Statement → what it needs, for each import of what Python comes with or a package."""
    needs = {}
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            needs.update({f"import {alias.name}": module(alias.name) for alias in node.names})
            names.update({alias.asname or alias.name: alias.name for alias in node.names})
        elif (
            isinstance(node, ast.ImportFrom)
            and node.module
            and not node.level
            and node.module != "__future__"
        ):
            needs[f"import {node.module}"] = module(node.module)
            for alias in node.names:
                if alias.name != "*" and _may_have(node.module, alias.name):
                    needs[f"from {node.module} import {alias.name}"] = f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=part, ctx=ast.Load()) if name in names:
                if names[name] in _MODULES and _may_have(names[name], part):
                    needs[f"from {names[name]} import {part}"] = f"{names[name]}.{part}"
            case _:
                pass
    return needs


def _may_have(name: str, part: str) -> bool:
    """Return whether Python's own module has something, as far as that is known."""
    return name not in _MODULES or hasattr(_MODULES[name], part)


def module(name: str) -> str:
    """Return a module as what a program needs."""
    top = name.partition(".")[0]
    return f"the module {name}" if top in sys.stdlib_module_names else f"the package {top}"


def gap_in_error(error: str, message: str = "") -> str | None:
    """Return what an exception in Monty says that it lacks; None where the program is at fault itself."""
    for pattern, phrase in _PHRASES:
        if pattern.match(message):
            return pattern.sub(phrase, message)
    if error == "AttributeError":
        if found := _ATTRIBUTE.match(message):
            kind = _TYPES.get(found[1], object)
            return f"{found[1]}.{found[2]}" if hasattr(kind, found[2]) else None
        if found := _OF_MODULE.match(message):
            return f"{found[1]}.{found[2]}" if _may_have(found[1], found[2]) else None
    if error == "ImportError" and (found := _IMPORTED.match(message)):
        return f"{found[2]}.{found[1]}" if _may_have(found[2], found[1]) else None
    if error == "ModuleNotFoundError" and (found := _MODULE.match(message)):
        return module(found[1])
    if error == "NameError" and (found := _NAME.match(message)) and hasattr(builtins, found[1]):
        return found[1]
    return None


def short_circuit(tree: ast.Module) -> str | None:
    """Return whether a call may stop before the end of a generator expression: in Monty these are lists, made
    whole.

    Then an exception may come of an element that Python never looks at.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            lazy = any(isinstance(each, ast.GeneratorExp) for each in node.args)
            if lazy and node.func.id in ("any", "all", "next", "zip", "iter", "enumerate", "map"):
                return "generators that stop early"
    return None


def strip_object_bases(source: str, tree: ast.Module) -> str:
    """Return the program without what says nothing: `class A(object)` is `class A()`."""
    lines = source.split("\n")
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and len(node.bases) == 1 and not node.keywords:
            base = node.bases[0]
            if isinstance(base, ast.Name) and base.id == "object":
                line = lines[base.lineno - 1].encode()
                before, after = line[: base.col_offset], line[base.end_col_offset :]
                lines[base.lineno - 1] = (before + b" " * len("object") + after).decode()
    return "\n".join(lines)
