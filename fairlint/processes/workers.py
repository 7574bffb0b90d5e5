"""What is shared out to processes, who works on it, and what is said of those that fall."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from fairlint.support.records import Record

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class Task(Protocol):
    """A source, or whatever else is analysed by itself."""

    @property
    def name(self) -> str:
        """What tells it from all others."""

    @property
    def size(self) -> int:
        """How much there is to analyse, in bytes."""


class Job(Protocol):
    """What is done with each piece; it is handed to every process."""

    @property
    def seconds_each(self) -> float:
        """How long one piece may take; infinite without a limit."""

    @property
    def until(self) -> float:
        """When the time for all is up."""

    def load_all(self) -> None:
        """Make everything that the analysis needs."""

    def analyse(self, piece: Any, /) -> Any:
        """Return the result for a piece, with what was `not_analysed` in it."""


class FailureHandlers(Record):
    """What comes of pieces that a process did not survive, by their names."""

    broken: Callable[[str, Exception | None], Any]
    """Its process died, and died again when it was alone; or its result cannot be handed on."""
    hung: Callable[[str], Any]
    """Its process had to be ended, because the time was up."""
    stopped: Callable[[str], Any]
    """Its process had to be ended though it did nothing, and so had another when it was alone."""
    late: Callable[[str], Any]
    """The time for the run was up before it began."""


class Worker(Record, frozen=False, eq=False):
    """A process, the line to it, and what it still has to do."""

    end: Callable[[], None]
    line: Connection[Any, Any]
    number: int
    starts_until: float
    """When it has to have begun; 0 once it has."""
    left: deque[Any]
    since: float = 0.0
    """When it came to the first of what is left, and what it had spent of the processor by then."""
    before: float = 0.0
    done: int = 0
    """Bytes that it has analysed."""

    def begins(self) -> None:
        """Note that it comes to a piece."""
        self.since, self.before = time.monotonic(), _spent_by(self.number)

    def spent_seconds(self) -> float:
        """Return the seconds of the processor that it has spent on the piece, as far as the system says."""
        return 0.0 if self.starts_until else _spent_by(self.number) - self.before


def _spent_by(process: int) -> float:
    """Return the seconds of the processor that a process has spent; 0 where the system does not say."""
    if sys.platform != "linux":
        return 0.0
    try:
        return time.clock_gettime(~process << 3 | 2)  # as clock_getcpuclockid(3) says it
    except OSError:  # it has ended
        return 0.0
