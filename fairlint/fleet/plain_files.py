"""Writes a folder of plain files: what a repository or an archive holds, and nothing that leads out of it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from fairlint.fleet.limits import Limits, NotCheckedError
from fairlint.support import whole_files
from fairlint.support.files import too_large

FULL = {errno.ENOSPC, errno.EDQUOT}
"""What the system says where there is no space left."""


class PlainFiles:
    """A new folder, the files that were written to it, and what was left out with the reason."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self.folder = folder
        self.left_out: list[tuple[str, str]] = []
        self.size = self.count = 0
        self._limits = limits
        self._folders: set[str] = {""}

    def may_hold(self, path: str, size: int) -> bool:
        """Return whether a file of so many bytes is to be written; one that is too large is left out by its
        name.

        Raises NotCheckedError where all files together are too many or too large.
        """
        self.count += 1
        limits = self._limits
        if limits.files and self.count > limits.files:
            raise NotCheckedError("too large", f"more than {limits.files:,} files")
        if size > limits.largest:
            self.leave_out(path, too_large(limits.largest))
            return False
        self.size += size
        if limits.size and self.size > limits.size:
            raise NotCheckedError("too large", f"its files are {too_large(limits.size)}")
        return True

    def leave_out(self, path: str, reason: str) -> None:
        """Note a path that is not read."""
        self.left_out.append((path, reason))

    def write(self, path: str, data: bytes) -> None:
        """Write a file under a path with forward slashes; one that leads elsewhere is left out."""
        if not is_plain_path(path):
            self.leave_out(path, "its name leads out of the repository, or into git's own folder")
            return
        above, _, name = path.rpartition("/")
        try:
            if above not in self._folders:
                (self.folder / above).mkdir(parents=True, exist_ok=True)
                self._folders.add(above)
            whole_files.write_into(str(self.folder / above), name, data)
        except OSError as error:
            if error.errno in FULL:
                raise NotCheckedError("no space", "no space is left for its files") from None
            self.leave_out(path, f"cannot be written: {error.strerror or error}")


def is_plain_path(path: str) -> bool:
    """Return whether a path names a file below the folder that it is relative to, and none of git's own."""
    if not path or "\0" in path or path.startswith("/") or (os.sep != "/" and os.sep in path):
        return False
    return all(part not in {"", ".", ".."} and part.lower() != ".git" for part in path.split("/"))
