"""Statements: returns, jumps, `try`, and the table of what executes each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Sequence as Many

from fairlint.semantics.interpreter import (
    answers,
    table_changes,
    typed_numbers,
)
from fairlint.semantics.interpreter.assignments import execute_assign
from fairlint.semantics.interpreter.bodies import execute_body, execute_statements
from fairlint.semantics.interpreter.branches import execute_if, execute_switch
from fairlint.semantics.interpreter.definitions import execute_function, execute_macro, execute_type
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.interpreter.loops import Rounds, execute_loop, execute_rounds
from fairlint.semantics.interpreter.stored_values import note_filters
from fairlint.semantics.names import qualified_names
from fairlint.semantics.tables import row_by_row, table_assignments
from fairlint.semantics.values.events import ANYWHERE, Guard
from fairlint.semantics.values.marks import hidden_mark
from fairlint.semantics.values.symbolic import UNKNOWN, Filtered, Opaque
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

MOST_JUMPED = 10_000
JUMPS_FAR = f"more than {MOST_JUMPED:,} steps behind the jumps of one function: this one was not followed"


def _execute_return(node: tree.Return, frame: Frame) -> None:
    value = frame.evaluate(node.value)
    if (own := frame.program.definitions.functions.get(frame.function)) is not None:
        value = typed_numbers.convert_to_type(value, own.returns, frame)
    frame.note(node, value)
    if isinstance(value, Filtered):
        note_filters(node, value, "return", frame)
    if not frame.calls:
        answers.note(node, value, frame)
        frame.emit("return", node, value)
    if not node.is_yield:
        frame.returns.append((frame.guards, value))
        frame.alive = False
    elif frame.calls and (rows := row_by_row.generator_rows(value, node, frame)) is not None:
        frame.returns.append((ANYWHERE, rows))


def _execute_raise(node: tree.Raise, frame: Frame) -> None:
    value = frame.evaluate(node.value)
    if not frame.calls:
        frame.emit("raise", node, Opaque(frame.text(node)) if node.value is None else value)
    frame.alive = False


def _execute_continue(node: tree.Continue, frame: Frame) -> None:
    frame.emit("continue", node, UNKNOWN)
    frame.alive = False


def _execute_break(node: tree.Break, frame: Frame) -> None:
    if frame.in_switch:
        frame.broke = True
    else:
        frame.emit("break", node, UNKNOWN)
    frame.alive = False


def _execute_expression(node: tree.Expression, frame: Frame) -> None:
    frame.evaluate(node.value)
    _, found = frame.program.found.get(id(node.value), (None, None))
    if found is not None and "turns away" in found.entry.does:
        if not frame.calls:
            frame.emit("raise", node.value, Opaque(frame.text(node.value)))
        frame.alive = False


def _execute_assert(node: tree.Assert, frame: Frame) -> None:
    frame.note(node, frame.evaluate(node.test))
    frame.emit("call", node, UNKNOWN, "assert")


def _execute_try(node: tree.Try, frame: Frame) -> None:
    before = frame.variables.copy()
    outer = frame.guards
    execute_statements((*node.body, *node.otherwise), frame)
    failed = Opaque(f"exception{hidden_mark(node.span.start)}")
    for handler in node.handlers:
        arm = frame.branch(Guard(failed, True, node, node))
        arm.variables, arm.alive = before.copy(), True
        arm.guards = outer.under(Guard(failed, True, node, node))
        execute_body(handler, arm)
        if not frame.alive and arm.alive:
            frame.variables, frame.alive, frame.guards = arm.variables, True, outer
    execute_statements(node.final, frame)


def _execute_with(node: tree.With, frame: Frame) -> None:
    execute_statements((*node.items, *node.body), frame)


def _execute_block(node: tree.Block, frame: Frame) -> None:
    execute_statements(node.body, frame)


def _skip_statement(node: Node, frame: Frame) -> None:
    del node, frame


def _execute_goto(node: tree.Goto, frame: Frame) -> None:
    """Note that a jump forward goes on behind its label; one backward ends the path."""
    rest, program = frame.labels.get(node.label), frame.program
    if rest is not None and program.jumped > MOST_JUMPED:
        program.facts.cut(node, JUMPS_FAR)
    elif rest is not None:
        labels, frame.labels, before = frame.labels, {}, program.budget
        execute_body(rest, frame)
        frame.labels, program.jumped = labels, program.jumped + before - program.budget
    frame.alive = False


def labels_of(body: Many[Node]) -> dict[str, tuple[Node, ...]]:
    """Return the labels of a function body, each with the statements behind it."""
    return {
        statement.name: tuple(body[place + 1 :])
        for place, statement in enumerate(body)
        if isinstance(statement, tree.Label)
    }


def _execute_broken_code(node: tree.Broken | tree.Other, frame: Frame) -> None:
    if isinstance(node, tree.Other) and node.kind == "delete_statement":
        table_assignments.delete_columns(node, frame)
        for part in tree.walk(node):
            if isinstance(part, tree.Index):
                table_changes.delete_entry(part, frame)
        return
    execute_statements(node.children, frame)


HANDLERS: Mapping[type[Node], Callable[..., None]] = {
    tree.Assign: execute_assign,
    tree.If: execute_if,
    tree.Switch: execute_switch,
    tree.Loop: execute_loop,
    Rounds: execute_rounds,
    tree.Return: _execute_return,
    tree.Raise: _execute_raise,
    tree.Continue: _execute_continue,
    tree.Break: _execute_break,
    tree.Expression: _execute_expression,
    tree.Assert: _execute_assert,
    tree.Try: _execute_try,
    tree.With: _execute_with,
    tree.Block: _execute_block,
    tree.Function: execute_function,
    tree.Broken: _execute_broken_code,
    tree.Other: _execute_broken_code,
    tree.Type: execute_type,
    tree.Macro: execute_macro,
    tree.Import: qualified_names.bind_import,
    tree.Label: _skip_statement,
    tree.Goto: _execute_goto,
}
