"""What git tracks in a repository, asked for only where it may matter."""

# Path objects would take longer than the question itself.
# ruff: noqa: PTH112, PTH118, PTH120

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Collection, Sequence

from fairlint.support.files import NotReadableError, read_file

GIT = ".git"
LARGEST_INDEX = 200_000_000
"""Bytes of an index that is looked through."""
LONGEST_LINK = 10_000
"""Bytes of a file that says where git's folder is."""
MOST_NAMES = 100
"""Names that are looked for in an index; where there are more, git is asked."""
_PLAIN = (b"DIRC\0\0\0\2", b"DIRC\0\0\0\3")
"""What an index begins with in which every path stands as a whole."""
_SHARED = b"link\0"
"""Stands in an index of which a part is in another file."""


class Tracked:
    """The files that git tracks in one repository, in order."""

    def __init__(self, files: Sequence[str]) -> None:
        self._files = sorted(files)

    def __bool__(self) -> bool:
        return bool(self._files)

    def at(self, path: str) -> Sequence[str]:
        """Return the tracked files at a path of the repository: itself, or what lies below it."""
        first = bisect_left(self._files, path)
        if first < len(self._files) and self._files[first] == path:
            return (path,)
        below = f"{path}/"
        return self._files[bisect_left(self._files, below) : bisect_left(self._files, f"{path}0")]


def may_track(repository: str, names: Collection[str]) -> bool:
    """Return whether git may track something that is called so; True where its index does not say that
    easily.
    """
    own = os.path.join(repository, GIT)
    if not os.path.lexists(own):
        return False
    try:
        index = os.path.join(_git_folder(own), "index")
        if not os.path.lexists(index):
            return False
        data = read_file(index, LARGEST_INDEX, follow=False)
    except NotReadableError:
        return True
    if not data.startswith(_PLAIN) or _SHARED in data or len(names) > MOST_NAMES:
        return True
    return any(os.fsencode(name) in data for name in names)


def _git_folder(own: str) -> str:
    """Git's folder: `.git` itself, or where a file of that name leads."""
    if os.path.isdir(own):
        return own
    said = os.fsdecode(read_file(own, LONGEST_LINK)).removeprefix("gitdir:").strip()
    return os.path.join(os.path.dirname(own), said)


def tracked_files(repository: str) -> Tracked:
    """Return the files that git tracks; a GitError where it does not answer."""
    from fairlint.support.git import git_output  # noqa: PLC0415 (few runs ask)

    return Tracked([name for name in git_output(repository, "ls-files", "-z").split("\0") if name])
