"""The daemon: accepts runs, forks a process for each, and tells its client how it ended.

It reads no file of a user and keeps nothing of a run: each begins in a copy of the process as it was when
everything was loaded.
"""

from __future__ import annotations

import fcntl
import gc
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from fairlint.daemon import messages, stamps
from fairlint.daemon.messages import Run
from fairlint.daemon.request import Handover, serve_request
from fairlint.processes import signals
from fairlint.support.records import Record

_WAITING = 64
"""Clients that may wait to be accepted."""
_PART = 65_536
_STREAMS = 4
"""Descriptors that come with a run: its streams and its folder."""


class Program(Record):
    """What a daemon serves: where, for which program, and what a run is."""

    path: str
    identity: bytes
    about: str
    folders: tuple[str, ...]
    """Those of its data."""
    idle: float
    """Seconds without a run after which the daemon ends."""
    load: Callable[[], None]
    work: Callable[[], None]


def serve(program: Program) -> None:
    """Listen until nobody has come for long, or the program has changed; do nothing if another one does."""
    lock = os.open(f"{program.path}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return
    begun = time.time_ns()
    program.load()
    known = stamps.program_stamps(program.folders)
    if any(changed > begun for _, changed, _ in known.values()):
        return  # what is loaded may be of both
    with suppress(FileNotFoundError):
        os.unlink(program.path)  # noqa: PTH108 (of one that was killed: whoever has the lock is the only one)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(program.path)
        listener.listen(_WAITING)
        listener.setblocking(False)
        gc.collect()
        gc.freeze()
        _Daemon(program, known, listener, lock).run()


class _Client:
    """A connection, and what has come of its request; the process of its run, once there is one."""

    def __init__(self, connection: socket.socket, peer: int) -> None:
        self.connection = connection
        self.peer = peer
        self.data = b""
        self.descriptors: list[int] = []
        self.process = 0
        self.handle = -1

    def close(self) -> None:
        """Close all that is open here."""
        self.connection.close()
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors = []
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1


class _Daemon:
    """The loop over all clients."""

    def __init__(
        self,
        program: Program,
        known: dict[str, stamps.Stamp],
        listener: socket.socket,
        lock: int,
    ) -> None:
        self._program = program
        self._known = known
        self._listener = listener
        self._lock = lock
        self._selector = selectors.DefaultSelector()
        self._clients: set[_Client] = set()
        self._is_open = True
        self._runs = 0
        self._begun = time.monotonic()

    def run(self) -> None:
        """Serve until the end."""
        self._selector.register(self._listener, selectors.EVENT_READ)
        while self._is_open or self._clients:
            events = self._selector.select(
                None if any(one.process for one in self._clients) else self._program.idle
            )
            if not events:
                for client in [*self._clients]:  # that have asked for nothing all the time
                    self._drop(client)
                self._close()
            for key, _ in events:
                if key.fileobj is self._listener:
                    self._accept()
                elif key.data in self._clients:
                    self._attend(key.data, ended=key.fileobj == key.data.handle)

    def _close(self) -> None:
        """Accept nobody any more, and leave the place to another daemon."""
        if self._is_open:
            self._is_open = False
            self._selector.unregister(self._listener)
            with suppress(FileNotFoundError):
                os.unlink(self._program.path)  # noqa: PTH108 (start-up)
            self._listener.close()
            os.close(self._lock)

    def _accept(self) -> None:
        with suppress(OSError):
            connection, _ = self._listener.accept()
            peer = messages.peer_of(connection)
            if peer is None:
                connection.close()
                return
            connection.setblocking(False)
            client = _Client(connection, peer)
            self._clients.add(client)
            self._selector.register(connection, selectors.EVENT_READ, client)

    def _attend(self, client: _Client, *, ended: bool) -> None:
        """See to one client: its run has ended, or it says something, or it has gone."""
        if ended:
            _, status = os.waitpid(client.process, 0)
            client.process = 0
            with suppress(OSError):
                client.connection.send(b"%d" % os.waitstatus_to_exitcode(status))
            self._drop(client)
            return
        try:
            told, descriptors, _, _ = socket.recv_fds(client.connection, _PART, _STREAMS)
        except BlockingIOError:
            return
        except OSError:
            told, descriptors = b"", []
        client.descriptors += descriptors
        if client.process:
            self._forward(client, told)
        elif told:
            client.data += told
            self._answer(client)
        else:
            self._drop(client)

    def _forward(self, client: _Client, told: bytes) -> None:
        """Interrupt a run as a terminal would, or end it with its client."""
        with suppress(ProcessLookupError):
            if told:
                os.killpg(client.process, signal.SIGINT)
            else:
                self._selector.unregister(client.connection)
                os.kill(client.process, signal.SIGTERM)

    def _answer(self, client: _Client) -> None:
        """Do what a client asks for, if all of it has come."""
        if len(client.data) < messages.HEAD:
            return
        kind, length = messages.parse_head(client.data)
        fields = client.data[messages.HEAD :]
        if len(fields) < length:
            return
        client.data = b""
        if kind == messages.RUN and len(client.descriptors) == _STREAMS:
            self._start(client, fields)
            return
        if kind in {messages.STATUS, messages.STOP}:
            if kind == messages.STOP:
                self._close()
            seconds = time.monotonic() - self._begun
            told = f"process {os.getpid()}, {self._program.about}, {self._runs} runs in {seconds:.0f} s"
            self._reply(client, told.encode())
        else:
            self._reply(client, messages.REFUSED)
        self._drop(client)

    def _start(self, client: _Client, fields: bytes) -> None:
        """Fork the process of a run."""
        try:
            run = Run(fields)
        except ValueError:
            run = None
        if run is None or run.identity != self._program.identity or not _shares_files(client.peer):
            self._reply(client, messages.REFUSED)
            self._drop(client)
            return
        if stamps.has_changed(self._known):
            self._close()
            self._reply(client, messages.OUTDATED)
            self._drop(client)
            return
        parent = os.getpid()
        try:
            with signals.deferred_signals():
                process = os.fork()
                if process == 0:
                    self._become(client, run, parent)
            client.process = process
            client.handle = os.pidfd_open(process)
        except OSError:
            if client.process:
                os.kill(client.process, signal.SIGKILL)
                os.waitpid(client.process, 0)
                client.process = 0
            self._reply(client, messages.REFUSED)
            self._drop(client)
            return
        self._runs += 1
        for descriptor in client.descriptors:
            os.close(descriptor)
        client.descriptors = []
        self._selector.register(client.handle, selectors.EVENT_READ, client)

    def _become(self, client: _Client, run: Run, parent: int) -> None:
        """Let go of all other clients in a new process, and do the run."""
        self._selector.close()
        for other in self._clients - {client}:
            other.close()
        if self._is_open:
            self._listener.close()
            os.close(self._lock)
        descriptors, client.descriptors = client.descriptors, []

        def accept() -> None:
            for descriptor in descriptors:
                os.close(descriptor)
            client.connection.setblocking(True)
            client.connection.sendall(messages.ACCEPTED)
            client.connection.close()

        serve_request(Handover(run, descriptors, client.peer, parent), accept, self._program.work)

    @staticmethod
    def _reply(client: _Client, told: bytes) -> None:
        with suppress(OSError):
            client.connection.send(told)

    def _drop(self, client: _Client) -> None:
        """Forget a client whose request is done."""
        if client.handle >= 0:
            self._selector.unregister(client.handle)
        with suppress(KeyError, ValueError):
            self._selector.unregister(client.connection)
        client.close()
        self._clients.discard(client)


def _shares_files(process: int) -> bool:
    """Return whether paths mean the same to another process as here."""
    try:
        return all(
            Path("/proc", str(process), name).readlink() == Path("/proc/self", name).readlink()
            for name in ("ns/mnt", "root")
        )
    except OSError:
        return False
