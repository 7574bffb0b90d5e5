"""Values hold one another as deep as a file has lines, and share parts: neither breaks or stalls a reader."""

from __future__ import annotations

from pathlib import Path

import pytest

import fairlint
from fairlint.config import Settings
from fairlint.detectors import observation
from fairlint.detectors.context import Context
from fairlint.semantics.execution import Execution
from fairlint.semantics.groups.timeline import Timeline
from fairlint.semantics.tables import column_names
from fairlint.semantics.values.lift import map_alternatives
from fairlint.semantics.values.symbolic import Choice, Const, Opaque, Sequence, Value
from fairlint.semantics.values.traversal import either, fold_value, parts
from fairlint.syntax.tree import Node, Span

NODE = Node(Span(0, 1))
DEEP = 50_000
FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"


def chain() -> Value:
    value: Value = Const("male")
    for number in range(DEEP):
        value = Choice(Opaque(f"c{number}"), Const("female"), value, NODE)
    return value


def shared() -> Value:
    value: Value = Const("male")
    for _ in range(200):
        value = Sequence((value, value), NODE)
    return value


def test_a_fold_goes_as_deep_as_values_do() -> None:
    assert fold_value(chain(), parts, lambda _, below: 1 + max(below, default=0)) == DEEP + 1


def test_a_fold_meets_what_is_shared_once() -> None:
    met: list[Value] = []
    fold_value(shared(), parts, lambda one, _: met.append(one))

    assert len(met) == 201


def test_the_ends_of_a_chain_come_in_order() -> None:
    ends = [one.value for one in either(chain()) if isinstance(one, Const)]

    assert ends == ["female"] * DEEP + ["male"]


def test_what_is_changed_keeps_its_tests() -> None:
    found = map_alternatives(chain(), lambda one: Const(f"{one.value}!") if isinstance(one, Const) else one)

    assert isinstance(found, Choice)
    assert isinstance(found.test, Opaque)
    assert (found.test.key, {one.value for one in either(found) if isinstance(one, Const)}) == (
        f"c{DEEP - 1}",
        {"male!", "female!"},
    )


def test_names_of_lists_within_lists_are_counted() -> None:
    assert len(column_names.names_of(shared()) or ()) == column_names.MOST_ITEMS


@pytest.mark.parametrize("folder", ["python", "c"])
def test_what_runs_because_a_branch_left(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows in which events stand say the same as the guards of each event."""
    executions: list[Execution] = []

    def kept(execution: Execution, settings: Settings | None = None, **more: bool) -> Context:
        executions.append(execution)
        return Context(execution, settings, **more)

    monkeypatch.setattr(observation, "Context", kept)
    for file in sorted((FIXTURES / folder).glob("*.[cp]*"))[:12]:
        fairlint.check_source(file.read_bytes(), path=file.name)
    left = 0
    for execution in executions:
        timeline = Timeline(execution.events)
        branches = {id(guard.site) for event in execution.events for guard in event.guards}
        for event in execution.events:
            told = {id(guard.site) for guard in event.guards if guard.implied}
            assert {branch for branch in branches if timeline.is_left_by(event, frozenset({branch}))} == told
            left += bool(told)
    assert left
