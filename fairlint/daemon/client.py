"""The client: hands a run to the daemon of this program, and starts one where there is none.

Whatever is not as it should be before a run is under way makes it an ordinary run, without a word.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress

from fairlint.daemon import messages, places

TYPE_CHECKING = False  # importing typing takes long

if TYPE_CHECKING:
    from fairlint.daemon.messages import Connection

PATIENCE = 5.0
"""Seconds in which a daemon has to accept a run."""
FAILED = 2

Serve = Callable[[str, bytes], None]
"""What a new daemon does, given its socket's path and the identity of the program; it returns at its end."""


def run_in_daemon(serve: Serve) -> int | None:
    """Run this process's command line in the daemon; the exit code, or None where it is to run here."""
    if None in (sys.stdin, sys.stdout, sys.stderr) or os.getuid() != os.geteuid():
        return None
    try:
        identity = places.program_identity()
        path = places.socket_path(places.runtime_folder(), identity)
    except OSError:
        return None
    connection = messages.unix_socket()
    try:
        connection.settimeout(PATIENCE)
        connection.connect(path)
        answer = _hand_over(connection, identity)
    except (FileNotFoundError, ConnectionRefusedError):
        answer = messages.OUTDATED
    except OSError:
        answer = messages.REFUSED
    if answer == messages.ACCEPTED:
        return _wait(connection)
    connection.close()
    if answer == messages.OUTDATED:
        start_daemon(path, identity, serve)
    return None


def connect(path: str) -> Connection | None:
    """Return a connection to a daemon of this user; None where nobody listens."""
    connection = messages.unix_socket()
    try:
        connection.settimeout(PATIENCE)
        connection.connect(path)
        if messages.peer_of(connection) is not None:
            return connection
    except OSError:
        pass
    connection.close()
    return None


def _hand_over(connection: Connection, identity: bytes) -> bytes:
    """Ask for the run, with this process's streams and folder; what is answered."""
    if messages.peer_of(connection) is None:
        return messages.REFUSED
    umask = os.umask(0o077)
    os.umask(umask)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    fields = messages.pack_run(identity, umask, sys.argv)
    folder = os.open(os.curdir, os.O_RDONLY | os.O_DIRECTORY)
    try:
        messages.send_descriptors(
            connection, messages.pack_head(messages.RUN, len(fields)), (0, 1, 2, folder)
        )
    finally:
        os.close(folder)
    connection.sendall(fields)
    return connection.recv(1) or messages.REFUSED


def _wait(connection: Connection) -> int:
    """Wait for the end of the run, which an interrupt is passed on to; the exit code.

    A run whose client has ended otherwise is ended by the daemon.
    """
    connection.settimeout(None)
    told = b"?"
    while told == b"?":
        try:
            told = connection.recv(16)
        except KeyboardInterrupt:
            with suppress(OSError):  # the run has ended just now
                connection.send(messages.INTERRUPT)
        except OSError:
            told = b""
    if not told:
        sys.stderr.write("fairlint: error: the daemon was ended during the run; please run fairlint again\n")
        return FAILED
    code = int(told)
    if code < 0:
        import signal  # noqa: PLC0415 (start-up)

        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


def start_daemon(path: str, identity: bytes, serve: Serve) -> None:
    """Start a daemon, which nobody waits for: it belongs to no terminal and holds nothing of this process."""
    try:
        process = os.fork()
    except OSError:
        return
    if process:
        os.waitpid(process, 0)
        return
    try:
        os.setsid()
        if os.fork() == 0:
            _let_go()
            serve(path, identity)
    finally:
        os._exit(0)


def _let_go() -> None:
    """Leave the terminal, the current folder, open files and signals of the process that was forked."""
    import signal  # noqa: PLC0415 (start-up)

    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.chdir("/")
    os.umask(0o077)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
