"""What a place in a source stands in: its expression, and its function."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property

from fairlint.support.records import Record
from fairlint.syntax.tree import (
    Assert,
    Assign,
    Binary,
    BoolOp,
    Call,
    Case,
    Cast,
    Collection,
    Compare,
    Comprehension,
    Conditional,
    Expression,
    Field,
    Function,
    Generator,
    If,
    Import,
    Index,
    Interpolation,
    Lambda,
    Literal,
    Loop,
    Macro,
    Name,
    Node,
    Raise,
    Return,
    Span,
    Switch,
    Tree,
    Try,
    Type,
    Unary,
    With,
    children,
    walk,
)

EXPRESSIONS = (
    Name, Literal, Interpolation, Field, Index, Call, Compare, BoolOp, Unary, Binary, Conditional, Collection,
    Lambda, Generator, Comprehension, Cast,
)  # fmt: skip


SIMPLE = (Assign, Expression, Return, Raise, Assert, Import)
COMPOUND = (If, Switch, Case, Loop, Try, With, Function, Type, Macro)


class Enclosed(Record):
    """What a place stands in.

    `whole` is its expression, also where the place ends with its line or where arguments begin. `statement`
    is the innermost statement; of one that holds others, what is before them. `function` is the span of the
    innermost function, None outside of all; it is called `name` and has these `parameters`.
    """

    whole: Span
    statement: Span
    function: Span | None = None
    name: str = ""
    parameters: tuple[str, ...] = ()


class Enclosing:
    """Looks up what places of one tree stand in."""

    def __init__(self, tree: Tree) -> None:
        self._top = _sort_by_start(node for one in (tree, *tree.modules) for node in one.body)
        self._below: dict[int, list[Node]] = {}
        """What is right below a node, by its id."""

    def at(self, span: Span) -> Enclosed:
        """Return what a place stands in."""
        path = self._enclosing_path(span)
        around = next((node for node in reversed(path) if isinstance(node, Function)), None)
        whole = _whole_call_span(span, path)
        statement = _statement_span(whole, path)
        if around is None:
            return Enclosed(whole, statement)
        names = tuple(one.name for one in around.parameters)
        return Enclosed(whole, statement, around.span, around.name, names)

    @cached_property
    def functions(self) -> frozenset[str]:
        """The names of all functions that are defined here."""
        nodes = (node for body in self._top for node in walk(body))
        return frozenset(node.name for node in nodes if isinstance(node, Function))

    def _enclosing_path(self, span: Span) -> list[Node]:
        """Return the nodes that a place is in, the outermost first."""
        path: list[Node] = []
        below = self._top
        while (node := _node_fields(below, span)) is not None:
            path.append(node)
            if id(node) not in self._below:
                self._below[id(node)] = _sort_by_start(children(node))
            below = self._below[id(node)]
        return path


def _sort_by_start(nodes: Iterable[Node]) -> list[Node]:
    return sorted(nodes, key=lambda node: node.span.start)


def _node_fields(nodes: Sequence[Node], span: Span) -> Node | None:
    """Return the last of some nodes, sorted, that a place is in; few of them overlap."""
    at = bisect_right(nodes, span.start, key=lambda node: node.span.start)
    return next((one for one in reversed(nodes[max(at - 3, 0) : at]) if one.span.end >= span.end), None)


def _statement_span(whole: Span, path: Sequence[Node]) -> Span:
    for node in reversed(path):
        if isinstance(node, SIMPLE):
            return node.span
        if isinstance(node, COMPOUND):
            return Span(node.span.start, whole.end)
    return whole


def _whole_call_span(span: Span, path: Sequence[Node]) -> Span:
    if not path or not isinstance(path[-1], EXPRESSIONS):
        return span
    node = path[-1]
    if len(path) > 1 and isinstance(path[-2], Call) and path[-2].function is node:
        node = path[-2]
    return node.span if node.span.start == span.start else span
