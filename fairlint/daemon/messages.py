"""What client and daemon say to each other."""

from __future__ import annotations

import os
import sys

try:
    import _socket as socket  # `socket` makes enumerations of all constants, as long as Python's own start
except ImportError:
    import socket  # type: ignore[no-redef]

TYPE_CHECKING = False  # importing typing takes long
if TYPE_CHECKING:
    from typing import TypeAlias

    Connection: TypeAlias = socket.socket

RUN, STATUS, STOP = b"r", b"s", b"q"
"""What a client may ask for: one byte, before the length of what follows."""
ACCEPTED, REFUSED, OUTDATED = b"+", b"-", b"!"
"""What is answered: the run is under way; it is not served; this daemon ends, as the program has changed."""
INTERRUPT = b"i"
"""What a client says while its run goes on."""
HEAD = 9
"""Bytes before the fields of a request."""
_NUMBER = 4
"""Bytes of a descriptor, and of each of a peer's credentials: process, user, group."""


def pack_head(kind: bytes, length: int) -> bytes:
    """Return what comes before so many bytes of fields."""
    return kind + length.to_bytes(HEAD - 1, "little")


def parse_head(head: bytes) -> tuple[bytes, int]:
    """Return the kind of a request, and how many bytes of fields follow."""
    return head[:1], int.from_bytes(head[1:HEAD], "little")


def pack_run(identity: bytes, umask: int, arguments: list[str]) -> bytes:
    """Return the fields of a run: what program is expected, its arguments and its environment."""
    environment = [name + b"=" + value for name, value in os.environb.items()]
    words = [os.fsencode(word) for word in arguments]
    return b"\0".join((identity, b"%d" % umask, b"%d" % len(words), *words, *environment))


class Run:
    """A run that is asked for, as `pack_run` wrote it."""

    __slots__ = ("arguments", "environment", "identity", "umask")

    def __init__(self, fields: bytes) -> None:
        self.identity, umask, count, *rest = fields.split(b"\0")
        self.umask = int(umask)
        self.arguments = [os.fsdecode(word) for word in rest[: int(count)]]
        pairs = (variable.partition(b"=") for variable in rest[int(count) :])
        self.environment = {name: value for name, _, value in pairs}


def unix_socket() -> Connection:
    """Return a new socket of this machine."""
    return socket.socket(socket.AF_UNIX)


def send_descriptors(connection: Connection, data: bytes, descriptors: tuple[int, ...]) -> None:
    """Send open files along with some bytes."""
    packed = b"".join(descriptor.to_bytes(_NUMBER, sys.byteorder) for descriptor in descriptors)
    sent = connection.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, packed)])
    connection.sendall(data[sent:])


def peer_of(connection: Connection) -> int | None:
    """Return the process at the other end; None where it is another user's, or cannot be seen from here."""
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 3 * _NUMBER)
    process, user = (int.from_bytes(raw[at : at + _NUMBER], sys.byteorder) for at in (0, _NUMBER))
    return process if process > 0 and user == os.geteuid() else None
