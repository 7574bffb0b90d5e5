"""Branches: each arm under its guards, and what variables hold behind them all."""

from __future__ import annotations

from collections.abc import Sequence as Many

from fairlint.semantics.groups.dependencies import Dependence
from fairlint.semantics.interpreter import operations, patterns, reads, whole_tests
from fairlint.semantics.interpreter.bodies import execute_body
from fairlint.semantics.interpreter.frame import Frame
from fairlint.semantics.interpreter.stored_values import same_key
from fairlint.semantics.interpreter.variables import Variables
from fairlint.semantics.texts import text_growth
from fairlint.semantics.values.events import Guard
from fairlint.semantics.values.symbolic import UNKNOWN, Choice, Const, Sequence, Table, Value
from fairlint.semantics.values.traversal import alike
from fairlint.support.records import Record
from fairlint.syntax import tree
from fairlint.syntax.tree import Node

MOST_FALLEN = 20
FALLS_FAR = f"more than {MOST_FALLEN} cases that fall through one another: no more were followed from each"


def _join_branch_values(
    test: Value, then: Value, otherwise: Value, site: Node, dependence: Dependence
) -> Value:
    """Return one value for two branches; tables are joined entry by entry.

    A test on an attribute stays, also where both come to the same: that it is read must not be lost.
    """
    if then is otherwise or (alike(then, otherwise) and not dependence.on_any(test)):
        return then  # imported in one way or another
    if (text := _text_of_both(test, then, otherwise, site)) is not None:
        return text
    if not (isinstance(then, Table) and isinstance(otherwise, Table)):
        return Choice(test, then, otherwise, site)
    entries: list[tuple[Value, Value]] = []
    for key, value in then.entries:
        other = next((held for name, held in otherwise.entries if same_key(name, key)), Const(0))
        entries.append((key, value if value is other else Choice(test, value, other, site)))
    known = [key for key, _ in then.entries]
    for key, value in otherwise.entries:
        if not any(same_key(name, key) for name in known):
            entries.append((key, Choice(test, Const(0), value, site)))
    return Table(tuple(entries), then.node, then.name, then.fallback)


def _text_of_both(test: Value, then: Value, otherwise: Value, site: Node) -> Value | None:
    """Return a text, or a list of texts, to which one of two branches adds something."""
    if isinstance(then, Sequence) and isinstance(otherwise, Sequence):
        absent = operations.negate(test, site)
        return text_growth.appended_items(test, then, otherwise, site) or text_growth.appended_items(
            absent, otherwise, then, site
        )
    found = text_growth.appended_in_branch(test, then, otherwise, site)
    return found or text_growth.appended_in_branch(operations.negate(test, site), otherwise, then, site)


class _Arm(Record, frozen=False):
    frame: Frame
    test: Value


def execute_if(node: tree.If, frame: Frame) -> None:
    """Execute an `if` with its `elif`s and `else`."""
    arms: list[tuple[Value, Node, Many[Node]]] = []
    current: tree.If = node
    while True:
        test = whole_tests.truth(frame.evaluate(current.test), current.test, frame)
        arms.append((test, current.test, current.then))
        if (
            len(current.otherwise) == 1
            and isinstance(current.otherwise[0], tree.If)
            and current.otherwise[0].is_elif
        ):
            current = current.otherwise[0]
            continue
        break
    _execute_branches(node, arms, current.otherwise, frame)


def _execute_branches(
    site: Node, arms: list[tuple[Value, Node, Many[Node]]], otherwise: Many[Node], frame: Frame
) -> None:
    """Execute the arms of one chain, each under its guards, and merges what they leave behind."""
    done: list[_Arm] = []
    outer = frame.guards
    passed: list[Guard] = []
    for test, test_node, body in arms:
        if passed:
            frame.guards = frame.guards.under(passed[-1])
        arm = frame.branch(Guard(test, True, site, test_node))
        arm.alive = not (isinstance(test, Const) and not test.label and test.value is False)
        if frame.program.dependence.on_any(test):
            arm.emit("read", test_node, UNKNOWN)
        execute_body(body, arm)
        done.append(_Arm(arm, test))
        passed.append(Guard(test, False, site, test_node))
    last = frame.branch(passed[-1])
    execute_body(otherwise, last)
    _merge_arms(site, done, last, frame)
    frame.guards = outer.under(*_left_behind(done, last, passed))


def _left_behind(arms: list[_Arm], last: Frame, passed: list[Guard]) -> list[Guard]:
    """Return what holds after a chain some arms of which have left the body."""
    survivors = [arm for arm in arms if arm.frame.alive]
    if len(survivors) == len(arms) and last.alive:
        return []
    if not last.alive and len(survivors) == 1 and not survivors[0].frame.broke:
        place = arms.index(survivors[0])
        own = Guard(survivors[0].test, True, passed[place].site, passed[place].node, implied=True)
        return [_implied_guard(guard) for guard in passed[:place]] + [own]
    return [_implied_guard(guard) for guard, arm in zip(passed, arms, strict=True) if not arm.frame.alive]


def _implied_guard(guard: Guard) -> Guard:
    return Guard(guard.test, guard.holds, guard.site, guard.node, implied=True)


def _merge_arms(site: Node, arms: list[_Arm], last: Frame, frame: Frame) -> None:
    """Join the variables of the arms that go on; where they differ, the chain's tests choose."""
    frame.broke = frame.broke or last.broke or any(arm.frame.broke for arm in arms)
    living = [arm for arm in arms if arm.frame.alive]
    if not living and not last.alive:
        frame.alive = False
        return
    base, remaining = (last, living) if last.alive else (living[-1].frame, living[:-1])
    merged, changed = Variables(base.variables), dict(base.variables.changed)
    # an arm that leaves alone what was bound before the chain has a value for it, too
    bound = [name for name in changed if name in frame.variables]
    for arm in reversed(remaining):
        own = arm.frame.variables.changed
        bound += [name for name in own if name in frame.variables and name not in changed]
        changed.update(own)
        for name in (*own, *(name for name in bound if name not in own)):
            if (value := _merged_variable(name, arm, merged, site, frame)) is not None:
                merged[name] = value
    merged.changed = {**frame.variables.changed, **changed}
    frame.variables = merged


def _merged_variable(name: str, arm: _Arm, merged: Variables, site: Node, frame: Frame) -> Value | None:
    """Return what a name stands for after an arm, and those in `merged` already; None where nothing
    says it.
    """
    dependence = frame.program.dependence
    then, other, before = [known.get(name) for known in (arm.frame.variables, merged, frame.variables)]
    then = before if then is None and other is not None else then
    if then is None:
        return None
    missing = other is None and before is None and not dependence.on_any(arm.test)
    if missing and _is_unbound(name, frame):
        return then  # without it nothing that reads the name goes on
    joined = _join_branch_values(arm.test, then, other or before or UNKNOWN, site, dependence)
    if isinstance(joined, Choice) and dependence.on_any(joined):
        return reads.read_by_codes(name, joined, site, frame) or joined
    return joined


def _is_unbound(name: str, frame: Frame) -> bool:
    """Return whether nothing but the branches of this body gives a variable a value."""
    return name.isidentifier() and name not in frame.types and name not in frame.program.globals


def execute_switch(node: tree.Switch, frame: Frame) -> None:
    """Execute a `switch` or `match`."""
    subject = frame.evaluate(node.subject)
    tests = [patterns.matches(subject, case, node, frame) for case in node.cases]
    arms: list[tuple[Value, Node, Many[Node]]] = []
    otherwise: Many[Node] = ()
    for place, case in enumerate(node.cases):
        body = _fall_through(node, place, frame) if node.falls_through else case.body
        if not case.patterns and case.guard is None:
            otherwise = body
            if not node.falls_through:
                break
            continue
        arms.append((tests[place], case.patterns[0] if case.patterns else node.subject, body))
    was_in_switch, broke = frame.in_switch, frame.broke
    frame.in_switch, frame.broke = node.falls_through or was_in_switch, False
    alive = frame.alive
    if arms:
        _execute_branches(node, arms, otherwise, frame)
    else:
        execute_body(otherwise, frame)
    if node.falls_through and frame.broke:
        frame.alive = alive
    frame.in_switch, frame.broke = was_in_switch, broke


def _fall_through(node: tree.Switch, place: int, frame: Frame) -> tuple[Node, ...]:
    """Return the statements that run from case `place` on, up to the first unconditional `break`."""
    body: list[Node] = []
    for case in node.cases[place : place + MOST_FALLEN]:
        for statement in case.body:
            if isinstance(statement, tree.Break):
                return tuple(body)
            body.append(statement)
            if isinstance(statement, tree.Return | tree.Continue | tree.Goto):
                return tuple(body)
    if place + MOST_FALLEN < len(node.cases):
        frame.program.facts.cut(node, FALLS_FAR)
    return tuple(body)
