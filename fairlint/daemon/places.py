"""Where a daemon listens: a socket in a folder of the user's own, one for each program that is the same."""

# Path objects would take longer than all of the rest.
# ruff: noqa: PTH100, PTH102, PTH117, PTH118, PTH120

from __future__ import annotations

import os
import stat
import sys

_LONGEST = 100
"""Bytes of a socket's path: the system allows 107."""
_TELLING = ("PYTHON", "LC_", "LANG", "LD_", "FAIRLINT_DEBUG", "GCONV_PATH", "MALLOC_")
"""How variables begin that a process reads once, when it starts."""
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class UnsafeFolderError(OSError):
    """There is no folder that only this user can look into."""


def runtime_folder() -> str:
    """Return the folder of this user's sockets, made if need be.

    Others could answer in place of the daemon where they can write, so a folder of anybody else, one that is
    open to others, and a link are all refused.
    """
    above = os.environ.get("XDG_RUNTIME_DIR", "")
    if above:
        folder = os.path.join(above, "fairlint")
        if not os.path.isabs(above) or not is_private(above):
            raise UnsafeFolderError(above)
    else:
        folder = f"/tmp/fairlint-{os.geteuid()}"  # noqa: S108 (checked below, and nobody else can replace it)
    try:  # contextlib would take as long as the rest
        os.mkdir(folder, 0o700)
    except FileExistsError:
        if not is_private(folder):
            raise UnsafeFolderError(folder) from None
    return folder


def is_private(folder: str) -> bool:
    """Return whether it is a folder, no link, of this user, and closed to everybody else."""
    found = os.lstat(folder)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def program_identity() -> bytes:
    """Return what two processes have in common that are the same program: interpreter, options, paths."""
    told = (
        _PACKAGE,
        sys.executable,
        sys.version,
        sys.flags,
        sys.path,
        sys.warnoptions,
        sorted(sys._xoptions.items()),
        sys.stdin.encoding,
        sys.stdin.errors,
        sys.stderr.errors,
        sorted(item for item in os.environ.items() if item[0].startswith(_TELLING)),
    )
    return repr(told).encode("utf-8", "surrogateescape").replace(b"\0", b"")


def socket_path(folder: str, identity: bytes) -> str:
    """Return where the daemon of a program listens; an UnsafeFolderError where its path is too long."""
    from zlib import crc32  # noqa: PLC0415 (start-up)

    path = os.path.join(folder, f"{crc32(identity):08x}.sock")
    if len(os.fsencode(path)) > _LONGEST:
        raise UnsafeFolderError(path)
    return path
