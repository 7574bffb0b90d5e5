"""Makes a folder of plain files of an entry: of a commit's objects, of an archive, of a package.

A repository is named by its commit, all else by a digest of its contents. Nothing of it is run: files are
read out of git's objects, of which no filter, hook, submodule or link has a part.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fairlint.fleet.archives import read_archive
from fairlint.fleet.entries import Entry
from fairlint.fleet.forges import login_for
from fairlint.fleet.limits import Cause, Limits, NotCheckedError
from fairlint.fleet.packages import download_package
from fairlint.fleet.plain_files import PlainFiles
from fairlint.support.files import NotReadableError, digest, opened_file
from fairlint.support.git import LINK, MODULE, Allowance, GitError, Objects, revision
from fairlint.support.records import Record
from fairlint.support.remote_git import failure_cause, fetch_commit, head_commit

CONTENT = "sha256:"
"""How the digest of contents begins, which stands where there is no commit."""
IS_LINK, IS_REPOSITORY = "a symbolic link, which is not followed", "another repository (a submodule)"
BARE = ("HEAD", "objects", "refs")
"""What a repository without a checkout has in its own folder."""
_CAUSES: dict[str, Cause] = {
    "private or gone": "private or gone", "gone": "gone", "not reachable": "not reachable",
    "unknown server": "refused", "too large": "too large", "no space": "no space", "memory": "memory",
    "time": "time",
}  # fmt: skip


class Unchanged(Record):
    """There is nothing to check: the commit is one that is known."""

    commit: str


class Checkout(Record):
    """A folder of plain files, the commit that they are of, and what was left out of it."""

    folder: Path
    commit: str
    left_out: tuple[tuple[str, str], ...]
    """Path → why."""
    count: int = 0
    """How many files there are."""


def make_checkout(entry: Entry, known: str, work: Path, limits: Limits) -> Checkout | Unchanged:
    """Return the files of an entry in a new folder below `work`; nothing where its commit is the `known` one.

    Raises NotCheckedError.
    """
    return _MAKERS[entry.kind](entry, known, work, limits)


def _read_local(entry: Entry, known: str, work: Path, limits: Limits) -> Checkout | Unchanged:
    source = Path(entry.address)
    if not source.is_dir():
        raise NotCheckedError("gone", "there is no such folder")
    has_checkout = (source / ".git").exists()
    if has_checkout or all((source / name).exists() for name in BARE):
        return _read_repository(str(source), known, work, limits, is_bare=not has_checkout)
    content = CONTENT + _folder_digest(source)
    if content == known:
        return Unchanged(content)
    files = _new_files(work, limits)
    for path, name in _walk_files(source, files.leave_out):
        try:
            with opened_file(path) as (file, size):
                if files.may_hold(name, size):
                    files.write(name, file.read(size))
        except NotReadableError as error:
            files.leave_out(name, str(error))
    return _finished_checkout(files, content)


def _read_repository(
    source: str, known: str, work: Path, limits: Limits, *, is_bare: bool
) -> Checkout | Unchanged:
    with _git_failures():
        allowance = Allowance(seconds=limits.seconds)
        commit = revision(source, "HEAD", allowance=allowance, is_bare=is_bare)
        if commit is None:
            raise NotCheckedError("empty", "a repository without a commit")
        if commit == known:
            return Unchanged(commit)
        return _read_commit(source, commit, work, limits, is_bare=is_bare)


def _read_remote(entry: Entry, known: str, work: Path, limits: Limits) -> Checkout | Unchanged:
    allowance = Allowance(seconds=limits.seconds)
    with _git_failures():
        login = login_for(entry.address)
        commit = head_commit(entry.address, allowance, login)
        if not commit:
            raise NotCheckedError("empty", "a repository without a commit")
        if commit == known:
            return Unchanged(commit)
        repository = work / "repository"
        repository.mkdir()
        fetch_commit(entry.address, commit, str(repository), limits.largest, allowance, login)
        return _read_commit(str(repository), commit, work, limits)


def _read_commit(
    repository: str, commit: str, work: Path, limits: Limits, *, is_bare: bool = False
) -> Checkout:
    """Return the files of a commit, read out of the repository's objects."""
    files = _new_files(work, limits)
    with Objects(repository, Allowance(seconds=limits.seconds), is_bare=is_bare) as objects:
        entries = objects.below(commit, [])
        plain = {path: one.object for path, one in entries.items() if one.mode not in {LINK, MODULE}}
        for path, one in entries.items():
            if path not in plain:
                files.leave_out(path, IS_LINK if one.mode == LINK else IS_REPOSITORY)
        sizes = objects.sizes(plain.values())
        places: dict[str, list[str]] = {}
        for path, name in plain.items():
            if name not in sizes:
                files.leave_out(path, "not sent: too large, or damaged")
            elif files.may_hold(path, sizes[name]):
                places.setdefault(name, []).append(path)
        for name, data in objects.contents(places, limits.largest):
            for path in places.pop(name):
                files.write(path, data)
        for paths in places.values():
            for path in paths:
                files.leave_out(path, "damaged: git cannot read it")
    return _finished_checkout(files, commit)


def _read_local_archive(entry: Entry, known: str, work: Path, limits: Limits) -> Checkout | Unchanged:
    path = Path(entry.address)
    if not path.exists():
        raise NotCheckedError("gone", "there is no such file")
    return _unpack(path, known, work, limits)


def _read_package(entry: Entry, known: str, work: Path, limits: Limits) -> Checkout | Unchanged:
    folder = work / "download"
    folder.mkdir()
    return _unpack(download_package(entry.address, folder, limits.seconds), known, work, limits)


def _unpack(path: Path, known: str, work: Path, limits: Limits) -> Checkout | Unchanged:
    try:
        content = CONTENT + digest(path)
    except NotReadableError as error:
        raise NotCheckedError("damaged", str(error)) from None
    if content == known:
        return Unchanged(content)
    files = _new_files(work, limits)
    read_archive(path, files)
    return _finished_checkout(files, content)


def _finished_checkout(files: PlainFiles, commit: str) -> Checkout:
    return Checkout(files.folder, commit, tuple(files.left_out), files.count)


def _new_files(work: Path, limits: Limits) -> PlainFiles:
    folder = work / "files"
    folder.mkdir()
    return PlainFiles(folder, limits)


def _folder_digest(source: Path) -> str:
    """Return a digest of the names and contents of all files below a folder."""
    told = hashlib.sha256()
    for path, name in _walk_files(source, lambda _path, _reason: None):
        try:
            content = digest(path)
        except NotReadableError as error:
            content = str(error)
        told.update(f"{name}\0{content}\n".encode("utf-8", "surrogateescape"))
    return told.hexdigest()


def _walk_files(source: Path, leave_out: Callable[[str, str], None]) -> Iterator[tuple[Path, str]]:
    """Yield the plain files below a folder in order, each with its path from there; links are not followed,
    and what git keeps of other repositories is not code.
    """
    for folder, names, files in os.walk(source):
        below = Path(folder).relative_to(source)
        for name in sorted(names):
            if (Path(folder) / name).is_symlink():
                leave_out((below / name).as_posix(), IS_LINK)
        names[:] = sorted(
            name for name in names if name.lower() != ".git" and not (Path(folder) / name).is_symlink()
        )
        for name in sorted(files):
            path = Path(folder) / name
            if path.is_symlink():
                leave_out((below / name).as_posix(), IS_LINK)
            else:
                yield path, (below / name).as_posix()


@contextmanager
def _git_failures() -> Iterator[None]:
    """Errors of git as reasons why a repository was not checked."""
    try:
        yield
    except GitError as error:
        told = str(error)
        cause = _CAUSES.get(failure_cause(error))
        if cause is None:
            cause = "refused" if "dubious ownership" in told or "not allowed" in told else "damaged"
        raise NotCheckedError(cause, told) from None


_MAKERS = {
    "folder": _read_local,
    "git": _read_remote,
    "archive": _read_local_archive,
    "package": _read_package,
}
