"""What an executor is: something that calls one function with many people, outside this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, Self

from fairlint.counterfactual.population import Cell
from fairlint.support.records import Record

Given = Cell | tuple[Cell, ...]
"""What a program may be given in one place: programs get a tuple as a list."""

CallStyle = Literal["arguments", "mapping", "object", "method", "people", "frame"]
"""How a function takes a person: each column as an argument, one dict, one object with fields, as `self` of a
class that is made of the columns, a list of dicts out of which it chooses, or, as fitted models do, a pandas
data frame with all people, for whom it returns an outcome each (`process` alone has that)."""


class Call(Record):
    """How a function is called with a person."""

    style: CallStyle
    names: tuple[str, ...]
    """The parameters, keys or fields that a row's cells are handed in as, in the row's order."""
    extra: tuple[tuple[str, Cell], ...] = ()
    """Other arguments by name, the same in each call (the dimension of `find_people(people, dimension)`)."""


class Program(Record):
    """Code, and what is called in it."""

    source: str
    entry: str
    """`decide`, or `Applicant.decide`."""
    call: Call
    data: bytes = b""
    """What goes with the code, which finds it as `DATA` (a saved model); for `process` alone."""


class Limits(Record):
    """What one batch of calls may take."""

    seconds: float = 10.0
    """Of a processor, or of waiting. Monty counts them by the clock and gets them twice, as a busy machine is
    no endless loop."""
    memory: int = 512 * 1024 * 1024
    """Bytes."""
    depth: int = 500
    """Calls within calls."""
    output: int = 64 * 1024 * 1024
    """Bytes that all values may come to, as JSON."""
    text: int = 4_096
    """Characters of a value's canonical text; a digest stands for a longer one."""


class Value(Record):
    """What a call returned. Two values are the same outcome where `text` is the same."""

    kind: Literal["none", "bool", "int", "float", "str", "list", "tuple", "set", "dict"]
    text: str
    """Its canonical JSON: what Python calls equal has equal texts (1, 1.0 and True; sets in any order)."""


class Incomparable(Record):
    """A call returned something that has no value to compare: an object, a function."""

    type: str


class Crashed(Record):
    """A call raised an exception."""

    error: str
    """The exception's type."""
    message: str


Outcome = Value | Incomparable | Crashed


class Failed(Record):
    """Nothing came of a batch."""

    cause: Literal[
        "syntax", "definition", "missing", "time", "memory", "depth", "output", "unsupported", "died"
    ]
    """It does not parse; running it to its definitions fails; the entry is not there; a limit; what this
    executor lacks; the process ended."""
    message: str
    """One line."""


class Executor(Protocol):
    """Runs programs. Used as a context manager: what it started ends with it."""

    name: str
    """`monty`, `process` or `process-unsafe`."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_exception: object) -> None: ...

    def run(
        self, program: Program, people: Sequence[Sequence[Given]], limits: Limits
    ) -> tuple[Outcome, ...] | Failed:
        """Return the outcome of each person, in order. May be called from several threads.

        Never raises for what the program does.
        """
