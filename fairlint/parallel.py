"""Analysis of many sources in several processes.

Processes are forked, so that they start at once with everything loaded, and only where that is safe: not on
systems whose libraries dislike it, and not beside other threads. Elsewhere a run is serial.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairlint.runner import Checked, Checker, Mentioning

BATCH = 150_000
"""Bytes to analyse that are handed to a process at a time."""
MOST = 8
_ENDING = (signal.SIGINT, signal.SIGTERM)

_checker: Checker | None = None
_pending: Sequence[Mentioning] = ()


def available() -> bool:
    """Whether more processes can be had and would help."""
    return sys.platform == "linux" and threading.active_count() == 1 and _count() > 1


def analyse(
    checker: Checker, pending: Sequence[Mentioning], lost: Callable[[str, None], Checked]
) -> Iterator[Checked]:
    """The results for `pending`, in any order. `lost` makes the one for a source that a process died of.

    Interrupting it leaves no process behind.
    """
    global _checker, _pending
    # What every process needs is made once, before they part.
    _ = checker.parsers, checker.detectors, checker.rules, checker.vocabulary
    _checker, _pending = checker, pending  # forked processes find them here, nothing need be sent
    try:
        unfinished = yield from _run(list(_batches(pending)), _count())
        for batch in unfinished:
            for index in batch:
                # Alone in a process of its own: the one that kills it is found, the others are checked.
                if (yield from _run([(index,)], 1)):
                    yield lost(pending[index].source.path, None)
    finally:
        _checker, _pending = None, ()


def _count() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return min(MOST, len(affinity(0)) if affinity else os.cpu_count() or 1)


def _batches(pending: Sequence[Mentioning]) -> Iterator[tuple[int, ...]]:
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


def _run(batches: Sequence[tuple[int, ...]], workers: int) -> Generator[Checked, None, list[tuple[int, ...]]]:
    """Yields results; returns the batches that were lost with a process."""
    import multiprocessing  # noqa: PLC0415 (only large runs need it)
    from concurrent.futures import ProcessPoolExecutor, as_completed  # noqa: PLC0415
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    lost = []
    pool = ProcessPoolExecutor(
        min(workers, len(batches)), multiprocessing.get_context("fork"), initializer=_begin
    )
    finished = False
    terminated = _raise_on_termination()
    try:
        with _signals_held():
            futures = {pool.submit(_work, batch): batch for batch in batches}
        for future in as_completed(futures):
            try:
                yield from future.result()
            except BrokenProcessPool:
                lost.append(futures[future])
        finished = True
    finally:
        if not finished:
            for process in multiprocessing.active_children():
                process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)
        if terminated is not None:
            signal.signal(signal.SIGTERM, terminated)
    return lost


@contextmanager
def _signals_held() -> Iterator[None]:
    """Lets interrupts wait: one that comes amid a fork would be lost, or leave a process nobody knows of."""
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


def _begin() -> None:
    """In a new process: an interrupt is the parent's business, which then ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)


def _work(batch: Sequence[int]) -> list[Checked]:
    assert _checker is not None
    return [_checker.analyse(_pending[index]) for index in batch]
