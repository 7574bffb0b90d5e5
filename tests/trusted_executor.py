"""An executor that runs programs in this process: only for those that stand in the tests themselves."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, Self

from fairlint.counterfactual.executors.executor import (
    Call,
    Crashed,
    Failed,
    Given,
    Incomparable,
    Limits,
    Outcome,
    Program,
    Value,
)


class TrustedExecutor:
    """Each run starts afresh. `calls` and `batches` count what was asked of it."""

    name = "trusted"

    def __init__(self) -> None:
        self.calls = 0
        self.batches = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        pass

    def run(
        self, program: Program, people: Sequence[Sequence[Given]], limits: Limits
    ) -> tuple[Outcome, ...] | Failed:
        self.batches += 1
        self.calls += len(people)
        space: dict[str, Any] = {"__name__": "decisions"}
        try:
            exec(program.source, space)
        except SyntaxError as error:
            return Failed("syntax", str(error))
        entry: Any = SimpleNamespace(**space)
        for part in program.entry.split("."):
            entry = getattr(entry, part, None)
        if entry is None:
            return Failed("missing", program.entry)
        holder = space.get(program.entry.partition(".")[0])
        return tuple(outcome(lambda row=row: called(program.call, entry, holder, row)) for row in people)  # type: ignore[misc]


def called(call: Call, entry: Callable[..., object], holder: Any, row: Sequence[Given]) -> object:
    person = dict(zip(call.names, row, strict=True))
    extra = dict(call.extra)
    match call.style:
        case "arguments":
            code: Any = getattr(entry, "__code__", None)
            takes = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            return entry(**{name: cell for name, cell in person.items() if name in takes}, **extra)
        case "mapping":
            return entry(person, **extra)
        case "object":
            return entry(SimpleNamespace(**person), **extra)
        case "method":
            return entry(holder(**person), **extra)
        case "people":
            return entry([person], **extra)
        case "frame":
            raise AssertionError("fitted models are for the process executor")


def outcome(call: Callable[[], object]) -> Outcome:
    try:
        value = call()
    except Exception as error:
        return Crashed(type(error).__name__, str(error))
    kind = "none" if value is None else type(value).__name__
    if kind not in {"none", "bool", "int", "float", "str", "list", "tuple", "dict"}:
        return Incomparable(kind)
    number = isinstance(value, bool | float) and value == int(value)
    return Value(kind, json.dumps(int(value) if number else value, sort_keys=True))  # type: ignore[arg-type,call-overload]
