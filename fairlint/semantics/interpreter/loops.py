"""Loops: known rounds one by one, or one round that stands for all."""

from __future__ import annotations

from collections.abc import Sequence as Many

from fairlint.semantics.interpreter import container_elements, idle_branches, norms, operations, scans
from fairlint.semantics.interpreter.bodies import execute_body, execute_statements
from fairlint.semantics.interpreter.branches import execute_if
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.tables import groups
from fairlint.semantics.texts import text_values
from fairlint.semantics.values.events import Guard, Guards
from fairlint.semantics.values.marks import hidden_mark
from fairlint.semantics.values.paths import path_of
from fairlint.semantics.values.symbolic import (
    UNKNOWN,
    Choice,
    Const,
    Filtered,
    Opaque,
    Sequence,
    Sorted,
    Value,
)
from fairlint.syntax import tree
from fairlint.syntax.tree import Node


def execute_loop(node: tree.Loop, frame: Frame) -> None:
    """Execute a loop: its known rounds one by one, or one round for all."""
    if node.test is not None and _in_known_rounds(node, node.test, frame):
        return
    people = frame.evaluate(node.iterable) if node.iterable is not None else UNKNOWN
    if node.target is not None:
        frame.note(node, people, target=node.target)
    if isinstance(people, Filtered):
        frame.emit("filter", people.node, people.test, "")
    if isinstance(people, Sorted) and frame.program.dependence.on_any(people.key) and _ends_early(node.body):
        frame.emit("rank", people.node, people, frame.text(node.iterable) if node.iterable else "")
    entries = operations.entries_of(people) if node.target is not None else None
    rounds = frame.program.rounds
    is_left = entries is not None and scans.breaks_plainly(node.body)
    if entries is not None and (
        rounds * len(entries) > operations.MAX_ROUNDS or (is_left and len(entries) > operations.MAX_UNROLL)
    ):
        entries = None
    outer_loop, was_in_switch, outer = frame.loop, frame.in_switch, frame.guards
    frame.loop, frame.in_switch = node, False
    if entries is not None and node.target is not None:
        frame.program.rounds = rounds * len(entries)
        if is_left:
            execute_statements((Rounds(node.span, node, tuple(entries)),), frame)
            frame.alive, frame.guards, frame.program.rounds = True, outer, rounds
            frame.loop, frame.in_switch = outer_loop, was_in_switch
            return
        for entry in entries:
            frame.bind(node.target, entry)
            execute_body(node.body, frame)
            frame.alive, frame.guards = True, outer
        frame.program.rounds = rounds
    else:
        _forget_loop_variables(node, frame)
        if node.target is not None:
            if isinstance(node.target, tree.Name) and node.iterable is not None:
                frame.types[node.target.id] = frame.types.get(node.target.id) or frame.text(node.iterable)
            one = _of_group(node, frame) or _loop_element(people, node.target, frame)
            frame.bind(node.target, one)
        frame.guards = _if_any(people, outer)
        execute_body(idle_branches.without(node, frame), frame)
        frame.alive, frame.guards = True, outer
    frame.loop, frame.in_switch = outer_loop, was_in_switch
    execute_body(node.otherwise, frame)


def _if_any(people: Value, outer: Guards) -> Guards:
    """Return what holds in rounds over what is made of all or none: `for fee in [5 for _ in rows if
    is_male]`.
    """
    if isinstance(people, Choice) and isinstance(made := people.node, tree.Comprehension):
        return outer.under(Guard(people.test, True, made, made))
    return outer


class Rounds(Node):
    """The rounds of a loop over known entries that are still to come."""

    loop: tree.Loop
    entries: tuple[Value, ...]


def execute_rounds(node: Rounds, frame: Frame) -> None:
    """Execute a loop that `break` may leave: what stands behind one and all later rounds are for those whom
    it does not concern.
    """
    if not node.entries or node.loop.target is None:
        execute_body(node.loop.otherwise, frame)
        return
    frame.bind(node.loop.target, node.entries[0])
    rest = (Rounds(node.span, node.loop, node.entries[1:]),)
    statements = scans.round_before(node.loop.body, rest)
    frame.program.copies.append(statements)
    execute_statements(statements, frame)


def _in_known_rounds(node: tree.Loop, test: Node, frame: Frame) -> bool:
    """Execute a loop with a test where its rounds are known: it runs once, or over a known table."""
    if _runs_once(node):
        _as_branch(node, test, frame)
        return True
    frame.evaluate(test)
    if (scan := scans.rounds(node, frame)) is None:
        return False
    statements, count = scan
    outer_loop, was_in_switch, rounds = frame.loop, frame.in_switch, frame.program.rounds
    frame.loop, frame.in_switch, frame.program.rounds = node, False, rounds * count
    execute_statements(statements, frame)
    frame.loop, frame.in_switch, frame.program.rounds = outer_loop, was_in_switch, rounds
    return True


def _runs_once(node: tree.Loop) -> bool:
    """Return whether a loop only asks once: its body ends by leaving it, and goes on nowhere else."""
    if not node.body or node.test is None or node.test.span.start > node.body[0].span.start:
        return False  # `do ... while` asks behind its body
    return isinstance(node.body[-1], tree.Break) and not any(
        isinstance(part, tree.Break | tree.Continue) for one in node.body[:-1] for part in tree.walk(one)
    )


def _as_branch(node: tree.Loop, test: Node, frame: Frame) -> None:
    branch = frame.program.branches.get(id(node))
    if branch is None:
        branch = frame.program.branches[id(node)] = tree.If(node.span, test, node.body[:-1], node.otherwise)
    execute_if(branch, frame)


def _ends_early(body: Many[Node]) -> bool:
    """Return whether a loop may end before all have been met: the first of them get something then."""
    return any(
        isinstance(part, tree.Break | tree.Return) and not getattr(part, "is_yield", False)
        for statement in body
        for part in tree.walk(statement)
    )


def _of_group(node: tree.Loop, frame: Frame) -> Value | None:
    """`for g, part in people.groupby("gender")`: what tells the group, and its rows."""
    if not isinstance(node.iterable, tree.Call) or not isinstance(node.target, tree.Collection):
        return None
    found = groups.groups_of_rows(node.iterable, frame)
    return None if found is None else Sequence((found.key, norms.part(found.table, found.key, frame)), node)


def _loop_element(people: Value, target: Node, frame: Frame) -> Value:
    if isinstance(target, tree.Collection):
        return container_elements.element(people) or (people if type(people) is Opaque else UNKNOWN)
    return container_elements.element_of(people, target, frame)


def _forget_loop_variables(loop: tree.Loop, frame: Frame) -> None:
    """Before one round stands for all rounds: what the body assigns is unknown at its start."""
    assigned = frame.program.assigned.get(id(loop))
    if assigned is None:
        parts = (part for statement in loop.body for part in tree.walk(statement))
        assigned = tuple(part for part in parts if isinstance(part, tree.Assign))
        frame.program.assigned[id(loop)] = assigned
    for part in assigned:
        for target in part.targets:
            path = path_of(target)
            held = frame.variables.get(path) if path is not None else None
            if path is None or not isinstance(held, Const):
                continue
            rest: Value = Opaque(f"{path}{hidden_mark(part.span.start)}")
            grows = text_values.is_text(held) and part.op == "+"
            frame.variables[path] = (
                text_values.join_values([(held, target), (rest, target)], part) if grows else rest
            )
