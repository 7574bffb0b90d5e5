"""The process of one run: it takes over the streams, folder, environment and limits of the client's."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from io import TextIOWrapper
from typing import NoReturn

from fairlint.daemon.messages import Run
from fairlint.processes import signals
from fairlint.support.records import Record

_LIMITS = [getattr(resource, name) for name in sorted(dir(resource)) if name.startswith("RLIMIT_")]


class Handover(Record):
    """A run, the client's streams and folder, the client's process and the daemon's."""

    run: Run
    descriptors: list[int]
    client: int
    daemon: int


def serve_request(given: Handover, accept: Callable[[], None], work: Callable[[], None]) -> NoReturn:
    """Become the process that the client would have been, do the work, and end."""
    code = 1
    try:
        os.setsid()
        signals.end_with(given.daemon)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _take_limits(given.client)
        os.fchdir(given.descriptors[3])
        os.umask(given.run.umask)
        _take_environment(given.run)
        _take_streams(given.descriptors)
        accept()
        work()
        code = 0
    except SystemExit as finished:
        code = finished.code if isinstance(finished.code, int) else 1
    except BaseException:  # as Python itself tells it
        sys.excepthook(*sys.exc_info())
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)


def _take_limits(client: int) -> None:
    """Take the limits, the niceness and the cores of the client; an error where that is not allowed."""
    for limit in _LIMITS:
        told = resource.prlimit(client, limit)
        if told != resource.getrlimit(limit):
            resource.setrlimit(limit, told)
    nice = os.getpriority(os.PRIO_PROCESS, client)
    if nice != os.getpriority(os.PRIO_PROCESS, 0):
        os.setpriority(os.PRIO_PROCESS, 0, nice)
    cores = os.sched_getaffinity(client)
    if cores != os.sched_getaffinity(0):
        os.sched_setaffinity(0, cores)


def _take_environment(run: Run) -> None:
    if dict(os.environb) != run.environment:
        os.environb.clear()
        os.environb.update(run.environment)
    time.tzset()
    sys.argv[:] = run.arguments


def _take_streams(descriptors: Iterable[int]) -> None:
    """Make the client's streams this process's own, with the encodings that Python gave them there."""
    known = (sys.stdin, sys.stdout, sys.stderr)
    for place, (descriptor, stream) in enumerate(zip(descriptors, known, strict=False)):
        os.dup2(descriptor, place)
        opened = open(  # noqa: SIM115 (a stream, which stays open)
            place,
            "w" if place else "r",
            encoding=stream.encoding,
            errors=stream.errors,
            newline="\n" if place else None,
            closefd=False,
        )
        if place == 2 and isinstance(opened, TextIOWrapper):
            opened.reconfigure(line_buffering=True)
        setattr(sys, ("stdin", "stdout", "stderr")[place], opened)
