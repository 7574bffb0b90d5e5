"""The cache folder: entries by name, sealed by a secret of the user.

Whoever can put an entry into the folder says what fairlint finds in a file, and a repository may ship any
folder. So each entry is sealed together with its name by a secret that is kept in the user's own cache
folder, and one that somebody else has made is no entry. Behind the seal are fairlint's own bytes.

Several runs may read and write at once, and each may be killed at any time: an entry is written beside its
place and moved there at one stroke. Nothing is ever followed through a symbolic link.
"""

# Path objects would take longer than the files themselves.
# ruff: noqa: PTH103, PTH106, PTH108, PTH113, PTH118

from __future__ import annotations

import errno
import os
import re
import stat
import time
from contextlib import suppress

from fairlint.support import whole_files
from fairlint.support.compiled_data import cache_folder
from fairlint.support.digests import keyed_digest
from fairlint.support.files import NotReadableError, read_file

USUAL = ".fairlint_cache"
"""What the folder is called where nobody says otherwise."""
LARGEST_ENTRY = 5_000_000
"""Bytes; what is larger is not kept."""
MOST = 200_000_000
"""Bytes of all entries; where there are more, those that were not used for the longest time go."""
UNUSED = 30 * 86_400
"""Seconds after which an entry that nobody used goes."""
BETWEEN = 86_400
"""Seconds after which a run looks through the folder again, and marks what it uses."""
ABANDONED = 3_600
"""Seconds after which what was written and never moved to its place goes."""
_SECRET = "secret"  # noqa: S105 (a file's name)
_SECRET_SIZE = 32
_SEAL = 32
_ENTRY = re.compile(rf"[0-9a-f]{{32}}|{whole_files.DRAFT.pattern}")
_TAG = "CACHEDIR.TAG"
_BESIDE = {
    _TAG: b"Signature: 8a477f597d28d172789f06886806bc55\n"
    b"# This folder is fairlint's cache. See https://bford.info/cachedir/\n",
    ".gitignore": b"# written by fairlint\n*\n",
}
"""What tells backups and git to leave the folder alone."""


def secret() -> bytes | None:
    """Return the user's secret, made where there is none; None where none can be kept from others."""
    above = cache_folder()
    if not above:
        return None
    folder = os.path.join(above, "fairlint")
    path = os.path.join(folder, _SECRET)
    known = _own_secret(path)
    if known is None:
        with suppress(OSError):
            os.makedirs(folder, mode=0o700, exist_ok=True)
            whole_files.write_into(folder, _SECRET, os.urandom(_SECRET_SIZE), private=True)
        known = _own_secret(path)
    return known


def _own_secret(path: str) -> bytes | None:
    """Return the secret in a file that nobody but the user could read or write."""
    try:
        found = os.lstat(path)
        if os.name == "posix" and (found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o077):
            return None
        data = read_file(path, _SECRET_SIZE, follow=False)
    except (OSError, NotReadableError):
        return None
    return data if len(data) == _SECRET_SIZE else None


class Store:
    """The entries in a folder. Whatever fails is as if there were no entry."""

    def __init__(self, folder: str, key: bytes) -> None:
        self._folder = folder
        self._key = key
        self._is_due = self._last_trim_time() < time.time() - BETWEEN
        self._is_ready = False
        self._is_broken = False

    def read(self, name: str) -> bytes | None:
        """Return what was kept under a name."""
        path = os.path.join(self._folder, name)
        try:
            data = read_file(path, LARGEST_ENTRY + _SEAL, follow=False)
        except NotReadableError:
            return None
        seal, body = data[:_SEAL], data[_SEAL:]
        if seal != self._seal_of_body(name, body):
            return None
        if self._is_due:
            with suppress(OSError):
                os.utime(path, follow_symlinks=False)
        return body

    def write(self, name: str, body: bytes) -> None:
        """Keep something under a name, instead of what was there."""
        if self._is_broken or len(body) > LARGEST_ENTRY:
            return
        try:
            self._make_ready()
            whole_files.write_into(self._folder, name, self._seal_of_body(name, body) + body, private=True)
        except OSError:
            self._is_broken = True  # a full disk, or a folder that cannot be written

    def _seal_of_body(self, name: str, body: bytes) -> bytes:
        return keyed_digest(name.encode() + body, self._key)

    def _make_ready(self) -> None:
        if not self._is_ready:
            os.makedirs(self._folder, mode=0o755, exist_ok=True)
            if not is_usable(self._folder):
                raise NotADirectoryError(errno.ENOTDIR, "holds something else", self._folder)
            for name, text in _BESIDE.items():
                if not os.path.lexists(os.path.join(self._folder, name)):
                    whole_files.write_into(self._folder, name, text)
            self._is_ready = True

    def _last_trim_time(self) -> float:
        try:
            return os.lstat(os.path.join(self._folder, _TAG)).st_mtime
        except OSError:
            return 0.0

    def trim(self, *, now: bool) -> None:
        """Take away what is old or too much; `now`, or where that was not done for a day."""
        if now or self._is_due:
            with suppress(OSError):
                os.utime(os.path.join(self._folder, _TAG), follow_symlinks=False)
                self._trim_folder()

    def _trim_folder(self) -> None:
        today = time.time()
        kept = []
        for path, found in _entry_files(self._folder):
            limit = ABANDONED if path.endswith(".draft") else UNUSED
            if today - found.st_mtime > limit:
                _remove_entry(path)
            else:
                kept.append((found.st_mtime, found.st_size, path))
        total = sum(size for _, size, _ in kept)
        for _, size, path in sorted(kept):
            if total <= MOST:
                break
            _remove_entry(path)
            total -= size


def is_usable(folder: str) -> bool:
    """Return whether a folder is a cache already or holds nothing yet, so that git may ignore all in it."""
    try:
        if os.path.isfile(os.path.join(folder, _TAG)):
            return read_file(os.path.join(folder, _TAG), 1_000, follow=False) == _BESIDE[_TAG]
        with os.scandir(folder) as scan:
            return all(entry.name in _BESIDE or _ENTRY.fullmatch(entry.name) for entry in scan)
    except FileNotFoundError:
        return True
    except (OSError, NotReadableError):
        return False


def clean(folder: str) -> int | None:
    """Take a cache folder away, and says how many entries were in it; None where it is none.

    What fairlint has not written stays.
    """
    if not os.path.isfile(os.path.join(folder, _TAG)):
        return None
    entries = [path for path, _ in _entry_files(folder) if _remove_entry(path)]
    for name in _BESIDE:
        with suppress(OSError):
            os.unlink(os.path.join(folder, name))
    with suppress(OSError):
        os.rmdir(folder)  # only where nothing else is in it
    return sum(not path.endswith(".draft") for path in entries)


def _remove_entry(path: str) -> bool:
    try:
        os.unlink(path)
    except OSError:
        return False
    return True


def _entry_files(folder: str) -> list[tuple[str, os.stat_result]]:
    """Return the entries of a folder, drafts too."""
    found = []
    with suppress(OSError), os.scandir(folder) as scan:
        for entry in scan:
            if _ENTRY.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    found.append((entry.path, entry.stat(follow_symlinks=False)))
    return found
