"""Columns of one type: which a branch, a loop or a selection by type is about."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.analyses.assumptions.attribute_reads import Reader
from fairlint.analyses.assumptions.missing_values import lexicon
from fairlint.support.expressions import lazy_expression
from fairlint.syntax import tree
from fairlint.syntax.tree import Node, inside

TEXTS, NUMBERS = "texts", "numbers"
_OTHER = {TEXTS: NUMBERS, NUMBERS: TEXTS, "": ""}
_WORD = lazy_expression(r"[A-Za-z]+")


def chosen_for(call: tree.Call, reader: Reader) -> str:
    """Of which type the columns are that a method is called on; empty where they have names."""
    column = call.function.value if isinstance(call.function, tree.Field) else call
    if isinstance(column, tree.Index):
        if any(isinstance(part, tree.Literal) for part in tree.walk(column.index)):
            return ""
        if found := _of_selection(column.index, reader):
            return found
    for outer in reader.syntax.around(call):
        match outer:
            case tree.If(test=test, then=then, otherwise=otherwise):
                found = _of_branch(call, test, then, otherwise, reader)
            case tree.Conditional(test=test, then=then, otherwise=otherwise):
                found = _of_branch(call, test, (then,), (otherwise,), reader)
            case tree.Loop(iterable=iterable) if iterable is not None:
                found = _of_selection(iterable, reader)
            case tree.Function() | tree.Type():
                return ""
            case _:
                continue
        if found:
            return found
    return ""


def _of_branch(
    node: Node, test: Node, then: tuple[Node, ...], otherwise: tuple[Node, ...], reader: Reader
) -> str:
    asked = _type_in_test(test, reader)
    if any(inside(node, part) for part in then):
        return asked
    return _OTHER[asked] if any(inside(node, part) for part in otherwise) else ""


def _type_in_test(test: Node, reader: Reader) -> str:
    """Return the type that a test asks a column for: `column.dtype == "object"`,
    `is_numeric_dtype(column)`.
    """
    match test:
        case tree.Unary(op="not", operand=operand):
            return _OTHER[_type_in_test(operand, reader)]
        case tree.Compare(op="!=" | "not in"):
            return _OTHER[_type_in_expression(test, reader)]
        case tree.BoolOp(values=values):
            return next(filter(None, (_type_in_test(one, reader) for one in values)), "")
        case _:
            return _type_in_expression(test, reader)


def _type_in_expression(node: Node, reader: Reader) -> str:
    """Return the type that an expression about types names."""
    words, used = lexicon(), set(_WORD.findall(reader.text(node)))
    if used.isdisjoint(words["asks_type"]):
        return ""
    if not used.isdisjoint(words["types_text"]):
        return TEXTS
    return NUMBERS if not used.isdisjoint(words["types_number"]) else ""


def _of_selection(node: Node, reader: Reader) -> str:
    """Return the type by which columns were selected, here or where a variable got them."""
    for part in _with_variables(node, reader):
        match part:
            case tree.Call(function=tree.Field(name=name)) if name in lexicon()["asks_type"]:
                excluded = any(key == "exclude" for key, _ in part.keywords)
                found = _type_in_expression(part, reader)
                return _OTHER[found] if excluded else found
            case tree.Comprehension(generators=generators):
                tests = (test for one in generators for test in one.conditions)
                if found := next(filter(None, (_type_in_test(test, reader) for test in tests)), ""):
                    return found
            case _:
                pass
    return ""


def _with_variables(node: Node, reader: Reader) -> Iterator[Node]:
    """Yield the parts of an expression, and of what its variables were given last before it."""
    yield from tree.walk(node)
    names = {part.id for part in tree.walk(node) if isinstance(part, tree.Name)}
    given: dict[str, Node] = {}
    for assign in reader.syntax.places(tree.Assign):
        target = assign.targets[0]
        is_before = assign.span.end <= node.span.start
        if isinstance(target, tree.Name) and target.id in names and is_before and assign.value is not None:
            given[target.id] = assign.value
    for value in given.values():
        yield from tree.walk(value)
