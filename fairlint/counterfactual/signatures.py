"""What functions and classes of a program are given: their parameters and fields, read off the syntax."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from fairlint.support.records import Record
from fairlint.syntax.python.own_tree import Function, nodes_in
from fairlint.syntax.signatures import lineage


class Parameter(Record):
    """A parameter; one with stars takes what is left, also where it has no name."""

    name: str
    star: str = ""


def signature(function: Function) -> list[Parameter]:
    """Return all parameters in order, with one for what is left of the places and one for other keywords."""
    taken = function.args
    return [
        *(Parameter(each.arg) for each in (*taken.posonlyargs, *taken.args)),
        Parameter("" if taken.vararg is None else taken.vararg.arg, "*"),
        *(Parameter(each.arg) for each in taken.kwonlyargs),
        Parameter("" if taken.kwarg is None else taken.kwarg.arg, "**"),
    ]


def parameters(function: Function) -> list[tuple[str, bool]]:
    """Return all parameters that have a name of their own, and whether they have a default."""
    arguments = function.args
    places = [*arguments.posonlyargs, *arguments.args]
    required = len(places) - len(arguments.defaults)
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return [
        *((each.arg, place >= required) for place, each in enumerate(places)),
        *((each.arg, default is not None) for each, default in named),
    ]


def by_place(function: Function, *, bound: bool = False) -> list[str]:
    """Return the parameters that can only be given by their place, without the object of a method."""
    return [each.arg for each in function.args.posonlyargs][1 if bound else 0 :]


def initializer(made: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> ast.FunctionDef | None:
    """Return the `__init__` of a class or, where it has none, of its nearest base that has one; None where
    one is made of fields.
    """
    for each in _class_lineage(made, classes):
        for part in each.body:
            if isinstance(part, ast.FunctionDef) and part.name == "__init__":
                return part
        if each.decorator_list:
            return None
    return None


def _class_lineage(made: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> list[ast.ClassDef]:
    """Return a class and its bases, the nearest first."""
    known = {**classes, made.name: made}

    def bases(name: str) -> list[str]:
        return [base.id for base in known[name].bases if isinstance(base, ast.Name) and base.id in known]

    return [known[name] for name in lineage(made.name, bases)]


def is_positional(function: Function, name: str) -> bool:
    """Return whether a parameter can be given by its place."""
    places = [*function.args.posonlyargs, *function.args.args]
    return any(each.arg == name for each in places)


def annotation(function: Function, name: str) -> ast.expr | None:
    """Return what a parameter is said to be."""
    return next(
        (
            each.annotation
            for each in nodes_in(function.args)
            if isinstance(each, ast.arg) and each.arg == name
        ),
        None,
    )


def decorators(function: Function) -> Sequence[ast.expr]:
    """Return the decorators of a function, outermost first."""
    return [] if isinstance(function, ast.Lambda) else function.decorator_list


def constructor(made: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> list[tuple[str, bool]]:
    """Return what a class is made of, and whether it has a default: `__init__`'s parameters, or annotated
    fields.
    """
    if (init := initializer(made, classes)) is not None:
        return parameters(init)[1:]
    fields: dict[str, bool] = {}
    for each in reversed(_class_lineage(made, classes)):
        for part in each.body if each.decorator_list or each.bases else ():
            match part:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=kind, value=value):
                    if "ClassVar" not in ast.unparse(kind) and not _is_set_later(value):
                        fields[name] = value is not None and not _lacks_default(value)
                case _:
                    pass
    return list(fields.items())


def _is_set_later(value: ast.expr | None) -> bool:
    """`field(init=False)`."""
    return isinstance(value, ast.Call) and any(
        keyword.arg == "init" and isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        for keyword in value.keywords
    )


def _lacks_default(value: ast.expr) -> bool:
    """`field(repr=False)`."""
    match value:
        case ast.Call(func=ast.Name(id="field") | ast.Attribute(attr="field"), keywords=keywords):
            return not any(keyword.arg in ("default", "default_factory") for keyword in keywords)
        case _:
            return False
