"""Compares a bundle with its manifest, without unpacking it: it may come from anybody.

No more is read of a member than the manifest says that it has, so a member that unpacks to very much takes
no time. What one program that reads zip files would see and another would not is a fault.
"""

from __future__ import annotations

import hashlib
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from io import BufferedReader
from typing import Any

from fairlint.bundle import MANIFEST, MEMBERS, VERSION
from fairlint.bundle.packing import CENTRAL, END, END_SIGN, LOCAL, LOCAL_SIGN
from fairlint.support.documents import read_json
from fairlint.support.files import opened_file
from fairlint.support.records import Record
from fairlint.support.shapes import fault_of, mapping_of_shape, matching, one_of, table, text, whole

LARGEST = 2_000_000_000
"""Bytes of a bundle, and of all that is in it."""
LARGEST_MANIFEST = 100_000
MOST_MEMBERS = 100
LONGEST_NAME = 255
AT_ONCE = 1 << 20
"""Bytes that are read at once."""
_LARGER_END = b"PK\6\7"
"""Stands before the end of a file that has more than the usual form can say."""
_SIZE_BEHIND = 8
"""The flag of a member whose size stands behind it."""
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
)
_WAYS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""How members may be packed: of these a piece at a time is unpacked."""
_EXTRAS = frozenset({0x5455, 0x7875})
"""Facts that other programs keep of a file, and that no name depends on: times and owners."""
_EXTRA = struct.Struct("<2H")
_IS_SUM = matching(
    frozenset({str}),
    "64 hexadecimal digits",
    lambda one: len(one) == 64 and not one.strip("0123456789abcdef"),
)
_SHAPE = table(
    {
        "version": one_of(VERSION),
        "tool": table({"name": one_of("fairlint"), "version": text(longest=100)}),
        "date": text(longest=40),
        "members": mapping_of_shape(table({"sha256": _IS_SUM, "size": whole(0, LARGEST)})),
    }
)


class NoBundleError(Exception):
    """A file that cannot be compared with a manifest; the message is the reason, one clause."""


class Verdict(Record):
    """What a bundle is, and what is wrong with it."""

    faults: tuple[str, ...]
    """A clause each."""
    version: str
    """That of the fairlint that wrote it, as its manifest says."""
    date: str
    members: int
    sha256: str
    """Of the whole file."""


def verify(path: str) -> Verdict:
    """Compare a bundle with its manifest; a NoBundleError where that cannot be done.

    A NotReadableError where the file itself cannot be read.
    """
    with opened_file(path) as (file, size):
        if size > LARGEST:
            raise NoBundleError(f"is larger than {LARGEST:,} bytes")
        count = _check_end(file, size)
        try:
            with zipfile.ZipFile(file) as archive:
                if len(archive.infolist()) != count:
                    raise NoBundleError("says in two ways how many members it has")
                faults, manifest = _compare_with_manifest(archive, file)
            file.seek(0)
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        except _UNREADABLE as error:
            raise NoBundleError(f"cannot be read as a zip file: {error}") from None
    return Verdict(
        faults=tuple(faults),
        version=manifest["tool"]["version"],
        date=manifest["date"],
        members=len(manifest["members"]),
        sha256=sha256,
    )


def _check_end(file: BufferedReader, size: int) -> int:
    """Return how many members a file ends with; a NoBundleError where it does not end as a zip file of few
    does.
    """
    before = END.size + 20
    file.seek(max(size - before, 0))
    tail = file.read(before)
    file.seek(0)
    end = tail[-END.size :]
    if len(end) < END.size or not end.startswith(END_SIGN):
        raise NoBundleError("is no zip file, was cut off, or goes on behind its end")
    _, disk, start, here, count, length, begins, comment = END.unpack(end)
    if tail.startswith(_LARGER_END) or disk or start or here != count or comment:
        raise NoBundleError("is a zip file of a form that no bundle has")
    if count > MOST_MEMBERS or length > MOST_MEMBERS * (CENTRAL.size + LONGEST_NAME):
        raise NoBundleError(f"has more than {MOST_MEMBERS} members")
    if begins + length + END.size != size:
        raise NoBundleError("holds bytes that belong to no member")
    return int(count)


def _compare_with_manifest(
    archive: zipfile.ZipFile, file: BufferedReader
) -> tuple[list[str], Mapping[str, Any]]:
    infos = archive.infolist()
    names = Counter(info.orig_filename for info in infos)
    manifest = _read_manifest(archive, names)
    wanted: Mapping[str, Mapping[str, Any]] = manifest["members"]
    if sum(one["size"] for one in wanted.values()) > LARGEST:
        raise NoBundleError(f"its manifest names more than {LARGEST:,} bytes")
    faults = [*_manifest_faults(wanted), *_layout_faults(infos, archive.start_dir, file)]
    faults += [f"{name}: stands {count} times in the file" for name, count in names.items() if count > 1]
    faults += [f"{name}: is missing" for name in wanted if name not in names]
    for info in infos:
        name = info.orig_filename
        if name == MANIFEST or names[name] > 1:
            continue
        if name not in wanted:
            faults.append(f"{name}: was added, the manifest does not name it")
        elif found := _member_fault(archive, info, wanted[name]):
            faults.append(f"{name}: {found}")
    return faults, manifest


def _read_manifest(archive: zipfile.ZipFile, names: Mapping[str, int]) -> Mapping[str, Any]:
    if names.get(MANIFEST) != 1:
        raise NoBundleError(
            f"is no bundle of fairlint: it holds {'two' if MANIFEST in names else 'no'} {MANIFEST}"
        )
    info = next(one for one in archive.infolist() if one.orig_filename == MANIFEST)
    data = b"".join(_member_pieces(archive, info, LARGEST_MANIFEST))
    if len(data) > LARGEST_MANIFEST:
        raise NoBundleError(f"its {MANIFEST} is larger than {LARGEST_MANIFEST:,} bytes")
    try:
        told = read_json(data, finite=True)
    except ValueError as error:
        raise NoBundleError(f"its {MANIFEST} is no JSON: {error}") from None
    if wrong := fault_of(_SHAPE, told):
        raise NoBundleError(f"its {MANIFEST} is not as fairlint writes it: {wrong}")
    found: Mapping[str, Any] = told
    return found


def _manifest_faults(wanted: Mapping[str, object]) -> Iterator[str]:
    yield from (f"{MANIFEST}: does not name {name}" for name in MEMBERS if name not in wanted)
    yield from (f"{MANIFEST}: names {name}, which no bundle has" for name in wanted if name not in MEMBERS)


def _layout_faults(infos: list[zipfile.ZipInfo], directory: int, file: BufferedReader) -> Iterator[str]:
    """Yield what stands before or between members: programs that read from the beginning would take it for
    some.
    """
    at = 0
    for info in sorted(infos, key=lambda one: one.header_offset):
        file.seek(info.header_offset)
        head = file.read(LOCAL.size)
        is_whole = len(head) == LOCAL.size and head.startswith(LOCAL_SIGN)
        if info.header_offset != at or not is_whole or info.flag_bits & _SIZE_BEHIND:
            yield "holds bytes that belong to no member"
            return
        sizes = LOCAL.unpack(head)[6:]
        file.seek(sizes[3], 1)
        extras = [*_extra_field_kinds(info.extra), *_extra_field_kinds(file.read(sizes[4]))]
        kind = stat.S_IFMT(info.external_attr >> 16)
        if sizes[:3] != (info.CRC, info.compress_size, info.file_size):
            yield f"{info.orig_filename}: has other facts before it than in the directory of the zip file"
        if info.comment or not _EXTRAS.issuperset(extras) or kind not in {0, stat.S_IFREG}:
            yield f"{info.orig_filename}: has facts in the zip file that no bundle has"
        at += LOCAL.size + sizes[3] + sizes[4] + info.compress_size
    if at != directory:
        yield "holds bytes that belong to no member"


def _extra_field_kinds(data: bytes) -> Iterator[int]:
    """Yield the kinds of more facts that a member has; -1 for what is none."""
    while data:
        if len(data) < _EXTRA.size:
            yield -1
            return
        kind, length = _EXTRA.unpack(data[: _EXTRA.size])
        yield kind
        data = data[_EXTRA.size + length :]


def _member_fault(archive: zipfile.ZipFile, info: zipfile.ZipInfo, wanted: Mapping[str, Any]) -> str:
    """Return what is wrong with a member; empty where it is what the manifest says."""
    made, size = hashlib.sha256(), 0
    try:
        for piece in _member_pieces(archive, info, wanted["size"]):
            made.update(piece)
            size += len(piece)
    except _UNREADABLE as error:
        return f"cannot be read: {error}"
    if size != wanted["size"]:
        more = "more" if size > wanted["size"] else "fewer"
        return f"has {more} bytes than the {wanted['size']:,} of the manifest"
    return "" if made.hexdigest() == wanted["sha256"] else "differs from its SHA-256 in the manifest"


def _member_pieces(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> Iterator[bytes]:
    """Yield the bytes of a member, and at most one more than `most`."""
    if info.compress_type not in _WAYS:
        raise NotImplementedError("it is packed in a way that no bundle has")
    left = most + 1
    with archive.open(info) as member:
        while left and (piece := member.read(min(left, AT_ONCE))):
            left -= len(piece)
            yield piece
