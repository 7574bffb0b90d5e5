"""What the person at the screen has chosen: search forms and dashboards show what they are asked for."""

from __future__ import annotations

from collections.abc import Iterator

from fairlint.detectors.context import Context
from fairlint.lexicon.words import split_words
from fairlint.semantics.effects import lexicon
from fairlint.semantics.paths import path_of
from fairlint.semantics.values import Opaque, Operation, Protected, Value, walk
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

_COMPARES = frozenset({"==", "in", "<", ">="})


def is_chosen(value: Value, attribute: str, function: str, context: Context) -> bool:
    """Whether all that `value` compares the attribute with comes from a form: from `st.multiselect`, from
    `request.args`.
    """
    compared = [part for part in walk(value) if _compares(part, attribute)]
    if not compared:
        return False
    names = _names(function, context)
    return all(isinstance(part, Operation) and _comes_from_form(part, names) for part in compared)


def _compares(part: Value, attribute: str) -> bool:
    return (
        isinstance(part, Operation)
        and part.op in _COMPARES
        and any(
            isinstance(side, Protected) and side.mention.attribute == attribute for side in part.arguments
        )
        and all(isinstance(side, Protected | Opaque) for side in part.arguments)
    )


def _comes_from_form(part: Operation, names: frozenset[str]) -> bool:
    return any(
        (isinstance(inner, tree.Name) and inner.id in names) or _asks(inner) for inner in tree.walk(part.node)
    )


def _names(function: str, context: Context) -> frozenset[str]:
    """The variables of a function that hold what a form gives."""
    node = context.function_named(function)
    statements: tuple[Node, ...] = context.body if node is None else node.body
    parts = (part for statement in statements for part in tree.walk(statement))
    assigned = (pair for part in parts if isinstance(part, tree.Assign) for pair in _pairs(part))
    return frozenset(name for target, value in assigned if _asks(value) and (name := path_of(target)))


def _pairs(node: tree.Assign) -> Iterator[tuple[Node, Node]]:
    """Targets with what they get, one by one where several are set at once."""
    if node.value is None or node.op is not None:
        return
    for target in node.targets:
        match target, node.value:
            case tree.Collection(items=names), tree.Collection(items=values) if len(names) == len(values):
                yield from ((one.value, two.value) for one, two in zip(names, values, strict=True))
            case _:
                yield target, node.value


def _asks(node: Node) -> bool:
    """Whether a call gives what somebody has chosen: a widget's, or a look-up among a request's fields."""
    if not isinstance(node, tree.Call):
        return False
    match node.function:
        case tree.Field(value=owner, name="get" | "getlist" | "get_argument"):
            typed = any(name == "type" for name, _ in node.keywords)  # only a request's fields are converted
            return typed or not lexicon().request.isdisjoint(split_words((path_of(owner) or "").lower()))
        case tree.Field(name=name) | tree.Name(id=name):
            return name.lower().replace("_", "") in lexicon().widget
        case _:
            return False
