"""Analysis of many pieces in several processes, each of which can be ended while the others go on.

The processes begin while files are still read here, and are told of those that come later. Those of a run
over files are forked, so that they start at once with everything loaded, and only where that is safe: not on
systems whose libraries dislike it, and not beside other threads. Elsewhere a run is serial. What they are
forked from holds nothing of the run (`forking`). The bench has threads and much in its memory, and starts its
processes anew.
"""

from __future__ import annotations

import gc
import math
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from heapq import heappop, heappush
from itertools import count, islice
from typing import TYPE_CHECKING, Any

from fairlint.processes import signals
from fairlint.processes.deadline import guard
from fairlint.processes.workers import FailureHandlers, Job, Task, Worker
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    import subprocess
    from multiprocessing.connection import Connection

    from fairlint.processes.zygote import Zygote

BATCH = 50_000
"""Bytes to analyse that are handed to a process at a time."""
MOST = 8
GRACE = 2.0
"""Seconds that a process has to end a source by itself when its time is up."""
SOONEST = 0.05
"""Seconds between two looks at what the processes have spent."""
STALLED = 60
"""Seconds after which a process that reads or writes nothing amid a message is given up."""
FILES_BETWEEN = 16
"""Files that are read before the processes are heard again."""
AHEAD = 4_000_000
"""Bytes to analyse that may wait; no more files are read meanwhile."""
RENEWED = 8_000_000
"""Bytes after which a process is replaced, so that what pieces leave in its memory does not add up."""
GARBAGE = 100_000
"""New objects after which a process looks for garbage, between two pieces."""
GARBAGE_AMID = 1_000_000
"""The same amid a piece, in a process that begins anew: by Python's own measure it looks all the time."""
STARTING = 180.0
"""Seconds that a new process has until it can analyse."""
FALSE_STARTS = 3
"""So many processes in a row that end before they can analyse are the end of the run."""
TEMPLATES = 3
"""So many processes to fork others from are tried for one of them."""


def available(*, alone: bool = False) -> bool:
    """Return whether more processes can be had and would help; `alone` says that one of them does."""
    return sys.platform == "linux" and threading.active_count() == 1 and (alone or _process_count() > 1)


def analyse(
    work: Job,
    pending: Iterable[Task],
    coming: Iterator[Task | None],
    lost: FailureHandlers,
    *,
    start: Start | None = None,
    most: int = 0,
) -> Iterator[Any]:
    """Yield the results for `pending` and for what is still `coming`, in any order. None is a file without
    work.

    `start` begins a process, which is forked where nobody says otherwise; there are `most` of them, or as
    many as there are cores. Interrupting it leaves no process behind.
    """
    template = None
    if start is None:
        work.load_all()  # once, before they part
        start = template = FromTemplate()
    crew = _WorkerPool(work, lost, start)
    with signals.signals_as_exit():
        try:
            yield from crew.work(pending, coming, most or _process_count())
            # What a process died of, or was stopped at, is analysed alone: another may have taken the memory.
            for one in crew.fallen.copy():
                yield from crew.work([one], iter(()), 1)
        finally:
            crew.end()
            if template is not None:
                template.end()


def _process_count() -> int:
    return min(MOST, cores())


def cores() -> int:
    """Return how many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


Started = tuple[Callable[[], None], "Connection[Any, Any]", int, float]
"""What ends a process, the line to it, its number, and when it has to have begun."""
Start = Callable[[Job, FailureHandlers], Started]


def fork_process(work: Job, lost: FailureHandlers) -> Started:
    """Return a process that goes on from here, with everything loaded."""
    import multiprocessing  # noqa: PLC0415 (only large runs need it)

    context = multiprocessing.get_context("fork")
    line, other = context.Pipe()
    process = context.Process(target=_serve_pieces, args=(other, work, lost, os.getpid()), daemon=True)
    with other:
        try:
            process.start()
        except OSError:
            line.close()
            raise

    def end() -> None:
        process.kill()
        process.join()

    return end, line, process.pid or 0, 0.0


class FromTemplate:
    """Begins processes that all have what this one had when the first of them began."""

    def __init__(self) -> None:
        self._template: Zygote | None = None

    def __call__(self, work: Job, lost: FailureHandlers) -> Started:
        """Return a new process; where the system cannot have it so, one that is forked from this one."""
        from fairlint.processes import zygote  # noqa: PLC0415 (only large runs need it)

        if not zygote.available():
            return fork_process(work, lost)

        def serve(line: Connection[Any, Any], parent: int) -> None:
            _serve_pieces(line, work, lost, parent)

        for _ in range(TEMPLATES):
            if self._template is None:
                self._template = zygote.Zygote(serve)
            try:
                made = self._template.start()
            except zygote.LostTemplateError:
                self.end()
                continue
            return made.end, made.line, made.number, 0.0
        return fork_process(work, lost)

    def end(self) -> None:
        """End what processes are forked from."""
        if self._template is not None:
            self._template.end()
            self._template = None


def fresh(work: Job, lost: FailureHandlers) -> Started:
    """Return a process that begins anew, which is safe beside threads and takes nothing of this
    one's memory.
    """
    try:
        process, line = begun_anew("fairlint.processes.parallel", "serve_anew")
    except OSError as error:
        raise UsageError(f"no process can be started: {error.strerror or error}") from None

    def end() -> None:
        process.kill()
        process.wait()

    with suppress(OSError):  # it died meanwhile, and that will be heard
        line.send((work, lost))
    return end, line, process.pid, time.monotonic() + STARTING


def begun_anew(
    module: str, function: str, environment: Mapping[str, str] | None = None
) -> tuple[subprocess.Popen[bytes], Connection[Any, Any]]:
    """Return a process in which a function of a module is given the line to this one; and this end of the
    line.

    It has these variables besides its parent's, no standard input, and no standard output. It ends with its
    parent, and leaves an interrupt to it.
    """
    import multiprocessing  # noqa: PLC0415 (as above)
    import subprocess  # noqa: PLC0415 (as above)

    line, other = multiprocessing.Pipe()
    told = [str(other.fileno()), str(os.getpid()), module, function, *sys.path]
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-P", "-c", _ANEW, *told],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=[other.fileno()],
        env={**os.environ, **environment} if environment else None,
    )
    other.close()
    return process, line


def can_be_fresh() -> bool:
    """Return whether processes can begin anew here."""
    return os.name == "posix" and bool(sys.executable)


class _WorkerPool:
    """The processes of one run."""

    def __init__(self, checker: Job, lost: FailureHandlers, start: Start) -> None:
        self._checker = checker
        self._lost = lost
        self._begin = start
        self._false_starts = 0
        self._most = checker.seconds_each
        self._workers: list[Worker] = []
        self._waiting: list[tuple[int, int, Task]] = []
        """The pieces that no process has, as a heap: the largest first, so that none is left for the end."""
        self._size = 0
        """Of all that are waiting."""
        self._order = count()
        self.fallen: list[Task] = []
        """The pieces that a process died of, in the order in which that happened."""

    def work(self, pieces: Iterable[Task], coming: Iterator[Task | None], most: int) -> Iterator[Any]:
        """Yield the results for these pieces and for what is coming, by so many processes at most."""
        self._queue_pieces(pieces)
        is_coming = True
        while is_coming or self._waiting or self._workers:
            if time.monotonic() >= self._checker.until:
                yield from map(self._lost.late, self._abandon_pieces())
            self._hand_out(most, keep=is_coming)
            if self._waiting and not self._workers:
                yield self._analyse_here(self._next_piece())
            may_read = is_coming and self._size < AHEAD
            if self._workers:
                yield from self._hear_workers(0.0 if may_read else self._patience())
            if may_read:
                read = list(islice(coming, FILES_BETWEEN))
                is_coming = bool(read)
                self._queue_pieces(filter(None, read))

    def end(self) -> None:
        """End all processes, whatever they do."""
        for worker in self._workers.copy():
            self._dismiss_worker(worker)

    def _queue_pieces(self, pieces: Iterable[Task]) -> None:
        for one in pieces:
            self._size += one.size
            heappush(self._waiting, (-one.size, next(self._order), one))

    def _next_piece(self) -> Task:
        size, _, one = heappop(self._waiting)
        self._size += size
        return one

    def _abandon_pieces(self) -> list[str]:
        """Return the pieces that no process will have; nothing waits any more."""
        names = [one.name for _, _, one in self._waiting]
        self._waiting.clear()
        self._size = 0
        return names

    def _hand_out(self, most: int, *, keep: bool) -> None:
        """Give every process something to do, starting up to so many; others are kept or dismissed."""
        for worker in self._workers.copy():
            if not worker.left and (worker.done >= RENEWED or not (self._waiting or keep)):
                self._dismiss_worker(worker)
            elif not worker.left and self._waiting:
                self._tell(worker)
        while self._waiting and len(self._workers) < most:
            try:
                worker = self._start_worker()
            except OSError:  # the system has no more for us: those that are there, or this one, do it all
                return
            self._tell(worker)

    def _analyse_here(self, piece: Task) -> Any:
        """Return the result for a piece where no process can be had: this one's, unless others have died of
        it.
        """
        if piece in self.fallen:
            return self._lost.broken(piece.name, None)
        return self._checker.analyse(piece)

    def _start_worker(self) -> Worker:
        with signals.deferred_signals():
            worker = Worker(*self._begin(self._checker, self._lost), deque())
            self._workers.append(worker)
        _never_wait_long(worker.line)
        return worker

    def _tell(self, worker: Worker) -> None:
        """Hand a batch to a process."""
        size = 0
        while self._waiting and size < BATCH:
            worker.left.append(self._next_piece())
            size += worker.left[-1].size
        worker.begins()
        try:
            worker.line.send(list(worker.left))
        except BlockingIOError:  # it was stopped
            self._replace(worker)
        except OSError:  # it died meanwhile, and that will be heard
            pass

    def _patience(self) -> float | None:
        """Seconds until a process can have been too long at its piece; None: for ever."""
        now = time.monotonic()
        busy = [worker for worker in self._workers if worker.left]
        rest = [min(self._end_time(one) - now, self._most + GRACE - one.spent_seconds()) for one in busy]
        return None if min(rest, default=math.inf) == math.inf else max(SOONEST, min(rest))

    def _end_time(self, worker: Worker) -> float:
        """Return when a process is ended, whatever it has spent, unless it says something before."""
        own = worker.starts_until or worker.since + guard(self._most) + GRACE
        return min(own, self._checker.until + GRACE)

    def _hear_workers(self, patience: float | None) -> Iterator[Any]:
        """Yield what the processes say within so many seconds; those that are too long at a piece
        are ended.
        """
        from multiprocessing.connection import wait  # noqa: PLC0415 (only large runs need it)

        ready = wait([worker.line for worker in self._workers], patience)
        for worker in self._workers.copy():
            if worker.line in ready:
                yield from self._hear_worker(worker)
            elif worker.left:
                yield from self._looked_after(worker)

    def _looked_after(self, worker: Worker) -> Iterator[Any]:
        """End a process that is too long at its piece; what it did not work at is tried once more, alone."""
        now = time.monotonic()
        if worker.spent_seconds() >= self._most + GRACE or now >= self._checker.until + GRACE:
            yield self._lost.hung(self._given_up(worker).name)
        elif now >= self._end_time(worker) and worker.starts_until:
            self._replace_unstarted_worker(worker)
        elif now >= self._end_time(worker):
            yield from self._handle_fallen_piece(self._given_up(worker), self._lost.stopped)

    def _hear_worker(self, worker: Worker) -> Iterator[Any]:
        """Yield what a process says, which may be that it is no more."""
        try:
            result = worker.line.recv()
        except (EOFError, OSError):
            if not worker.left:
                self._dismiss_worker(worker)
            elif worker.starts_until:
                self._replace_unstarted_worker(worker)
            else:
                yield from self._handle_fallen_piece(self._given_up(worker), self._crash_result)
            return
        if result == BEGUN:
            self._false_starts = 0
            worker.starts_until = 0.0
            worker.begins()
            return
        if isinstance(result, Exception):
            raise result
        worker.done += worker.left.popleft().size
        worker.begins()
        if any(gap.cause == "memory" for gap in result.not_analysed):
            self._replace(worker)  # what it took is given back for certain
        yield result

    def _handle_fallen_piece(self, one: Task, told: Callable[[str], Any]) -> Iterator[Any]:
        """Yield what comes of a piece whose process is no more: nothing yet, where it was not alone."""
        if one in self.fallen:
            yield told(one.name)
        else:
            self.fallen.append(one)

    def _crash_result(self, name: str) -> Any:
        return self._lost.broken(name, None)

    def _replace_unstarted_worker(self, worker: Worker) -> None:
        """End a process that never got to its first piece."""
        self._replace(worker)
        self._false_starts += 1
        if self._false_starts == FALSE_STARTS:
            raise UsageError(f"no process can be started: {sys.executable} ends before it has begun")

    def _given_up(self, worker: Worker) -> Task:
        """End a process; gives the piece that it was at, and the others to those that come."""
        one: Task = worker.left.popleft()
        self._replace(worker)
        return one

    def _replace(self, worker: Worker) -> None:
        """End a process; gives what it has not done to those that come."""
        self._dismiss_worker(worker)
        self._queue_pieces(worker.left)

    def _dismiss_worker(self, worker: Worker) -> None:
        self._workers.remove(worker)
        worker.end()
        worker.line.close()


def _never_wait_long(line: Connection[Any, Any]) -> None:
    """Has reading and writing fail where the other side is stopped amid a message."""
    import socket  # noqa: PLC0415 (only large runs need it)
    import struct  # noqa: PLC0415 (as above)

    limit = struct.pack("@ll", STALLED, 0)
    with socket.socket(fileno=os.dup(line.fileno())) as end:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)


_ANEW = """
import sys
line, parent, module, function, *sys.path[:] = sys.argv[1:]
from fairlint.processes import signals
signals.end_with(int(parent))
from importlib import import_module
getattr(import_module(module), function)(int(line))
"""
"""The program of a process that begins anew. Whose child it is it says before it loads anything."""
BEGUN = "begun"
"""What it says when everything is loaded."""


def serve_anew(line: int) -> None:
    """Analyses, in a process that has begun anew, what it is told to."""
    from multiprocessing.connection import Connection  # noqa: PLC0415 (only large runs need it)

    os.set_inheritable(line, False)
    gc.set_threshold(GARBAGE_AMID, *gc.get_threshold()[1:])
    told: Connection[Any, Any] = Connection(line)
    with suppress(EOFError, OSError):  # as below
        work, lost = told.recv()
        try:
            work.load_all()
        except UsageError as error:
            told.send(error)
            return
        told.send(BEGUN)
        _answer_requests(told, work, lost)


def _serve_pieces(line: Connection[Any, Any], work: Job, lost: FailureHandlers, parent: int) -> None:
    """Analyses what it is told to, until it is told nothing more."""
    signals.end_with(parent)
    with suppress(EOFError, OSError):  # there is nobody left to tell
        _answer_requests(line, work, lost)


def _answer_requests(line: Connection[Any, Any], work: Job, lost: FailureHandlers) -> None:
    gc.freeze()  # what is loaded is no garbage
    while True:
        for piece in line.recv():
            result = _result_of_piece(work, piece)
            try:
                line.send(result)
            except OSError:
                raise
            except Exception as error:
                line.send(lost.broken(piece.name, error))
            if gc.get_count()[0] > GARBAGE:
                gc.collect()  # now, when hardly anything else is alive


def _result_of_piece(work: Job, piece: Task) -> Any:
    try:
        return work.analyse(piece)
    except UsageError as error:
        return error
