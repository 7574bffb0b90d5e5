"""Limits of time for work in this process: of the processor's time, and of the clock's.

The processor's time is what a file is given: how much else the machine does changes nothing about it. It is
looked at when a timer of the clock rings, which is set for the earliest moment at which so much can have been
spent, and again for what is left. So one timer serves both limits, and no profiler is in its way.

In the main thread it is a timer of the system, which costs a few system calls and no process. It is not there
in other threads, on Windows, and where the program uses the timer itself: then a second thread looks, and
interrupts. Neither ends what hangs within a C function that never looks for signals, as a plugin's may; only
the end of a process does, and that is left to `parallel`.
"""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

AGAIN = 1.0
"""Seconds after which work that has swallowed the interruption is interrupted once more."""
SOONEST = 0.02
"""Seconds between two looks at what was spent."""
GUARD = 10
"""How often the processor's time may pass on the clock: work that sleeps or is stopped spends none."""

_Result = TypeVar("_Result")
Clock = Callable[[], float]


class TooLongError(BaseException):
    """The time is up. No Exception, so that nothing on the way takes it for one of its own."""


class TooLongByClockError(TooLongError):
    """The clock's time is up, and not the processor's."""


def within(seconds: float, work: Callable[[], _Result], *, processor: float = math.inf) -> _Result:
    """Return what `work` gives; TooLongError if it takes longer than `seconds`, or as many of the
    `processor`.

    0 and infinity are no limit.
    """
    limits = _Limits(seconds or math.inf, processor or math.inf)
    if not limits.are_any:
        return work()
    if hasattr(signal, "setitimer") and signal.getsignal(signal.SIGALRM) == signal.SIG_DFL:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        except ValueError:  # not the main thread
            pass
        else:
            return _run_by_timer(limits, work)
    return _run_by_thread(limits, work)


def guard(processor: float) -> float:
    """Return the seconds on the clock for work that may spend so many of the processor; 0 is no limit."""
    return processor * GUARD or math.inf


class _Limits:
    """What some work may take, and what it has taken since it began."""

    def __init__(self, seconds: float, processor: float) -> None:
        self._seconds = seconds
        self._processor = processor
        self.are_any = min(seconds, processor) < math.inf

    def begin(self, spent: Clock) -> None:
        """Note that the work begins, and `spent` says what it takes of the processor."""
        self._since = time.monotonic()
        self._spent = spent
        self._before = spent()

    def left(self) -> float:
        """Seconds until it has to be looked at again; 0 if the time is up."""
        rest = min(self._of_clock(), self._processor - (self._spent() - self._before))
        return max(rest, SOONEST) if rest > 0 else 0

    def _of_clock(self) -> float:
        return self._seconds - (time.monotonic() - self._since)

    def error(self) -> type[TooLongError]:
        """Return what says which of the two is up."""
        return TooLongByClockError if self._of_clock() <= 0 else TooLongError


def _run_by_timer(limits: _Limits, work: Callable[[], _Result]) -> _Result:
    """As `within`, by a timer. The inner `finally` is where a signal may still interrupt."""
    running = True

    def look(_number: int, _frame: object) -> None:
        if not running:
            return
        if left := limits.left():
            signal.setitimer(signal.ITIMER_REAL, left, AGAIN)
            return
        raise limits.error()

    signal.signal(signal.SIGALRM, look)
    try:
        try:
            limits.begin(time.thread_time)
            signal.setitimer(signal.ITIMER_REAL, limits.left() or SOONEST, AGAIN)  # 0 would be never
            return work()
        finally:
            running = False
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _run_by_thread(limits: _Limits, work: Callable[[], _Result]) -> _Result:
    """As `within`, by a second thread, which has Python raise the error in this one."""
    import ctypes  # noqa: PLC0415 (start-up: hardly any run needs them)
    import threading  # noqa: PLC0415

    this = ctypes.c_ulong(threading.get_ident())
    interrupt = ctypes.pythonapi.PyThreadState_SetAsyncExc
    done, between = threading.Event(), threading.Lock()
    interrupted: type[TooLongError] | None = None

    def watch() -> None:
        nonlocal interrupted
        wait = limits.left()
        while not done.wait(wait):
            wait = limits.left()
            if wait:
                continue
            with between:
                if not done.is_set():
                    interrupted = limits.error()
                    interrupt(this, ctypes.py_object(interrupted))
            wait = AGAIN

    def settle() -> None:
        """Has what may still be raised raised here. Python before 3.12 must not be told to forget it: it
        would go on to look for it, which costs time, and never ends where a profiler or debugger looks on.
        """
        with suppress(TooLongError):
            interrupt(this, ctypes.py_object(TooLongError))  # takes the place of an earlier one
            while True:
                pass

    limits.begin(_spent_by(threading.get_ident()))
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
        if interrupted is not None:
            settle()


def _spent_by(thread: int) -> Clock:
    """Return what a thread takes of the processor, for another to ask; at most, where the system says no
    more.
    """
    try:
        clock = time.pthread_getcpuclockid(thread)
    except (AttributeError, OSError):  # macOS and Windows
        began, before = time.monotonic(), time.process_time()
        return lambda: min(time.monotonic() - began, time.process_time() - before)
    return lambda: time.clock_gettime(clock)
