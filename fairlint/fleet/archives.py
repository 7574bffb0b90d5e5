"""Reads archives: zip files, wheels and tar files, one plain file after the other, and no links."""

from __future__ import annotations

import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from fairlint.fleet.limits import NotCheckedError
from fairlint.fleet.plain_files import PlainFiles

NO_FILE = "no plain file of the archive"
_ZIPS = (".zip", ".whl")
_DAMAGED = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError,
    RuntimeError, ValueError,
)  # fmt: skip


def read_archive(path: Path, files: PlainFiles) -> None:
    """Write the plain files of an archive. Raises NotCheckedError for one that cannot be read to its end."""
    read = _read_zip if path.name.lower().endswith(_ZIPS) else _read_tar
    try:
        for one in read(path, files):
            if files.may_hold(one.name, one.size):
                data = one.file.read(one.size + 1)
                if len(data) > one.size:
                    raise NotCheckedError("damaged", f"{one.name} is longer than the archive says")
                files.write(one.name, data)
    except _DAMAGED as error:
        raise NotCheckedError("damaged", f"the archive cannot be read: {error}") from None


class _Member(NamedTuple):
    """A file of an archive, with the size that the archive says it has."""

    name: str
    file: IO[bytes]
    size: int


def _read_zip(path: Path, files: PlainFiles) -> Iterator[_Member]:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            kind = info.external_attr >> 28  # of the mode that Unix has
            if info.is_dir():
                continue
            if kind not in {0, 8}:
                files.leave_out(info.filename, NO_FILE)
                continue
            with archive.open(info) as member:
                yield _Member(info.filename, member, info.file_size)


def _read_tar(path: Path, files: PlainFiles) -> Iterator[_Member]:
    with tarfile.open(path, "r|*") as archive:
        for info in archive:
            if info.isdir():
                continue
            member = archive.extractfile(info) if info.isreg() else None
            if member is None:
                files.leave_out(info.name, NO_FILE)
                continue
            yield _Member(info.name.removeprefix("./"), member, info.size)
