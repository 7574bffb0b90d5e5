"""What Python's own tree says of names and functions, whoever asks: what is bound, what a scope holds."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)

_HOLDS_NO_NODE = frozenset(
    "ctx op ops id attr name asname arg rest module level kind conversion is_async simple".split()
)
"""Fields of texts and numbers, and of signs such as `+` and `==`, which hold nothing and stand nowhere: half
of what `ast.walk` yields."""
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}
"""Of each kind of node that was met, the fields that may hold nodes."""


def nodes_in(tree: ast.AST) -> list[ast.AST]:
    """Return a node and all that it holds, in the order of `ast.walk`, without signs such as `+` and `==`."""
    found = [tree]
    for node in found:  # which grows meanwhile
        fields = _FIELDS.get(node.__class__)
        if fields is None:
            fields = tuple([name for name in node._fields if name not in _HOLDS_NO_NODE])
            _FIELDS[node.__class__] = fields
        for name in fields:
            held = getattr(node, name, None)
            if held.__class__ is list:
                found += [one for one in held if isinstance(one, ast.AST)]
            elif isinstance(held, ast.AST):
                found.append(held)
    return found


def names_bound_by(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node itself binds or deletes, in whatever scope; `*` for a star import."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.arg(arg=name):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.alias(name=name, asname=asname):
            yield asname or name.partition(".")[0]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name
        case _:
            pass


def scope_nodes(*nodes: ast.AST) -> Iterator[ast.AST]:
    """Yield nodes and what they hold, without the insides of functions and classes."""
    stack = [*nodes]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _SCOPES):
            stack.extend(ast.iter_child_nodes(node))


def body_of(function: Function) -> Sequence[ast.AST]:
    """Return the statements of a function, or the one expression of a lambda."""
    return function.body if isinstance(function.body, list) else [function.body]


def named_functions(nodes: Iterable[ast.AST]) -> dict[str, Function]:
    """Return the functions among some nodes by their names, of which the last counts; a lambda that is given
    a name is one, too.
    """
    found: dict[str, Function] = {}
    for statement in nodes:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found[name] = statement
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as function):
                found[name] = function
            case _:
                pass
    return found


def names_of_data(tree: ast.AST) -> list[str]:
    """Return what parameters, fields and keys are called in a tree, each once."""
    return list(dict.fromkeys(name for node in nodes_in(tree) if (name := _name_of_data(node))))


def _name_of_data(node: ast.AST) -> str:
    match node:
        case ast.arg(arg=name) | ast.Attribute(attr=name):
            return name
        case ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case ast.Subscript(slice=ast.Constant(value=str() as name)):
            return name
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str() as name), *_]):
            return name
        case _:
            return ""
