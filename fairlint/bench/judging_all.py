"""Many answers, judged by several processes, in their order."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
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
        yield from pool.map(_judged, [(suite, dict(kept)) for kept in answers], chunksize=CHUNK)
    finally:
        pool.shutdown(cancel_futures=True)


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _judged(work: tuple[str, Kept]) -> dict[str, Any]:
    suite, kept = work
    return {KEY: kept[KEY], **suite_of(suite).judge(kept)}
