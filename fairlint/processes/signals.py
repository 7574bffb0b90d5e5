"""Signals that end the program, and processes that end with it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

_TERMINATING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
_ENDING = (signal.SIGINT, *_TERMINATING)
_DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG of prctl(2)."""


class EndedBySignalError(KeyboardInterrupt):
    """SIGTERM or SIGHUP ends the program, as an interrupt would."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.name = signal.Signals(number).name
        self.code = 128 + number


def signals_as_exit() -> AbstractContextManager[None]:
    """Make SIGTERM and SIGHUP end the program like an exit does, which leaves nothing behind.

    A signal that the program handles or ignores itself is left alone.
    """
    return _signals_raising(lambda number: SystemExit(128 + number))


def signals_as_interrupt() -> AbstractContextManager[None]:
    """Make SIGTERM and SIGHUP end what goes on as Ctrl-C does: by EndedBySignalError. An exit would be taken
    for one of a plugin that is running.
    """
    return _signals_raising(EndedBySignalError)


@contextmanager
def _signals_raising(error: Callable[[int], BaseException]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, _: object) -> None:
        raise error(number)

    ours = [number for number in _TERMINATING if signal.getsignal(number) == signal.SIG_DFL]
    for number in ours:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def deferred_signals() -> Iterator[None]:
    """Lets these signals wait: one that comes amid a fork would be lost, or leave a process behind."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with(parent: int, *, only: bool = False) -> None:
    """Say in a new process that it is to end when its parent does, however that happens.

    An interrupt is the parent's business, which then ends this process; `only` says that any signal is.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in _TERMINATING:
        signal.signal(number, signal.SIG_IGN if only else signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    import ctypes  # noqa: PLC0415 (start-up: only large runs need it)

    with suppress(OSError, AttributeError, TypeError):  # only Linux has it
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
