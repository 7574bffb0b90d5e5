"""Packs members into a zip file whose bytes depend on nothing but their names and contents.

Members are stored and not compressed: builds of zlib differ in what they make of the same bytes. There are no
times, owners or modes of files in it.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping

LARGEST = 2**32 - 1
"""Bytes of a file of this form."""
LOCAL = struct.Struct("<4s5H3I2H")
"""What stands before a member: signature, version, flags, method, time, day, CRC, two sizes, two lengths."""
CENTRAL = struct.Struct("<4s6H3I5H2I")
"""The same in the directory behind the members, with where the member begins."""
END = struct.Struct("<4s4H2IH")
"""What ends the file: how many members, and where the directory is."""
LOCAL_SIGN, CENTRAL_SIGN, END_SIGN = b"PK\3\4", b"PK\1\2", b"PK\5\6"
_VERSION = 20
_NO_TIME, _FIRST_DAY = 0, (1 << 5) | 1
"""Midnight of 1 January 1980: the first day that the form knows."""
_READABLE = 0o100644 << 16
_BY_UNIX = 3 << 8


class TooLargeError(Exception):
    """The members do not fit into a zip file of this form."""


def zip_members(members: Mapping[str, bytes]) -> bytes:
    """Return a zip file of members in their order; their names are ASCII."""
    pieces: list[bytes] = []
    directory: list[bytes] = []
    at = 0
    for name, data in members.items():
        if at + len(data) > LARGEST:
            raise TooLargeError(f"a bundle has at most {LARGEST:,} bytes")
        raw = name.encode("ascii")
        sizes = (zlib.crc32(data), len(data), len(data), len(raw))
        facts = (_VERSION, 0, 0, _NO_TIME, _FIRST_DAY)
        pieces += [LOCAL.pack(LOCAL_SIGN, *facts, *sizes, 0), raw, data]
        ends = (0, 0, 0, 0, _READABLE, at)
        directory += [CENTRAL.pack(CENTRAL_SIGN, _BY_UNIX | _VERSION, *facts, *sizes, *ends), raw]
        at += LOCAL.size + len(raw) + len(data)
    table = b"".join(directory)
    if at + len(table) > LARGEST:
        raise TooLargeError(f"a bundle has at most {LARGEST:,} bytes")
    end = END.pack(END_SIGN, 0, 0, len(members), len(members), len(table), at, 0)
    return b"".join([*pieces, table, end])
