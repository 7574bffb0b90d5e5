"""What goes to an executor's process and what comes back, as JSON; what comes back is not trusted."""

from __future__ import annotations

import ast
import json
import threading
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

from fairlint.counterfactual.executors.executor import (
    Crashed,
    Failed,
    Given,
    Incomparable,
    Limits,
    Outcome,
    Program,
    Value,
)

LONGEST_SOURCE = 500_000
"""Characters of a program; a longer one is not read."""
MARGIN = 170
"""Calls within calls that the harness itself may need, beside the program's."""
_CAUSES = frozenset(get_args(get_type_hints(Failed)["cause"]))
_KINDS = frozenset(get_args(get_type_hints(Value)["kind"]))
_LOCK = threading.Lock()


@cache
def harness() -> str:
    """The text that runs beside a program."""
    return Path(__file__).with_name("harness.py").read_text(encoding="utf-8")


def parsed(source: str) -> ast.Module | Failed:
    """The program's syntax tree, made without running anything."""
    if len(source) > LONGEST_SOURCE:
        return Failed("syntax", f"is longer than {LONGEST_SOURCE} characters")
    try:
        with _LOCK, warnings.catch_warnings():  # which is one for all threads
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except SyntaxError as error:
        where = f"line {error.lineno}: " if error.lineno else ""
        return Failed("syntax", where + _line(error.msg))
    except ValueError as error:
        return Failed("syntax", _line(str(error)))
    except (RecursionError, MemoryError):
        return Failed("syntax", "is nested too deeply")


def request(
    source: str, program: Program, people: Sequence[Sequence[Given]], limits: Limits
) -> dict[str, Any]:
    """What the harness is asked; for a frame, people come as `by_column` says."""
    asked: dict[str, Any] = {
        "source": source,
        "entry": program.entry,
        "style": program.call.style,
        "names": program.call.names,
        "extra": program.call.extra,
        "people": people,
        "output": limits.output,
    }
    if program.call.style == "frame":
        columns = by_column(people, len(program.call.names))
        asked |= {"people": (), "columns": columns, "count": len(people)}
    return asked


def by_column(people: Sequence[Sequence[Given]], width: int) -> list[tuple[list[Given], list[int]]]:
    """For each column its distinct cells, and for each person the place of theirs."""
    found = []
    for place in range(width):
        known: dict[tuple[type, Given], int] = {}
        codes = [known.setdefault((row[place].__class__, row[place]), len(known)) for row in people]
        found.append(([cell for _, cell in known], codes))
    return found


def outcomes(answer: str | bytes, people: int) -> tuple[Outcome, ...] | Failed:
    """The outcome of each of so many people; a failure where the answer is not what a harness writes."""
    try:
        told = json.loads(answer)
        if "failed" in told:
            cause, message = told["failed"]
            if cause in _CAUSES and isinstance(message, str):
                return Failed(cause, _line(message))
        else:
            known = [_outcome(parts) for parts in told["outcomes"]]
            if len(told["each"]) == people and all(place >= 0 for place in told["each"]):
                return tuple([known[place] for place in told["each"]])
    except (ValueError, TypeError, LookupError, RecursionError):
        pass
    return Failed("died", "the process gave no answer that can be read")


def _outcome(parts: list[str]) -> Outcome:
    if not all(isinstance(part, str) for part in parts):
        raise TypeError
    match parts:
        case ["value", kind, text] if kind in _KINDS:
            return Value(kind, text)  # type: ignore[arg-type]
        case ["incomparable", name]:
            return Incomparable(name)
        case ["crashed", error, message]:
            return Crashed(error, message)
    raise ValueError


def _line(text: str) -> str:
    """A text as one line."""
    return " ".join(text.split())
