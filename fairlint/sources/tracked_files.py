"""What git tracks of what a walk leaves out: a file that is tracked is not ignored, whatever a rule says."""

# Paths are texts, as in a walk.
# ruff: noqa: PTH112, PTH114, PTH118, PTH119, PTH120

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from math import inf

from fairlint.findings.report import LeftOut
from fairlint.support.files import repository_of
from fairlint.support.git import GitError
from fairlint.support.tracked import GIT, Tracked, may_track, tracked_files

Doubtful = tuple[str, LeftOut]
"""The real path of what is left out and git may track, and how that is told."""

NOT_UTF8 = "\ufffd"
"""Stands in a name as it is told, where the name itself has other bytes."""
MOST_LOOKED_AT = 5_000
"""Files and folders that are looked at to know whether a folder holds code."""


def tracked_omissions(doubtful: Iterable[Doubtful], is_code: Callable[[str], bool]) -> Iterator[LeftOut]:
    """Yield the files that git tracks among paths that are left out, those whose names say that they are
    code.

    Where git does not answer although it may track some, that is told of the first path with code.
    """
    by_repository: dict[str, list[Doubtful]] = {}
    for real, one in doubtful:
        repository = repository_of(os.path.dirname(real))
        by_repository.setdefault(repository, []).append((real, one))
    for repository, several in by_repository.items():
        if not may_track(repository, {os.path.basename(real) for real, _ in several}):
            continue
        try:
            files = tracked_files(repository)
        except GitError as error:
            code = (
                one for real, one in several if is_code(os.path.basename(real)) or holds_code(real, is_code)
            )
            if (first := next(code, None)) is not None:
                yield LeftOut(first.path, f"{first.reason}; git may track it: {error}")
            continue
        for real, one in several:
            place = inside(real, repository)
            for path in files.at(place):
                is_there = NOT_UTF8 in path or os.path.lexists(os.path.join(repository, path))
                if is_there and is_code(path.rpartition("/")[2]):
                    yield LeftOut(one.path + path[len(place) :], one.reason)


def tracked_in(repository: str) -> Tracked | None:
    """Return what git tracks in a repository; None where it does not say, or tracks nothing.

    Only a folder `.git` is believed: a file of that name may lead to any other repository.
    """
    own = os.path.join(repository, GIT)
    if not os.path.isdir(own) or os.path.islink(own):
        return None
    try:
        return tracked_files(repository) or None
    except GitError:
        return None


def holds_code(folder: str, is_code: Callable[[str], bool]) -> bool:
    """Return whether there is a file in or below a folder whose name says that it is code; True where that
    takes too long. Git's own folder holds many files, and is looked through.
    """
    seen, most = 0, MOST_LOOKED_AT if os.path.basename(folder) != GIT else inf
    for _, _, files in os.walk(folder):
        seen += 1 + len(files)
        if seen > most or any(map(is_code, files)):
            return True
    return False


def is_gits_own(folder: str) -> bool:
    """Return whether a folder called `.git` is what git takes for a repository: it checks nothing
    out there.
    """
    return os.path.lexists(os.path.join(folder, "HEAD")) and all(
        os.path.isdir(os.path.join(folder, name)) for name in ("objects", "refs")
    )


def inside(path: str, repository: str) -> str:
    """Return a path as git has it: from its repository on, with slashes."""
    return path[len(repository.rstrip(os.sep)) + 1 :].replace(os.sep, "/")
