"""What goes to an executor's process, as JSON, and what comes back, in lines, which are not trusted."""

from __future__ import annotations

import ast
import json
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
from fairlint.syntax.python.own_parser import NotParsedError, shared_tree

LONGEST_SOURCE = 500_000
"""Characters of a program; a longer one is not read."""
MARGIN = 170
"""Calls within calls that the harness itself may need, beside the program's."""
LONGEST_OUTCOME = 10_000
"""Bytes of an outcome's line: 4,096 characters that JSON may double, or 600 that it may write by twelve.
Where values may be longer, twice as many more."""
_PIECE = 65_536
"""Bytes of lines that are read at once."""
LONGEST_PLACE = 10
"""Bytes of the number that stands for a person's outcome."""
TOO_MUCH = "returns more than it may"
_CAUSES = frozenset(get_args(get_type_hints(Failed)["cause"]))
_KINDS = frozenset(get_args(get_type_hints(Value)["kind"]))


@cache
def harness() -> str:
    """Return the text that runs beside a program."""
    return Path(__file__).with_name("harness.py").read_text(encoding="utf-8")


def parse_program(source: str) -> ast.Module | Failed:
    """Return the program's syntax tree, made without running anything. Several may ask for it, and nobody may
    change it.
    """
    if len(source) > LONGEST_SOURCE:
        return Failed("syntax", f"is longer than {LONGEST_SOURCE} characters")
    try:
        return shared_tree(source)
    except NotParsedError as error:
        where = f"line {error.line}: " if error.line else ""
        return Failed("syntax", where + _one_line(error.message))


def request(
    source: str, program: Program, people: Sequence[Sequence[Given]], limits: Limits
) -> dict[str, Any]:
    """Return what the harness is asked; for a frame, people come as `by_column` says."""
    asked: dict[str, Any] = {
        "source": source,
        "entry": program.entry,
        "style": program.call.style,
        "names": program.call.names,
        "extra": program.call.extra,
        "people": people,
        "output": limits.output,
        "longest": limits.text,
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


def largest(people: int, limits: Limits) -> int:
    """Return the bytes that the answer about so many people has at most."""
    # a text is written as JSON in JSON, which doubles its quotes
    texts = min(2 * limits.output, _longest_line(limits) * people)
    return LONGEST_OUTCOME + texts + LONGEST_PLACE * people


def _longest_line(limits: Limits) -> int:
    return LONGEST_OUTCOME + 2 * max(0, limits.text - Limits().text)


def outcomes(answer: str | bytes, people: int, limits: Limits) -> tuple[Outcome, ...] | Failed:
    """Return the outcome of each of so many people; a failure where the answer is not what a harness writes.

    It is read in pieces, as a program can forge it: no text makes it take much more memory than its length.
    """
    try:
        if len(answer) > largest(people, limits):
            return Failed("output", TOO_MUCH)
        text = answer.encode("ascii") if isinstance(answer, str) else answer
        return _read_outcomes(text, people, max(_PIECE, _longest_line(limits) + 1))
    except (ValueError, TypeError, LookupError, RecursionError):
        return Failed("died", "the process gave no answer that can be read")
    except MemoryError:
        return Failed("memory", "there is no memory left for the answer")


def _read_outcomes(answer: bytes, people: int, piece: int) -> tuple[Outcome, ...] | Failed:
    end = answer.rfind(b"\n")
    if end < 0 and answer.startswith(b"["):
        return _read_failure(answer)
    known: list[Outcome] = []
    at = 0
    while at < end:
        cut = end if end - at <= piece else answer.rfind(b"\n", at, at + piece)
        if cut < 0:
            raise ValueError
        parts = json.loads(b"[" + answer[at:cut].replace(b"\n", b",") + b"]")
        if len(known) + len(parts) > people:
            raise ValueError
        known += map(_read_outcome, parts)
        at = cut + 1
    if len(answer) - end > LONGEST_PLACE * people + 1:
        raise ValueError
    places = [int(place) for place in answer[end + 1 :].split()]
    if len(places) != people or (places and min(places) < 0):
        raise ValueError
    return tuple([known[place] for place in places])


def _read_failure(answer: bytes) -> Failed:
    match json.loads(answer[:LONGEST_OUTCOME]):
        case ["failed", cause, str(message)] if cause in _CAUSES:
            return Failed(cause, _one_line(message))
    raise ValueError


def _read_outcome(parts: list[str]) -> Outcome:
    match parts:
        case ["value", kind, str(text)] if kind in _KINDS:
            return Value(kind, text)  # type: ignore[arg-type]
        case ["incomparable", str(name)]:
            return Incomparable(name)
        case ["crashed", str(error), str(message)]:
            return Crashed(error, message)
    raise ValueError


def _one_line(text: str) -> str:
    """Return a text as one line."""
    return " ".join(text.split())
