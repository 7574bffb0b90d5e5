"""A limit of wall-clock time for work in this process.

In the main thread a timer of the system interrupts the work; that costs a few system calls and no process. It
is not there in other threads, on Windows, and where the program uses the timer itself: then a second thread
interrupts. Neither ends what hangs within a C function that never looks for signals, as a plugin's may; only
the end of a process does, and that is left to `parallel`.
"""

from __future__ import annotations

import math
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

AGAIN = 1.0
"""Seconds after which work that has swallowed the interruption is interrupted once more."""

_Result = TypeVar("_Result")


class TooLongError(BaseException):
    """The time is up. No Exception, so that nothing on the way takes it for one of its own."""


def within(seconds: float, work: Callable[[], _Result]) -> _Result:
    """What `work` gives; TooLongError if it takes longer than `seconds`. 0 and infinity are no limit."""
    if not 0 < seconds < math.inf:
        return work()
    if hasattr(signal, "setitimer") and signal.getsignal(signal.SIGALRM) == signal.SIG_DFL:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        except ValueError:  # not the main thread
            pass
        else:
            return _timed(seconds, work)
    return _watched(seconds, work)


def _timed(seconds: float, work: Callable[[], _Result]) -> _Result:
    """As `within`, by a timer. The inner `finally` is where a signal may still interrupt."""
    running = True

    def end(_number: int, _frame: object) -> None:
        if running:
            raise TooLongError

    signal.signal(signal.SIGALRM, end)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
            return work()
        finally:
            running = False
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _watched(seconds: float, work: Callable[[], _Result]) -> _Result:
    """As `within`, by a second thread, which has Python raise the error in this one."""
    import ctypes  # noqa: PLC0415 (start-up: hardly any run needs them)
    import threading  # noqa: PLC0415

    this = ctypes.c_ulong(threading.get_ident())
    interrupt = ctypes.pythonapi.PyThreadState_SetAsyncExc
    done, between = threading.Event(), threading.Lock()
    interrupted = False

    def watch() -> None:
        nonlocal interrupted
        wait = seconds
        while not done.wait(wait):
            with between:
                if not done.is_set():
                    interrupted = True
                    interrupt(this, ctypes.py_object(TooLongError))
            wait = AGAIN

    def settle() -> None:
        """Has what may still be raised raised here. Python before 3.12 must not be told to forget it: it
        would go on to look for it, which costs time, and never ends where a profiler or debugger looks on.
        """
        with suppress(TooLongError):
            interrupt(this, ctypes.py_object(TooLongError))  # takes the place of an earlier one
            while True:
                pass

    threading.Thread(target=watch, daemon=True).start()
    try:
        try:
            return work()
        finally:
            done.set()
    finally:
        done.set()
        with between:
            pass
        if interrupted:
            settle()
