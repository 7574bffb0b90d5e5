"""Python's branches, loops, `try`, `with` and `match`, from tree-sitter to the shared nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node as Syntax

from fairlint.syntax import lowering
from fairlint.syntax.lowering import MAX_CHAIN
from fairlint.syntax.python.syntax_nodes import span_of
from fairlint.syntax.tree import Broken, Capture, Case, If, Loop, Node, Span, Switch, Try, With

if TYPE_CHECKING:
    from fairlint.syntax.python.statements import Statements


def lower_if(lowerer: Statements, node: Syntax, out: list[Node]) -> None:
    """Add an `if` with its `elif`s and `else`."""
    chain = lowerer.chain
    end = node.end_byte
    links = [(Span(node.start_byte, end), _lower_header(lowerer, node, "condition"), _suite(lowerer, node))]
    otherwise: tuple[Node, ...] = ()
    overflow: list[Node] = []
    overflow_at: int | None = None
    for clause in node.children_by_field_name("alternative"):
        if clause.type == "else_clause":
            otherwise = _suite(lowerer, clause, "body")
            continue
        lowerer.chain += 1
        span = Span(clause.start_byte, end)
        if lowerer.chain < MAX_CHAIN:
            links.append((span, _lower_header(lowerer, clause, "condition"), _suite(lowerer, clause)))
        else:
            lowerer.chain -= 1
            overflow_at = clause.start_byte if overflow_at is None else overflow_at
            own = span_of(clause)
            overflow.append(
                If(own, lowerer.field(clause, "condition"), _suite(lowerer, clause), (), is_elif=True)
            )
    lowerer.chain = chain
    if overflow_at is not None:
        rest = Span(overflow_at, end)
        lowerer.gap(rest, lowering.TOO_LONG)
        otherwise = (Broken(rest, (*overflow, *otherwise)),)
    for span, test, then in reversed(links[1:]):
        otherwise = (If(span, test, then, otherwise, is_elif=True),)
    span, test, then = links[0]
    out.append(If(span, test, then, otherwise))


def _suite(lowerer: Statements, node: Syntax, name: str = "consequence") -> tuple[Node, ...]:
    return lowerer.body(node.child_by_field_name(name))


def _lower_header(lowerer: Statements, node: Syntax, name: str) -> Node:
    """Return an expression of a header; Broken where there is an error beside it."""
    value = lowerer.field(node, name)
    if not lowerer.damaged or not node.has_error:
        return value
    loose: list[Node] = []
    for child in node.children:
        if child.type == "block":
            break
        if child.is_error:
            loose.append(lowerer.mixed(child))
    if not loose:
        return value
    nodes = sorted((value, *loose), key=lambda part: part.span.start)
    return Broken(Span(nodes[0].span.start, max(part.span.end for part in nodes)), tuple(nodes))


def lower_for(lowerer: Statements, node: Syntax, out: list[Node]) -> None:
    """Add a `for` loop."""
    target, iterable = lowerer.field(node, "left"), _lower_header(lowerer, node, "right")
    body = _suite(lowerer, node, "body")
    out.append(Loop(span_of(node), target, iterable, None, body, _else_body(lowerer, node)))


def lower_while(lowerer: Statements, node: Syntax, out: list[Node]) -> None:
    """Add a `while` loop."""
    test = _lower_header(lowerer, node, "condition")
    body = _suite(lowerer, node, "body")
    out.append(Loop(span_of(node), None, None, test, body, _else_body(lowerer, node)))


def _else_body(lowerer: Statements, node: Syntax) -> tuple[Node, ...]:
    clause = node.child_by_field_name("alternative")
    return () if clause is None else _suite(lowerer, clause, "body")


def lower_try(lowerer: Statements, node: Syntax, out: list[Node]) -> None:
    """Add a `try` with its handlers."""
    body = _suite(lowerer, node, "body")
    handlers: list[tuple[Node, ...]] = []
    otherwise: tuple[Node, ...] = ()
    final: tuple[Node, ...] = ()
    clauses = [clause for clause in lowerer.parts(node) if clause.type != "block"]
    if not clauses:
        lowerer.gap(lowering.last_word(lowerer.data, node.end_byte), lowering.UNFINISHED)
    for clause in clauses:
        kind = clause.type
        if kind in {"except_clause", "except_group_clause", "finally_clause"}:
            block = next((child for child in lowerer.parts(clause) if child.type == "block"), None)
            if kind == "finally_clause":
                final = lowerer.body(block)
            else:
                handlers.append(lowerer.body(block))
        elif kind == "else_clause":
            otherwise = _suite(lowerer, clause, "body")
    out.append(Try(span_of(node), body, tuple(handlers), otherwise, final))


def lower_with(lowerer: Statements, node: Syntax, out: list[Node]) -> None:
    """Add a `with`."""
    items: list[Node] = []
    for child in lowerer.parts(node):
        if child.type == "with_clause":
            for item in lowerer.parts(child):
                value = item.child_by_field_name("value")
                items.append(lowerer.expression(item if value is None else value))
        elif child.type != "block":
            items.append(lowerer.expression(child))
    out.append(With(span_of(node), tuple(items), _suite(lowerer, node, "body")))


def lower_match(lowerer: Statements, node: Syntax, out: list[Node]) -> None:
    """Add a `match` with its cases."""
    subjects = [node for node in node.children_by_field_name("subject") if node.is_named]
    if not subjects:
        out.append(lowerer.mixed(node))
        return
    span = Span(subjects[0].start_byte, subjects[-1].end_byte)
    comma = len(subjects) == 1 and any(child.type == "," for child in node.children)
    subject = lowerer.one_or_tuple(subjects, span, comma=comma)
    block = node.child_by_field_name("body")
    cases: list[Case] = []
    lowerer.depth += 1
    cases.extend(
        [
            _lower_case(lowerer, child)
            for child in lowerer.block_children(block)
            if child.type == "case_clause"
        ]
    )
    lowerer.depth -= 1
    out.append(Switch(span_of(node), subject, tuple(cases), falls_through=False))


def _lower_case(lowerer: Statements, node: Syntax) -> Case:
    patterns = [child for child in node.children if child.type == "case_pattern"]
    guard = node.child_by_field_name("guard")
    test = None
    if guard is not None:
        tests = lowerer.expressions(guard)
        test = tests[0] if tests else Broken(span_of(guard), ())
    comma = any(child.type == "," for child in node.children)
    if len(patterns) == 1 and not comma:
        found = lowerer.alternatives(patterns[0])
    else:
        span = Span(patterns[0].start_byte, patterns[-1].end_byte) if patterns else span_of(node)
        found = [lowerer.sequence("tuple", [lowerer.pattern(pattern) for pattern in patterns], span)]
    if test is None and len(found) == 1 and isinstance(found[0], Capture):
        only = found[0]
        if only.name == "_" and only.pattern is None:
            found = []
    return Case(span_of(node), tuple(found), test, _suite(lowerer, node))
