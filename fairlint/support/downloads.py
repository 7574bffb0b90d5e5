"""Downloads files that are known by their SHA-256, once, into the user's cache.

A file is in the cache whole or not at all. What arrived before a connection broke is kept, and the next
download goes on from there; several processes may do so at once.
"""

from __future__ import annotations

import http.client
import os
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from fairlint.support import compiled_data, files
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError

CACHE = "FAIRLINT_CACHE"
"""The variable that names another folder for the cache."""
PATIENCE = 30.0
"""Seconds without a byte after which a server is given up."""
LARGEST = 256 << 20
"""Bytes after which a download is given up."""
AT_ONCE = 1 << 16
SHORT = 16
"""Characters of a SHA-256 that names and messages have."""
UNFINISHED = ".unfinished-"
ABANDONED = 24 * 3600
"""Seconds after which an unfinished file belongs to nobody any more."""
PARTIAL, NO_SUCH_RANGE = 206, 416

Progress = Callable[[str], None]


def tell(message: str) -> None:
    """Tell the user on standard error."""
    sys.stderr.write(f"fairlint: {message}\n")
    sys.stderr.flush()


def data_folder() -> Path:
    """Return where downloaded data are kept: in FAIRLINT_CACHE, or else in the user's cache folder.

    Raises UsageError where there is neither.
    """
    if named := os.environ.get(CACHE):
        return Path(named).expanduser().absolute() / "data"
    if above := compiled_data.cache_folder():
        return Path(above) / "fairlint" / "data"
    raise UsageError(f"there is no folder for downloads: set {CACHE} to one")


def download(address: str, sha256: str, progress: Progress = tell) -> Path:
    """Return the file at an address, out of the cache where it is there whole.

    Raises UsageError where it cannot be reached or kept, or is not the file of that SHA-256.
    """
    folder = data_folder()
    name = f"{sha256[:SHORT]}-{urlsplit(address).path.rpartition('/')[2]}"
    target, part = folder / name, folder / f"{name}.part"
    if _is_whole(target, sha256):
        return target
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _sweep_abandoned_files(folder)
        descriptor, own = tempfile.mkstemp(prefix=UNFINISHED, dir=folder)
        os.close(descriptor)
    except OSError as error:
        raise _unwritable_folder_error(folder, error) from None
    work = Path(own)
    with suppress(OSError):  # whoever is first goes on with what an earlier download has left
        part.replace(work)
    progress(f"downloading {name[SHORT + 1 :]} from {urlsplit(address).hostname} …")
    try:
        resumed = work.stat().st_size > 0
        _fetch_address(address, work)
        if resumed and not _is_whole(work, sha256):  # what was left was of another file
            work.write_bytes(b"")
            _fetch_address(address, work)
        if not _is_whole(work, sha256):
            found = files.digest(work)
            work.unlink()
            raise UsageError(
                f"{address} is another file by now (SHA-256 {found[:SHORT]}…, not {sha256[:SHORT]}…)"
            )
        work.replace(target)
    except OSError as error:
        raise _unwritable_folder_error(folder, error) from None
    finally:
        with suppress(OSError):
            if work.stat().st_size:
                work.replace(part)
            else:
                work.unlink()
    return target


def _is_whole(path: Path, sha256: str) -> bool:
    try:
        return path.is_file() and files.digest(path) == sha256
    except NotReadableError:
        return False


def _fetch_address(address: str, work: Path) -> None:
    """Write what an address has to the end of a file; from its beginning where the server wants that.

    Raises UsageError where the server does not answer, or breaks off, and OSError where the disk is full.
    """
    have = work.stat().st_size
    headers = {"User-Agent": "fairlint", **({"Range": f"bytes={have}-"} if have else {})}
    request = urllib.request.Request(address, headers=headers)  # noqa: S310 (fairlint's own addresses)
    try:
        answer = urllib.request.urlopen(request, timeout=PATIENCE)  # noqa: S310 (as above)
    except urllib.error.HTTPError as error:
        with error:
            if error.code == NO_SUCH_RANGE and have:  # it may be whole already
                return
            raise UsageError(f"{address} cannot be downloaded: {error.code} {error.reason}") from None
    except (OSError, http.client.HTTPException) as error:
        raise _unreachable_error(address, error) from None
    with answer, work.open("ab" if answer.status == PARTIAL else "wb") as file:
        while True:
            try:
                piece = answer.read(AT_ONCE)
            except (OSError, http.client.HTTPException) as error:
                raise _unreachable_error(address, error) from None
            if not piece:
                break
            file.write(piece)
            if file.tell() > LARGEST:
                file.truncate(0)
                raise UsageError(f"{address} is larger than {LARGEST >> 20} MiB")
        told = answer.length
    if told:  # the connection ended before the file did
        raise UsageError(f"{address} broke off; run it again to go on from there")


def _unreachable_error(address: str, error: Exception) -> UsageError:
    reason: object = getattr(error, "reason", None) or error
    words = (isinstance(reason, OSError) and reason.strerror) or " ".join(str(reason).split())
    return UsageError(f"{address} cannot be reached: {words or type(error).__name__}")


def _unwritable_folder_error(folder: Path, error: OSError) -> UsageError:
    return UsageError(f"{folder} cannot be written ({error.strerror}): set {CACHE} to a folder with space")


def _sweep_abandoned_files(folder: Path) -> None:
    """Remove what killed processes left long ago."""
    for path in folder.glob(f"{UNFINISHED}*"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > ABANDONED:
                path.unlink()
