"""Bodies of functions, branches and loops: their statements in order, until every path has left them."""

from __future__ import annotations

from collections.abc import Sequence as Many

from fairlint.semantics.interpreter.frame import Frame
from fairlint.syntax.tree import Node


def execute_body(body: Many[Node], frame: Frame) -> None:
    """Execute the statements of `body` in order until every path has left it; what they imply ends
    with them.
    """
    outer = frame.guards
    execute_statements(body, frame)
    frame.guards = outer


def execute_statements(body: Many[Node], frame: Frame) -> None:
    """As `execute_body`, for statements that are part of a longer body."""
    handlers = frame.program.evaluator.handlers
    for statement in body:
        if not frame.alive or not frame.program.step(statement):
            break
        frame.variables.next_statement()
        handler = handlers.get(type(statement))
        if handler is not None:
            handler(statement, frame)
        else:
            frame.evaluate(statement)
