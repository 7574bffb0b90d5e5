"""How code reads a person that it is handed: by which keys, by which fields, or one by one out of a list."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from itertools import takewhile

from fairlint.counterfactual.signatures import by_place, signature
from fairlint.support.records import Record
from fairlint.syntax.python.own_tree import Function, body_of, nodes_in
from fairlint.syntax.signatures import bind_arguments

MAPPING_METHODS = frozenset("get items keys values copy pop setdefault update".split())
DEEPEST = 5
"""Functions that hand a person on to one another, in a row."""


class RecordReads(Record):
    """What some code reads of one parameter."""

    keys: tuple[str, ...]
    """`person["age"]`, `person.get("age")`, `"age" in person`."""
    fields: tuple[str, ...]
    """`person.age`, `getattr(person, "age")`."""
    is_mapping: bool
    """Whether it is treated as a mapping, be it without a known key (`person[key]`, `person.items()`)."""
    is_object: bool
    """Whether it is treated as an object, be it without a known field (`hasattr(person, key)`)."""
    methods: tuple[str, ...]
    """`score` in `person.score()`."""
    element: RecordReads | None
    """What is read of what a loop over it yields; None where there is no loop."""


NOTHING = RecordReads((), (), False, False, (), None)


def reads_of(function: Function, parameter: str, functions: Mapping[str, Function]) -> RecordReads:
    """Return what a function, and the `functions` of the program that it hands the parameter to,
    read of it.
    """
    return _find_reads(function, {parameter}, functions, 0)


def aliases(function: Function, parameter: str) -> set[str]:
    """Return the names under which a function has a parameter: its own, and those of copies."""
    return _alias_names(list(_body_nodes(function)), {parameter})


def is_operand(function: Function, parameter: str) -> bool:
    """Return whether a parameter is compared, reckoned with or cut by places, as no whole person is."""
    return any(
        _is_one(part, {parameter})
        for node in _body_nodes(function)
        if isinstance(node, ast.Compare | ast.BinOp | ast.UnaryOp | ast.BoolOp | ast.If | ast.IfExp)
        or (isinstance(node, ast.Subscript) and _is_place(node.slice))
        for part in ast.iter_child_nodes(node)
    )


def _find_reads(
    function: Function, given: set[str], functions: Mapping[str, Function], depth: int
) -> RecordReads:
    body = list(_body_nodes(function))
    names = _alias_names(body, given)
    called = {id(node.func) for node in body if isinstance(node, ast.Call)}
    keys: dict[str, None] = {}
    fields: dict[str, None] = {}
    methods: dict[str, None] = {}
    is_mapping = is_object = False
    for node in body:
        found = _keys_in_node(node, names)
        if found is not None:
            keys.update(found)
            is_mapping = True
        named = _fields_in_node(node, names)
        if named is not None:
            fields.update(named)
            is_object = True
        if isinstance(node, ast.Attribute) and _is_one(node.value, names):
            if node.attr in MAPPING_METHODS and id(node) in called:
                is_mapping = True
            elif not node.attr.startswith("__"):
                (methods if id(node) in called else fields)[node.attr] = None
    element: RecordReads | None = None
    elements = _element_names(body, names)
    if elements:
        element = _find_reads(function, elements, functions, depth + 1) if depth < DEEPEST else NOTHING
    read = RecordReads(tuple(keys), tuple(fields), is_mapping, is_object, tuple(methods), element)
    if depth < DEEPEST:
        for callee, parameter in _handed_on(body, names, functions):
            read = _merge_reads(read, _find_reads(callee, {parameter}, functions, depth + 1))
    return read


def _is_one(node: ast.AST | None, names: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _keys_in_node(node: ast.AST, names: set[str]) -> dict[str, None] | None:
    """Return the keys that some code reads of a mapping; None where it treats nothing as one."""
    match node:
        case ast.Subscript(value=value, slice=key) if _is_one(value, names) and not _is_place(key):
            return _literal_key(key)
        case ast.Call(func=ast.Attribute(value=value, attr=method), args=[key, *_]) if (
            _is_one(value, names) and method in MAPPING_METHODS
        ):
            return _literal_key(key)
        case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[value]) if _is_one(
            value, names
        ) and _literal_key(key):
            return _literal_key(key)
        case ast.Match(subject=value, cases=cases) if _is_one(value, names):
            patterns = [part for case in cases for part in nodes_in(case.pattern)]
            tests = [key for part in patterns if isinstance(part, ast.MatchMapping) for key in part.keys]
            return {text: None for key in tests for text in _literal_key(key)} if tests else None
        case _:
            return None


def _fields_in_node(node: ast.AST, names: set[str]) -> dict[str, None] | None:
    """Return the fields that some code reads by name, as a text; None where it reads none so."""
    match node:
        case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[value, key, *_]) if _is_one(
            value, names
        ):
            return _literal_key(key)
        case ast.Call(func=ast.Name(id="vars"), args=[value]) if _is_one(value, names):
            return {}
        case _:
            return None


def _element_names(body: list[ast.AST], names: set[str]) -> set[str]:
    """Return the names that a loop over it gives to what it yields."""
    return {
        each.id
        for node in body
        if isinstance(node, ast.For | ast.comprehension) and _is_one(_loop_source(node.iter), names)
        for each in nodes_in(node.target)
        if isinstance(each, ast.Name)
    }


def _body_nodes(function: Function) -> Iterator[ast.AST]:
    for part in body_of(function):
        yield from nodes_in(part)


def _alias_names(body: list[ast.AST], given: set[str]) -> set[str]:
    """Return the names that hold the same: `p = person`, `p = dict(person)`, `p = person.copy()`."""
    names = set(given)
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_same_record(value, names):
                names.add(name)
            case _:
                pass
    return names


def _is_same_record(value: ast.expr, names: set[str]) -> bool:
    match value:
        case ast.Name(id=name):
            return name in names
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="copy")):
            return name in names
        case ast.Call(func=ast.Name(id="dict" | "copy" | "deepcopy"), args=[ast.Name(id=name)]):
            return name in names
        case _:
            return False


def _loop_source(source: ast.expr) -> ast.expr:
    """Return what a loop goes over: `people` in `enumerate(people)`."""
    match source:
        case ast.Call(
            func=ast.Name(id="enumerate" | "sorted" | "list" | "reversed" | "iter"), args=[inner, *_]
        ):
            return inner
        case _:
            return source


def _literal_key(key: ast.expr) -> dict[str, None]:
    return {key.value: None} if isinstance(key, ast.Constant) and isinstance(key.value, str) else {}


def _is_place(key: ast.expr) -> bool:
    """Return whether a subscript is a number or a slice, as of a list."""
    return isinstance(key, ast.Slice) or (isinstance(key, ast.Constant) and isinstance(key.value, int))


def _handed_on(
    body: list[ast.AST], names: set[str], functions: Mapping[str, Function]
) -> Iterator[tuple[Function, str]]:
    """Yield the functions that are handed it, each with the parameter that it is there."""
    for node in body:
        match node:
            case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)) if called in functions:
                callee = functions[called]
                parameters = signature(callee)
                is_method = isinstance(node.func, ast.Attribute) and parameters[0].name in {"self", "cls"}
                places = takewhile(lambda value: not isinstance(value, ast.Starred), node.args)
                keywords = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
                for parameter, given in bind_arguments(
                    parameters[is_method:], places, keywords, by_place(callee)
                ):
                    if not parameter.star and any(_is_one(value, names) for _, value in given):
                        yield callee, parameter.name
            case _:
                pass


def _merge_reads(one: RecordReads, other: RecordReads) -> RecordReads:
    element = one.element or other.element
    if one.element and other.element:
        element = _merge_reads(one.element, other.element)
    return RecordReads(
        tuple(dict.fromkeys((*one.keys, *other.keys))),
        tuple(dict.fromkeys((*one.fields, *other.fields))),
        one.is_mapping or other.is_mapping,
        one.is_object or other.is_object,
        tuple(dict.fromkeys((*one.methods, *other.methods))),
        element,
    )
