"""Analysis of many sources in several processes, each of which can be ended while the others go on.

The processes begin while files are still read here, and are told of those that come later. They are forked,
so that they start at once with everything loaded, and only where that is safe: not on systems whose libraries
dislike it, and not beside other threads. Elsewhere a run is serial.
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
from heapq import heappop, heappush
from itertools import islice
from typing import TYPE_CHECKING, Any

from fairlint.config import UsageError
from fairlint.records import Record

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

    from fairlint.runner import Checked, Checker, Mentioning

BATCH = 50_000
"""Bytes to analyse that are handed to a process at a time."""
MOST = 8
GRACE = 2.0
"""Seconds that a process has to end a source by itself when its time is up."""
_ENDING = (signal.SIGINT, signal.SIGTERM)
_DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG of prctl(2)."""

FILES_BETWEEN = 16
"""Files that are read before the processes are heard again."""


class Lost(Record):
    """What comes of sources that a process did not survive, by their paths."""

    broken: Callable[[str, Exception | None], Checked]
    """Its process died, and died again when it was alone; or its result cannot be handed on."""
    hung: Callable[[str], Checked]
    """Its process had to be ended, because the time was up."""


def available(*, alone: bool = False) -> bool:
    """Whether more processes can be had and would help; `alone` says that one of them does."""
    return sys.platform == "linux" and threading.active_count() == 1 and (alone or _count() > 1)


def analyse(
    checker: Checker, pending: list[Mentioning], coming: Iterator[Mentioning | None], lost: Lost
) -> Iterator[Checked]:
    """The results for `pending` and for what is still `coming`, in any order. None is a file without work.

    Interrupting it leaves no process behind.
    """
    checker.load_all()  # once, before they part
    crew = _Crew(checker, pending, lost)
    terminated = _raise_on_termination()
    try:
        yield from crew.work(range(len(pending)), coming, _count())
        # What a process died of is analysed alone: another may have taken the memory.
        for index in crew.fallen.copy():
            yield from crew.work([index], iter(()), 1)
    finally:
        crew.end()
        if terminated is not None:
            signal.signal(signal.SIGTERM, terminated)


def _count() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return min(MOST, len(affinity(0)) if affinity else os.cpu_count() or 1)


class _Worker(Record, frozen=False, eq=False):
    """A process, the line to it, what it still has to do, and since when it is at the first of these."""

    process: ForkProcess
    line: Connection[Any, Any]
    inherited: int
    """How many sources it knows from its parent; later ones are sent to it."""
    left: deque[int]
    since: float


class _Crew:
    """The processes of one run."""

    def __init__(self, checker: Checker, pending: list[Mentioning], lost: Lost) -> None:
        self._checker = checker
        self._pending = pending
        self._lost = lost
        seconds = checker.settings.file_timeout
        self._most = seconds + GRACE if seconds else math.inf
        self._workers: list[_Worker] = []
        self._waiting: list[tuple[int, int]] = []
        """The sources that no process has, as a heap: the largest first, so that none is left for the end."""
        self.fallen: list[int] = []
        """The sources that a process died of, in the order in which that happened."""

    def work(
        self, indices: Iterable[int], coming: Iterator[Mentioning | None], count: int
    ) -> Iterator[Checked]:
        """The results for these of the sources and for what is coming, by so many processes at most."""
        for index in indices:
            self._put(index)
        is_coming = True
        while is_coming or self._waiting or self._workers:
            self._hand_out(count, keep=is_coming)
            if self._workers:
                yield from self._hear(0.0 if is_coming else self._patience())
            if is_coming:
                read = list(islice(coming, FILES_BETWEEN))
                is_coming = bool(read)
                for one in filter(None, read):
                    self._pending.append(one)
                    self._put(len(self._pending) - 1)

    def end(self) -> None:
        """Ends all processes, whatever they do."""
        for worker in self._workers.copy():
            self._dismiss(worker)

    def _put(self, index: int) -> None:
        heappush(self._waiting, (-len(self._pending[index].raw), index))

    def _hand_out(self, count: int, *, keep: bool) -> None:
        """Gives every process something to do, starting up to `count`; others are kept or dismissed."""
        for worker in self._workers.copy():
            if not worker.left and self._waiting:
                self._tell(worker)
            elif not (worker.left or keep):
                self._dismiss(worker)
        while self._waiting and len(self._workers) < count:
            self._tell(self._start())

    def _start(self) -> _Worker:
        import multiprocessing  # noqa: PLC0415 (only large runs need it)

        context = multiprocessing.get_context("fork")
        line, other = context.Pipe()
        task = (other, self._checker, self._pending, self._lost, os.getpid())
        process = context.Process(target=_serve, args=task, daemon=True)
        with _signals_held():
            process.start()
            worker = _Worker(process, line, len(self._pending), deque(), 0.0)
            self._workers.append(worker)
        other.close()
        return worker

    def _tell(self, worker: _Worker) -> None:
        """Hands a batch to a process."""
        batch: list[tuple[int, Mentioning | None]] = []
        size = 0
        while self._waiting and size < BATCH:
            small, index = heappop(self._waiting)
            size -= small
            batch.append((index, None if index < worker.inherited else self._pending[index]))
            worker.left.append(index)
        worker.since = time.monotonic()
        with suppress(OSError):  # it died meanwhile, and that will be heard
            worker.line.send(batch)

    def _patience(self) -> float | None:
        """Seconds until the first process has been too long at its source; None: for ever."""
        until = min(worker.since for worker in self._workers) + self._most
        return None if math.isinf(until) else max(0.0, until - time.monotonic())

    def _hear(self, patience: float | None) -> Iterator[Checked]:
        """What the processes say within so many seconds; those that are too long at a source are ended."""
        from multiprocessing.connection import wait  # noqa: PLC0415 (only large runs need it)

        ready = wait([worker.line for worker in self._workers], patience)
        for worker in self._workers.copy():
            if worker.line in ready:
                yield from self._heard(worker)
            elif worker.left and time.monotonic() - worker.since >= self._most:
                yield self._lost.hung(self._path(self._given_up(worker)))

    def _heard(self, worker: _Worker) -> Iterator[Checked]:
        """What a process says, which may be that it is no more."""
        try:
            result = worker.line.recv()
        except (EOFError, OSError):
            if not worker.left:
                self._dismiss(worker)
                return
            index = self._given_up(worker)
            if index in self.fallen:
                yield self._lost.broken(self._path(index), None)
            else:
                self.fallen.append(index)
            return
        if isinstance(result, Exception):
            raise result
        worker.left.popleft()
        worker.since = time.monotonic()
        yield result

    def _given_up(self, worker: _Worker) -> int:
        """Ends a process; gives the source that it was at, and the others to those that come."""
        self._dismiss(worker)
        index, *others = worker.left
        for other in others:
            self._put(other)
        return index

    def _dismiss(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.process.kill()
        worker.process.join()
        worker.line.close()

    def _path(self, index: int) -> str:
        return self._pending[index].source.path


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
            for index, sent in line.recv():
                source = pending[index] if sent is None else sent
                result = _result(checker, source)
                try:
                    line.send(result)
                except OSError:
                    raise
                except Exception as error:
                    line.send(lost.broken(source.source.path, error))


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
