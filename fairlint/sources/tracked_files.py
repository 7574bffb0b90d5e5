"""What git tracks of what a walk leaves out: a file that is tracked is not ignored, whatever a rule says."""

# Paths are texts, as in a walk.
# ruff: noqa: PTH112, PTH118

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from math import inf

from fairlint.files import repository_of
from fairlint.findings import LeftOut
from fairlint.support.git import GitError
from fairlint.support.tracked import GIT, Tracked, may_track, tracked

Doubtful = tuple[str, LeftOut]
"""The real path of what is left out and git may track, and how that is told."""

MOST_LOOKED_AT = 5_000
"""Files and folders that are looked at to know whether a folder holds code."""


def told(doubtful: Iterable[Doubtful], is_code: Callable[[str], bool]) -> Iterator[LeftOut]:
    """The files that git tracks among paths that are left out, those whose names say that they are code.

    Where git does not answer although it may track some, that is told of the first path.
    """
    by_repository: dict[str, list[Doubtful]] = {}
    for real, one in doubtful:
        repository = repository_of(os.path.dirname(real))  # noqa: PTH120 (as above)
        by_repository.setdefault(repository, []).append((real, one))
    for repository, several in by_repository.items():
        if not may_track(repository, {os.path.basename(real) for real, _ in several}):  # noqa: PTH119 (as above)
            continue
        try:
            files = tracked(repository)
        except GitError as error:
            first = several[0][1]
            yield LeftOut(first.path, f"{first.reason}; git may track it: {error}")
            continue
        for real, one in several:
            place = inside(real, repository)
            for path in files.at(place):
                if is_code(path.rpartition("/")[2]) and os.path.lexists(os.path.join(repository, path)):
                    yield LeftOut(one.path + path[len(place) :], one.reason)


def tracked_in(repository: str) -> Tracked | None:
    """What git tracks in a repository; None where it does not say, or tracks nothing.

    Only a folder `.git` is believed: a file of that name may lead to any other repository.
    """
    own = os.path.join(repository, GIT)
    if not os.path.isdir(own) or os.path.islink(own):  # noqa: PTH114 (as above)
        return None
    try:
        return tracked(repository) or None
    except GitError:
        return None


def holds_code(folder: str, is_code: Callable[[str], bool]) -> bool:
    """Whether there is a file in or below a folder whose name says that it is code; True where that takes too
    long. Git's own folder holds many files, and is looked through.
    """
    seen, most = 0, MOST_LOOKED_AT if os.path.basename(folder) != GIT else inf  # noqa: PTH119 (as above)
    for _, _, files in os.walk(folder):
        seen += 1 + len(files)
        if seen > most or any(map(is_code, files)):
            return True
    return False


def is_gits_own(folder: str) -> bool:
    """Whether a folder called `.git` is what git takes for a repository: it checks nothing out there."""
    return os.path.lexists(os.path.join(folder, "HEAD")) and all(
        os.path.isdir(os.path.join(folder, name)) for name in ("objects", "refs")
    )


def inside(path: str, repository: str) -> str:
    """A path as git has it: from its repository on, with slashes."""
    return path[len(repository.rstrip(os.sep)) + 1 :].replace(os.sep, "/")
