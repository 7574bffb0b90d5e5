"""Many answers, judged by several processes, in their order."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from fairlint.bench.run_folder import KEY
from fairlint.bench.suites import suite_of
from fairlint.bench.suites.suite import Kept

ENOUGH = 200
"""Answers from which on several processes judge them."""
CHUNK = 50


def judge_all(suite: str, answers: Sequence[Kept], *, workers: int = 1) -> Iterator[dict[str, Any]]:
    """The outcome of each answer with its key, some at a time.

    `workers` 0 takes as many processes as there are cores. They import the main program anew: a script that
    asks for several needs the usual `if __name__ == "__main__"`.
    """
    count = workers or _cores()
    if count == 1 or len(answers) < ENOUGH:
        for kept in answers:
            yield _judged((suite, kept))
        return
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 (only many answers need it)
    from multiprocessing import get_context  # noqa: PLC0415 (as above)

    pool = ProcessPoolExecutor(count, get_context("spawn"))
    try:
        with _interrupted_later():
            found = pool.map(_judged, [(suite, dict(kept)) for kept in answers], chunksize=CHUNK)
        yield from found
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _interrupted_later() -> Iterator[None]:
    """Processes that are started here see no interrupts; one that comes meanwhile is raised at the end.

    Ending them is the parent's business, and each would print where it was interrupted.
    """
    came: list[int] = []
    try:
        before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    except ValueError:  # only the main thread is interrupted
        yield
        return
    mask = getattr(signal, "pthread_sigmask", None)
    blocked = mask(signal.SIG_BLOCK, {signal.SIGINT}) if mask else ()
    try:
        yield
    finally:
        if mask:
            mask(signal.SIG_SETMASK, blocked)
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _judged(work: tuple[str, Kept]) -> dict[str, Any]:
    suite, kept = work
    return {KEY: kept[KEY], **suite_of(suite).judge(kept)}
