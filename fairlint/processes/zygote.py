"""Processes that are forked from one that is forked early, so that they begin with little in their memory.

What is forked has all that its parent holds, and that grows while a run goes on. The template is forked when
everything is loaded and hardly anything is read; all others are forked from it, whenever that is.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, Pipe
from typing import Any, NoReturn

from fairlint.processes import signals
from fairlint.support.records import Record

SLOWEST = 60.0
"""Seconds that the template has for a fork, which takes milliseconds unless it was stopped."""
ENDING = 5.0
"""Seconds that it has for its own end, before it is ended."""
_FORK, _NO = b"fork", b"!"
"""What it is told, and what it answers, with the number of the error, where it could not. Else it says which
process it is, and hands on its handle."""

Serve = Callable[["Connection[Any, Any]", int], None]
"""What a process does: it is given its line to the first process, and which process it was forked from."""


def available() -> bool:
    """Return whether a process can be ended here by another one than its parent, and no other in
    its place.
    """
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return True


class LostTemplateError(OSError):
    """The process that others are forked from was killed or stopped."""


class Fork(Record):
    """What ends a new process, the line to it, and its number."""

    end: Callable[[], None]
    line: Connection[Any, Any]
    number: int


class Zygote:
    """The process that others are forked from."""

    def __init__(self, serve: Serve) -> None:
        self._line, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._line.settimeout(SLOWEST)
        told = (other, self._line, serve, os.getpid())
        self._process = get_context("fork").Process(target=_fork_on_demand, args=told, daemon=True)
        with other:
            try:
                self._process.start()
            except OSError:
                self._line.close()
                raise

    def start(self) -> Fork:
        """Return a new process.

        A LostTemplateError says that this one forks no more, another OSError that no process can be had.
        """
        line, other = Pipe()
        try:
            with other:
                socket.send_fds(self._line, [_FORK], [other.fileno()])
                told, descriptors, _, _ = socket.recv_fds(self._line, 16, 1)
        except OSError as error:  # it was killed or stopped
            line.close()
            raise LostTemplateError(str(error)) from None
        if not descriptors:
            line.close()
            if not told:
                raise LostTemplateError("it has ended")
            reason = int(told[1:]) if told.startswith(_NO) else errno.EMFILE  # it came, and had no place here
            raise OSError(reason, os.strerror(reason))
        process = descriptors[0]

        def end() -> None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(process, signal.SIGKILL)
            ended = select.poll()
            ended.register(process, select.POLLIN)
            ended.poll()
            os.close(process)

        return Fork(end, line, int(told))

    def end(self) -> None:
        """End it. Those that were forked from it are to have ended before."""
        self._line.close()
        self._process.join(ENDING)
        self._process.kill()
        self._process.join()


# ---------------------------------------------------------------------------------------- in a new process


def _fork_on_demand(line: socket.socket, other: socket.socket, serve: Serve, parent: int) -> None:
    """Fork a process whenever it is told to, until there is nobody to tell it."""
    signals.end_with(parent, only=True)  # it sees to the end of those that it has forked
    other.close()
    own = os.getpid()
    with suppress(OSError):
        while True:
            told, descriptors, _, _ = socket.recv_fds(line, 16, 1)
            _reap_children(os.WNOHANG)
            if not told:
                break
            if not descriptors:
                line.send(b"%b%d" % (_NO, errno.EMFILE))
                continue
            try:
                with signals.deferred_signals():
                    process = os.fork() or _serve_and_exit(line, descriptors[0], serve, own)
                handle = os.pidfd_open(process)
            except OSError as error:
                line.send(b"%b%d" % (_NO, error.errno or 0))
            else:
                socket.send_fds(line, [b"%d" % process], [handle])
                os.close(handle)
            os.close(descriptors[0])
    _reap_children()


def _serve_and_exit(line: socket.socket, descriptor: int, serve: Serve, parent: int) -> NoReturn:
    """Do what a process is there for, and ends it."""
    code = 1
    try:
        line.close()
        serve(Connection(descriptor), parent)
        code = 0
    finally:
        os._exit(code)


def _reap_children(options: int = 0) -> None:
    """Take notice of processes that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, options)[0]:
            pass
