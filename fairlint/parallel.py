"""Analysis of many sources in several processes, each of which can be ended while the others go on.

Processes are forked, so that they start at once with everything loaded, and only where that is safe: not on
systems whose libraries dislike it, and not beside other threads. Elsewhere a run is serial.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from fairlint.config import UsageError
from fairlint.records import Record

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

    from fairlint.runner import Checked, Checker, Mentioning

BATCH = 150_000
"""Bytes to analyse that are handed to a process at a time."""
MOST = 8
GRACE = 2.0
"""Seconds that a process has to end a source by itself when its time is up."""
_ENDING = (signal.SIGINT, signal.SIGTERM)
_DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG of prctl(2)."""

Batch = tuple[int, ...]
"""Places in the sequence of sources."""


class Lost(Record):
    """What comes of sources that a process did not survive, by their paths."""

    broken: Callable[[str, Exception | None], Checked]
    """Its process died, and died again when it was alone; or its result cannot be handed on."""
    hung: Callable[[str], Checked]
    """Its process had to be ended, because the time was up."""


def available(*, alone: bool = False) -> bool:
    """Whether more processes can be had and would help; `alone` says that one of them does."""
    return sys.platform == "linux" and threading.active_count() == 1 and (alone or _count() > 1)


def analyse(checker: Checker, pending: Sequence[Mentioning], lost: Lost) -> Iterator[Checked]:
    """The results for `pending`, in any order. Interrupting it leaves no process behind."""
    # What every process needs is made once, before they part.
    _ = checker.languages, checker.detectors, checker.rules, checker.vocabulary
    crew = _Crew(checker, pending, lost)
    terminated = _raise_on_termination()
    try:
        yield from crew.work(_batches(pending), _count())
        # What a process died of is analysed alone: another may have taken the memory.
        for index in crew.fallen.copy():
            yield from crew.work([(index,)], 1)
    finally:
        crew.end()
        if terminated is not None:
            signal.signal(signal.SIGTERM, terminated)


def _count() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return min(MOST, len(affinity(0)) if affinity else os.cpu_count() or 1)


def _batches(pending: Sequence[Mentioning]) -> Iterator[Batch]:
    """Indices, the largest sources first, so that none is left for the end."""
    order = sorted(range(len(pending)), key=lambda index: -len(pending[index].raw))
    batch: list[int] = []
    size = 0
    for index in order:
        batch.append(index)
        size += len(pending[index].raw)
        if size >= BATCH:
            yield tuple(batch)
            batch, size = [], 0
    if batch:
        yield tuple(batch)


class _Worker(Record, frozen=False, eq=False):
    """A process, the line to it, what it still has to do, and since when it is at the first of these."""

    process: ForkProcess
    line: Connection[Any, Any]
    left: deque[int]
    since: float


class _Crew:
    """The processes of one run."""

    def __init__(self, checker: Checker, pending: Sequence[Mentioning], lost: Lost) -> None:
        self._checker = checker
        self._pending = pending
        self._lost = lost
        seconds = checker.settings.file_timeout
        self._most = seconds + GRACE if seconds else math.inf
        self._workers: list[_Worker] = []
        self.fallen: list[int] = []
        """The sources that a process died of, in the order in which that happened."""

    def work(self, batches: Iterable[Batch], count: int) -> Iterator[Checked]:
        """The results for all batches, by so many processes at most."""
        from multiprocessing.connection import wait  # noqa: PLC0415 (only large runs need it)

        waiting = deque(batches)
        while waiting or self._workers:
            while waiting and len(self._workers) < count:
                self._start(waiting.popleft())
            until = min(worker.since for worker in self._workers) + self._most
            patience = None if math.isinf(until) else max(0.0, until - time.monotonic())
            ready = wait([worker.line for worker in self._workers], patience)
            for worker in self._workers.copy():
                if worker.line in ready:
                    yield from self._heard(worker, waiting)
                elif time.monotonic() - worker.since >= self._most:
                    yield self._lost.hung(self._path(self._given_up(worker, waiting)))

    def end(self) -> None:
        """Ends all processes, whatever they do."""
        for worker in self._workers.copy():
            self._dismiss(worker)

    def _start(self, batch: Batch) -> None:
        import multiprocessing  # noqa: PLC0415 (only large runs need it)

        context = multiprocessing.get_context("fork")
        line, other = context.Pipe()
        task = (other, self._checker, self._pending, self._lost, os.getpid())
        process = context.Process(target=_serve, args=task, daemon=True)
        with _signals_held():
            process.start()
            worker = _Worker(process, line, deque(), 0.0)
            self._workers.append(worker)
        other.close()
        _tell(worker, batch)

    def _heard(self, worker: _Worker, waiting: deque[Batch]) -> Iterator[Checked]:
        """What a process says, which may be that it is no more."""
        try:
            result = worker.line.recv()
        except (EOFError, OSError):
            index = self._given_up(worker, waiting)
            if index in self.fallen:
                yield self._lost.broken(self._path(index), None)
            else:
                self.fallen.append(index)
            return
        if isinstance(result, Exception):
            raise result
        worker.left.popleft()
        worker.since = time.monotonic()
        if not worker.left and waiting:
            _tell(worker, waiting.popleft())
        elif not worker.left:
            self._dismiss(worker)
        yield result

    def _given_up(self, worker: _Worker, waiting: deque[Batch]) -> int:
        """Ends a process; gives the source that it was at, and the others to those that come."""
        self._dismiss(worker)
        index, *others = worker.left
        if others:
            waiting.append(tuple(others))
        return index

    def _dismiss(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.process.kill()
        worker.process.join()
        worker.line.close()

    def _path(self, index: int) -> str:
        return self._pending[index].source.path


def _tell(worker: _Worker, batch: Batch) -> None:
    worker.left.extend(batch)
    worker.since = time.monotonic()
    with suppress(OSError):  # it died meanwhile, and that will be heard
        worker.line.send(batch)


@contextmanager
def _signals_held() -> Iterator[None]:
    """Lets interrupts wait: one that comes amid a fork would be lost, or leave a process behind."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _raise_on_termination() -> Any:
    """Makes SIGTERM, which would leave the processes behind, end the run like an exit does.

    Returns the handler to put back, or None where the program has its own.
    """
    if threading.current_thread() is not threading.main_thread():
        return None
    if signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        return None

    def leave(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    return signal.signal(signal.SIGTERM, leave)


# ---------------------------------------------------------------------------------------- in a new process


def _serve(
    line: Connection[Any, Any], checker: Checker, pending: Sequence[Mentioning], lost: Lost, parent: int
) -> None:
    """Analyses what it is told to, until it is told nothing more."""
    _begin(parent)
    with suppress(EOFError, OSError):  # there is nobody left to tell
        while True:
            for index in line.recv():
                result = _result(checker, pending[index])
                try:
                    line.send(result)
                except OSError:
                    raise
                except Exception as error:
                    line.send(lost.broken(pending[index].source.path, error))


def _result(checker: Checker, source: Mentioning) -> Checked | UsageError:
    try:
        return checker.analyse(source)
    except UsageError as error:
        return error


def _begin(parent: int) -> None:
    """An interrupt is the parent's business, which then ends this process; so does its death."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    import ctypes  # noqa: PLC0415 (start-up: only large runs need it)

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
